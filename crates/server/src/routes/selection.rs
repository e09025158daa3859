//! Which games a request is about: the same parameters in every route that reads games, in an address or among the fields of a body.

use std::collections::BTreeMap;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use tabiya::numbers::GameNumbers;
use tabiya::repertoire::QueryRepertoires;
use tabiya::{Base, DeletedGames, Selection};
use tabiya_model::Control;
use tabiya_query::{Query, QueryContext};

use crate::answer::Refusal;
use crate::error_codes;
use crate::{ServerState, limits};

/// The parameters; all games where nothing is said.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SelectionParameters {
    /// Games for which this holds.
    pub(crate) query: String,
    /// Games of these numbers.
    pub(crate) games: NumbersParameter,
    /// Games that are marked as deleted are left out.
    pub(crate) skip_deleted: bool,
    /// They alone are looked at.
    pub(crate) only_deleted: bool,
    /// Games whose result is `*` alone are looked at.
    pub(crate) unfinished: bool,
}

/// Numbers as a text, such as `17` or `20-25,40-`, or as a list.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum NumbersParameter {
    Text(String),
    List(Vec<u64>),
}

impl Default for NumbersParameter {
    fn default() -> NumbersParameter {
        NumbersParameter::Text(String::new())
    }
}

impl NumbersParameter {
    fn read(&self) -> Result<GameNumbers, Refusal> {
        Ok(match self {
            NumbersParameter::Text(text) if text.trim().is_empty() => GameNumbers::ALL,
            NumbersParameter::Text(text) => GameNumbers::parse(&[text])?,
            NumbersParameter::List(numbers) if numbers.is_empty() => GameNumbers::ALL,
            NumbersParameter::List(numbers) => rising(numbers.clone()),
        })
    }
}

/// Numbers in the order of the games, each once.
pub(super) fn rising(mut numbers: Vec<u64>) -> GameNumbers {
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().collect()
}

impl SelectionParameters {
    /// The games of some bases.
    pub(super) fn of(
        &self,
        shared: &ServerState,
        bases: impl Into<Vec<Base>>,
    ) -> Result<Selection, Refusal> {
        if self.query.len() > limits::QUERY {
            return Err(Refusal::bad(
                &error_codes::TEXT_TOO_LONG,
                "the query is too long",
            ));
        }
        let games = Selection {
            numbers: self.games.read()?,
            deleted: match (self.skip_deleted, self.only_deleted) {
                (true, true) => {
                    return Err(Refusal::bad(
                        &error_codes::BAD_PARAMETER,
                        "no games are left",
                    ));
                }
                (true, false) => DeletedGames::LeftOut,
                (false, true) => DeletedGames::Only,
                (false, false) => DeletedGames::Included,
            },
            unfinished: self.unfinished,
            ..Selection::of(bases)
        };
        if self.query.trim().is_empty() {
            return Ok(games);
        }
        let control = Control::default().with_time(limits::SEARCH);
        let repertoires =
            QueryRepertoires::new(&shared.library, &shared.named_repertoires, &control);
        let context = QueryContext {
            repertoires: Some(&repertoires),
            ..QueryContext::default()
        };
        let query = Query::parse(&self.query, context);
        Ok(games.matching(query.map_err(|error| Refusal::query(&error))?))
    }
}

impl SelectionParameters {
    /// Whether the query may name a repertoire: what it finds may be other games when that has changed.
    pub(crate) fn names_repertoire(&self) -> bool {
        let query = self.query.to_ascii_lowercase();
        query.contains("repertoire") || query.contains("leaves")
    }

    /// Whether it is about some numbers.
    pub(super) fn has_numbers(&self) -> bool {
        !matches!(self.games.read(), Ok(GameNumbers::ALL))
    }

    /// What it is about, in a few words.
    pub(super) fn in_words(&self) -> String {
        let numbers = match &self.games {
            NumbersParameter::List(numbers) => match numbers[..] {
                [] => String::new(),
                [one] => format!("#{one}"),
                _ => format!("({})", numbers.len()),
            },
            NumbersParameter::Text(text) => text.clone(),
        };
        let words = [numbers.trim(), self.query.trim()];
        words.join(" ").trim().to_owned()
    }
}

/// Refuses fields of a body that mean nothing, where others stand in a struct of their own.
pub(super) fn nothing_else<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    let rest = BTreeMap::<String, IgnoredAny>::deserialize(deserializer)?;
    match rest.keys().next() {
        None => Ok(()),
        Some(name) => Err(D::Error::custom(format!("unknown field `{name:.40}`"))),
    }
}
