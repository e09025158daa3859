//! The opening of one game.

use tabiya_model::Game;
use tabiya_openings::{self as openings, Opening};

/// The opening of a game: that of the last position of its main line that has a name.
#[must_use]
pub fn opening(game: &Game) -> Option<Opening> {
    openings::of_game(game)
}
