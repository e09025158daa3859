//! Lists of games on standard output: a table for people, JSON, or comma-separated values.

use std::io::{self, IsTerminal, Write};

use tabiya::list::{Entry, csv_cells};
use tabiya_formats::csv::GAME_COLUMNS;
use tabiya_model::cells::guarded;
use tabiya_model::outcome::Outcome;

use super::output::{self, Stdout, printable};
use super::table::{Column, Table};

/// How games are listed.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    Table,
    Json,
    Csv,
    /// For spreadsheets.
    GuardedCsv,
}

impl Form {
    pub(crate) fn of(json: bool, csv: bool, is_guarded: bool) -> Form {
        match (json, csv) {
            (true, _) => Form::Json,
            (_, true) if is_guarded => Form::GuardedCsv,
            (_, true) => Form::Csv,
            _ => Form::Table,
        }
    }

    /// Whether the number of half-moves is shown: the table for people has no room for it.
    pub(crate) fn shows_plies(self) -> bool {
        self != Form::Table
    }
}

/// Lines that are shown at once as they come; later ones wait until there are more.
const PROMPT: u64 = 200;

/// A list that grows.
pub(crate) struct List {
    out: Out,
    /// The names of the bases, where they are told.
    names: Vec<String>,
    has_plies: bool,
    is_guarded: bool,
    shown: u64,
}

enum Out {
    Table(Table),
    Json(Stdout),
    Csv(Stdout),
}

/// What stands beside a game in the list of a search.
#[derive(Copy, Clone, Default)]
pub(crate) struct Beside {
    /// Which of the bases it is in.
    pub(crate) base: usize,
    /// The ply at which the query holds.
    pub(crate) ply: Option<u32>,
}

impl List {
    /// An empty list. Plies are those of hits.
    pub(crate) fn new(form: Form, names: Vec<String>, has_plies: bool) -> List {
        let out = match form {
            Form::Table => Out::Table(Table::new(columns(&names))),
            Form::Json => Out::Json(output::stdout_of(true)),
            Form::Csv | Form::GuardedCsv => Out::Csv(output::stdout()),
        };
        List {
            out,
            names,
            has_plies,
            is_guarded: form == Form::GuardedCsv,
            shown: 0,
        }
    }

    /// Adds a game.
    pub(crate) fn game(&mut self, entry: &Entry, beside: Beside) -> io::Result<()> {
        let name = self.names.get(beside.base).map_or("", String::as_str);
        match &mut self.out {
            Out::Table(table) => {
                let ply = beside.ply.map(|ply| ply.to_string()).unwrap_or_default();
                table.row(cells(entry, ply, name))?;
            }
            Out::Json(out) | Out::Csv(out) if self.has_plies => {
                let mut json = entry.json();
                if let Some(object) = json.as_object_mut() {
                    object.insert("base".to_owned(), name.into());
                    object.insert("ply".to_owned(), beside.ply.into());
                }
                if matches!(self.out, Out::Json(_)) {
                    self.line(&json.to_string())?;
                } else {
                    if self.shown == 0 {
                        self.line(&format!("base,{},ply", GAME_COLUMNS.join(",")))?;
                    }
                    let columns = std::iter::once("base").chain(GAME_COLUMNS).chain(["ply"]);
                    self.line(&csv_cells(&json, columns).join(","))?;
                }
            }
            Out::Json(_) => self.line(&entry.json().to_string())?,
            Out::Csv(_) => {
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
        if let Out::Json(out) | Out::Csv(out) = &mut self.out {
            if self.is_guarded {
                out.write_all(&guarded(line.as_bytes()))?;
                writeln!(out)?;
            } else {
                writeln!(out, "{line}")?;
            }
            // What reads us may want to begin.
            if self.shown < PROMPT && !io::stdout().is_terminal() {
                out.flush()?;
            }
        }
        Ok(())
    }

    /// Waits until everything is written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if matches!(self.out, Out::Csv(_)) && self.shown == 0 {
            let columns = GAME_COLUMNS.join(",");
            self.line(&if self.has_plies {
                format!("base,{columns},ply")
            } else {
                columns
            })?;
        }
        match self.out {
            Out::Table(mut table) => table.finish(),
            Out::Json(mut out) | Out::Csv(mut out) => out.flush(),
        }
    }
}

fn columns(names: &[String]) -> Vec<Column> {
    let width = names.iter().map(|name| name.chars().count()).max();
    vec![
        Column::fixed("ply", 5).right(),
        Column::fixed("number", 8),
        Column::text("White", 24),
        Column::fixed("Elo", 4),
        Column::text("Black", 24),
        Column::fixed("Elo", 4),
        Column::fixed("", 3),
        Column::fixed("date", 10),
        Column::fixed("ECO", 4),
        Column::text("event", 32),
        Column::text("base", width.unwrap_or(0).max(8)),
    ]
}

fn cells(entry: &Entry, ply: String, name: &str) -> Vec<String> {
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
