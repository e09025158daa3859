//! Checks beyond reading: what the index says against what the games say.

use tabiya_model::Game;

use super::layout::Entry;
use super::reader::ScidBase;
use super::record::Seen;

/// Buffers of the checks.
#[derive(Debug, Default)]
pub struct Scratch {}

/// Checks the container of a base.
pub fn container(_base: &mut ScidBase) {}

/// Checks the index entry of a game.
pub fn game(
    _base: &ScidBase,
    _entry: &Entry,
    _seen: &Seen,
    _game: &mut Game,
    _scratch: &mut Scratch,
) {
}
