//! Which games of the bases count.

use std::ops::Range;

use shakmaty::Color;
use tabiya_explore::IndexedDatabase;
use tabiya_explore::index::ExplorerIndex;
use tabiya_model::facts::{FactFields, NameTable};
use tabiya_model::positions::PositionLookup;
use tabiya_model::{Control, Database, Error, Game, Result};
use tabiya_query::{self as query, NameTest, Query, QueryEvaluator};

use super::ExploredBase;
use crate::open::base::Base;
use crate::open::sidecar;
use crate::select::numbers::{ranges, up_to};
use crate::select::selection::query_failure;
use crate::select::similar_names;

/// Which games count, in the words of the user.
#[derive(Clone, Debug, Default)]
pub struct ExploreFilter {
    /// Only games of this player, in any form of the name that a search for `player:` finds.
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

/// Which games count, understood: all that is said of their tags is one query, so that a search and a choice mean the
/// same by the same words.
pub(super) struct ParsedExploreFilter {
    numbers: Option<Vec<Range<u64>>>,
    /// What tags alone answer.
    tags: Option<Query>,
    /// That and the query of the user.
    all: Option<Query>,
    player: Option<String>,
}

impl ParsedExploreFilter {
    pub(super) fn of(choice: &ExploreFilter) -> Result<ParsedExploreFilter> {
        let mut terms = Vec::new();
        if let Some(name) = &choice.player {
            let field = match choice.color {
                Some(Color::White) => "white",
                Some(Color::Black) => "black",
                None => "player",
            };
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            terms.push(format!("{field}:\"{name}\""));
        }
        let mut term = |option: &'static str,
                        value: &Option<String>,
                        text: &dyn Fn(&str) -> String,
                        wanted: &str| {
            let Some(value) = value else {
                return Ok(());
            };
            let text = text(value);
            if parse(&text).is_err() {
                return Err(Error::usage(format!("{value}: {wanted}")).of_parameter(option));
            }
            terms.push(text);
            Ok(())
        };
        let range = |value: &str| format!("elo:{}", value.replacen('-', "..", 1));
        term(
            "elo",
            &choice.elo,
            &range,
            "a range is wanted, such as 2400-2600 or 2500-",
        )?;
        let date = "a date is wanted, such as 2010 or 2010.05 or 2010.05.31";
        term(
            "since",
            &choice.since,
            &|value| format!("date>=\"{value}\""),
            date,
        )?;
        term(
            "until",
            &choice.until,
            &|value| format!("date<=\"{value}\""),
            date,
        )?;
        let tags = match terms.is_empty() {
            true => None,
            false => Some(terms.join(" and ")),
        };
        if let Some(text) = &choice.query {
            parse(text).map_err(|error| query_failure("query", text, error))?;
        }
        let all = match (&tags, &choice.query) {
            (Some(tags), Some(query)) => Some(format!("{tags} and ({query})")),
            (tags, query) => tags.clone().or_else(|| query.clone()),
        };
        let read = |text: Option<String>| {
            let query = text.map(|text| parse(&text)).transpose();
            query.map_err(|error| Error::usage(error.message))
        };
        Ok(ParsedExploreFilter {
            numbers: choice
                .games
                .as_ref()
                .map(|text| ranges(&[text]))
                .transpose()?,
            tags: read(tags)?,
            all: read(all)?,
            player: choice.player.clone(),
        })
    }

    /// Whether a game of a stream counts, of which the tags were read; what more is asked for wants a file.
    pub(super) fn take(&self, game: Option<&Game>) -> bool {
        let Some(query) = &self.tags else {
            return true;
        };
        game.is_some_and(|game| {
            QueryEvaluator::new(query, false)
                .hit(game, game.origin.number)
                .is_some()
        })
    }

    /// The numbers of the games of a base, rising; `None` where all count.
    pub(super) fn games(
        &self,
        base: &Base,
        index: Option<&ExplorerIndex>,
        control: &Control,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<u64>>> {
        let Some(database) = base.database() else {
            let asks_tags_alone = self.numbers.is_none()
                && self.all.as_ref().map(|query| query.terms.len())
                    == self.tags.as_ref().map(|query| query.terms.len());
            if asks_tags_alone {
                return Ok(None);
            }
            return Err(Error::usage(format!(
                "{}: games of a stream can be read only once, so that numbers and a query need a file",
                base.name()
            )));
        };
        if self.numbers.is_none() && self.all.is_none() {
            return Ok(None);
        }
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
        match &self.all {
            None => games.extend((1..=database.len()?).filter(|number| listed(*number))),
            Some(query) => {
                let options = query::QueryOptions {
                    plies: false,
                    ..query::QueryOptions::default()
                };
                let mut each = |found: query::MatchedGame| {
                    games.extend(Some(found.hit.number).filter(|number| listed(*number)));
                    Ok(!control.is_stopped())
                };
                match index {
                    None => query::search(database, query, options, control, Some(&mut each))?,
                    Some(index) => {
                        let indexed = IndexedDatabase::new(database, index);
                        query::search(&indexed, query, options, control, Some(&mut each))?
                    }
                };
                notes.extend(index.and_then(|index| sidecar::damage(database, index)));
                notes.extend(database.lookup().and_then(PositionLookup::damage));
            }
        }
        Ok(Some(games))
    }

    /// How the query is understood, where that is not plain.
    pub(super) fn query_note(&self) -> Option<String> {
        self.all.as_ref().and_then(Query::note)
    }

    /// What is said where no game of the player was found: names that are near.
    pub(super) fn hint(&self, parts: &[ExploredBase], control: &Control) -> Option<String> {
        let player = self.player.as_ref()?;
        let asked = (NameTable::Players, NameTest::new(player));
        let near =
            similar_names::similar_names(parts.iter().map(|part| &part.base), &[asked], control);
        let names = match near.is_empty() {
            true => String::new(),
            false => format!("; there are {}", near.join("; ")),
        };
        Some(format!("no game of {player:?} was found{names}"))
    }
}

fn parse(text: &str) -> std::result::Result<Query, query::QueryError> {
    Query::parse(text, query::QueryContext::default())
}

/// The players' names, where they are known without reading the game.
pub(super) fn names(database: &dyn Database, number: u64) -> Option<[String; 2]> {
    const PLAYERS: FactFields = FactFields::WHITE.union(FactFields::BLACK);
    let facts = database.facts()?;
    let fact = facts.fact(number, PLAYERS)?;
    let names = Color::ALL.map(|color| facts.player(&fact, color).into_owned());
    (!fact.unsaid.meets(PLAYERS)).then_some(names)
}
