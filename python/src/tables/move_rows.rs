//! Rows of moves: one for each ply of the main line.

use tabiya::formats::annotations::ClocksAndEvaluation;
use tabiya::model::board::FenWriter;
use tabiya::model::command::{ClockTime, Evaluation, plain_text};
use tabiya::model::{Game, TapeOp};
use tabiya_columns::{CellValue, RowGroupBuilder};

use super::fields::TableColumns;
use crate::game::castling_of;

/// Makes rows of the moves of games.
pub(super) struct MoveRows {
    fields: Vec<tabiya_columns::ColumnSchema>,
    rows: RowGroupBuilder,
    has_fen: bool,
    has_uci: bool,
    has_annotations: bool,
    fen: FenWriter,
    text: Vec<u8>,
}

/// A time in seconds.
pub(crate) fn seconds(time: ClockTime) -> f64 {
    let seconds = time.amount.as_secs_f64();
    if time.negative { -seconds } else { seconds }
}

impl MoveRows {
    pub(super) fn new(columns: &TableColumns) -> MoveRows {
        let annotations = [
            "nags", "clk", "emt", "eval", "mate", "depth", "text", "comment",
        ];
        MoveRows {
            fields: columns.fields.clone(),
            rows: RowGroupBuilder::new(&columns.fields),
            has_fen: columns.has("fen"),
            has_uci: columns.has("uci"),
            has_annotations: annotations.iter().any(|name| columns.has(name)),
            fen: FenWriter::default(),
            text: Vec::new(),
        }
    }

    pub(super) fn take(&mut self) -> RowGroupBuilder {
        std::mem::replace(&mut self.rows, RowGroupBuilder::new(&self.fields))
    }

    /// Adds the moves of a game, and says how many there are.
    pub(super) fn push(&mut self, game: &Game) -> usize {
        let (mut board, style) = (game.start_board(), castling_of(game));
        let (mut at, mut plies) = (0, 0_i64);
        while let Some(op) = game.tape.get(at) {
            let m = match op {
                TapeOp::Move(m) => m,
                TapeOp::Begin(_) => {
                    at = game.tape.skip(at);
                    continue;
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            plies += 1;
            let side = board.turn().fold_wb("white", "black");
            self.rows.push(1, CellValue::Int(plies));
            self.rows
                .push(2, CellValue::Int(i64::from(board.fullmoves())));
            self.rows.push(3, CellValue::Bytes(side.as_bytes()));
            if self.has_uci {
                self.text.clear();
                board.write_uci(m, style, &mut self.text);
            }
            self.rows.push(
                5,
                CellValue::Bytes(if self.has_uci { &self.text } else { b"" }),
            );
            self.text.clear();
            board.play_san(m, &mut self.text);
            self.rows.push(4, CellValue::Bytes(&self.text));
            if self.has_annotations {
                self.annotate(game, at);
            }
            if self.has_fen {
                self.text.clear();
                self.fen.write(&board, &mut self.text);
                self.rows.push(14, CellValue::Bytes(&self.text));
            }
            self.rows.end_row();
            at += 1;
        }
        usize::try_from(plies).unwrap_or(usize::MAX)
    }

    /// What stands behind the move at an index.
    fn annotate(&mut self, game: &Game, at: usize) {
        let (mut nags, mut comment) = (String::new(), String::new());
        let mut next = at + 1;
        loop {
            match game.tape.get(next) {
                Some(TapeOp::Nag(nag)) => {
                    if !nags.is_empty() {
                        nags.push(' ');
                    }
                    nags.push_str(&nag.0.to_string());
                }
                Some(TapeOp::Comment(id)) => {
                    if !comment.is_empty() {
                        comment.push(' ');
                    }
                    comment.push_str(game.tape.text(id));
                }
                Some(TapeOp::Begin(_)) => {
                    next = game.tape.skip(next);
                    continue;
                }
                None | Some(TapeOp::Move(_) | TapeOp::End) => break,
                Some(_) => {}
            }
            next += 1;
        }
        let mut text = |column: usize, text: &str| {
            if !text.is_empty() {
                self.rows.push(column, CellValue::Bytes(text.as_bytes()));
            }
        };
        text(6, &nags);
        if comment.is_empty() {
            return;
        }
        text(12, &plain_text(&comment));
        text(13, &comment);
        let said = ClocksAndEvaluation::after(&game.tape, at);
        for (column, time) in [(7, said.clk), (8, said.emt)] {
            if let Some(time) = time {
                self.rows.push(column, CellValue::Real(seconds(time)));
            }
        }
        let Some((evaluation, depth)) = said.eval else {
            return;
        };
        match evaluation {
            Evaluation::Centipawns(value) => {
                self.rows.push(9, CellValue::Real(f64::from(value) / 100.0));
            }
            Evaluation::Mate(moves) => self.rows.push(10, CellValue::Int(i64::from(moves))),
        }
        if let Some(depth) = depth {
            // A deeper search than an integer of 32 bits holds is none.
            let depth = i64::from(i32::try_from(depth).unwrap_or(i32::MAX));
            self.rows.push(11, CellValue::Int(depth));
        }
    }
}
