//! CTG: the opening books of ChessBase.
//!
//! Pages of positions, identified by their pieces and in no order; `docs/formats/books.md` describes every byte. The whole book
//! is read from the `.ctg` file alone, by following moves from the normal starting position: a position is stored as if White
//! were to move, so that only the way to it shows the side to move. Read as a database, each line without repeated positions is
//! a game, with the data of the book about a move in a comment.

mod book;
pub mod codes;
pub mod layout;
pub mod move_bytes;
pub mod position_key;
mod reader;

pub use book::CtgBook;
pub use reader::CtgReader;

use std::path::Path;

use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer,
};
use tabiya_model::{Database, Result};

/// ChessBase's opening books.
pub static FORMAT: Format = Format {
    name: "ctg",
    title: "ChessBase opening book (CTG)",
    extensions: &["ctg"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Experimental,
        write: FormatSupport::None,
        edit: false,
        repair: false,
        any_tag: false,
        variations: false,
        comments: false,
        nags: true,
        setups: false,
        chess960: false,
        null_moves: false,
        raw_movetext: false,
        deleted: false,
    },
    identify,
    open: Some(open),
    stream: None,
    create: None,
    salvage: None,
    edit: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: &[],
    notes: "Read, not written: positions with moves, annotation symbols, recommendations and results, followed from the normal \
            starting position. Compared with books that another program made from the description; which of two numbers counts \
            wins and which losses is not certain. The files .cto and .ctb are not needed.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CtgReader::open(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder || probe.extension != "ctg" {
        return ProbeAnswer::No;
    }
    match probe.head.starts_with(&layout::MARK) {
        true => ProbeAnswer::Yes,
        false => ProbeAnswer::Maybe,
    }
}
