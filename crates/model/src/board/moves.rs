//! A move in 24 bits.

use std::fmt;

use shakmaty::{CastlingSide, Role, Square};

const TO: u32 = 6;
const ROLE: u32 = 12;
const PROMOTION: u32 = 15;
const CASTLE: u32 = 1 << 18;
const EN_PASSANT: u32 = 1 << 19;
const CAPTURE: u32 = 1 << 20;
const NULL: u32 = 1 << 21;

/// A complete move, so that a [`Board`](super::Board) can play it without looking it up.
///
/// From the lowest bit: from (6 bits), to (6), role (3, as shakmaty's 1 to 6), promotion (3, 0 for
/// none), castling, en passant, capture, null (1 each). Castling is written as king takes rook:
/// `to` is the rook's square.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u32);

impl Move {
    /// The move that only passes the turn.
    pub const NULL: Move = Move(NULL);

    /// An ordinary move, perhaps a capture or a promotion.
    #[inline]
    #[must_use]
    pub fn normal(
        role: Role,
        from: Square,
        to: Square,
        capture: bool,
        promotion: Option<Role>,
    ) -> Move {
        let promotion = promotion.map_or(0, |role| role as u32);
        Move::raw(
            role as u32,
            u32::from(from),
            u32::from(to),
            capture,
            promotion,
        )
    }

    /// A move from valid numbers of a role, of two squares, and of a promotion role (0 for none).
    #[inline(always)]
    pub(crate) fn raw(role: u32, from: u32, to: u32, capture: bool, promotion: u32) -> Move {
        Move(
            from | to << TO
                | role << ROLE
                | promotion << PROMOTION
                | if capture { CAPTURE } else { 0 },
        )
    }

    /// Castling of the king on `king` with the rook on `rook`.
    #[inline]
    #[must_use]
    pub fn castle(king: Square, rook: Square) -> Move {
        let (king, rook) = (u32::from(king), u32::from(rook));
        Move(Move::raw(Role::King as u32, king, rook, false, 0).0 | CASTLE)
    }

    /// A pawn's capture of the pawn that has just passed `to`.
    #[inline]
    #[must_use]
    pub fn en_passant(from: Square, to: Square) -> Move {
        let (from, to) = (u32::from(from), u32::from(to));
        Move(Move::raw(Role::Pawn as u32, from, to, true, 0).0 | EN_PASSANT)
    }

    /// The square that the piece leaves (the king's for castling; a1 for the null move).
    #[inline]
    #[must_use]
    pub fn from(self) -> Square {
        Square::new(self.0 & 63)
    }

    /// The square that the piece reaches (the rook's for castling; a1 for the null move).
    #[inline]
    #[must_use]
    pub fn to(self) -> Square {
        Square::new(self.0 >> TO & 63)
    }

    /// The moving piece, before any promotion (a king for the null move).
    #[inline]
    #[must_use]
    pub fn role(self) -> Role {
        role_of(self.role_index()).unwrap_or(Role::King)
    }

    /// The promotion piece.
    #[inline]
    #[must_use]
    pub fn promotion(self) -> Option<Role> {
        role_of(self.0 >> PROMOTION & 7)
    }

    /// Whether this is castling.
    #[inline]
    #[must_use]
    pub fn is_castle(self) -> bool {
        self.0 & CASTLE != 0
    }

    /// Whether it is an en passant capture.
    #[inline]
    #[must_use]
    pub fn is_en_passant(self) -> bool {
        self.0 & EN_PASSANT != 0
    }

    /// Whether it is a capture, en passant or not.
    #[inline]
    #[must_use]
    pub fn is_capture(self) -> bool {
        self.0 & CAPTURE != 0
    }

    /// Whether this only passes the turn.
    #[inline]
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0 & NULL != 0
    }

    /// The side to which this castles.
    #[inline]
    #[must_use]
    pub fn castling_side(self) -> Option<CastlingSide> {
        self.is_castle()
            .then(|| CastlingSide::from_king_side(self.from() < self.to()))
    }

    /// The square on which the king ends; [`Move::to`] unless this is castling.
    #[inline]
    #[must_use]
    pub fn king_target(self) -> Square {
        match self.castling_side() {
            Some(side) => Square::from_coords(side.king_to_file(), self.from().rank()),
            None => self.to(),
        }
    }

    /// The square on which the castling rook ends; [`Move::to`] unless this is castling.
    #[inline]
    #[must_use]
    pub fn rook_target(self) -> Square {
        match self.castling_side() {
            Some(side) => Square::from_coords(side.rook_to_file(), self.from().rank()),
            None => self.to(),
        }
    }

    /// The move as a number below 2²⁴.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The move whose number [`Move::bits`] gave.
    #[inline]
    pub(crate) fn from_own_bits(bits: u32) -> Move {
        Move(bits)
    }

    /// The move of that number, if its parts agree with each other.
    #[must_use]
    pub fn from_bits(bits: u32) -> Option<Move> {
        if bits == NULL {
            return Some(Move::NULL);
        }
        let m = Move(bits);
        let role = role_of(m.role_index())?;
        if bits >= NULL || m.from() == m.to() {
            return None;
        }
        let promotion = bits >> PROMOTION & 7;
        let promotion_fits = match role_of(promotion) {
            None => promotion == 0,
            Some(Role::Pawn | Role::King) => false,
            Some(_) => role == Role::Pawn && matches!(u32::from(m.to().rank()), 0 | 7),
        };
        let castle_fits = !m.is_castle()
            || (role == Role::King
                && bits & (CAPTURE | EN_PASSANT) == 0
                && m.from().rank() == m.to().rank());
        let en_passant_fits = !m.is_en_passant()
            || (role == Role::Pawn
                && m.is_capture()
                && promotion == 0
                && matches!(u32::from(m.to().rank()), 2 | 5)
                && m.from().rank().distance(m.to().rank()) == 1
                && m.from().file().distance(m.to().file()) == 1);
        (promotion_fits && castle_fits && en_passant_fits).then_some(m)
    }

    #[inline(always)]
    pub(super) fn role_index(self) -> u32 {
        self.0 >> ROLE & 7
    }

    /// The role on the target square after the move, as a number.
    #[inline(always)]
    pub(super) fn role_after(self) -> u32 {
        let promotion = self.0 >> PROMOTION & 7;
        if promotion != 0 {
            promotion
        } else {
            self.role_index()
        }
    }

    #[inline(always)]
    pub(super) fn start_index(self) -> u32 {
        self.0 & 63
    }

    #[inline(always)]
    pub(super) fn end_index(self) -> u32 {
        self.0 >> TO & 63
    }

    /// The same move from another square, for a move that still starts on a1.
    #[inline(always)]
    pub(super) fn with_start(self, from: u32) -> Move {
        Move(self.0 | from & 63)
    }

    /// Whether the move is neither special nor a promotion.
    #[inline(always)]
    pub(super) fn is_plain(self) -> bool {
        !self.is_special() && self.0 >> PROMOTION & 7 == 0
    }

    /// Whether this is castling, en passant or null.
    #[inline(always)]
    pub(super) fn is_special(self) -> bool {
        self.0 & (CASTLE | EN_PASSANT | NULL) != 0
    }
}

/// The role with this number in shakmaty.
#[inline]
pub(super) fn role_of(index: u32) -> Option<Role> {
    match index {
        1 => Some(Role::Pawn),
        2 => Some(Role::Knight),
        3 => Some(Role::Bishop),
        4 => Some(Role::Rook),
        5 => Some(Role::Queen),
        6 => Some(Role::King),
        _ => None,
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            return f.write_str("Move(null)");
        }
        write!(f, "Move({}", self.role().upper_char())?;
        let mark = match (self.is_castle(), self.is_en_passant(), self.is_capture()) {
            (true, _, _) => " castles ",
            (_, true, _) => " takes en passant ",
            (_, _, true) => "x",
            _ => "-",
        };
        write!(f, "{}{mark}{}", self.from(), self.to())?;
        if let Some(role) = self.promotion() {
            write!(f, "={}", role.upper_char())?;
        }
        f.write_str(")")
    }
}
