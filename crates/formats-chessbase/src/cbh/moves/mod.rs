//! Moves: each side's pieces have numbers within their kind, and a move is a code for a numbered piece and its way.
//!
//! [`CbhPieces`] keeps the numbers while a game is read. At most three queens, rooks, bishops and knights of a side have one;
//! the others move by naming both squares. [`decode`] turns the bytes of a record into a [`CbhMoveTree`], whose moves have the
//! numbers that annotations know them by; [`CbhMoveTree::walk`] goes through it in the order of a tape.

mod encoder;
mod pieces;
mod tree;

use shakmaty::{Color, Role, Square};
use tabiya_model::board::{Board, Move};

pub(crate) use self::encoder::{CbhMoveBytes, CbhMoveCode};
pub use self::pieces::CbhPieces;
use self::pieces::{BLACK, MEANINGS, code};
pub(crate) use self::tree::NO_MOVE;
pub use self::tree::{CbhMoveTree, CbhTreeStep};
use super::tables::{self, CbhPermutation};

/// Why bytes are not a move here.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CbhMoveError {
    /// A code names a piece that the side does not have.
    #[error("the side to move has no {} number {number}", role_name(*.role))]
    NoPiece {
        /// The kind of piece.
        role: Role,
        /// Its number, from 1.
        number: u8,
    },
    /// A pawn leaves the board.
    #[error("the pawn on {0} would leave the board")]
    OffBoard(Square),
    /// The way ends on a piece of the own side.
    #[error("a piece of the same side is on {0}")]
    OwnPiece(Square),
    /// There is nothing to castle with.
    #[error("king or rook are not on their castling squares")]
    NoCastling,
    /// No piece of the side to move is on the square of a move.
    #[error("no piece of the side to move is on {0}")]
    NobodyThere(Square),
    /// A move to its own square.
    #[error("the move goes from {0} to the same square")]
    Nowhere(Square),
    /// The second half of a move is missing.
    #[error("the record ends within a move")]
    Cut,
    /// More variations within each other than are allowed.
    #[error("more than {0} nested variations")]
    TooDeep(usize),
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// How the bytes of a record are read.
#[derive(Copy, Clone, Debug)]
pub struct CbhMoveEncoding {
    table: &'static CbhPermutation,
    /// Whether the move count is subtracted after the table, not before.
    late: bool,
    /// Whether every move is two bytes that name squares.
    plain: bool,
    /// Whether castling is that of Chess960.
    chess960: bool,
}

impl CbhMoveEncoding {
    /// The coder of a mode; `None` if its tables are not known.
    pub fn of(mode: u8) -> Option<CbhMoveEncoding> {
        let (table, late, plain, chess960) = match mode {
            0 => (&tables::COMPACT, false, false, false),
            4 => (&tables::COMPACT_LATE, true, false, false),
            5 => (&tables::PLAIN, true, true, false),
            10 => (&tables::CHESS960, true, false, true),
            _ => return None,
        };
        Some(CbhMoveEncoding {
            table,
            late,
            plain,
            chess960,
        })
    }

    /// Whether the moves are those of Chess960.
    pub fn is_chess960(self) -> bool {
        self.chess960
    }

    /// The code of a byte after so many moves.
    #[inline(always)]
    fn code(self, byte: u8, moves: u8) -> u8 {
        if self.late {
            self.table[usize::from(byte)].wrapping_sub(moves)
        } else {
            self.table[usize::from(byte.wrapping_sub(moves))]
        }
    }
}

/// A finding while moves are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CbhMoveFinding {
    /// A move that is against the rules.
    Illegal(Move),
    /// Castling for which the start position has no right.
    NoRight {
        /// The side that castles.
        color: Color,
        /// Whether to the king's side.
        short: bool,
    },
    /// An unknown code, which was skipped.
    UnknownCode(u8),
    /// A code that fills up.
    Filler,
    /// The record ends without the mark of its end.
    NoEnd,
    /// Something that is not a move: the rest cannot be read.
    Fault(CbhMoveError),
    /// So many bytes follow the end.
    After(usize),
}

/// The place of a finding.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhMovePlace {
    /// The byte within the moves.
    pub byte: usize,
    /// Plies before it on the way there.
    pub ply: u32,
}

/// The needed parts of the moves.
#[derive(Copy, Clone, Debug)]
pub struct CbhMoveOptions {
    /// How they are written.
    pub coder: CbhMoveEncoding,
    /// Whether variations are read too.
    pub variations: bool,
    /// The most variations within each other.
    pub depth: usize,
}

struct CbhDecoderFrame {
    pieces: CbhPieces,
    board: Board,
    now: u32,
    ply: u32,
}

/// Memory of [`decode`] that is used again.
#[derive(Default)]
pub struct CbhDecoderMemory {
    frames: Vec<CbhDecoderFrame>,
}

impl std::fmt::Debug for CbhDecoderMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// Reads the moves of a record into a tree; returns the number of bytes read. Legality is checked if `verify` has the
/// board at the start.
pub fn decode(
    bytes: &[u8],
    pieces: CbhPieces,
    verify: Option<&Board>,
    rules: CbhMoveOptions,
    memory: &mut CbhDecoderMemory,
    tree: &mut CbhMoveTree,
    report: &mut dyn FnMut(CbhMovePlace, CbhMoveFinding),
) -> usize {
    tree.clear();
    memory.frames.clear();
    match verify {
        Some(board) => {
            let board = board.clone();
            decode_from::<true>(bytes, pieces, board, rules, memory, tree, report)
        }
        None => decode_from::<false>(
            bytes,
            pieces,
            Board::standard(),
            rules,
            memory,
            tree,
            report,
        ),
    }
}

fn decode_from<const VERIFY: bool>(
    bytes: &[u8],
    pieces: CbhPieces,
    board: Board,
    rules: CbhMoveOptions,
    memory: &mut CbhDecoderMemory,
    tree: &mut CbhMoveTree,
    report: &mut dyn FnMut(CbhMovePlace, CbhMoveFinding),
) -> usize {
    CbhMoveDecoder::<VERIFY> {
        bytes,
        at: 0,
        count: 0,
        pieces,
        board,
        now: NO_MOVE,
        ply: 0,
        branched: false,
        rules,
        frames: &mut memory.frames,
        tree,
        report,
    }
    .run()
}

struct CbhMoveDecoder<'a, const VERIFY: bool> {
    bytes: &'a [u8],
    at: usize,
    /// Moves so far, of all lines, as far as a byte goes.
    count: u8,
    pieces: CbhPieces,
    board: Board,
    now: u32,
    ply: u32,
    branched: bool,
    rules: CbhMoveOptions,
    frames: &'a mut Vec<CbhDecoderFrame>,
    tree: &'a mut CbhMoveTree,
    report: &'a mut dyn FnMut(CbhMovePlace, CbhMoveFinding),
}

impl<const VERIFY: bool> CbhMoveDecoder<'_, VERIFY> {
    fn run(mut self) -> usize {
        let understood = if self.rules.coder.plain {
            self.plain()
        } else {
            self.compact()
        };
        self.tree.last = self.now;
        understood
    }

    #[cold]
    #[inline(never)]
    fn tell(&mut self, byte: usize, finding: CbhMoveFinding) {
        let ply = self.ply;
        (self.report)(CbhMovePlace { byte, ply }, finding);
    }

    #[inline(always)]
    fn compact(&mut self) -> usize {
        let coder = self.rules.coder;
        loop {
            let start = self.at;
            let Some(&byte) = self.bytes.get(start) else {
                self.tell(start, CbhMoveFinding::NoEnd);
                return start;
            };
            self.at += 1;
            let code = coder.code(byte, self.count);
            let meaning = MEANINGS[usize::from(code)];
            let played = if meaning != 0 {
                self.pieces.ordinary(meaning)
            } else {
                match code {
                    code::NULL => {
                        self.pieces.turn ^= BLACK;
                        Ok(Move::NULL)
                    }
                    code::CASTLE_SHORT | code::CASTLE_LONG => {
                        self.pieces.castle_by_code(code == code::CASTLE_SHORT)
                    }
                    code::SQUARES => self.squares(),
                    code::BRANCH => match self.branch() {
                        Ok(()) => continue,
                        Err(fault) => Err(fault),
                    },
                    code::END => {
                        if self.end_line() {
                            return self.finished();
                        }
                        continue;
                    }
                    code::FILLER => {
                        self.tell(start, CbhMoveFinding::Filler);
                        continue;
                    }
                    _ => {
                        self.tell(start, CbhMoveFinding::UnknownCode(code));
                        continue;
                    }
                }
            };
            match played {
                Ok(m) => self.add(start, m),
                Err(fault) => {
                    self.tell(start, CbhMoveFinding::Fault(fault));
                    return start;
                }
            }
        }
    }

    fn plain(&mut self) -> usize {
        if self.bytes.is_empty() {
            return 0;
        }
        loop {
            let start = self.at;
            if start >= self.bytes.len() {
                self.tell(start, CbhMoveFinding::NoEnd);
                return start;
            }
            let played = self.word().and_then(|word| {
                if word & 0x8000 != 0 {
                    self.branch()?;
                }
                let m = self.pieces.by_squares(word, self.rules.coder)?;
                Ok((m, word & 0x4000 != 0))
            });
            match played {
                Ok((m, ends)) => {
                    self.add(start, m);
                    if ends && self.end_line() {
                        return self.finished();
                    }
                }
                Err(fault) => {
                    self.tell(start, CbhMoveFinding::Fault(fault));
                    return start;
                }
            }
        }
    }

    fn word(&mut self) -> Result<u16, CbhMoveError> {
        let bytes = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.first_chunk());
        let [high, low] = *bytes.ok_or(CbhMoveError::Cut)?;
        self.at += 2;
        let code = |byte| self.rules.coder.code(byte, self.count);
        Ok(u16::from_be_bytes([code(high), code(low)]))
    }

    #[inline(never)]
    fn squares(&mut self) -> Result<Move, CbhMoveError> {
        let word = self.word()?;
        self.pieces.by_squares(word, self.rules.coder)
    }

    /// Another move than the next one follows later from here.
    #[inline(never)]
    fn branch(&mut self) -> Result<(), CbhMoveError> {
        if !self.rules.variations {
            return Ok(());
        }
        if self.frames.len() >= self.rules.depth {
            return Err(CbhMoveError::TooDeep(self.rules.depth));
        }
        if !self.branched {
            self.tree.branch(self.now);
            self.branched = true;
        }
        self.frames.push(CbhDecoderFrame {
            pieces: self.pieces.clone(),
            board: self.board.clone(),
            now: self.now,
            ply: self.ply,
        });
        Ok(())
    }

    /// A line ends; says whether it was the last one.
    fn end_line(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else {
            return true;
        };
        self.pieces = frame.pieces;
        self.board = frame.board;
        self.now = frame.now;
        self.ply = frame.ply;
        false
    }

    /// The record ends where it should.
    fn finished(&mut self) -> usize {
        let after = self.bytes.len().saturating_sub(self.at);
        if after > 0 && self.rules.variations {
            self.tell(self.at, CbhMoveFinding::After(after));
        }
        self.bytes.len()
    }

    #[inline(always)]
    fn add(&mut self, start: usize, m: Move) {
        if VERIFY {
            if self.board.is_legal(m) {
                self.board.play_legal(m);
            } else {
                self.illegal(start, m);
            }
        }
        self.now = self.tree.add(self.now, m, self.branched);
        self.count = self.count.wrapping_add(1);
        self.ply += 1;
    }

    #[inline(never)]
    fn illegal(&mut self, start: usize, m: Move) {
        // The null move is not among the legal ones, and nothing is wrong with it.
        if !m.is_null() {
            let color = self.board.turn();
            let finding = match m.castling_side() {
                Some(side) if self.board.castling_rook(color, side).is_none() => {
                    CbhMoveFinding::NoRight {
                        color,
                        short: side == shakmaty::CastlingSide::KingSide,
                    }
                }
                _ => CbhMoveFinding::Illegal(m),
            };
            self.tell(start, finding);
        }
        self.board.play(m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(mode: u8) -> CbhMoveOptions {
        CbhMoveOptions {
            coder: CbhMoveEncoding::of(mode).expect("a mode"),
            variations: true,
            depth: 100,
        }
    }

    fn read(bytes: &[u8], mode: u8) -> (Vec<String>, Vec<CbhMoveFinding>) {
        let board = Board::standard();
        let mut tree = CbhMoveTree::default();
        let mut findings = Vec::new();
        let mut tell = |_: CbhMovePlace, finding| findings.push(finding);
        decode(
            bytes,
            CbhPieces::of(&board, None),
            Some(&board),
            rules(mode),
            &mut CbhDecoderMemory::default(),
            &mut tree,
            &mut tell,
        );
        let mut text = Vec::new();
        tree.walk(|step| {
            text.push(match step {
                CbhTreeStep::Move(_, m) => format!("{}{}", m.from(), m.to()),
                CbhTreeStep::Begin => "(".to_owned(),
                CbhTreeStep::End => ")".to_owned(),
            });
        });
        (text, findings)
    }

    /// The byte of a code after so many moves.
    fn byte(code: u8, moves: u8) -> u8 {
        (0..=255)
            .find(|byte| tables::COMPACT[usize::from(u8::wrapping_sub(*byte, moves))] == code)
            .expect("every code has a byte")
    }

    #[test]
    fn a_short_game() {
        let bytes = [0xff, 0x00, 0xa4, 0xe0, 0x66, 0x0c, 0x60, 0x13];
        let (moves, findings) = read(&bytes, 0);
        assert_eq!(
            moves,
            ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"]
        );
        assert_eq!(findings, []);
    }

    #[test]
    fn variations_follow_the_moves_that_they_replace() {
        // e4 branch c5 end branch c6 end e5 end; pawns five, three and five of their sides.
        let mut bytes = Vec::new();
        for (code, moves) in [
            (128, 0),
            (254, 1),
            (120, 1),
            (255, 2),
            (254, 2),
            (119, 2),
            (255, 3),
            (128, 3),
            (112, 4),
            (255, 5),
        ] {
            bytes.push(byte(code, moves));
        }
        let (moves, findings) = read(&bytes, 0);
        let expected = "e2e4 c7c5 ( c7c6 ) ( e7e5 a2a4 )";
        assert_eq!(moves.join(" "), expected);
        assert_eq!(findings, []);
    }

    #[test]
    fn alternatives_to_the_first_move() {
        let mut bytes = Vec::new();
        for (code, moves) in [(254, 0), (128, 0), (255, 1), (124, 1), (128, 2), (255, 3)] {
            bytes.push(byte(code, moves));
        }
        let (moves, _) = read(&bytes, 0);
        assert_eq!(moves.join(" "), "e2e4 ( d2d4 e7e5 )");
    }

    #[test]
    fn what_is_no_move_ends_the_game() {
        let bytes = [byte(128, 0), byte(143, 1)];
        let (moves, findings) = read(&bytes, 0);
        assert_eq!(moves, ["e2e4"]);
        let fault = CbhMoveError::NoPiece {
            role: Role::Queen,
            number: 2,
        };
        assert_eq!(findings, [CbhMoveFinding::Fault(fault)]);
        let (moves, findings) = read(&[byte(128, 0)], 0);
        assert_eq!((moves.len(), findings), (1, vec![CbhMoveFinding::NoEnd]));
        let (_, findings) = read(&[byte(236, 0), byte(240, 0), byte(255, 0), 7], 0);
        assert_eq!(
            findings,
            [
                CbhMoveFinding::Filler,
                CbhMoveFinding::UnknownCode(240),
                CbhMoveFinding::After(1)
            ]
        );
    }
}
