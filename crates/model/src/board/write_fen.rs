//! Forsyth-Edwards notation, written as X-FEN.

use shakmaty::{CastlingSide, Color, Square};

use super::write_san::{file_byte, rank_byte};
use super::{BISHOP, Board, KING, KNIGHT, PAWN, QUEEN, ROOK};
use tabiya_text::digits::push_number;

/// Letters by the number of a piece: that of its role, plus 8 for Black.
const LETTERS: [u8; 16] = *b"?PNBRQK??pnbrqk?";

/// The most bytes of a rank: eight letters.
const RANK: usize = 8;

/// Room for the pieces: eight ranks, each with a slash, the extra bytes of copying a rank, and a power of two.
const PIECES: usize = 128;

/// Writes FEN records of positions, and remembers the ranks of the last one: between two positions of a game most are
/// unchanged.
#[derive(Clone, Default, Debug)]
pub struct FenWriter {
    ranks: [FenRank; 8],
}

/// The text of a rank.
#[derive(Copy, Clone, Debug)]
struct FenRank {
    /// The pieces on a rank: four bits for each square, by files.
    pieces: u32,
    text: [u8; RANK],
    length: u8,
}

impl Default for FenRank {
    fn default() -> FenRank {
        FenRank::of(0)
    }
}

impl FenRank {
    /// Writes a rank.
    fn of(pieces: u32) -> FenRank {
        let (mut text, mut length) = ([0; RANK], 0);
        // The byte is always written; it counts only if the end moves past it.
        let mut put = |byte: u8, stays: bool| {
            text[length & (RANK - 1)] = byte;
            length += usize::from(stays);
        };
        let mut left = (pieces | pieces >> 8 | pieces >> 16) & 0xff;
        let mut file = 0;
        while left != 0 {
            let next = left.trailing_zeros();
            put(digit(next - file), next > file);
            let bits = pieces >> next;
            let number = bits & 1 | bits >> 7 & 2 | bits >> 14 & 4 | bits >> 21 & 8;
            put(LETTERS[(number & 15) as usize], true);
            file = next + 1;
            left &= left - 1;
        }
        if file < 8 {
            put(digit(8 - file), true);
        }
        FenRank {
            pieces,
            text,
            length: (length & 15) as u8,
        }
    }
}

impl FenWriter {
    /// Writes the same as [`Board::to_fen`].
    pub fn write(&mut self, board: &Board, fen: &mut Vec<u8>) {
        self.write_position(board, fen);
        board.write_counters(fen);
    }

    /// Writes the first four fields of it: all but the counters.
    pub fn write_position(&mut self, board: &Board, fen: &mut Vec<u8>) {
        self.write_pieces(board, fen);
        board.write_state(board.pseudo_legal_ep_square(), fen);
    }

    fn write_pieces(&mut self, board: &Board, fen: &mut Vec<u8>) {
        let set = |role: usize| board.sets[role & 7];
        let [p, n, b, r, q, k] = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING].map(set);
        // The bits of the pieces' numbers, so that no square has to be looked up.
        let bits = [
            p | b | q,
            n | b | k,
            r | q | k,
            board.color_set(Color::Black),
        ];
        let mut pieces = [0; PIECES];
        let mut end = 0;
        let mut shift = 64;
        for rank in self.ranks.iter_mut().rev() {
            shift -= 8;
            let now = bits.iter().rev().fold(0, |now, bits| {
                now << 8 | (bits >> (shift & 63) & 0xff) as u32
            });
            if rank.pieces != now {
                *rank = FenRank::of(now);
            }
            // The room of a whole rank is copied: a fixed length needs no branch.
            if let Some(place) = pieces.get_mut(end..end + RANK) {
                place.copy_from_slice(&rank.text);
            }
            end += usize::from(rank.length);
            pieces[end & (PIECES - 1)] = b'/';
            end += 1;
        }
        fen.extend_from_slice(pieces.get(..end - 1).unwrap_or_default());
    }
}

impl Board {
    /// The FEN record, with X-FEN castling rights, and an en passant square only if a pawn could capture there,
    /// ignoring the safety of the king.
    #[must_use]
    pub fn to_fen(&self) -> String {
        text(|fen| FenWriter::default().write(self, fen))
    }

    /// The FEN record with the en passant square after every double step.
    #[must_use]
    pub fn to_fen_always_ep(&self) -> String {
        text(|fen| {
            FenWriter::default().write_pieces(self, fen);
            self.write_state(self.ep, fen);
            self.write_counters(fen);
        })
    }

    fn write_counters(&self, fen: &mut Vec<u8>) {
        for counter in [self.halfmoves, self.fullmoves] {
            fen.push(b' ');
            push_number(u64::from(counter), fen);
        }
    }

    /// The side to move, castling rights and en passant.
    fn write_state(&self, ep: Option<Square>, fen: &mut Vec<u8>) {
        let turn = match self.turn {
            Color::White => b'w',
            Color::Black => b'b',
        };
        fen.extend_from_slice(&[b' ', turn, b' ']);
        self.write_castling(fen);
        match ep {
            None => fen.extend_from_slice(b" -"),
            Some(ep) => fen.extend_from_slice(&[b' ', file_byte(ep), rank_byte(ep)]),
        }
    }

    fn write_castling(&self, fen: &mut Vec<u8>) {
        let before = fen.len();
        if self.castling != 0 {
            for color in [Color::White, Color::Black] {
                for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                    fen.extend(self.castling_letter(color, side));
                }
            }
        }
        if fen.len() == before {
            fen.push(b'-');
        }
    }

    /// The letter for a castling right: the side's, or the rook's file if another rook is further out.
    fn castling_letter(&self, color: Color, side: CastlingSide) -> Option<u8> {
        let rook = self.castling_rook(color, side)?;
        let letter = match side {
            CastlingSide::KingSide => b'k',
            CastlingSide::QueenSide => b'q',
        };
        let as_color = |letter: u8| match color {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        };
        let outermost = self.right_of_letter(as_color(letter)) == Some(u32::from(rook));
        Some(as_color(if outermost { letter } else { file_byte(rook) }))
    }
}

/// The written bytes are ASCII.
fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut text = Vec::with_capacity(96);
    write(&mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn digit(number: u32) -> u8 {
    b'0' | (number & 15) as u8
}
