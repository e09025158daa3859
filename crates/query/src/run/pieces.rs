//! The pieces of a game, updated by its deltas: sets of squares and counts without a board.

use std::cell::Cell;

use shakmaty::{CastlingSide, Color};
use tabiya_model::Board;
use tabiya_model::positions::{MoveDelta, piece_of_number};

use crate::plan::bounds::{CutoffRule, RANK_2, RANK_7};
use crate::plan::position_needs::PositionNeeds;
use crate::run::position_history::PositionHistory;
use crate::run::walk::START_PIECES;
use crate::terms::board_transform::BoardTransform;
use crate::terms::line_state::LineState;
use crate::terms::piece_counts::{PackedCounts, counts_of, pack};
use crate::terms::piece_squares::{PieceSquares, piece_squares};
use crate::terms::position_view::MAX_NAMES;
use crate::terms::position_view::{MoveEffect, PositionView};

/// The place in [`PieceSquares`] of each of a delta's pieces; behind them that of nothing.
pub(crate) const KIND: [u8; 16] = [12, 0, 1, 2, 3, 4, 5, 12, 12, 6, 7, 8, 9, 10, 11, 12];

/// The pieces as deltas lead them.
#[derive(Clone, Debug)]
pub(crate) struct DeltaPieces {
    /// The squares of each kind of pieces as in [`PieceSquares`], and room for nothing.
    pub(crate) sets: [u64; 16],
    /// The squares of White's and of Black's pieces.
    sides: [u64; 2],
    /// How many there are of each kind.
    pub(crate) counts: PackedCounts,
    /// The side to move: 0 for White, 1 for Black.
    pub(crate) side: usize,
    pub(crate) ply: u32,
    /// What the line has left behind.
    trail: LineState,
}

/// One piece of a kind in [`DeltaPieces::counts`].
#[inline(always)]
pub(crate) fn one(piece: u8) -> u64 {
    1 << (8 * u32::from(piece & 7))
}

/// The place of a piece in [`DeltaPieces::sets`].
#[inline(always)]
fn place(piece: u8) -> usize {
    usize::from(KIND[usize::from(piece & 15)] & 15)
}

impl DeltaPieces {
    /// The normal start, or another one.
    pub(crate) fn new(start: Option<&Board>) -> DeltaPieces {
        DeltaPieces {
            side: start.map_or(0, |board| usize::from(board.turn() == Color::Black)),
            ..DeltaPieces::of_pieces(&start.map_or(START_PIECES, piece_squares))
        }
    }

    /// These pieces, White to move.
    pub(crate) fn of_pieces(pieces: &PieceSquares) -> DeltaPieces {
        let mut sets = [0; 16];
        for (set, pieces) in sets.iter_mut().zip(pieces) {
            *set = *pieces;
        }
        let (white, black) = pieces.split_at(6);
        let all = |side: &[u64]| side.iter().fold(0, |all, set| all | set);
        DeltaPieces {
            sets,
            sides: [all(white), all(black)],
            counts: pack(&counts_of(pieces)),
            side: 0,
            ply: 0,
            trail: LineState::default(),
        }
    }

    /// Plays a move.
    #[inline(always)]
    fn play(&mut self, delta: MoveDelta) {
        let (mover, becomes, captured) = (delta.mover(), delta.becomes(), delta.captured());
        self.side ^= 1;
        self.ply = self.ply.wrapping_add(1);
        if delta.is_null() {
            return;
        }
        let (from, to) = (1 << delta.from(), 1 << delta.to());
        let (us, them) = (usize::from(mover >> 3 & 1), usize::from(captured >> 3 & 1));
        let taken = !(1 << delta.captured_on());
        self.sets[place(captured)] &= taken;
        self.sides[them] &= taken;
        self.counts[them] = self.counts[them].wrapping_sub(one(captured) & !0xff);
        self.sets[place(mover)] &= !from;
        self.sets[place(becomes)] |= to;
        self.sides[us] = self.sides[us] & !from | to;
        if becomes != mover {
            let counts = &mut self.counts[us];
            *counts = counts.wrapping_sub(one(mover)).wrapping_add(one(becomes));
        }
        if let Some((rook_from, rook_to)) = delta.rook() {
            let rook = place(mover & 8 | 4);
            self.sets[rook] = self.sets[rook] & !(1 << rook_from) | 1 << rook_to;
            // The king may stand where the rook stood.
            self.sides[us] = self.sides[us] & !(1 << rook_from) | 1 << rook_to | to;
            let side = CastlingSide::from_king_side(delta.to() & 7 == 6);
            self.trail.castle(mover & 8 == 0, Some(side));
        }
    }

    /// The pawns that stand where they stood at the start.
    #[inline(always)]
    pub(crate) fn home(&self) -> u64 {
        self.sets[0] & RANK_2 | self.sets[6] & RANK_7
    }

    /// Whether no later position can fit.
    #[inline(always)]
    pub(crate) fn is_lost(&self, stop: &CutoffRule, promotions: bool) -> bool {
        stop.is_lost(
            self.side,
            self.counts[self.side & 1],
            self.home(),
            promotions,
        )
    }

    /// The pieces.
    fn pieces(&self) -> &PieceSquares {
        self.sets.first_chunk().unwrap_or(&START_PIECES)
    }
}

/// The pieces, and the board where questions need one, led after the deltas of a game.
#[derive(Clone, Debug)]
pub(crate) struct DeltaPosition {
    pub(crate) field: DeltaPieces,
    board: Option<Board>,
    /// The plies of the start, counted from White's first move as 0.
    first: u32,
    /// How often the position has stood.
    repeats: u32,
}

impl DeltaPosition {
    pub(crate) fn new(
        field: DeltaPieces,
        start: Option<&Board>,
        asks: PositionNeeds,
    ) -> DeltaPosition {
        DeltaPosition {
            field,
            board: asks
                .board
                .then(|| start.cloned().unwrap_or_else(Board::standard)),
            first: start.map_or(0, Board::ply_number),
            repeats: 1,
        }
    }

    /// Counts how often the position has stood, where that is asked.
    pub(crate) fn come(&mut self, history: &mut Option<PositionHistory>) {
        if let (Some(history), Some(board)) = (history, &self.board) {
            self.repeats = history.come(board, self.field.ply);
        }
    }

    /// Plays one move.
    #[inline(always)]
    pub(crate) fn step(&mut self, delta: MoveDelta, history: &mut Option<PositionHistory>) {
        self.field.play(delta);
        if let Some(board) = &mut self.board {
            board.play(delta.to_move());
            if history.is_some() {
                self.come(history);
            }
        }
    }

    /// Plays moves.
    #[inline(always)]
    pub(crate) fn play(&mut self, deltas: &[MoveDelta], history: &mut Option<PositionHistory>) {
        if self.board.is_none() {
            // A loop is put in where it is called for, what is handed to an iterator is not: most often there is one move.
            for delta in deltas {
                self.field.play(*delta);
            }
            return;
        }
        for delta in deltas {
            self.step(*delta, history);
        }
    }

    /// Counts moves that are not played.
    #[inline(always)]
    pub(crate) fn pass(&mut self, moves: usize) {
        self.field.side ^= moves & 1;
        self.field.ply = self
            .field
            .ply
            .wrapping_add(u32::try_from(moves).unwrap_or_default());
    }

    /// The position as questions see it.
    #[inline(always)]
    pub(crate) fn scene(&self, moved: Option<MoveEffect>) -> PositionView<'_> {
        let field = &self.field;
        PositionView {
            pieces: field.pieces(),
            sides: &field.sides,
            counts: &field.counts,
            turn: Color::from_white(field.side == 0),
            ply: field.ply,
            number: self.first.wrapping_add(field.ply) / 2 + 1,
            repeats: self.repeats,
            moved,
            board: self.board.as_ref(),
            turned: BoardTransform::default(),
            trail: field.trail,
            annotations: None,
            named: Cell::new([0; MAX_NAMES]),
            meter: None,
        }
    }
}

/// What a delta says about its move.
pub(crate) fn moved(delta: MoveDelta) -> MoveEffect {
    MoveEffect {
        piece: KIND[usize::from(delta.mover() & 15)] % 12,
        from: delta.from(),
        to: delta.to(),
        captured: piece_of_number(delta.captured()).map(|piece| piece.role),
        en_passant: delta.is_en_passant(),
        promotion: (delta.becomes() != delta.mover())
            .then(|| piece_of_number(delta.becomes()).map(|p| p.role))
            .flatten(),
        castle: delta
            .is_castle()
            .then(|| CastlingSide::from_king_side(delta.to() & 7 == 6)),
        null: delta.is_null(),
    }
}
