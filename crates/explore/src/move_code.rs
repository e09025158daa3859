//! A move in sixteen bits: enough to tell the moves of one position apart.

use shakmaty::{CastlingSide, Role, Square};
use tabiya_model::board::{Board, Move};
use tabiya_model::positions::MoveDelta;

/// A move of a known position, or the end of the game there.
///
/// From the lowest bit: from (6 bits), to (6), the promotion piece (3, 0 for none), castling (1). The null move is all
/// zeros.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveCode(pub u16);

const CASTLE: u16 = 1 << 15;

impl MoveCode {
    /// No move: the game, or the variation, ended here.
    pub const END: MoveCode = MoveCode(u16::MAX);

    /// The step of a move.
    #[inline]
    #[must_use]
    pub fn of(delta: MoveDelta) -> MoveCode {
        if delta.is_null() {
            return MoveCode(0);
        }
        let promotion = if delta.becomes() == delta.mover() {
            0
        } else {
            delta.becomes() & 7
        };
        MoveCode(
            u16::from(delta.from())
                | u16::from(delta.to()) << 6
                | u16::from(promotion) << 12
                | if delta.is_castle() { CASTLE } else { 0 },
        )
    }

    /// The move on a board; `None` for the end and for impossible moves.
    #[must_use]
    pub fn on(self, board: &Board) -> Option<Move> {
        if self == MoveCode::END {
            return None;
        }
        if self.0 == 0 {
            return Some(Move::NULL);
        }
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from(self.0 >> 6 & 63));
        let promotion = match self.0 >> 12 & 7 {
            0 => None,
            role => Some(*Role::ALL.get(usize::from(role).checked_sub(1)?)?),
        };
        if self.0 & CASTLE != 0 {
            let side = CastlingSide::from_king_side(u32::from(to) & 7 >= 6);
            let corner = if side == CastlingSide::KingSide { 7 } else { 0 };
            // A board that was set up without castling rights may lack the right; the rook is then assumed to be on its
            // usual square.
            return board.find_castle(side).or_else(|| {
                (from != to)
                    .then(|| Move::castle(from, Square::new(u32::from(from) & 0o70 | corner)))
            });
        }
        board.find_move(from, to, promotion).or_else(|| {
            let role = board.role_at(from)?;
            let is_passing = role == Role::Pawn
                && u32::from(from) & 7 != u32::from(to) & 7
                && board.piece_at(to).is_none();
            (from != to).then(|| {
                if is_passing {
                    Move::en_passant(from, to)
                } else {
                    Move::normal(role, from, to, board.piece_at(to).is_some(), promotion)
                }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_model::board::MoveList;

    #[test]
    fn steps_tell_all_moves_of_a_position_apart() {
        for fen in [
            "r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 1",
            "r3k2r/1P6/8/8/4P3/8/6p1/R3K2R b KQkq - 0 1",
            "2r1k3/8/8/8/8/8/8/1RK4R w BH - 0 1",
        ] {
            let (board, _) = Board::from_fen(fen).expect("valid");
            let mut moves = MoveList::new();
            board.legal_moves(&mut moves);
            let mut steps = Vec::new();
            for m in moves.iter() {
                let step = MoveCode::of(MoveDelta::of_move(&board, *m));
                assert_eq!(step.on(&board), Some(*m), "{fen}");
                steps.push(step);
            }
            let all = steps.len();
            steps.sort_unstable();
            steps.dedup();
            assert_eq!(steps.len(), all);
        }
        assert_eq!(
            MoveCode::of(MoveDelta::NULL).on(&Board::standard()),
            Some(Move::NULL)
        );
        assert_eq!(MoveCode::END.on(&Board::standard()), None);
    }
}
