//! The order in which games that were found are shown.

use crate::error_codes;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tabiya_model::sort_order::{SortField, SortKey, SortValue};
use tabiya_model::{Error, Game, GameNeeds, Result};
use tabiya_query::fold::fold;
use tabiya_query::{Query, QueryMatch, SimilarityMeasure};

/// What games are sorted by; the first key counts first.
///
/// A [search](crate::select::search::SearchOptions::sort), [`sorted_numbers`](crate::select::fact_sort::sorted_numbers),
/// [`ConvertSelection`](crate::write::bulk::ConvertSelection::sort) and [`EditOperation::Sort`](crate::write::edit::EditOperation::Sort) take it.
///
/// ```
/// use tabiya::game_order::GameOrder;
///
/// // The newest first, those of one day by the names of White.
/// assert!("-date,white".parse::<GameOrder>().is_ok());
/// assert!("colour".parse::<GameOrder>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameOrder {
    keys: Arc<[SortKey]>,
    text: Arc<str>,
}

/// The order as it was said.
impl fmt::Display for GameOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for GameOrder {
    type Err = Error;

    /// Fields with commas between them; a `-` before one turns its order around.
    fn from_str(text: &str) -> Result<GameOrder> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        Ok(GameOrder {
            keys: SortKey::parse_all(&words)?.into(),
            text: words.join(",").into(),
        })
    }
}

/// The rank of a game in an order: its values, and where it was found.
#[derive(Clone, Debug)]
pub(crate) struct GameRank {
    values: Box<[SortValue]>,
    order: GameOrder,
    /// The base and the number, which decide between equal values.
    pub(crate) place: (usize, u64),
}

impl Ord for GameRank {
    fn cmp(&self, other: &GameRank) -> Ordering {
        SortKey::compare_all(&self.order.keys, &self.values, &other.values)
            .then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for GameRank {
    fn partial_cmp(&self, other: &GameRank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for GameRank {
    fn eq(&self, other: &GameRank) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for GameRank {}

impl GameOrder {
    pub(crate) fn keys(&self) -> &[SortKey] {
        &self.keys
    }
}

/// An order as a query fills it.
#[derive(Clone, Debug)]
pub(crate) struct GameRanker {
    order: GameOrder,
    /// The positions that games are near to, where they are sorted by that.
    nearness: Option<SimilarityMeasure>,
}

impl GameRanker {
    /// The order of what a query finds, or of all games.
    pub(crate) fn new(order: &GameOrder, query: Option<&Query>) -> Result<GameRanker> {
        let asks = order.keys.iter().any(|key| key.field == SortField::Near);
        let nearness = query.and_then(SimilarityMeasure::new).filter(|_| asks);
        if asks && nearness.is_none() {
            return Err(Error::new(
                &error_codes::BAD_ORDER,
                "near sorts games by their similarity to a position, and the query has none (`similar:\"FEN\"`)",
            ));
        }
        Ok(GameRanker {
            order: order.clone(),
            nearness,
        })
    }

    /// What has to be read of a game.
    pub(crate) fn want(&self) -> GameNeeds {
        let lines = self.nearness.as_ref();
        match self.order.keys.iter().any(|key| key.wants_moves()) {
            false => GameNeeds::TAGS,
            true if lines.is_some_and(SimilarityMeasure::wants_variations) => GameNeeds {
                variations: true,
                ..GameNeeds::MAIN_LINE
            },
            true => GameNeeds::MAIN_LINE,
        }
    }

    /// The rank of a game that was found in a base; what the order asks for has to be read.
    pub(crate) fn rank(&self, base: usize, hit: &QueryMatch, game: &Game) -> GameRank {
        let number = |number: u64| SortValue::Number(i64::try_from(number).unwrap_or(i64::MAX));
        let value = |key: &SortKey| match key.field {
            SortField::Number => number(hit.number),
            SortField::Ply => hit
                .ply
                .map_or(SortValue::Missing, |ply| SortValue::Number(i64::from(ply))),
            SortField::Near => {
                let near = self.nearness.as_ref();
                near.and_then(|near| near.of(game))
                    .map_or(SortValue::Missing, |moves| {
                        SortValue::Number(i64::from(moves))
                    })
            }
            _ => key.of_game(game, |text| fold(text).into_owned()),
        };
        GameRank {
            values: self.order.keys.iter().map(value).collect(),
            order: self.order.clone(),
            place: (base, hit.number),
        }
    }
}
