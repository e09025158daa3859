//! Moves: words that name a move in full; the main line comes first, then the latest alternative.
//!
//! A word has a meaning without a board. Whether its piece is there is still checked, because a word without its piece
//! is damage.

use shakmaty::{CastlingSide, Color, File, Rank, Role, Square};
use tabiya_model::board::{Board, Move};
use tabiya_model::positions::PiecePlacement;

use super::move_words::{self, Cbh2MoveWord};
use crate::cbh::moves::{CbhMoveTree, NO_MOVE};

/// So many alternatives may be open at once.
pub(super) const MOST_OPEN: usize = 1_024;
/// So many moves may a game have.
pub(super) const MOST_MOVES: usize = 1 << 20;

/// Why a word is not a move here.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Cbh2MoveError {
    /// A word without a meaning among moves.
    #[error("the word {0:04x} is not a move")]
    Word(u16),
    /// The piece is not there, or it is not its turn.
    #[error("the word {word:04x} moves a piece that is not on {square}")]
    Piece {
        /// The word.
        word: u16,
        /// Where the piece would be.
        square: Square,
    },
    /// Something else is taken than the word says.
    #[error("the word {word:04x} captures a piece that is not on {square}")]
    Capture {
        /// The word.
        word: u16,
        /// Where it would be.
        square: Square,
    },
    /// King or rook are not on their castling squares.
    #[error("king or rook are not on their castling squares")]
    Castling,
    /// An alternative is announced without a move to replace.
    #[error("an alternative is announced before any move")]
    Branch,
    /// Half a word.
    #[error("the moves end within a word")]
    Half,
    /// More open alternatives than are allowed.
    #[error("more than {0} alternatives are open")]
    TooDeep(usize),
    /// More moves than are allowed.
    #[error("the game has more than {MOST_MOVES} moves")]
    TooLong,
}

/// A finding while moves are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cbh2MoveFinding {
    /// A move that is against the rules.
    Illegal(Move),
    /// Castling for which the start position has no right.
    NoRight {
        /// The side that castles.
        color: Color,
        /// To which side.
        side: CastlingSide,
    },
    /// The words end without the mark of an end.
    NoEnd,
    /// Something that is not a move: the rest cannot be read.
    Fault(Cbh2MoveError),
    /// So many bytes follow the end.
    After(usize),
}

/// The place of a finding.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2MovePlace {
    /// The byte within the moves.
    pub byte: usize,
    /// Plies before it on the way there.
    pub ply: u32,
}

/// The pieces of a position, and those that could castle at the start of its game.
#[derive(Clone, Debug)]
pub struct Cbh2StartPieces {
    pieces: PiecePlacement,
    is_black: bool,
    /// The squares of king and rook: White's queen's side, king's side, then Black's.
    castles: [Option<[Square; 2]>; 4],
}

/// The place of a castling in a list of four.
fn castle_place(color: Color, side: CastlingSide) -> usize {
    usize::from(color.is_black()) * 2 + usize::from(side == CastlingSide::KingSide)
}

/// All castlings.
pub(super) const CASTLES: [(Color, CastlingSide); 4] = [
    (Color::White, CastlingSide::QueenSide),
    (Color::White, CastlingSide::KingSide),
    (Color::Black, CastlingSide::QueenSide),
    (Color::Black, CastlingSide::KingSide),
];

/// The squares of king and rook with which a side could castle from a position: in chess those of the normal start, in
/// Chess960 the outermost rook of the wing.
pub(super) fn castle_squares(
    board: &Board,
    color: Color,
    side: CastlingSide,
    is_chess960: bool,
) -> Option<[Square; 2]> {
    let back = color.fold_wb(Rank::First, Rank::Eighth);
    let king = board.king_of(color).filter(|king| king.rank() == back)?;
    let is_rook = |square: &Square| board.piece_at(*square) == Some(color.rook());
    if !is_chess960 {
        let file = if side.is_king_side() {
            File::H
        } else {
            File::A
        };
        let rook = Square::from_coords(file, back);
        return (king.file() == File::E && is_rook(&rook)).then_some([king, rook]);
    }
    let mut squares = File::ALL.map(|file| Square::from_coords(file, back));
    if side.is_king_side() {
        squares.reverse();
    }
    let mut outer = squares.into_iter().take_while(|square| *square != king);
    outer.find(is_rook).map(|rook| [king, rook])
}

impl Cbh2StartPieces {
    /// The pieces of a position.
    pub fn of(board: &Board, is_chess960: bool) -> Cbh2StartPieces {
        Cbh2StartPieces {
            pieces: PiecePlacement::of(board),
            is_black: board.turn().is_black(),
            castles: CASTLES.map(|(color, side)| castle_squares(board, color, side, is_chess960)),
        }
    }

    /// Plays a move and gives its number; nothing, with the pieces as they were, where a reader would take every number for
    /// another move.
    pub(super) fn encode(&mut self, m: Move, start: Option<u16>) -> Option<u16> {
        let number = self.number_of(m, start)?;
        if self.understand(number) != Ok(m) {
            return None;
        }
        self.place(m);
        Some(number)
    }

    fn number_of(&self, m: Move, start: Option<u16>) -> Option<u16> {
        if m.is_null() {
            return Some(move_words::NULL);
        }
        let color = Color::from_white(!self.is_black);
        let [from, to] = [m.from(), m.to()].map(|square| u32::from(square).to_le_bytes()[0]);
        let word = if let Some(side) = m.castling_side() {
            let short = side == CastlingSide::KingSide;
            Cbh2MoveWord::Castle { color, short }
        } else if m.is_en_passant() {
            Cbh2MoveWord::EnPassant { color, from, to }
        } else {
            let taken = usize::from(self.on(to) & 7).checked_sub(1);
            Cbh2MoveWord::Normal {
                color,
                role: m.role(),
                from,
                to,
                captured: taken.and_then(|taken| Role::ALL.get(taken).copied()),
                promotion: m.promotion(),
            }
        };
        move_words::number(&word, start)
    }

    /// Whether it is Black's turn.
    pub(super) fn is_black_to_move(&self) -> bool {
        self.is_black
    }

    /// How much of every kind a side has, as headers note it.
    pub(super) fn material(&self, color: Color) -> u32 {
        let count = |role: Role, most: usize| {
            let code = piece_code(color, role);
            let all = self.pieces.0.iter().filter(|piece| **piece == code);
            u32::try_from(all.count().min(most)).unwrap_or(0)
        };
        count(Role::Rook, 7)
            | count(Role::Bishop, 7) << 3
            | count(Role::Knight, 7) << 6
            | count(Role::Queen, 7) << 9
            | count(Role::Pawn, 15) << 12
    }

    /// The code of what is on a square.
    #[inline(always)]
    fn on(&self, square: u8) -> u8 {
        self.pieces.0[usize::from(square & 63)]
    }

    /// The move of a word, if its pieces are where it needs them.
    #[inline(always)]
    fn understand(&self, word: u16) -> Result<Move, Cbh2MoveError> {
        match move_words::meaning(word) {
            Some(Cbh2MoveWord::Normal {
                color,
                role,
                from,
                to,
                captured,
                promotion,
            }) => {
                if color.is_black() != self.is_black || self.on(from) != piece_code(color, role) {
                    let square = square(from);
                    return Err(Cbh2MoveError::Piece { word, square });
                }
                let taken = captured.map_or(0, |role| piece_code(!color, role));
                if self.on(to) != taken {
                    let square = square(to);
                    return Err(Cbh2MoveError::Capture { word, square });
                }
                let (from, to) = (square(from), square(to));
                Ok(Move::normal(role, from, to, captured.is_some(), promotion))
            }
            Some(Cbh2MoveWord::EnPassant { color, from, to }) => {
                if color.is_black() != self.is_black
                    || self.on(from) != piece_code(color, Role::Pawn)
                {
                    let square = square(from);
                    return Err(Cbh2MoveError::Piece { word, square });
                }
                let passed = from & 56 | to & 7;
                if self.on(to) != 0 || self.on(passed) != piece_code(!color, Role::Pawn) {
                    let square = square(passed);
                    return Err(Cbh2MoveError::Capture { word, square });
                }
                Ok(Move::en_passant(square(from), square(to)))
            }
            Some(Cbh2MoveWord::Castle { color, short }) => self.castle(color, short),
            None if word == move_words::NULL => Ok(Move::NULL),
            None if word == move_words::BRANCH => Err(Cbh2MoveError::Branch),
            None => Err(Cbh2MoveError::Word(word)),
        }
    }

    #[inline(never)]
    fn castle(&self, color: Color, short: bool) -> Result<Move, Cbh2MoveError> {
        let side = CastlingSide::from_king_side(short);
        let squares = self.castles.get(castle_place(color, side)).copied();
        let [king, rook] = squares.flatten().ok_or(Cbh2MoveError::Castling)?;
        let number = |square: Square| u32::from(square).to_le_bytes()[0];
        let m = Move::castle(king, rook);
        let is_there = color.is_black() == self.is_black
            && self.on(number(king)) == piece_code(color, Role::King)
            && self.on(number(rook)) == piece_code(color, Role::Rook);
        let is_free = [m.king_target(), m.rook_target()]
            .into_iter()
            .all(|to| to == king || to == rook || self.on(number(to)) == 0);
        match is_there && is_free {
            true => Ok(m),
            false => Err(Cbh2MoveError::Castling),
        }
    }

    /// Moves the pieces.
    #[inline(always)]
    fn place(&mut self, m: Move) {
        self.is_black = !self.is_black;
        let number = |square: Square| (u32::from(square) & 63) as usize;
        let put = &mut self.pieces.0;
        if m.is_castle() {
            let (king, rook) = (put[number(m.from())], put[number(m.to())]);
            put[number(m.from())] = 0;
            put[number(m.to())] = 0;
            put[number(m.king_target())] = king;
            put[number(m.rook_target())] = rook;
            return;
        }
        if m.is_null() {
            return;
        }
        let (from, to) = (number(m.from()), number(m.to()));
        let mover = std::mem::take(&mut put[from]);
        put[to] = m.promotion().map_or(mover, |role| role as u8 | mover & 8);
        if m.is_en_passant() {
            put[from & 56 | to & 7] = 0;
        }
    }
}

/// A line to which reading comes back.
struct Cbh2OpenLine {
    position: Cbh2StartPieces,
    board: Board,
    now: u32,
    ply: u32,
}

/// Memory of [`decode`] that is used again.
#[derive(Default)]
pub struct Cbh2MoveMemory {
    open: Vec<Cbh2OpenLine>,
}

impl std::fmt::Debug for Cbh2MoveMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cbh2MoveMemory").finish_non_exhaustive()
    }
}

/// Reads words into a tree; returns the number of bytes read. Legality is checked if `verify` has the board at the start.
/// Without `variations`, reading ends with the main line.
pub fn decode(
    bytes: &[u8],
    start: &Cbh2StartPieces,
    verify: Option<&Board>,
    variations: bool,
    memory: &mut Cbh2MoveMemory,
    tree: &mut CbhMoveTree,
    report: &mut dyn FnMut(Cbh2MovePlace, Cbh2MoveFinding),
) -> usize {
    tree.clear();
    memory.open.clear();
    match verify {
        Some(board) => {
            Cbh2MoveDecoder::<true>::new(bytes, start, board, variations, memory, tree, report)
                .run()
        }
        None => Cbh2MoveDecoder::<false>::new(
            bytes,
            start,
            &Board::standard(),
            variations,
            memory,
            tree,
            report,
        )
        .run(),
    }
}

struct Cbh2MoveDecoder<'a, const VERIFY: bool> {
    bytes: &'a [u8],
    at: usize,
    position: Cbh2StartPieces,
    board: Board,
    now: u32,
    ply: u32,
    has_branched: bool,
    variations: bool,
    /// Alternatives that are not read.
    unread: usize,
    open: &'a mut Vec<Cbh2OpenLine>,
    tree: &'a mut CbhMoveTree,
    report: &'a mut dyn FnMut(Cbh2MovePlace, Cbh2MoveFinding),
}

/// The code of a piece as [`PiecePlacement`] has it.
#[inline(always)]
fn piece_code(color: Color, role: Role) -> u8 {
    role as u8 | if color.is_black() { 8 } else { 0 }
}

#[inline(always)]
fn square(number: u8) -> Square {
    Square::new(u32::from(number & 63))
}

impl<'a, const VERIFY: bool> Cbh2MoveDecoder<'a, VERIFY> {
    fn new(
        bytes: &'a [u8],
        start: &Cbh2StartPieces,
        board: &Board,
        variations: bool,
        memory: &'a mut Cbh2MoveMemory,
        tree: &'a mut CbhMoveTree,
        report: &'a mut dyn FnMut(Cbh2MovePlace, Cbh2MoveFinding),
    ) -> Cbh2MoveDecoder<'a, VERIFY> {
        Cbh2MoveDecoder {
            bytes,
            at: 0,
            position: start.clone(),
            board: board.clone(),
            now: NO_MOVE,
            ply: 0,
            has_branched: false,
            variations,
            unread: 0,
            open: &mut memory.open,
            tree,
            report,
        }
    }

    fn run(mut self) -> usize {
        let understood = self.words();
        self.tree.last = self.now;
        understood
    }

    #[cold]
    #[inline(never)]
    fn tell(&mut self, byte: usize, finding: Cbh2MoveFinding) {
        let ply = self.ply;
        (self.report)(Cbh2MovePlace { byte, ply }, finding);
    }

    /// The word at a place.
    #[inline(always)]
    fn peek(&self, at: usize) -> Option<u16> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    fn words(&mut self) -> usize {
        loop {
            let start = self.at;
            let Some(word) = self.peek(start) else {
                let finding = match self.bytes.len().saturating_sub(start) {
                    0 => Cbh2MoveFinding::NoEnd,
                    _ => Cbh2MoveFinding::Fault(Cbh2MoveError::Half),
                };
                self.tell(start, finding);
                return start;
            };
            self.at += 2;
            if word == move_words::END {
                match self.open.pop() {
                    Some(line) => {
                        self.position = line.position;
                        (self.board, self.now, self.ply) = (line.board, line.now, line.ply);
                    }
                    None => return self.finish(),
                }
                continue;
            }
            let played = self.position.understand(word).and_then(|m| {
                let branches = self.peek(self.at) == Some(move_words::BRANCH);
                if branches {
                    self.branch()?;
                }
                match self.tree.len() < MOST_MOVES {
                    true => Ok((m, branches)),
                    false => Err(Cbh2MoveError::TooLong),
                }
            });
            match played {
                Ok((m, branches)) => self.play(start, m, branches && self.variations),
                Err(fault) => {
                    self.tell(start, Cbh2MoveFinding::Fault(fault));
                    return start;
                }
            }
        }
    }

    /// The words end where they should.
    fn finish(&mut self) -> usize {
        let after = self.bytes.len().saturating_sub(self.at);
        if after > 0 && self.variations {
            self.tell(self.at, Cbh2MoveFinding::After(after));
        }
        self.bytes.len()
    }

    /// Another move than the one that was just read follows later from here.
    #[inline(never)]
    fn branch(&mut self) -> Result<(), Cbh2MoveError> {
        self.at += 2;
        // In the main line alone nothing is closed, and its bound is the same.
        if self.open.len().max(self.unread) >= MOST_OPEN {
            return Err(Cbh2MoveError::TooDeep(MOST_OPEN));
        }
        if !self.variations {
            self.unread += 1;
            return Ok(());
        }
        self.open.push(Cbh2OpenLine {
            position: self.position.clone(),
            board: self.board.clone(),
            now: self.now,
            ply: self.ply,
        });
        Ok(())
    }

    #[inline(always)]
    fn play(&mut self, start: usize, m: Move, branches: bool) {
        if VERIFY {
            if self.board.is_legal(m) {
                self.board.play_legal(m);
            } else {
                self.illegal(start, m);
            }
        }
        self.position.place(m);
        self.now = self.tree.add(self.now, m, self.has_branched);
        self.ply += 1;
        if branches && !self.has_branched {
            // All that was read so far is one line.
            self.tree.branch(self.now);
            self.has_branched = true;
        }
    }

    #[inline(never)]
    fn illegal(&mut self, start: usize, m: Move) {
        // The null move is not among the legal ones, and nothing is wrong with it.
        if !m.is_null() {
            let color = self.board.turn();
            let finding = match m.castling_side() {
                Some(side) if self.board.castling_rook(color, side).is_none() => {
                    Cbh2MoveFinding::NoRight { color, side }
                }
                _ => Cbh2MoveFinding::Illegal(m),
            };
            self.tell(start, finding);
        }
        self.board.play(m);
    }
}

#[cfg(test)]
mod tests {
    use super::move_words::END;
    use super::*;
    use crate::cbh::moves::CbhTreeStep;

    const E4: u16 = 0xad3f;
    const E5: u16 = 0xb02d;
    const NF3: u16 = 0x325f;

    fn read(words: &[u16], variations: bool) -> (String, usize, Vec<Cbh2MoveFinding>) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let board = Board::standard();
        let mut tree = CbhMoveTree::default();
        let mut findings = Vec::new();
        let understood = decode(
            &bytes,
            &Cbh2StartPieces::of(&board, false),
            Some(&board),
            variations,
            &mut Cbh2MoveMemory::default(),
            &mut tree,
            &mut |_, finding| findings.push(finding),
        );
        let mut text = Vec::new();
        tree.walk(|step| {
            text.push(match step {
                CbhTreeStep::Move(_, m) if m.is_null() => "--".to_owned(),
                CbhTreeStep::Move(_, m) => format!("{}{}", m.from(), m.to()),
                CbhTreeStep::Begin => "(".to_owned(),
                CbhTreeStep::End => ")".to_owned(),
            });
        });
        (text.join(" "), understood, findings)
    }

    #[test]
    fn alternatives_stand_behind_the_line() {
        let words = [
            E4, E5, 0xfffd, NF3, END, 0xfffa, 0xfffd, NF3, END, 0xfffa, END,
        ];
        let all = read(&words, true);
        let expected = "e2e4 e7e5 ( -- g1f3 ) ( -- ) g1f3";
        assert_eq!(all, (expected.to_owned(), 22, Vec::new()));
        // After the end of a line it is Black's turn again.
        let words = [E4, E5, 0xfffd, NF3, END, NF3, END];
        let (text, understood, findings) = read(&words, true);
        assert_eq!((text.as_str(), understood), ("e2e4 e7e5 g1f3", 10));
        assert!(matches!(
            findings[..],
            [Cbh2MoveFinding::Fault(Cbh2MoveError::Piece { .. })]
        ));
    }

    #[test]
    fn without_variations_reading_ends_with_the_main_line() {
        let words = [E4, E5, 0xfffd, NF3, END, 0xfffa, END];
        let all = read(&words, true);
        assert_eq!(all, ("e2e4 e7e5 ( -- ) g1f3".to_owned(), 14, Vec::new()));
        let main = read(&words, false);
        assert_eq!(main, ("e2e4 e7e5 g1f3".to_owned(), 14, Vec::new()));
    }

    #[test]
    fn damage_ends_the_moves() {
        let fault = |words: &[u16]| read(words, true);
        let (text, understood, findings) = fault(&[E4, 0x0001, END]);
        assert_eq!((text.as_str(), understood), ("e2e4", 2));
        assert!(matches!(
            findings[..],
            [Cbh2MoveFinding::Fault(Cbh2MoveError::Piece { word: 1, .. })]
        ));
        let (_, _, findings) = fault(&[0xfffd, END]);
        assert_eq!(findings, [Cbh2MoveFinding::Fault(Cbh2MoveError::Branch)]);
        let (_, _, findings) = fault(&[E4, 0xfffd, 0xfffd, END]);
        assert_eq!(findings, [Cbh2MoveFinding::Fault(Cbh2MoveError::Branch)]);
        let (_, understood, findings) = fault(&[E4]);
        assert_eq!(
            (understood, &findings[..]),
            (2, &[Cbh2MoveFinding::NoEnd][..])
        );
        let (_, understood, findings) = fault(&[E4, END, E5]);
        assert_eq!(
            (understood, &findings[..]),
            (6, &[Cbh2MoveFinding::After(2)][..])
        );
    }
}
