//! PGN: portable game notation, as people write it and in the export format.

mod block;
mod block_start;
mod board_marks;
pub mod codes;
mod database;
mod encode;
pub mod laws;
mod lexer;
mod line_numbers;
mod line_wrapper;
pub mod losses;
mod nonstandard;
mod piece_letters;
mod quick_result;
mod quote;
mod raw_comment;
mod reader;
mod settings;
mod skim;
mod source;
mod style;
mod swar;
mod tag_names;
mod tag_section;
mod tags;
#[cfg(test)]
mod tests;
mod text_reader;
mod utf16;
mod verification;
mod writer;

pub use encode::PgnGameWriter;
pub use piece_letters::PieceLetters;
pub use settings::{NESTED_COMMENTS, PIECE_LETTERS};
pub use style::{BoardMarkStyle, PgnMoveStyle, PgnStyle, keep_tag_order};
pub use text_reader::PgnTextReader;
pub use verification::{reread_settings, translate_marks};

/// The tape extension for a `%` line.
pub const ESCAPE: &str = "pgn.escape";

use tabiya_codec::format::{Format, FormatCapabilities, FormatProbe, FormatSupport, ProbeAnswer};

/// PGN.
pub static FORMAT: Format = Format {
    name: "pgn",
    title: "PGN",
    extensions: &["pgn"],
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
        raw_movetext: true,
        deleted: true,
    },
    identify,
    open: Some(database::open),
    stream: Some(database::stream),
    create: Some(writer::create),
    salvage: None,
    edit: Some(|path, options| tabiya_codec::edit::splice::open(&FORMAT, path, options)),
    open_options: settings::OPTIONS,
    write_options: style::OPTIONS,
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "",
};

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        ProbeAnswer::No
    } else if probe.extension == "pgn" {
        ProbeAnswer::Yes
    } else if source::looks_like_pgn(probe.head) {
        ProbeAnswer::Maybe
    } else {
        ProbeAnswer::No
    }
}
