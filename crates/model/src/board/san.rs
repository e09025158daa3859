//! Standard algebraic notation: parsing its parts, finding the move they mean, writing it.

use shakmaty::{CastlingSide, File, Rank, Role, Square};
use thiserror::Error;

use super::legality::file_set;
use super::tables::{RANK_1, between, empty_board};
use super::{BISHOP, Board, KING, Move, PAWN, QUEEN};
use super::{back_rank, bit, first, square};

/// What a SAN token says. Nothing of it has been compared with a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct San {
    /// What moves; a king for castling.
    pub role: Role,
    /// The file from which it moves, if told.
    pub from_file: Option<File>,
    /// The rank from which it moves, if told.
    pub from_rank: Option<Rank>,
    /// Where it goes; without meaning for castling.
    pub to: Square,
    /// What the pawn becomes.
    pub promotion: Option<Role>,
    /// The side of castling.
    pub castle: Option<CastlingSide>,
    /// Whether a capture is marked.
    pub capture: bool,
    /// Whether check is marked, or mate.
    pub check: Option<CheckMark>,
}

/// The mark behind a move that gives check.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CheckMark {
    /// `+`
    Check,
    /// `#`
    Mate,
}

/// Why a SAN token means no legal move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Error)]
pub enum SanError {
    /// The only move that fits leaves the own king attacked; it can be played all the same.
    #[error("the move leaves its own king in check")]
    Illegal(Move),
    /// Several legal moves fit; this is the first.
    #[error("several moves fit")]
    Ambiguous(Move),
    /// No man can move like that.
    #[error("no such move")]
    NoSuchMove,
}

impl San {
    /// A move of `role` to `to` about which nothing else is told.
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

    /// The squares from which the move may come as far as file and rank are told.
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

/// Parses strict SAN at the start of `text` (`Nf3`, `exd8=Q+`, `O-O-O#`, also `Ng1f3` and `e2e4`)
/// and says how many bytes it took, check mark included.
///
/// What follows is the caller's business: where it is not what ends a move there, the token is to
/// be read more generously.
#[inline]
#[must_use]
pub fn parse_san(text: &[u8]) -> Option<(San, usize)> {
    let at = |i: usize| text.get(i).copied().unwrap_or(0);
    let mut i = 0;
    let role = match at(0) {
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        b'K' => Role::King,
        b'O' => return parse_castling(text),
        _ => Role::Pawn,
    };
    i += usize::from(role != Role::Pawn);
    let (mut from_file, mut from_rank) = (None, None);
    let mut file = file_of(at(i));
    let mut rank = rank_of(at(i + usize::from(file.is_some())));
    i += usize::from(file.is_some()) + usize::from(rank.is_some());
    let capture = at(i) == b'x';
    i += usize::from(capture);
    if let Some(next) = file_of(at(i)) {
        (from_file, from_rank) = (file, rank);
        file = Some(next);
        rank = rank_of(at(i + 1));
        i += 2;
    } else if capture {
        return None;
    }
    let mut san = San::new(role, Square::from_coords(file?, rank?));
    (san.from_file, san.from_rank, san.capture) = (from_file, from_rank, capture);
    if at(i) == b'=' && role == Role::Pawn {
        san.promotion = Some(match at(i + 1) {
            b'Q' => Role::Queen,
            b'R' => Role::Rook,
            b'B' => Role::Bishop,
            b'N' => Role::Knight,
            _ => return None,
        });
        i += 2;
    }
    san.check = check_mark(at(i));
    i += usize::from(san.check.is_some());
    Some((san, i))
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
    /// a promotion must be told exactly where there is one.
    ///
    /// # Errors
    ///
    /// See [`SanError`]. Where several pseudo-legal moves fit and exactly one is legal, that is it.
    #[inline]
    pub fn resolve_san(&self, san: &San) -> Result<Move, SanError> {
        if san.role == Role::Pawn {
            return self.resolve_pawn(san);
        }
        if san.promotion.is_some() {
            return Err(SanError::NoSuchMove);
        }
        if let Some(side) = san.castle {
            let m = self.find_castle(side).ok_or(SanError::NoSuchMove)?;
            return self.judge(m);
        }
        let to = u32::from(san.to);
        let us = self.color_set(self.turn);
        if us & bit(to) != 0 {
            return Err(SanError::NoSuchMove);
        }
        let occupied = self.occupied_set();
        let role = san.role as usize;
        let mut fitting = empty_board(role, to) & self.sets[role & 7] & us & san.origin_mask();
        if (BISHOP..=QUEEN).contains(&role) {
            let mut aligned = fitting;
            while aligned != 0 {
                let from = first(aligned);
                if between(from, to) & occupied != 0 {
                    fitting &= !bit(from);
                }
                aligned &= aligned - 1;
            }
        }
        let capture = occupied & bit(to) != 0;
        let candidate = |from| Move::raw(role as u32, from, to, capture, 0);
        if fitting == 0 {
            return Err(SanError::NoSuchMove);
        }
        if fitting & (fitting - 1) == 0 {
            return self.judge(candidate(first(fitting)));
        }
        self.choose(fitting, candidate)
    }

    #[inline(always)]
    fn judge(&self, m: Move) -> Result<Move, SanError> {
        if self.is_safe(m) {
            Ok(m)
        } else {
            Err(SanError::Illegal(m))
        }
    }

    /// Picks the one legal move among several pseudo-legal ones.
    #[inline(never)]
    fn choose(&self, mut fitting: u64, candidate: impl Fn(u32) -> Move) -> Result<Move, SanError> {
        let mut chosen = None;
        while fitting != 0 {
            let m = candidate(first(fitting));
            if self.is_safe(m) {
                if let Some(before) = chosen {
                    return Err(SanError::Ambiguous(before));
                }
                chosen = Some(m);
            }
            fitting &= fitting - 1;
        }
        chosen.ok_or(SanError::NoSuchMove)
    }

    #[inline]
    fn resolve_pawn(&self, san: &San) -> Result<Move, SanError> {
        let to = u32::from(san.to);
        let us = self.turn;
        let occupied = self.occupied_set();
        let pawns = self.sets[PAWN] & self.color_set(us) & san.origin_mask();
        let at_end = bit(to) & (back_rank(us) | back_rank(!us)) != 0;
        if at_end != san.promotion.is_some() {
            return Err(SanError::NoSuchMove);
        }
        let promotion = san.promotion.map_or(0, |role| role as u32);
        let capture = san.capture || san.from_file.is_some_and(|file| file != san.to.file());
        if !capture {
            // One step back, and where that is empty and the target lies on the fourth rank, two.
            let (one, fourth) = match us {
                shakmaty::Color::White => (to.wrapping_sub(8), 3),
                shakmaty::Color::Black => (to.wrapping_add(8), 4),
            };
            if one >= 64 || occupied & bit(to) != 0 {
                return Err(SanError::NoSuchMove);
            }
            let mut from = one;
            if occupied & bit(one) == 0 && to >> 3 == fourth {
                from = one.wrapping_add(one.wrapping_sub(to)) & 63;
            }
            if pawns & bit(from) == 0 {
                return Err(SanError::NoSuchMove);
            }
            return self.judge(Move::raw(PAWN as u32, from, to, false, promotion));
        }
        let backwards = usize::from(us == shakmaty::Color::Black);
        let fitting = pawns & empty_board(backwards, to);
        if fitting == 0 {
            return Err(SanError::NoSuchMove);
        }
        if self.color_set(!us) & bit(to) == 0 {
            if self.ep != Some(san.to) || occupied & bit(to) != 0 {
                return Err(SanError::NoSuchMove);
            }
            let candidate = |from| Move::en_passant(square(from), san.to);
            if fitting & (fitting - 1) == 0 {
                return self.judge(candidate(first(fitting)));
            }
            return self.choose(fitting, candidate);
        }
        let candidate = |from| Move::raw(PAWN as u32, from, to, true, promotion);
        if fitting & (fitting - 1) == 0 {
            return self.judge(candidate(first(fitting)));
        }
        self.choose(fitting, candidate)
    }

    /// Appends a move in SAN without check mark, with as little disambiguation as the legal moves
    /// allow: by file, else by rank, else by both. The null move is `--`.
    ///
    /// An illegal move is told apart from all pseudo-legal ones, and an impossible one is written
    /// with its whole starting square.
    pub fn write_san(&self, m: Move, out: &mut Vec<u8>) {
        if m.is_null() {
            out.extend_from_slice(b"--");
            return;
        }
        if let Some(side) = m.castling_side() {
            out.extend_from_slice(match side {
                CastlingSide::KingSide => b"O-O",
                CastlingSide::QueenSide => b"O-O-O",
            });
            return;
        }
        let (from, to, role) = (m.from(), m.to(), m.role());
        if role == Role::Pawn {
            if m.is_capture() || from.file() != to.file() {
                out.push(file_byte(from));
            }
        } else {
            out.push(role_byte(role));
            let (file, rank) = self.disambiguation(m);
            if file {
                out.push(file_byte(from));
            }
            if rank {
                out.push(rank_byte(from));
            }
        }
        if m.is_capture() {
            out.push(b'x');
        }
        out.extend_from_slice(&[file_byte(to), rank_byte(to)]);
        if let Some(role) = m.promotion() {
            out.extend_from_slice(&[b'=', role_byte(role)]);
        }
    }

    /// Whether file and rank of the starting square must be told.
    fn disambiguation(&self, m: Move) -> (bool, bool) {
        let (from, to) = (m.start_index(), m.end_index());
        let role = m.role_index() as usize;
        let aligned = empty_board(role, to) & self.sets[role & 7] & self.color_set(self.turn);
        let mut others = aligned & !bit(from);
        if others == 0 && aligned != 0 {
            return (false, false);
        }
        let occupied = self.occupied_set();
        if aligned & bit(from) == 0
            || between(from, to) & occupied != 0
            || self.color_set(self.turn) & bit(to) != 0
        {
            return (true, true);
        }
        let legal = self.is_safe(m);
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        while others != 0 {
            let other = first(others);
            others &= others - 1;
            let rival = Move::raw(role as u32, other, to, m.is_capture(), 0);
            if between(other, to) & occupied == 0 && (!legal || self.is_safe(rival)) {
                any = true;
                same_file |= other & 7 == from & 7;
                same_rank |= other >> 3 == from >> 3;
            }
        }
        (any && (!same_file || same_rank), same_file)
    }

    /// Writes a move in SAN with its check or mate mark, and plays it.
    pub fn play_san(&mut self, m: Move, out: &mut Vec<u8>) {
        self.write_san(m, out);
        self.play(m);
        if self.is_check() {
            out.push(if self.has_legal_move() { b'+' } else { b'#' });
        }
    }
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
    b'a' + (u32::from(square) & 7) as u8
}

#[inline]
pub(super) fn rank_byte(square: Square) -> u8 {
    b'1' + (u32::from(square) >> 3 & 7) as u8
}

// Kept beside the other role numbers so that a king's number cannot drift from its table.
const _: () = assert!(KING == 6);
