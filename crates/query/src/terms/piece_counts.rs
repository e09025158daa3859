//! How many pieces of each kind there are.

use crate::terms::piece_squares::PieceSquares;

/// How many pieces of each kind: White's pawns, knights, bishops, rooks, queens, kings, then Black's.
pub type PieceCounts = [u8; 12];

/// The same in two numbers: a byte for each of White's kinds, then of Black's. The lowest byte and the highest are unused.
pub type PackedCounts = [u64; 2];

/// Counts as two numbers.
pub(crate) fn pack(counts: &PieceCounts) -> PackedCounts {
    let [p, n, b, r, q, k, bp, bn, bb, br, bq, bk] = *counts;
    [[0, p, n, b, r, q, k, 0], [0, bp, bn, bb, br, bq, bk, 0]].map(u64::from_le_bytes)
}

/// The highest bit of every byte, which no count reaches.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Whether each count of a side is at least as high as another.
#[inline(always)]
pub(crate) fn reach(counts: u64, lower: u64) -> bool {
    (counts | HIGH).wrapping_sub(lower) & HIGH == HIGH
}

/// Counts out of two numbers.
pub(crate) fn unpack(packed: PackedCounts) -> PieceCounts {
    let [[_, p, n, b, r, q, k, _], [_, bp, bn, bb, br, bq, bk, _]] = packed.map(u64::to_le_bytes);
    [p, n, b, r, q, k, bp, bn, bb, br, bq, bk]
}

pub(crate) fn counts_of(pieces: &PieceSquares) -> PieceCounts {
    pieces.map(|set| set.count_ones().to_le_bytes()[0])
}
