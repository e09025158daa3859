//! What was fetched from sites: `fetch --json`.

use crate::macros::answers;

answers! {
    /// What was fetched from one source: a line of `fetch --json`.
    pub struct FetchAnswer {
        /// The source, such as `lichess samplerook`.
        pub source: String,
        /// The base or file that was fed.
        pub base: String,
        /// Games that are new.
        pub added: u64,
        /// Games that were replaced, since their site has more of them by now.
        pub renewed: u64,
        /// Games that were sent and were there already.
        pub there: u64,
        /// Games that the base could not hold.
        pub refused: u64,
        /// Chapters that were sent to the site and arrived.
        pub sent: u64,
        /// Requests that were sent.
        pub requests: u64,
        /// What else there is to be said.
        pub notes: Vec<String>,
        /// Why it ended before its end; null where it did not.
        pub error: Option<String>,
    }
}
