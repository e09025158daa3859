//! Legality seen at once: games hold hardly anything but ordinary legal moves.

use super::tables::{PAWN_STEPS, between, empty_board};
use super::{Board, Move, PAWN};
use super::{back_rank, bit, color_index};

impl Board {
    /// Whether a move is legal and plain, as nearly all moves are. Castling, en passant and promotions are not plain. A
    /// false result does not say whether the move is legal.
    #[inline]
    pub(super) fn is_plainly_legal(&self, m: Move) -> bool {
        let (role, from, to) = (m.role_index(), m.start_index(), m.end_index());
        if !m.is_plain() {
            return false;
        }
        let (us, them) = (self.color_set(self.turn), self.color_set(!self.turn));
        let (start, end) = (bit(from), bit(to));
        let is_told_rightly = us & self.sets[role as usize & 7] & start != 0
            && us & end == 0
            && (them & end != 0) == m.is_capture();
        let free = || between(from, to) & (us | them) == 0;
        let reaches = if role != PAWN as u32 {
            empty_board(role as usize, from) & end != 0 && free()
        } else if m.is_capture() {
            // The step of a pawn to the last rank needs a promotion piece.
            let last = back_rank(!self.turn);
            empty_board(color_index(self.turn), from) & end & !last != 0
        } else {
            let color = self.turn.fold_wb(1, 0);
            let [one, two] = PAWN_STEPS[color][(to & 63) as usize];
            start == one || (start == two && free())
        };
        is_told_rightly && reaches && self.is_safe(m)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Role, Square};

    use super::*;

    #[test]
    fn what_is_plainly_legal_is_legal_and_all_of_it_is_seen() {
        let mut state = 5_u64;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut seen = 0;
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
            "8/8/3p4/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 1",
            "P6p/8/8/8/8/8/8/p6P w - - 0 1",
        ] {
            for _ in 0..4 {
                let (mut board, _) = Board::from_fen(fen).expect("a position");
                for _ in 0..40 {
                    let mut legal = Vec::new();
                    board.legal_moves(&mut legal);
                    for from in Square::ALL {
                        for to in Square::ALL {
                            for role in Role::ALL {
                                for capture in [false, true] {
                                    let m = Move::normal(role, from, to, capture, None);
                                    let expected = legal.contains(&m);
                                    assert_eq!(board.is_plainly_legal(m), expected, "{m:?}");
                                    seen += u32::from(expected);
                                }
                            }
                        }
                    }
                    for m in legal.iter().filter(|m| m.is_special()) {
                        assert!(!board.is_plainly_legal(*m));
                    }
                    if legal.is_empty() {
                        break;
                    }
                    board.play(legal.swap_remove(random(legal.len())));
                }
            }
        }
        assert!(seen > 5_000, "{seen}");
    }
}
