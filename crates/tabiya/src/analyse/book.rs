//! Positions of the opening that are known well enough not to be analysed.

use std::collections::HashMap;
use std::sync::Arc;

use tabiya_model::{Board, Game};

/// How far into a game the opening reaches at most, in half-moves.
const LONGEST: usize = 40;

/// How many games reach a position.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// The hash of a position, castling and en passant included.
    positions: Arc<HashMap<u64, u32>>,
    least: u32,
}

impl Book {
    /// Counts the opening of a game.
    pub fn add(&mut self, game: &Game) {
        let positions = Arc::make_mut(&mut self.positions);
        let mut board = game.start_board();
        for m in game.tape.main_line().take(LONGEST) {
            board.play(m);
            let count = positions.entry(board.zobrist()).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// With those positions only that so many games reach.
    #[must_use]
    pub fn at_least(mut self, games: u32) -> Book {
        self.least = games.max(1);
        let least = self.least;
        Arc::make_mut(&mut self.positions).retain(|_, count| *count >= least);
        self
    }

    /// Whether enough games reach a position.
    #[must_use]
    pub fn knows(&self, board: &Board) -> bool {
        self.positions
            .get(&board.zobrist())
            .is_some_and(|count| *count >= self.least)
    }

    /// How many positions it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
