//! FBK: the opening books of ChessBase for DOS.
//!
//! Two bytes per move: from and to, each with flags. The only description of the format allows two readings, and no file of
//! the original programs was available, so both are tried ([`FbkStructure`]); `docs/formats/chessbase-dos.md` describes how.
//! Read as a database, each line of the book is a game; weak moves have `$2`. [`FbkReader::tree`] returns the whole tree.

pub mod codes;
pub mod layout;
mod reader;
mod writer;

pub use reader::{FbkBook, FbkReader, FbkStructure, decode};
pub use writer::{FbkWriter, encode_tree};

use std::path::Path;

use tabiya_model::{Database, Result, Sink};

use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};

/// ChessBase's opening books.
pub static FORMAT: Format = Format {
    name: "fbk",
    title: "ChessBase opening book (FBK)",
    extensions: &["fbk"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Experimental,
        write: FormatSupport::Experimental,
        edit: false,
        repair: false,
        any_tag: false,
        variations: true,
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
    notes: "From the description alone: it allows two readings, and the moves of the file decide. Written as a tree.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(FbkReader::open(path, options)?))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    Ok(Box::new(FbkWriter::create(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder || probe.extension != "fbk" {
        return ProbeAnswer::No;
    }
    match probe.head {
        [a, b, ..] if reader::is_first_move([*a, *b]) => ProbeAnswer::Yes,
        _ => ProbeAnswer::Maybe,
    }
}
