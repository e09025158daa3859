//! Transformed boards: the colours exchanged, or left and right.

use shakmaty::{CastlingSide, Square};

use crate::terms::piece_squares::PieceSquares;

/// One way to look at a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BoardTransform {
    /// The colours are exchanged, and the board is turned with them.
    pub flip: bool,
    /// Left and right are exchanged.
    pub mirror: bool,
}

impl BoardTransform {
    /// The board as it is, and turned as allowed.
    pub(crate) fn ways(flip: bool, mirror: bool) -> Vec<BoardTransform> {
        let all = [(false, false), (true, false), (false, true), (true, true)];
        all.into_iter()
            .filter(|(flips, mirrors)| (flip || !flips) && (mirror || !mirrors))
            .map(|(flip, mirror)| BoardTransform { flip, mirror })
            .collect()
    }

    /// Where the squares of a set come to lie.
    pub(crate) fn set(self, mut set: u64) -> u64 {
        if self.flip {
            set = set.swap_bytes();
        }
        if self.mirror {
            set = set.swap_bytes().reverse_bits();
        }
        set
    }

    /// Where a square comes to lie.
    pub(crate) fn square(self, square: u8) -> u8 {
        let square = if self.flip { square ^ 56 } else { square };
        if self.mirror { square ^ 7 } else { square }
    }

    /// The same of a square.
    pub(crate) fn of(self, square: Square) -> Square {
        Square::new(u32::from(self.square(u32::from(square).to_le_bytes()[0])))
    }

    /// Both turns after each other.
    pub(crate) fn and(self, other: BoardTransform) -> BoardTransform {
        BoardTransform {
            flip: self.flip != other.flip,
            mirror: self.mirror != other.mirror,
        }
    }

    /// For each of the kinds of pieces, the kind that takes its place.
    pub(crate) fn kind(self, kind: usize) -> usize {
        if self.flip { (kind + 6) % 12 } else { kind }
    }

    /// The same of a side of castling.
    pub(crate) fn side(self, side: CastlingSide) -> CastlingSide {
        match (self.mirror, side) {
            (false, side) => side,
            (true, CastlingSide::KingSide) => CastlingSide::QueenSide,
            (true, CastlingSide::QueenSide) => CastlingSide::KingSide,
        }
    }

    /// The pieces, turned.
    pub(crate) fn pieces(self, pieces: &PieceSquares) -> PieceSquares {
        let mut turned = [0; 12];
        for (kind, set) in pieces.iter().enumerate() {
            turned[self.kind(kind)] = self.set(*set);
        }
        turned
    }
}
