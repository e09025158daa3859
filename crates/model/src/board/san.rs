//! Standard algebraic notation: parsing its parts, finding the move they mean.

use shakmaty::{CastlingSide, Color, File, Rank, Role, Square};
use thiserror::Error;

use super::legality::file_set;
use super::tables::{PAWN_STEPS, RANK_1, between, empty_board};
use super::{Board, Move, PAWN};
use super::{bit, color_index, first, square};

/// The content of a SAN token, not compared with a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct San {
    /// The moving piece; a king for castling.
    pub role: Role,
    /// The file from which it moves, if given.
    pub from_file: Option<File>,
    /// The rank from which it moves, if given.
    pub from_rank: Option<Rank>,
    /// The target square; without meaning for castling.
    pub to: Square,
    /// The promotion piece.
    pub promotion: Option<Role>,
    /// The side of castling.
    pub castle: Option<CastlingSide>,
    /// Whether a capture is marked.
    pub capture: bool,
    /// Whether check is marked, or mate.
    pub check: Option<CheckMark>,
}

/// The mark after a move that gives check.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CheckMark {
    /// `+`
    Check,
    /// `#`
    Mate,
}

/// Why a SAN token is not a legal move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Error)]
pub enum SanError {
    /// The only matching move leaves its own king in check; it can still be played.
    #[error("the move leaves its own king in check")]
    Illegal(Move),
    /// Several legal moves match; this is the first.
    #[error("ambiguous move")]
    Ambiguous(Move),
    /// No piece can move this way.
    #[error("no such move")]
    NoSuchMove,
}

impl San {
    /// A move of `role` to `to` without further details.
    #[inline]
    #[must_use]
    pub fn new(role: Role, to: Square) -> San {
        San {
            role,
            from_file: None,
            from_rank: None,
            to,
            promotion: None,
            castle: None,
            capture: false,
            check: None,
        }
    }

    /// Castling.
    #[inline]
    #[must_use]
    pub fn castle(side: CastlingSide) -> San {
        San {
            castle: Some(side),
            ..San::new(Role::King, Square::A1)
        }
    }

    /// The squares from which the move may come, by the file and rank that are given.
    #[inline(always)]
    fn origin_mask(&self) -> u64 {
        let file = self
            .from_file
            .map_or(u64::MAX, |file| file_set(u32::from(file)));
        let rank = self
            .from_rank
            .map_or(u64::MAX, |rank| RANK_1 << (8 * u32::from(rank)));
        file & rank
    }
}

/// The piece of a letter; a pawn for every other byte.
static ROLE_OF_LETTER: [Role; 256] = {
    let mut table = [Role::Pawn; 256];
    table[b'N' as usize] = Role::Knight;
    table[b'B' as usize] = Role::Bishop;
    table[b'R' as usize] = Role::Rook;
    table[b'Q' as usize] = Role::Queen;
    table[b'K' as usize] = Role::King;
    table
};

/// How many of eight bytes, from the first, are file letters, rank digits or capture marks.
///
/// All eight are tested at once, one bit in each: guessing the shape of a token byte by byte would cost more in mispredicted
/// branches.
#[inline(always)]
fn square_bytes(word: u64) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The low half of a letter or digit is 1 to 8: adding 7 sets bit 3 and leaves bit 4.
    let low = (word & (ONES * 0x0f)) + ONES * 7;
    let low_fits = (low >> 3) & !(low >> 4);
    // The high half is 3 or 6.
    let high_fits = (word >> 5) & ((word >> 6) ^ (word >> 4)) & !(word >> 7);
    let other = word ^ (ONES * u64::from(b'x'));
    let is_x = !(((other & (ONES * 0x7f)) + ONES * 0x7f) | other) >> 7;
    let fits = ((low_fits & high_fits) | is_x) & ONES;
    (fits ^ ONES).trailing_zeros() / 8
}

/// Parses strict SAN at the start of `text` (`Nf3`, `exd8=Q+`, `O-O-O#`, also `Ng1f3` and `e2e4`)
/// and returns the number of bytes read, check mark included.
///
/// The caller decides about the rest: if it does not end a move, the token must be read more leniently. Parsing is
/// fastest if at least eight bytes are given.
#[inline]
#[must_use]
pub fn parse_san(text: &[u8]) -> Option<(San, usize)> {
    let word = match text.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => short_word(text),
    };
    let simple = SimpleToken::of(word);
    if !simple.fits {
        return parse_longer(text, word);
    }
    let mut san = San::new(simple.role, square(simple.to));
    san.capture = simple.capture;
    san.check = check_mark(simple.after);
    Some((san, simple.used as usize))
}

/// The shape of most tokens: an optional letter, an optional capture mark, and the target.
struct SimpleToken {
    /// Whether the token has this shape.
    fits: bool,
    role: Role,
    to: u32,
    capture: bool,
    /// The byte after the target.
    after: u8,
    /// The length with a check mark.
    used: u32,
}

impl SimpleToken {
    #[inline(always)]
    fn of(word: u64) -> SimpleToken {
        let role = ROLE_OF_LETTER[(word & 0xff) as usize];
        let letters = u32::from(role != Role::Pawn);
        let rest = word >> (8 * letters);
        let capture = (rest & 0xff == u64::from(b'x')) & (letters != 0);
        let rest = (rest >> (8 * u32::from(capture))) as u32;
        let file = (rest & 0xff).wrapping_sub(u32::from(b'a'));
        let rank = (rest >> 8 & 0xff).wrapping_sub(u32::from(b'1'));
        let after = (rest >> 16) as u8;
        SimpleToken {
            fits: (file | rank) < 8 && after < b'=',
            role,
            to: (rank << 3 | file & 7) & 63,
            capture,
            after,
            used: 2 + letters + u32::from(capture) + u32::from(after == b'+' || after == b'#'),
        }
    }
}

/// Parses tokens of all shapes.
#[inline(never)]
fn parse_longer(text: &[u8], word: u64) -> Option<(San, usize)> {
    if word & 0xff == u64::from(b'O') {
        return parse_castling(text);
    }
    let role = ROLE_OF_LETTER[(word & 0xff) as usize];
    let letters = u32::from(role != Role::Pawn);
    let rest = word >> (8 * letters);
    let length = square_bytes(rest);
    if length < 2 {
        return None;
    }
    // The target is the last two of these bytes; the capture mark is before it.
    let tail = rest << (64 - 8 * length);
    let file = (tail >> 48 & 0xff).wrapping_sub(u64::from(b'a'));
    let rank = (tail >> 56).wrapping_sub(u64::from(b'1'));
    let capture = tail >> 40 & 0xff == u64::from(b'x');
    let before = length - 2 - u32::from(capture);
    if file >= 8 || rank >= 8 || before > 2 {
        return None;
    }
    // The rest is a file, a rank, both or nothing (then these bytes are zero).
    let origin = rest & ((1 << (8 * before)) - 1);
    let from_file = file_of(origin as u8);
    let second = if from_file.is_some() {
        origin >> 8
    } else {
        origin
    };
    let from_rank = rank_of(second as u8);
    if second != 0 && (from_rank.is_none() || second > 0xff) {
        return None;
    }
    let mut used = length + letters;
    let mut san = San::new(role, square((rank * 8 + file) as u32));
    (san.from_file, san.from_rank, san.capture) = (from_file, from_rank, capture);
    let mut after = byte_at(word, used);
    if after == b'=' && role == Role::Pawn {
        san.promotion = Some(match byte_at(word, used + 1) {
            b'Q' => Role::Queen,
            b'R' => Role::Rook,
            b'B' => Role::Bishop,
            b'N' => Role::Knight,
            _ => return None,
        });
        used += 2;
        after = byte_at(word, used);
    }
    san.check = check_mark(after);
    used += u32::from(san.check.is_some());
    Some((san, used as usize))
}

/// A byte of the word, 0 past its end.
#[inline(always)]
fn byte_at(word: u64, index: u32) -> u8 {
    if index < 8 {
        (word >> (8 * index)) as u8
    } else {
        0
    }
}

/// Up to eight bytes of text, padded with zeros.
#[inline(never)]
fn short_word(text: &[u8]) -> u64 {
    text.iter()
        .take(8)
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[inline(never)]
fn parse_castling(text: &[u8]) -> Option<(San, usize)> {
    let (side, length) = if text.starts_with(b"O-O-O") {
        (CastlingSide::QueenSide, 5)
    } else if text.starts_with(b"O-O") {
        (CastlingSide::KingSide, 3)
    } else {
        return None;
    };
    let mut san = San::castle(side);
    san.check = check_mark(text.get(length).copied().unwrap_or(0));
    Some((san, length + usize::from(san.check.is_some())))
}

#[inline(always)]
fn check_mark(byte: u8) -> Option<CheckMark> {
    match byte {
        b'+' => Some(CheckMark::Check),
        b'#' => Some(CheckMark::Mate),
        _ => None,
    }
}

#[inline(always)]
fn file_of(byte: u8) -> Option<File> {
    let index = byte.wrapping_sub(b'a');
    (index < 8).then(|| File::new(u32::from(index & 7)))
}

#[inline(always)]
fn rank_of(byte: u8) -> Option<Rank> {
    let index = byte.wrapping_sub(b'1');
    (index < 8).then(|| Rank::new(u32::from(index & 7)))
}

impl Board {
    /// Finds the legal move that a SAN token means here. Capture and check marks are not compared;
    /// a promotion must be given exactly if there is one.
    ///
    /// # Errors
    ///
    /// See [`SanError`]. If several pseudo-legal moves match and exactly one is legal, it is the result.
    #[inline]
    pub fn resolve_san(&self, san: &San) -> Result<Move, SanError> {
        if let Some(side) = san.castle {
            return self.resolve_castling(side);
        }
        // The same path for pawns and pieces, without branches: which of them comes next cannot be predicted.
        let us = self.turn;
        let to = u32::from(san.to);
        let target = bit(to);
        let occupied = self.occupied_set();
        let role = san.role as usize;
        let is_pawn = role == PAWN;
        let taken = occupied & target != 0;
        let from_other_file = san.from_file.is_some_and(|file| file != san.to.file());
        let pawn_takes = is_pawn & (san.capture | from_other_file);
        let pawn_steps = is_pawn & !pawn_takes;

        // The attacks of the target backwards; a pawn's steps are not attacks.
        let kind = if pawn_takes { color_index(!us) } else { role };
        let reach = empty_board(kind, to)
            | if pawn_steps {
                self.pawn_steps(san.to) | self.last_step(target)
            } else {
                0
            };

        let at_end = target & (RANK_1 | RANK_1 << 56) != 0;
        let promotion = san.promotion.map_or(0, |role| role as u32);
        let fitting = reach & self.sets[role & 7] & self.color_set(us) & san.origin_mask();
        let own = self.color_set(us) & target != 0;
        let fits = ((is_pawn & at_end) == (promotion != 0))
            & !own
            & (!is_pawn | (pawn_takes == taken))
            & (fitting != 0);
        if !fits {
            return self.resolve_en_passant(san, fitting, taken || promotion != 0 || !pawn_takes);
        }
        if fitting & (fitting - 1) == 0 && between(first(fitting), to) & occupied == 0 {
            let m = Move::raw(role as u32, first(fitting), to, taken, promotion);
            return self.judge(m);
        }
        self.choose(fitting, Move::raw(role as u32, 0, to, taken, promotion))
    }

    /// The squares from which a pawn steps to a free square without a promotion.
    #[inline(always)]
    fn pawn_steps(&self, to: Square) -> u64 {
        let [one, two] = PAWN_STEPS[self.turn as usize & 1][u32::from(to) as usize & 63];
        one | if one & self.occupied_set() == 0 {
            two
        } else {
            0
        }
    }

    /// The square from which a pawn steps to a target on the last rank.
    #[inline(always)]
    fn last_step(&self, target: u64) -> u64 {
        match self.turn {
            Color::White => (target & RANK_1 << 56) >> 8,
            Color::Black => (target & RANK_1) << 8,
        }
    }

    /// Parses strict SAN at the start of `text` and finds its move, like [`parse_san`] followed by
    /// [`Board::resolve_san`]; the number is that of the bytes read.
    ///
    /// This is the fastest way for large amounts: most tokens are read without being split.
    #[inline(always)]
    #[must_use]
    pub fn read_san(&self, text: &[u8]) -> Option<(Result<Move, SanError>, usize)> {
        let word = match text.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => short_word(text),
        };
        let simple = SimpleToken::of(word);
        let to = simple.to;
        let (occupied, us) = (self.occupied_set(), self.color_set(self.turn));
        let role = simple.role as usize;
        let is_pawn = role == PAWN;
        let steps = self.pawn_steps(square(to));
        let reach = empty_board(role, to) | if is_pawn { steps } else { 0 };
        let blocked = if is_pawn { occupied } else { us };
        let fitting = reach & self.sets[role & 7] & us;
        let from = first(fitting);
        let single = fitting & fitting.wrapping_sub(1) == 0;
        if !simple.fits
            || fitting == 0
            || !single
            || blocked & bit(to) != 0
            || between(from, to) & occupied != 0
        {
            return self.read_longer(text, word);
        }
        let m = Move::raw(role as u32, from, to, occupied & bit(to) != 0, 0);
        Some((self.judge(m), simple.used as usize))
    }

    #[inline(never)]
    fn read_longer(&self, text: &[u8], word: u64) -> Option<(Result<Move, SanError>, usize)> {
        if let Some((m, used)) = self.read_pawn_capture(word) {
            return Some((self.judge(m), used));
        }
        let (san, used) = parse_san(text)?;
        Some((self.resolve_san(&san), used))
    }

    /// Half of the tokens that are not simple: an ordinary capture by a pawn, without a promotion.
    #[inline(always)]
    fn read_pawn_capture(&self, word: u64) -> Option<(Move, usize)> {
        let from_file = (word as u32 & 0xff).wrapping_sub(u32::from(b'a'));
        let is_capture = word >> 8 & 0xff == u64::from(b'x');
        let file = (word >> 16 & 0xff).wrapping_sub(u64::from(b'a'));
        let rank = (word >> 24 & 0xff).wrapping_sub(u64::from(b'1'));
        let after = (word >> 32) as u8;
        let fits = is_capture & (from_file < 8) & (file < 8) & (rank.wrapping_sub(1) < 6);
        if !fits || after >= b'=' {
            return None;
        }
        let to = (rank << 3 | file) as u32 & 63;
        let kind = color_index(!self.turn);
        let pawns = self.sets[PAWN] & self.color_set(self.turn) & file_set(from_file);
        let fitting = empty_board(kind, to) & pawns;
        let taken = self.color_set(!self.turn) & bit(to) != 0;
        (fitting != 0 && taken).then(|| {
            let m = Move::raw(PAWN as u32, first(fitting), to, true, 0);
            (m, 4 + usize::from(check_mark(after).is_some()))
        })
    }

    #[inline(never)]
    fn resolve_castling(&self, side: CastlingSide) -> Result<Move, SanError> {
        self.judge(self.find_castle(side).ok_or(SanError::NoSuchMove)?)
    }

    /// The remaining cases if no ordinary move matches.
    #[inline(never)]
    fn resolve_en_passant(
        &self,
        san: &San,
        fitting: u64,
        impossible: bool,
    ) -> Result<Move, SanError> {
        if impossible || fitting == 0 || self.ep != Some(san.to) {
            return Err(SanError::NoSuchMove);
        }
        let m = Move::en_passant(Square::A1, san.to);
        if fitting & (fitting - 1) == 0 {
            return self.judge(m.with_start(first(fitting)));
        }
        self.choose(fitting, m)
    }

    #[inline(always)]
    fn judge(&self, m: Move) -> Result<Move, SanError> {
        if self.is_safe(m) {
            Ok(m)
        } else {
            Err(SanError::Illegal(m))
        }
    }

    /// Picks the one legal move among several aligned pieces; `m` is the move of a piece on a1.
    #[inline(never)]
    fn choose(&self, mut aligned: u64, m: Move) -> Result<Move, SanError> {
        let occupied = self.occupied_set();
        let (mut found, mut legal) = (0, 0);
        let mut result = Err(SanError::NoSuchMove);
        while aligned != 0 {
            let from = first(aligned);
            aligned &= aligned - 1;
            if between(from, m.end_index()) & occupied != 0 {
                continue;
            }
            let candidate = m.with_start(from);
            found += 1;
            if self.is_safe(candidate) {
                legal += 1;
                if legal == 1 {
                    result = Ok(candidate);
                }
            } else if found == 1 {
                result = Err(SanError::Illegal(candidate));
            }
        }
        match result {
            Ok(m) if legal > 1 => Err(SanError::Ambiguous(m)),
            Err(_) if found > 1 => Err(SanError::NoSuchMove),
            result => result,
        }
    }
}
