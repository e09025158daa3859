//! The ratings of games: the mean of both players'.

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin};
use crate::score::Scale;
use crate::table::{Row, Rows};

/// The ratings of games: the mean of both players'.
pub(crate) static KIND: Kind = Kind {
    name: "ratings",
    title: "Mean rating of both players",
    order: Order::Own,
    own: false,
    full: false,
    begin: begin::<Ratings>,
};

/// How wide a band is.
pub(crate) const BAND: u16 = 100;

#[derive(Default)]
struct Ratings;

impl Statistic for Ratings {
    /// By hundreds; games in which a player has no Elo rating under none.
    type Sum = Scale;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::ELOS.union(Fields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
        let fact = game.fact()?;
        let [white, black] = fact.elos.map(u32::from);
        let mean = (white > 0 && black > 0).then_some((white + black) / 2 / u32::from(BAND));
        let band = mean.and_then(|band| u16::try_from(band).ok());
        sum.count(band, fact.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Ratings {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> Rows {
        bands(sum).into()
    }
}

/// The rows of scores that stand at hundreds of ratings.
pub(crate) fn bands(sum: &Scale) -> Vec<Row> {
    let label = |key: Option<u16>| {
        key.map_or_else(String::new, |band| {
            let low = u32::from(band) * u32::from(BAND);
            format!("{low}-{}", low + u32::from(BAND) - 1)
        })
    };
    sum.iter()
        .map(|(key, score)| Row::new(label(key), score))
        .collect()
}
