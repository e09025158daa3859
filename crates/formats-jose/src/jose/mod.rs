//! jose: games in MySQL tables, as archives, folders, dumps and rows of a server.
//!
//! A game is a row of numbers and short texts, a byte string with its moves ([`moves`]) and a text with its comments. Its
//! players, event, site and opening are ids in other tables.
//!
//! * The **live database** is a folder of MyISAM tables ([`myisam`]): `Game` and `MoreGame` hold the
//!   two halves of each game.
//! * An **archive** (`.jose`) is a tar or zip file of such tables, compressed with gzip or with bzip2
//!   whose first two bytes are missing; `IO_Game` holds whole games.
//! * A **dump** ([`dump`]) is SQL text of the live tables.
//! * A **server** sends the same rows; its client is in a crate of its own.
//!
//! All rows become a [`layout::JoseGameRow`], regardless of their origin, and [`record`] makes a game of it.
//! `docs/formats/jose.md` describes all this in full.

pub mod codes;
pub mod dump;
pub mod dump_database;
pub mod encode;
mod facts;
pub mod index;
pub mod layout;
pub mod losses;
pub mod moves;
pub mod myisam;
pub mod myisam_database;
pub mod names;
mod open;
pub mod reader;
pub mod record;
pub mod row;
pub mod row_lines;
pub mod schema;
pub mod temporary_rows;
pub mod text;
pub mod writer;

use tabiya_codec::format::{Format, FormatCapabilities, FormatSupport};

/// jose.
pub static FORMAT: Format = Format {
    name: "jose",
    title: "jose",
    extensions: &["sql", "jose"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Full,
        edit: true,
        repair: false,
        any_tag: true,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: true,
        null_moves: true,
        raw_movetext: false,
        deleted: true,
    },
    identify: open::identify,
    open: Some(open::open),
    stream: Some(open::stream),
    create: Some(writer::create),
    salvage: None,
    edit: Some(|path, options| tabiya_codec::edit::rewrite::open(&FORMAT, path, options)),
    open_options: record::OPTIONS,
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "read from archives, folders of MyISAM tables, SQL dumps and servers; checked against a real archive and jose's own encoder",
};

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
