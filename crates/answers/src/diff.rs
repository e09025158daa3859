//! Differences of two databases: `diff --json`.

use crate::macros::answers;

answers! {
    /// A difference: a line of `diff --json`.
    pub struct DifferenceAnswer {
        /// Its kind.
        pub kind: DifferenceKindAnswer,
        /// The game of the first database; null if only the second has it.
        pub a: Option<GamePlaceAnswer>,
        /// The game of the second database; null if only the first has it.
        pub b: Option<GamePlaceAnswer>,
        /// The differences within a game that was changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub differences: Option<Vec<GameDifferenceAnswer>>,
    }

    /// The kind of a difference.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "kebab-case")]
    pub enum DifferenceKindAnswer {
        /// The game was changed.
        Changed,
        /// The game has another number.
        Moved,
        /// Only the first database has the game.
        OnlyA,
        /// Only the second database has the game.
        OnlyB,
    }

    /// A game and its number.
    pub struct GamePlaceAnswer {
        /// The name of its database.
        pub base: String,
        /// Its number.
        pub number: u64,
        /// The players.
        pub title: String,
    }

    /// A difference within a game.
    pub struct GameDifferenceAnswer {
        /// The part of the game: a tag, a comment, a move.
        pub aspect: &'static str,
        /// The difference.
        pub message: String,
    }

    /// The totals of a comparison: the last line of `diff --json`.
    pub struct DiffAnswer {
        /// Games of the first database.
        pub games_a: u64,
        /// Games of the second database.
        pub games_b: u64,
        /// Games that are the same.
        pub same: u64,
        /// Games that were changed.
        pub changed: u64,
        /// Games that have another number.
        pub moved: u64,
        /// Games that only the first database has.
        pub only_a: u64,
        /// Games that only the second database has.
        pub only_b: u64,
        /// Whether everything was compared.
        pub whole: bool,
    }
}
