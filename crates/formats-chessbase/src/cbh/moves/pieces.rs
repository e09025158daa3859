//! The pieces of both sides with their numbers, and their moves by the codes of a record.

use shakmaty::{Color, Role, Square};
use tabiya_model::board::{Board, Move};

use super::{CbhMoveEncoding, CbhMoveError};
use crate::cbh::layout::{CbhChess960Record, square_by_files};

/// Codes that are no move of a numbered piece.
pub(super) mod code {
    pub(in crate::cbh::moves) const NULL: u8 = 0;
    pub(in crate::cbh::moves) const CASTLE_SHORT: u8 = 9;
    pub(in crate::cbh::moves) const CASTLE_LONG: u8 = 10;
    pub(in crate::cbh::moves) const SQUARES: u8 = 235;
    pub(in crate::cbh::moves) const FILLER: u8 = 236;
    pub(in crate::cbh::moves) const BRANCH: u8 = 254;
    pub(in crate::cbh::moves) const END: u8 = 255;
}

/// What a code means: the piece in the low six bits (role, then number from bit 3), and the way above; 0 for none.
pub(super) type CbhCodeMeaning = u16;

const PAWN: u16 = Role::Pawn as u16;
const KNIGHT: u16 = Role::Knight as u16;
const BISHOP: u16 = Role::Bishop as u16;
const ROOK: u16 = Role::Rook as u16;
const QUEEN: u16 = Role::Queen as u16;
const KING: u16 = Role::King as u16;

/// The ways: 28 of a queen (of which a rook has the first half and a bishop the second), of a king, of a knight, of a
/// white pawn and of a black one.
const KING_WAYS: usize = 28;
const KNIGHT_WAYS: usize = 36;
const PAWN_WAYS: usize = 44;
const WAYS: usize = 52;

pub(super) static MEANINGS: [CbhCodeMeaning; 256] = {
    let mut table = [0; 256];
    // First code, number of codes, role, number, first way.
    let blocks: [(usize, usize, u16, u16, usize); 21] = [
        (1, 8, KING, 0, KING_WAYS),
        (11, 28, QUEEN, 0, 0),
        (39, 14, ROOK, 0, 0),
        (53, 14, ROOK, 1, 0),
        (67, 14, BISHOP, 0, 14),
        (81, 14, BISHOP, 1, 14),
        (95, 8, KNIGHT, 0, KNIGHT_WAYS),
        (103, 8, KNIGHT, 1, KNIGHT_WAYS),
        (111, 4, PAWN, 0, PAWN_WAYS),
        (115, 4, PAWN, 1, PAWN_WAYS),
        (119, 4, PAWN, 2, PAWN_WAYS),
        (123, 4, PAWN, 3, PAWN_WAYS),
        (127, 4, PAWN, 4, PAWN_WAYS),
        (131, 4, PAWN, 5, PAWN_WAYS),
        (135, 4, PAWN, 6, PAWN_WAYS),
        (139, 4, PAWN, 7, PAWN_WAYS),
        (143, 28, QUEEN, 1, 0),
        (171, 28, QUEEN, 2, 0),
        (199, 14, ROOK, 2, 0),
        (213, 14, BISHOP, 2, 14),
        (227, 8, KNIGHT, 2, KNIGHT_WAYS),
    ];
    let mut block = 0;
    while block < blocks.len() {
        let (first, count, role, number, way) = blocks[block];
        let mut index = 0;
        while index < count {
            table[first + index] = role | number << 3 | ((way + index) as u16) << 6;
            index += 1;
        }
        block += 1;
    }
    table
};

/// No square: a place in a list that nobody has, a way that leaves the board.
const NONE: u8 = 64;

const KING_STEPS: [(i32, i32); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
const KNIGHT_STEPS: [(i32, i32); 8] = [
    (2, 1),
    (1, 2),
    (-1, 2),
    (-2, 1),
    (-2, -1),
    (-1, -2),
    (1, -2),
    (2, -1),
];
const PAWN_STEPS: [(i32, i32); 8] = [
    (0, 1),
    (0, 2),
    (1, 1),
    (-1, 1),
    (0, -1),
    (0, -2),
    (-1, -1),
    (1, -1),
];

/// Where a way leads from each square. All but those of pawns come back on the other side of the board.
pub(super) static TARGETS: [u8; WAYS * 64] = {
    let mut table = [NONE; WAYS * 64];
    let mut way = 0;
    while way < WAYS {
        let step = (way % 7) as i32 + 1;
        let (files, ranks) = match way / 7 {
            0 => (0, step),
            1 => (step, 0),
            2 => (step, step),
            3 => (step, -step),
            _ if way < KNIGHT_WAYS => KING_STEPS[way - KING_WAYS],
            _ if way < PAWN_WAYS => KNIGHT_STEPS[way - KNIGHT_WAYS],
            _ => PAWN_STEPS[way - PAWN_WAYS],
        };
        let mut from = 0;
        while from < 64 {
            let (file, rank) = (from % 8 + files, from / 8 + ranks);
            let is_inside = file >= 0 && file < 8 && rank >= 0 && rank < 8;
            if is_inside || way < PAWN_WAYS {
                table[way * 64 + from as usize] =
                    ((rank.rem_euclid(8)) * 8 + file.rem_euclid(8)) as u8;
            }
            from += 1;
        }
        way += 1;
    }
    table
};

/// The side of a piece in [`CbhPieces::at`].
pub(super) const BLACK: u8 = 8;
/// The number of a piece that has none.
pub(super) const UNNUMBERED: u8 = 15;
/// So many pieces of a kind have numbers, pawns excepted.
const NUMBERED: u8 = 3;

/// The pieces of both sides with their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CbhPieces {
    /// Role and side in the low four bits, the number above; 0 for an empty square.
    pub(super) at: [u8; 64],
    /// The squares of the pieces of each role and side, eight places each.
    list: [u8; 128],
    /// 0 for White, [`BLACK`] for Black.
    pub(super) turn: u8,
    /// The rooks that castle in Chess960: White's on the king's side, on the queen's side, then Black's; [`NONE`] if
    /// the position does not show it.
    rooks: [u8; 4],
}

#[inline(always)]
fn square(index: u8) -> Square {
    Square::new(u32::from(index & 63))
}

#[inline(always)]
fn index(square: Square) -> u8 {
    u32::from(square).to_le_bytes()[0]
}

#[inline(always)]
fn role_of(piece: u8) -> Role {
    match piece & 7 {
        1 => Role::Pawn,
        2 => Role::Knight,
        3 => Role::Bishop,
        4 => Role::Rook,
        5 => Role::Queen,
        _ => Role::King,
    }
}

/// The place in [`CbhPieces::list`] of a piece of this role, side and number.
#[inline(always)]
fn slot(piece: u8, number: u8) -> usize {
    usize::from(piece & 15) << 3 | usize::from(number & 7)
}

/// The most numbers of a kind.
fn numbers(role: Role) -> u8 {
    match role {
        Role::Pawn => 8,
        Role::King => 1,
        _ => NUMBERED,
    }
}

impl CbhPieces {
    /// Numbers the pieces of a position.
    pub fn of(board: &Board, chess960: Option<CbhChess960Record>) -> CbhPieces {
        let mut pieces = CbhPieces {
            at: [0; 64],
            list: [NONE; 128],
            turn: if board.turn() == Color::White {
                0
            } else {
                BLACK
            },
            rooks: [NONE; 4],
        };
        for here in (0..64).filter_map(square_by_files) {
            if let Some(piece) = board.piece_at(here) {
                let side = if piece.color == Color::White {
                    0
                } else {
                    BLACK
                };
                pieces.add(index(here), piece.role, side);
            }
        }
        if let Some(chess960) = chess960 {
            for (place, rook) in (0_u8..).zip(&mut pieces.rooks) {
                let named = chess960.rooks.get(usize::from(place)).copied();
                let named = named.and_then(square_by_files).map(index);
                *rook = castling_rook(&pieces.at, pieces.list, place, named);
            }
        }
        pieces
    }

    /// Whether White is to move.
    pub(crate) fn is_white_to_move(&self) -> bool {
        self.turn == 0
    }

    /// Puts a piece on the board, with the next number of its kind where there is one.
    fn add(&mut self, at: u8, role: Role, side: u8) {
        let piece = role as u8 | side;
        let number = (0..numbers(role)).find(|number| self.list[slot(piece, *number)] == NONE);
        if let Some(number) = number {
            self.list[slot(piece, number)] = at;
        }
        self.at[usize::from(at & 63)] = piece | number.unwrap_or(UNNUMBERED) << 4;
    }

    /// Takes a piece off its kind's list. A pawn's number stays empty; of the others those behind it move up.
    #[inline(always)]
    fn remove(&mut self, piece: u8) {
        let number = piece >> 4;
        if number == UNNUMBERED {
            return;
        }
        if !matches!(role_of(piece), Role::Pawn | Role::King) {
            for number in number..NUMBERED - 1 {
                let next = self.list[slot(piece, number + 1)];
                self.list[slot(piece, number)] = next;
                if next != NONE {
                    self.at[usize::from(next & 63)] = piece & 15 | number << 4;
                }
            }
            self.list[slot(piece, NUMBERED - 1)] = NONE;
        } else {
            self.list[slot(piece, number)] = NONE;
        }
    }

    /// Plays the move of a numbered piece.
    #[inline(always)]
    pub(super) fn ordinary(&mut self, meaning: CbhCodeMeaning) -> Result<Move, CbhMoveError> {
        let role = (meaning & 7) as u8;
        let number = (meaning >> 3 & 7) as u8;
        let piece = role | self.turn;
        let place = slot(piece, number);
        let from = self.list[place];
        if from >= NONE {
            return Err(CbhMoveError::NoPiece {
                role: role_of(role),
                number: number + 1,
            });
        }
        let is_pawn = role == PAWN as u8;
        let mut way = usize::from(meaning >> 6);
        if is_pawn && self.turn != 0 {
            way += 4;
        }
        let to = TARGETS[(way << 6 | usize::from(from & 63)) % TARGETS.len()];
        if to >= NONE {
            return Err(CbhMoveError::OffBoard(square(from)));
        }
        let captured = self.at[usize::from(to & 63)];
        if captured != 0 {
            if captured & BLACK == self.turn {
                return Err(CbhMoveError::OwnPiece(square(to)));
            }
            self.remove(captured);
        } else if is_pawn
            && (from ^ to) & 7 != 0
            && let Some(m) = self.en_passant(from, to)
        {
            return Ok(m);
        }
        self.at[usize::from(from & 63)] = 0;
        self.at[usize::from(to & 63)] = piece | number << 4;
        self.list[place] = to;
        self.turn ^= BLACK;
        Ok(Move::normal(
            role_of(role),
            square(from),
            square(to),
            captured != 0,
            None,
        ))
    }

    /// A pawn goes sideways to an empty square: takes the pawn that it passes, if one is there.
    #[inline(never)]
    fn en_passant(&mut self, from: u8, to: u8) -> Option<Move> {
        let passed = from & 56 | to & 7;
        let taken = self.at[usize::from(passed & 63)];
        if taken & 15 != (PAWN as u8 | BLACK) ^ self.turn {
            return None;
        }
        self.remove(taken);
        self.at[usize::from(passed & 63)] = 0;
        self.shift(from, to);
        self.turn ^= BLACK;
        Some(Move::en_passant(square(from), square(to)))
    }

    /// Moves a piece with its number to an empty square.
    fn shift(&mut self, from: u8, to: u8) {
        let piece = std::mem::take(&mut self.at[usize::from(from & 63)]);
        self.at[usize::from(to & 63)] = piece;
        if piece >> 4 != UNNUMBERED {
            self.list[slot(piece, piece >> 4)] = to;
        }
    }

    /// Castles with a rook on a square.
    fn castle(&mut self, king: u8, rook: u8) -> Result<Move, CbhMoveError> {
        let (king_piece, rook_piece) = (self.code_at(king), self.code_at(rook));
        if king_piece & 15 != KING as u8 | self.turn || rook_piece & 15 != ROOK as u8 | self.turn {
            return Err(CbhMoveError::NoCastling);
        }
        let m = Move::castle(square(king), square(rook));
        let targets = [index(m.king_target()), index(m.rook_target())];
        for (at, from) in targets.into_iter().zip([king, rook]) {
            if at != king && at != rook && self.code_at(at) != 0 {
                return Err(CbhMoveError::OwnPiece(square(from)));
            }
        }
        for from in [king, rook] {
            self.at[usize::from(from & 63)] = 0;
        }
        for (to, piece) in targets.into_iter().zip([king_piece, rook_piece]) {
            self.at[usize::from(to & 63)] = piece;
            if piece >> 4 != UNNUMBERED {
                self.list[slot(piece, piece >> 4)] = to;
            }
        }
        self.turn ^= BLACK;
        Ok(m)
    }

    fn code_at(&self, at: u8) -> u8 {
        if at < NONE {
            self.at[usize::from(at & 63)]
        } else {
            0
        }
    }

    fn king(&self) -> u8 {
        self.list[slot(KING as u8 | self.turn, 0)]
    }

    /// Castles by the code for it, as standard chess does.
    #[inline(never)]
    pub(super) fn castle_by_code(&mut self, short: bool) -> Result<Move, CbhMoveError> {
        let king = self.king();
        if king >= NONE || king & 7 != 4 {
            return Err(CbhMoveError::NoCastling);
        }
        self.castle(king, king & 56 | if short { 7 } else { 0 })
    }

    /// Plays a move that names both squares.
    #[inline(never)]
    pub(super) fn by_squares(
        &mut self,
        word: u16,
        coder: CbhMoveEncoding,
    ) -> Result<Move, CbhMoveError> {
        let by_files = |bits: u16| (bits & 7) << 3 | bits >> 3 & 7;
        let [from, _] = by_files(word & 63).to_le_bytes();
        let [to, _] = by_files(word >> 6 & 63).to_le_bytes();
        if from == to {
            if coder.plain && from == 0 {
                self.turn ^= BLACK;
                return Ok(Move::NULL);
            }
            let rank = if self.turn == 0 { 0 } else { 56 };
            let side = match to ^ rank {
                6 if coder.chess960 => 0,
                2 if coder.chess960 => 1,
                _ => return Err(CbhMoveError::Nowhere(square(from))),
            };
            let rook = self.rooks[usize::from(self.turn >> 2 | side) & 3];
            return self.castle(self.king(), rook);
        }
        let piece = self.at[usize::from(from & 63)];
        if piece == 0 || piece & BLACK != self.turn {
            return Err(CbhMoveError::NobodyThere(square(from)));
        }
        let role = role_of(piece);
        let is_castling = !coder.chess960
            && role == Role::King
            && from & 7 == 4
            && from & 56 == to & 56
            && matches!(to & 7, 2 | 6);
        if is_castling {
            let rook = from & 56 | if to & 7 == 6 { 7 } else { 0 };
            if self.code_at(rook) & 15 == ROOK as u8 | self.turn {
                return self.castle(from, rook);
            }
        }
        let captured = self.at[usize::from(to & 63)];
        if captured != 0 {
            if captured & BLACK == self.turn {
                return Err(CbhMoveError::OwnPiece(square(to)));
            }
            self.remove(captured);
        } else if role == Role::Pawn
            && (from ^ to) & 7 != 0
            && let Some(m) = self.en_passant(from, to)
        {
            return Ok(m);
        }
        let last = if self.turn == 0 { 56 } else { 0 };
        let promotion = (role == Role::Pawn && to & 56 == last).then_some(match word >> 12 & 3 {
            0 => Role::Queen,
            1 => Role::Rook,
            2 => Role::Bishop,
            _ => Role::Knight,
        });
        match promotion {
            Some(promoted) => {
                self.remove(piece);
                self.at[usize::from(from & 63)] = 0;
                self.add(to, promoted, self.turn);
            }
            None => self.shift(from, to),
        }
        self.turn ^= BLACK;
        Ok(Move::normal(
            role,
            square(from),
            square(to),
            captured != 0,
            promotion,
        ))
    }
}

/// The rook of a place in [`CbhPieces::rooks`]: the one that is named, if a rook stands there; else the outermost on that side
/// of the king.
fn castling_rook(at: &[u8; 64], list: [u8; 128], place: u8, named: Option<u8>) -> u8 {
    let side = if place < 2 { 0 } else { BLACK };
    let rank: u8 = if place < 2 { 0 } else { 56 };
    let is_rook = |square: u8| at[usize::from(square & 63)] & 15 == ROOK as u8 | side;
    if let Some(named) = named.filter(|named| named & 56 == rank && is_rook(*named)) {
        return named;
    }
    let king = list[slot(KING as u8 | side, 0)];
    let mut files: Vec<u8> = (0..8).map(|file| rank | file).collect();
    if place & 1 == 0 {
        files.reverse();
    }
    files
        .into_iter()
        .take_while(|square| *square != king)
        .find(|square| is_rook(*square))
        .unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fourth_queen_has_no_number_and_gets_none_when_another_is_taken() {
        let fen = "k6r/8/8/8/8/8/8/QQQQ3K w - - 0 1";
        let (board, _) = Board::from_fen(fen).expect("a position");
        let mut pieces = CbhPieces::of(&board, None);
        let queen = QUEEN as u8;
        assert_eq!(pieces.list[slot(queen, 2)], index(Square::C1));
        assert_eq!(pieces.at[3] >> 4, UNNUMBERED);
        pieces.remove(pieces.at[0]);
        assert_eq!(pieces.list[slot(queen, 0)], index(Square::B1));
        assert_eq!(pieces.list[slot(queen, 1)], index(Square::C1));
        assert_eq!(pieces.list[slot(queen, 2)], NONE);
        assert_eq!((pieces.at[1] >> 4, pieces.at[2] >> 4), (0, 1));
        // The next queen that is made takes the place.
        pieces.add(60, Role::Queen, 0);
        assert_eq!(pieces.list[slot(queen, 2)], 60);
    }
}
