//! How many moves games have.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::score::ScoreScale;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::{StatsRow, StatsRows};

/// How many moves games have.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "lengths",
    title: "Lengths in moves",
    order: RowOrder::Own,
    own: false,
    full: false,
    begin: begin::<LengthStatistic>,
};

/// Moves that are counted together.
const STEP: u32 = 10;

/// The band of all longer games.
const LAST: u32 = 21;

/// What a band is called: `0`, `1-10`, `11-20`, … and `201-`.
fn label_of(band: u32) -> String {
    match band {
        0 => "0".into(),
        LAST => format!("{}-", (LAST - 1) * STEP + 1),
        band => format!("{}-{}", (band - 1) * STEP + 1, band * STEP),
    }
}

#[derive(Default)]
struct LengthStatistic;

impl Statistic for LengthStatistic {
    /// By tens of moves that were begun, games without moves apart.
    type Sum = ScoreScale;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::PLIES.union(FactFields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let fact = game.fact()?;
        let moves = fact
            .plies
            .map(|plies| plies.div_ceil(2).div_ceil(STEP).min(LAST));
        let band = moves.and_then(|band| u16::try_from(band).ok());
        sum.count(band, fact.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for LengthStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        let label =
            |key: Option<u16>| key.map_or_else(String::new, |band| label_of(u32::from(band)));
        sum.iter()
            .map(|(key, score)| StatsRow::new(label(key), score))
            .collect::<Vec<_>>()
            .into()
    }
}
