//! Functions that play games by the rules: positions as FEN, moves as SAN, names of openings.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, StringViewBuilder};
use datafusion::common::Result;
use tabiya::formats::parquet::find_move;
use tabiya::model::Board;
use tabiya::model::positions::MoveDelta;
use tabiya::openings;

use super::arguments::FunctionArguments;
use super::light_board::codes;

/// The position behind so many plies; `None` where the game has fewer, or one of them follows no rule.
fn behind(start: &Board, cell: &[u8], plies: usize) -> Option<Board> {
    let mut board = start.clone();
    let mut played = 0;
    for code in codes(cell).take(plies) {
        board.play(find_move(&board, code)?);
        played += 1;
    }
    (played == plies).then_some(board)
}

/// Calls `text` with the start, the moves and the ply of each row that has all of them.
fn texts(
    arguments: &FunctionArguments,
    text: impl Fn(&Board, &[u8], usize) -> Option<String>,
) -> Result<ArrayRef> {
    let moves = arguments.moves(0)?;
    let plies = arguments.numbers(1)?;
    let mut starts = arguments.starts(2)?;
    let mut found = StringViewBuilder::with_capacity(arguments.rows);
    for row in 0..arguments.rows {
        let ply = plies.get(row).and_then(|ply| usize::try_from(ply).ok());
        found.append_option(match (ply, starts.get(row)) {
            (Some(ply), Some(start)) if moves.is_valid(row) => {
                text(&start.board, moves.value(row), ply)
            }
            _ => None,
        });
    }
    Ok(Arc::new(found.finish()))
}

/// The position after a ply, counted from 1; 0 is the start.
pub(super) fn fen_at(arguments: &FunctionArguments) -> Result<ArrayRef> {
    texts(arguments, |start, cell, ply| {
        behind(start, cell, ply).map(|board| board.to_fen())
    })
}

/// A ply, counted from 1, in algebraic notation.
pub(super) fn san(arguments: &FunctionArguments) -> Result<ArrayRef> {
    texts(arguments, |start, cell, ply| {
        let before = ply.checked_sub(1)?;
        let mut board = behind(start, cell, before)?;
        let m = find_move(&board, codes(cell).nth(before)?)?;
        let mut text = Vec::new();
        board.play_san(m, &mut text);
        String::from_utf8(text).ok()
    })
}

/// The name of the opening: the last position of the game that has one.
pub(super) fn line_name(arguments: &FunctionArguments) -> Result<ArrayRef> {
    let moves = arguments.moves(0)?;
    let mut starts = arguments.starts(1)?;
    let mut found = StringViewBuilder::with_capacity(arguments.rows);
    for row in 0..arguments.rows {
        let opening = starts.get(row).filter(|_| moves.is_valid(row));
        let opening = opening.and_then(|start| {
            let mut board = start.board.clone();
            let deltas = codes(moves.value(row)).map_while(|code| {
                let m = find_move(&board, code)?;
                let delta = MoveDelta::of_move(&board, m);
                board.play(m);
                Some(delta)
            });
            openings::of_line(&start.board, deltas)
        });
        found.append_option(opening.map(|opening| opening.name));
    }
    Ok(Arc::new(found.finish()))
}
