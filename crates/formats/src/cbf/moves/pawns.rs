//! A pawn's moves in the order of the list.

use shakmaty::{Color, Square};

use super::counter::walk;

/// Which of its moves a pawn has.
pub(super) struct Pawn {
    /// 4 where it goes to the last rank, else 1.
    pub(super) each: u32,
    pub(super) double: bool,
    pub(super) single: bool,
    pub(super) left: bool,
    pub(super) right: bool,
    pub(super) pass_left: bool,
    pub(super) pass_right: bool,
}

/// A pawn's moves in their order; left and right are White's.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum PawnKind {
    Double,
    Single,
    Left,
    Right,
    PassLeft,
    PassRight,
}

pub(super) const PAWN_KINDS: [PawnKind; 6] = [
    PawnKind::Double,
    PawnKind::Single,
    PawnKind::Left,
    PawnKind::Right,
    PawnKind::PassLeft,
    PawnKind::PassRight,
];

impl PawnKind {
    /// The square that this move leads to.
    pub(super) fn target(self, turn: Color, from: Square) -> Option<Square> {
        let forward = turn.fold_wb(1, -1);
        let way = match self {
            PawnKind::Double => (0, 2 * forward),
            PawnKind::Single => (0, forward),
            PawnKind::Left | PawnKind::PassLeft => (-1, forward),
            PawnKind::Right | PawnKind::PassRight => (1, forward),
        };
        walk(from, way, 1)
    }
}

impl Pawn {
    #[inline]
    pub(super) fn count(&self) -> u32 {
        let several = u32::from(self.single) + u32::from(self.left) + u32::from(self.right);
        u32::from(self.double)
            + several * self.each
            + u32::from(self.pass_left)
            + u32::from(self.pass_right)
    }

    pub(super) fn count_of(&self, kind: PawnKind) -> u32 {
        match kind {
            PawnKind::Double => u32::from(self.double),
            PawnKind::Single => u32::from(self.single) * self.each,
            PawnKind::Left => u32::from(self.left) * self.each,
            PawnKind::Right => u32::from(self.right) * self.each,
            PawnKind::PassLeft => u32::from(self.pass_left),
            PawnKind::PassRight => u32::from(self.pass_right),
        }
    }
}
