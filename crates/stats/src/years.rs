//! The years of games.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::score::ScoreScale;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::{StatsRow, StatsRows};

/// The years of games.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "years",
    title: "Years",
    order: RowOrder::Own,
    own: false,
    full: false,
    begin: begin::<YearStatistic>,
};

#[derive(Default)]
struct YearStatistic;

impl Statistic for YearStatistic {
    /// By year, the unknown one first.
    type Sum = ScoreScale;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::DATE.union(FactFields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let fact = game.fact()?;
        sum.count(fact.date.year, fact.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for YearStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        let label = |key: Option<u16>| key.map_or_else(String::new, |year| format!("{year:04}"));
        sum.iter()
            .map(|(key, score)| StatsRow::new(label(key), score))
            .collect::<Vec<_>>()
            .into()
    }
}
