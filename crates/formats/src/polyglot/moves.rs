//! Moves in 16 bits: to (6 bits, file below rank), from (6 bits), promotion (3 bits: 0 none, 1 knight, 2 bishop, 3 rook, 4
//! queen). Castling is written as the king moving to its rook's square; some books have the king's target square.

use shakmaty::{Role, Square};
use tabiya_model::{Board, Move};

/// The promotion pieces, by their code.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The code of a move; `None` for the null move.
pub fn encode(m: Move) -> Option<u16> {
    if m.is_null() {
        return None;
    }
    let square = |square: Square| u16::from(u8::from(square));
    let promotion = match m.promotion() {
        None => 0,
        Some(role) => {
            let at = PROMOTIONS.iter().position(|known| *known == role)?;
            u16::try_from(at + 1).ok()?
        }
    };
    // In castling, the target of the move is already the rook's square.
    Some(square(m.to()) | square(m.from()) << 6 | promotion << 12)
}

/// The legal move of a code in a position.
pub fn decode(board: &Board, code: u16) -> Option<Move> {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    let promotion = match usize::from(code >> 12 & 7).checked_sub(1) {
        None => None,
        Some(at) => Some(*PROMOTIONS.get(at)?),
    };
    let m = board.find_move(square(code >> 6), square(code), promotion)?;
    board.is_legal(m).then_some(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_and_promotions() {
        let (board, _) =
            Board::from_fen("r3k2r/6P1/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a position");
        for (uci, code) in [
            ("e1h1", 4 << 6 | 7),
            ("e1a1", 4 << 6),
            ("g7g8q", 54 << 6 | 62 | 4 << 12),
            ("g7h8n", 54 << 6 | 63 | 1 << 12),
        ] {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            assert_eq!(encode(m), Some(code), "{uci}");
            assert_eq!(decode(&board, code), Some(m), "{uci}");
        }
        // Castling by the king's target square is read too.
        let castle = board.parse_uci(b"e1h1");
        assert_eq!(decode(&board, 4 << 6 | 6), castle);
        assert_eq!(decode(&board, 4 << 6 | 62), None);
        assert_eq!(decode(&board, 0xffff), None);
        assert_eq!(encode(Move::NULL), None);
    }
}
