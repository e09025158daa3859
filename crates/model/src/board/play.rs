//! Playing moves.

use shakmaty::{Color, Square};

use super::tables::{between, empty_board, line};
use super::{Board, KING, Move, PAWN};
use super::{back_rank, bit, color_index, first, square};

/// For each colour and role, the sets to which a piece belongs.
static PLACE: [[[u64; 8]; 8]; 2] = {
    let mut table = [[[0; 8]; 8]; 2];
    let mut role = 0;
    while role < 8 {
        table[0][role][role] = u64::MAX;
        table[1][role][role] = u64::MAX;
        table[0][role][color_index(Color::Black)] = u64::MAX;
        table[1][role][color_index(Color::White)] = u64::MAX;
        role += 1;
    }
    table
};

impl Board {
    /// Plays any move whose piece exists, legal or not, captures of kings included. The board stays consistent.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let us = self.turn;
        let king = self.royal(us);
        let threatened = self.checkers != 0
            || m.is_special()
            || m.role_index() == KING as u32
            || self.sets[KING] & bit(m.end_index()) != 0
            || (king < 64 && line(king, m.start_index()) & self.aligned != 0);
        self.play_legal(m);
        if self.ep.is_some_and(|ep| self.occupied().contains(ep)) {
            // A pawn jumped over a piece, so en passant is impossible there.
            self.ep = None;
        }
        if threatened {
            self.refresh_exposed();
        }
    }

    #[inline(never)]
    fn refresh_exposed(&mut self) {
        let king = self.royal(!self.turn);
        self.exposed = king < 64
            && self.attackers(
                king,
                self.turn,
                self.color_set(self.turn),
                self.occupied_set(),
            ) != 0;
    }

    /// Plays a move that is known to be legal, for instance because
    /// [`Board::resolve_san`] has just returned it. An illegal one is safe to pass, but afterwards
    /// [`Board::checkers`] may miss checks.
    #[inline]
    pub fn play_legal(&mut self, m: Move) {
        if m.is_special() {
            self.play_special(m);
        } else {
            self.play_plain(m);
        }
    }

    #[inline(always)]
    fn play_plain(&mut self, m: Move) {
        let us = self.turn;
        let (from, to) = (m.start_index(), m.end_index());
        let (role, after) = (m.role_index(), m.role_after());
        let moved = bit(from) | bit(to);
        let capture = self.occupied_set() & bit(to) != 0;
        let takes_king = self.sets[KING] & bit(to) != 0;
        // Whole sets at once: single writes into them would delay the next move, which reads them.
        let place = &PLACE[usize::from(us == Color::White)][after as usize & 7];
        for (set, place) in self.sets.iter_mut().zip(place) {
            *set = *set & !moved | place & bit(to);
        }
        if self.castling != 0 {
            let king_moves = role == KING as u32;
            self.castling &= !(moved | if king_moves { back_rank(us) } else { 0 });
        }

        let second_rank = match us {
            Color::White => 1,
            Color::Black => 6,
        };
        let is_pawn = role == PAWN as u32;
        let double_step = is_pawn & (from ^ to == 16) & (from >> 3 == second_rank);
        self.ep = double_step.then(|| square((from + to) / 2));
        let own_king = &mut self.kings[us as usize & 1];
        if u32::from(*own_king) == from {
            *own_king = to as u8;
        }
        if takes_king {
            self.lose_king();
        }
        self.halfmoves = if is_pawn || capture {
            0
        } else {
            self.halfmoves.wrapping_add(1)
        };

        let king = self.royal(!us);
        (self.checkers, self.aligned) = if king >= 64 {
            (0, 0)
        } else {
            let aligned = self.aligned_sliders(king) & self.color_set(us);
            // If there were two kings, neither was attacked as long as both were there.
            let checkers = if self.exposed || takes_king {
                self.all_attackers_of(king, us)
            } else {
                self.new_attackers_of(king, us, from, to, after, aligned)
            };
            (checkers, aligned)
        };
        self.exposed = false;
        self.pass_turn();
    }

    /// The pieces of `us` that attack the other king after a move, if none did before.
    #[inline(always)]
    fn new_attackers_of(
        &self,
        king: u32,
        us: Color,
        from: u32,
        to: u32,
        after: u32,
        aligned: u64,
    ) -> u64 {
        let occupied = self.occupied_set();
        let kind = if after == PAWN as u32 {
            color_index(us)
        } else {
            after as usize
        };
        let direct = empty_board(kind, to) & bit(king) != 0 && between(king, to) & occupied == 0;
        let mut checkers = u64::from(direct) << to;
        let mut uncovered = line(king, from) & aligned;
        while uncovered != 0 {
            let slider = first(uncovered);
            if between(king, slider) & occupied == 0 {
                checkers |= bit(slider);
            }
            uncovered &= uncovered - 1;
        }
        checkers
    }

    /// A king was taken: finds the remaining ones, and removes the castling rights of a side that has none.
    #[inline(never)]
    fn lose_king(&mut self) {
        self.refresh_kings();
        for color in Color::ALL {
            if self.royal(color) >= 64 {
                self.castling &= !back_rank(color);
            }
        }
    }

    #[inline(never)]
    fn all_attackers_of(&self, king: u32, by: Color) -> u64 {
        self.attackers(king, by, self.color_set(by), self.occupied_set())
    }

    #[inline(never)]
    fn play_special(&mut self, m: Move) {
        let us = self.turn;
        let (from, to) = (bit(m.start_index()), bit(m.end_index()));
        if m.is_castle() {
            let king_to = bit(u32::from(m.king_target()));
            let rook_to = bit(u32::from(m.rook_target()));
            for set in &mut self.sets {
                *set &= !(from | to | king_to | rook_to);
            }
            self.sets[KING] |= king_to;
            self.sets[super::ROOK] |= rook_to;
            self.sets[color_index(us)] |= king_to | rook_to;
            self.castling &= !(back_rank(us) | from | to | king_to | rook_to);
            self.halfmoves = self.halfmoves.wrapping_add(1);
        } else if m.is_en_passant() {
            let gone = from | to | bit(m.end_index() ^ 8);
            for set in &mut self.sets {
                *set &= !gone;
            }
            self.sets[PAWN] |= to;
            self.sets[color_index(us)] |= to;
            self.castling &= !gone;
            self.halfmoves = 0;
        } else {
            self.halfmoves = self.halfmoves.wrapping_add(1);
        }
        self.ep = None::<Square>;
        self.lose_king();
        self.pass_turn();
        self.refresh_checks();
    }

    #[inline(always)]
    fn pass_turn(&mut self) {
        // No game is long enough to overflow from any number that FEN may start with.
        self.fullmoves = self
            .fullmoves
            .wrapping_add(u32::from(self.turn == Color::Black));
        self.turn = !self.turn;
    }
}
