//! Duplicates: `dedupe --json`.

use crate::games::BaseGameAnswer;
use crate::macros::answers;

answers! {
    /// A pair of duplicates: a line of `dedupe --json`.
    pub struct DuplicatePairAnswer {
        /// The game that is kept.
        pub keep: BaseGameAnswer<'static>,
        /// The game that is dropped.
        pub drop: BaseGameAnswer<'static>,
        /// How the moves of the dropped game compare with those of the other: `same`, `begins` or `goes-on`.
        pub kind: &'static str,
        /// Why they are duplicates.
        pub reasons: Vec<String>,
        /// Why the one is kept.
        pub stays: String,
    }
}
