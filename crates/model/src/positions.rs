//! Fast positions: the moves of games without text, legality checks or allocation.
//!
//! Searches and indexes go through millions of positions. A [`GameWalker`] returns the moves of a game as [`MoveDelta`]s, each
//! sufficient to update any kind of board without asking it: the moving piece, its squares, its promotion and the captured
//! piece. Moves come in runs, so that a search that has seen enough stops the decoding of a game early.

use shakmaty::{CastlingSide, Color, Piece, Role, Square};

use crate::board::{Board, Move};
use crate::database::{Database, GameNeeds};
use crate::error::Result;
use crate::game::Game;
use crate::tape::{Replay, TapeOp};

/// A step of a line in four bytes: a move, or the start or end of a variation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MoveDelta(u32);

const TO: u32 = 6;
const MOVER: u32 = 12;
const BECOMES: u32 = 16;
const CAPTURED: u32 = 20;
const CASTLE: u32 = 1 << 24;
const EN_PASSANT: u32 = 1 << 25;
const NULL: u32 = 1 << 26;
const BEGIN: u32 = 1 << 27;
const END: u32 = 1 << 28;

/// A piece as a number from 1 to 14: the role from 1 to 6, plus 8 for Black. 0 is an empty square.
#[inline]
pub fn piece_number(piece: Piece) -> u8 {
    piece.role as u8 | if piece.color == Color::Black { 8 } else { 0 }
}

/// The piece with a number.
#[inline]
pub fn piece_of_number(piece: u8) -> Option<Piece> {
    let role = Role::ALL
        .get(usize::from((piece & 7).checked_sub(1)?))
        .copied()?;
    let color = if piece & 8 == 0 {
        Color::White
    } else {
        Color::Black
    };
    Some(Piece { color, role })
}

impl MoveDelta {
    /// The start of a variation: the move before it is undone.
    pub const BEGIN: MoveDelta = MoveDelta(BEGIN);
    /// The end of a variation: the position after the replaced move is restored.
    pub const END: MoveDelta = MoveDelta(END);
    /// The null move.
    pub const NULL: MoveDelta = MoveDelta(NULL);

    /// A move that is neither castling nor en passant; pieces in the numbers of [`piece_number`].
    #[inline]
    pub const fn new(from: u8, to: u8, mover: u8, becomes: u8, captured: u8) -> MoveDelta {
        MoveDelta(
            (from & 63) as u32
                | ((to & 63) as u32) << TO
                | ((mover & 15) as u32) << MOVER
                | ((becomes & 15) as u32) << BECOMES
                | ((captured & 15) as u32) << CAPTURED,
        )
    }

    /// The same for a piece that is not promoted.
    #[inline]
    pub const fn plain(from: u8, to: u8, mover: u8, captured: u8) -> MoveDelta {
        // One multiplication copies the piece into both of its places.
        let mover = (mover & 15) as u32 * (1 << MOVER | 1 << BECOMES);
        MoveDelta(MoveDelta::new(from, to, 0, 0, captured).0 | mover)
    }

    /// Castling: the king's two squares and the file of the rook before it.
    #[inline]
    pub const fn castle(from: u8, to: u8, king: u8, rook_file: u8) -> MoveDelta {
        MoveDelta(MoveDelta::new(from, to, king, king, rook_file & 7).0 | CASTLE)
    }

    /// A capture en passant.
    #[inline]
    pub const fn en_passant(from: u8, to: u8, pawn: u8) -> MoveDelta {
        MoveDelta(MoveDelta::new(from, to, pawn, pawn, pawn ^ 8).0 | EN_PASSANT)
    }

    /// The delta of a move on a board.
    pub fn of_move(board: &Board, m: Move) -> MoveDelta {
        if m.is_null() {
            return MoveDelta::NULL;
        }
        let mover = piece_number(Piece {
            color: board.turn(),
            role: m.role(),
        });
        let (from, to) = (m.from() as u8, m.to() as u8);
        if m.is_castle() {
            return MoveDelta::castle(from, m.king_target() as u8, mover, to & 7);
        }
        if m.is_en_passant() {
            return MoveDelta::en_passant(from, to, mover);
        }
        let becomes = m.promotion().map_or(mover, |role| {
            piece_number(Piece {
                color: board.turn(),
                role,
            })
        });
        let captured = board.piece_at(m.to()).map_or(0, piece_number);
        MoveDelta::new(from, to, mover, becomes, captured)
    }

    /// The move of a delta: the argument of [`MoveDelta::of_move`]. The bracket of a variation gives the null move.
    #[inline]
    pub fn to_move(self) -> Move {
        let (from, to) = (u32::from(self.from()), u32::from(self.to()));
        let role = u32::from(self.mover() & 7);
        if self.0 & (NULL | BEGIN | END) != 0 || role % 7 == 0 {
            return Move::NULL;
        }
        let square = |index: u32| Square::new(index & 63);
        if let Some((rook, _)) = self.rook() {
            return Move::castle(square(from), square(u32::from(rook)));
        }
        if self.is_en_passant() {
            return Move::en_passant(square(from), square(to));
        }
        let becomes = u32::from(self.becomes() & 7);
        let promotion = if becomes == role { 0 } else { becomes };
        Move::raw(role, from, to, self.captured() != 0, promotion)
    }

    /// The square that the mover leaves, from 0 for a1 to 63 for h8.
    #[inline]
    pub const fn from(self) -> u8 {
        (self.0 & 63) as u8
    }

    /// The target square; that of the king, if it castles.
    #[inline]
    pub const fn to(self) -> u8 {
        (self.0 >> TO & 63) as u8
    }

    /// The piece that moves.
    #[inline]
    pub const fn mover(self) -> u8 {
        (self.0 >> MOVER & 15) as u8
    }

    /// The side that moves; `None` for the null move or the bracket of a variation.
    #[inline]
    pub fn color(self) -> Option<Color> {
        piece_of_number(self.mover()).map(|piece| piece.color)
    }

    /// The piece on the target square after the move.
    #[inline]
    pub const fn becomes(self) -> u8 {
        (self.0 >> BECOMES & 15) as u8
    }

    /// The piece that is captured; 0 if there is none.
    #[inline]
    pub const fn captured(self) -> u8 {
        if self.0 & CASTLE != 0 {
            0
        } else {
            (self.0 >> CAPTURED & 15) as u8
        }
    }

    /// The square of the captured piece, which differs from [`MoveDelta::to`] for en passant.
    #[inline]
    pub const fn captured_on(self) -> u8 {
        if self.0 & EN_PASSANT != 0 {
            (self.from() & 0o70) | (self.to() & 7)
        } else {
            self.to()
        }
    }

    /// The squares that the rook leaves and reaches, if the move castles.
    #[inline]
    pub const fn rook(self) -> Option<(u8, u8)> {
        if self.0 & CASTLE == 0 {
            return None;
        }
        let rank = self.from() & 0o70;
        let target = if self.to() & 7 == 6 { 5 } else { 3 };
        Some((rank | (self.0 >> CAPTURED & 7) as u8, rank | target))
    }

    /// The side of castling, if the move castles.
    #[inline]
    pub fn castling_side(self) -> Option<CastlingSide> {
        let side = CastlingSide::from_king_side(self.to() & 7 == 6);
        self.rook().map(|_| side)
    }

    /// Whether this is a move (including the null move) and not the bracket of a variation.
    #[inline]
    pub const fn is_move(self) -> bool {
        self.0 & (BEGIN | END) == 0
    }

    /// Whether this is the null move.
    #[inline]
    pub const fn is_null(self) -> bool {
        self.0 & NULL != 0
    }

    /// Whether the move castles.
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.0 & CASTLE != 0
    }

    /// Whether the move captures en passant.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 & EN_PASSANT != 0
    }
}

/// The start of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkStart {
    /// The normal starting position.
    Standard,
    /// Another position.
    Setup(Box<Board>),
    /// The game cannot be decoded. This is not "no match": it is counted and reported.
    Unreadable,
}

/// A database with fast positions.
pub trait PositionSource: Sync {
    /// A walker for one thread.
    fn walker(&self) -> Box<dyn GameWalker + '_>;

    /// A walker for a few scattered games, as listed by an index.
    fn visitor(&self) -> Box<dyn GameWalker + '_> {
        self.walker()
    }
}

/// Walks through games, one at a time.
pub trait GameWalker: Send {
    /// Goes to the start of a game by its number, from 1.
    fn open(&mut self, number: u64) -> Result<WalkStart>;

    /// Appends the next steps of the game, about `most` of them (a run may be a little longer), with or without
    /// variations; returns whether more may follow. A game that turns out to be damaged ends there, and
    /// [`GameWalker::is_damaged`] is true.
    fn steps(&mut self, variations: bool, most: usize, steps: &mut Vec<MoveDelta>) -> Result<bool>;

    /// Whether the game that was walked last ended in damage.
    fn is_damaged(&self) -> bool {
        false
    }
}

/// Games that an index lists for a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionGames {
    /// Their numbers, ascending.
    pub games: Vec<u64>,
    /// Whether all of them have the position. Otherwise some of them may be wrong; none is missing in either case.
    pub exact: bool,
}

/// An index of the positions of one database.
pub trait PositionLookup: Sync {
    /// The games in whose main line (or, if requested, in whose variations too) these pieces occur with this side to
    /// move, regardless of castling rights and en passant. `None` if the index cannot answer, because it is damaged.
    fn games(
        &self,
        pieces: &PiecePlacement,
        turn: Color,
        variations: bool,
    ) -> Option<PositionGames>;

    /// How many games the database has.
    fn game_count(&self) -> u64;

    /// The games that must be read in any case: those that could not be decoded, or not to their end, when the index was made,
    /// and those that have changed since, which are in no list. Ascending numbers.
    fn unsure(&self) -> &[u64];

    /// The damage found while answering, in words: the answers came from the games instead.
    fn damage(&self) -> Option<String> {
        None
    }
}

/// Positions of any database, from its tapes.
pub struct TapePositions<'d>(pub &'d dyn Database);

impl<'d> TapePositions<'d> {
    /// A walker that lives as long as the database.
    #[must_use]
    pub fn walk(&self) -> Box<dyn GameWalker + 'd> {
        Box::new(TapeWalker {
            database: self.0,
            game: Game::default(),
            at: 0,
            replay: Replay::new(&Board::standard()),
        })
    }
}

impl PositionSource for TapePositions<'_> {
    fn walker(&self) -> Box<dyn GameWalker + '_> {
        self.walk()
    }
}

struct TapeWalker<'d> {
    database: &'d dyn Database,
    game: Game,
    at: usize,
    replay: Replay,
}

impl GameWalker for TapeWalker<'_> {
    fn open(&mut self, number: u64) -> Result<WalkStart> {
        let want = GameNeeds {
            annotations: false,
            ..GameNeeds::ALL
        };
        self.database.read(number, want, &mut self.game)?;
        self.at = 0;
        let start = self.game.start_board();
        self.replay.reset(&start);
        Ok(match self.game.start {
            crate::game::StartingPosition::Standard => WalkStart::Standard,
            crate::game::StartingPosition::Setup(..) => WalkStart::Setup(Box::new(start)),
        })
    }

    fn steps(&mut self, variations: bool, most: usize, steps: &mut Vec<MoveDelta>) -> Result<bool> {
        let enough = steps.len().saturating_add(most);
        while steps.len() < enough {
            let Some(op) = self.game.tape.get(self.at) else {
                return Ok(false);
            };
            match op {
                TapeOp::Begin(_) if !variations => {
                    self.at = self.game.tape.skip(self.at);
                    continue;
                }
                TapeOp::Move(m) => steps.push(MoveDelta::of_move(self.replay.now(), m)),
                TapeOp::Begin(_) => steps.push(MoveDelta::BEGIN),
                TapeOp::End => steps.push(MoveDelta::END),
                _ => {}
            }
            self.replay.follow(op);
            self.at += 1;
        }
        Ok(true)
    }

    fn is_damaged(&self) -> bool {
        self.game
            .diagnostics
            .at_least(crate::diagnostic::Severity::Damage)
            > 0
    }
}

/// The pieces on their squares, in the numbers of [`piece_number`]: the simplest board that deltas can update.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PiecePlacement(pub [u8; 64]);

impl PiecePlacement {
    /// The pieces of the normal starting position.
    pub const STANDARD: PiecePlacement = {
        let mut pieces = [0; 64];
        let back = [4, 2, 3, 5, 6, 3, 2, 4];
        let mut file = 0;
        while file < 8 {
            pieces[file] = back[file];
            pieces[8 + file] = 1;
            pieces[48 + file] = 9;
            pieces[56 + file] = 8 + back[file];
            file += 1;
        }
        PiecePlacement(pieces)
    };

    /// The pieces of a board.
    pub fn of(board: &Board) -> PiecePlacement {
        let mut pieces = [0; 64];
        for (square, slot) in Square::ALL.iter().zip(pieces.iter_mut()) {
            *slot = board.piece_at(*square).map_or(0, piece_number);
        }
        PiecePlacement(pieces)
    }

    /// Plays a move.
    #[inline]
    pub fn play(&mut self, delta: MoveDelta) {
        if delta.0 & (CASTLE | EN_PASSANT | NULL | BEGIN | END) != 0 {
            return self.play_special(delta);
        }
        // A captured piece is on the target square of the mover. Squares have six bits, so the masks change nothing; they
        // only let the compiler omit the checks.
        self.0[usize::from(delta.from() & 63)] = 0;
        self.0[usize::from(delta.to() & 63)] = delta.becomes();
    }

    #[inline(never)]
    fn play_special(&mut self, delta: MoveDelta) {
        if delta.is_null() || !delta.is_move() {
            return;
        }
        let mut put = |square: u8, piece: u8| self.0[usize::from(square & 63)] = piece;
        if delta.captured() != 0 {
            put(delta.captured_on(), 0);
        }
        put(delta.from(), 0);
        if let Some((from, _)) = delta.rook() {
            put(from, 0);
        }
        put(delta.to(), delta.becomes());
        if let Some((_, to)) = delta.rook() {
            put(to, (delta.mover() & 8) | Role::Rook as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(fen: &str, moves: &[&str]) {
        let (mut board, _) = Board::from_fen(fen).expect("valid");
        let mut pieces = PiecePlacement::of(&board);
        for uci in moves {
            let m = board.parse_uci(uci.as_bytes()).expect("legal");
            let delta = MoveDelta::of_move(&board, m);
            assert_eq!(delta.to_move(), m, "{uci}");
            pieces.play(delta);
            board.play(m);
            assert_eq!(pieces, PiecePlacement::of(&board), "{uci}");
        }
    }

    #[test]
    fn deltas_update_a_board_by_themselves() {
        walk(
            "r3k2r/1P6/8/3p4/4P3/8/6p1/R3K2R w KQkq - 0 1",
            &["e1g1", "e8c8", "b7b8q", "c8d7", "e4d5", "g2f1n"],
        );
        walk(
            "4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1",
            &["c7c5", "d5c6", "e8d8"],
        );
        // In Chess960 the king may stay on its square, or reach the square of its rook.
        walk("4k3/8/8/8/8/8/8/6KR w H - 0 1", &["g1h1"]);
        walk("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", &["c1b1"]);
    }

    #[test]
    fn a_normal_start_is_that_of_the_board() {
        assert_eq!(
            PiecePlacement::STANDARD,
            PiecePlacement::of(&Board::standard())
        );
    }

    #[test]
    fn numbers_and_pieces_go_both_ways() {
        for number in 0..16 {
            match piece_of_number(number) {
                Some(piece) => assert_eq!(piece_number(piece), number),
                None => assert!([0, 7, 8, 15].contains(&number)),
            }
        }
    }
}
