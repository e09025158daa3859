//! Fast positions: the moves of games for searches and indexes, without names, texts or legality checks.

use tabiya_model::positions::{GameWalker, PositionSource};
use tabiya_model::{Game, GameNeeds};

use super::base::Cbh2Reader;
use super::scratch::Cbh2Scratch;
use crate::cbh::positions::{CbhMoveSource, CbhWalker};

impl CbhMoveSource for Cbh2Reader {
    type Scratch = Cbh2Scratch;

    fn game_count(&self) -> u64 {
        self.count()
    }

    fn read_moves_alone(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Cbh2Scratch,
        game: &mut Game,
    ) {
        self.read_only_moves(number, want, scratch, game);
    }
}

impl PositionSource for Cbh2Reader {
    fn walker(&self) -> Box<dyn GameWalker + '_> {
        Box::new(CbhWalker::new(self))
    }
}
