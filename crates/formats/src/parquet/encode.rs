//! One game as a row.

use tabiya_columns::{Cell, Group};
use tabiya_model::game::{Start, Variant};
use tabiya_model::positions::Delta;
use tabiya_model::text::TextId;
use tabiya_model::{Board, Encoder, Game, Losses, Move, Op, Part, Replay, Tape};
use tabiya_openings as openings;

use super::annotations::{self, push_extension, push_number, push_odd};
use super::clocks::{self, Said};
use super::layout::MoveColumn;
use super::text::{push_bytes, push_text};
use super::{compact, derived, layout, moves, record, tags};

/// Makes rows, on any thread.
pub(crate) struct RowEncoder {
    column: MoveColumn,
    follower: compact::Follower,
    group: Group,
    splitter: tags::Splitter,
    replay: Replay,
    naming: openings::Follower,
    moves: Vec<u8>,
    said: Vec<Said>,
    notes: Vec<u8>,
    /// Moves of the main line since the last note.
    waiting: u64,
    scratch: Vec<u8>,
    /// Whether comments of clocks and evaluations have spaces at their ends in this game.
    is_spaced: bool,
}

impl RowEncoder {
    pub(crate) fn new(column: MoveColumn) -> RowEncoder {
        RowEncoder {
            column,
            follower: compact::Follower::default(),
            group: Group::new(&layout::fields(column)),
            splitter: tags::Splitter::default(),
            replay: Replay::new(&Board::standard()),
            naming: openings::Follower::new(&Board::standard()),
            moves: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            waiting: 0,
            scratch: Vec::new(),
            is_spaced: false,
        }
    }

    /// Goes on with the rows of another group, which gets those of this one.
    pub(crate) fn swap(&mut self, group: &mut Group) {
        std::mem::swap(&mut self.group, group);
    }

    /// Takes the rows under construction and starts new ones.
    pub(super) fn take_rows(&mut self) -> Group {
        let next = Group::new(&layout::fields(self.column));
        std::mem::replace(&mut self.group, next)
    }

    /// Says that so many moves of the main line stand before the next note.
    fn advance(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting > 0 {
            push_number(annotations::ADVANCE, waiting, &mut self.notes);
        }
    }

    /// What the tags alone would not say of the start and the rules.
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
                Start::Standard => String::new(),
                Start::Setup(board, _) => board.to_fen_always_ep(),
            };
            self.notes.push(annotations::START);
            push_bytes(fen.as_bytes(), &mut self.notes);
        }
        // The first of these comments decides for the game; one of the other kind stays a comment.
        let first = game.tape.ops().find_map(|op| match op {
            Op::Comment(id) => Said::read_either(game.tape.text(id)),
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
        // A comment that the columns of clocks and evaluations have.
        let mut told = None;
        while let Some(op) = tape.get(at) {
            match op {
                Op::Move(m) => {
                    if depth == 0 {
                        self.main_move(m, king_takes_rook);
                        let found = said(tape, at, self.is_spaced);
                        told = found.map(|(at, _)| at);
                        self.said
                            .push(found.map(|(_, said)| said).unwrap_or_default());
                    } else {
                        let code = self.code(m, king_takes_rook);
                        self.notes.push(annotations::MOVE);
                        self.notes.extend_from_slice(&code.to_le_bytes());
                    }
                    self.replay.play(m);
                }
                Op::Comment(_) if told == Some(at) => {}
                _ => {
                    self.advance();
                    self.note(tape, op, &mut depth);
                }
            }
            at += 1;
        }
    }

    /// Tells a move of the main line.
    fn main_move(&mut self, m: Move, king_takes_rook: bool) {
        if self.naming.goes_on() {
            self.naming.play(Delta::of_move(self.replay.now(), m));
        }
        match self.column {
            MoveColumn::Fast => {
                let code = self.code(m, king_takes_rook);
                self.moves.extend_from_slice(&code.to_le_bytes());
            }
            MoveColumn::Compact => {
                let is_told = self.follower.push(self.replay.now(), m, &mut self.moves);
                if !is_told {
                    let code = self.code(m, king_takes_rook);
                    compact::push_code(code, &mut self.moves);
                }
                self.follower.play(m);
            }
        }
        self.waiting += 1;
    }

    /// The two bytes of a move, with a note before one that they do not tell.
    fn code(&mut self, m: Move, king_takes_rook: bool) -> u16 {
        let (code, is_found) = moves::code(self.replay.now(), m, king_takes_rook);
        if !is_found {
            self.advance();
            push_odd(m.bits(), &mut self.notes);
        }
        code
    }

    /// Adds an operation that is no move.
    fn note(&mut self, tape: &Tape, op: Op, depth: &mut usize) {
        let out = &mut self.notes;
        let text = |kind: u8, id: TextId, out: &mut Vec<u8>| {
            out.push(kind);
            push_text(tape.text(id), tape.texts().provenance(id), out);
        };
        match op {
            Op::Nag(nag) => push_number(annotations::NAG, u64::from(nag.0), out),
            Op::Comment(id) => text(annotations::COMMENT, id, out),
            Op::Raw(id) => text(annotations::RAW, id, out),
            Op::Ext(index) => {
                if let Some(extension) = tape.extensions().get(index as usize) {
                    push_extension(&extension.name, &extension.data, out);
                }
            }
            Op::Begin(_) => {
                out.push(annotations::BEGIN);
                self.replay.begin();
                *depth += 1;
            }
            Op::End => {
                out.push(annotations::END);
                self.replay.end();
                *depth = depth.saturating_sub(1);
            }
            Op::Outcome(outcome) => out.extend([annotations::OUTCOME, outcome.to_scid()]),
            Op::Move(_) => {}
        }
    }
}

/// The comment behind the move at an index, with the NAGs before it, where it says nothing but clock and evaluation. A
/// reader puts it behind the NAGs of the move, so that no NAG may follow it.
fn said(tape: &Tape, at: usize, is_spaced: bool) -> Option<(usize, Said)> {
    let mut next = at + 1;
    while let Some(Op::Nag(_)) = tape.get(next) {
        next += 1;
    }
    let Some(Op::Comment(id)) = tape.get(next) else {
        return None;
    };
    if matches!(tape.get(next + 1), Some(Op::Nag(_))) || tape.texts().provenance(id).is_some() {
        return None;
    }
    let (said, spaced) = Said::read_either(tape.text(id))?;
    (spaced == is_spaced).then_some((next, said))
}

impl Encoder for RowEncoder {
    fn encode(&mut self, game: &Game, _losses: &mut Losses) {
        self.moves.clear();
        self.said.clear();
        self.notes.clear();
        self.follower.begin();
        self.waiting = 0;
        let start = game.start_board();
        self.replay.reset(&start);
        self.naming = openings::Follower::new(&start);
        self.replay.expect_variations(game.tape.has_variations());
        self.head(game);
        self.tape(game);
        let group = &mut self.group;
        self.splitter.split(&game.tags, group);
        let plies = i64::try_from(self.said.len()).unwrap_or(i64::MAX);
        group.push(layout::PLIES, Cell::Int(plies));
        if let Some(outcome) = game.outcome {
            group.push(layout::OUTCOME, Cell::Bytes(outcome.as_pgn().as_bytes()));
        }
        derived::push(game, self.replay.now(), self.naming.opening(), group);
        group.push(layout::MOVES, Cell::Bytes(&self.moves));
        if !self.notes.is_empty() {
            group.push(layout::ANNOTATIONS, Cell::Bytes(&self.notes));
        }
        for (column, write) in [
            (
                layout::CLOCKS,
                clocks::write_clocks as fn(&[Said], &mut Vec<u8>),
            ),
            (layout::EVALS, clocks::write_evals),
        ] {
            self.scratch.clear();
            write(&self.said, &mut self.scratch);
            if !self.scratch.is_empty() {
                group.push(column, Cell::Bytes(&self.scratch));
            }
        }
        group.end_row();
    }

    fn take(&mut self) -> Part {
        Box::new(self.take_rows())
    }
}
