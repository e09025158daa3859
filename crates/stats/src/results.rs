//! How games ended.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::score::ResultCounts;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::{StatsRow, StatsRows};

/// How games ended.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "results",
    title: "Results",
    order: RowOrder::Own,
    own: false,
    full: false,
    begin: begin::<ResultStatistic>,
};

#[derive(Default)]
struct ResultStatistic;

impl Statistic for ResultStatistic {
    type Sum = ResultCounts;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME)
    }

    fn see(&self, sum: &mut ResultCounts, game: &mut GameView<'_>) -> Result<()> {
        sum.count(game.fact()?.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut ResultCounts, part: ResultCounts, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for ResultStatistic {
    fn rows(&self, sum: &ResultCounts, _most: Option<usize>) -> StatsRows {
        vec![StatsRow::new("all", *sum)].into()
    }
}
