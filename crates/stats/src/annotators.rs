//! The annotators with the most games.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::name_scores::NameScores;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin, tags};
use crate::table::StatsRows;

/// Who has annotated the most games.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "annotators",
    title: "Most frequent annotators",
    order: RowOrder::Most,
    own: false,
    full: true,
    begin: begin::<AnnotatorStatistic>,
};

const TAGS: [&str; 1] = ["Annotator"];

#[derive(Default)]
struct AnnotatorStatistic;

impl Statistic for AnnotatorStatistic {
    type Sum = NameScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME).union(CollectorNeeds::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut NameScores, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.count(game.game(tags(&TAGS))?.tags.value("Annotator"), outcome);
        Ok(())
    }

    fn add(&self, sum: &mut NameScores, part: NameScores, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for AnnotatorStatistic {
    fn rows(&self, sum: &NameScores, most: Option<usize>) -> StatsRows {
        sum.rows(most)
    }
}
