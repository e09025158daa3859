//! The moves of all pieces counted at once, and the piece that a number belongs to.

use shakmaty::Square;

use super::CbfMoveMeaning;
use super::counter::{CbfMoveCounter, lowest};
use super::tables::{FILE_A, ONES};

/// The moves of all pieces, counted.
pub(super) struct CbfMoveSums {
    /// By file, a byte each.
    pub(super) files: u64,
    /// The same of the pawns alone.
    pub(super) pawn_files: u64,
    /// Pawns with an odd number of steps and captures, seen from their own side.
    pub(super) ones: u64,
    /// Pawns with two or three of them.
    pub(super) twos: u64,
    /// Pawns with one move more: a double step or taking in passing, which exclude each other.
    pub(super) more: u64,
    /// Turns a square to the side of those pawns.
    pub(super) flip: u32,
}

impl CbfMoveSums {
    /// The moves of the pawn on a square.
    #[inline]
    pub(super) fn pawn(&self, square: u32) -> u32 {
        let own = (square ^ self.flip) & 63;
        let bit = |set: u64| u32::from(set >> own & 1 != 0);
        let each = if own >= 48 { 4 } else { 1 };
        each * (bit(self.ones) + 2 * bit(self.twos)) + bit(self.more)
    }

    /// The moves of the pieces on all files before one, in bytes: a file and all before it together.
    #[inline]
    pub(super) fn before(&self, file: u32) -> u32 {
        let sums = self.files.wrapping_mul(ONES);
        u32::try_from((sums << 8) >> (8 * file) & 0xff).unwrap_or(0)
    }
}

impl CbfMoveCounter<'_> {
    /// The number of moves of the piece on a square, where the pawns have been counted.
    #[inline]
    pub(super) fn count_with(&self, sums: &CbfMoveSums, square: u32) -> u32 {
        if self.pawns >> (square & 63) & 1 != 0 {
            return sums.pawn(square);
        }
        let file = square & 7;
        let pieces = self.us & !self.pawns & FILE_A << file;
        if pieces & (pieces - 1) == 0 {
            // The only piece of its file has all that the pawns do not have.
            return u32::try_from((sums.files - sums.pawn_files) >> (8 * file) & 0xff).unwrap_or(0);
        }
        self.count(Square::new(square & 63))
    }

    /// The move of a number among those of a file, where all have been counted.
    #[inline]
    pub(super) fn search_counted(
        &self,
        sums: &CbfMoveSums,
        file: u32,
        number: u32,
    ) -> CbfMoveMeaning {
        let mut own = self.us & FILE_A << file;
        let pieces = own & !self.pawns;
        if pieces & pieces.wrapping_sub(1) != 0 {
            return self.search(file, number, |square| self.count_with(sums, square));
        }
        // The only piece of the file has all that its pawns do not have.
        let of_piece =
            u32::try_from((sums.files - sums.pawn_files) >> (8 * file) & 0xff).unwrap_or(0);
        let mut left = number;
        while own != 0 {
            let square = own.trailing_zeros() & 63;
            let is_piece = u32::from(pieces >> square & 1 != 0);
            let count = sums.pawn(square) + is_piece * of_piece;
            if left <= count {
                return self.expand(Square::new(square), left);
            }
            left -= count;
            own &= own - 1;
        }
        CbfMoveMeaning::Phantom
    }

    /// The move of a number among those of a file.
    #[inline]
    fn search(&self, file: u32, number: u32, count: impl Fn(u32) -> u32) -> CbfMoveMeaning {
        let mut left = number;
        let mut own = self.us & FILE_A << file;
        while own != 0 {
            let from = lowest(own);
            own &= own - 1;
            // The last piece of the file needs no counting.
            if own == 0 {
                return self.expand(from, left);
            }
            let count = count(u32::from(from));
            if left <= count {
                return self.expand(from, left);
            }
            left -= count;
        }
        CbfMoveMeaning::Phantom
    }

    /// The same piece by piece, for positions of any kind.
    #[inline(never)]
    pub(super) fn search_all(&self, number: u32) -> CbfMoveMeaning {
        let count = |square| self.count(Square::new(square & 63));
        let mut left = number;
        for file in 0..8 {
            let sum = self.count_file(file, 64, count);
            if (1..=sum).contains(&left) {
                return self.search(file, left, count);
            }
            left = left.saturating_sub(sum);
        }
        CbfMoveMeaning::Beyond(number.saturating_sub(left))
    }

    /// The moves of the pieces of a file that stand before a square.
    #[inline]
    pub(super) fn count_file(&self, file: u32, before: u32, count: impl Fn(u32) -> u32) -> u32 {
        let below = 1_u64.checked_shl(before).map_or(u64::MAX, |bit| bit - 1);
        let mut own = self.us & FILE_A << file & below;
        let mut sum = 0;
        while own != 0 {
            sum += count(own.trailing_zeros());
            own &= own - 1;
        }
        sum
    }
}
