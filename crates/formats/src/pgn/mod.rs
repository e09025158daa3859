//! PGN: portable game notation, as people write it and as the export format wants it.

mod asked;
mod block;
mod blocks;
pub mod codes;
mod database;
mod eight;
mod encode;
pub mod laws;
mod lexer;
mod lines;
pub mod losses;
mod marks;
mod pieces;
mod places;
mod quick;
mod raw;
mod reader;
mod settings;
mod skim;
mod style;
mod tag_section;
mod tags;
#[cfg(test)]
mod tests;
mod utf16;
mod wild;
mod writer;

pub use asked::{reading, translate_marks};
pub use encode::GameWriter;
pub use pieces::Pieces;
pub use settings::{NESTED_COMMENTS, PIECE_LETTERS};
pub use style::{Marks, MoveStyle, PgnStyle, keep_tag_order};

/// The extension of a tape that a `%` line becomes.
pub const ESCAPE: &str = "pgn.escape";

use crate::format::{Capabilities, Format, Identity, Probe, Support};

/// PGN.
pub static FORMAT: Format = Format {
    name: "pgn",
    title: "PGN",
    extensions: &["pgn"],
    companions: &[],
    capabilities: Capabilities {
        read: Support::Full,
        write: Support::Full,
        edit: true,
        repair: false,
        any_tag: true,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: true,
        null_moves: true,
        raw_movetext: true,
        deleted: true,
    },
    identify,
    open: Some(database::open),
    stream: Some(database::stream),
    create: Some(writer::create),
    salvage: None,
    edit: Some(|path, options| crate::edit::splice::open(&FORMAT, path, options)),
    open_options: settings::OPTIONS,
    write_options: style::OPTIONS,
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "",
};

fn identify(probe: &Probe<'_>) -> Identity {
    if probe.is_folder {
        Identity::No
    } else if probe.extension == "pgn" {
        Identity::Yes
    } else if blocks::looks_like_pgn(probe.head) {
        Identity::Maybe
    } else {
        Identity::No
    }
}
