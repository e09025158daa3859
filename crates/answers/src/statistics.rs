//! Statistics: `stats --json`.

use crate::macros::answers;

answers! {
    /// The statistics of games: `stats --json`.
    pub struct StatisticsAnswer {
        /// The names of the databases.
        pub bases: Vec<String>,
        /// Games that were counted.
        pub games: u64,
        /// Damaged games among those that had to be read.
        pub damaged: u64,
        /// A table for each statistic.
        pub statistics: Vec<TableAnswer>,
        /// Whether everything was processed.
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
        /// The wins of the player in the row.
        Own,
        /// White's.
        White,
    }

    /// A row of a statistic.
    pub struct TableRowAnswer {
        /// The value that is counted.
        pub label: String,
        /// Its depth in a tree; 0 at the root.
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
