//! CBF: the databases of ChessBase for DOS, Atari and the first Windows, 1987 to about 1997.
//!
//! A `.cbf` file holds the games, a `.cbi` file their offsets. `docs/formats/chessbase-dos.md` describes every byte. In
//! short: a record is an encrypted header of 14 bytes ([`layout::CbfHeader`]), the names of both players in one text and
//! event, site and round in another, a byte for each move, plain comments, and a board for custom starting positions. A
//! move is its place in a list of pseudo-legal moves ([`moves`]).
//!
//! | in the file | in the game |
//! |---|---|
//! | player text | `White`, `Black` |
//! | source text | `Event`, `Round`, `Annotator`; `Site` is `?` |
//! | year | `Date` |
//! | result | `Result`; a symbol instead of a result is the tag `CbfResult`, a byte that is none of ours `CbfResultByte` |
//! | Elo | `WhiteElo`, `BlackElo` |
//! | ECO main and sub-code | `ECO` (`B33/10`); numbers that are no code are the tag `CbfEco` |
//! | deleted, marked | `D` and `U` in `ScidFlags` |
//! | version bit, checksum | the tag `CbfVersion`: 0 where the bit is not set, A where the checksum is the older one |
//! | set-ups that would be stored otherwise | the tag `CbfSetup` with their bytes |
//! | texts that joined names would not give back | the tags `CbfPlayers` and `CbfSource` |
//! | the three symbols of a move | NAGs; codes that they do not give back are the extension `cbf.symbols` |
//! | the record after all others | a comment before the first move |
//! | moves that cannot be played | the extension `cbf.moves` |

pub mod charset;
pub mod codes;
pub mod comments;
mod encode;
mod facts;
pub mod layout;
pub mod losses;
pub mod moves;
mod reader;
mod record;
mod salvage;
mod tag_names;
pub mod text;
mod writer;

pub use charset::DEFAULT_CHARSET;
pub use reader::CbfReader;
pub use tag_names::{
    ECO_TAG, PLAYERS_TAG, RESULT_BYTE_TAG, RESULT_TAG, SETUP_TAG, SOURCE_TAG, VERSION_TAG,
};
pub use writer::CbfWriter;

use std::path::Path;

use tabiya_model::{Database, Result, Sink};

use layout::{CbfChecksum, CbfHeader, HEADER_BYTES};
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};

/// ChessBase for DOS.
pub static FORMAT: Format = Format {
    name: "cbf",
    title: "ChessBase for DOS (CBF/CBI)",
    extensions: &["cbf", "cbi"],
    companions: &["cbi"],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Full,
        edit: true,
        repair: true,
        any_tag: false,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: false,
        null_moves: false,
        raw_movetext: false,
        deleted: true,
    },
    identify,
    open: Some(open),
    stream: None,
    create: Some(create),
    salvage: Some(salvage_games),
    edit: Some(|path, options| tabiya_codec::edit::rewrite::open(&FORMAT, path, options)),
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "Read as by the only public decoder, written byte for byte as by an independent writer; no file of the \
            original programs was available. Comments follow moves, dates have only years, Elo has steps of five.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let reader = CbfReader::open(path, options)?;
    reader.refuse_noise()?;
    Ok(Box::new(reader))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    Ok(Box::new(CbfWriter::create(path, options)?))
}

fn salvage_games(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CbfReader::salvage(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        return ProbeAnswer::No;
    }
    match probe.extension {
        "cbi" => ProbeAnswer::Yes,
        "cbf" => match probe.head.first_chunk::<HEADER_BYTES>() {
            Some(bytes) if CbfHeader::decrypt(*bytes).checksum() != CbfChecksum::Wrong => {
                ProbeAnswer::Yes
            }
            _ => ProbeAnswer::Maybe,
        },
        _ => ProbeAnswer::No,
    }
}
