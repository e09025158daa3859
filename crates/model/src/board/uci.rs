//! Long algebraic notation and the notation of engines.

use shakmaty::{Role, Square};

use super::write_san::{file_byte, rank_byte, role_byte};
use super::{Board, Move};

/// How castling is written for engines.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CastlingStyle {
    /// The king's move: `e1g1`. Castling that this cannot express is written in the other style.
    KingMoves,
    /// King takes rook, as in Chess960: `e1h1`.
    KingTakesRook,
}

impl Board {
    /// Appends a move in long algebraic notation without check mark (`Ng1-f3`, `e4xd5`, `O-O`).
    pub fn write_lan(&self, m: Move, out: &mut Vec<u8>) {
        if m.is_null() || m.is_castle() {
            self.write_san(m, out);
            return;
        }
        if m.role() != Role::Pawn {
            out.push(role_byte(m.role()));
        }
        push_square(m.from(), out);
        out.push(if m.is_capture() { b'x' } else { b'-' });
        push_square(m.to(), out);
        if let Some(role) = m.promotion() {
            out.extend_from_slice(&[b'=', role_byte(role)]);
        }
    }

    /// Appends a move as engines write it (`e2e4`, `e7e8q`, `0000` for the null move).
    pub fn write_uci(&self, m: Move, style: CastlingStyle, out: &mut Vec<u8>) {
        if m.is_null() {
            out.extend_from_slice(b"0000");
            return;
        }
        push_square(m.from(), out);
        let is_told_by_king = || match self.find_move(m.from(), m.king_target(), None) {
            Some(found) => found == m,
            // A missing right is no reason to write the move differently.
            None => m.from().file().distance(m.king_target().file()) >= 2,
        };
        let plain = m.is_castle() && style == CastlingStyle::KingMoves && is_told_by_king();
        push_square(if plain { m.king_target() } else { m.to() }, out);
        if let Some(role) = m.promotion() {
            out.push(role_byte(role).to_ascii_lowercase());
        }
    }

    /// Finds the pseudo-legal move that an engine's notation means here, in either style of
    /// castling. `0000` is the null move.
    #[must_use]
    pub fn parse_uci(&self, text: &[u8]) -> Option<Move> {
        if text == b"0000" {
            return Some(Move::NULL);
        }
        let from = Square::from_ascii(text.get(..2)?).ok()?;
        let to = Square::from_ascii(text.get(2..4)?).ok()?;
        let promotion = match text.get(4..)? {
            [] => None,
            [b'n' | b'N'] => Some(Role::Knight),
            [b'b' | b'B'] => Some(Role::Bishop),
            [b'r' | b'R'] => Some(Role::Rook),
            [b'q' | b'Q'] => Some(Role::Queen),
            _ => return None,
        };
        self.find_move(from, to, promotion)
    }
}

fn push_square(square: Square, out: &mut Vec<u8>) {
    out.extend_from_slice(&[file_byte(square), rank_byte(square)]);
}
