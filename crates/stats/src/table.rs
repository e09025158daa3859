//! The answer of a statistic.

use std::cmp::Ordering;

use tabiya_answers::{TableAnswer, TableRowAnswer, WinsAnswer};

use crate::score::ResultCounts;
use crate::statistic::{RowOrder, StatisticKind};

/// A line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatsRow {
    /// What is counted here. Empty if a name is missing or a value is unknown.
    pub label: String,
    /// Its depth in a tree: the games of a row are among those of the last row with a smaller depth.
    pub depth: u8,
    /// The games.
    pub score: ResultCounts,
}

impl StatsRow {
    /// A row outside of any tree.
    pub fn new(label: impl Into<String>, score: ResultCounts) -> StatsRow {
        StatsRow {
            label: label.into(),
            depth: 0,
            score,
        }
    }
}

/// Rows, and their number before cutting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatsRows {
    /// The rows.
    pub rows: Vec<StatsRow>,
    /// Including those that were left out.
    pub distinct: usize,
}

impl From<Vec<StatsRow>> for StatsRows {
    fn from(rows: Vec<StatsRow>) -> StatsRows {
        let distinct = rows.len();
        StatsRows { rows, distinct }
    }
}

/// The order of names: the most games first.
pub(crate) fn by_games(one: (&str, &ResultCounts), two: (&str, &ResultCounts)) -> Ordering {
    let games = two.1.games().cmp(&one.1.games());
    games.then_with(|| one.0.cmp(two.0))
}

/// The answer of a statistic.
#[derive(Clone, Debug)]
pub struct StatsTable {
    /// The name of the statistic.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Whether wins are those of the player that a row is about, and not White's.
    pub own: bool,
    /// Its rows.
    pub rows: Vec<StatsRow>,
    /// How many rows there were before it was cut.
    pub distinct: usize,
}

impl StatsTable {
    /// A table of rows in the order of its kind: those of a list of names with the most games first, and no more than
    /// `most` of those.
    pub fn new(kind: &'static StatisticKind, rows: StatsRows, most: Option<usize>) -> StatsTable {
        StatsTable::titled(kind.name, kind.title, kind.own, rows, kind.order, most)
    }

    /// The same for a table of no kind.
    pub(crate) fn titled(
        name: &'static str,
        title: &'static str,
        own: bool,
        rows: StatsRows,
        order: RowOrder,
        most: Option<usize>,
    ) -> StatsTable {
        let StatsRows { mut rows, distinct } = rows;
        if order == RowOrder::Most {
            rows.sort_by(|one, two| by_games((&one.label, &one.score), (&two.label, &two.score)));
            rows.truncate(most.unwrap_or(usize::MAX));
        }
        StatsTable {
            name,
            title,
            own,
            rows,
            distinct,
        }
    }

    /// The table for programs.
    pub fn answer(&self) -> TableAnswer {
        let rows = self.rows.iter().map(|row| {
            let ResultCounts {
                wins,
                draws,
                losses,
                other,
            } = row.score;
            TableRowAnswer {
                label: row.label.clone(),
                depth: u64::from(row.depth),
                games: row.score.games(),
                wins,
                draws,
                losses,
                other,
            }
        });
        TableAnswer {
            name: self.name,
            title: self.title,
            wins: if self.own {
                WinsAnswer::Own
            } else {
                WinsAnswer::White
            },
            distinct: self.distinct as u64,
            rows: rows.collect(),
        }
    }
}
