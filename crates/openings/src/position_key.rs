//! Positions as 64-bit keys: the pieces on their squares and the side to move.
//!
//! Castling rights and en passant are not part of a key: for players, a position is the arrangement of the pieces on
//! the board, and a game that lost castling rights on another way still counts.

use shakmaty::Color;
use tabiya_model::board::Board;
use tabiya_model::positions::{MoveDelta, PiecePlacement};

use crate::zobrist;

/// The key of a position.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct PositionKey(pub u64);

impl PositionKey {
    /// The key of the pieces on their squares.
    #[must_use]
    pub fn of_pieces(pieces: &PiecePlacement, turn: Color) -> PositionKey {
        PositionKey(zobrist::key(&pieces.0, turn == Color::Black))
    }

    /// The key of a board.
    #[must_use]
    pub fn of_board(board: &Board) -> PositionKey {
        PositionKey::of_pieces(&PiecePlacement::of(board), board.turn())
    }

    /// The key of the normal starting position.
    #[must_use]
    pub fn standard() -> PositionKey {
        static KEY: std::sync::OnceLock<PositionKey> = std::sync::OnceLock::new();
        *KEY.get_or_init(|| PositionKey::of_board(&Board::standard()))
    }

    /// The key of the same position with a pawn on this file that may be taken in passing.
    pub(crate) fn with_en_passant(self, file: u8) -> PositionKey {
        PositionKey(self.0 ^ zobrist::PASSING[usize::from(file & 7)])
    }

    /// The key after a move.
    #[inline]
    #[must_use]
    pub fn after(self, delta: MoveDelta) -> PositionKey {
        if delta.is_null() {
            return PositionKey(self.0 ^ zobrist::BLACK);
        }
        let number = |piece: u8, square: u8| {
            zobrist::PIECES[usize::from(piece & 15)][usize::from(square & 63)]
        };
        // No piece counts for nothing, so that a move without a capture needs no question.
        let mut key = self.0
            ^ zobrist::BLACK
            ^ number(delta.mover(), delta.from())
            ^ number(delta.becomes(), delta.to())
            ^ number(delta.captured(), delta.captured_on());
        if let Some((from, to)) = delta.rook() {
            let rook = delta.mover() & 8 | shakmaty::Role::Rook as u8;
            key ^= number(rook, from) ^ number(rook, to);
        }
        PositionKey(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_moves_of_every_kind() {
        for (fen, moves) in [
            (
                "r3k2r/1P6/8/3p4/4P3/8/6p1/R3K2R w KQkq - 0 1",
                &["e1g1", "e8c8", "b7b8q", "c8d7", "e4d5", "g2f1n", "0000"][..],
            ),
            (
                "4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1",
                &["c7c5", "d5c6", "e8d8"],
            ),
            ("4k3/8/8/8/8/8/8/6KR w H - 0 1", &["g1h1"]),
            ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", &["c1b1"]),
        ] {
            let (mut board, _) = Board::from_fen(fen).expect("valid");
            let mut key = PositionKey::of_board(&board);
            for uci in moves {
                let m = board.parse_uci(uci.as_bytes()).expect("legal");
                key = key.after(MoveDelta::of_move(&board, m));
                board.play(m);
                assert_eq!(key, PositionKey::of_board(&board), "{uci}");
            }
        }
    }

    #[test]
    fn the_numbers_of_pieces_are_independent() {
        // Gaussian elimination: among the numbers of one piece no small set cancels out by accident.
        let mut all: Vec<u64> = zobrist::PIECES
            .iter()
            .flatten()
            .copied()
            .filter(|n| *n != 0)
            .collect();
        assert_eq!(all.len(), 12 * 64);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 12 * 64);
    }
}
