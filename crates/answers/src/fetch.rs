//! Downloads from sites: `fetch --json`.

use crate::macros::answers;

answers! {
    #[derive(serde::Deserialize)]
    /// The result of fetching one source: a line of `fetch --json`.
    pub struct FetchAnswer {
        /// The source, such as `lichess samplerook`.
        pub source: String,
        /// The database or file that received the games.
        pub base: String,
        /// New games.
        pub added: u64,
        /// Games that were replaced, because their site now has more of them.
        pub renewed: u64,
        /// Games that were received and were already in the database.
        pub there: u64,
        /// Games that the database cannot hold.
        pub refused: u64,
        /// Chapters that were sent to the site and received by it.
        pub sent: u64,
        /// Requests that were sent.
        pub requests: u64,
        /// Chapters that were changed both at the site and here.
        pub conflicts: Vec<FetchConflictAnswer>,
        /// Other notes.
        pub notes: Vec<String>,
        /// Why it stopped early; null if it did not.
        pub error: Option<String>,
    }

    #[derive(serde::Deserialize)]
    /// A chapter of a study that was changed both at the site and here: both versions.
    pub struct FetchConflictAnswer {
        /// The address of the chapter.
        pub chapter: String,
        /// The number of the game in the database.
        pub number: u64,
        /// The version in the database, as PGN.
        pub here: String,
        /// The version at the site, as PGN.
        pub there: String,
        /// What differs, each a sentence.
        pub differences: Vec<String>,
    }
}
