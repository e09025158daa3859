//! Moves: each side numbers its pieces, and a move is the number of the piece and its target.
//!
//! [`ScidPieces`] keeps the numbers while a game is read or written. It is not a [`Board`]: it knows nothing of checks
//! and castling rights, because a record gives the piece and its move, and nothing has to be derived.

use shakmaty::{CastlingSide, Color, Piece, Role, Square};
use tabiya_model::board::{Board, Move};

/// Bytes of a move list that are not moves.
pub mod token {
    /// A NAG; its number follows.
    pub const NAG: u8 = 11;
    /// The place of a comment, whose text follows after the moves.
    pub const COMMENT: u8 = 12;
    /// The start of a variation.
    pub const BEGIN: u8 = 13;
    /// The end of a variation.
    pub const END: u8 = 14;
    /// The end of the game.
    pub const STOP: u8 = 15;
}

/// Why a byte of a move list is not a move here.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScidMoveError {
    /// The side has no piece of that number.
    #[error("there is no piece number {0}")]
    NoPiece(u8),
    /// The code means no move of that piece.
    #[error("code {code} is not a move of the piece on {from}")]
    NoMove {
        /// The square of the piece.
        from: Square,
        /// The code.
        code: u8,
    },
    /// The move leaves the board.
    #[error("the move of the piece on {0} leaves the board")]
    OffBoard(Square),
    /// The move takes a king or a piece of the own side.
    #[error("the move to {0} captures a king or a piece of the same side")]
    BadCapture(Square),
    /// Castling without a rook.
    #[error("there is no rook to castle with")]
    NoRook,
    /// The second byte of a queen's move is missing or none.
    #[error("the second half of the move of the queen on {0} is missing")]
    HalfQueen(Square),
}

/// A piece as stored in [`ScidPieces::at`]: side and role in the high bits, which together are a piece's number in deltas,
/// and its number in the list in the low bits; 0 for an empty square.
const ROLE_SHIFT: u32 = 4;
pub(super) const SIDE: u8 = 128;

/// The pieces of both sides with their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScidPieces {
    pub(super) at: [u8; 64],
    /// White's pieces by number, then Black's, as [`entry`] makes them from square and piece; 0 if there is none, so one
    /// lookup gives the piece and its square.
    pub(super) list: [u32; 32],
    pub(super) counts: [u8; 2],
    /// 0 for White, [`SIDE`] for Black.
    pub(super) turn: u8,
    /// The rooks that may castle at the start: White's king-side and queen-side one, then Black's; 64 for none.
    rooks: [u8; 4],
}

/// More than 16 pieces on a side: there are no numbers for them.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a side has more than 16 pieces")]
pub struct ScidPieceLimitError;

#[inline(always)]
pub(super) fn role_of(piece: u8) -> Role {
    match piece >> ROLE_SHIFT & 7 {
        1 => Role::Pawn,
        2 => Role::Knight,
        3 => Role::Bishop,
        4 => Role::Rook,
        5 => Role::Queen,
        _ => Role::King,
    }
}

const fn role_bits(role: Role) -> u8 {
    let number: u8 = match role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    };
    number << ROLE_SHIFT
}

/// The index in [`ScidPieces::list`] of a side's piece of this number.
#[inline(always)]
pub(super) const fn slot(side: u8, number: u8) -> usize {
    (side as usize & 128) >> 3 | number as usize & 15
}

/// A piece in [`ScidPieces::list`]: four bits for the code of a move, then the square, side and role, and in the highest
/// bits the piece as in [`ScidPieces::at`].
#[inline(always)]
pub(super) const fn entry(at: u8, piece: u8) -> u32 {
    (piece as u32) << 24 | ((piece >> ROLE_SHIFT) as u32) << 10 | ((at & 63) as u32) << 4
}

/// The square of an entry.
#[inline(always)]
pub(super) const fn entry_square(entry: u32) -> u8 {
    (entry >> 4 & 63) as u8
}

/// The piece of an entry.
#[inline(always)]
pub(super) const fn entry_piece(entry: u32) -> u8 {
    (entry >> 24) as u8
}

fn index(square: Square) -> u8 {
    u32::from(square).to_le_bytes()[0]
}

fn square(index: u8) -> Square {
    Square::new(u32::from(index & 63))
}

pub(super) const KING_STEPS: [i8; 8] = [-9, -8, -7, -1, 1, 7, 8, 9];
pub(super) const KNIGHT_STEPS: [i8; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];

impl ScidPieces {
    /// The normal start, computed at compile time: searches begin hundreds of thousands of games a second.
    pub const STANDARD: ScidPieces = {
        const KING: u8 = role_bits(Role::King);
        const QUEEN: u8 = role_bits(Role::Queen);
        const ROOK: u8 = role_bits(Role::Rook);
        const BISHOP: u8 = role_bits(Role::Bishop);
        const KNIGHT: u8 = role_bits(Role::Knight);
        const BACK: [u8; 8] = [KING, ROOK, KNIGHT, BISHOP, QUEEN, BISHOP, KNIGHT, ROOK];
        const FILES: [u8; 8] = [4, 0, 1, 2, 3, 5, 6, 7];
        let mut pieces = ScidPieces {
            at: [0; 64],
            list: [0; 32],
            counts: [16, 16],
            turn: 0,
            rooks: [7, 0, 63, 56],
        };
        let mut number = 0;
        while number < 8 {
            let (file, role) = (FILES[number as usize], BACK[number as usize]);
            pieces.place(file, role | number);
            pieces.place(56 + file, role | SIDE | number);
            pieces.place(8 + number, role_bits(Role::Pawn) | (8 + number));
            pieces.place(48 + number, role_bits(Role::Pawn) | SIDE | (8 + number));
            number += 1;
        }
        pieces
    };

    /// The pieces of a custom starting position, numbered from a8 to h1, the king first.
    pub fn from_board(board: &Board) -> Result<ScidPieces, ScidPieceLimitError> {
        let mut pieces = ScidPieces {
            at: [0; 64],
            list: [0; 32],
            counts: [0, 0],
            turn: if board.turn() == Color::White {
                0
            } else {
                SIDE
            },
            rooks: [64; 4],
        };
        for rank in (0..8).rev() {
            for file in 0..8 {
                let here = square(rank * 8 + file);
                if let Some(piece) = board.piece_at(here) {
                    pieces.add(piece, index(here))?;
                }
            }
        }
        let rights = [
            (Color::White, CastlingSide::KingSide),
            (Color::White, CastlingSide::QueenSide),
            (Color::Black, CastlingSide::KingSide),
            (Color::Black, CastlingSide::QueenSide),
        ];
        for (rook, (color, side)) in pieces.rooks.iter_mut().zip(rights) {
            *rook = board.castling_rook(color, side).map_or(64, index);
        }
        Ok(pieces)
    }

    fn add(&mut self, piece: Piece, at: u8) -> Result<(), ScidPieceLimitError> {
        let side = if piece.color == Color::White { 0 } else { SIDE };
        let count = &mut self.counts[usize::from(side >> 7)];
        if *count >= 16 {
            return Err(ScidPieceLimitError);
        }
        let number = *count;
        *count += 1;
        if piece.role == Role::King && number > 0 {
            // The piece that had number 0 goes to the end of the current list.
            let first = self.square_of(side, 0);
            let moved = self.code_at(first) & !15;
            self.place(first, moved | number);
            self.place(at, role_bits(piece.role) | side);
        } else {
            self.place(at, role_bits(piece.role) | side | number);
        }
        Ok(())
    }

    #[inline(always)]
    const fn place(&mut self, at: u8, piece: u8) {
        self.at[(at & 63) as usize] = piece;
        self.list[slot(piece, piece)] = entry(at, piece);
    }

    /// The square of the piece with a side and number.
    #[inline(always)]
    fn square_of(&self, side: u8, number: u8) -> u8 {
        entry_square(self.list[slot(side, number)])
    }

    #[inline(always)]
    fn code_at(&self, at: u8) -> u8 {
        self.at[usize::from(at & 63)]
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        if self.turn == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The piece on a square, with its colour.
    pub fn piece_at(&self, at: Square) -> Option<Piece> {
        let piece = self.code_at(index(at));
        (piece != 0).then(|| Piece {
            color: if piece & SIDE == 0 {
                Color::White
            } else {
                Color::Black
            },
            role: role_of(piece),
        })
    }

    /// Reads the move of `byte`; `next` returns the byte after it, for queens, and is only called if it is needed.
    #[inline]
    pub fn decode(
        &self,
        byte: u8,
        next: impl FnOnce() -> Option<u8>,
    ) -> Result<Move, ScidMoveError> {
        let (number, code) = (byte >> 4, byte & 15);
        if byte == 0 {
            return Ok(Move::NULL);
        }
        if number >= self.counts[usize::from(self.turn >> 7)] {
            return Err(ScidMoveError::NoPiece(number));
        }
        let from = self.square_of(self.turn, number);
        let piece = self.code_at(from);
        let no_move = ScidMoveError::NoMove {
            from: square(from),
            code,
        };
        let step = |steps: &[i8; 8]| -> Result<u8, ScidMoveError> {
            let step = *code
                .checked_sub(1)
                .and_then(|i| steps.get(usize::from(i)))
                .ok_or(no_move)?;
            from.checked_add_signed(step)
                .filter(|to| *to < 64)
                .ok_or(ScidMoveError::OffBoard(square(from)))
        };
        let role = role_of(piece);
        let to = match role {
            Role::Pawn => return self.decode_pawn(from, code),
            Role::Knight => step(&KNIGHT_STEPS)?,
            Role::Bishop => {
                let files = (code & 7) as i8 - (from & 7) as i8;
                let step = if code & 8 == 0 { 9 * files } else { -7 * files };
                from.checked_add_signed(step)
                    .filter(|to| *to < 64)
                    .ok_or(ScidMoveError::OffBoard(square(from)))?
            }
            Role::Rook => rook_target(from, code),
            Role::Queen if code == from & 7 => match next() {
                Some(second @ 64..=127) => second - 64,
                _ => return Err(ScidMoveError::HalfQueen(square(from))),
            },
            Role::Queen => rook_target(from, code),
            Role::King => match code {
                9 => return self.castle(from, CastlingSide::QueenSide),
                10 => return self.castle(from, CastlingSide::KingSide),
                _ => step(&KING_STEPS)?,
            },
        };
        if to == from {
            return Err(no_move);
        }
        let captured = self.capture(to)?;
        Ok(Move::normal(
            role,
            square(from),
            square(to),
            captured != 0,
            None,
        ))
    }

    /// The piece that a move to `to` captures, 0 for none.
    #[inline]
    fn capture(&self, to: u8) -> Result<u8, ScidMoveError> {
        let captured = self.code_at(to);
        if captured != 0 && (captured & SIDE == self.turn || role_of(captured) == Role::King) {
            return Err(ScidMoveError::BadCapture(square(to)));
        }
        Ok(captured)
    }

    #[inline]
    fn decode_pawn(&self, from: u8, code: u8) -> Result<Move, ScidMoveError> {
        let no_move = ScidMoveError::NoMove {
            from: square(from),
            code,
        };
        let (distance, promotion) = match code {
            15 => (16, None),
            _ => (
                7 + code % 3,
                match code / 3 {
                    0 => None,
                    1 => Some(Role::Queen),
                    2 => Some(Role::Rook),
                    3 => Some(Role::Bishop),
                    _ => Some(Role::Knight),
                },
            ),
        };
        let to = if self.turn == 0 {
            from.checked_add(distance)
        } else {
            from.checked_sub(distance)
        };
        let to = to
            .filter(|to| *to < 64)
            .ok_or(ScidMoveError::OffBoard(square(from)))?;
        if promotion.is_some() && !matches!(to >> 3, 0 | 7) {
            return Err(no_move);
        }
        let captured = self.capture(to)?;
        if distance & 7 != 0 && captured == 0 {
            // A diagonal step to an empty square is an en passant capture, whatever was played before.
            let victim = self.code_at(to ^ 8);
            let beside = (from & 7).abs_diff(to & 7) == 1 && matches!(to >> 3, 2 | 5);
            let theirs = victim & SIDE != self.turn && role_of(victim) == Role::Pawn;
            return if beside && victim != 0 && theirs && promotion.is_none() {
                Ok(Move::en_passant(square(from), square(to)))
            } else {
                Err(no_move)
            };
        }
        Ok(Move::normal(
            Role::Pawn,
            square(from),
            square(to),
            captured != 0,
            promotion,
        ))
    }

    #[inline(never)]
    fn castle(&self, king: u8, side: CastlingSide) -> Result<Move, ScidMoveError> {
        let own_rook =
            |at: u8| at < 64 && self.code_at(at) & !15 == role_bits(Role::Rook) | self.turn;
        let right = self.rooks[usize::from(self.turn >> 6) | side as usize & 1];
        let is_right =
            own_rook(right) && right >> 3 == king >> 3 && (right > king) == side.is_king_side();
        let corner = king & 56 | if side.is_king_side() { 7 } else { 0 };
        let rook = if is_right {
            right
        } else if king & 7 == 4 && own_rook(corner) {
            // The position does not grant the right; old programs did not check it.
            corner
        } else {
            return Err(ScidMoveError::NoRook);
        };
        Ok(Move::castle(square(king), square(rook)))
    }

    /// Writes a move of an existing piece; otherwise nothing is written.
    #[inline]
    pub fn encode(&self, m: Move, out: &mut Vec<u8>) -> Result<(), ScidMoveError> {
        if m.is_null() {
            out.push(0);
            return Ok(());
        }
        let (from, to) = (index(m.from()), index(m.to()));
        let piece = self.code_at(from);
        let number = piece & 15;
        if piece == 0 || piece & SIDE != self.turn || role_of(piece) != m.role() {
            return Err(ScidMoveError::NoPiece(number));
        }
        let no_move = ScidMoveError::NoMove {
            from: square(from),
            code: 0,
        };
        // The written bytes must be read again as the same move.
        if m.is_castle() {
            let side = m.castling_side().unwrap_or(CastlingSide::KingSide);
            if self.castle(from, side) != Ok(m) {
                return Err(ScidMoveError::NoRook);
            }
        } else if (self.capture(to)? != 0) != (m.is_capture() && !m.is_en_passant()) {
            return Err(ScidMoveError::BadCapture(m.to()));
        }
        let code = match m.role() {
            Role::Pawn => {
                let distance = if self.turn == 0 {
                    to.checked_sub(from)
                } else {
                    from.checked_sub(to)
                };
                let promotion = match m.promotion() {
                    None => 0,
                    Some(Role::Queen) => 3,
                    Some(Role::Rook) => 6,
                    Some(Role::Bishop) => 9,
                    Some(_) => 12,
                };
                match distance {
                    Some(16) if promotion == 0 => 15,
                    Some(distance @ 7..=9) => distance - 7 + promotion,
                    _ => return Err(no_move),
                }
            }
            Role::Knight => knight_code(from, to).ok_or(no_move)?,
            Role::Bishop => {
                let files = (to & 7) as i8 - (from & 7) as i8;
                if from.checked_add_signed(9 * files) == Some(to) {
                    to & 7
                } else if from.checked_add_signed(-7 * files) == Some(to) {
                    to & 7 | 8
                } else {
                    return Err(no_move);
                }
            }
            Role::Rook => rook_code(from, to).ok_or(no_move)?,
            Role::Queen => match rook_code(from, to) {
                Some(code) => code,
                None => {
                    out.push(number << 4 | from & 7);
                    out.push(64 + to);
                    return Ok(());
                }
            },
            Role::King => match m.castling_side() {
                Some(CastlingSide::QueenSide) => 9,
                Some(CastlingSide::KingSide) => 10,
                None => king_code(from, to).ok_or(no_move)?,
            },
        };
        let byte = number << 4 | code;
        if byte < 16 && role_of(piece) != Role::King {
            // Only a king has number 0: other bytes below 16 would be read as tokens.
            return Err(no_move);
        }
        out.push(byte);
        Ok(())
    }

    /// Plays a move that was decoded or encoded here.
    #[inline]
    pub fn play(&mut self, m: Move) {
        if m.is_castle() {
            self.play_castle(m);
        } else if !m.is_null() {
            let (from, to) = (index(m.from()), index(m.to()));
            let taken = if m.is_en_passant() { to ^ 8 } else { to };
            let captured = self.code_at(taken);
            if captured != 0 {
                self.remove(captured, taken);
            }
            // The number is looked up after the capture: if a side takes its own piece, it may have changed.
            let piece = self.code_at(from);
            self.at[usize::from(from & 63)] = 0;
            let piece = match m.promotion() {
                Some(role) => piece & (SIDE | 15) | role_bits(role),
                None => piece,
            };
            self.place(to, piece);
        }
        self.turn ^= SIDE;
    }

    /// Removes a piece from the board; the last one of its list takes over its number.
    #[inline]
    fn remove(&mut self, captured: u8, at: u8) {
        self.take(captured);
        self.at[usize::from(at & 63)] = 0;
    }

    /// Removes a piece from the list but leaves its square to the piece that moves there.
    #[inline(always)]
    pub(super) fn take(&mut self, captured: u8) {
        let side = captured & SIDE;
        let count = &mut self.counts[usize::from(side >> 7)];
        *count = count.saturating_sub(1);
        let end = slot(side, *count);
        let last = self.list[end];
        self.place(entry_square(last), entry_piece(last) & !15 | captured & 15);
        self.list[end] = 0;
    }

    #[inline(never)]
    fn play_castle(&mut self, m: Move) {
        let (from, to) = (index(m.from()), index(m.to()));
        let (king, rook) = (self.code_at(from), self.code_at(to));
        self.at[usize::from(from & 63)] = 0;
        self.at[usize::from(to & 63)] = 0;
        self.place(index(m.king_target()), king);
        self.place(index(m.rook_target()), rook);
    }

    /// The material signature: queens, rooks, bishops, knights (up to three) and pawns of White, then of Black.
    pub fn material(&self) -> u32 {
        let mut counts = [[0_u32; 8]; 2];
        for side in [0_usize, 1] {
            let pieces = self.list.iter().skip(16 * side);
            for piece in pieces.take(usize::from(self.counts[side])) {
                let piece = entry_piece(*piece);
                counts[side][usize::from(piece >> ROLE_SHIFT & 7)] += 1;
            }
        }
        counts.iter().fold(0, |bits, side| {
            let [_, pawns, knights, bishops, rooks, queens, ..] = *side;
            let bits = [queens, rooks, bishops, knights]
                .into_iter()
                .fold(bits, |bits, count| bits << 2 | count.min(3));
            bits << 4 | pawns.min(15)
        })
    }
}

/// The pawns that have not left their home squares yet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ScidHomePawns(u64);

impl ScidHomePawns {
    /// All of them.
    pub const ALL: ScidHomePawns = ScidHomePawns(0x00ff_0000_0000_ff00);

    /// The number of the pawn that leaves its home square by this move, either by moving or by being captured.
    #[inline]
    pub fn play(&mut self, m: Move) -> Option<u8> {
        // A null move has squares of the first rank, and so has castling.
        let touched = self.0 & (1 << u32::from(m.from()) | 1 << u32::from(m.to()));
        if touched == 0 {
            return None;
        }
        self.0 &= !touched;
        let at = touched.trailing_zeros();
        let file = at & 7;
        let number = if at < 32 { 15 - file } else { 7 - file };
        Some(number.to_le_bytes()[0])
    }
}

#[inline(always)]
fn knight_code(from: u8, to: u8) -> Option<u8> {
    Some(match i16::from(to) - i16::from(from) {
        -17 => 1,
        -15 => 2,
        -10 => 3,
        -6 => 4,
        6 => 5,
        10 => 6,
        15 => 7,
        17 => 8,
        _ => return None,
    })
}

#[inline(always)]
fn king_code(from: u8, to: u8) -> Option<u8> {
    Some(match i16::from(to) - i16::from(from) {
        -9 => 1,
        -8 => 2,
        -7 => 3,
        -1 => 4,
        1 => 5,
        7 => 6,
        8 => 7,
        9 => 8,
        _ => return None,
    })
}

#[inline(always)]
fn rook_target(from: u8, code: u8) -> u8 {
    if code < 8 {
        from & 56 | code
    } else {
        (code & 7) << 3 | from & 7
    }
}

#[inline(always)]
fn rook_code(from: u8, to: u8) -> Option<u8> {
    if from >> 3 == to >> 3 {
        Some(to & 7)
    } else if from & 7 == to & 7 {
        Some(8 | to >> 3)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(fen: &str, moves: &str) -> Vec<u8> {
        let mut board = Board::from_fen(fen).expect("a position").0;
        let mut pieces = ScidPieces::from_board(&board).expect("few men");
        let mut out = Vec::new();
        for uci in moves.split(' ') {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            let before = out.len();
            pieces.encode(m, &mut out).expect("encoded");
            let mut rest = out[before..].iter().copied();
            let byte = rest.next().expect("one byte");
            assert_eq!(pieces.decode(byte, || rest.next()), Ok(m));
            pieces.play(m);
            board.play(m);
            for at in Square::ALL {
                assert_eq!(pieces.piece_at(at), board.piece_at(at), "after {uci}");
            }
            assert_eq!(pieces.turn(), board.turn());
        }
        out
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_normal_start_has_its_own_numbers() {
        let pieces = ScidPieces::STANDARD;
        assert_eq!(pieces.material(), 0x6A_86A8);
        assert_eq!(pieces.square_of(0, 0), 4);
        assert_eq!(pieces.square_of(SIDE, 15), 55);
        let set_up = ScidPieces::from_board(&Board::standard()).expect("few men");
        assert_ne!(pieces, set_up);
        assert_eq!(set_up.material(), 0x6A_86A8);
    }

    #[test]
    fn the_last_piece_takes_over_the_number_of_a_captured_one() {
        // fxg6 changes the number of b2 from 4 to 2.
        let fen = "1n1k4/6Q1/5Kp1/5P2/8/6b1/1p6/8 w - - 0 1";
        assert_eq!(bytes(fen, "f5g6 b2b1q"), [0x22, 0x24]);
    }

    #[test]
    fn castling_en_passant_and_queens() {
        bytes(
            START,
            "e2e4 c7c5 e4e5 d7d5 e5d6 e7d6 g1f3 b8c6 f1e2 c8g4 e1g1 d8a5 a2a3 e8c8 d1e1 a5a3",
        );
        bytes("8/P6k/8/8/8/8/p6K/8 w - - 0 1", "a7a8n a2a1r");
        bytes("4k3/8/8/8/8/8/8/RK5R w AH - 0 1", "b1a1");
        bytes("r3k3/8/8/8/8/8/8/RK5R b AHq - 0 1", "e8c8 b1h1");
    }

    #[test]
    fn bytes_that_mean_nothing_are_faults() {
        let pieces = ScidPieces::from_board(
            &Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
                .expect("a position")
                .0,
        )
        .expect("few men");
        assert_eq!(pieces.decode(0x20, || None), Err(ScidMoveError::NoPiece(2)));
        assert_eq!(
            pieces.decode(0x01, || None),
            Err(ScidMoveError::OffBoard(Square::E1))
        );
        assert_eq!(
            pieces.decode(0x14, || None),
            Err(ScidMoveError::BadCapture(Square::E1))
        );
        assert!(pieces.decode(0x10, || None).is_err());
        assert_eq!(pieces.decode(0x0a, || None), Err(ScidMoveError::NoRook));
        assert_eq!(
            pieces.decode(0x09, || None),
            Ok(Move::castle(Square::E1, Square::A1))
        );
        assert_eq!(pieces.decode(0, || None), Ok(Move::NULL));
    }

    #[test]
    fn a_seventeenth_piece_has_no_number() {
        let board = Board::from_fen("k7/8/8/8/8/PPPPPPPP/PPPPPPPP/K7 w - - 0 1")
            .expect("a position")
            .0;
        assert_eq!(ScidPieces::from_board(&board), Err(ScidPieceLimitError));
    }
}
