//! The databases that are explored, their indexes, and which of their games count.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use shakmaty::Color;
use tabiya::{Input, sidecar};
use tabiya_explore::explorer::{self, Asked, Explored, Options, Target};
use tabiya_explore::index::Index;
use tabiya_explore::tally::{Shown, Tally};
use tabiya_model::date::Date;
use tabiya_model::{Database, Game, Want};
use tabiya_query::{self as query, Query};

use super::super::args::{JobsArgs, ReadArgs, ranges};
use super::super::interrupt;
use super::super::output::say;

/// Which games count.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Choice {
    /// Only games of this player; the name or its beginning, whatever the case
    #[arg(long, value_name = "NAME", help_heading = "Games")]
    pub(crate) player: Option<String>,
    /// The colour that the player has
    #[arg(long, value_enum, requires = "player", help_heading = "Games")]
    pub(crate) color: Option<Side>,
    /// Both players' ratings lie in this range, such as 2400-2600 or 2500-
    #[arg(long, value_name = "MIN-MAX", help_heading = "Games")]
    pub(crate) elo: Option<String>,
    /// Not before this date, such as 2010 or 2010.05
    #[arg(long, value_name = "DATE", help_heading = "Games")]
    pub(crate) since: Option<String>,
    /// Not after this date
    #[arg(long, value_name = "DATE", help_heading = "Games")]
    pub(crate) until: Option<String>,
    /// Only games of these numbers, such as 17 or 20-25,40-
    #[arg(long, value_name = "NUMBERS", help_heading = "Games")]
    pub(crate) games: Option<String>,
    /// Only games that a search finds: a query such as "event:Candidates and result:1-0" (docs/query.md)
    #[arg(long, value_name = "QUERY", help_heading = "Games")]
    pub(crate) query: Option<String>,
    /// Positions in variations count too
    #[arg(long, help_heading = "Games")]
    pub(crate) variations: bool,
    /// Walk through all games in place of asking the index
    #[arg(long, help_heading = "Games")]
    pub(crate) no_index: bool,
}

#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// White
    White,
    /// Black
    Black,
}

impl Side {
    fn color(self) -> Color {
        match self {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

/// A choice, understood.
#[derive(Clone, Debug, Default)]
struct Rules {
    player: Option<(String, Option<Color>)>,
    elo: Option<(u16, u16)>,
    since: u32,
    until: Option<u32>,
}

impl Rules {
    fn of(choice: &Choice) -> Result<Rules> {
        let elo = match &choice.elo {
            None => None,
            Some(text) => {
                let bad = || anyhow!("--elo {text}: a range is wanted, such as 2400-2600 or 2500-");
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
                .map(|name| (name.to_lowercase(), choice.color.map(Side::color))),
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

    fn takes_all(&self) -> bool {
        self.player.is_none() && self.elo.is_none() && self.since == 0 && self.until.is_none()
    }

    fn take(&self, asked: &Asked<'_>, database: Option<&dyn Database>) -> bool {
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
        let row = asked
            .number
            .and_then(|number| database.and_then(Database::rows)?.row(number));
        row.is_some_and(|row| either(&row.white, &row.black))
    }
}

/// A date of which the end may be missing, in bits that compare as dates do.
fn date_bits(option: &str, text: &str, last: bool) -> Result<u32> {
    let bad =
        || anyhow!("{option} {text}: a date is wanted, such as 2010 or 2010.05 or 2010.05.31");
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

/// One database.
struct Base {
    input: Input,
    index: Option<Box<Index>>,
    /// The games that count, rising, where they were listed.
    listed: Option<Vec<u64>>,
}

/// How the games that count are listed before anything is explored.
struct Listing {
    numbers: Option<Vec<Range<u64>>>,
    query: Option<Query>,
    jobs: usize,
}

impl Listing {
    fn of(choice: &Choice, jobs: &JobsArgs) -> Result<Listing> {
        let query = match &choice.query {
            None => None,
            Some(text) => Some(
                Query::parse(text, query::Context::default())
                    .map_err(|error| anyhow!("--query: {}", error.render(text)))?,
            ),
        };
        Ok(Listing {
            numbers: choice
                .games
                .as_ref()
                .map(|text| ranges(std::slice::from_ref(text)))
                .transpose()?,
            query,
            jobs: jobs.jobs(),
        })
    }

    /// The numbers of the games of a database, rising; `None` where all count.
    fn games(&self, input: &Input, index: Option<&Index>) -> Result<Option<Vec<u64>>> {
        if self.numbers.is_none() && self.query.is_none() {
            return Ok(None);
        }
        let Some(database) = input.database() else {
            bail!(
                "{}: games of a stream can be read only once: --games and --query want a file",
                input.name
            );
        };
        let listed = |number: u64| {
            self.numbers
                .as_ref()
                .is_none_or(|ranges| ranges.iter().any(|range| range.contains(&number)))
        };
        let mut games = Vec::new();
        match &self.query {
            None => games.extend((1..=database.len()?).filter(|number| listed(*number))),
            Some(query) => {
                let options = query::Options {
                    jobs: self.jobs,
                    ..query::Options::default()
                };
                let mut each = |found: query::Found| {
                    games.extend(Some(found.hit.number).filter(|number| listed(*number)));
                    Ok(true)
                };
                let rows = index.and_then(Index::rows);
                let beside = sidecar::beside(index, rows.as_ref());
                query::search_beside(database, beside, query, options, Some(&mut each))
                    .with_context(|| input.name.clone())?;
                let damage =
                    index.and_then(|index| sidecar::damage(database, index, rows.as_ref()));
                if let Some(note) = damage {
                    say(&note);
                }
            }
        }
        Ok(Some(games))
    }
}

/// All databases of a command.
pub(crate) struct Bases {
    bases: Vec<Base>,
    rules: Rules,
    variations: bool,
    jobs: usize,
}

/// The header of a game that is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) white: String,
    pub(crate) black: String,
}

impl Bases {
    /// Opens everything.
    pub(crate) fn open(
        paths: &[PathBuf],
        choice: &Choice,
        read: &ReadArgs,
        jobs: &JobsArgs,
    ) -> Result<Bases> {
        let rules = Rules::of(choice)?;
        let list = Listing::of(choice, jobs)?;
        let mut bases = Vec::new();
        let inputs = read.inputs();
        for path in paths {
            for input in inputs.open(path)? {
                let mut index = None;
                if !choice.no_index
                    && let Some(database) = input.database()
                    && let Some(beside) = sidecar::path_of(database)
                {
                    match sidecar::open(database, &inputs.options)?.usable(&beside) {
                        Ok(found) => index = found,
                        Err(note) => say(&note),
                    }
                    if let Some(index) = &index {
                        index.tell_places(database);
                    }
                }
                let listed = list.games(&input, index.as_deref())?;
                bases.push(Base {
                    input,
                    index,
                    listed,
                });
            }
        }
        Ok(Bases {
            bases,
            rules,
            variations: choice.variations,
            jobs: jobs.jobs(),
        })
    }

    /// Explores all databases.
    pub(crate) fn explore(&mut self, targets: &[Target]) -> Result<Explored> {
        let mut all = Explored {
            tallies: vec![Tally::default(); targets.len()],
            damaged: 0,
        };
        for (number, base) in (0..).zip(&mut self.bases) {
            let part = one(base, targets, &self.rules, self.variations, self.jobs)
                .with_context(|| base.input.name.clone())?;
            for (tally, mut part) in all.tallies.iter_mut().zip(part.tallies) {
                part.place(number, 0);
                tally.merge(&part);
            }
            all.damaged += part.damaged;
        }
        Ok(all)
    }

    /// How many databases there are.
    pub(crate) fn len(&self) -> usize {
        self.bases.len()
    }

    /// What a shown game is called: its number, with the database where there are several.
    pub(crate) fn id(&self, shown: &Shown) -> String {
        if self.len() > 1 {
            format!("{}-{}", shown.base + 1, shown.number)
        } else {
            shown.number.to_string()
        }
    }

    /// The names of a shown game.
    pub(crate) fn header(&self, shown: &Shown) -> Result<Header> {
        let base = usize::try_from(shown.base)
            .ok()
            .and_then(|at| self.bases.get(at));
        let Some(base) = base else {
            bail!("there is no such database");
        };
        if let Some(card) = base
            .index
            .as_ref()
            .and_then(|index| index.card(shown.number))
        {
            return Ok(Header {
                white: card.white,
                black: card.black,
            });
        }
        let Some(database) = base.input.database() else {
            // What came through a pipe is gone.
            return Ok(Header::default());
        };
        if let Some(row) = database.rows().and_then(|rows| rows.row(shown.number)) {
            return Ok(Header {
                white: row.white.into_owned(),
                black: row.black.into_owned(),
            });
        }
        let mut game = Game::default();
        database.read(shown.number, Want::TAGS, &mut game)?;
        Ok(Header {
            white: game.tags.value("White").to_owned(),
            black: game.tags.value("Black").to_owned(),
        })
    }
}

/// From how many listed games on the index is asked first: fewer are replayed in no time.
const LONG_LIST: usize = 1500;

fn one(
    base: &mut Base,
    targets: &[Target],
    rules: &Rules,
    variations: bool,
    jobs: usize,
) -> Result<Explored> {
    let options = Options {
        variations,
        filter: None,
        jobs,
    };
    if base.index.is_none() {
        interrupt::catch();
    }
    let Some(database) = base.input.database() else {
        let filter = |asked: &Asked<'_>| rules.take(asked, None);
        let options = Options {
            filter: (!rules.takes_all()).then_some(&filter as &explorer::Filter<'_>),
            ..options
        };
        let mut source = base.input.source()?;
        return Ok(explorer::scan_source(&mut *source, targets, &options)?);
    };
    let listed = base.listed.as_deref();
    let by_rules = |asked: &Asked<'_>| rules.take(asked, Some(database));
    let by_list_and_rules = |asked: &Asked<'_>| {
        let is_listed = |number: u64| listed.is_none_or(|all| all.binary_search(&number).is_ok());
        asked.number.is_some_and(is_listed) && rules.take(asked, Some(database))
    };
    if let Some(index) = &base.index
        && listed.is_none_or(|listed| listed.len() >= LONG_LIST)
    {
        let filter: Option<&explorer::Filter<'_>> = match listed {
            Some(_) => Some(&by_list_and_rules),
            None if rules.takes_all() => None,
            None => Some(&by_rules),
        };
        let options = Options { filter, ..options };
        if let Some(explored) = explorer::with_index(database, index, targets, &options)? {
            return Ok(explored);
        }
        say(&format!(
            "{}: its index is damaged and not used (`tabiya index --rebuild` renews it)",
            base.input.name
        ));
        base.index = None;
        interrupt::catch();
    }
    let Some(database) = base.input.database() else {
        bail!("the database is gone");
    };
    let filter = |asked: &Asked<'_>| rules.take(asked, Some(database));
    let options = Options {
        filter: (!rules.takes_all()).then_some(&filter as &explorer::Filter<'_>),
        ..options
    };
    Ok(match &base.listed {
        Some(numbers) => explorer::replay(database, numbers, targets, &options)?,
        None => explorer::scan(database, None, targets, &options)?,
    })
}
