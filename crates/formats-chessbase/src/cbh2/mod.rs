//! ChessBase since version 17: the databases of `.2cbh` and its companions.
//!
//! `docs/formats/chessbase-2cbh.md` describes every byte, and how it is known: no database written by the program itself was
//! available. A database is a set of files with one name:
//!
//! * `.2cbh` holds 192 bytes for each game, guiding text or analysis ([`layout`]), with numbers and offsets that lead to
//! * `.2lid`: players, tournaments, sources, teams and titles in one file ([`entities`]),
//! * `.2cbg`: moves as numbers of all moves that a piece can make ([`move_words`], [`moves`]), and bodies of texts,
//! * `.2cba`: annotations of two dozen types at the moves that they belong to ([`mod@annotations`]),
//! * `.2lgd` and `.2lcd`: games and orders of names, which are derived from the others, written with them, and only read by a
//!   check.
//!
//! The content of a game has the names of the older format of the program ([`crate::cbh`]).

mod annotated_moves;
pub mod annotations;
mod audit;
mod base;
pub mod codes;
mod encode;
pub mod entities;
mod facts;
pub mod layout;
pub mod losses;
pub mod move_words;
pub mod moves;
mod name_roles;
mod positions;
mod reader;
pub mod record;
mod salvage;
mod scratch;
pub mod start;
pub mod tags;
pub mod text;
mod writer;

pub use self::base::Cbh2Reader;

use std::path::Path;

use tabiya_model::{Database, Result, Sink};

use layout::{Cbh2FileHeader, DATA_HEADER};
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};

/// ChessBase 17 and later.
pub static FORMAT: Format = Format {
    name: "2cbh",
    title: "ChessBase 17 and later (2CBH)",
    extensions: &["2cbh", "2cbg"],
    companions: &["2cbg", "2cba", "2lid", "2lgd", "2lcd", "ini"],
    capabilities: FormatCapabilities {
        read: FormatSupport::Experimental,
        write: FormatSupport::Experimental,
        edit: false,
        repair: true,
        any_tag: false,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: true,
        null_moves: true,
        raw_movetext: false,
        deleted: true,
    },
    identify,
    open: Some(open),
    stream: None,
    create: Some(create),
    salvage: Some(salvage),
    edit: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "Not edited in place; repaired into another database. No database written by ChessBase was available: everything \
            follows a description, and was compared with databases that another program made from it; written databases were \
            read by a second decoder, and not opened with ChessBase. Points that the description leaves open are reported. Text is UTF-8 or Windows-1252; {encoding} selects another code page. Sounds, \
            pictures and correspondence data were never seen; reading the annotations of a game stops there, and the rest is \
            kept as raw bytes.",
};

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(Cbh2Reader::open(path, options)?))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    writer::create(path, options)
}

fn salvage(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(Cbh2Reader::salvage(path, options)?))
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        return ProbeAnswer::No;
    }
    match probe.extension {
        "2cbh" => match Cbh2FileHeader::decode(probe.head) {
            Some(header) if header.is_known() => ProbeAnswer::Yes,
            _ => ProbeAnswer::Maybe,
        },
        // The size of its header stands behind that of the file.
        "2cbg" => match probe.head.get(8..10) {
            Some(size) if size == [DATA_HEADER.to_le_bytes()[0], 0] => ProbeAnswer::Yes,
            _ => ProbeAnswer::Maybe,
        },
        // Without its name the other files are not found.
        _ => ProbeAnswer::No,
    }
}
