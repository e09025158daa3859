//! Chess Assistant: the databases of the program of that name, since about 1990.
//!
//! A database has five files with the same stem, and is opened by any of them. `docs/formats/chess-assistant.md`
//! describes every byte. The format is closed, one description exists, and no real database was available: everything
//! here follows that description, and points that it leaves open are decided from the data or reported.
//!
//! * `.cdp` holds the number of games and holds a comment on the whole database ([`layout::CaCdp`]),
//! * `.emb` is a small file system ([`volume`]) with the lists of players, events, places and sources ([`text::CaNameList`]),
//! * `.d00` holds a header of 38 bytes for each game ([`layout::CaHeader`]),
//! * `.a02` holds the offsets of the records in the `.d02` ([`layout::CaAddressTable`]),
//! * `.d02` holds the records: codes of moves, variations and comments ([`record`], [`moves`]).
//!
//! | in the files | in the game |
//! |---|---|
//! | players, event, place, date, round, Elo, ECO | the tags of PGN |
//! | title and FIDE number of a player | `WhiteTitle`, `WhiteFideId`, … |
//! | rating in the list, birth, sex of a player | `WhiteListRating`, `WhiteBirthDate`, `WhiteSex`, … |
//! | annotator, source | `Annotator`, `Source` |
//! | an evaluation instead of the result | `*`, the tag `CaOutcome`, and a NAG after the last move |
//! | type of the game | `CaGameType` |
//! | fields whose values the description does not have | `CaOutcome`, `CaDate`, `CaRound`, `CaEco`, `CaByte28` |
//! | the comment on the database | the field `description` of the information on the database |
//! | symbols, diagrams | NAGs (`$220` for a diagram) |
//! | engine scores | comments `[%eval …]` |
//! | folders, unknown comments, the code 233 | the extensions `ca.folder`, `ca.comment`, `ca.233` |
//! | moves that cannot be read | the extension `ca.rest` |

pub mod codes;
mod encode;
mod facts;
pub mod layout;
pub mod losses;
pub mod moves;
mod reader;
pub mod record;
mod salvage;
pub mod tags;
pub mod text;
pub mod volume;
mod writer;

pub use reader::{CaInnerFileDump, CaReader, inner_files};
pub use writer::CaWriter;

use std::path::Path;

use tabiya_model::{Database, Result, Sink};

use layout::CaCdp;
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};

/// The extensions of the files of a database, the one that names it first.
pub const EXTENSIONS: [&str; 5] = ["cdp", "emb", "d00", "a02", "d02"];

/// The tag of an outcome that is not a result.
pub const OUTCOME_TAG: &str = "CaOutcome";
/// The tag of a game's type.
pub const TYPE_TAG: &str = "CaGameType";
/// The tag of a packed date whose year has more than four digits.
pub const DATE_TAG: &str = "CaDate";
/// The tag of an unusual round byte.
pub const ROUND_TAG: &str = "CaRound";
/// The tag of an ECO number beyond E99.
pub const ECO_TAG: &str = "CaEco";
/// The tag of the header's unknown byte, if it is not 0.
pub const BYTE_TAG: &str = "CaByte28";
/// The suffixes after `White` or `Black` in the tags with data about a player.
pub const PLAYER_TAGS: [&str; 5] = ["Title", "FideId", "ListRating", "BirthDate", "Sex"];

/// Chess Assistant.
pub static FORMAT: Format = Format {
    name: "ca",
    title: "Chess Assistant (CDP/EMB/D00/A02/D02)",
    extensions: &EXTENSIONS,
    companions: &["emb", "d00", "a02", "d02"],
    capabilities: FormatCapabilities {
        read: FormatSupport::Experimental,
        write: FormatSupport::Experimental,
        edit: true,
        repair: true,
        any_tag: false,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: false,
        null_moves: true,
        raw_movetext: false,
        deleted: false,
    },
    identify,
    open: Some(open),
    stream: None,
    create: Some(create),
    salvage: Some(salvage),
    edit: Some(|path, options| tabiya_codec::edit::rewrite::open(&FORMAT, path, options)),
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "No real database was available: everything follows the only description of the closed format and was checked \
            against databases that others made from it. Points that the description leaves open are decided from the data \
            and reported.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CaReader::open(path, options)?))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    Ok(Box::new(CaWriter::create(path, options)?))
}

fn salvage(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CaReader::salvage(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder || !EXTENSIONS.contains(&probe.extension) {
        return ProbeAnswer::No;
    }
    match probe.extension {
        "cdp" => match CaCdp::read(probe.head) {
            Some(cdp) if cdp.is_known() => ProbeAnswer::Yes,
            _ => ProbeAnswer::Maybe,
        },
        "emb"
            if memchr::memmem::find(probe.head.get(..128).unwrap_or(probe.head), b"Data Pro")
                .is_none() =>
        {
            ProbeAnswer::Maybe
        }
        // No other format has these extensions.
        _ => ProbeAnswer::Yes,
    }
}
