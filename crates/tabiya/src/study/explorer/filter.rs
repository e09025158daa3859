//! Which games of the bases count: conditions on their tags, as a query, so that a search and the explorer mean the same by
//! the same words.

use shakmaty::Color;
use tabiya_model::facts::{FactFields, NameTable};
use tabiya_model::{Control, Database, Error, Game, Result};
use tabiya_query::{NameTest, Query, QueryContext, QueryEvaluator};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::selection::Selection;
use crate::select::similar_names;

/// The conditions of the explorer in addition to a [`Selection`], in the user's words.
#[derive(Clone, Debug, Default)]
pub struct ExploreFilter {
    /// Only games of this player, in any form of the name that a search for `player:` finds.
    pub player: Option<String>,
    /// The colour that the player has.
    pub color: Option<Color>,
    /// Both players' ratings are in this range, such as `2400-2600` or `2500-`.
    pub elo: Option<String>,
    /// Not before this date, such as `2010` or `2010.05`.
    pub since: Option<String>,
    /// Not after this date.
    pub until: Option<String>,
    /// Positions in variations count too.
    pub variations: bool,
}

/// Which games count, understood.
pub(super) struct ParsedExploreFilter {
    /// The conditions that tags alone answer.
    tags: Option<Query>,
    /// That and what else is chosen.
    pub(super) games: Selection,
    /// Whether tags alone determine which games count.
    is_of_tags: bool,
    player: Option<String>,
}

impl ParsedExploreFilter {
    pub(super) fn of(mut games: Selection, choice: &ExploreFilter) -> Result<ParsedExploreFilter> {
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
                return Err(
                    Error::new(&error_codes::BAD_FILTER, format!("{value}: {wanted}"))
                        .of_parameter(option),
                );
            }
            terms.push(text);
            Ok(())
        };
        let range = |value: &str| format!("elo:{}", value.replacen('-', "..", 1));
        term(
            "elo",
            &choice.elo,
            &range,
            "give a range, such as 2400-2600 or 2500-",
        )?;
        let date = "give a date, such as 2010, 2010.05 or 2010.05.31";
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
            false => Some(parse(&terms.join(" and "))?),
        };
        let is_of_tags = games.is_all();
        if let Some(tags) = tags.clone() {
            games = games.matching(tags);
        }
        Ok(ParsedExploreFilter {
            tags,
            games,
            is_of_tags,
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

    /// The numbers of the games of a base, rising; `None` where all count, and where games of a stream are asked one by one.
    pub(super) fn games(&self, base: &Base, control: &Control) -> Result<Option<Vec<u64>>> {
        match base.database() {
            None if self.is_of_tags => Ok(None),
            _ => self.games.numbers_in(base, control),
        }
    }

    /// What is said where no game of the player was found: names that are near.
    pub(super) fn hint(&self, control: &Control) -> Option<String> {
        let player = self.player.as_ref()?;
        let asked = (NameTable::Players, NameTest::new(player));
        let near = similar_names::similar_names(&self.games.bases, &[asked], control);
        let names = match near.is_empty() {
            true => String::new(),
            false => format!("; similar names: {}", near.join("; ")),
        };
        Some(format!("no games of {player:?} found{names}"))
    }
}

fn parse(text: &str) -> Result<Query> {
    Ok(Query::parse(text, QueryContext::default())?)
}

/// The players' names, where they are known without reading the game.
pub(super) fn names(database: &dyn Database, number: u64) -> Option<[String; 2]> {
    const PLAYERS: FactFields = FactFields::WHITE.union(FactFields::BLACK);
    let facts = database.facts()?;
    let fact = facts.fact(number, PLAYERS)?;
    let names = Color::ALL.map(|color| facts.player(&fact, color).into_owned());
    (!fact.unsaid.meets(PLAYERS)).then_some(names)
}
