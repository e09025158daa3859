//! The hash that Polyglot's opening books use.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{CastlingSide, Color, Role};

use super::Board;

impl Board {
    /// The hash of the position as in Polyglot: pieces, castling rights, side to move, and the file of a pawn that
    /// could be captured en passant by the movement of the pieces.
    #[must_use]
    pub fn zobrist(&self) -> u64 {
        let mut hash = 0;
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                for square in self.by_piece(piece) {
                    hash ^= Zobrist64::zobrist_for_piece(square, piece).0;
                }
            }
            for side in CastlingSide::ALL {
                if self.castling_rook(color, side).is_some() {
                    hash ^= Zobrist64::zobrist_for_castling_right(color, side).0;
                }
            }
        }
        if let Some(ep) = self.pseudo_legal_ep_square() {
            hash ^= Zobrist64::zobrist_for_en_passant_file(ep.file()).0;
        }
        if self.turn == Color::White {
            hash ^= Zobrist64::zobrist_for_white_turn().0;
        }
        hash
    }
}
