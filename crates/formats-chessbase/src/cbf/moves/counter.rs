//! Counting and expanding the moves of single pieces.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tabiya_model::{Board, Move};

use super::pawns::{CbfPawnMoveKind, CbfPawnMoves, PAWN_KINDS};
use super::sums::CbfMoveSums;
use super::tables::{
    DIRECTIONS, EDGES, FILE_A, FILE_H, KING_TO, KNIGHT_TO, LANE_MAX, NOWHERE, ONES, PASSERS,
    PROMOTIONS, RANK_1, RANK_8, RAYS, SPREAD, rook_reach, step,
};
use super::{CbfEnPassant, CbfMoveMeaning};

/// A position as the counting needs it.
pub(super) struct CbfMoveCounter<'a> {
    board: &'a Board,
    pub(super) us: u64,
    occupied: u64,
    /// Squares that pieces may go to: not the own pieces's, not the other king's.
    targets: u64,
    /// Pieces that may be taken.
    prey: u64,
    turn: Color,
    pub(super) pawns: u64,
    en_passant: u32,
}

impl<'a> CbfMoveCounter<'a> {
    #[inline]
    pub(super) fn new(
        board: &'a Board,
        en_passant: CbfEnPassant,
        takes_kings: bool,
    ) -> CbfMoveCounter<'a> {
        let us = u64::from(board.us());
        let them = u64::from(board.them());
        let kings = match takes_kings {
            true => 0,
            false => u64::from(board.by_role(Role::King)),
        };
        CbfMoveCounter {
            board,
            us,
            occupied: us | them,
            targets: !us & !(them & kings),
            prey: them & !kings,
            turn: board.turn(),
            pawns: us & u64::from(board.by_role(Role::Pawn)),
            en_passant: u32::from(en_passant.0),
        }
    }

    /// Counts the moves of all pieces; nothing where there are too many or the position is odd.
    #[inline]
    pub(super) fn sums(&self) -> Option<CbfMoveSums> {
        if self.pawns & (RANK_1 | RANK_8) != 0 {
            return None;
        }
        let mut sums = self.pawn_sums();
        let mut files = sums.files;
        let mut total = files.wrapping_mul(ONES) >> 56;
        let mut add = |from: Square, set: Bitboard| {
            let count = u64::from((u64::from(set) & self.targets).count_ones());
            total += count;
            files = files.wrapping_add(count << (8 * (u32::from(from) & 7)));
        };
        let of = |role: Role| Bitboard(self.us & u64::from(self.board.by_role(role)));
        let occupied = Bitboard(self.occupied);
        for from in of(Role::Knight) {
            add(from, knight_attacks(from));
        }
        for from in of(Role::Bishop) {
            add(from, bishop_attacks(from, occupied));
        }
        for from in of(Role::Rook) {
            add(from, Bitboard(rook_reach(from, self.occupied)));
        }
        for from in of(Role::Queen) {
            let straight = Bitboard(rook_reach(from, self.occupied));
            add(from, bishop_attacks(from, occupied) | straight);
        }
        let kings = of(Role::King);
        for from in kings {
            add(from, king_attacks(from));
        }
        if u64::from(kings) & self.home() != 0 {
            let castles = u64::from(self.can_castle(CastlingSide::KingSide))
                + u64::from(self.can_castle(CastlingSide::QueenSide));
            total += castles;
            files = files.wrapping_add(castles << 32);
        }
        sums.files = files;
        (total <= LANE_MAX).then_some(sums)
    }

    /// The moves of the pawns alone; no pawn stands on the first or last rank.
    #[inline]
    fn pawn_sums(&self) -> CbfMoveSums {
        // Black's pawns are turned upside down, and all go up.
        let turn = |set: u64| match self.turn {
            Color::White => set,
            Color::Black => set.swap_bytes(),
        };
        let (pawns, free, prey) = (turn(self.pawns), turn(!self.occupied), turn(self.prey));
        let single = pawns & free >> 8;
        let double = single & RANK_1 << 8 & free >> 16;
        let left = pawns & (prey & !FILE_H) >> 7;
        let right = pawns & (prey & !FILE_A) >> 9;
        // Ones and twos of the sum of three bits.
        let ones = single ^ left ^ right;
        let twos = single & left | single & right | left & right;
        let passers = PASSERS
            .get(self.en_passant as usize)
            .map_or(0, |files| u64::from(*files) << 32);
        let passing = pawns & passers;
        let spread = |set: u64, rank: u32| {
            let byte = (set >> (8 * rank) & 0xff) as usize;
            SPREAD.get(byte).copied().unwrap_or(0)
        };
        let rank = |rank: u32| spread(ones, rank) + 2 * spread(twos, rank);
        let files = rank(1)
            + rank(2)
            + rank(3)
            + rank(4)
            + rank(5)
            + 4 * rank(6)
            + spread(double, 1)
            + spread(passing, 4);
        CbfMoveSums {
            files,
            pawn_files: files,
            ones,
            twos,
            more: double | passing,
            flip: self.turn.fold_wb(0, 56),
        }
    }

    /// The number of moves of the piece on a square.
    pub(super) fn count(&self, from: Square) -> u32 {
        if self.pawns & 1 << u32::from(from) != 0 {
            return self.pawn(from).count();
        }
        let occupied = Bitboard(self.occupied);
        let reached = match self.board.role_at(from) {
            Some(Role::Knight) => knight_attacks(from),
            Some(Role::Bishop) => bishop_attacks(from, occupied),
            Some(Role::Rook) => Bitboard(rook_reach(from, self.occupied)),
            Some(Role::Queen) => {
                bishop_attacks(from, occupied) | Bitboard(rook_reach(from, self.occupied))
            }
            Some(Role::King) => {
                let castles = CastlingSide::ALL
                    .into_iter()
                    .filter(|side| self.castle(from, *side).is_some());
                let steps = u64::from(king_attacks(from)) & self.targets;
                return steps.count_ones() + u32::try_from(castles.count()).unwrap_or(0);
            }
            Some(Role::Pawn) | None => return 0,
        };
        (u64::from(reached) & self.targets).count_ones()
    }

    /// The square that a king castles from.
    #[inline]
    fn home(&self) -> u64 {
        self.turn.fold_wb(1 << 4, 1 << 60)
    }

    /// Whether the rook stands and the way is free: rights and attacks do not matter.
    #[inline]
    fn can_castle(&self, side: CastlingSide) -> bool {
        let shift = self.turn.fold_wb(0, 56);
        let (way, rook): (u64, u64) = match side {
            CastlingSide::KingSide => (0x60, 0x80),
            CastlingSide::QueenSide => (0x0e, 0x01),
        };
        let rooks = self.us & u64::from(self.board.by_role(Role::Rook));
        rooks & rook << shift != 0 && self.occupied & way << shift == 0
    }

    /// Castling of the king on a square.
    #[inline]
    fn castle(&self, king: Square, side: CastlingSide) -> Option<Move> {
        if self.home() & 1 << u32::from(king) == 0 || !self.can_castle(side) {
            return None;
        }
        let rook = match side {
            CastlingSide::KingSide => self.turn.fold_wb(Square::H1, Square::H8),
            CastlingSide::QueenSide => self.turn.fold_wb(Square::A1, Square::A8),
        };
        Some(Move::castle(king, rook))
    }

    /// How far a sliding piece goes in a direction.
    #[inline(always)]
    fn reach<const DIRECTION: usize>(&self, from: Square) -> u32 {
        let ray = RAYS[DIRECTION & 7][u32::from(from) as usize & 63];
        let here = 1_u64 << u32::from(from);
        // The last square of the ray ends it like a piece; a ray without squares ends where it begins.
        let (forward, edge) = EDGES[DIRECTION & 7];
        let ends = if ray == 0 {
            here
        } else {
            ray & (self.occupied | edge)
        };
        let end = if forward {
            ends.trailing_zeros() & 63
        } else {
            63 - (ends.leading_zeros() & 63)
        };
        let from = u32::from(from);
        let way = end.abs_diff(from);
        let steps = match DIRECTION {
            4 | 6 => way,
            5 | 7 => way >> 3,
            _ => (end >> 3).abs_diff(from >> 3),
        };
        steps - u32::from((self.targets | here) >> end & 1 == 0)
    }

    /// The move of a number in four directions, or the number less all of theirs.
    #[inline(always)]
    fn slide<const FIRST: usize>(
        &self,
        role: Role,
        from: Square,
        number: u32,
    ) -> Result<CbfMoveMeaning, u32> {
        let mut left = number;
        macro_rules! try_direction {
            ($direction:literal) => {
                let reach = if FIRST == 0 {
                    self.reach::<$direction>(from)
                } else {
                    self.reach::<{ $direction + 4 }>(from)
                };
                if left <= reach {
                    return Ok(match offset(from, $direction + FIRST, left) {
                        Some(to) => self.plain(role, from, to),
                        None => CbfMoveMeaning::Phantom,
                    });
                }
                left -= reach;
            };
        }
        try_direction!(0);
        try_direction!(1);
        try_direction!(2);
        try_direction!(3);
        Err(left)
    }

    /// How far a sliding piece goes in a direction that is only known now.
    fn reach_in(&self, from: Square, direction: usize) -> u32 {
        match direction {
            0 => self.reach::<0>(from),
            1 => self.reach::<1>(from),
            2 => self.reach::<2>(from),
            3 => self.reach::<3>(from),
            4 => self.reach::<4>(from),
            5 => self.reach::<5>(from),
            6 => self.reach::<6>(from),
            _ => self.reach::<7>(from),
        }
    }

    /// What a pawn can do.
    #[inline]
    fn pawn(&self, from: Square) -> CbfPawnMoves {
        let at = 1_u64 << u32::from(from);
        let free = !self.occupied;
        let file = u32::from(from.file());
        let forward = |set: u64| match self.turn {
            Color::White => set << 8,
            Color::Black => set >> 8,
        };
        let single = forward(at);
        let single_free = single & free != 0;
        let (second, last, fifth) = match self.turn {
            Color::White => (RANK_1 << 8, RANK_1 << 56, RANK_1 << 32),
            Color::Black => (RANK_1 << 48, RANK_1, RANK_1 << 24),
        };
        let left = single >> 1 & !(FILE_A << 7);
        let right = single << 1 & !FILE_A;
        let in_passing = at & fifth != 0;
        CbfPawnMoves {
            each: if single & last != 0 { 4 } else { 1 },
            double: single_free && at & second != 0 && forward(single) & free != 0,
            single: single_free,
            left: left & self.prey != 0,
            right: right & self.prey != 0,
            en_passant_left: in_passing && file == self.en_passant,
            en_passant_right: in_passing && file + 2 == self.en_passant,
        }
    }

    /// Move `number` (from 1) of the piece on a square, which has at least so many.
    pub(super) fn expand(&self, from: Square, number: u32) -> CbfMoveMeaning {
        if self.pawns >> u32::from(from) & 1 != 0 {
            return self.expand_pawn(from, number);
        }
        let is = |role: Role| u64::from(self.board.by_role(role)) >> u32::from(from) & 1 != 0;
        if is(Role::Knight) {
            return match self.leap(&KNIGHT_TO, from, number) {
                Ok(to) => self.plain(Role::Knight, from, to),
                Err(_) => CbfMoveMeaning::Phantom,
            };
        }
        if is(Role::King) {
            return match self.leap(&KING_TO, from, number) {
                Ok(to) => self.plain(Role::King, from, to),
                Err(left) => CastlingSide::ALL
                    .into_iter()
                    .filter_map(|side| self.castle(from, side))
                    .nth(left as usize - 1)
                    .map_or(CbfMoveMeaning::Phantom, CbfMoveMeaning::Move),
            };
        }
        let (bishop, rook) = (is(Role::Bishop), is(Role::Rook));
        let role = if bishop {
            Role::Bishop
        } else if rook {
            Role::Rook
        } else {
            Role::Queen
        };
        let diagonal = if rook {
            Err(number)
        } else {
            self.slide::<0>(role, from, number)
        };
        match diagonal {
            Err(left) if !bishop => self.slide::<4>(role, from, left),
            found => found,
        }
        .unwrap_or(CbfMoveMeaning::Phantom)
    }

    /// The target of a number in a table of steps, or the number less all of them. Without branches, for which of the
    /// steps are possible cannot be foreseen.
    #[inline]
    fn leap(&self, table: &[[u8; 8]; 64], from: Square, number: u32) -> Result<Square, u32> {
        let row = &table[u32::from(from) as usize & 63];
        let (mut seen, mut at) = (0, 0_usize);
        for to in row {
            let possible =
                u32::from(*to != NOWHERE) & u32::from(self.targets >> (to & 63) & 1 != 0);
            seen += possible;
            at += usize::from(seen < number);
        }
        match row.get(at) {
            Some(to) => Ok(Square::new(u32::from(*to & 63))),
            None => Err(number - seen),
        }
    }

    /// The squares that a king or knight goes to, in order.
    #[inline]
    fn steps(&self, role: Role, from: Square) -> impl Iterator<Item = Square> {
        let table = if role == Role::King {
            &KING_TO
        } else {
            &KNIGHT_TO
        };
        let targets = self.targets;
        table
            .get(usize::from(from))
            .into_iter()
            .flatten()
            .filter(move |to| **to != NOWHERE && targets >> (**to & 63) & 1 != 0)
            .map(|to| Square::new(u32::from(*to & 63)))
    }

    fn expand_pawn(&self, from: Square, number: u32) -> CbfMoveMeaning {
        let pawn = self.pawn(from);
        let mut left = number;
        for kind in PAWN_KINDS {
            let count = pawn.count_of(kind);
            if left > count {
                left -= count;
                continue;
            }
            let Some(to) = kind.target(self.turn, from) else {
                return CbfMoveMeaning::Phantom;
            };
            if matches!(
                kind,
                CbfPawnMoveKind::EnPassantLeft | CbfPawnMoveKind::EnPassantRight
            ) {
                return if self.board.ep_square() == Some(to) {
                    CbfMoveMeaning::Move(Move::en_passant(from, to))
                } else {
                    CbfMoveMeaning::Phantom
                };
            }
            let capture = matches!(kind, CbfPawnMoveKind::Left | CbfPawnMoveKind::Right);
            let promotion = (pawn.each == 4 && kind != CbfPawnMoveKind::Double)
                .then(|| PROMOTIONS.get(left as usize - 1).copied())
                .flatten();
            return CbfMoveMeaning::Move(Move::normal(Role::Pawn, from, to, capture, promotion));
        }
        CbfMoveMeaning::Phantom
    }

    /// The place of a move among those of its piece, from 1.
    pub(super) fn place(&self, m: Move) -> Option<u32> {
        let (from, to) = (m.from(), m.to());
        match m.role() {
            Role::Pawn => self.place_pawn(m),
            Role::King if m.is_castle() => {
                let mut place = u32::try_from(self.steps(Role::King, from).count()).ok()?;
                for side in CastlingSide::ALL {
                    if let Some(castle) = self.castle(from, side) {
                        place += 1;
                        if castle == m {
                            return Some(place);
                        }
                    }
                }
                None
            }
            role @ (Role::King | Role::Knight) => {
                let at = self.steps(role, from).position(|square| square == to)?;
                u32::try_from(at + 1).ok()
            }
            role @ (Role::Bishop | Role::Rook | Role::Queen) => {
                let mut place = 0;
                for direction in directions(role) {
                    let reach = self.reach_in(from, direction);
                    let ray = RAYS
                        .get(direction)
                        .and_then(|rays| rays.get(usize::from(from)))?;
                    if ray & 1 << u32::from(to) != 0 {
                        let files = from.file().distance(to.file());
                        let steps = files.max(from.rank().distance(to.rank()));
                        return (steps <= reach).then_some(place + steps);
                    }
                    place += reach;
                }
                None
            }
        }
    }

    fn place_pawn(&self, m: Move) -> Option<u32> {
        let pawn = self.pawn(m.from());
        let mut place = 0;
        for kind in PAWN_KINDS {
            let count = pawn.count_of(kind);
            let passes = matches!(
                kind,
                CbfPawnMoveKind::EnPassantLeft | CbfPawnMoveKind::EnPassantRight
            );
            if count > 0
                && passes == m.is_en_passant()
                && kind.target(self.turn, m.from()) == Some(m.to())
            {
                return match (m.promotion(), count) {
                    (None, 1) => Some(place + 1),
                    (Some(role), 4) => {
                        let at = PROMOTIONS.iter().position(|r| *r == role)?;
                        Some(place + u32::try_from(at).ok()? + 1)
                    }
                    _ => None,
                };
            }
            place += count;
        }
        None
    }

    #[inline]
    fn plain(&self, role: Role, from: Square, to: Square) -> CbfMoveMeaning {
        let capture = self.occupied & 1 << u32::from(to) != 0;
        CbfMoveMeaning::Move(Move::normal(role, from, to, capture, None))
    }
}

/// The directions of a sliding piece, as indexes.
#[inline]
fn directions(role: Role) -> std::ops::Range<usize> {
    match role {
        Role::Bishop => 0..4,
        Role::Rook => 4..8,
        _ => 0..8,
    }
}

/// The square that is so many steps away, on the board.
#[inline]
pub(super) fn walk(from: Square, way: (i32, i32), times: u32) -> Option<Square> {
    let to = step(i32::from(from), way, i32::try_from(times).ok()?);
    (to < i32::from(NOWHERE))
        .then(|| u32::try_from(to).ok().map(Square::new))
        .flatten()
}

/// The square that is so many steps away in a direction.
#[inline]
fn offset(from: Square, direction: usize, times: u32) -> Option<Square> {
    walk(from, *DIRECTIONS.get(direction)?, times)
}

/// The lowest square of a set that is not empty.
#[inline]
pub(super) fn lowest(set: u64) -> Square {
    Square::new(set.trailing_zeros() & 63)
}
