//! The sites with the most games.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, NameField, Statistic};
use tabiya_model::facts::{FactFields, FactSource, NameTable};

use crate::name_scores::NameScores;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::StatsRows;

/// The sites with the most games.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "sites",
    title: "Most frequent sites",
    order: RowOrder::Most,
    own: false,
    full: false,
    begin: begin::<SiteStatistic>,
};

#[derive(Default)]
struct SiteStatistic;

impl Statistic for SiteStatistic {
    type Sum = NameScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::SITE.union(FactFields::OUTCOME))
    }

    fn see(&self, sum: &mut NameScores, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.see(game, NameField::Site, outcome)
    }

    fn add(&self, sum: &mut NameScores, part: NameScores, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for SiteStatistic {
    fn settle(&self, sum: &mut NameScores, facts: Option<&dyn FactSource>) {
        sum.settle(NameTable::Sites, facts);
    }

    fn rows(&self, sum: &NameScores, most: Option<usize>) -> StatsRows {
        sum.rows(most)
    }
}
