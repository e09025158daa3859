//! The order in which games that were found are shown.

use std::cmp::Ordering;
use std::str::FromStr;
use std::sync::Arc;

use tabiya_model::order::{SortField, SortKey, Value};
use tabiya_model::{Error, Game, Result, Want};
use tabiya_query::fold::fold;
use tabiya_query::{Hit, Nearness, Query};

/// What games are sorted by; the first key counts first.
///
/// A [search](crate::search::Options::sort), [`sorted`](crate::sorted::sorted) and [`Choose`](crate::bulk::Choose::sort) take it.
///
/// ```
/// use tabiya::sort::Order;
///
/// // The newest first, those of one day by the names of White.
/// assert!("-date,white".parse::<Order>().is_ok());
/// assert!("colour".parse::<Order>().is_err());
/// ```
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
    pub(crate) fn keys(&self) -> &[SortKey] {
        &self.0
    }
}

/// An order as a query fills it.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    order: Order,
    /// The positions that games are near to, where they are sorted by that.
    nearness: Option<Nearness>,
}

impl Ranking {
    /// The order of what a query finds, or of all games.
    pub(crate) fn new(order: &Order, query: Option<&Query>) -> Result<Ranking> {
        let asks = order.0.iter().any(|key| key.field == SortField::Near);
        let nearness = query.and_then(Nearness::new).filter(|_| asks);
        if asks && nearness.is_none() {
            return Err(Error::usage(
                "near: games are sorted by how near they come to a position, and the query asks for none (`similar:\"FEN\"`)",
            ));
        }
        Ok(Ranking {
            order: order.clone(),
            nearness,
        })
    }

    /// What has to be read of a game.
    pub(crate) fn want(&self) -> Want {
        let lines = self.nearness.as_ref();
        match self.order.0.iter().any(|key| key.wants_moves()) {
            false => Want::TAGS,
            true if lines.is_some_and(Nearness::wants_variations) => Want {
                variations: true,
                ..Want::MAIN_LINE
            },
            true => Want::MAIN_LINE,
        }
    }

    /// The rank of a game that was found in a base; what the order asks for has to be read.
    pub(crate) fn rank(&self, base: usize, hit: &Hit, game: &Game) -> Rank {
        let number = |number: u64| Value::Number(i64::try_from(number).unwrap_or(i64::MAX));
        let value = |key: &SortKey| match key.field {
            SortField::Number => number(hit.number),
            SortField::Ply => hit
                .ply
                .map_or(Value::Missing, |ply| Value::Number(i64::from(ply))),
            SortField::Near => {
                let near = self.nearness.as_ref();
                near.and_then(|near| near.of(game))
                    .map_or(Value::Missing, |moves| Value::Number(i64::from(moves)))
            }
            _ => key.of_game(game, |text| fold(text).into_owned()),
        };
        Rank {
            values: self.order.0.iter().map(value).collect(),
            order: self.order.clone(),
            place: (base, hit.number),
        }
    }
}
