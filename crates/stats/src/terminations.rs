//! Why games ended, by their tags.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::name_scores::NameScores;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin, tags};
use crate::table::StatsRows;

/// Why games ended, as their tags say it.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "terminations",
    title: "Terminations",
    order: RowOrder::Most,
    own: false,
    full: true,
    begin: begin::<TerminationStatistic>,
};

const TAGS: [&str; 1] = ["Termination"];

#[derive(Default)]
struct TerminationStatistic;

impl Statistic for TerminationStatistic {
    type Sum = NameScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME).union(CollectorNeeds::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut NameScores, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.count(game.game(tags(&TAGS))?.tags.value("Termination"), outcome);
        Ok(())
    }

    fn add(&self, sum: &mut NameScores, part: NameScores, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for TerminationStatistic {
    fn rows(&self, sum: &NameScores, most: Option<usize>) -> StatsRows {
        sum.rows(most)
    }
}
