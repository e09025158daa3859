//! Games that are one game: `dedupe --json`.

use crate::games::BaseGameAnswer;
use crate::macros::answers;

answers! {
    /// Two games that are one: a line of `dedupe --json`.
    pub struct DuplicatePairAnswer {
        /// The game that stays.
        pub keep: BaseGameAnswer<'static>,
        /// The game that goes.
        pub drop: BaseGameAnswer<'static>,
        /// What the one that goes has of the moves of the other: `same`, `begins` or `goes-on`.
        pub kind: &'static str,
        /// Why they are one game.
        pub reasons: Vec<String>,
        /// Why the one stays.
        pub stays: String,
    }
}
