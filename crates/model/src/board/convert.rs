//! To and from shakmaty's own types.

use std::num::NonZeroU32;

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, PositionError, Role, Setup,
};

use super::fen::MAX_COUNTER;
use super::{Board, Move, PositionProblems};

impl Board {
    /// Takes over pieces, side to move, castling rights and counters. Any arrangement of pieces is accepted; an
    /// impossible castling right or en passant square is dropped and reported.
    #[must_use]
    pub fn from_setup(setup: &Setup) -> (Board, PositionProblems) {
        let mut board = Board::empty();
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                for square in setup.board.by_piece(piece) {
                    board.set_piece(u32::from(square), Some(piece));
                }
            }
        }
        board.turn = setup.turn;
        board.halfmoves = setup.halfmoves.min(MAX_COUNTER);
        board.fullmoves = setup.fullmoves.get().min(MAX_COUNTER);
        let problems = board.complete(setup.castling_rights.into(), setup.ep_square);
        (board, problems)
    }

    /// Pieces, turn, rights and counters; the en passant square is given as stored.
    #[must_use]
    pub fn to_setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                setup.board.set_piece_at(square, piece);
            }
        }
        setup.turn = self.turn;
        setup.castling_rights = self.castling_rooks();
        setup.ep_square = self.ep;
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = NonZeroU32::new(self.fullmoves).unwrap_or(NonZeroU32::MIN);
        setup
    }
}

impl From<&Chess> for Board {
    fn from(position: &Chess) -> Board {
        Board::from_setup(&position.to_setup(EnPassantMode::Always)).0
    }
}

impl TryFrom<&Board> for Chess {
    type Error = PositionError<Chess>;

    /// Refuses positions that the rules of chess do not allow; Chess960 castling is accepted.
    fn try_from(board: &Board) -> Result<Chess, PositionError<Chess>> {
        Chess::from_setup(
            board.to_setup(),
            CastlingMode::from_chess960(board.is_chess960()),
        )
    }
}

impl Move {
    /// Takes over a move; drops have no counterpart.
    #[must_use]
    pub fn from_shakmaty(m: shakmaty::Move) -> Option<Move> {
        match m {
            shakmaty::Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => Some(Move::normal(role, from, to, capture.is_some(), promotion)),
            shakmaty::Move::EnPassant { from, to } => Some(Move::en_passant(from, to)),
            shakmaty::Move::Castle { king, rook } => Some(Move::castle(king, rook)),
            shakmaty::Move::Put { .. } => None,
        }
    }

    /// The same move for shakmaty, which needs the captured piece on `board`; `None` for the null move.
    #[must_use]
    pub fn to_shakmaty(self, board: &Board) -> Option<shakmaty::Move> {
        if self.is_null() {
            return None;
        }
        let (from, to) = (self.from(), self.to());
        Some(if self.is_castle() {
            shakmaty::Move::Castle {
                king: from,
                rook: to,
            }
        } else if self.is_en_passant() {
            shakmaty::Move::EnPassant { from, to }
        } else {
            shakmaty::Move::Normal {
                role: self.role(),
                from,
                capture: board.role_at(to),
                to,
                promotion: self.promotion(),
            }
        })
    }
}
