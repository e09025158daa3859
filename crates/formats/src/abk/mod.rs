//! ABK: the opening books of Arena.
//!
//! Entries of 28 bytes: the first 900 are the header and the others a tree, in which each move refers to its first reply and
//! its next alternative. `docs/formats/books.md` describes every byte. Read as a database, each line of the book is a game,
//! with the data of the book about a move in a comment.

pub mod codes;
pub mod layout;
mod reader;
mod writer;

pub use reader::{AbkReader, decode};
pub use writer::{AbkWriter, encode_tree};

use std::path::Path;

use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};
use tabiya_model::{Database, Result, Sink};

/// Arena's opening books.
pub static FORMAT: Format = Format {
    name: "abk",
    title: "Arena opening book (ABK)",
    extensions: &["abk"],
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
    notes: "Lines from the normal starting position with priorities, games and results. No book written by Arena was \
            available: compared with books that another program made from the description.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(AbkReader::open(path, options)?))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    Ok(Box::new(AbkWriter::create(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder || probe.extension != "abk" {
        return ProbeAnswer::No;
    }
    match probe.head.starts_with(&layout::MARK) {
        true => ProbeAnswer::Yes,
        false => ProbeAnswer::Maybe,
    }
}
