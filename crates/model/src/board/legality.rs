//! Which moves are possible, and which of them are legal.
//!
//! Pseudo-legal: the piece moves that way, nothing is in its path, castling has its right. Legal:
//! pseudo-legal, the own royal king is not attacked afterwards, and no royal king is taken.

use std::ops::ControlFlow;

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};

use super::tables::{FILE_A, RANK_1, between, empty_board, line};
use super::{BISHOP, Board, KING, KNIGHT, Move, PAWN, QUEEN, ROOK};
use super::{back_rank, bit, color_index, first, square};

/// A reusable list of moves. Unusual positions have more moves than any fixed size.
pub type MoveList = Vec<Move>;

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Board {
    /// The pieces of a colour that attack a square, given the blocking pieces.
    #[must_use]
    pub fn attackers_to(&self, square: Square, color: Color, occupied: Bitboard) -> Bitboard {
        Bitboard(self.attackers(
            u32::from(square),
            color,
            self.color_set(color),
            occupied.into(),
        ))
    }

    /// The pieces of `by` (all of `color`) that attack a square.
    #[inline]
    pub(super) fn attackers(&self, at: u32, color: Color, by: u64, occupied: u64) -> u64 {
        // A pawn of the other colour on the square would attack exactly the pawns that attack it.
        let pawn = color_index(!color);
        let mut found = by
            & (empty_board(pawn, at) & self.sets[PAWN]
                | empty_board(KNIGHT, at) & self.sets[KNIGHT]
                | empty_board(KING, at) & self.sets[KING]);
        let mut sliders = self.aligned_sliders(at) & by;
        while sliders != 0 {
            let from = first(sliders);
            if between(at, from) & occupied == 0 {
                found |= bit(from);
            }
            sliders &= sliders - 1;
        }
        found
    }

    /// The sliding pieces that would attack a square of an otherwise empty board.
    #[inline(always)]
    pub(super) fn aligned_sliders(&self, at: u32) -> u64 {
        let queens = self.sets[QUEEN];
        empty_board(ROOK, at) & (self.sets[ROOK] | queens)
            | empty_board(BISHOP, at) & (self.sets[BISHOP] | queens)
    }

    /// Recomputes the information about checks.
    pub(super) fn refresh_checks(&mut self) {
        let occupied = self.occupied_set();
        let us = self.turn;
        let attackers_of_king = |color: Color| {
            let king = self.royal(color);
            if king < 64 {
                self.attackers(king, !color, self.color_set(!color), occupied)
            } else {
                0
            }
        };
        (self.checkers, self.exposed) = (attackers_of_king(us), attackers_of_king(!us) != 0);
        let king = self.royal(us);
        self.aligned = if king < 64 {
            self.aligned_sliders(king) & self.color_set(!us)
        } else {
            0
        };
    }

    /// Whether a pseudo-legal move is legal.
    #[inline]
    pub(super) fn is_safe(&self, m: Move) -> bool {
        if self.checkers == 0 && !self.exposed && m.role_index() != KING as u32 && !m.is_special() {
            // Without a king, nothing is aligned with it.
            if line(self.royal(self.turn), m.start_index()) & self.aligned == 0 {
                return true;
            }
        }
        self.is_safe_slow(m)
    }

    #[inline(never)]
    fn is_safe_slow(&self, m: Move) -> bool {
        let us = self.turn;
        let king = self.royal(us);
        let (from, to) = (m.start_index(), m.end_index());
        if self.exposed && !m.is_castle() && to == self.royal(!us) {
            return false;
        }
        if king >= 64 || m.is_null() {
            return true;
        }
        let occupied = self.occupied_set();
        let them = self.color_set(!us);
        if m.is_castle() {
            let target = u32::from(m.king_target());
            let rook_target = u32::from(m.rook_target());
            let without_king = occupied & !bit(king);
            let after = without_king & !bit(to) | bit(rook_target);
            let mut path = between(king, target) | bit(king);
            while path != 0 {
                if self.attackers(first(path), !us, them, without_king) != 0 {
                    return false;
                }
                path &= path - 1;
            }
            return self.attackers(target, !us, them, after) == 0;
        }
        let mut taken = bit(to);
        if m.is_en_passant() {
            taken |= bit(to ^ 8);
        }
        let after = occupied & !bit(from) & !taken | bit(to);
        let king = if from == king { to } else { king };
        self.attackers(king, !us, them & !taken, after) == 0
    }

    /// The squares to which a piece of the side to move may move, castling and en passant excepted.
    fn targets(&self, role: Role, from: Square) -> u64 {
        let occupied = self.occupied();
        let them = self.color_set(!self.turn);
        let reached: u64 = match role {
            Role::Pawn => {
                let captures = u64::from(pawn_attacks(self.turn, from)) & them;
                return captures | self.pawn_pushes(from);
            }
            Role::Knight => knight_attacks(from),
            Role::Bishop => bishop_attacks(from, occupied),
            Role::Rook => rook_attacks(from, occupied),
            Role::Queen => bishop_attacks(from, occupied) | rook_attacks(from, occupied),
            Role::King => king_attacks(from),
        }
        .into();
        reached & !self.color_set(self.turn)
    }

    fn pawn_pushes(&self, from: Square) -> u64 {
        let free = !self.occupied_set();
        let from = bit(u32::from(from));
        match self.turn {
            Color::White => {
                let one = from << 8 & free;
                one | (one & RANK_1 << 16) << 8 & free & (from & RANK_1 << 8) << 16
            }
            Color::Black => {
                let one = from >> 8 & free;
                one | (one & RANK_1 << 40) >> 8 & free & (from & RANK_1 << 48) >> 16
            }
        }
    }

    /// Whether the piece can make this move and its flags are correct; the safety of the king is ignored.
    #[must_use]
    pub fn is_pseudo_legal(&self, m: Move) -> bool {
        if m.is_null() {
            return false;
        }
        if m.is_castle() {
            return m.castling_side().and_then(|side| self.find_castle(side)) == Some(m);
        }
        let (role, from, to) = (m.role_index(), m.start_index(), m.end_index());
        let us = self.color_set(self.turn);
        if us & self.sets[role as usize & 7] & bit(from) == 0 {
            return false;
        }
        let found = if role == PAWN as u32 {
            self.find_pawn_move(from, to, m.promotion())
        } else {
            self.find_piece_move(role, from, to)
        };
        found == Some(m)
    }

    /// Whether a move is legal. Nothing is assumed about it.
    #[inline]
    #[must_use]
    pub fn is_legal(&self, m: Move) -> bool {
        self.is_plainly_legal(m) || (self.is_pseudo_legal(m) && self.is_safe(m))
    }

    /// The pseudo-legal move between two squares. A king that moves onto its own castling rook, or two files (or more)
    /// to a castling target that it could not reach otherwise, castles.
    #[must_use]
    pub fn find_move(&self, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
        self.find_plain(from, to, promotion).or_else(|| {
            if promotion.is_some() || self.king_of(self.turn) != Some(from) {
                return None;
            }
            CastlingSide::ALL
                .into_iter()
                .filter_map(|side| self.find_castle(side))
                .find(|m| m.to() == to)
                .or_else(|| {
                    CastlingSide::ALL
                        .into_iter()
                        .filter_map(|side| self.find_castle(side))
                        .find(|m| m.king_target() == to && from.file().distance(to.file()) >= 2)
                })
        })
    }

    fn find_plain(&self, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
        if !self.us().contains(from) {
            return None;
        }
        let role = self.role_at(from)?;
        let (from, to) = (u32::from(from), u32::from(to));
        match role {
            Role::Pawn => self.find_pawn_move(from, to, promotion),
            _ if promotion.is_some() => None,
            _ => self.find_piece_move(role as u32, from, to),
        }
    }

    /// The move of the piece on `from`.
    #[inline]
    fn find_piece_move(&self, role: u32, from: u32, to: u32) -> Option<Move> {
        let goes = empty_board(role as usize, from) & bit(to) != 0
            && self.color_set(self.turn) & bit(to) == 0
            && between(from, to) & self.occupied_set() == 0;
        let capture = self.color_set(!self.turn) & bit(to) != 0;
        goes.then(|| Move::raw(role, from, to, capture, 0))
    }

    /// The move of the pawn on `from`.
    #[inline]
    fn find_pawn_move(&self, from: u32, to: u32, promotion: Option<Role>) -> Option<Move> {
        let at_end = bit(to) & back_rank(!self.turn) != 0;
        let promotion = match promotion {
            None if !at_end => 0,
            Some(role) if at_end && !matches!(role, Role::Pawn | Role::King) => role as u32,
            _ => return None,
        };
        let attacks = empty_board(color_index(self.turn), from) & bit(to) != 0;
        if attacks && self.color_set(!self.turn) & bit(to) != 0 {
            return Some(Move::raw(PAWN as u32, from, to, true, promotion));
        }
        if self.pawn_pushes(square(from)) & bit(to) != 0 {
            return Some(Move::raw(PAWN as u32, from, to, false, promotion));
        }
        let in_passing =
            attacks && self.ep == Some(square(to)) && self.occupied_set() & bit(to) == 0;
        in_passing.then(|| Move::en_passant(square(from), square(to)))
    }

    /// Castling to a side, if the castling right exists and the path is free.
    #[must_use]
    pub fn find_castle(&self, side: CastlingSide) -> Option<Move> {
        let rook = self.castling_rook_index(self.turn, side);
        if rook >= 64 {
            return None;
        }
        let king = self.royal(self.turn);
        let m = Move::castle(square(king), square(rook));
        let (king_to, rook_to) = (u32::from(m.king_target()), u32::from(m.rook_target()));
        let way = between(king, king_to)
            | between(rook, rook_to)
            | between(king, rook)
            | bit(king_to)
            | bit(rook_to);
        let others = self.occupied_set() & !bit(king) & !bit(rook);
        (way & others == 0).then_some(m)
    }

    /// The square on which a pawn of the side to move can capture en passant, ignoring the safety of the king.
    #[must_use]
    pub fn pseudo_legal_ep_square(&self) -> Option<Square> {
        self.ep.filter(|ep| {
            let pawns = self.sets[PAWN] & self.color_set(self.turn);
            u64::from(pawn_attacks(!self.turn, *ep)) & pawns != 0
        })
    }

    /// The square on which a pawn of the side to move may legally capture en passant.
    #[must_use]
    pub fn legal_ep_square(&self) -> Option<Square> {
        self.ep.filter(|ep| {
            let pawns = self.sets[PAWN] & self.color_set(self.turn);
            (pawn_attacks(!self.turn, *ep) & Bitboard(pawns))
                .into_iter()
                .any(|from| self.is_safe(Move::en_passant(from, *ep)))
        })
    }

    /// Passes the pseudo-legal moves to a function until it says to stop.
    pub(super) fn for_each_pseudo_legal(
        &self,
        mut give: impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let occupied = self.occupied();
        for role in [
            Role::King,
            Role::Pawn,
            Role::Knight,
            Role::Bishop,
            Role::Rook,
            Role::Queen,
        ] {
            for from in self.by_role(role) & self.us() {
                for to in Bitboard(self.targets(role, from)) {
                    let capture = occupied.contains(to);
                    let at_end = bit(u32::from(to)) & back_rank(!self.turn) != 0;
                    if role == Role::Pawn && at_end {
                        for promotion in PROMOTIONS {
                            give(Move::normal(role, from, to, capture, Some(promotion)))?;
                        }
                    } else {
                        give(Move::normal(role, from, to, capture, None))?;
                    }
                }
            }
        }
        for side in CastlingSide::ALL {
            if let Some(m) = self.find_castle(side) {
                give(m)?;
            }
        }
        if let Some(ep) = self.ep.filter(|ep| !occupied.contains(*ep)) {
            for from in pawn_attacks(!self.turn, ep) & self.by_role(Role::Pawn) & self.us() {
                give(Move::en_passant(from, ep))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Fills the list with all legal moves, in no particular order.
    pub fn legal_moves(&self, list: &mut MoveList) {
        list.clear();
        let _: ControlFlow<()> = self.for_each_pseudo_legal(|m| {
            if self.is_safe(m) {
                list.push(m);
            }
            ControlFlow::Continue(())
        });
    }

    /// Fills the list with all pseudo-legal moves, ignoring the safety of the king, in no particular order.
    pub fn pseudo_legal_moves(&self, list: &mut MoveList) {
        list.clear();
        let _: ControlFlow<()> = self.for_each_pseudo_legal(|m| {
            list.push(m);
            ControlFlow::Continue(())
        });
    }

    /// Whether the side to move is checkmated.
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.checkers != 0 && !self.has_legal_move()
    }

    /// Whether the side to move has no legal move and is not in check.
    #[must_use]
    pub fn is_stalemate(&self) -> bool {
        self.checkers == 0 && !self.has_legal_move()
    }
}

/// The squares of a file.
#[inline(always)]
pub(super) fn file_set(file: u32) -> u64 {
    FILE_A << (file & 7)
}
