//! The players with the most games.

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, NameField, Statistic};
use tabiya_model::facts::{FactFields, FactSource, NameTable};

use crate::name_scores::NameScores;
use crate::score::seen_by;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::StatsRows;

/// The players with the most games.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "players",
    title: "Most frequent players",
    order: RowOrder::Most,
    own: true,
    full: false,
    begin: begin::<PlayerStatistic>,
};

#[derive(Default)]
struct PlayerStatistic;

impl Statistic for PlayerStatistic {
    type Sum = NameScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(
            FactFields::WHITE
                .union(FactFields::BLACK)
                .union(FactFields::OUTCOME),
        )
    }

    fn see(&self, sum: &mut NameScores, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        for color in Color::ALL {
            sum.see(game, NameField::player(color), seen_by(color, outcome))?;
        }
        Ok(())
    }

    fn add(&self, sum: &mut NameScores, part: NameScores, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for PlayerStatistic {
    fn settle(&self, sum: &mut NameScores, facts: Option<&dyn FactSource>) {
        sum.settle(NameTable::Players, facts);
    }

    fn rows(&self, sum: &NameScores, most: Option<usize>) -> StatsRows {
        sum.rows(most)
    }
}
