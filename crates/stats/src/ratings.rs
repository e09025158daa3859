//! The ratings of games: the mean of both players' ratings.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::score::ScoreScale;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::{StatsRow, StatsRows};

/// The ratings of games: the mean of both players'.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "ratings",
    title: "Mean rating of both players",
    order: RowOrder::Own,
    own: false,
    full: false,
    begin: begin::<RatingStatistic>,
};

/// How wide a band is.
pub(crate) const BAND: u16 = 100;

#[derive(Default)]
struct RatingStatistic;

impl Statistic for RatingStatistic {
    /// By hundreds; games in which a player has no Elo rating under none.
    type Sum = ScoreScale;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::ELOS.union(FactFields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
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

impl TableStatistic for RatingStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        bands(sum).into()
    }
}

/// The rows of scores that stand at hundreds of ratings.
pub(crate) fn bands(sum: &ScoreScale) -> Vec<StatsRow> {
    let label = |key: Option<u16>| {
        key.map_or_else(String::new, |band| {
            let low = u32::from(band) * u32::from(BAND);
            format!("{low}-{}", low + u32::from(BAND) - 1)
        })
    };
    sum.iter()
        .map(|(key, score)| StatsRow::new(label(key), score))
        .collect()
}
