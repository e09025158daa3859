//! Databases that are fed from sites.

use crate::FetchAnswer;
use crate::macros::answers;

answers! {
    /// The sites that a database is fed from, and how often it is renewed.
    pub struct SourcesAnswer {
        /// The sources, in the order in which they were added.
        pub sources: Vec<SourceNameAnswer>,
        /// The hours after which it is renewed while the server runs; null if it is not.
        pub hours: Option<u64>,
        /// When it was renewed last, in seconds since 1970; null if that is not known.
        pub last: Option<u64>,
        /// Whether it can be renewed here.
        pub possible: bool,
        /// Whether the games of one more account can be fetched into it here.
        pub may_add: bool,
    }

    /// A source of a database.
    pub struct SourceNameAnswer {
        /// The source, such as `lichess samplerook`.
        pub source: String,
        /// The player whose games it has; null if it is not an account.
        pub player: Option<String>,
    }

    /// What a renewal has brought.
    pub struct RenewalAnswer {
        /// The sources that were asked.
        pub sources: Vec<FetchAnswer>,
    }
}
