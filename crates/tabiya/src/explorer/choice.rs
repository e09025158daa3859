//! Which games of the bases count.

use std::ops::Range;

use shakmaty::Color;
use tabiya_explore::Indexed;
use tabiya_explore::explorer::Asked;
use tabiya_explore::index::Index;
use tabiya_model::date::Date;
use tabiya_model::facts::Fields;
use tabiya_model::{Control, Database, Error, Result};
use tabiya_query::{self as query, Query};

use crate::base::Base;
use crate::numbers::{ranges, up_to};
use crate::sidecar;

/// Which games count, in the words of the user.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only games of this player; the name or its beginning, whatever the case.
    pub player: Option<String>,
    /// The colour that the player has.
    pub color: Option<Color>,
    /// Both players' ratings lie in this range, such as `2400-2600` or `2500-`.
    pub elo: Option<String>,
    /// Not before this date, such as `2010` or `2010.05`.
    pub since: Option<String>,
    /// Not after this date.
    pub until: Option<String>,
    /// Only games of these numbers, such as `17` or `20-25,40-`.
    pub games: Option<String>,
    /// Only games that a search finds.
    pub query: Option<String>,
    /// Positions in variations count too.
    pub variations: bool,
    /// Walk through all games in place of asking the index.
    pub no_index: bool,
}

/// A choice, understood.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    player: Option<(String, Option<Color>)>,
    elo: Option<(u16, u16)>,
    since: u32,
    until: Option<u32>,
}

impl Rules {
    pub(super) fn of(choice: &Choice) -> Result<Rules> {
        let elo = match &choice.elo {
            None => None,
            Some(text) => {
                let bad = || {
                    Error::usage(format!(
                        "--elo {text}: a range is wanted, such as 2400-2600 or 2500-"
                    ))
                };
                let (low, high) = text.split_once('-').ok_or_else(bad)?;
                let number = |text: &str, open: u16| match text.trim() {
                    "" => Ok(open),
                    text => text.parse::<u16>().map_err(|_| bad()),
                };
                Some((number(low, 0)?.max(1), number(high, u16::MAX)?))
            }
        };
        Ok(Rules {
            player: choice
                .player
                .as_ref()
                .map(|name| (name.to_lowercase(), choice.color)),
            elo,
            since: match &choice.since {
                None => 0,
                Some(text) => date_bits("--since", text, false)?,
            },
            until: match &choice.until {
                None => None,
                Some(text) => Some(date_bits("--until", text, true)?),
            },
        })
    }

    pub(super) fn takes_all(&self) -> bool {
        self.player.is_none() && self.elo.is_none() && self.since == 0 && self.until.is_none()
    }

    pub(super) fn take(&self, asked: &Asked<'_>, database: Option<&dyn Database>) -> bool {
        let facts = asked.facts;
        if let Some((low, high)) = self.elo
            && ![facts.white_elo, facts.black_elo]
                .iter()
                .all(|elo| (low..=high).contains(elo))
        {
            return false;
        }
        let date = facts.date_bits();
        if date < self.since || self.until.is_some_and(|until| date > until || date == 0) {
            return false;
        }
        let Some((name, color)) = &self.player else {
            return true;
        };
        let is = |text: &str| text.to_lowercase().starts_with(name);
        let either = |white: &str, black: &str| match color {
            Some(Color::White) => is(white),
            Some(Color::Black) => is(black),
            None => is(white) || is(black),
        };
        if let Some(game) = asked.game {
            return either(game.tags.value("White"), game.tags.value("Black"));
        }
        let names = asked
            .number
            .zip(database)
            .and_then(|(number, database)| names(database, number));
        names.is_some_and(|[white, black]| either(&white, &black))
    }
}

/// The players' names, where they are known without reading the game.
pub(super) fn names(database: &dyn Database, number: u64) -> Option<[String; 2]> {
    const PLAYERS: Fields = Fields::WHITE.union(Fields::BLACK);
    let facts = database.facts()?;
    let fact = facts.fact(number, PLAYERS)?;
    let names = Color::ALL.map(|color| facts.player(&fact, color).into_owned());
    (!fact.unsaid.meets(PLAYERS)).then_some(names)
}

/// A date of which the end may be missing, in bits that compare as dates do.
fn date_bits(option: &str, text: &str, last: bool) -> Result<u32> {
    let bad = || {
        Error::usage(format!(
            "{option} {text}: a date is wanted, such as 2010 or 2010.05 or 2010.05.31"
        ))
    };
    let mut parts = text.split(['.', '-', '/']);
    let mut part = |open: u16| match parts.next() {
        None => Ok(open),
        Some(part) => part.trim().parse::<u16>().map_err(|_| bad()),
    };
    let (open_month, open_day) = if last { (12, 31) } else { (0, 0) };
    let (year, month, day) = (part(0)?, part(open_month)?, part(open_day)?);
    let date = Date::from_numbers(
        year,
        u8::try_from(month).map_err(|_| bad())?,
        u8::try_from(day).map_err(|_| bad())?,
    );
    if parts.next().is_some() {
        return Err(bad());
    }
    date.to_scid().ok_or_else(bad)
}

/// How the games that count are listed before anything is explored.
pub(super) struct Listing {
    numbers: Option<Vec<Range<u64>>>,
    query: Option<Query>,
}

impl Listing {
    pub(super) fn of(choice: &Choice) -> Result<Listing> {
        let query = match &choice.query {
            None => None,
            Some(text) => Some(
                Query::parse(text, query::Context::default())
                    .map_err(|error| Error::usage(format!("--query: {}", error.render(text))))?,
            ),
        };
        Ok(Listing {
            numbers: choice
                .games
                .as_ref()
                .map(|text| ranges(&[text]))
                .transpose()?,
            query,
        })
    }

    /// The numbers of the games of a base, rising; `None` where all count.
    pub(super) fn games(
        &self,
        base: &Base,
        index: Option<&Index>,
        control: &Control,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<u64>>> {
        if self.numbers.is_none() && self.query.is_none() {
            return Ok(None);
        }
        let Some(database) = base.database() else {
            return Err(Error::usage(format!(
                "{}: games of a stream can be read only once: --games and --query want a file",
                base.name()
            )));
        };
        let numbers = match &self.numbers {
            Some(numbers) => Some(up_to(numbers, database.len()?)),
            None => None,
        };
        let listed = |number: u64| {
            numbers
                .as_ref()
                .is_none_or(|ranges| ranges.iter().any(|range| range.contains(&number)))
        };
        let mut games = Vec::new();
        match &self.query {
            None => games.extend((1..=database.len()?).filter(|number| listed(*number))),
            Some(query) => {
                let options = query::Options::default();
                let mut each = |found: query::Found| {
                    games.extend(Some(found.hit.number).filter(|number| listed(*number)));
                    Ok(!control.is_stopped())
                };
                match index {
                    None => query::search(database, query, options, control, Some(&mut each))?,
                    Some(index) => {
                        let indexed = Indexed::new(database, index);
                        query::search(&indexed, query, options, control, Some(&mut each))?
                    }
                };
                notes.extend(index.and_then(|index| sidecar::damage(database, index)));
            }
        }
        Ok(Some(games))
    }
}
