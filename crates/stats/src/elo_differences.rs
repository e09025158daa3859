//! How White scores by the difference in strength.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;

use crate::score::ScoreScale;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::{StatsRow, StatsRows};

/// How White scores by how much stronger or weaker White is.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "differences",
    title: "White's Elo less Black's",
    order: RowOrder::Own,
    own: false,
    full: false,
    begin: begin::<EloDifferenceStatistic>,
};

/// Differences that are counted together.
const STEP: i32 = 100;

/// Where equal ratings stand on the scale: no rating is so many steps above another.
const EQUAL: u16 = 1 << 10;

/// The place of a difference, rounded to the nearest step, halves away from none.
fn place(elos: [u16; 2]) -> Option<u16> {
    let [white, black] = elos.map(i32::from);
    if white == 0 || black == 0 {
        return None;
    }
    let gap = white - black;
    let steps = (gap.abs() + STEP / 2) / STEP;
    u16::try_from(i32::from(EQUAL) + steps * gap.signum()).ok()
}

/// What a place is called: `-200`, `0`, `+100`.
fn label_of(place: u16) -> String {
    match (i32::from(place) - i32::from(EQUAL)) * STEP {
        gap @ 1.. => format!("+{gap}"),
        gap => gap.to_string(),
    }
}

#[derive(Default)]
struct EloDifferenceStatistic;

impl Statistic for EloDifferenceStatistic {
    /// By hundreds; games in which a player has no Elo rating under none.
    type Sum = ScoreScale;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::ELOS.union(FactFields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let fact = game.fact()?;
        sum.count(place(fact.elos), fact.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for EloDifferenceStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        let label = |key: Option<u16>| key.map_or_else(String::new, label_of);
        sum.iter()
            .map(|(key, score)| StatsRow::new(label(key), score))
            .collect::<Vec<_>>()
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_rounded_to_hundreds() {
        for (elos, label) in [
            ([2500, 2500], Some("0")),
            ([2549, 2500], Some("0")),
            ([2550, 2500], Some("+100")),
            ([2500, 2550], Some("-100")),
            ([2500, 2549], Some("0")),
            ([2349, 2500], Some("-200")),
            ([u16::MAX, 1], Some("+65500")),
            ([1, u16::MAX], Some("-65500")),
            ([2500, 0], None),
            ([0, 0], None),
        ] {
            assert_eq!(place(elos).map(label_of).as_deref(), label, "{elos:?}");
        }
    }
}
