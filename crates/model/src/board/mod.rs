//! The chess board that every codec and every search uses.
//!
//! The vocabulary (squares, roles, colours) is shakmaty's. The board is our own because speed
//! matters and because databases hold positions that shakmaty's rules rightly refuse: boards
//! without kings or with several, kings left in check, moves that were never legal. A [`Board`]
//! holds any arrangement of pieces; its problems are reported as [`PositionProblems`] when it is read.
//!
//! A colour that has not exactly one king has no royal king: it is never in check, cannot castle,
//! and all its pseudo-legal moves are legal.

mod convert;
mod count;
mod fen;
mod hash;
mod legality;
mod moves;
mod play;
mod quick_legality;
mod san;
mod tables;
mod uci;
mod write_fen;
mod write_san;

pub use self::fen::{FenError, FenField, MAX_COUNTER, PositionProblems};
pub use self::legality::MoveList;
pub use self::moves::Move;
pub use self::san::{CheckMark, San, SanError, parse_san};
pub use self::uci::CastlingStyle;
pub use self::write_fen::FenWriter;
pub use self::write_san::SanDetails;

use shakmaty::{Bitboard, CastlingSide, Color, Piece, Role, Square};

use self::moves::role_of;
use self::tables::RANK_1;

const PAWN: usize = Role::Pawn as usize;
const KNIGHT: usize = Role::Knight as usize;
const BISHOP: usize = Role::Bishop as usize;
const ROOK: usize = Role::Rook as usize;
const QUEEN: usize = Role::Queen as usize;
const KING: usize = Role::King as usize;

/// A position with its move counters.
///
/// It has 104 bytes, and is copied to undo moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// Black pieces, then the six roles by shakmaty's number, then White pieces: any number masked to
    /// three bits is an index.
    sets: [u64; 8],
    /// The pieces that attack the royal king of the side to move.
    checkers: u64,
    /// The sliding pieces of the other side that would attack that king on an empty board.
    aligned: u64,
    /// The squares of the rooks that may still castle.
    castling: u64,
    halfmoves: u32,
    fullmoves: u32,
    turn: Color,
    ep: Option<Square>,
    /// The royal kings' squares, Black's first; 64 if there is none.
    kings: [u8; 2],
    /// Whether the royal king of the side not to move is attacked.
    exposed: bool,
}

const _: () = assert!(size_of::<Board>() <= 104);

/// The index of a colour's pieces in `Board::sets`.
#[inline(always)]
const fn color_index(color: Color) -> usize {
    match color {
        Color::Black => 0,
        Color::White => 7,
    }
}

#[inline(always)]
fn bit(square: u32) -> u64 {
    1 << (square & 63)
}

/// The lowest square of a set, 64 if it is empty.
#[inline(always)]
fn first(set: u64) -> u32 {
    set.trailing_zeros()
}

#[inline(always)]
fn square(index: u32) -> Square {
    Square::new(index & 63)
}

#[inline(always)]
fn back_rank(color: Color) -> u64 {
    match color {
        Color::White => RANK_1,
        Color::Black => RANK_1 << 56,
    }
}

impl Default for Board {
    fn default() -> Board {
        Board::standard()
    }
}

impl Board {
    /// The normal starting position.
    #[must_use]
    pub fn standard() -> Board {
        Board {
            sets: [
                0xffff_0000_0000_0000,
                0x00ff_0000_0000_ff00,
                0x4200_0000_0000_0042,
                0x2400_0000_0000_0024,
                0x8100_0000_0000_0081,
                0x0800_0000_0000_0008,
                0x1000_0000_0000_0010,
                0x0000_0000_0000_ffff,
            ],
            checkers: 0,
            aligned: 0,
            castling: 0x8100_0000_0000_0081,
            halfmoves: 0,
            fullmoves: 1,
            turn: Color::White,
            ep: None,
            kings: [60, 4],
            exposed: false,
        }
    }

    /// A board without pieces, White to move.
    #[must_use]
    pub fn empty() -> Board {
        Board {
            sets: [0; 8],
            castling: 0,
            kings: [64; 2],
            ..Board::standard()
        }
    }

    /// The kind of piece on a square.
    #[inline]
    #[must_use]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        let at = bit(u32::from(square));
        // The number of the role consists of one bit for each set that contains the square.
        let has = |role: usize| u32::from(self.sets[role & 7] & at != 0);
        let [p, n, b, r, q, k] = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING].map(has);
        role_of(p + 2 * n + 3 * b + 4 * r + 5 * q + 6 * k)
    }

    /// The colour of the piece on a square.
    #[inline]
    #[must_use]
    pub fn color_at(&self, square: Square) -> Option<Color> {
        let at = bit(u32::from(square));
        if self.color_set(Color::White) & at != 0 {
            Some(Color::White)
        } else if self.color_set(Color::Black) & at != 0 {
            Some(Color::Black)
        } else {
            None
        }
    }

    /// The piece on a square.
    #[inline]
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Some(Piece {
            color: self.color_at(square)?,
            role: self.role_at(square)?,
        })
    }

    /// All pieces.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        Bitboard(self.occupied_set())
    }

    /// The pieces of the side to move.
    #[inline]
    #[must_use]
    pub fn us(&self) -> Bitboard {
        Bitboard(self.color_set(self.turn))
    }

    /// The pieces of the other side.
    #[inline]
    #[must_use]
    pub fn them(&self) -> Bitboard {
        Bitboard(self.color_set(!self.turn))
    }

    /// The pieces of a role, of both colours.
    #[inline]
    #[must_use]
    pub fn by_role(&self, role: Role) -> Bitboard {
        Bitboard(self.sets[role as usize & 7])
    }

    /// The pieces of a colour.
    #[inline]
    #[must_use]
    pub fn by_color(&self, color: Color) -> Bitboard {
        Bitboard(self.color_set(color))
    }

    /// The pieces of a role and colour.
    #[inline]
    #[must_use]
    pub fn by_piece(&self, piece: Piece) -> Bitboard {
        self.by_role(piece.role) & self.by_color(piece.color)
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The king of a colour, if there is exactly one.
    #[inline]
    #[must_use]
    pub fn king_of(&self, color: Color) -> Option<Square> {
        let king = self.royal(color);
        (king < 64).then(|| square(king))
    }

    /// The pieces that give check to the side to move.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        Bitboard(self.checkers)
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.checkers != 0
    }

    /// Whether the side that has just moved left its king attacked, which is illegal.
    #[inline]
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// The square that a pawn has just passed, whether or not it can be captured there.
    #[inline]
    #[must_use]
    pub fn ep_square(&self) -> Option<Square> {
        self.ep
    }

    /// The rook with which a colour may still castle to a side.
    #[inline]
    #[must_use]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let rook = self.castling_rook_index(color, side);
        (rook < 64).then(|| square(rook))
    }

    /// All rooks that may still castle.
    #[inline]
    #[must_use]
    pub fn castling_rooks(&self) -> Bitboard {
        Bitboard(self.castling)
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    #[must_use]
    pub fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// The number of the next move, as on a score sheet.
    #[inline]
    #[must_use]
    pub fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    /// Plies before this position, counted from White's first move as 0.
    #[inline]
    #[must_use]
    pub fn ply_number(&self) -> u32 {
        self.fullmoves
            .saturating_sub(1)
            .saturating_mul(2)
            .saturating_add(u32::from(self.turn == Color::Black))
    }

    /// Whether castling here needs the rules of Chess960: a king off the e-file, or a rook off the corners.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let rooks = self.castling & back_rank(color);
            let corners = 0x8100_0000_0000_0081;
            let king_off_e = self.royal(color) & 7 != 4;
            rooks & !corners != 0 || (rooks != 0 && king_off_e)
        })
    }

    #[inline(always)]
    fn color_set(&self, color: Color) -> u64 {
        self.sets[color_index(color)]
    }

    #[inline(always)]
    fn occupied_set(&self) -> u64 {
        self.sets[0] | self.sets[7]
    }

    /// The royal king's square, 64 if there is none.
    #[inline(always)]
    fn royal(&self, color: Color) -> u32 {
        u32::from(self.kings[color as usize & 1])
    }

    /// Finds the royal kings again.
    fn refresh_kings(&mut self) {
        for color in Color::ALL {
            let kings = self.sets[KING] & self.color_set(color);
            self.kings[color as usize & 1] = if kings.is_power_of_two() {
                kings.trailing_zeros() as u8
            } else {
                64
            };
        }
    }

    /// The castling rook's square, 64 if there is none.
    #[inline]
    fn castling_rook_index(&self, color: Color, side: CastlingSide) -> u32 {
        let king = self.royal(color);
        let rooks = self.castling & back_rank(color);
        if rooks == 0 || king >= 64 {
            return 64;
        }
        let below = bit(king) - 1;
        match side {
            CastlingSide::KingSide => first(rooks & !below),
            CastlingSide::QueenSide => first(rooks & below),
        }
    }

    /// Replaces the piece on a square by another one (or none); castling rights and checkers are not updated.
    fn set_piece(&mut self, at: u32, piece: Option<Piece>) {
        let at = bit(at);
        for set in &mut self.sets {
            *set &= !at;
        }
        if let Some(piece) = piece {
            self.sets[piece.role as usize & 7] |= at;
            self.sets[color_index(piece.color)] |= at;
        }
    }
}
