//! Differences of two databases: `diff --json`.

use crate::macros::answers;

answers! {
    /// A difference: a line of `diff --json`.
    pub struct DifferenceAnswer {
        /// What it is.
        pub kind: DifferenceKindAnswer,
        /// The game of the first database; null where it has none.
        pub a: Option<GamePlaceAnswer>,
        /// The game of the second database; null where it has none.
        pub b: Option<GamePlaceAnswer>,
        /// What is different in a game that was changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub differences: Option<Vec<GameDifferenceAnswer>>,
    }

    /// What a difference is.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "kebab-case")]
    pub enum DifferenceKindAnswer {
        /// The game is another one.
        Changed,
        /// The game stands elsewhere.
        Moved,
        /// Only the first database has the game.
        OnlyA,
        /// Only the second database has the game.
        OnlyB,
    }

    /// A game by its place.
    pub struct GamePlaceAnswer {
        /// The name of its base.
        pub base: String,
        /// Its number.
        pub number: u64,
        /// Who plays.
        pub title: String,
    }

    /// What is different in a game.
    pub struct GameDifferenceAnswer {
        /// What of the game: a tag, a comment, a move.
        pub aspect: &'static str,
        /// The difference.
        pub message: String,
    }

    /// The numbers of a comparison: the last line of `diff --json`.
    pub struct DiffAnswer {
        /// Games of the first database.
        pub games_a: u64,
        /// Games of the second database.
        pub games_b: u64,
        /// Games that are the same.
        pub same: u64,
        /// Games that were changed.
        pub changed: u64,
        /// Games that stand elsewhere.
        pub moved: u64,
        /// Games that only the first database has.
        pub only_a: u64,
        /// Games that only the second database has.
        pub only_b: u64,
        /// Whether everything was compared.
        pub whole: bool,
    }
}
