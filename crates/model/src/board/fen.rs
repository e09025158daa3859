//! Forsyth-Edwards notation, read generously.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use shakmaty::{Color, Piece, Role, Square};
use thiserror::Error;

use super::tables::RANK_1;
use super::{Board, KING, PAWN, ROOK};
use super::{back_rank, bit, first};

/// A field of a FEN record.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FenField {
    /// The pieces, rank by rank.
    Pieces,
    /// The side to move.
    Turn,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenField::Pieces => "piece placement",
            FenField::Turn => "side to move",
        })
    }
}

/// Why a text is not a FEN record.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Error)]
#[error("bad FEN: {what} at byte {offset} ({field})")]
pub struct FenError {
    /// The field in which reading stopped.
    pub field: FenField,
    /// The byte at which reading stopped.
    pub offset: usize,
    /// The error.
    pub what: &'static str,
}

/// The problems of a position that can still be stored, as a set of flags.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct PositionProblems(u32);

impl PositionProblems {
    /// No problems.
    pub const NONE: PositionProblems = PositionProblems(0);
    /// A side has more than 16 pieces, or more pieces than its missing pawns explain.
    pub const TOO_MANY_PIECES: PositionProblems = PositionProblems(1);
    /// A side has more than eight pawns.
    pub const TOO_MANY_PAWNS: PositionProblems = PositionProblems(1 << 1);
    /// A side has no king.
    pub const NO_KING: PositionProblems = PositionProblems(1 << 2);
    /// A side has several kings.
    pub const SEVERAL_KINGS: PositionProblems = PositionProblems(1 << 3);
    /// The king of the side not to move is attacked.
    pub const EXPOSED_KING: PositionProblems = PositionProblems(1 << 4);
    /// A pawn is on the first or last rank.
    pub const PAWN_ON_BACK_RANK: PositionProblems = PositionProblems(1 << 5);
    /// A castling right was left out: its king or rook is missing, or the letter has no meaning.
    pub const BAD_CASTLING: PositionProblems = PositionProblems(1 << 6);
    /// The en passant square was left out: no pawn can just have passed it.
    pub const BAD_EN_PASSANT: PositionProblems = PositionProblems(1 << 7);
    /// Side to move, castling rights or en passant square were not given.
    pub const MISSING_FIELDS: PositionProblems = PositionProblems(1 << 8);
    /// The clock or the move number were not given.
    pub const MISSING_COUNTERS: PositionProblems = PositionProblems(1 << 9);
    /// The clock or the move number is not a number, or too large.
    pub const BAD_COUNTER: PositionProblems = PositionProblems(1 << 10);
    /// More text follows.
    pub const EXTRA_TEXT: PositionProblems = PositionProblems(1 << 11);
    /// A rank has fewer than eight squares; the rest of it was taken as empty.
    pub const SHORT_RANK: PositionProblems = PositionProblems(1 << 12);
    /// Pieces carry the mark of promoted ones, or are in a pocket; that was dropped.
    pub const VARIANT_MARKS: PositionProblems = PositionProblems(1 << 13);

    const NAMES: [(PositionProblems, &'static str); 14] = [
        (PositionProblems::TOO_MANY_PIECES, "too many pieces"),
        (PositionProblems::TOO_MANY_PAWNS, "too many pawns"),
        (PositionProblems::NO_KING, "a king is missing"),
        (
            PositionProblems::SEVERAL_KINGS,
            "several kings of the same colour",
        ),
        (
            PositionProblems::EXPOSED_KING,
            "the side not to move is in check",
        ),
        (
            PositionProblems::PAWN_ON_BACK_RANK,
            "a pawn on the first or last rank",
        ),
        (
            PositionProblems::BAD_CASTLING,
            "a castling right without king or rook",
        ),
        (
            PositionProblems::BAD_EN_PASSANT,
            "an impossible en passant square",
        ),
        (PositionProblems::MISSING_FIELDS, "missing fields"),
        (PositionProblems::MISSING_COUNTERS, "missing move counters"),
        (PositionProblems::BAD_COUNTER, "a bad move counter"),
        (PositionProblems::EXTRA_TEXT, "extra text after the FEN"),
        (PositionProblems::SHORT_RANK, "a rank with too few squares"),
        (PositionProblems::VARIANT_MARKS, "marks of a chess variant"),
    ];

    /// The flags as a number, for saving.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The flags of a number from [`PositionProblems::bits`]; unknown ones are ignored.
    #[must_use]
    pub fn from_bits(bits: u32) -> PositionProblems {
        PositionProblems(bits & ((1 << PositionProblems::NAMES.len()) - 1))
    }

    /// Whether there are no problems.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of `other` is among these.
    #[must_use]
    pub fn contains(self, other: PositionProblems) -> bool {
        self.0 & other.0 == other.0
    }

    /// These without those of `other`.
    #[must_use]
    pub fn without(self, other: PositionProblems) -> PositionProblems {
        PositionProblems(self.0 & !other.0)
    }

    /// The problems, in words, one by one.
    pub fn descriptions(self) -> impl Iterator<Item = &'static str> {
        PositionProblems::NAMES
            .into_iter()
            .filter(move |(problem, _)| self.contains(*problem))
            .map(|(_, name)| name)
    }
}

impl BitOr for PositionProblems {
    type Output = PositionProblems;
    fn bitor(self, other: PositionProblems) -> PositionProblems {
        PositionProblems(self.0 | other.0)
    }
}

impl BitOrAssign for PositionProblems {
    fn bitor_assign(&mut self, other: PositionProblems) {
        self.0 |= other.0;
    }
}

impl fmt::Display for PositionProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for name in self.descriptions() {
            write!(f, "{separator}{name}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl fmt::Debug for PositionProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Problems({self})")
    }
}

/// The blank-separated fields of a text, with their offsets.
fn fields(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let tail = text.get(rest..)?;
        let start = rest + (tail.len() - tail.trim_ascii_start().len());
        let tail = text.get(start..)?;
        let length = tail
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(tail.len());
        rest = start + length;
        (length > 0).then(|| (start, tail.get(..length).unwrap_or("")))
    })
}

/// The largest counter that is accepted; it leaves room for further moves.
pub const MAX_COUNTER: u32 = u32::MAX / 2;

impl Board {
    /// Reads a FEN record leniently: everything that can be stored is stored, and problems are reported.
    /// X-FEN and Shredder-FEN castling fields, four-field records and missing counters are supported.
    ///
    /// # Errors
    ///
    /// Only if the pieces or the side to move cannot be read.
    pub fn from_fen(fen: &str) -> Result<(Board, PositionProblems), FenError> {
        let mut fields = fields(fen).peekable();
        let (offset, pieces) = fields.next().ok_or(FenError {
            field: FenField::Pieces,
            offset: 0,
            what: "field is empty",
        })?;
        let mut board = Board::empty();
        let mut problems = board.read_pieces(pieces, offset)?;
        board.refresh_kings();

        match fields.next() {
            None => problems |= PositionProblems::MISSING_FIELDS,
            Some((_, "w" | "W")) => {}
            Some((_, "b" | "B")) => board.turn = Color::Black,
            Some((offset, _)) => {
                return Err(FenError {
                    field: FenField::Turn,
                    offset,
                    what: "not w or b",
                });
            }
        }

        let mut rights = 0;
        match fields.next() {
            None => problems |= PositionProblems::MISSING_FIELDS,
            Some((_, "-")) => {}
            Some((_, letters)) => {
                for letter in letters.bytes() {
                    match board.right_of_letter(letter) {
                        Some(rook) => rights |= bit(rook),
                        None => problems |= PositionProblems::BAD_CASTLING,
                    }
                }
            }
        }

        let mut ep = None;
        match fields.next() {
            None => problems |= PositionProblems::MISSING_FIELDS,
            Some((_, "-")) => {}
            Some((_, text)) => match Square::from_ascii(text.as_bytes()) {
                Ok(square) => ep = Some(square),
                Err(_) => problems |= PositionProblems::BAD_EN_PASSANT,
            },
        }

        // If letters follow, this is not a counter but an operation of an EPD record.
        let is_operation =
            |text: &str| text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
        if fields.peek().is_none_or(|(_, text)| is_operation(text)) {
            problems |= PositionProblems::MISSING_COUNTERS;
        } else {
            for counter in [&mut board.halfmoves, &mut board.fullmoves] {
                match fields.next().map(|(_, text)| text.parse::<u32>()) {
                    None => problems |= PositionProblems::MISSING_COUNTERS,
                    Some(Ok(number)) if number <= MAX_COUNTER => *counter = number,
                    Some(_) => problems |= PositionProblems::BAD_COUNTER,
                }
            }
        }
        if fields.next().is_some() {
            problems |= PositionProblems::EXTRA_TEXT;
        }
        problems |= board.complete(rights, ep);
        Ok((board, problems))
    }

    fn read_pieces(&mut self, pieces: &str, start: usize) -> Result<PositionProblems, FenError> {
        let mut problems = PositionProblems::NONE;
        let (mut rank, mut file) = (7_u32, 0_u32);
        for (i, byte) in pieces.bytes().enumerate() {
            let fail = |what| {
                Err(FenError {
                    field: FenField::Pieces,
                    offset: start + i,
                    what,
                })
            };
            match byte {
                b'/' if rank == 0 => {
                    // Some programs append the pieces in a player's hand as a ninth rank.
                    problems |= PositionProblems::VARIANT_MARKS;
                    break;
                }
                b'/' => {
                    if file < 8 {
                        problems |= PositionProblems::SHORT_RANK;
                    }
                    rank -= 1;
                    file = 0;
                }
                b'1'..=b'8' => {
                    file += u32::from(byte - b'0');
                    if file > 8 {
                        return fail("more than eight squares in a rank");
                    }
                }
                b'~' => problems |= PositionProblems::VARIANT_MARKS,
                b'[' => {
                    problems |= PositionProblems::VARIANT_MARKS;
                    break;
                }
                _ => {
                    let Some(piece) = Piece::from_char(char::from(byte)) else {
                        return fail("not a piece, digit or slash");
                    };
                    if file >= 8 {
                        return fail("more than eight squares in a rank");
                    }
                    self.set_piece(rank * 8 + file, Some(piece));
                    file += 1;
                }
            }
        }
        if rank > 0 {
            return Err(FenError {
                field: FenField::Pieces,
                offset: start + pieces.len(),
                what: "fewer than eight ranks",
            });
        }
        if file < 8 {
            problems |= PositionProblems::SHORT_RANK;
        }
        Ok(problems)
    }

    /// The rook that a letter in the castling field refers to.
    pub(super) fn right_of_letter(&self, letter: u8) -> Option<u32> {
        let color = Color::from_white(letter.is_ascii_uppercase());
        let king = self.royal(color);
        let rank = back_rank(color);
        if king >= 64 || bit(king) & rank == 0 {
            return None;
        }
        let rooks = self.sets[ROOK] & self.color_set(color) & rank;
        let below = bit(king) - 1;
        let rook = match letter.to_ascii_lowercase() {
            b'k' => first(highest(rooks & !below)),
            b'q' => first(rooks & below),
            file @ b'a'..=b'h' => first(rank) + u32::from(file - b'a'),
            _ => return None,
        };
        (rook < 64 && rooks & bit(rook) != 0).then_some(rook)
    }

    /// Adds castling rights and the en passant square as far as the pieces allow them, computes what depends on them, and
    /// returns the problems of the position.
    pub(super) fn complete(&mut self, rights: u64, ep: Option<Square>) -> PositionProblems {
        let mut problems = PositionProblems::NONE;
        self.refresh_kings();
        self.castling = 0;
        for color in Color::ALL {
            let rank = back_rank(color);
            let king = self.royal(color);
            let mut wanted = rights & rank;
            if king >= 64 || bit(king) & rank == 0 {
                wanted = 0;
            }
            let rooks = wanted & self.sets[ROOK] & self.color_set(color);
            let below = if king < 64 { bit(king) - 1 } else { 0 };
            let king_side = rooks & !below;
            let queen_side = rooks & below;
            // If there are several rooks on one side, only the outermost keeps its right.
            self.castling |= highest(king_side) | lowest(queen_side);
            problems |= self.count_pieces(color);
        }
        if self.castling != rights {
            problems |= PositionProblems::BAD_CASTLING;
        }
        self.ep = ep.filter(|ep| self.is_plausible_ep(*ep));
        if self.ep != ep {
            problems |= PositionProblems::BAD_EN_PASSANT;
        }
        if self.sets[PAWN] & (RANK_1 | RANK_1 << 56) != 0 {
            problems |= PositionProblems::PAWN_ON_BACK_RANK;
        }
        self.refresh_checks();
        if self.exposed {
            problems |= PositionProblems::EXPOSED_KING;
        }
        problems
    }

    fn count_pieces(&self, color: Color) -> PositionProblems {
        let pieces = self.color_set(color);
        let count = |role: usize| (self.sets[role & 7] & pieces).count_ones();
        let mut problems = match count(KING) {
            0 => PositionProblems::NO_KING,
            1 => PositionProblems::NONE,
            _ => PositionProblems::SEVERAL_KINGS,
        };
        let pawns = count(PAWN);
        let promoted: u32 = [
            (Role::Knight, 2),
            (Role::Bishop, 2),
            (Role::Rook, 2),
            (Role::Queen, 1),
        ]
        .into_iter()
        .map(|(role, usual)| count(role as usize).saturating_sub(usual))
        .sum();
        if pawns > 8 {
            problems |= PositionProblems::TOO_MANY_PAWNS;
        }
        if pieces.count_ones() > 16 || promoted + pawns.min(8) > 8 {
            problems |= PositionProblems::TOO_MANY_PIECES;
        }
        problems
    }

    /// Whether a pawn of the other side can just have passed this square.
    fn is_plausible_ep(&self, ep: Square) -> bool {
        let ep = u32::from(ep);
        let (rank, behind) = match self.turn {
            Color::White => (5, ep.wrapping_add(8)),
            Color::Black => (2, ep.wrapping_sub(8)),
        };
        ep >> 3 == rank
            && self.occupied_set() & (bit(ep) | bit(behind)) == 0
            && self.sets[PAWN] & self.color_set(!self.turn) & bit(ep ^ 8) != 0
    }
}

fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

fn highest(set: u64) -> u64 {
    if set == 0 {
        0
    } else {
        bit(63 - set.leading_zeros())
    }
}
