//! Rows of positions: one for each position of the main line, with the move that was played there.

use tabiya::explore::move_code::MoveCode;
use tabiya::model::board::FenWriter;
use tabiya::model::outcome::Outcome;
use tabiya::model::positions::MoveDelta;
use tabiya::model::{Board, Game};
use tabiya::openings::position_key::PositionKey;
use tabiya_columns::{CellValue, ColumnSchema, RowGroupBuilder};

use super::fields::TableColumns;

/// Makes rows of the positions of games.
pub(super) struct PositionRows {
    fields: Vec<ColumnSchema>,
    rows: RowGroupBuilder,
    has_fen: bool,
    fen: FenWriter,
    text: Vec<u8>,
}

/// What is known of a game, and stands in each of its rows.
struct GameCells {
    score: Option<f64>,
    elos: [Option<u32>; 2],
}

impl PositionRows {
    pub(super) fn new(columns: &TableColumns) -> PositionRows {
        PositionRows {
            fields: columns.fields.clone(),
            rows: RowGroupBuilder::new(&columns.fields),
            has_fen: columns.has("fen"),
            fen: FenWriter::default(),
            text: Vec::new(),
        }
    }

    pub(super) fn take(&mut self) -> RowGroupBuilder {
        std::mem::replace(&mut self.rows, RowGroupBuilder::new(&self.fields))
    }

    /// Adds the positions of a game, and says how many there are.
    pub(super) fn push(&mut self, game: &Game) -> usize {
        let cells = GameCells {
            score: match game.result() {
                Outcome::WhiteWins => Some(1.0),
                Outcome::Draw => Some(0.5),
                Outcome::BlackWins => Some(0.0),
                Outcome::Unknown => None,
            },
            elos: ["WhiteElo", "BlackElo"].map(|name| game.tags.number(name)),
        };
        let mut board = game.start_board();
        let mut key = PositionKey::of_board(&board);
        let mut ply = 0_i64;
        for m in game.tape.main_line() {
            let delta = MoveDelta::of_move(&board, m);
            self.row(&board, key, ply, Some(delta), &cells);
            key = key.after(delta);
            board.play(m);
            ply += 1;
        }
        self.row(&board, key, ply, None, &cells);
        usize::try_from(ply).unwrap_or(usize::MAX).saturating_add(1)
    }

    fn row(
        &mut self,
        board: &Board,
        key: PositionKey,
        ply: i64,
        played: Option<MoveDelta>,
        cells: &GameCells,
    ) {
        self.rows.push(0, CellValue::Int(key.0.cast_signed()));
        self.rows.push(2, CellValue::Int(ply));
        if let Some(delta) = played {
            let step = MoveCode::of(delta);
            self.rows.push(3, CellValue::Int(i64::from(step.0)));
        }
        if let Some(score) = cells.score {
            self.rows.push(4, CellValue::Real(score));
        }
        for (column, elo) in (5..).zip(cells.elos) {
            if let Some(elo) = elo.and_then(|elo| i32::try_from(elo).ok()) {
                self.rows.push(column, CellValue::Int(i64::from(elo)));
            }
        }
        if self.has_fen {
            self.text.clear();
            self.fen.write(board, &mut self.text);
            self.rows.push(7, CellValue::Bytes(&self.text));
        }
        self.rows.end_row();
    }
}
