//! Duplicate games.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use tabiya_model::Game;
use tabiya_model::canon_game::fold as fold_space;
use tabiya_query::fold::fold;

/// Which games count as the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DuplicateCriterion {
    /// Players, date, round, result and all moves of the main line.
    Game,
    /// All moves of the main line.
    Moves,
}

/// The games that were seen.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenGames(HashSet<u128>);

impl SeenGames {
    /// Whether a game is there for the first time.
    pub(super) fn is_new(&mut self, key: u128) -> bool {
        self.0.insert(key)
    }
}

impl DuplicateCriterion {
    /// What is equal for games that are the same, and for others with a chance of one to 2¹²⁸.
    pub(super) fn key(self, game: &Game) -> u128 {
        let halves = [0_u8, 1].map(|half| {
            let mut hasher = DefaultHasher::new();
            half.hash(&mut hasher);
            self.hash(game, &mut hasher);
            u128::from(hasher.finish())
        });
        let [high, low] = halves;
        high << 64 | low
    }

    fn hash(self, game: &Game, hasher: &mut DefaultHasher) {
        if self == DuplicateCriterion::Game {
            for name in ["White", "Black", "Date", "Round"] {
                fold_space(&fold(game.tags.value(name))).hash(hasher);
            }
            game.result().to_scid().hash(hasher);
        }
        match &game.start {
            tabiya_model::game::StartingPosition::Standard => 0_u8.hash(hasher),
            tabiya_model::game::StartingPosition::Setup(board, _) => board.to_fen().hash(hasher),
        }
        for m in game.tape.main_line() {
            hasher.write_u32(m.bits());
        }
    }
}
