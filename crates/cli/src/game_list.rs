//! Lists of games on standard output: a table for people, JSON, or comma-separated values.

use std::io::{self, Write};

use tabiya::list::{GameListRow, csv_cells};
use tabiya_answers::{Answer, MatchRowAnswer};
use tabiya_formats::csv::GAME_COLUMNS;
use tabiya_model::csv_cells::guarded;
use tabiya_model::outcome::Outcome;

use super::output::{self, Stdout, printable};
use super::table::{TextTable, TextTableColumn};

/// How games are listed.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum GameListFormat {
    Table,
    Json,
    Csv,
    /// For spreadsheets.
    GuardedCsv,
}

impl GameListFormat {
    pub(crate) fn of(json: bool, csv: bool, is_guarded: bool) -> GameListFormat {
        match (json, csv) {
            (true, _) => GameListFormat::Json,
            (_, true) if is_guarded => GameListFormat::GuardedCsv,
            (_, true) => GameListFormat::Csv,
            _ => GameListFormat::Table,
        }
    }

    /// Whether the number of plies is shown: the table for people has no room for it.
    pub(crate) fn shows_plies(self) -> bool {
        self != GameListFormat::Table
    }
}

/// Lines that are shown at once as they come; later ones wait until there are more.
const PROMPT: u64 = 200;

/// A list that grows.
pub(crate) struct GameListPrinter {
    out: GameListOutput,
    /// The names of the bases, if they are shown.
    names: Vec<String>,
    has_plies: bool,
    is_guarded: bool,
    shown: u64,
}

enum GameListOutput {
    Table(TextTable),
    Json(Stdout),
    Csv(Stdout),
}

/// The place of a game in the list of a search.
#[derive(Copy, Clone, Default)]
pub(crate) struct MatchPlace {
    /// Which of the bases it is in.
    pub(crate) base: usize,
    /// The ply at which the query holds.
    pub(crate) ply: Option<u32>,
}

impl GameListPrinter {
    /// An empty list. Plies are those of hits.
    pub(crate) fn new(
        form: GameListFormat,
        names: Vec<String>,
        has_plies: bool,
    ) -> GameListPrinter {
        let out = match form {
            GameListFormat::Table => GameListOutput::Table(TextTable::new(columns(&names))),
            GameListFormat::Json => GameListOutput::Json(output::stdout_of(true)),
            GameListFormat::Csv | GameListFormat::GuardedCsv => {
                GameListOutput::Csv(output::stdout())
            }
        };
        GameListPrinter {
            out,
            names,
            has_plies,
            is_guarded: form == GameListFormat::GuardedCsv,
            shown: 0,
        }
    }

    /// Adds a game.
    pub(crate) fn game(&mut self, entry: &GameListRow, beside: MatchPlace) -> io::Result<()> {
        let name = self.names.get(beside.base).map_or("", String::as_str);
        match &mut self.out {
            GameListOutput::Table(table) => {
                let ply = beside.ply.map(|ply| ply.to_string()).unwrap_or_default();
                table.row(cells(entry, ply, name))?;
            }
            GameListOutput::Json(out) | GameListOutput::Csv(out) if self.has_plies => {
                let row = MatchRowAnswer {
                    game: entry.answer(),
                    base: name.into(),
                    ply: beside.ply,
                };
                let json = row.json();
                if matches!(self.out, GameListOutput::Json(_)) {
                    self.line(&json.to_string())?;
                } else {
                    if self.shown == 0 {
                        self.line(&format!("base,{},ply", GAME_COLUMNS.join(",")))?;
                    }
                    let columns = std::iter::once("base").chain(GAME_COLUMNS).chain(["ply"]);
                    self.line(&csv_cells(&json, columns).join(","))?;
                }
            }
            GameListOutput::Json(_) => self.line(&entry.answer().json().to_string())?,
            GameListOutput::Csv(_) => {
                if self.shown == 0 {
                    self.line(&GAME_COLUMNS.join(","))?;
                }
                self.line(&entry.csv().join(","))?;
            }
        }
        self.shown += 1;
        Ok(())
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        if let GameListOutput::Json(out) | GameListOutput::Csv(out) = &mut self.out {
            if self.is_guarded {
                out.write_all(&guarded(line.as_bytes()))?;
                writeln!(out)?;
            } else {
                writeln!(out, "{line}")?;
            }
            // The reader of our output may want to begin.
            if self.shown < PROMPT && !super::pager::is_terminal() {
                out.flush()?;
            }
        }
        Ok(())
    }

    /// Waits until everything is written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if matches!(self.out, GameListOutput::Csv(_)) && self.shown == 0 {
            let columns = GAME_COLUMNS.join(",");
            self.line(&if self.has_plies {
                format!("base,{columns},ply")
            } else {
                columns
            })?;
        }
        match self.out {
            GameListOutput::Table(mut table) => table.finish(),
            GameListOutput::Json(mut out) | GameListOutput::Csv(mut out) => out.flush(),
        }
    }
}

fn columns(names: &[String]) -> Vec<TextTableColumn> {
    let width = names.iter().map(|name| name.chars().count()).max();
    vec![
        TextTableColumn::fixed("ply", 5).right(),
        TextTableColumn::fixed("number", 8),
        TextTableColumn::text("White", 24),
        TextTableColumn::fixed("Elo", 4),
        TextTableColumn::text("Black", 24),
        TextTableColumn::fixed("Elo", 4),
        TextTableColumn::fixed("", 3),
        TextTableColumn::fixed("date", 10),
        TextTableColumn::fixed("ECO", 4),
        TextTableColumn::text("event", 32),
        TextTableColumn::text("base", width.unwrap_or(0).max(8)),
    ]
}

fn cells(entry: &GameListRow, ply: String, name: &str) -> Vec<String> {
    let known = |text: &str| match text {
        "?" | "????.??.??" => String::new(),
        text => printable(text).into_owned(),
    };
    let result = match entry.result {
        Outcome::Draw => "½-½",
        other => other.as_pgn(),
    };
    vec![
        ply,
        format!("{}{}", entry.number, if entry.deleted { " D" } else { "" }),
        entry.white.clone(),
        entry.white_elo.clone(),
        entry.black.clone(),
        entry.black_elo.clone(),
        result.to_owned(),
        known(&entry.date),
        entry.eco.clone(),
        known(&entry.event),
        name.to_owned(),
    ]
}
