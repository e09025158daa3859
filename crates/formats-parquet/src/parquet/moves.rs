//! A ply in two bytes: from, to and promotion.
//!
//! From the lowest bit: the starting square (6 bits, a1 = 0, b1 = 1, …, h8 = 63), the target square (6), and the promotion
//! piece (3: 2 knight, 3 bishop, 4 rook, 5 queen, 0 none). Castling is stored with the squares of the king, as in UCI, and
//! in Chess960 with those of king and rook. Zero is the null move.

use shakmaty::{Role, Square};
use tabiya_model::{Board, Move};

use super::compact_moves::ParquetMove;

/// The code of a move, and whether the move can be found again by it.
pub(super) fn code(board: &Board, m: Move, king_takes_rook: bool) -> (u16, bool) {
    if m.is_null() {
        return (0, true);
    }
    let ways = if m.is_castle() && !king_takes_rook {
        [m.king_target(), m.to()]
    } else {
        [m.to(), m.to()]
    };
    let promotion = m.promotion().map_or(0, |role| role as u32);
    let code_to = |to: Square| {
        let bits = u32::from(m.from()) | u32::from(to) << 6 | promotion << 12;
        u16::try_from(bits).unwrap_or(0)
    };
    for to in ways {
        let code = code_to(to);
        if find(board, code) == Some(m) {
            return (code, true);
        }
    }
    (code_to(ways[0]), false)
}

/// The move of a code in a position, if the piece can make it.
#[must_use]
pub fn find(board: &Board, code: u16) -> Option<Move> {
    if code == 0 {
        return Some(Move::NULL);
    }
    let (from, to, promotion) = parts(code)?;
    board.find_move(from, to, promotion)
}

fn parts(code: u16) -> Option<(Square, Square, Option<Role>)> {
    let code = u32::from(code);
    let promotion = match code >> 12 {
        0 => None,
        2 => Some(Role::Knight),
        3 => Some(Role::Bishop),
        4 => Some(Role::Rook),
        5 => Some(Role::Queen),
        _ => return None,
    };
    Some((
        Square::new(code & 63),
        Square::new(code >> 6 & 63),
        promotion,
    ))
}

/// Appends a move as text, if it cannot be played.
pub(super) fn push_shown(told: ParquetMove, out: &mut String) {
    let code = match told {
        ParquetMove::Code(code) => code,
        ParquetMove::Rank(rank) => return out.push_str(&format!("#{rank}")),
    };
    match parts(code) {
        None => out.push_str(&format!("0x{code:04x}")),
        Some(_) if code == 0 => out.push_str("--"),
        Some((from, to, promotion)) => {
            out.push_str(&format!("{from}{to}"));
            if let Some(role) = promotion {
                out.push(role.char());
            }
        }
    }
}
