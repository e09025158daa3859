//! Games from elsewhere: from texts, and from python-chess move by move.

use std::io::Cursor;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyTuple};
use tabiya::formats::format::OpenOptions;
use tabiya::formats::pgn;
use tabiya::model::database::for_each_game;
use tabiya::model::game::{StartingPosition, Variant};
use tabiya::model::nag::Nag;
use tabiya::model::outcome::Outcome;
use tabiya::model::{Board, Error, Game, GameNeeds, Replay, error_codes};

use crate::failure::{raised, refused};
use crate::game::PythonGame;

/// All games of a PGN text.
pub(crate) fn read_pgn(py: Python<'_>, text: Vec<u8>) -> PyResult<Vec<Game>> {
    py.detach(move || {
        let stream = pgn::FORMAT
            .stream
            .ok_or_else(|| Error::new(&error_codes::INTERNAL, "PGN cannot be read from a text"))?;
        let mut source = stream(Box::new(Cursor::new(text)), &OpenOptions::default())?;
        let mut games = Vec::new();
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            games.push(std::mem::take(game));
            Ok(())
        })?;
        Ok(games)
    })
    .map_err(|error: Error| raised(py, &error))
}

/// Sets the starting position of a game by its tags.
pub(crate) fn set_start(game: &mut Game) {
    game.variant = game
        .tags
        .get("Variant")
        .map_or(Variant::Standard, Variant::from_name);
    game.start = match game.tags.get("FEN").map(Board::from_fen) {
        Some(Ok((board, problems))) => StartingPosition::Setup(Box::new(board), problems),
        _ => StartingPosition::Standard,
    };
}

/// A game from its tags and its operations, in the form of `_ops`, with moves in UCI notation.
#[pyfunction]
#[pyo3(signature = (tags, ops, ending))]
pub(crate) fn game_of_ops(
    py: Python<'_>,
    tags: Vec<(String, String)>,
    ops: Vec<Bound<'_, PyTuple>>,
    ending: Option<&str>,
) -> PyResult<PythonGame> {
    let mut game = Game::default();
    for (name, value) in &tags {
        game.tags.push(name, value);
    }
    set_start(&mut game);
    game.outcome = ending.and_then(Outcome::from_pgn);
    let mut replay = Replay::new(&game.start_board());
    for (at, op) in ops.iter().enumerate() {
        let word: String = op.get_item(0)?.extract()?;
        let value = |place: usize| -> PyResult<Bound<'_, PyAny>> { op.get_item(place) };
        let bad = |why: &str| refused(py, "UsageError", &format!("operation {at}: {why}"));
        match word.as_str() {
            "move" => {
                let uci: String = value(1)?.extract()?;
                let m = replay
                    .now()
                    .parse_uci(uci.as_bytes())
                    .ok_or_else(|| bad(&format!("{uci} is not a move in the position")))?;
                game.tape.push_move(m);
                replay.play(m);
            }
            "nag" => game.tape.push_nag(Nag(value(1)?.extract()?)),
            "comment" => {
                let text: String = value(1)?.extract()?;
                game.tape.push_comment(&text);
            }
            "begin" => {
                if !replay.begin() {
                    return Err(bad("there is no move for the variation to replace"));
                }
                game.tape.begin_variation();
            }
            "end" => {
                if !replay.end() {
                    return Err(bad("there is no variation"));
                }
                game.tape.end_variation();
            }
            _ => return Err(bad("its kind is unknown")),
        }
        if game.tape.is_full() {
            return Err(bad("the game is too long"));
        }
    }
    if replay.depth() > 0 {
        return Err(refused(py, "UsageError", "a variation has no end"));
    }
    Ok(PythonGame::new(game, None))
}
