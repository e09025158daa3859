//! A pawn's moves in the order of the list.

use shakmaty::{Color, Square};

use super::counter::walk;

/// Which of its moves a pawn has.
pub(super) struct CbfPawnMoves {
    /// 4 where it goes to the last rank, else 1.
    pub(super) each: u32,
    pub(super) double: bool,
    pub(super) single: bool,
    pub(super) left: bool,
    pub(super) right: bool,
    pub(super) en_passant_left: bool,
    pub(super) en_passant_right: bool,
}

/// A pawn's moves in their order; left and right are White's.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum CbfPawnMoveKind {
    Double,
    Single,
    Left,
    Right,
    EnPassantLeft,
    EnPassantRight,
}

pub(super) const PAWN_KINDS: [CbfPawnMoveKind; 6] = [
    CbfPawnMoveKind::Double,
    CbfPawnMoveKind::Single,
    CbfPawnMoveKind::Left,
    CbfPawnMoveKind::Right,
    CbfPawnMoveKind::EnPassantLeft,
    CbfPawnMoveKind::EnPassantRight,
];

impl CbfPawnMoveKind {
    /// The square that this move leads to.
    pub(super) fn target(self, turn: Color, from: Square) -> Option<Square> {
        let forward = turn.fold_wb(1, -1);
        let way = match self {
            CbfPawnMoveKind::Double => (0, 2 * forward),
            CbfPawnMoveKind::Single => (0, forward),
            CbfPawnMoveKind::Left | CbfPawnMoveKind::EnPassantLeft => (-1, forward),
            CbfPawnMoveKind::Right | CbfPawnMoveKind::EnPassantRight => (1, forward),
        };
        walk(from, way, 1)
    }
}

impl CbfPawnMoves {
    #[inline]
    pub(super) fn count(&self) -> u32 {
        let several = u32::from(self.single) + u32::from(self.left) + u32::from(self.right);
        u32::from(self.double)
            + several * self.each
            + u32::from(self.en_passant_left)
            + u32::from(self.en_passant_right)
    }

    pub(super) fn count_of(&self, kind: CbfPawnMoveKind) -> u32 {
        match kind {
            CbfPawnMoveKind::Double => u32::from(self.double),
            CbfPawnMoveKind::Single => u32::from(self.single) * self.each,
            CbfPawnMoveKind::Left => u32::from(self.left) * self.each,
            CbfPawnMoveKind::Right => u32::from(self.right) * self.each,
            CbfPawnMoveKind::EnPassantLeft => u32::from(self.en_passant_left),
            CbfPawnMoveKind::EnPassantRight => u32::from(self.en_passant_right),
        }
    }
}
