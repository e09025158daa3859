//! The titles of players.

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::name_scores::NameScores;
use crate::score::seen_by;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin, tags};
use crate::table::StatsRows;

/// The titles of players.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "titles",
    title: "Titles",
    order: RowOrder::Most,
    own: true,
    full: true,
    begin: begin::<TitleStatistic>,
};

const TAGS: [&str; 2] = ["WhiteTitle", "BlackTitle"];

#[derive(Default)]
struct TitleStatistic;

impl Statistic for TitleStatistic {
    type Sum = NameScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME).union(CollectorNeeds::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut NameScores, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        let game = game.game(tags(&TAGS))?;
        for (color, tag) in [Color::White, Color::Black].into_iter().zip(TAGS) {
            sum.count(game.tags.value(tag), seen_by(color, outcome));
        }
        Ok(())
    }

    fn add(&self, sum: &mut NameScores, part: NameScores, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for TitleStatistic {
    fn rows(&self, sum: &NameScores, most: Option<usize>) -> StatsRows {
        sum.rows(most)
    }
}
