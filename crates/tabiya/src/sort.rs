//! The order in which games that were found are shown.

use std::cmp::Ordering;
use std::str::FromStr;
use std::sync::Arc;

use tabiya_model::order::{SortField, SortKey, Value};
use tabiya_model::{Error, Game, Result};
use tabiya_query::Hit;
use tabiya_query::fold::fold;

/// What games are sorted by; the first key counts first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order(Arc<[SortKey]>);

impl FromStr for Order {
    type Err = Error;

    /// Fields with commas between them; a `-` before one turns its order around.
    fn from_str(text: &str) -> Result<Order> {
        Ok(Order(SortKey::parse_all(&[text])?.into()))
    }
}

/// The rank of a game in an order: its values, and where it was found.
#[derive(Clone, Debug)]
pub(crate) struct Rank {
    values: Box<[Value]>,
    order: Order,
    /// The base and the number, which decide between equal values.
    pub(crate) place: (usize, u64),
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> Ordering {
        SortKey::compare_all(&self.order.0, &self.values, &other.values)
            .then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Rank) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

impl Order {
    /// Whether tags do not tell it.
    pub(crate) fn wants_moves(&self) -> bool {
        self.0.iter().any(|key| key.wants_moves())
    }

    /// The rank of a game that was found in a base; what the order asks for has to be read.
    pub(crate) fn rank(&self, base: usize, hit: &Hit, game: &Game) -> Rank {
        let number = |number: u64| Value::Number(i64::try_from(number).unwrap_or(i64::MAX));
        let value = |key: &SortKey| match key.field {
            SortField::Number => number(hit.number),
            SortField::Ply => hit
                .ply
                .map_or(Value::Missing, |ply| Value::Number(i64::from(ply))),
            _ => key.of_game(game, |text| fold(text).into_owned()),
        };
        Rank {
            values: self.0.iter().map(value).collect(),
            order: self.clone(),
            place: (base, hit.number),
        }
    }
}
