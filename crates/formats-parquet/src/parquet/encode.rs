//! One game as a row.

use tabiya_columns::{CellValue, RowGroupBuilder};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::positions::MoveDelta;
use tabiya_model::text::TextId;
use tabiya_model::{Board, EncodedGames, Encoder, Game, Losses, Move, Replay, Tape, TapeOp};
use tabiya_openings as openings;

use super::annotations::{self, push_extension, push_number, push_odd};
use super::clocks::{self, ClockAndEval};
use super::layout::MoveColumn;
use super::main_line::MainLineSummary;
use super::text::{push_bytes, push_text};
use super::{compact_moves, derived_columns, layout, moves, record, tags};

/// Makes rows, on any thread.
pub(crate) struct ParquetRowEncoder {
    column: MoveColumn,
    follower: compact_moves::CompactMoveTracker,
    group: RowGroupBuilder,
    splitter: tags::TagSplitter,
    replay: Replay,
    naming: openings::OpeningFollower,
    summary: MainLineSummary,
    moves: Vec<u8>,
    said: Vec<ClockAndEval>,
    notes: Vec<u8>,
    /// Moves of the main line since the last operation.
    waiting: u64,
    scratch: Vec<u8>,
    /// Whether comments of clocks and evaluations have spaces at their ends in this game.
    is_spaced: bool,
}

impl ParquetRowEncoder {
    pub(crate) fn new(column: MoveColumn) -> ParquetRowEncoder {
        ParquetRowEncoder {
            column,
            follower: compact_moves::CompactMoveTracker::default(),
            group: RowGroupBuilder::new(&layout::fields(column)),
            splitter: tags::TagSplitter::default(),
            replay: Replay::new(&Board::standard()),
            naming: openings::OpeningFollower::new(&Board::standard()),
            summary: MainLineSummary::default(),
            moves: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            waiting: 0,
            scratch: Vec::new(),
            is_spaced: false,
        }
    }

    /// Continues with the rows of another group, which receives those of this one.
    pub(crate) fn swap(&mut self, group: &mut RowGroupBuilder) {
        std::mem::swap(&mut self.group, group);
    }

    /// Takes the rows under construction and starts new ones.
    pub(super) fn take_rows(&mut self) -> RowGroupBuilder {
        let next = RowGroupBuilder::new(&layout::fields(self.column));
        std::mem::replace(&mut self.group, next)
    }

    /// Writes the number of moves of the main line before the next operation.
    fn advance(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting > 0 {
            push_number(annotations::ADVANCE, waiting, &mut self.notes);
        }
    }

    /// Writes what the tags alone do not show about the start and the variant.
    fn head(&mut self, game: &Game) {
        let (start, variant) = record::beginning(&game.tags);
        if variant != game.variant {
            let rules = match game.variant {
                Variant::Standard => 0,
                Variant::Chess960 => 1,
                Variant::Other => 2,
            };
            self.notes.extend([annotations::RULES, rules]);
        }
        if start != game.start {
            let fen = match &game.start {
                StartingPosition::Standard => String::new(),
                StartingPosition::Setup(board, _) => board.to_fen_always_ep(),
            };
            self.notes.push(annotations::START);
            push_bytes(fen.as_bytes(), &mut self.notes);
        }
        // The first of these comments decides for the game; a comment of the other form stays a comment.
        let first = game.tape.ops().find_map(|op| match op {
            TapeOp::Comment(id) => ClockAndEval::read_either(game.tape.text(id)),
            _ => None,
        });
        self.is_spaced = first.is_some_and(|(_, is_spaced)| is_spaced);
        if self.is_spaced {
            self.notes.push(annotations::SPACED);
        }
    }

    fn tape(&mut self, game: &Game) {
        let tape = &game.tape;
        let king_takes_rook = game.variant == Variant::Chess960;
        let mut depth = 0_usize;
        let mut at = 0;
        // A comment that is stored in the columns of clocks and evaluations.
        let mut told = None;
        while let Some(op) = tape.get(at) {
            match op {
                TapeOp::Move(m) => {
                    if depth == 0 {
                        self.main_move(m, king_takes_rook);
                        let found = said(tape, at, self.is_spaced);
                        told = found.map(|(at, _)| at);
                        self.said
                            .push(found.map(|(_, said)| said).unwrap_or_default());
                    } else {
                        let (code, _) = self.code(m, king_takes_rook);
                        self.notes.push(annotations::MOVE);
                        self.notes.extend_from_slice(&code.to_le_bytes());
                    }
                    self.replay.play(m);
                }
                TapeOp::Comment(_) if told == Some(at) => {}
                _ => {
                    self.advance();
                    self.note(tape, op, &mut depth);
                }
            }
            at += 1;
        }
    }

    /// Writes a move of the main line.
    fn main_move(&mut self, m: Move, king_takes_rook: bool) {
        if self.naming.goes_on() {
            self.naming.play(MoveDelta::of_move(self.replay.now(), m));
        }
        self.summary.play(self.replay.now().turn(), m);
        match self.column {
            MoveColumn::Fast => {
                let code = self.main_code(m, king_takes_rook);
                self.moves.extend_from_slice(&code.to_le_bytes());
            }
            MoveColumn::Compact => {
                let is_told = self.follower.push(self.replay.now(), m, &mut self.moves);
                if !is_told {
                    let code = self.main_code(m, king_takes_rook);
                    compact_moves::push_code(code, &mut self.moves);
                }
                self.follower.play(m);
            }
        }
        self.waiting += 1;
    }

    /// The two bytes of a move of the main line.
    fn main_code(&mut self, m: Move, king_takes_rook: bool) -> u16 {
        let (code, is_found) = self.code(m, king_takes_rook);
        if !is_found {
            self.summary.break_rules();
        }
        code
    }

    /// The two bytes of a move, preceded by an operation if they are not sufficient; returns whether they are.
    fn code(&mut self, m: Move, king_takes_rook: bool) -> (u16, bool) {
        let (code, is_found) = moves::code(self.replay.now(), m, king_takes_rook);
        if !is_found {
            self.advance();
            push_odd(m.bits(), &mut self.notes);
        }
        (code, is_found)
    }

    /// Adds an operation that is not a move.
    fn note(&mut self, tape: &Tape, op: TapeOp, depth: &mut usize) {
        let out = &mut self.notes;
        let text = |kind: u8, id: TextId, out: &mut Vec<u8>| {
            out.push(kind);
            push_text(tape.text(id), tape.texts().provenance(id), out);
        };
        match op {
            TapeOp::Nag(nag) => push_number(annotations::NAG, u64::from(nag.0), out),
            TapeOp::Comment(id) => text(annotations::COMMENT, id, out),
            TapeOp::Raw(id) => text(annotations::RAW, id, out),
            TapeOp::Ext(index) => {
                if let Some(extension) = tape.extensions().get(index as usize) {
                    push_extension(&extension.name, &extension.data, out);
                }
            }
            TapeOp::Begin(_) => {
                out.push(annotations::BEGIN);
                self.replay.begin();
                *depth += 1;
            }
            TapeOp::End => {
                out.push(annotations::END);
                self.replay.end();
                *depth = depth.saturating_sub(1);
            }
            TapeOp::Outcome(outcome) => out.extend([annotations::OUTCOME, outcome.to_scid()]),
            TapeOp::Move(_) => {}
        }
    }
}

/// The comment after the move at an index, with the NAGs before it, if it has only clock and evaluation. A reader puts it
/// after the NAGs of the move, so no NAG may follow it.
fn said(tape: &Tape, at: usize, is_spaced: bool) -> Option<(usize, ClockAndEval)> {
    let mut next = at + 1;
    while let Some(TapeOp::Nag(_)) = tape.get(next) {
        next += 1;
    }
    let Some(TapeOp::Comment(id)) = tape.get(next) else {
        return None;
    };
    if matches!(tape.get(next + 1), Some(TapeOp::Nag(_))) || tape.texts().provenance(id).is_some() {
        return None;
    }
    let (said, spaced) = ClockAndEval::read_either(tape.text(id))?;
    (spaced == is_spaced).then_some((next, said))
}

impl Encoder for ParquetRowEncoder {
    fn encode(&mut self, game: &Game, _losses: &mut Losses) {
        self.moves.clear();
        self.said.clear();
        self.notes.clear();
        self.follower.begin();
        self.waiting = 0;
        let start = game.start_board();
        self.replay.reset(&start);
        self.naming = openings::OpeningFollower::new(&start);
        self.summary.begin(game);
        self.replay.expect_variations(game.tape.has_variations());
        self.head(game);
        self.tape(game);
        let group = &mut self.group;
        self.splitter.split(&game.tags, group);
        let plies = i64::try_from(self.said.len()).unwrap_or(i64::MAX);
        group.push(layout::PLIES, CellValue::Int(plies));
        if let Some(outcome) = game.outcome {
            group.push(
                layout::OUTCOME,
                CellValue::Bytes(outcome.as_pgn().as_bytes()),
            );
        }
        let (summary, end) = (&self.summary, self.replay.now());
        derived_columns::push(game, end, summary, self.naming.opening(), group);
        group.push(layout::MOVES, CellValue::Bytes(&self.moves));
        if !self.notes.is_empty() {
            group.push(layout::ANNOTATIONS, CellValue::Bytes(&self.notes));
        }
        for (column, write) in [
            (
                layout::CLOCKS,
                clocks::write_clocks as fn(&[ClockAndEval], &mut Vec<u8>),
            ),
            (layout::EVALS, clocks::write_evals),
        ] {
            self.scratch.clear();
            write(&self.said, &mut self.scratch);
            if !self.scratch.is_empty() {
                group.push(column, CellValue::Bytes(&self.scratch));
            }
        }
        group.end_row();
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(self.take_rows())
    }
}
