//! Where games leave what was played before: `novelty --json`, `deepest --json`.

use crate::games::BaseGameAnswer;
use crate::macros::answers;

answers! {
    /// Where a game leaves what was played before it: a line of `novelty --json`.
    pub struct NoveltyAnswer {
        /// The game.
        pub game: BaseGameAnswer<'static>,
        /// The ply that is new, from 1; null where the whole game was played before.
        pub ply: Option<u32>,
        /// The new move.
        pub san: Option<String>,
        /// Plies that were played before.
        pub known: u64,
        /// Games that came so far before.
        pub games: u64,
        /// What was played there before, the most frequent first.
        pub before: Vec<EarlierMoveAnswer>,
    }

    /// What was played before.
    pub struct EarlierMoveAnswer {
        /// The move; null for games that ended there.
        pub san: Option<String>,
        /// Games.
        pub games: u64,
    }
}
