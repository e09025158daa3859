//! The squares of the pieces of each kind, as sets.

use shakmaty::{Color, Role};
use tabiya_model::Board;

/// The squares of each kind of pieces: White's pawns, knights, bishops, rooks, queens, kings, then Black's.
pub type PieceSquares = [u64; 12];

/// The index of a kind of pieces in [`PieceSquares`].
#[inline(always)]
pub fn kind(color: Color, role: Role) -> usize {
    let side = if color == Color::White { 0 } else { 6 };
    (side + role as usize - 1) % 12
}

/// The pieces of a board.
pub fn piece_squares(board: &Board) -> PieceSquares {
    let white = u64::from(board.by_color(Color::White));
    let black = u64::from(board.by_color(Color::Black));
    let mut pieces = [0; 12];
    for role in Role::ALL {
        let both = u64::from(board.by_role(role));
        pieces[kind(Color::White, role)] = both & white;
        pieces[kind(Color::Black, role)] = both & black;
    }
    pieces
}

/// The squares of a set, from the lowest on.
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let square = set.trailing_zeros();
            set &= set - 1;
            square
        })
    })
}
