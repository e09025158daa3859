//! Statistics: `stats --json`.

use crate::macros::answers;

answers! {
    /// The statistics of games: `stats --json`.
    pub struct StatisticsAnswer {
        /// The names of the bases.
        pub bases: Vec<String>,
        /// Games that were counted.
        pub games: u64,
        /// Games that are damaged, of those that had to be read.
        pub damaged: u64,
        /// A table for each statistic.
        pub statistics: Vec<TableAnswer>,
        /// Whether everything was looked at.
        pub whole: bool,
    }

    /// A statistic.
    pub struct TableAnswer {
        /// Its name.
        pub name: &'static str,
        /// Its title.
        pub title: &'static str,
        /// Whose wins are counted.
        pub wins: WinsAnswer,
        /// How many rows there were before the table was cut.
        pub distinct: u64,
        /// The rows.
        pub rows: Vec<TableRowAnswer>,
    }

    /// Whose wins are counted.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum WinsAnswer {
        /// Those of the player whom a row is about.
        Own,
        /// White's.
        White,
    }

    /// A row of a statistic.
    pub struct TableRowAnswer {
        /// What is counted in it.
        pub label: String,
        /// How deep it lies in a tree; 0 at the root.
        pub depth: u64,
        /// Games.
        pub games: u64,
        /// Won games.
        pub wins: u64,
        /// Drawn games.
        pub draws: u64,
        /// Lost games.
        pub losses: u64,
        /// Games without a result.
        pub other: u64,
    }
}
