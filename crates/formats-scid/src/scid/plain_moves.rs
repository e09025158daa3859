//! Steps: ordinary moves, as nearly all moves are.
//!
//! A table gives the target of a step, by the piece, its square and the code. Everything else (castling, promotion, en passant
//! captures, the second byte of queens, and everything damaged) goes through [`ScidPieces::decode`] and [`ScidPieces::play`].

use shakmaty::{Role, Square};
use tabiya_model::board::Move;

use super::moves::{
    KING_STEPS, KNIGHT_STEPS, SIDE, ScidPieces, entry, entry_piece, entry_square, role_of, slot,
};

/// The table does not determine the target of the move.
const OPEN: u8 = 64;
/// The move must be a capture.
const TAKES: u8 = 128;

/// The target of a piece (the high half of its byte) on a square, by code.
static TARGETS: [u8; 1 << 14] = {
    let mut table = [OPEN; 1 << 14];
    let mut index = 0;
    while index < table.len() {
        table[index] = target(index >> 10, ((index >> 4) & 63) as i32, (index & 15) as i32);
        index += 1;
    }
    table
};

const fn target(piece: usize, from: i32, code: i32) -> u8 {
    let file = from & 7;
    let mut takes = 0;
    let to = match piece & 7 {
        1 => {
            let distance = match code {
                0..=2 => 7 + code,
                15 => 16,
                _ => return OPEN,
            };
            if code == 0 || code == 2 {
                takes = TAKES;
            }
            if piece & 8 == 0 {
                from + distance
            } else {
                from - distance
            }
        }
        2 | 6 => {
            if code < 1 || code > 8 {
                return OPEN;
            }
            let steps = if piece & 7 == 2 {
                &KNIGHT_STEPS
            } else {
                &KING_STEPS
            };
            from + steps[code as usize - 1] as i32
        }
        3 => {
            let files = (code & 7) - file;
            from + if code & 8 == 0 { 9 * files } else { -7 * files }
        }
        4 | 5 => {
            if code < 8 {
                from - file + code
            } else {
                (code & 7) * 8 + file
            }
        }
        _ => return OPEN,
    };
    // A queen that does not move has a second byte.
    if to < 0 || to > 63 || to == from {
        OPEN
    } else {
        to as u8 | takes
    }
}

/// The square of an entry in [`ScidPieces::list`].
const SQUARE: u32 = entry(63, 0);

/// A step, as it was played.
#[derive(Copy, Clone, Debug)]
pub(super) struct ScidPlainMove {
    pub(super) from: u8,
    pub(super) to: u8,
    /// The piece that moved, as in [`ScidPieces::at`].
    pub(super) piece: u8,
    /// The captured piece, 0 for none.
    pub(super) captured: u8,
}

impl ScidPlainMove {
    /// The move that it is.
    #[inline(always)]
    pub(super) fn into_move(self) -> Move {
        let square = |index: u8| Square::new(u32::from(index & 63));
        let (from, to) = (square(self.from), square(self.to));
        Move::normal(role_of(self.piece), from, to, self.captured != 0, None)
    }
}

impl ScidPieces {
    /// Plays the move of a byte, if it is a valid ordinary move.
    ///
    /// It depends only on the entry of the list, the table and the target square, and every index of the list that is
    /// written is known from the byte: so the processor works on several moves at once.
    #[inline(always)]
    pub(super) fn step(&mut self, byte: u8) -> Option<ScidPlainMove> {
        let slot = slot(self.turn, byte >> 4);
        let entry = self.list[slot];
        let from = entry_square(entry);
        let target = TARGETS[(entry as usize | usize::from(byte & 15)) & 0x3fff];
        let to = target & 63;
        let captured = self.at[usize::from(to)];
        // A number without a piece gives a piece without a role, whose target is open.
        if target & OPEN != 0 || (captured == 0 && target & TAKES != 0) {
            return None;
        }
        if captured != 0 {
            if captured & SIDE == self.turn || role_of(captured) == Role::King {
                return None;
            }
            self.take(captured);
        }
        let piece = entry_piece(entry);
        self.at[usize::from(from)] = 0;
        self.at[usize::from(to)] = piece;
        self.list[slot] = entry & !SQUARE | u32::from(to) << 4;
        self.turn ^= SIDE;
        Some(ScidPlainMove {
            from,
            to,
            piece,
            captured,
        })
    }
}
