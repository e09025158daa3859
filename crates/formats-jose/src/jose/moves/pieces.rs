//! The numbers of the pieces, and their squares.

use shakmaty::{Color, Role, Square};
use tabiya_model::{Board, Move};

/// The place of a piece that is no longer on the board, or never was.
const GONE: u8 = 64;

/// The first number of each kind of piece among a colour's sixteen; a promoted pawn keeps its own.
const KNIGHTS: usize = 8;
const BISHOPS: usize = 10;
const ROOKS: usize = 12;
const QUEEN: usize = 14;
const KING: usize = 15;

/// The squares of the numbered pieces of both colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JosePieces {
    black: [u8; 16],
    white: [u8; 16],
}

impl JosePieces {
    /// Numbers the pieces of a position. The flag shows whether there are enough numbers for all of them.
    pub fn of(board: &Board) -> (JosePieces, bool) {
        let mut pieces = JosePieces {
            black: [GONE; 16],
            white: [GONE; 16],
        };
        let mut enough = true;
        for color in Color::ALL {
            let places = pieces.of_color_mut(color);
            for (role, first, count) in [
                (Role::Pawn, 0, 8),
                (Role::Knight, KNIGHTS, 2),
                (Role::Bishop, BISHOPS, 2),
                (Role::Rook, ROOKS, 2),
                (Role::Queen, QUEEN, 1),
                (Role::King, KING, 1),
            ] {
                let set = board.by_piece(role.of(color));
                let mut number = 0;
                for rank in (0..8).rev() {
                    for file in 0..8 {
                        let square = Square::new(rank * 8 + file);
                        if !set.contains(square) {
                            continue;
                        }
                        if number == count {
                            enough = false;
                        } else if let Some(place) = places.get_mut(first + number) {
                            *place = square.to_u32() as u8;
                            number += 1;
                        }
                    }
                }
            }
        }
        (pieces, enough)
    }

    fn of_color_mut(&mut self, color: Color) -> &mut [u8; 16] {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    fn of_color(&self, color: Color) -> &[u8; 16] {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The square of a numbered piece, or 64 if it is gone.
    #[inline]
    pub(super) fn square(&self, color: Color, number: usize) -> u32 {
        u32::from(self.of_color(color).get(number).copied().unwrap_or(GONE))
    }

    /// The number of the piece on a square.
    #[inline]
    pub(super) fn number(&self, color: Color, square: Square) -> Option<usize> {
        let square = u32::from(square);
        self.of_color(color)
            .iter()
            .position(|&place| u32::from(place) == square)
    }

    /// Follows a move of the side to move.
    #[inline]
    pub(super) fn play(&mut self, color: Color, m: Move) {
        if m.is_null() {
            return;
        }
        let (from, to) = (byte(m.from()), byte(m.to()));
        if m.is_castle() {
            // Both squares are looked up before either changes: in Chess960 they may swap.
            let (king_to, rook_to) = (byte(m.king_target()), byte(m.rook_target()));
            let places = self.of_color_mut(color);
            let find = |places: &[u8; 16], square| places.iter().position(|&p| p == square);
            let (king, rook) = (find(places, from), find(places, to));
            if let Some(place) = king.and_then(|number| places.get_mut(number)) {
                *place = king_to;
            }
            if let Some(place) = rook.and_then(|number| places.get_mut(number)) {
                *place = rook_to;
            }
            return;
        }
        if m.is_capture() {
            let taken = if m.is_en_passant() { to ^ 8 } else { to };
            replace(self.of_color_mut(!color), taken, GONE);
        }
        replace(self.of_color_mut(color), from, to);
    }
}

/// At most one place matches, but checking all of them lets the compiler do it at once.
#[inline]
fn replace(places: &mut [u8; 16], old: u8, new: u8) {
    for place in places {
        *place = if *place == old { new } else { *place };
    }
}

#[inline]
fn byte(square: Square) -> u8 {
    u32::from(square) as u8
}

/// The piece with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JosePieceNumber {
    /// A pawn, or the piece that it became.
    Pawn(u8),
    Knight(u8),
    Bishop(u8),
    Rook(u8),
    Queen,
    King,
}

impl JosePieceNumber {
    /// Reads a number from [`JosePieces::number`].
    pub(super) fn of(number: usize) -> Option<JosePieceNumber> {
        let small = u8::try_from(number).ok()?;
        match small {
            0..=7 => Some(JosePieceNumber::Pawn(small)),
            8 | 9 => Some(JosePieceNumber::Knight(small - 8)),
            10 | 11 => Some(JosePieceNumber::Bishop(small - 10)),
            12 | 13 => Some(JosePieceNumber::Rook(small - 12)),
            14 => Some(JosePieceNumber::Queen),
            15 => Some(JosePieceNumber::King),
            _ => None,
        }
    }

    /// The number among a colour's sixteen.
    #[inline]
    pub(super) fn index(self) -> usize {
        match self {
            JosePieceNumber::Pawn(n) => usize::from(n),
            JosePieceNumber::Knight(n) => KNIGHTS + usize::from(n),
            JosePieceNumber::Bishop(n) => BISHOPS + usize::from(n),
            JosePieceNumber::Rook(n) => ROOKS + usize::from(n),
            JosePieceNumber::Queen => QUEEN,
            JosePieceNumber::King => KING,
        }
    }
}
