//! A light board that follows the column `moves`: it plays the moves without checking the rules.
//!
//! A ply has sixteen bits: from, to, and the promotion; castling is the king's own move, or king takes rook. That is enough
//! to know where every piece is, which is all that most questions need; a position is identified by a sum that a move
//! changes in two to four places.

use shakmaty::Color;
use tabiya::model::Board;
use tabiya::query::material::PieceCounts;
use tabiya::query::position::PieceSquares;

/// Pieces as numbers: 1 to 6 White's pawn to king, 7 to 12 Black's, 0 nothing.
type PieceCode = u8;
const PAWN: PieceCode = 1;
const ROOK: PieceCode = 4;
const KING: PieceCode = 6;
const BLACK: PieceCode = 6;

/// A number for each piece on each square, of which the sum of a position is made. Nothing counts nothing.
static KEYS: [[u64; 64]; 16] = keys();

const fn keys() -> [[u64; 64]; 16] {
    let mut keys = [[0; 64]; 16];
    // Steps of a multiplicative generator, mixed: the keys only have to differ in many bits.
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut piece = 1;
    while piece <= 12 {
        let mut square = 0;
        while square < 64 {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            let mut key = state;
            key ^= key >> 29;
            key = key.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            key ^= key >> 32;
            keys[piece][square] = key;
            square += 1;
        }
        piece += 1;
    }
    keys
}

#[inline(always)]
fn key(piece: PieceCode, square: usize) -> u64 {
    KEYS[usize::from(piece & 15)][square & 63]
}

/// A position without its rights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LightBoard {
    pieces: [PieceCode; 64],
    /// The sum of all pieces.
    pub(crate) sum: u64,
    /// How many pieces there are.
    pub(crate) count: u8,
    /// How many there are of each kind.
    kinds: [u8; 16],
}

impl LightBoard {
    /// The pieces of a position.
    pub(crate) fn new(board: &Board) -> LightBoard {
        let mut light = LightBoard {
            pieces: [0; 64],
            sum: 0,
            count: 0,
            kinds: [0; 16],
        };
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            let piece = piece.role as PieceCode
                + if piece.color == Color::Black {
                    BLACK
                } else {
                    0
                };
            light.pieces[square as usize] = piece;
            light.sum ^= key(piece, square as usize);
            light.count += 1;
            light.kinds[usize::from(piece)] += 1;
        }
        light
    }

    /// How many pieces of each kind there are.
    pub(crate) fn counts(&self) -> PieceCounts {
        std::array::from_fn(|kind| self.kinds[kind + 1])
    }

    /// Where the pieces of each kind stand.
    pub(crate) fn squares(&self) -> PieceSquares {
        let mut pieces = [0; 12];
        for (square, &piece) in self.pieces.iter().enumerate() {
            if let Some(squares) = usize::from(piece)
                .checked_sub(1)
                .and_then(|kind| pieces.get_mut(kind))
            {
                *squares |= 1 << square;
            }
        }
        pieces
    }

    /// The square that a ply leaves.
    #[inline(always)]
    fn from(code: u16) -> usize {
        usize::from(code & 63)
    }

    /// The square that it reaches.
    #[inline(always)]
    fn to(code: u16) -> usize {
        usize::from(code >> 6 & 63)
    }

    /// Plays a ply. Whatever it is, the board stays one: what moves from an empty square moves nothing.
    #[inline(always)]
    pub(crate) fn play(&mut self, code: u16) {
        let (from, to) = (LightBoard::from(code), LightBoard::to(code));
        let piece = self.pieces[from];
        let taken = self.pieces[to];
        if piece == 0 || from == to {
            return;
        }
        let kind = if piece > BLACK { piece - BLACK } else { piece };
        let is_rare = kind == KING && (from.abs_diff(to) == 2 || is_own_rook(piece, taken))
            || kind == PAWN && (code >> 12 != 0 || taken == 0 && from & 7 != to & 7);
        if is_rare {
            self.play_rare(code, piece, kind, taken);
            return;
        }
        self.sum ^= key(piece, from) ^ key(piece, to) ^ key(taken, to);
        self.pieces[from] = 0;
        self.pieces[to] = piece;
        if taken != 0 {
            self.count -= 1;
            self.kinds[usize::from(taken)] -= 1;
        }
    }

    /// Castling, promotion, en passant.
    #[inline(never)]
    fn play_rare(&mut self, code: u16, piece: PieceCode, kind: PieceCode, taken: PieceCode) {
        let (from, to) = (LightBoard::from(code), LightBoard::to(code));
        if kind == KING {
            let rook = piece - KING + ROOK;
            let row = from & 56;
            let is_short = to > from;
            // King takes rook, or two squares towards a rook in its corner.
            let rook_from = if is_own_rook(piece, taken) {
                to
            } else if is_short {
                row | 7
            } else {
                row
            };
            if self.pieces[rook_from] != rook || rook_from & 56 != row {
                self.put(from, 0);
                self.put(to, piece);
                return;
            }
            let (king_to, rook_to) = if is_short {
                (row | 6, row | 5)
            } else {
                (row | 2, row | 3)
            };
            self.put(from, 0);
            self.put(rook_from, 0);
            self.put(king_to, piece);
            self.put(rook_to, rook);
            return;
        }
        let becomes = match code >> 12 {
            2 => 2,
            3 => 3,
            4 => 4,
            5 => 5,
            _ => PAWN,
        };
        let becomes = if piece > BLACK {
            becomes + BLACK
        } else {
            becomes
        };
        if taken == 0 && from & 7 != to & 7 {
            let beside = from & 56 | to & 7;
            let other = if piece > BLACK { PAWN } else { PAWN + BLACK };
            if self.pieces[beside] == other {
                self.put(beside, 0);
            }
        }
        self.put(from, 0);
        self.put(to, becomes);
    }

    /// Puts a piece, or nothing, on a square.
    fn put(&mut self, square: usize, piece: PieceCode) {
        let before = self.pieces[square];
        if before != 0 {
            self.sum ^= key(before, square);
            self.count -= 1;
            self.kinds[usize::from(before)] -= 1;
        }
        self.pieces[square] = piece;
        if piece != 0 {
            self.sum ^= key(piece, square);
            self.count += 1;
            self.kinds[usize::from(piece)] += 1;
        }
    }
}

#[inline(always)]
fn is_own_rook(king: PieceCode, other: PieceCode) -> bool {
    other != 0 && other + KING == king + ROOK
}

/// The plies of a cell of the column `moves`.
#[inline]
pub(crate) fn codes(cell: &[u8]) -> impl Iterator<Item = u16> + '_ {
    cell.as_chunks::<2>()
        .0
        .iter()
        .map(|code| u16::from_le_bytes(*code))
}

/// A position that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct PositionTarget {
    light: LightBoard,
    /// Whose move it is, where that is asked.
    turn: Option<Color>,
}

impl PositionTarget {
    /// The pieces of a position, and whose move it is where a FEN says it.
    pub(crate) fn new(board: &Board, turn: Option<Color>) -> PositionTarget {
        PositionTarget {
            light: LightBoard::new(board),
            turn,
        }
    }

    /// Whether a game passes through it.
    #[inline]
    pub(crate) fn is_in(&self, start: &LightBoard, turn: Color, cell: &[u8]) -> bool {
        let mut light = start.clone();
        let fits = |turn: Color| self.turn.is_none_or(|wanted| wanted == turn);
        let (sum, count) = (self.light.sum, self.light.count);
        if light.sum == sum && fits(turn) && light.pieces == self.light.pieces {
            return true;
        }
        let mut turn = turn;
        for code in codes(cell) {
            light.play(code);
            turn = !turn;
            if light.sum == sum && fits(turn) && light.pieces == self.light.pieces {
                return true;
            }
            // Pieces never come back.
            if light.count < count {
                return false;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a line on both boards and compares them after every move.
    fn follow(fen: &str, moves: &[&str]) {
        let (mut board, _) = Board::from_fen(fen).expect("a position");
        let mut light = LightBoard::new(&board);
        for text in moves {
            let found = board.parse_uci(text.as_bytes()).expect("a move");
            let to = if found.is_castle() && !board.is_chess960() {
                found.king_target()
            } else {
                found.to()
            };
            let promotion = found.promotion().map_or(0, |role| role as u16);
            light.play(found.from() as u16 | (to as u16) << 6 | promotion << 12);
            board.play(found);
            assert_eq!(light, LightBoard::new(&board), "{text}");
        }
    }

    #[test]
    fn every_kind_of_move_leaves_the_pieces_of_the_rules() {
        let start = Board::standard().to_fen();
        follow(
            &start,
            &[
                "e2e4", "d7d5", "e4d5", "c7c5", "d5c6", "e7e5", "g1f3", "g8f6", "f1c4", "f8e7",
                "e1g1", "c8e6", "c6b7", "b8c6", "b7a8q", "e6c4", "a8d8", "e8d8",
            ],
        );
        follow(
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            &["e1c1", "e8g8", "d1d8"],
        );
        follow("2rkr3/8/8/8/8/8/8/2RKR3 w ECec - 0 1", &["d1e1", "d8c8"]);
    }

    #[test]
    fn nonsense_breaks_nothing() {
        let mut light = LightBoard::new(&Board::standard());
        let mut state = 1_u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            light.play((state >> 16) as u16);
            assert_eq!(
                light.pieces.iter().filter(|piece| **piece != 0).count(),
                usize::from(light.count)
            );
        }
    }
}
