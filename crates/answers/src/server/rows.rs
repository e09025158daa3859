//! Rows of games, and searches.

use crate::macros::answers;

answers! {
    /// A page of a list of games.
    pub struct GameRowsAnswer {
        /// How many rows the list has.
        pub total: u64,
        /// The index of the first row of the page, from 0.
        pub from: u64,
        /// The rows.
        pub rows: Vec<ListRowAnswer>,
        /// Whether these are all requested rows; false if reading them took too long.
        pub whole: bool,
    }

    /// A row of a list of games; very long texts are cut.
    pub struct ListRowAnswer {
        /// The number of the game.
        pub number: u64,
        /// White's name.
        pub white: String,
        /// Black's name.
        pub black: String,
        /// White's Elo; null if the tag is not a number.
        #[serde(rename = "whiteElo")]
        pub white_elo: Option<u32>,
        /// Black's Elo; null if the tag is not a number.
        #[serde(rename = "blackElo")]
        pub black_elo: Option<u32>,
        /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
        pub result: &'static str,
        /// The date, as in the tag.
        pub date: String,
        /// The event.
        pub event: String,
        /// The site.
        pub site: String,
        /// The round.
        pub round: String,
        /// The ECO code, as in the tag.
        pub eco: String,
        /// Whether it is marked as deleted.
        pub deleted: bool,
        /// Plies of the main line; null if they were not counted.
        pub plies: Option<u64>,
        /// Only in the rows of a search: the ply of the first match; null if the query is about the game as a whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ply: Option<Option<u32>>,
    }

    /// The numbers of the games of a search.
    pub struct NumbersAnswer {
        /// How many games were found.
        pub total: u64,
        /// The index of the first number, from 0.
        pub from: u64,
        /// The numbers.
        pub numbers: Vec<u64>,
    }

    /// A line of a search in progress.
    #[serde(tag = "kind", rename_all = "lowercase")]
    pub enum SearchLineAnswer {
        /// The first line: the id under which the rows are kept.
        View {
            /// The id.
            view: String,
        },
        /// Rows that were found, the first of them one by one.
        Rows {
            /// The rows.
            rows: Vec<ListRowAnswer>,
        },
        /// The progress.
        Found {
            /// Games that were found.
            found: u64,
            /// The number of the game that was searched last.
            asked: u64,
            /// Games of the database; null if unknown.
            total: Option<u64>,
        },
        /// The last line.
        Done(SearchEndAnswer),
    }

    /// The end of a search.
    pub struct SearchEndAnswer {
        /// Games that were found.
        pub found: u64,
        /// Whether all games were searched.
        pub whole: bool,
        /// Other notes.
        pub notes: Vec<String>,
    }

    /// Names that begin with the typed text.
    pub struct CompletionsAnswer {
        /// The names.
        pub names: Vec<String>,
    }
}

impl GameRowsAnswer {
    /// The JSON of the answer. Most of what a server sends is rows: the code that writes them is compiled with this crate, for more
    /// speed than the server's own.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        // Only a map whose keys are no texts could not be told.
        serde_json::to_vec(self).unwrap_or_default()
    }
}
