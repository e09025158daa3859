//! Novelties of games: `novelty --json`, `deepest --json`.

use crate::games::BaseGameAnswer;
use crate::macros::answers;

answers! {
    /// The novelty of a game: a line of `novelty --json`.
    pub struct NoveltyAnswer {
        /// The game.
        pub game: BaseGameAnswer<'static>,
        /// The ply of the novelty, from 1; null if the whole game was played before.
        pub ply: Option<u32>,
        /// The novelty.
        pub san: Option<String>,
        /// Plies that were played before.
        pub known: u64,
        /// Earlier games that reached this position.
        pub games: u64,
        /// The moves that were played there before, the most frequent first.
        pub before: Vec<EarlierMoveAnswer>,
    }

    /// A move that was played before.
    pub struct EarlierMoveAnswer {
        /// The move; null for games that ended there.
        pub san: Option<String>,
        /// Games.
        pub games: u64,
    }
}
