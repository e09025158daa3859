//! CSV: tables for spreadsheets and statistics, written only.
//!
//! Two forms, each a format with its own name: `csv` has one row per game with the columns of `tabiya ls --csv`,
//! `csv-plies` one row per ply of the main line. A table cannot hold a game: everything left out is a loss, reported
//! once for each game and kind.
//!
//! Cells are UTF-8, separated by commas; a cell with a comma, a quote or a line end is in quotes, and quotes within it are
//! doubled. Lines end with a line feed, the first one has the names of the columns. Texts are written unchanged unless
//! guarded ones are requested ([`CELLS`]): a spreadsheet takes a text that begins with `=` for a formula.

mod layout;
pub mod losses;
mod writer;

pub use writer::{CsvGameTable, CsvPlyTable};

use tabiya_codec::format::{
    CreateFn, Format, FormatCapabilities, FormatProbe, FormatSupport, ProbeAnswer,
};
use tabiya_codec::options::{FormatOption, OptionArgument};

/// The columns of the table of games.
pub const GAME_COLUMNS: [&str; 13] = [
    "number",
    "white",
    "white_elo",
    "black",
    "black_elo",
    "result",
    "date",
    "event",
    "site",
    "round",
    "eco",
    "plies",
    "deleted",
];

/// The columns of the table of plies.
pub const PLY_COLUMNS: [&str; 15] = [
    "game", "ply", "move", "side", "san", "uci", "nags", "clk", "emt", "eval", "mate", "depth",
    "text", "comment", "fen",
];

const OPTIONS: &[FormatOption] = &[FormatOption::new(
    "cells",
    OptionArgument::OneOf(&[
        (
            "plain",
            "text unchanged: a spreadsheet may take it for a formula and run it",
        ),
        (
            "guarded",
            "an apostrophe before each text that a spreadsheet would take for a formula",
        ),
    ]),
    "How to write text that begins with = + - @",
)];

/// The option for the form of the cells.
pub const CELLS: &FormatOption = &OPTIONS[0];

/// The word for cells that spreadsheets do not take for formulas.
pub const GUARDED: &str = "guarded";

/// Tables are only written, whatever their columns.
const fn table(
    name: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    identify: fn(&FormatProbe<'_>) -> ProbeAnswer,
    create: CreateFn,
    notes: &'static str,
) -> Format {
    Format {
        name,
        title,
        extensions,
        companions: &[],
        capabilities: FormatCapabilities {
            read: FormatSupport::None,
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
            deleted: true,
        },
        identify,
        open: None,
        stream: None,
        create: Some(create),
        salvage: None,
        edit: None,
        open_options: &[],
        write_options: OPTIONS,
        codes: &[],
        losses: losses::LOSSES,
        notes,
    }
}

/// CSV, one row a game.
pub static GAMES: Format = table(
    "csv",
    "CSV",
    &["csv"],
    |probe| identify(probe, &GAME_COLUMNS),
    writer::create_games,
    "one row per game; for statistics, cannot be read back",
);

/// CSV, one row a ply.
pub static PLIES: Format = table(
    "csv-plies",
    "CSV of plies",
    &[],
    |probe| identify(probe, &PLY_COLUMNS),
    writer::create_plies,
    "one row per ply of the main line; for statistics, cannot be read back",
);

/// A table of ours is recognised by the names of its columns.
fn identify(probe: &FormatProbe<'_>, columns: &[&str]) -> ProbeAnswer {
    let mut heading = columns.join(",").into_bytes();
    heading.push(b'\n');
    if !probe.is_folder && probe.head.starts_with(&heading) {
        ProbeAnswer::Yes
    } else {
        ProbeAnswer::No
    }
}
