//! `tabiya ls`: games as a table.

use std::io::Write;
use std::ops::Range;

use anyhow::{Result, bail};
use serde_json::json;
use tabiya::Input;
use tabiya_formats::csv::GAME_COLUMNS;
use tabiya_model::database::for_each_game;
use tabiya_model::outcome::Outcome;
use tabiya_model::rows::Row;
use tabiya_model::{Game, Want};

use super::args::{LsArgs, ranges};
use super::exit::Exit;
use super::output::{self, Paint, printable};

/// One line of the list.
pub(super) struct Entry {
    pub(super) number: u64,
    white: String,
    white_elo: String,
    black: String,
    black_elo: String,
    result: Outcome,
    date: String,
    event: String,
    site: String,
    round: String,
    eco: String,
    plies: Option<u64>,
    deleted: bool,
}

impl Entry {
    pub(super) fn of_row(number: u64, row: &Row<'_>) -> Entry {
        let elo = |elo: Option<u16>| elo.map(|elo| elo.to_string()).unwrap_or_default();
        Entry {
            number,
            white: row.white.to_string(),
            white_elo: elo(row.white_elo),
            black: row.black.to_string(),
            black_elo: elo(row.black_elo),
            result: row.outcome.unwrap_or(Outcome::Unknown),
            date: row.date.map(|date| date.to_string()).unwrap_or_default(),
            event: row.event.to_string(),
            site: row.site.to_string(),
            round: row.round.to_string(),
            eco: row.eco.to_string(),
            plies: row.plies.map(u64::from),
            deleted: row.deleted,
        }
    }

    /// The entry of a game that was read as [`Form::want`] says.
    pub(super) fn of_game(game: &Game, form: &Form) -> Entry {
        let value = |name: &str| game.tags.value(name).to_owned();
        Entry {
            number: game.origin.number,
            white: value("White"),
            white_elo: value("WhiteElo"),
            black: value("Black"),
            black_elo: value("BlackElo"),
            result: game.result(),
            date: value("Date"),
            event: value("Event"),
            site: value("Site"),
            round: value("Round"),
            eco: value("ECO"),
            plies: form.shows_plies().then(|| game.tape.plies() as u64),
            deleted: game.is_deleted(),
        }
    }

    pub(super) fn json(&self) -> serde_json::Value {
        json!({
            "number": self.number,
            "white": self.white,
            "white_elo": self.white_elo.parse::<u32>().ok(),
            "black": self.black,
            "black_elo": self.black_elo.parse::<u32>().ok(),
            "result": self.result.as_pgn(),
            "date": self.date,
            "event": self.event,
            "site": self.site,
            "round": self.round,
            "eco": self.eco,
            "plies": self.plies,
            "deleted": self.deleted,
        })
    }
}

/// How entries are written.
pub(super) enum Form {
    Table(Paint),
    Json,
    Csv,
}

impl Form {
    /// Whether the number of half-moves is shown: the table for people has no room for it.
    fn shows_plies(&self) -> bool {
        matches!(self, Form::Json | Form::Csv)
    }

    /// What has to be read of a game.
    pub(super) fn want(&self) -> Want {
        if self.shows_plies() {
            Want {
                verify: false,
                ..Want::MAIN_LINE
            }
        } else {
            Want::TAGS
        }
    }
}

pub(crate) fn run(args: &LsArgs) -> Result<Exit> {
    let wanted = ranges(&args.games)?;
    let form = match (args.json, args.csv) {
        (true, _) => Form::Json,
        (_, true) => Form::Csv,
        _ => Form::Table(Paint::of_stdout()),
    };
    let mut out = output::stdout();
    heading(&mut out, &form)?;
    let mut any = false;
    for mut input in args.read.inputs().open(&args.source)? {
        any |= list(&mut input, &wanted, &mut out, &form)?;
    }
    out.flush()?;
    if !any && !wanted.is_empty() {
        bail!(
            "{}: there is no game of these numbers",
            args.source.display()
        );
    }
    Ok(Exit::Success)
}

fn list(
    input: &mut Input,
    wanted: &[Range<u64>],
    out: &mut impl Write,
    form: &Form,
) -> Result<bool> {
    let mut any = false;
    if let Some(database) = input.database()
        && let Some(rows) = database.rows()
    {
        let mut game = Game::default();
        let all = std::slice::from_ref(&(1..u64::MAX)).to_vec();
        for range in if wanted.is_empty() { &all } else { wanted } {
            for number in range.start..range.end.min(rows.len() + 1) {
                if let Some(row) = rows.row(number) {
                    any = true;
                    let mut entry = Entry::of_row(number, &row);
                    if entry.plies.is_none() && form.shows_plies() {
                        database.read(number, form.want(), &mut game)?;
                        entry.plies = Some(game.tape.plies() as u64);
                    }
                    line(out, form, &entry)?;
                }
            }
        }
        return Ok(any);
    }
    let last = wanted.iter().map(|range| range.end).max();
    let mut failed = None;
    let mut source = input.source()?;
    let walked = for_each_game(&mut *source, form.want(), |game| {
        let number = game.origin.number;
        if last.is_some_and(|last| number >= last) {
            // Nothing that is wanted follows; the error ends the walk and is not shown.
            return Err(tabiya_model::Error::new(
                tabiya_model::ErrorKind::Interrupted,
                "",
            ));
        }
        if wanted.is_empty() || wanted.iter().any(|range| range.contains(&number)) {
            any = true;
            if let Err(error) = line(out, form, &Entry::of_game(game, form)) {
                failed = Some(error);
                return Err(tabiya_model::Error::new(
                    tabiya_model::ErrorKind::Interrupted,
                    "",
                ));
            }
        }
        Ok(())
    });
    match (failed, walked) {
        (Some(error), _) => Err(error.into()),
        (None, Err(error)) if error.kind != tabiya_model::ErrorKind::Interrupted => {
            Err(error.into())
        }
        _ => Ok(any),
    }
}

pub(super) fn heading(out: &mut impl Write, form: &Form) -> std::io::Result<()> {
    match form {
        Form::Json => Ok(()),
        Form::Csv => writeln!(out, "{}", GAME_COLUMNS.join(",")),
        Form::Table(paint) => {
            let heading = table([
                "number", "White", "Elo", "Black", "Elo", "", "date", "ECO", "event",
            ]);
            writeln!(out, "{}", paint.bold(&heading))
        }
    }
}

pub(super) fn line(out: &mut impl Write, form: &Form, entry: &Entry) -> std::io::Result<()> {
    match form {
        Form::Json => writeln!(out, "{}", entry.json()),
        Form::Csv => {
            let json = entry.json();
            let cells: Vec<String> = GAME_COLUMNS
                .iter()
                .map(|column| csv_cell(&json[*column]))
                .collect();
            writeln!(out, "{}", cells.join(","))
        }
        Form::Table(_) => {
            let number = format!("{}{}", entry.number, if entry.deleted { " D" } else { "" });
            let result = match entry.result {
                Outcome::Draw => "½-½",
                other => other.as_pgn(),
            };
            let line = table([
                &number,
                &entry.white,
                &entry.white_elo,
                &entry.black,
                &entry.black_elo,
                result,
                &entry.date,
                &entry.eco,
                &entry.event,
            ]);
            writeln!(out, "{line}")
        }
    }
}

/// Lays out the columns of the table.
pub(super) fn table(cells: [&str; 9]) -> String {
    let widths = [8, 24, 4, 24, 4, 3, 10, 4, 32];
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let cell = cut(&printable(cell), width);
        line.push_str(&format!("{cell:<width$}  "));
    }
    line.truncate(line.trim_end().len());
    line
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// A value as a cell of comma-separated values.
pub(super) fn csv_cell(value: &serde_json::Value) -> String {
    let text = match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
