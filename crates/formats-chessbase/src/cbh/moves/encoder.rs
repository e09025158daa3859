//! Moves to codes, and codes to the bytes that stand for them.

use shakmaty::{CastlingSide, Color, Role, Square};
use tabiya_model::board::Move;

use super::pieces::{BLACK, CbhPieces, MEANINGS, TARGETS, UNNUMBERED, code};
use super::{CbhMoveEncoding, CbhMoveError};
use crate::cbh::layout::number_by_files;

/// What stands for a move: its code, and both squares where the code says that they follow.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct CbhMoveCode {
    code: u8,
    squares: u16,
}

/// Where the codes of each numbered piece begin, and how many it has: by its role (pawn 1 to king 6) and number.
static CODES: [[(u8, u8); 8]; 8] = {
    let mut table = [[(0_u8, 0_u8); 8]; 8];
    let mut at = 0;
    while at < MEANINGS.len() {
        let meaning = MEANINGS[at];
        if meaning != 0 {
            let (role, number) = ((meaning & 7) as usize, (meaning >> 3 & 7) as usize);
            if table[role][number].1 == 0 {
                table[role][number].0 = at as u8;
            }
            table[role][number].1 += 1;
        }
        at += 1;
    }
    table
};

impl CbhPieces {
    /// Plays a move and says what stands for it; nothing, with the pieces as they were, where a reader would take every
    /// code for another move.
    pub(crate) fn encode(&mut self, m: Move, coder: CbhMoveEncoding) -> Option<CbhMoveCode> {
        if m.is_null() {
            self.turn ^= BLACK;
            return Some(CbhMoveCode {
                code: code::NULL,
                squares: 0,
            });
        }
        let plain = |code| CbhMoveCode { code, squares: 0 };
        if let Some(side) = m.castling_side() {
            let is_short = side == CastlingSide::KingSide;
            if coder.chess960 {
                let color = Color::from_white(self.turn == 0);
                let target = number_by_files(match (is_short, color) {
                    (true, Color::White) => Square::G1,
                    (true, Color::Black) => Square::G8,
                    (false, Color::White) => Square::C1,
                    (false, Color::Black) => Square::C8,
                });
                let squares = u16::from(target) << 6 | u16::from(target);
                if self.plays(m, |pieces| pieces.by_squares(squares, coder)) {
                    return Some(by_squares(squares));
                }
            }
            let code = match is_short {
                true => code::CASTLE_SHORT,
                false => code::CASTLE_LONG,
            };
            return self
                .plays(m, |pieces| pieces.castle_by_code(is_short))
                .then(|| plain(code));
        }
        if m.promotion().is_none()
            && let Some(code) = self.code_of(m)
            && let Some(meaning) = MEANINGS.get(usize::from(code)).copied()
            && self.plays(m, |pieces| pieces.ordinary(meaning))
        {
            return Some(plain(code));
        }
        let promotion: u16 = match m.promotion() {
            Some(Role::Rook) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Knight) => 3,
            _ => 0,
        };
        let squares = promotion << 12
            | u16::from(number_by_files(m.to())) << 6
            | u16::from(number_by_files(m.from()));
        self.plays(m, |pieces| pieces.by_squares(squares, coder))
            .then(|| by_squares(squares))
    }

    /// Whether a reader plays this very move; else the pieces stay as they were.
    fn plays(
        &mut self,
        m: Move,
        play: impl FnOnce(&mut CbhPieces) -> Result<Move, CbhMoveError>,
    ) -> bool {
        let before = self.clone();
        let is_same = play(self) == Ok(m);
        if !is_same {
            *self = before;
        }
        is_same
    }

    /// The first code that leads the piece to its target.
    fn code_of(&self, m: Move) -> Option<u8> {
        let [from, to] = [m.from(), m.to()].map(|square| u32::from(square).to_le_bytes()[0]);
        let piece = *self.at.get(usize::from(from))?;
        let number = piece >> 4;
        if piece == 0 || number == UNNUMBERED || piece & BLACK != self.turn {
            return None;
        }
        let of_kind = CODES.get(usize::from(piece & 7))?;
        let (first, count) = *of_kind.get(usize::from(number))?;
        let is_black_pawn = piece & 15 == Role::Pawn as u8 | BLACK;
        (first..first.saturating_add(count)).find(|code| {
            let meaning = MEANINGS.get(usize::from(*code)).copied().unwrap_or(0);
            let way = usize::from(meaning >> 6) + if is_black_pawn { 4 } else { 0 };
            TARGETS.get(way << 6 | usize::from(from)) == Some(&to)
        })
    }
}

fn by_squares(squares: u16) -> CbhMoveCode {
    CbhMoveCode {
        code: code::SQUARES,
        squares,
    }
}

/// Writes the moves of a record: the bytes of codes, which change with the number of moves before them.
#[derive(Debug)]
pub(crate) struct CbhMoveBytes<'a> {
    inverse: [u8; 256],
    late: bool,
    /// Moves so far, of all lines, as far as a byte goes.
    count: u8,
    out: &'a mut Vec<u8>,
}

impl<'a> CbhMoveBytes<'a> {
    /// Begins to write moves behind what stands there.
    pub(crate) fn new(coder: CbhMoveEncoding, out: &'a mut Vec<u8>) -> CbhMoveBytes<'a> {
        let mut inverse = [0; 256];
        for (byte, code) in (0_u8..=255).zip(coder.table) {
            if let Some(slot) = inverse.get_mut(usize::from(*code)) {
                *slot = byte;
            }
        }
        CbhMoveBytes {
            inverse,
            late: coder.late,
            count: 0,
            out,
        }
    }

    fn push(&mut self, code: u8) {
        let byte = |code: u8| self.inverse.get(usize::from(code)).copied().unwrap_or(0);
        let byte = match self.late {
            true => byte(code.wrapping_add(self.count)),
            false => byte(code).wrapping_add(self.count),
        };
        self.out.push(byte);
    }

    /// Adds a move.
    pub(crate) fn push_move(&mut self, m: CbhMoveCode) {
        self.push(m.code);
        if m.code == code::SQUARES {
            let [high, low] = m.squares.to_be_bytes();
            self.push(high);
            self.push(low);
        }
        self.count = self.count.wrapping_add(1);
    }

    /// Says that another move than the next one follows later from here.
    pub(crate) fn branch(&mut self) {
        self.push(code::BRANCH);
    }

    /// Ends a line.
    pub(crate) fn end(&mut self) {
        self.push(code::END);
    }
}
