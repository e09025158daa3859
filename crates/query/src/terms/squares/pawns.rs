//! Pawns, and what depends on them: files, outposts, fianchettos.

use shakmaty::Color;

use super::{FILE_A, RANK_1, RelationBoard};

/// A kind of pawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PawnFeature {
    /// Passed: no pawn of the other side can stop or capture it.
    Passed,
    /// Isolated: none of its side on the adjacent files.
    Isolated,
    /// Doubled: another of its side on its file.
    Doubled,
    /// Connected: one of its side beside it, on the same rank or the next one.
    Connected,
    /// Backward: left behind, and stopped by a pawn.
    Backward,
    /// Hanging: two next to each other, alone.
    Hanging,
}

/// The squares beside those of a set.
fn beside(set: u64) -> u64 {
    (set & !FILE_A) >> 1 | (set & !(FILE_A << 7)) << 1
}

/// The squares of a set and all behind which they stand, as White looks at the board.
fn up(mut set: u64) -> u64 {
    set |= set << 8;
    set |= set << 16;
    set | set << 32
}

/// All squares of the files of a set.
fn files(set: u64) -> u64 {
    let files = up(set) >> 56;
    files.wrapping_mul(FILE_A)
}

/// The squares of files, one bit each.
pub(super) fn on_files(files: u64) -> u64 {
    (files & RANK_1).wrapping_mul(FILE_A)
}

/// Files without pawns, one bit each.
pub(crate) fn open_files(field: &RelationBoard<'_>) -> u64 {
    let pawns = field.pieces[0] | field.pieces[6];
    !(up(pawns) >> 56) & RANK_1
}

/// Files that only pawns of the other side stand on, one bit each.
pub(crate) fn half_open_files(field: &RelationBoard<'_>, color: Color) -> u64 {
    let set = |color| up(field.pawns(color)) >> 56;
    set(!color) & !set(color)
}

/// Those of some pawns that are of a kind.
pub(super) fn of_word(field: &RelationBoard<'_>, word: PawnFeature, among: u64) -> u64 {
    let (white, black) = (field.pieces[0], field.pieces[6]);
    let mut found = 0;
    if white & among != 0 {
        found |= one_side(white, black, word);
    }
    if black & among != 0 {
        found |= one_side(black.swap_bytes(), white.swap_bytes(), word).swap_bytes();
    }
    found
}

/// The pawns of a kind that go up the board, beside those that come down.
fn one_side(own: u64, other: u64, word: PawnFeature) -> u64 {
    match word {
        PawnFeature::Passed => {
            // Squares that a pawn of the other side stands on, or comes to, or attacks on its way.
            let span = down(other >> 8);
            own & !(span | beside(span))
        }
        PawnFeature::Isolated => own & !files(beside(own)),
        PawnFeature::Doubled => own & (up(own << 8) | down(own >> 8)),
        PawnFeature::Connected => {
            let next = beside(own);
            own & (next | next << 8 | next >> 8)
        }
        PawnFeature::Backward => {
            let neighbours = files(beside(own));
            // Squares with a pawn of this side beside them or behind that.
            let helped = up(beside(own));
            let attacked = beside(other) >> 8;
            own & neighbours & !helped & attacked >> 8
        }
        PawnFeature::Hanging => {
            let mut found = 0;
            let (own_files, other_files) = (up(own) >> 56, up(other) >> 56);
            let free = own_files & !other_files;
            // Both files with nothing of this side on those beside.
            let mut pairs = free & free >> 1 & !(own_files << 1) & !(own_files >> 2);
            while pairs != 0 {
                let left = own & FILE_A << pairs.trailing_zeros();
                let right = own & FILE_A << (pairs.trailing_zeros() + 1);
                let next = left << 1;
                if left.is_power_of_two()
                    && right.is_power_of_two()
                    && (next | next << 8 | next >> 8) & right != 0
                {
                    found |= left | right;
                }
                pairs &= pairs - 1;
            }
            found
        }
    }
}

/// The squares of a set and all before which they stand.
fn down(set: u64) -> u64 {
    up(set.swap_bytes()).swap_bytes()
}

/// Those of some knights and bishops on the fourth to sixth rank of their side, protected by a pawn, safe from those of the other.
pub(super) fn outposts(field: &RelationBoard<'_>, among: u64) -> u64 {
    const RANKS: u64 = RANK_1 << 24 | RANK_1 << 32 | RANK_1 << 40;
    let side = |own: u64, other: u64, pieces: u64| {
        let protected = beside(own) << 8;
        let hunted = beside(down(other >> 8));
        pieces & RANKS & protected & !hunted
    };
    let pieces = field.pieces;
    let (whites, blacks) = (
        (pieces[1] | pieces[2]) & among,
        (pieces[7] | pieces[8]) & among,
    );
    let mut found = 0;
    if whites != 0 {
        found |= side(pieces[0], pieces[6], whites);
    }
    if blacks != 0 {
        let turn = u64::swap_bytes;
        found |= turn(side(turn(pieces[6]), turn(pieces[0]), turn(blacks)));
    }
    found
}

/// Bishops behind a knight's pawn: bit 0 of `sides` is for the file b, bit 1 for g.
pub(crate) fn fianchettos(field: &RelationBoard<'_>, sides: u8) -> u64 {
    let mut found = 0;
    for (bit, file) in [(1, 1), (2, 6)] {
        if sides & bit == 0 {
            continue;
        }
        let (second, third) = (1_u64 << (8 + file), 1_u64 << (16 + file));
        if field.pieces[2] & second != 0 && field.pieces[0] & third != 0 {
            found |= second;
        }
        let (seventh, sixth) = (1_u64 << (48 + file), 1_u64 << (40 + file));
        if field.pieces[8] & seventh != 0 && field.pieces[6] & sixth != 0 {
            found |= seventh;
        }
    }
    found
}
