//! Scid's databases: si3 (read), si4 and si5 (read and written).
//!
//! A database has three files with one name: the index (`.si4`), the game records (`.sg4`) and the names (`.sn4`). An
//! entry of the index has the offset of the record of its game and the data for lists and searches. The full
//! description of the bytes is in `docs/formats/scid.md`.

pub mod audit;
pub mod codes;
pub mod edit;
pub mod encode;
pub mod error;
mod extra_tag_fields;
mod facts;
pub mod files;
pub mod layout;
pub mod losses;
pub mod moves;
pub mod names;
mod plain_moves;
pub mod positions;
pub mod reader;
pub mod record;
pub mod salvage;
pub mod stored_lines;
mod tag_fields;
pub mod tags;
pub mod text;
pub mod writer;

use std::path::Path;

use tabiya_model::{Database, Result};

pub use self::files::ScidFiles;
pub use self::layout::ScidVersion;
pub use self::reader::ScidReader;
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer,
};

const fn capabilities(write: FormatSupport, chess960: bool) -> FormatCapabilities {
    FormatCapabilities {
        read: FormatSupport::Full,
        write,
        edit: matches!(write, FormatSupport::Full),
        repair: true,
        any_tag: true,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960,
        null_moves: true,
        raw_movetext: false,
        deleted: true,
    }
}

/// Scid 5 databases.
pub static SI5: Format = Format {
    name: ScidVersion::Si5.name(),
    title: "Scid 5",
    extensions: &["si5", "sg5", "sn5"],
    companions: &["sg5", "sn5"],
    capabilities: capabilities(FormatSupport::Full, true),
    identify: |probe| identify(ScidVersion::Si5, probe),
    open: Some(open),
    stream: None,
    create: Some(|path, options| writer::create(ScidVersion::Si5, path, options)),
    salvage: Some(salvage::salvage),
    edit: Some(edit::ScidEditor::open),
    open_options: &[],
    write_options: writer::OPTIONS,
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "Checked with 27 databases written by Scid 5: all games equal Scid's own export.",
};

/// Scid 4 and Scid vs. PC databases.
pub static SI4: Format = Format {
    name: ScidVersion::Si4.name(),
    title: "Scid 4",
    extensions: &["si4", "sg4", "sn4"],
    companions: &["sg4", "sn4"],
    capabilities: capabilities(FormatSupport::Full, false),
    identify: |probe| identify(ScidVersion::Si4, probe),
    open: Some(open),
    stream: None,
    create: Some(|path, options| writer::create(ScidVersion::Si4, path, options)),
    salvage: Some(salvage::salvage),
    edit: Some(edit::ScidEditor::open),
    open_options: &[],
    write_options: writer::OPTIONS,
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "Checked with databases written by Scid 4.3, Scid 4.7.4 and Scid vs. PC: all games equal Scid's own export.",
};

/// Scid 3 databases.
pub static SI3: Format = Format {
    name: ScidVersion::Si3.name(),
    title: "Scid 3",
    extensions: &["si3", "sg3", "sn3"],
    companions: &["sg3", "sn3"],
    capabilities: capabilities(FormatSupport::None, false),
    identify: |probe| identify(ScidVersion::Si3, probe),
    open: Some(open),
    stream: None,
    create: None,
    salvage: Some(salvage::salvage),
    edit: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "Read only. Checked with databases written by Scid 3.7: all games equal Scid's own export.",
};

/// The descriptor of a version.
pub fn format_of(version: ScidVersion) -> &'static Format {
    match version {
        ScidVersion::Si3 => &SI3,
        ScidVersion::Si4 => &SI4,
        ScidVersion::Si5 => &SI5,
    }
}

fn identify(version: ScidVersion, probe: &FormatProbe<'_>) -> ProbeAnswer {
    let [index, _, names] = version.extensions();
    if probe.is_folder || ScidVersion::of_extension(probe.extension) != Some(version) {
        return ProbeAnswer::No;
    }
    let magic: &[u8] = match version {
        ScidVersion::Si5 => b"",
        _ if probe.extension.eq_ignore_ascii_case(index) => layout::INDEX_MAGIC,
        _ if probe.extension.eq_ignore_ascii_case(names) => layout::NAMES_MAGIC,
        _ => b"",
    };
    if probe.head.starts_with(magic) {
        ProbeAnswer::Yes
    } else {
        // The name is Scid's: that the bytes are not deserves a message.
        ProbeAnswer::Maybe
    }
}

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(ScidReader::open(path, options)?))
}
