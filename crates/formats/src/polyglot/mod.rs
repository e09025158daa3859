//! Polyglot: opening books (`.bin`) that most engines read.
//!
//! A book is a list of entries of 16 bytes, sorted by the hash of the position; `docs/formats/polyglot.md` has the
//! details. It holds no games. Read as a database, each line that can be walked from the normal start is a game, with
//! the weights as comments `[%weight 12]`. [`PolyglotBookBuilder`] makes books, [`PolyglotBook`] looks positions up.

pub mod codes;
pub mod layout;
pub mod moves;
mod reader;
mod writer;

pub use layout::PolyglotEntry;
pub(crate) use reader::BookLines;
pub use reader::{PolyglotBook, PolyglotReader, PolyglotWalkReport};
pub use writer::{GAME_PLIES, PolyglotBookBuilder, PolyglotWriter, points, write_entries};

use std::path::Path;

use tabiya_model::{Database, Result, Sink};

use layout::ENTRY_BYTES;
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};

/// Polyglot's opening books.
pub static FORMAT: Format = Format {
    name: "polyglot",
    title: "Polyglot opening book",
    extensions: &["bin"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Full,
        edit: false,
        repair: false,
        any_tag: false,
        variations: false,
        comments: false,
        nags: false,
        setups: false,
        chess960: false,
        null_moves: false,
        raw_movetext: false,
        deleted: false,
    },
    identify,
    open: Some(open),
    stream: None,
    create: Some(create),
    salvage: None,
    edit: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: crate::book::LOSSES,
    notes: "Positions with weighted moves, no games: lines from the normal starting position are shown as games. \
            Checked against python-chess and Polyglot itself.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(PolyglotReader::open(path, options)?))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    Ok(Box::new(PolyglotWriter::create(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder || probe.extension != "bin" {
        return ProbeAnswer::No;
    }
    // Many files are called .bin: a book is recognised by its sorted hashes.
    let (entries, _) = probe.head.as_chunks::<ENTRY_BYTES>();
    let keys = entries.iter().map(|entry| PolyglotEntry::read(entry).key);
    match entries.len() {
        0 => ProbeAnswer::Maybe,
        _ if keys.is_sorted() => ProbeAnswer::Yes,
        _ => ProbeAnswer::No,
    }
}
