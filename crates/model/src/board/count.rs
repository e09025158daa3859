//! How many legal moves there are, without making them.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};

use super::tables::{FILE_A, RANK_1, between, line};
use super::{BISHOP, Board, KING, KNIGHT, Move, PAWN, QUEEN, ROOK};
use super::{back_rank, bit, first, square};

/// Adds numbers until a limit is reached.
struct MoveCounter {
    count: u32,
    enough: u32,
}

impl MoveCounter {
    #[inline(always)]
    fn add(&mut self, count: u32) -> bool {
        self.count += count;
        self.count >= self.enough
    }
}

impl Board {
    /// The number of legal moves. Counting stops when there are `enough`, so the answer may be any number between
    /// `enough` and the real one.
    #[must_use]
    pub fn count_legal_moves(&self, enough: u32) -> u32 {
        if self.exposed {
            // The ordinary counting does not cover a king that must not be taken.
            let mut list = Vec::new();
            self.legal_moves(&mut list);
            return u32::try_from(list.len()).unwrap_or(u32::MAX);
        }
        let mut tally = MoveCounter { count: 0, enough };
        self.tally(&mut tally);
        tally.count
    }

    /// Whether the side to move has any legal move.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves(1) != 0
    }

    /// Counts moves, and returns whether the limit is reached. The other king is not attacked.
    fn tally(&self, tally: &mut MoveCounter) -> bool {
        let us = self.color_set(self.turn);
        let king = self.royal(self.turn);
        let checkers = self.checkers;
        // An attacked king can nearly always step aside.
        if checkers != 0 && self.tally_king(tally) {
            return true;
        }
        // The squares to which other pieces than the king may move.
        let goal = match checkers {
            0 => u64::MAX,
            one if one.is_power_of_two() => one | between(king, first(one)),
            _ => 0,
        };
        if goal != 0 {
            let pinned = self.pinned_to(king) & us;
            if self.tally_pawns(pinned, goal, tally) || self.tally_pieces(pinned, goal, tally) {
                return true;
            }
        }
        (checkers == 0 && self.tally_king(tally)) || self.tally_special(tally)
    }

    /// The pieces that are alone between a king and a slider of the other side.
    fn pinned_to(&self, king: u32) -> u64 {
        let occupied = self.occupied_set();
        let mut pinned = 0;
        let mut sliders = self.aligned;
        while sliders != 0 {
            let between = between(king, first(sliders)) & occupied;
            if between.is_power_of_two() {
                pinned |= between;
            }
            sliders &= sliders - 1;
        }
        pinned
    }

    fn tally_pieces(&self, pinned: u64, goal: u64, tally: &mut MoveCounter) -> bool {
        let us = self.color_set(self.turn);
        let occupied = self.occupied();
        let king = self.royal(self.turn);
        let goal = goal & !us;
        let queens = self.sets[QUEEN];
        // A pinned knight has no legal move.
        for from in Bitboard(self.sets[KNIGHT] & us & !pinned) {
            if tally.add((u64::from(knight_attacks(from)) & goal).count_ones()) {
                return true;
            }
        }
        let free = |from: Square| match pinned & bit(u32::from(from)) {
            0 => goal,
            _ => goal & line(king, u32::from(from)),
        };
        for from in Bitboard((self.sets[BISHOP] | queens) & us) {
            if tally.add((u64::from(bishop_attacks(from, occupied)) & free(from)).count_ones()) {
                return true;
            }
        }
        for from in Bitboard((self.sets[ROOK] | queens) & us) {
            if tally.add((u64::from(rook_attacks(from, occupied)) & free(from)).count_ones()) {
                return true;
            }
        }
        // Kings that are not royal move like other pieces.
        if king >= 64 {
            for from in Bitboard(self.sets[KING] & us) {
                if tally.add((u64::from(king_attacks(from)) & goal).count_ones()) {
                    return true;
                }
            }
        }
        false
    }

    fn tally_pawns(&self, pinned: u64, goal: u64, tally: &mut MoveCounter) -> bool {
        let pawns = self.sets[PAWN] & self.color_set(self.turn);
        if tally.add(self.pawn_moves(pawns & !pinned, goal)) {
            return true;
        }
        let king = self.royal(self.turn);
        Bitboard(pawns & pinned).into_iter().any(|from| {
            let from = u32::from(from);
            tally.add(self.pawn_moves(bit(from), goal & line(king, from)))
        })
    }

    /// The moves of pawns to these squares, en passant excepted.
    fn pawn_moves(&self, pawns: u64, goal: u64) -> u32 {
        let free = !self.occupied_set();
        let them = self.color_set(!self.turn);
        let (west, east) = (pawns & !FILE_A, pawns & !(FILE_A << 7));
        let (one, two, left, right) = match self.turn {
            Color::White => {
                let one = pawns << 8 & free;
                (one, (one & RANK_1 << 16) << 8, west << 7, east << 9)
            }
            Color::Black => {
                let one = pawns >> 8 & free;
                (one, (one & RANK_1 << 40) >> 8, west >> 9, east >> 7)
            }
        };
        let last = back_rank(!self.turn);
        let moves = |set: u64| {
            let set = set & goal;
            let promotions = match set & last {
                0 => 0,
                promotions => 3 * promotions.count_ones(),
            };
            set.count_ones() + promotions
        };
        moves(one) + moves(two & free) + moves(left & them) + moves(right & them)
    }

    /// The steps of the royal king.
    fn tally_king(&self, tally: &mut MoveCounter) -> bool {
        let king = self.royal(self.turn);
        if king >= 64 {
            return false;
        }
        let them = self.color_set(!self.turn);
        let without_king = self.occupied_set() & !bit(king);
        let targets = u64::from(king_attacks(square(king))) & !self.color_set(self.turn);
        Bitboard(targets).into_iter().any(|to| {
            let to = u32::from(to);
            let attackers = self.attackers(to, !self.turn, them & !bit(to), without_king);
            attackers == 0 && tally.add(1)
        })
    }

    /// Castling and en passant.
    fn tally_special(&self, tally: &mut MoveCounter) -> bool {
        if self.castling != 0 {
            for side in CastlingSide::ALL {
                if self.find_castle(side).is_some_and(|m| self.is_safe(m)) && tally.add(1) {
                    return true;
                }
            }
        }
        let Some(ep) = self.ep.filter(|ep| !self.occupied().contains(*ep)) else {
            return false;
        };
        let pawns = pawn_attacks(!self.turn, ep) & self.by_role(Role::Pawn) & self.us();
        pawns
            .into_iter()
            .any(|from| self.is_safe(Move::en_passant(from, ep)) && tally.add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_counted_as_are_listed() {
        let mut state = 7_u64;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut list = Vec::new();
        let mut seen = 0;
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
            "8/8/3p4/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 1",
            "4k3/8/8/8/1b6/2N5/8/4K2R w K - 0 1",
            "1rk1r3/pppppppp/8/8/8/8/PPPPPPPP/1RK1R3 w EBeb - 0 1",
            // Without kings, with two kings, and with pawns on impossible squares.
            "P6p/8/8/8/8/8/8/p6P w - - 0 1",
            "kk6/8/8/8/8/8/pppp4/KK5R w - - 0 1",
            "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            for game in 0..60 {
                let (mut board, _) = Board::from_fen(fen).expect("a position");
                for _ in 0..80 {
                    board.legal_moves(&mut list);
                    let count = u32::try_from(list.len()).expect("few");
                    assert_eq!(board.count_legal_moves(u32::MAX), count, "{board:?}");
                    assert_eq!(board.has_legal_move(), count != 0, "{board:?}");
                    let enough = board.count_legal_moves(9);
                    assert!(enough == count || (9..=count).contains(&enough));
                    seen += 1;
                    // Sometimes an illegal move, so that kings are left in check.
                    let mut all = list.clone();
                    if game % 3 == 0 && random(6) == 0 {
                        all.clear();
                        let _: std::ops::ControlFlow<()> = board.for_each_pseudo_legal(|m| {
                            all.push(m);
                            std::ops::ControlFlow::Continue(())
                        });
                    }
                    if all.is_empty() {
                        break;
                    }
                    board.play(all.swap_remove(random(all.len())));
                }
            }
        }
        assert!(seen > 20_000, "{seen}");
    }
}
