//! The order in which games that were found are shown.

use std::cmp::Ordering;
use std::str::FromStr;

use tabiya_model::{Error, Game, Result};
use tabiya_query::Hit;

/// What games are sorted by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortKey {
    field: &'static str,
    descending: bool,
}

/// Every field that games can be sorted by.
pub const FIELDS: [&str; 13] = [
    "number",
    "ply",
    "white",
    "white-elo",
    "black",
    "black-elo",
    "elo",
    "result",
    "date",
    "event",
    "site",
    "round",
    "eco",
];

impl FromStr for SortKey {
    type Err = Error;

    /// The name of a field; a `-` before it turns the order around.
    fn from_str(text: &str) -> Result<SortKey> {
        let (name, descending) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        match FIELDS.iter().find(|field| **field == name) {
            Some(field) => Ok(SortKey { field, descending }),
            None => Err(Error::usage(format!(
                "there is no such field; there are {}",
                FIELDS.join(", ")
            ))),
        }
    }
}

/// A value to sort by: numbers come before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Missing,
    Number(i64),
    Text(Box<str>),
}

/// The rank of a game in an order: its value, and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    value: Value,
    descending: bool,
    /// The base and the number, which decide between equal values.
    pub(crate) place: (usize, u64),
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> Ordering {
        let order = self.value.cmp(&other.value);
        let order = if self.descending {
            order.reverse()
        } else {
            order
        };
        // What is missing is of no use at either end of the list.
        let missing = |rank: &Rank| rank.value == Value::Missing;
        missing(self)
            .cmp(&missing(other))
            .then(order)
            .then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl SortKey {
    /// The rank of a game that was found in a base; its tags have to be read.
    pub(crate) fn rank(&self, base: usize, hit: &Hit, game: &Game) -> Rank {
        Rank {
            value: self.value(hit, game),
            descending: self.descending,
            place: (base, hit.number),
        }
    }

    fn value(&self, hit: &Hit, game: &Game) -> Value {
        let tag = |name: &str| match game.tags.value(name) {
            "" | "?" | "-" => Value::Missing,
            text => Value::Text(tabiya_query::fold::fold(text).into()),
        };
        let number = |name: &str| game.tags.number(name).map(i64::from).filter(|n| *n > 0);
        let or_missing = |number: Option<i64>| number.map_or(Value::Missing, Value::Number);
        match self.field {
            "number" => or_missing(i64::try_from(hit.number).ok()),
            "ply" => or_missing(hit.ply.map(i64::from)),
            "white" => tag("White"),
            "black" => tag("Black"),
            "white-elo" => or_missing(number("WhiteElo")),
            "black-elo" => or_missing(number("BlackElo")),
            "elo" => or_missing(
                number("WhiteElo")
                    .zip(number("BlackElo"))
                    .map(|(w, b)| w + b),
            ),
            "result" => Value::Text(game.result().as_pgn().into()),
            "date" => tag("Date"),
            "event" => tag("Event"),
            "site" => tag("Site"),
            "round" => match game.tags.number("Round") {
                Some(round) => Value::Number(i64::from(round)),
                None => tag("Round"),
            },
            _ => tag("ECO"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_last_in_either_order() {
        let rank = |value: Value, descending| Rank {
            value,
            descending,
            place: (0, 1),
        };
        for descending in [false, true] {
            assert!(rank(Value::Number(1), descending) < rank(Value::Missing, descending));
        }
        assert!(rank(Value::Number(1), false) < rank(Value::Number(2), false));
        assert!(rank(Value::Number(1), true) > rank(Value::Number(2), true));
        assert!("elos".parse::<SortKey>().is_err());
        assert_eq!(
            "-elo".parse::<SortKey>().map(|key| key.descending).ok(),
            Some(true)
        );
    }
}
