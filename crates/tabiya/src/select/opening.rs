//! The opening of one game.

use tabiya_model::Game;
use tabiya_model::positions::MoveDelta;
use tabiya_model::tape::Replay;
use tabiya_openings::{self as openings, Opening};

/// The opening of a game: that of the last position of its main line that has a name.
pub fn opening(game: &Game, replay: &mut Replay) -> Option<Opening> {
    let start = game.start_board();
    replay.reset(&start);
    let moves = game.tape.main_line().map(|m| {
        let delta = MoveDelta::of_move(replay.now(), m);
        replay.play(m);
        delta
    });
    openings::of_line(&start, moves)
}
