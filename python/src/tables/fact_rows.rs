//! Rows of games from facts: the data of an index about games, without reading them. If a fact is missing, the game is read.

use std::borrow::Cow;
use std::fmt::Write as _;

use shakmaty::Color;
use tabiya::Base;
use tabiya::formats::parquet::{ParquetColumnBuffer, day_number};
use tabiya::model::date::Date;
use tabiya::model::facts::{FactFields, FactSource, GameFacts, NameTable};
use tabiya::model::outcome::Outcome;
use tabiya::model::{Database, Game, GameNeeds, Result};
use tabiya_columns::{CellValue, ColumnData};

use super::fields::{TableColumns, TableKind};

/// The fields whose tags may be spelled in other words than the index has for them.
const SPELLED: FactFields = FactFields::DATE
    .union(FactFields::ECO)
    .union(FactFields::EVENT_DATE);

/// A column that facts can fill.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum FactColumn {
    Game,
    White,
    Black,
    Event,
    Site,
    Round,
    Date,
    EventDate,
    Result,
    Eco,
    Flags,
    WhiteElo,
    BlackElo,
    Year,
    Month,
    Day,
    Played,
    Score,
    Plies,
    /// Tags that games from the normal starting position do not have.
    Start,
}

impl FactColumn {
    fn of(name: &str) -> Option<FactColumn> {
        Some(match name {
            "game" => FactColumn::Game,
            "white" => FactColumn::White,
            "black" => FactColumn::Black,
            "event" => FactColumn::Event,
            "site" => FactColumn::Site,
            "round" => FactColumn::Round,
            "date" => FactColumn::Date,
            "event_date" => FactColumn::EventDate,
            "result" => FactColumn::Result,
            "eco" => FactColumn::Eco,
            "flags" => FactColumn::Flags,
            "white_elo" => FactColumn::WhiteElo,
            "black_elo" => FactColumn::BlackElo,
            "year" => FactColumn::Year,
            "month" => FactColumn::Month,
            "day" => FactColumn::Day,
            "played" => FactColumn::Played,
            "score" => FactColumn::Score,
            "plies" => FactColumn::Plies,
            "setup" | "fen" => FactColumn::Start,
            _ => return None,
        })
    }

    fn fields(self) -> FactFields {
        match self {
            FactColumn::Game => FactFields::NONE,
            FactColumn::White => FactFields::WHITE,
            FactColumn::Black => FactFields::BLACK,
            FactColumn::Event => FactFields::EVENT,
            FactColumn::Site => FactFields::SITE,
            FactColumn::Round => FactFields::ROUND,
            FactColumn::Date
            | FactColumn::Year
            | FactColumn::Month
            | FactColumn::Day
            | FactColumn::Played => FactFields::DATE,
            FactColumn::EventDate => FactFields::EVENT_DATE,
            FactColumn::Result | FactColumn::Score => FactFields::OUTCOME,
            FactColumn::Eco => FactFields::ECO,
            FactColumn::WhiteElo | FactColumn::BlackElo => FactFields::ELOS,
            FactColumn::Plies => FactFields::PLIES,
            FactColumn::Flags | FactColumn::Start => FactFields::FLAGS,
        }
    }

    /// The name in the facts of a game, of the columns of names.
    fn name(self, fact: &GameFacts) -> Option<(NameTable, u32)> {
        Some(match self {
            FactColumn::White => (NameTable::Players, fact.players[0]),
            FactColumn::Black => (NameTable::Players, fact.players[1]),
            FactColumn::Event => (NameTable::Events, fact.event),
            FactColumn::Site => (NameTable::Sites, fact.site),
            FactColumn::Round => (NameTable::Rounds, fact.round),
            _ => return None,
        })
    }
}

/// A base whose index fills all columns of a table.
pub(super) struct FactRows<'b> {
    database: &'b dyn Database,
    facts: &'b dyn FactSource,
    columns: Vec<FactColumn>,
    fields: FactFields,
    buffer: ParquetColumnBuffer,
    needs: GameNeeds,
    game: Game,
    text: String,
}

impl<'b> FactRows<'b> {
    /// Nothing where the format has no index of its own, or a column is in no index.
    pub(super) fn new(base: &'b Base, columns: &TableColumns) -> Option<FactRows<'b>> {
        if columns.kind != TableKind::Games || !base.finds_games() {
            return None;
        }
        let database = base.database()?;
        // An index beside a database does not tell an empty tag from one that is missing, nor how a result was spelled.
        let facts = database.facts().filter(|facts| facts.is_index())?;
        let names = columns.names().into_iter();
        let of_facts: Vec<FactColumn> = names.map(FactColumn::of).collect::<Option<_>>()?;
        let buffer = ParquetColumnBuffer::new(&columns.wanted);
        Some(FactRows {
            database,
            facts,
            fields: (of_facts.iter()).fold(FactFields::NONE, |all, it| all.union(it.fields())),
            columns: of_facts,
            needs: buffer.needs(false),
            buffer,
            game: Game::default(),
            text: String::new(),
        })
    }

    /// How many games there are.
    pub(super) fn games(&self) -> u64 {
        self.facts.len()
    }

    fn has(&self, column: FactColumn) -> bool {
        self.columns.contains(&column)
    }

    /// Whether the facts say all that the columns hold of a game, in the very words of its tags.
    fn answers(&self, number: u64, fact: &GameFacts) -> bool {
        let fields = self.fields;
        if fact.unsaid.meets(fields) {
            return false;
        }
        let more = |of: FactFields| self.facts.has_more_tags(number, of);
        let is_open =
            |field: FactFields, is_empty: bool| fields.meets(field) && is_empty && more(field);
        let spelled = fields.intersection(SPELLED);
        let spells = |of: FactFields| self.facts.spells_otherwise(number, of);
        if fields.meets(FactFields::PLIES) && fact.plies.is_none()
            || fact.odd.meets(fields)
            || is_open(FactFields::ELOS, fact.elos.contains(&0))
            || is_open(FactFields::ECO, fact.eco == 0)
            || is_open(FactFields::EVENT_DATE, fact.event_date.is_none())
            || !spelled.is_empty() && spells(spelled)
            // The tag may name another result than the end of the game, which counts where the tag says nothing.
            || fields.meets(FactFields::OUTCOME) && spells(FactFields::OUTCOME)
        {
            return false;
        }
        let asks_start = self.has(FactColumn::Start);
        if asks_start && fact.is_setup()
            || (asks_start || self.has(FactColumn::Flags)) && more(FactFields::FLAGS)
        {
            return false;
        }
        // Of a name that is nothing it is unknown whether there is a tag.
        let names = self.columns.iter().filter_map(|column| column.name(fact));
        let mut names = names.map(|(table, name)| self.facts.name(table, name));
        names.all(|name| !name.is_empty())
    }

    /// Adds a game by its number.
    fn push(&mut self, number: u64) -> Result<()> {
        let fact = self.facts.fact(number, self.fields);
        match fact.filter(|fact| self.answers(number, fact)) {
            Some(fact) => {
                let (columns, facts, text) = (&self.columns, self.facts, &mut self.text);
                self.buffer.push_cells(|at, put| {
                    if let Some(column) = columns.get(at) {
                        show(*column, &fact, facts, text, put);
                    }
                });
            }
            None => {
                let game = &mut self.game;
                self.database.read(number, self.needs, game)?;
                self.buffer.push(game, None);
            }
        }
        Ok(())
    }

    /// The columns of some games.
    pub(super) fn columns(&mut self, numbers: &[u64]) -> Result<Vec<ColumnData>> {
        for number in numbers {
            self.push(*number)?;
        }
        Ok(self.buffer.take())
    }
}

/// Shows what a cell holds; nothing where it is empty.
fn show(
    column: FactColumn,
    fact: &GameFacts,
    facts: &dyn FactSource,
    text: &mut String,
    put: &mut dyn FnMut(CellValue<'_>),
) {
    if let Some((table, name)) = column.name(fact) {
        let name: Cow<'_, str> = facts.name(table, name);
        return put(CellValue::Bytes(name.as_bytes()));
    }
    text.clear();
    let number = match column {
        FactColumn::Date => {
            write_date(fact.date, text);
            None
        }
        FactColumn::EventDate => {
            if let Some(date) = fact.event_date {
                write_date(date, text);
            }
            None
        }
        FactColumn::Result => {
            text.push_str(fact.outcome.as_pgn());
            None
        }
        FactColumn::Eco => {
            if let Some(code) = fact.eco_code() {
                let _ = write!(text, "{code}");
            }
            None
        }
        FactColumn::Flags => {
            text.push_str(&fact.flag_letters());
            None
        }
        FactColumn::WhiteElo | FactColumn::BlackElo => {
            let [white, black] = fact.elos;
            let color = match column {
                FactColumn::WhiteElo => Color::White,
                _ => Color::Black,
            };
            Some(i64::from(color.fold_wb(white, black))).filter(|elo| *elo != 0)
        }
        FactColumn::Year => fact.date.year.map(i64::from),
        FactColumn::Month => fact.date.month.map(i64::from),
        FactColumn::Day => fact.date.day.map(i64::from),
        FactColumn::Played => day_number(fact.date),
        FactColumn::Plies => fact.plies.map(i64::from),
        FactColumn::Score => {
            return match fact.outcome {
                Outcome::WhiteWins => put(CellValue::Real(1.0)),
                Outcome::Draw => put(CellValue::Real(0.5)),
                Outcome::BlackWins => put(CellValue::Real(0.0)),
                Outcome::Unknown => {}
            };
        }
        // The number of the game is known to who takes the rows.
        _ => None,
    };
    if let Some(number) = number {
        put(CellValue::Int(number));
    } else if !text.is_empty() {
        put(CellValue::Bytes(text.as_bytes()));
    }
}

/// Writes a date as PGN does: the digits of a full one come without the machinery of formats.
fn write_date(date: Date, text: &mut String) {
    let (Some(year @ 0..=9999), Some(month @ 0..=99), Some(day @ 0..=99)) =
        (date.year, date.month, date.day)
    else {
        let _ = write!(text, "{date}");
        return;
    };
    let digits = |number: u16, text: &mut String| {
        for digit in [number / 10 % 10, number % 10] {
            text.push(char::from_digit(u32::from(digit), 10).unwrap_or('?'));
        }
    };
    digits(year / 100, text);
    digits(year, text);
    for part in [month, day] {
        text.push('.');
        digits(u16::from(part), text);
    }
}
