//! Writing moves in standard algebraic notation.

use shakmaty::{CastlingSide, Role, Square};

use super::tables::{between, empty_board};
use super::{Board, Move, PAWN};
use super::{bit, first};

/// The SAN details of a move that only the board knows: whether file and rank of the starting square are written, whether it
/// gives check or mate.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SanDetails(u8);

const FILE: u8 = 1;
const RANK: u8 = 2;
const CHECK: u8 = 4;
const MATE: u8 = 8;

impl SanDetails {
    /// All bits.
    pub(crate) const ALL: u8 = FILE | RANK | CHECK | MATE;

    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    pub(crate) const fn from_bits(bits: u8) -> SanDetails {
        SanDetails(bits & SanDetails::ALL)
    }

    /// Appends a move with these details. The null move is `--`.
    #[inline]
    pub fn write(self, m: Move, out: &mut Vec<u8>) {
        self.token(m).append_to(out);
    }

    /// A move with these details, as at most seven bytes of a word, lowest first, and their number.
    #[inline]
    pub fn word(self, m: Move) -> (u64, usize) {
        let token = self.token(m);
        (token.word, (token.bits / 8) as usize)
    }

    #[inline(always)]
    fn token(self, m: Move) -> SanToken {
        if !m.is_plain() {
            return self.odd_token(m);
        }
        let mut token = SanToken::default();
        self.push_squares(m, &mut token);
        self.push_check(&mut token);
        token
    }

    /// Castling, en passant, promotions and the null move.
    #[inline(never)]
    fn odd_token(self, m: Move) -> SanToken {
        if m.is_null() {
            return SanToken::of(b"--");
        }
        let mut token = SanToken::default();
        match m.castling_side() {
            Some(CastlingSide::KingSide) => token = SanToken::of(b"O-O"),
            Some(CastlingSide::QueenSide) => token = SanToken::of(b"O-O-O"),
            None => {
                self.push_squares(m, &mut token);
                if let Some(role) = m.promotion() {
                    token.push(b'=');
                    token.push(role_byte(role));
                }
            }
        }
        self.push_check(&mut token);
        token
    }

    /// The piece and the squares, without unpredictable branches: every move is put together in the same way.
    #[inline(always)]
    fn push_squares(self, m: Move, token: &mut SanToken) {
        let (from, to) = (m.start_index(), m.end_index());
        let is_pawn = m.role_index() == PAWN as u32;
        let leaves_file = m.is_capture() | ((from ^ to) & 7 != 0);
        token.push_if(!is_pawn, ROLES[m.role_index() as usize & 7]);
        let has_file = (is_pawn & leaves_file) | (!is_pawn & (self.0 & FILE != 0));
        token.push_if(has_file, file_letter(from));
        token.push_if(!is_pawn & (self.0 & RANK != 0), rank_digit(from));
        token.push_if(m.is_capture(), b'x');
        token.push(file_letter(to));
        token.push(rank_digit(to));
    }

    #[inline(always)]
    fn push_check(self, token: &mut SanToken) {
        token.push_if(self.0 & CHECK != 0, b'+');
        token.push_if(self.0 & MATE != 0, b'#');
    }
}

/// The letters of the pieces, by their numbers.
const ROLES: [u8; 8] = *b" PNBRQK ";

impl Board {
    /// Appends a move in SAN without check mark, with as little disambiguation as the legal moves allow: by file, or by
    /// rank, or by both. The null move is `--`.
    ///
    /// An illegal move is disambiguated from all pseudo-legal ones, and an impossible one is written with its whole
    /// starting square.
    pub fn write_san(&self, m: Move, out: &mut Vec<u8>) {
        self.notation(m).write(m, out);
    }

    /// Writes a move in SAN with its check or mate mark, and plays it. A null move gives no check: `--+` is an
    /// evaluation.
    pub fn play_san(&mut self, m: Move, out: &mut Vec<u8>) {
        let notation = self.notation(m);
        self.play(m);
        self.add_check(notation).write(m, out);
    }

    /// Plays a move that is known to be legal, like [`Board::play_legal`], and returns its SAN details.
    #[inline]
    pub fn play_with_details(&mut self, m: Move) -> SanDetails {
        let notation = self.notation(m);
        self.play_legal(m);
        self.add_check(notation)
    }

    #[inline]
    fn add_check(&self, notation: SanDetails) -> SanDetails {
        if !self.is_check() {
            return notation;
        }
        let mark = if self.has_legal_move() { CHECK } else { MATE };
        SanDetails(notation.0 | mark)
    }

    /// Whether the file and the rank of the starting square must be written.
    #[inline]
    fn notation(&self, m: Move) -> SanDetails {
        let (from, to) = (m.start_index(), m.end_index());
        let role = m.role_index() as usize;
        if role == PAWN || m.is_null() || m.is_castle() {
            return SanDetails::default();
        }
        let aligned = empty_board(role, to) & self.sets[role & 7] & self.color_set(self.turn);
        let others = aligned & !bit(from);
        if others == 0 && aligned != 0 {
            return SanDetails::default();
        }
        self.disambiguation(m, aligned, others)
    }

    #[inline(never)]
    fn disambiguation(&self, m: Move, aligned: u64, mut others: u64) -> SanDetails {
        let (from, to) = (m.start_index(), m.end_index());
        let occupied = self.occupied_set();
        if aligned & bit(from) == 0
            || between(from, to) & occupied != 0
            || self.color_set(self.turn) & bit(to) != 0
        {
            return SanDetails(FILE | RANK);
        }
        let legal = self.is_safe(m);
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        while others != 0 {
            let other = first(others);
            others &= others - 1;
            let rival = Move::raw(m.role_index(), other, to, m.is_capture(), 0);
            if between(other, to) & occupied == 0 && (!legal || self.is_safe(rival)) {
                any = true;
                same_file |= other & 7 == from & 7;
                same_rank |= other >> 3 == from >> 3;
            }
        }
        let file = if any && (!same_file || same_rank) {
            FILE
        } else {
            0
        };
        SanDetails(file | if same_file { RANK } else { 0 })
    }
}

/// At most eight bytes in one word: appending them at once is faster than one by one.
#[derive(Default)]
struct SanToken {
    word: u64,
    bits: u32,
}

impl SanToken {
    fn of(text: &[u8]) -> SanToken {
        let mut token = SanToken::default();
        text.iter().for_each(|byte| token.push(*byte));
        token
    }

    #[inline(always)]
    fn push(&mut self, byte: u8) {
        self.word |= u64::from(byte) << (self.bits & 63);
        self.bits += 8;
    }

    #[inline(always)]
    fn push_if(&mut self, wanted: bool, byte: u8) {
        self.word |= (u64::from(byte) * u64::from(wanted)) << (self.bits & 63);
        self.bits += 8 * u32::from(wanted);
    }

    #[inline(always)]
    fn append_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + (self.bits / 8) as usize;
        // A copy of a fixed length takes one instruction.
        out.extend_from_slice(&self.word.to_le_bytes());
        out.truncate(end);
    }
}

#[inline(always)]
fn file_letter(square: u32) -> u8 {
    b'a' + (square & 7) as u8
}

#[inline(always)]
fn rank_digit(square: u32) -> u8 {
    b'1' + (square >> 3 & 7) as u8
}

#[inline]
pub(super) fn role_byte(role: Role) -> u8 {
    match role {
        Role::Pawn => b'P',
        Role::Knight => b'N',
        Role::Bishop => b'B',
        Role::Rook => b'R',
        Role::Queen => b'Q',
        Role::King => b'K',
    }
}

#[inline]
pub(super) fn file_byte(square: Square) -> u8 {
    file_letter(u32::from(square))
}

#[inline]
pub(super) fn rank_byte(square: Square) -> u8 {
    rank_digit(u32::from(square))
}
