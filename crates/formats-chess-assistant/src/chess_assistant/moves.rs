//! The codes of moves, and the numbers of the pieces.
//!
//! A code means that the piece with number n moves a number of squares up and to the right, both modulo 8. Each colour has
//! its own numbers: 0 to 7 pawns by their files, 8 and 9 knights, 10 and 11 bishops, 12 and 13 rooks, 14 queen, 15 king, 16
//! and 17 promoted pieces. A number stays with its piece.

use std::sync::LazyLock;

use shakmaty::{Color, File, Rank, Role, Square};
use tabiya_model::{Board, Move};

/// The first code that is not a plain move of the table.
pub const TABLE_CODES: usize = 207;
/// Castling to the queen's side.
pub const CASTLE_LONG: u8 = 207;
/// Castling to the king's side.
pub const CASTLE_SHORT: u8 = 208;
/// A promotion; two bytes follow.
pub const PROMOTION: u8 = 209;
/// The next code is an en passant capture.
pub const EN_PASSANT: u8 = 210;
/// The null move.
pub const NULL: u8 = 211;
/// A move of the piece that was made from the a-pawn; one byte follows. The next seven codes are those of the other pawns.
pub const EXTENDED: u8 = 212;
/// The last of the eight codes from [`EXTENDED`].
pub const EXTENDED_LAST: u8 = 219;
/// A starting position; [`SETUP_BYTES`] follow.
pub const SETUP: u8 = 230;
/// The start of a variation.
pub const BEGIN: u8 = 231;
/// The end of a variation.
pub const END: u8 = 232;
/// A code without a known meaning; one byte follows.
pub const MYSTERY: u8 = 233;
/// A comment of two bytes.
pub const SYMBOL: u8 = 234;
/// A comment with a length of one byte.
pub const COMMENT: u8 = 235;
/// A comment with a length of four bytes.
pub const LONG_COMMENT: u8 = 236;

/// Numbers of a colour's pieces in a starting position.
pub const SETUP_PIECES: usize = 18;
/// Bytes of a starting position.
pub const SETUP_BYTES: usize = 4 * SETUP_PIECES + 4;
/// The bytes of a missing piece.
pub const ABSENT: [u8; 2] = [8, 0];
/// The number of the king.
pub const KING_NUMBER: u8 = 15;

/// No piece, or no square.
const NONE: u8 = 64;
/// How many numbers the five-bit field of a promotion can hold.
const NUMBERS: usize = 32;

/// The move of a code: the piece, and its displacement up and to the right, modulo 8, from White's side.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CaMoveStep {
    /// The piece's number.
    pub number: u8,
    /// Ranks up.
    pub up: u8,
    /// Files to the right.
    pub right: u8,
}

const PAWN_STEPS: [u8; 4] = [0x10, 0x17, 0x11, 0x20];
const KNIGHT_STEPS: [u8; 8] = [0x67, 0x76, 0x16, 0x27, 0x21, 0x12, 0x72, 0x61];
/// Seven squares along one diagonal and six along the other: four squares further, both lead to the same square.
const BISHOP_STEPS: [u8; 13] = [
    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x17, 0x26, 0x35, 0x53, 0x62, 0x71,
];
const ROOK_STEPS: [u8; 14] = [
    0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x70, 0x60, 0x50, 0x40, 0x30, 0x20, 0x10,
];
const KING_STEPS: [u8; 8] = [0x11, 0x77, 0x17, 0x71, 0x07, 0x01, 0x70, 0x10];

/// The moves of the codes from 0.
pub static TABLE: [CaMoveStep; TABLE_CODES] = table();

const fn table() -> [CaMoveStep; TABLE_CODES] {
    const fn fill(
        table: &mut [CaMoveStep; TABLE_CODES],
        mut at: usize,
        number: u8,
        steps: &[u8],
    ) -> usize {
        let mut i = 0;
        while i < steps.len() {
            table[at] = CaMoveStep {
                number,
                up: steps[i] >> 4,
                right: steps[i] & 15,
            };
            at += 1;
            i += 1;
        }
        at
    }
    let zero = CaMoveStep {
        number: 0,
        up: 0,
        right: 0,
    };
    let mut table = [zero; TABLE_CODES];
    let mut at = 0;
    let mut number = 0;
    while number < SETUP_PIECES as u8 {
        at = match number {
            0..=7 => fill(&mut table, at, number, &PAWN_STEPS),
            8 | 9 => fill(&mut table, at, number, &KNIGHT_STEPS),
            10 | 11 => fill(&mut table, at, number, &BISHOP_STEPS),
            12 | 13 => fill(&mut table, at, number, &ROOK_STEPS),
            14 => {
                at = fill(&mut table, at, number, &BISHOP_STEPS);
                fill(&mut table, at, number, &ROOK_STEPS)
            }
            15 => fill(&mut table, at, number, &KING_STEPS),
            _ => {
                at = fill(&mut table, at, number, &BISHOP_STEPS);
                at = fill(&mut table, at, number, &ROOK_STEPS);
                fill(&mut table, at, number, &KNIGHT_STEPS)
            }
        };
        number += 1;
    }
    assert!(at == TABLE_CODES);
    table
}

/// No code.
const NO_CODE: u8 = u8::MAX;

/// The codes by number and by the square that a piece on a1 would reach.
static CODES: [[u8; 64]; SETUP_PIECES] = codes();

const fn codes() -> [[u8; 64]; SETUP_PIECES] {
    let table = table();
    let mut codes = [[NO_CODE; 64]; SETUP_PIECES];
    let mut code = 0;
    while code < TABLE_CODES {
        let step = table[code];
        codes[step.number as usize][(step.up * 8 + step.right) as usize] = code as u8;
        code += 1;
    }
    codes
}

/// The displacement from one square to another, up and right, modulo 8.
fn displacement(from: Square, to: Square) -> (u8, u8) {
    let (from, to) = (u8::from(from), u8::from(to));
    let up = (to >> 3).wrapping_sub(from >> 3) & 7;
    let right = (to & 7).wrapping_sub(from & 7) & 7;
    (up, right)
}

/// The target square of a displacement.
#[inline]
pub fn displace(from: Square, up: u8, right: u8) -> Square {
    let from = u8::from(from);
    let rank = (from >> 3).wrapping_add(up) & 7;
    let file = (from & 7).wrapping_add(right) & 7;
    Square::new(u32::from(rank << 3 | file))
}

/// The direction in which the displacements of the table are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum CaFileDirection {
    /// Files are counted to the right, towards the h-file.
    #[default]
    Right,
    /// Files are counted to the left: according to the wording of the description, but against everything else in it.
    Left,
}

impl CaFileDirection {
    /// The displacement of a step of the table, for a piece of a colour.
    #[inline]
    pub fn read(self, step: CaMoveStep, color: Color) -> (u8, u8) {
        // Only pawns move the other way for Black; their steps up are never 0.
        let up = if step.number < 8 && color == Color::Black {
            8 - step.up
        } else {
            step.up
        };
        let right = match self {
            CaFileDirection::Right => step.right,
            CaFileDirection::Left => step.right.wrapping_neg() & 7,
        };
        (up, right)
    }
}

/// The number of each piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaPieces {
    /// Squares by colour and number.
    at: [[u8; NUMBERS]; 2],
    /// Squares of promoted pieces, by colour and the number of the former pawn.
    made: [[u8; 8]; 2],
    /// The number of the piece on a square.
    number: [u8; 64],
    /// The former pawn of the piece on a square.
    pawn: [u8; 64],
}

fn side(color: Color) -> usize {
    usize::from(color == Color::Black)
}

/// Reads an entry; anything out of bounds counts as none.
fn get(list: &[u8], at: u8) -> u8 {
    list.get(usize::from(at)).copied().unwrap_or(NONE)
}

fn put(list: &mut [u8], at: u8, value: u8) {
    if let Some(entry) = list.get_mut(usize::from(at)) {
        *entry = value;
    }
}

fn some_square(index: u8) -> Option<Square> {
    (index < NONE).then(|| Square::new(u32::from(index)))
}

impl CaPieces {
    /// No piece has a number.
    pub fn empty() -> CaPieces {
        CaPieces {
            at: [[NONE; NUMBERS]; 2],
            made: [[NONE; 8]; 2],
            number: [NONE; 64],
            pawn: [NONE; 64],
        }
    }

    /// The numbers at the normal start.
    pub fn standard() -> &'static CaPieces {
        static STANDARD: LazyLock<CaPieces> = LazyLock::new(CaPieces::at_start);
        &STANDARD
    }

    fn at_start() -> CaPieces {
        const PIECES: [u8; 8] = [12, 8, 10, 14, 15, 11, 9, 13];
        let mut pieces = CaPieces::empty();
        for color in Color::ALL {
            for (file, piece) in (0_u8..8).zip(PIECES) {
                let file_at = File::new(u32::from(file));
                let back = color.fold_wb(Rank::First, Rank::Eighth);
                let second = color.fold_wb(Rank::Second, Rank::Seventh);
                pieces.place(color, piece, Square::from_coords(file_at, back));
                pieces.place(color, file, Square::from_coords(file_at, second));
            }
        }
        pieces
    }

    /// Gives the piece on a square a number.
    fn place(&mut self, color: Color, number: u8, square: Square) {
        let square = u8::from(square);
        put(&mut self.at[side(color)], number, square);
        put(&mut self.number, square, number);
    }

    /// Gives a piece of a starting position its number. A piece other than a pawn with the number of a pawn counts as
    /// promoted from it.
    pub fn place_setup(&mut self, color: Color, number: u8, role: Role, square: Square) {
        self.place(color, number, square);
        if number < 8 && role != Role::Pawn {
            put(&mut self.made[side(color)], number, u8::from(square));
            put(&mut self.pawn, u8::from(square), number);
        }
    }

    /// The square of the piece with a number.
    #[inline]
    pub fn square(&self, color: Color, number: u8) -> Option<Square> {
        some_square(get(&self.at[side(color)], number))
    }

    /// The square of the piece that was promoted from a pawn.
    #[inline]
    pub fn made_from(&self, color: Color, pawn: u8) -> Option<Square> {
        some_square(get(&self.made[side(color)], pawn))
    }

    /// Removes the piece from a square and returns its number and its former pawn.
    fn lift(&mut self, color: Color, square: Square) -> (u8, u8) {
        let square = u8::from(square);
        let (number, pawn) = (get(&self.number, square), get(&self.pawn, square));
        if number != NONE {
            put(&mut self.at[side(color)], number, NONE);
            put(&mut self.number, square, NONE);
        }
        if pawn != NONE {
            put(&mut self.made[side(color)], pawn, NONE);
            put(&mut self.pawn, square, NONE);
        }
        (number, pawn)
    }

    fn drop(&mut self, color: Color, (number, pawn): (u8, u8), square: Square) {
        let square = u8::from(square);
        if number != NONE {
            put(&mut self.at[side(color)], number, square);
            put(&mut self.number, square, number);
        }
        if pawn != NONE {
            put(&mut self.made[side(color)], pawn, square);
            put(&mut self.pawn, square, pawn);
        }
    }

    /// Follows a move of a colour; `number` is that of a promoted piece. A number that another piece still has stays with
    /// that one.
    #[inline]
    pub fn follow(&mut self, color: Color, m: Move, number: u8) {
        if m.is_null() {
            return;
        }
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            let king = self.lift(color, from);
            let rook = self.lift(color, to);
            self.drop(color, king, m.king_target());
            self.drop(color, rook, m.rook_target());
            return;
        }
        if m.is_en_passant() {
            self.lift(!color, Square::from_coords(to.file(), from.rank()));
        } else if m.is_capture() {
            self.lift(!color, to);
        }
        let (old, pawn) = self.lift(color, from);
        if m.promotion().is_none() {
            self.drop(color, (old, pawn), to);
            return;
        }
        let is_free = usize::from(number) < NUMBERS && self.square(color, number).is_none();
        self.drop(color, (if is_free { number } else { NONE }, old), to);
    }

    /// The number that a promoted piece gets: a free one of its kind, then 16 and 17, then the pawn's own.
    pub fn number_for(&self, color: Color, role: Role, pawn: u8) -> u8 {
        own_numbers(role)
            .iter()
            .chain(&EXTRA)
            .copied()
            .find(|number| self.square(color, *number).is_none())
            .unwrap_or(pawn)
    }

    /// The number of the piece on a square, and its former pawn.
    pub fn numbers_at(&self, square: Square) -> (Option<u8>, Option<u8>) {
        let some = |n: u8| (n != NONE).then_some(n);
        let square = u8::from(square);
        (
            some(get(&self.number, square)),
            some(get(&self.pawn, square)),
        )
    }

    /// Appends the code of a legal move and returns the number that a promoted piece gets; `None` if the move has no
    /// code.
    pub fn encode(&self, board: &Board, m: Move, out: &mut Vec<u8>) -> Option<u8> {
        let color = board.turn();
        if m.is_null() {
            out.push(NULL);
            return Some(NONE);
        }
        if m.is_castle() {
            let short = m.from() < m.to();
            out.push(if short { CASTLE_SHORT } else { CASTLE_LONG });
            return Some(NONE);
        }
        let (number, pawn) = self.numbers_at(m.from());
        let (up, right) = displacement(m.from(), m.to());
        let up_for_white = match color {
            Color::Black if m.role() == Role::Pawn => 8_u8.wrapping_sub(up) & 7,
            _ => up,
        };
        let code = number
            .and_then(|n| CODES.get(usize::from(n)))
            .and_then(|codes| codes.get(usize::from(up_for_white * 8 + right)))
            .copied()
            .filter(|code| *code != NO_CODE);
        if let Some(role) = m.promotion() {
            let pawn = number.filter(|n| *n < 8)?;
            let code = code?;
            let new = self.number_for(color, role, pawn);
            out.extend([PROMOTION, code, type_of(role) << 5 | new]);
            return Some(new);
        }
        // The codes of a pawn's number are those of a pawn: a piece promoted from it has only the extended ones.
        let is_pawn = m.role() == Role::Pawn;
        match code.filter(|_| number.is_some_and(|n| n >= 8) || is_pawn) {
            Some(code) => {
                if m.is_en_passant() {
                    out.push(EN_PASSANT);
                }
                out.push(code);
            }
            None => out.extend([EXTENDED + pawn.filter(|pawn| *pawn < 8)?, up << 4 | right]),
        }
        Some(NONE)
    }
}

/// Numbers for promoted pieces of any kind.
pub const EXTRA: [u8; 2] = [16, 17];

/// The numbers that belong to a kind of piece.
pub fn own_numbers(role: Role) -> &'static [u8] {
    match role {
        Role::Pawn => &[0, 1, 2, 3, 4, 5, 6, 7],
        Role::Knight => &[8, 9],
        Role::Bishop => &[10, 11],
        Role::Rook => &[12, 13],
        Role::Queen => &[14],
        Role::King => &[KING_NUMBER],
    }
}

/// The number of a kind of piece in starting positions and promotions.
pub fn type_of(role: Role) -> u8 {
    match role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    }
}

/// The kind of piece of a number in starting positions and promotions.
pub fn role_of(number: u8) -> Option<Role> {
    Role::ALL.into_iter().find(|role| type_of(*role) == number)
}

/// A square as one byte: rank above, file below, both from 0.
pub fn coordinate(square: Square) -> u8 {
    let square = u8::from(square);
    (square >> 3) << 4 | square & 7
}

/// The square of such a byte.
pub fn square_of(coordinate: u8) -> Option<Square> {
    (coordinate & 0x88 == 0)
        .then(|| Square::new(u32::from(coordinate >> 4) * 8 + u32::from(coordinate & 7)))
}

/// The length of a code with its arguments; `None` if the code is unknown, or truncated.
pub fn code_length(bytes: &[u8]) -> Option<usize> {
    let length = match *bytes.first()? {
        0..=CASTLE_SHORT | EN_PASSANT | NULL | BEGIN | END => 1,
        PROMOTION | SYMBOL => 3,
        EXTENDED..=EXTENDED_LAST | MYSTERY => 2,
        SETUP => 1 + SETUP_BYTES,
        COMMENT => 2 + usize::from(*bytes.get(1)?),
        LONG_COMMENT => {
            let length = super::layout::u32_at(bytes, 1)?;
            usize::try_from(length).ok()?.checked_add(5)?
        }
        _ => return None,
    };
    (length <= bytes.len()).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_where_the_description_has_them() {
        let step = |number, up, right| CaMoveStep { number, up, right };
        for (code, expected) in [
            (0, step(0, 1, 0)),
            (31, step(7, 2, 0)),
            (32, step(8, 6, 7)),
            (47, step(9, 6, 1)),
            (60, step(10, 7, 1)),
            (74, step(12, 0, 7)),
            (101, step(13, 1, 0)),
            (128, step(14, 1, 0)),
            (136, step(15, 1, 0)),
            (171, step(16, 6, 1)),
            (206, step(17, 6, 1)),
        ] {
            assert_eq!(TABLE[code], expected, "{code}");
        }
    }

    #[test]
    fn every_code_is_found_again() {
        for (code, step) in TABLE.iter().enumerate() {
            let slot = usize::from(step.up * 8 + step.right);
            assert_eq!(usize::from(CODES[usize::from(step.number)][slot]), code);
        }
    }

    #[test]
    fn coordinates() {
        assert_eq!(square_of(0x77), Some(Square::H8));
        assert_eq!(square_of(coordinate(Square::C5)), Some(Square::C5));
        for bad in [0x08, 0x80, 0xff] {
            assert_eq!(square_of(bad), None);
        }
    }

    #[test]
    fn a_number_stays_with_its_piece() {
        let mut board = Board::standard();
        let mut pieces = CaPieces::standard().clone();
        for text in [
            "e2e4", "d7d5", "e4d5", "c7c6", "d5c6", "d8b6", "c6b7", "b6a5", "b7c8n",
        ] {
            let m = board.parse_uci(text.as_bytes()).expect("legal");
            let mut bytes = Vec::new();
            let new = pieces.encode(&board, m, &mut bytes).expect("has a code");
            pieces.follow(board.turn(), m, new);
            board.play(m);
        }
        assert_eq!(pieces.numbers_at(Square::C8), (Some(16), Some(4)));
        assert_eq!(pieces.square(Color::Black, 10), None);
        assert_eq!(pieces.square(Color::Black, 3), None);
        assert_eq!(pieces.made_from(Color::White, 4), Some(Square::C8));
        assert_eq!(pieces.square(Color::White, 4), None);
    }
}
