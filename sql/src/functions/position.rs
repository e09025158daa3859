//! `has_position`: whether a game passes through a position.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanBuilder};
use datafusion::common::Result;
use shakmaty::Color;
use tabiya::model::Board;

use super::arguments::{FunctionArguments, ParsedArgument};
use super::light_board::PositionTarget;
use crate::roots::refuse;

/// Exactly these pieces, and this side to move where the FEN says one.
pub(crate) fn read(fen: &str) -> Result<(Board, Option<Color>)> {
    let (board, _) = Board::from_fen(fen)
        .map_err(|error| refuse(format!("has_position: {fen:?} is not a position: {error}")))?;
    let says_turn = fen.split_whitespace().nth(1).is_some();
    let turn = says_turn.then(|| board.turn());
    Ok((board, turn))
}

fn target(fen: &str) -> Result<PositionTarget> {
    let (board, turn) = read(fen)?;
    Ok(PositionTarget::new(&board, turn))
}

pub(super) fn has_position(arguments: &FunctionArguments) -> Result<ArrayRef> {
    let moves = arguments.moves(0)?;
    let mut targets = ParsedArgument::new(arguments.texts(1)?, target);
    let mut starts = arguments.starts(2)?;
    let mut found = BooleanBuilder::with_capacity(arguments.rows);
    for row in 0..arguments.rows {
        let start = starts.get(row);
        found.append_option(match (targets.get(row)?, start) {
            (Some(target), Some(start)) if moves.is_valid(row) => {
                Some(target.is_in(&start.light, start.turn, moves.value(row)))
            }
            _ => None,
        });
    }
    Ok(Arc::new(found.finish()))
}
