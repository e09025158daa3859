//! Move numbers: the format stores the place of a move in its own list of pseudo-legal moves.
//!
//! The list is never built. The moves of all men are counted into eight sums, one a file, as bytes of one word; a
//! multiplication adds them up, so that the file of a number is known at once. Of the few men on that file the one that
//! holds the number is found by counting, and only that one is expanded.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tabiya_model::{Board, Move};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;
/// The moves to the last rank, in order.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

const FILE_H: u64 = FILE_A << 7;
const RANK_8: u64 = RANK_1 << 56;
/// A one in each byte.
pub(super) const ONES: u64 = FILE_A;
/// Totals above this do not take the short way.
const LANE_MAX: u64 = 127;
/// No square.
const NOWHERE: u8 = 64;

/// File and rank steps of a king, in order.
pub(super) const KING_STEPS: [(i32, i32); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
/// File and rank steps of a knight, in order.
pub(super) const KNIGHT_STEPS: [(i32, i32); 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
/// Directions of a queen, in order; a bishop has the first four, a rook the last four.
pub(super) const DIRECTIONS: [(i32, i32); 8] = [
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];

/// For each direction whether it leads to higher squares, and the squares where it must end.
const EDGES: [(bool, u64); 8] = [
    (false, FILE_A | RANK_1),
    (false, FILE_H | RANK_1),
    (true, FILE_H | RANK_8),
    (true, FILE_A | RANK_8),
    (false, FILE_A),
    (false, RANK_1),
    (true, FILE_H),
    (true, RANK_8),
];

/// The square that is a step away, or [`NOWHERE`].
const fn step(square: i32, (files, ranks): (i32, i32), times: i32) -> i32 {
    let file = (square & 7) + files * times;
    let rank = (square >> 3) + ranks * times;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        NOWHERE as i32
    } else {
        rank * 8 + file
    }
}

/// For each square the squares that are one step away, in order.
const fn step_table(steps: &[(i32, i32); 8]) -> [[u8; 8]; 64] {
    let mut table = [[NOWHERE; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < 8 {
            table[square][n] = step(square as i32, steps[n], 1) as u8;
            n += 1;
        }
        square += 1;
    }
    table
}

/// For each direction and square all squares on the way to the edge.
const fn ray_table() -> [[u64; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut square = 0;
        while square < 64 {
            let mut times = 1;
            loop {
                let to = step(square as i32, DIRECTIONS[direction], times);
                if to == NOWHERE as i32 {
                    break;
                }
                table[direction][square] |= 1 << to;
                times += 1;
            }
            square += 1;
        }
        direction += 1;
    }
    table
}

/// For each set of files a word with a one in the bytes of those files.
const fn spread_table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut file = 0;
        while file < 8 {
            if set >> file & 1 != 0 {
                table[set] |= 1 << (8 * file);
            }
            file += 1;
        }
        set += 1;
    }
    table
}

/// For each file and the men on the six inner squares of a rank, the squares of the rank that a rook reaches.
const fn rank_table() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let men = (inner << 1) as u8;
            let mut to = file;
            while to > 0 {
                to -= 1;
                table[file][inner] |= 1 << to;
                if men >> to & 1 != 0 {
                    break;
                }
            }
            let mut to = file;
            while to < 7 {
                to += 1;
                table[file][inner] |= 1 << to;
                if men >> to & 1 != 0 {
                    break;
                }
            }
            inner += 1;
        }
        file += 1;
    }
    table
}

/// The squares that a rook reaches. The tables of attacks of rooks are larger than the nearest cache, and a position
/// asks for few entries: reckoning is quicker than waiting for them.
#[inline]
fn rook_reach(from: Square, occupied: u64) -> u64 {
    let at = u32::from(from);
    let (here, file, rank) = (1_u64 << at, at & 7, at & 56);
    let along = RANK_REACH[file as usize][(occupied >> rank >> 1 & 63) as usize];
    let line = FILE_A << file;
    let men = occupied & line;
    // What a subtraction of the man's own bit changes is what lies between it and the next man of the file; upside down
    // for the other way.
    let up = men.wrapping_sub(here << 1);
    let down = men
        .swap_bytes()
        .wrapping_sub(here.swap_bytes() << 1)
        .swap_bytes();
    u64::from(along) << rank | (up ^ down) & line
}

/// For each value of the en passant variable the files of fifth-rank pawns that have an entry.
pub(super) const PASSERS: [u8; 9] = {
    let mut masks = [0_u8; 9];
    let mut variable = 0;
    while variable <= 8 {
        let left = 1_u32 << variable;
        let right = if variable >= 2 {
            1 << (variable - 2)
        } else {
            0
        };
        masks[variable] = ((left | right) & 0xff) as u8;
        variable += 1;
    }
    masks
};

static KING_TO: [[u8; 8]; 64] = step_table(&KING_STEPS);
static KNIGHT_TO: [[u8; 8]; 64] = step_table(&KNIGHT_STEPS);
static RAYS: [[u64; 64]; 8] = ray_table();
pub(super) static SPREAD: [u64; 256] = spread_table();
pub(super) static RANK_REACH: [[u8; 64]; 8] = rank_table();

/// What a number means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Numbered {
    /// A move; the king's safety and castling rights were not asked.
    Move(Move),
    /// An en passant entry that is counted and can never be played.
    Phantom,
    /// There are fewer moves than that: so many.
    Beyond(u32),
}

/// The variable of en passant: 0, or the file from 1 of the last double step. Castling does not clear it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct EnPassant(u8);

impl EnPassant {
    /// The variable at the start of a game; files that do not exist count as none.
    pub fn new(file: u8) -> EnPassant {
        EnPassant(if file <= 8 { file } else { 0 })
    }

    /// The variable.
    #[inline]
    pub(super) fn file(self) -> u8 {
        self.0
    }

    /// The variable after a move.
    #[inline]
    pub fn after(self, m: Move) -> EnPassant {
        let (from, to) = (u32::from(m.from()), u32::from(m.to()));
        if m.is_castle() {
            self
        } else if m.role() == Role::Pawn && from ^ to == 16 {
            // Only double steps stay in their file two ranks away, and bit 4 differs between ranks 2 and 4, 7 and 5.
            EnPassant(u8::try_from(from & 7).unwrap_or(0) + 1)
        } else {
            EnPassant(0)
        }
    }
}

/// A position as the counting needs it.
struct Counter<'a> {
    board: &'a Board,
    us: u64,
    occupied: u64,
    /// Squares that men may go to: not the own men's, not the other king's.
    targets: u64,
    /// Men that may be taken.
    prey: u64,
    turn: Color,
    pawns: u64,
    en_passant: u32,
}

impl<'a> Counter<'a> {
    #[inline]
    fn new(board: &'a Board, en_passant: EnPassant) -> Counter<'a> {
        let us = u64::from(board.us());
        let them = u64::from(board.them());
        let kings = u64::from(board.by_role(Role::King));
        Counter {
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

    /// Counts the moves of all men; nothing where there are too many or the position is odd.
    #[inline]
    fn sums(&self) -> Option<Sums> {
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
    fn pawn_sums(&self) -> Sums {
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
        Sums {
            files,
            pawn_files: files,
            ones,
            twos,
            more: double | passing,
            flip: self.turn.fold_wb(0, 56),
        }
    }

    /// The number of moves of the man on a square.
    fn count(&self, from: Square) -> u32 {
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

    /// How far a sliding man goes in a direction.
    #[inline(always)]
    fn reach<const DIRECTION: usize>(&self, from: Square) -> u32 {
        let ray = RAYS[DIRECTION & 7][u32::from(from) as usize & 63];
        let here = 1_u64 << u32::from(from);
        // The last square of the ray ends it like a man; a ray without squares ends where it begins.
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
    ) -> Result<Numbered, u32> {
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
                        None => Numbered::Phantom,
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

    /// How far a sliding man goes in a direction that is only known now.
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
    fn pawn(&self, from: Square) -> Pawn {
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
        Pawn {
            each: if single & last != 0 { 4 } else { 1 },
            double: single_free && at & second != 0 && forward(single) & free != 0,
            single: single_free,
            left: left & self.prey != 0,
            right: right & self.prey != 0,
            pass_left: in_passing && file == self.en_passant,
            pass_right: in_passing && file + 2 == self.en_passant,
        }
    }

    /// Move `number` (from 1) of the man on a square, which has at least so many.
    fn expand(&self, from: Square, number: u32) -> Numbered {
        if self.pawns >> u32::from(from) & 1 != 0 {
            return self.expand_pawn(from, number);
        }
        let is = |role: Role| u64::from(self.board.by_role(role)) >> u32::from(from) & 1 != 0;
        if is(Role::Knight) {
            return match self.leap(&KNIGHT_TO, from, number) {
                Ok(to) => self.plain(Role::Knight, from, to),
                Err(_) => Numbered::Phantom,
            };
        }
        if is(Role::King) {
            return match self.leap(&KING_TO, from, number) {
                Ok(to) => self.plain(Role::King, from, to),
                Err(left) => CastlingSide::ALL
                    .into_iter()
                    .filter_map(|side| self.castle(from, side))
                    .nth(left as usize - 1)
                    .map_or(Numbered::Phantom, Numbered::Move),
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
        .unwrap_or(Numbered::Phantom)
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

    fn expand_pawn(&self, from: Square, number: u32) -> Numbered {
        let pawn = self.pawn(from);
        let mut left = number;
        for kind in PAWN_KINDS {
            let count = pawn.count_of(kind);
            if left > count {
                left -= count;
                continue;
            }
            let Some(to) = kind.target(self.turn, from) else {
                return Numbered::Phantom;
            };
            if matches!(kind, PawnKind::PassLeft | PawnKind::PassRight) {
                return if self.board.ep_square() == Some(to) {
                    Numbered::Move(Move::en_passant(from, to))
                } else {
                    Numbered::Phantom
                };
            }
            let capture = matches!(kind, PawnKind::Left | PawnKind::Right);
            let promotion = (pawn.each == 4 && kind != PawnKind::Double)
                .then(|| PROMOTIONS.get(left as usize - 1).copied())
                .flatten();
            return Numbered::Move(Move::normal(Role::Pawn, from, to, capture, promotion));
        }
        Numbered::Phantom
    }

    /// The place of a move among those of its man, from 1.
    fn place(&self, m: Move) -> Option<u32> {
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
            let passes = matches!(kind, PawnKind::PassLeft | PawnKind::PassRight);
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
    fn plain(&self, role: Role, from: Square, to: Square) -> Numbered {
        let capture = self.occupied & 1 << u32::from(to) != 0;
        Numbered::Move(Move::normal(role, from, to, capture, None))
    }
}

/// The moves of all men, counted.
struct Sums {
    /// By file, a byte each.
    files: u64,
    /// The same of the pawns alone.
    pawn_files: u64,
    /// Pawns with an odd number of steps and captures, seen from their own side.
    ones: u64,
    /// Pawns with two or three of them.
    twos: u64,
    /// Pawns with one move more: a double step or taking in passing, which exclude each other.
    more: u64,
    /// Turns a square to the side of those pawns.
    flip: u32,
}

impl Sums {
    /// The moves of the pawn on a square.
    #[inline]
    fn pawn(&self, square: u32) -> u32 {
        let own = (square ^ self.flip) & 63;
        let bit = |set: u64| u32::from(set >> own & 1 != 0);
        let each = if own >= 48 { 4 } else { 1 };
        each * (bit(self.ones) + 2 * bit(self.twos)) + bit(self.more)
    }

    /// The moves of the men on all files before one, in bytes: a file and all before it together.
    #[inline]
    fn before(&self, file: u32) -> u32 {
        let sums = self.files.wrapping_mul(ONES);
        u32::try_from((sums << 8) >> (8 * file) & 0xff).unwrap_or(0)
    }
}

/// Which of its moves a pawn has.
struct Pawn {
    /// 4 where it goes to the last rank, else 1.
    each: u32,
    double: bool,
    single: bool,
    left: bool,
    right: bool,
    pass_left: bool,
    pass_right: bool,
}

/// A pawn's moves in their order; left and right are White's.
#[derive(Copy, Clone, PartialEq, Eq)]
enum PawnKind {
    Double,
    Single,
    Left,
    Right,
    PassLeft,
    PassRight,
}

const PAWN_KINDS: [PawnKind; 6] = [
    PawnKind::Double,
    PawnKind::Single,
    PawnKind::Left,
    PawnKind::Right,
    PawnKind::PassLeft,
    PawnKind::PassRight,
];

impl PawnKind {
    /// The square that this move leads to.
    fn target(self, turn: Color, from: Square) -> Option<Square> {
        let forward = turn.fold_wb(1, -1);
        let way = match self {
            PawnKind::Double => (0, 2 * forward),
            PawnKind::Single => (0, forward),
            PawnKind::Left | PawnKind::PassLeft => (-1, forward),
            PawnKind::Right | PawnKind::PassRight => (1, forward),
        };
        walk(from, way, 1)
    }
}

impl Pawn {
    #[inline]
    fn count(&self) -> u32 {
        let several = u32::from(self.single) + u32::from(self.left) + u32::from(self.right);
        u32::from(self.double)
            + several * self.each
            + u32::from(self.pass_left)
            + u32::from(self.pass_right)
    }

    fn count_of(&self, kind: PawnKind) -> u32 {
        match kind {
            PawnKind::Double => u32::from(self.double),
            PawnKind::Single => u32::from(self.single) * self.each,
            PawnKind::Left => u32::from(self.left) * self.each,
            PawnKind::Right => u32::from(self.right) * self.each,
            PawnKind::PassLeft => u32::from(self.pass_left),
            PawnKind::PassRight => u32::from(self.pass_right),
        }
    }
}

/// The directions of a sliding man, as indexes.
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
fn walk(from: Square, way: (i32, i32), times: u32) -> Option<Square> {
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
fn lowest(set: u64) -> Square {
    Square::new(set.trailing_zeros() & 63)
}

/// The move of a number, from 1.
pub fn move_of(board: &Board, en_passant: EnPassant, number: u32) -> Numbered {
    let counter = Counter::new(board, en_passant);
    let wanted = u64::from(number);
    let Some(sums) = counter.sums().filter(|_| (1..=LANE_MAX).contains(&wanted)) else {
        return counter.search_all(number);
    };
    // Each byte holds the moves of its file and of all files before; a byte in which the number is reached keeps its
    // highest bit.
    let files = sums.files.wrapping_mul(ONES);
    let high = ONES << 7;
    let reached = ((files | high) - wanted * ONES) & high;
    if reached == 0 {
        return Numbered::Beyond(u32::try_from(files >> 56).unwrap_or(0));
    }
    let file = reached.trailing_zeros() / 8;
    counter.search_counted(&sums, file, number - sums.before(file))
}

/// The number of a move, from 1; `None` where the list does not have it.
pub fn number_of(board: &Board, en_passant: EnPassant, m: Move) -> Option<u32> {
    let counter = Counter::new(board, en_passant);
    let from = m.from();
    if m.is_null()
        || counter.us & 1 << u32::from(from) == 0
        || board.role_at(from) != Some(m.role())
    {
        return None;
    }
    let place = counter.place(m)?;
    let file = u32::from(from.file());
    let (other_files, same_file) = match counter.sums() {
        Some(sums) => (
            sums.before(file),
            counter.count_file(file, u32::from(from), |square| {
                counter.count_with(&sums, square)
            }),
        ),
        None => {
            let count = |square| counter.count(Square::new(square & 63));
            (
                (0..file)
                    .map(|file| counter.count_file(file, 64, count))
                    .sum(),
                counter.count_file(file, u32::from(from), count),
            )
        }
    };
    Some(other_files + same_file + place)
}

impl Counter<'_> {
    /// The number of moves of the man on a square, where the pawns have been counted.
    #[inline]
    fn count_with(&self, sums: &Sums, square: u32) -> u32 {
        if self.pawns >> (square & 63) & 1 != 0 {
            return sums.pawn(square);
        }
        let file = square & 7;
        let pieces = self.us & !self.pawns & FILE_A << file;
        if pieces & (pieces - 1) == 0 {
            // The only piece of its file has all that the pawns do not have.
            return u32::try_from((sums.files - sums.pawn_files) >> (8 * file) & 0xff).unwrap_or(0);
        }
        self.count(Square::new(square & 63))
    }

    /// The move of a number among those of a file, where all have been counted.
    #[inline]
    fn search_counted(&self, sums: &Sums, file: u32, number: u32) -> Numbered {
        let mut men = self.us & FILE_A << file;
        let pieces = men & !self.pawns;
        if pieces & pieces.wrapping_sub(1) != 0 {
            return self.search(file, number, |square| self.count_with(sums, square));
        }
        // The only piece of the file has all that its pawns do not have.
        let of_piece =
            u32::try_from((sums.files - sums.pawn_files) >> (8 * file) & 0xff).unwrap_or(0);
        let mut left = number;
        while men != 0 {
            let square = men.trailing_zeros() & 63;
            let is_piece = u32::from(pieces >> square & 1 != 0);
            let count = sums.pawn(square) + is_piece * of_piece;
            if left <= count {
                return self.expand(Square::new(square), left);
            }
            left -= count;
            men &= men - 1;
        }
        Numbered::Phantom
    }

    /// The move of a number among those of a file.
    #[inline]
    fn search(&self, file: u32, number: u32, count: impl Fn(u32) -> u32) -> Numbered {
        let mut left = number;
        let mut men = self.us & FILE_A << file;
        while men != 0 {
            let from = lowest(men);
            men &= men - 1;
            // The last man of the file needs no counting.
            if men == 0 {
                return self.expand(from, left);
            }
            let count = count(u32::from(from));
            if left <= count {
                return self.expand(from, left);
            }
            left -= count;
        }
        Numbered::Phantom
    }

    /// The same man by man, for positions of any kind.
    #[inline(never)]
    fn search_all(&self, number: u32) -> Numbered {
        let count = |square| self.count(Square::new(square & 63));
        let mut left = number;
        for file in 0..8 {
            let sum = self.count_file(file, 64, count);
            if (1..=sum).contains(&left) {
                return self.search(file, left, count);
            }
            left = left.saturating_sub(sum);
        }
        Numbered::Beyond(number.saturating_sub(left))
    }

    /// The moves of the men of a file that stand before a square.
    #[inline]
    fn count_file(&self, file: u32, before: u32, count: impl Fn(u32) -> u32) -> u32 {
        let below = 1_u64.checked_shl(before).map_or(u64::MAX, |bit| bit - 1);
        let mut men = self.us & FILE_A << file & below;
        let mut sum = 0;
        while men != 0 {
            sum += count(men.trailing_zeros());
            men &= men - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooks_reach_what_they_attack() {
        let mut men = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..200_u32 {
            // Crowded boards and empty ones.
            men = men
                .rotate_left(round % 61)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9)
                ^ men >> 29;
            for occupied in [men, men & men >> 17, men | men << 9, 0, !0] {
                for from in Square::ALL {
                    let expected = shakmaty::attacks::rook_attacks(from, Bitboard(occupied));
                    let here = occupied | 1 << u32::from(from);
                    assert_eq!(
                        Bitboard(rook_reach(from, here)),
                        expected,
                        "{from} {here:x}"
                    );
                }
            }
        }
    }

    fn all(fen: &str, file: u8) -> Vec<String> {
        let (board, _) = Board::from_fen(fen).expect("a position");
        let en_passant = EnPassant::new(file);
        let mut list = Vec::new();
        for number in 1.. {
            match move_of(&board, en_passant, number) {
                Numbered::Move(m) => {
                    assert_eq!(number_of(&board, en_passant, m), Some(number), "{m:?}");
                    let mut text = Vec::new();
                    board.write_uci(
                        m,
                        tabiya_model::board::CastlingStyle::KingTakesRook,
                        &mut text,
                    );
                    list.push(String::from_utf8(text).expect("ASCII"));
                }
                Numbered::Phantom => list.push("-".to_owned()),
                Numbered::Beyond(count) => {
                    assert_eq!(count as usize, list.len());
                    break;
                }
            }
        }
        list
    }

    #[test]
    fn the_normal_start() {
        let list = all(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            0,
        );
        assert_eq!(
            list.join(" "),
            "a2a4 a2a3 b1a3 b1c3 b2b4 b2b3 c2c4 c2c3 d2d4 d2d3 e2e4 e2e3 f2f4 f2f3 g1f3 g1h3 g2g4 g2g3 h2h4 h2h3"
        );
    }

    #[test]
    fn both_ways_of_counting_agree() {
        // Random games from positions of all kinds, with every value of the variable.
        let mut state = 7_u64;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut compared = 0;
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
            "qqqqkqqq/8/8/8/8/8/8/QQQQKQQQ w - - 0 1",
            "P6k/8/8/8/8/8/8/K6p w - - 0 1",
        ] {
            for _ in 0..20 {
                let (mut board, _) = Board::from_fen(fen).expect("a position");
                for _ in 0..60 {
                    let en_passant = EnPassant::new(u8::try_from(random(9)).unwrap_or(0));
                    let counter = Counter::new(&board, en_passant);
                    let mut moves = Vec::new();
                    for number in 1..260 {
                        let slow = counter.search_all(number);
                        assert_eq!(move_of(&board, en_passant, number), slow, "{board:?}");
                        compared += 1;
                        match slow {
                            Numbered::Move(m) => {
                                assert_eq!(number_of(&board, en_passant, m), Some(number));
                                moves.push(m);
                            }
                            Numbered::Phantom => {}
                            Numbered::Beyond(_) => break,
                        }
                    }
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves.swap_remove(random(moves.len()));
                    board.play(m);
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    #[test]
    fn castling_needs_no_right_and_kings_are_not_taken() {
        let list = all("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 0);
        assert!(list.ends_with(&["h1h8".to_owned()]));
        let king: Vec<_> = list.iter().filter(|m| m.starts_with("e1")).collect();
        assert_eq!(
            king,
            ["e1d1", "e1d2", "e1e2", "e1f1", "e1f2", "e1h1", "e1a1"]
        );
        let list = all("k7/8/8/8/8/8/8/R3K3 w - - 0 1", 0);
        assert_eq!(list.iter().filter(|m| m.starts_with("a1")).count(), 9);
    }

    #[test]
    fn promotions_and_both_sides_of_a_pawn() {
        let list = all("n1n4k/1P6/8/8/8/8/8/K7 w - - 0 1", 0);
        assert_eq!(
            list.join(" "),
            "a1a2 a1b1 a1b2 b7b8q b7b8r b7b8b b7b8n b7a8q b7a8r b7a8b b7a8n b7c8q b7c8r b7c8b b7c8n"
        );
        let list = all("k7/8/8/8/8/8/1p6/N1N4K b - - 0 1", 0);
        assert_eq!(
            list.join(" "),
            "a8a7 a8b7 a8b8 b2b1q b2b1r b2b1b b2b1n b2a1q b2a1r b2a1b b2a1n b2c1q b2c1r b2c1b b2c1n"
        );
    }

    #[test]
    fn phantoms_of_en_passant() {
        // The a-pawn has one whenever there was no double step.
        assert_eq!(
            all("7k/8/8/P7/8/8/8/7K w - - 0 1", 0).join(" "),
            "a5a6 - h1g1 h1g2 h1h2"
        );
        assert_eq!(
            all("7k/8/8/P7/8/8/8/7K w - - 0 1", 4).join(" "),
            "a5a6 h1g1 h1g2 h1h2"
        );
        // A true one, and beside the same file on the other side.
        assert_eq!(
            all("7k/8/8/2PpP3/8/8/8/7K w - d6 0 1", 4).join(" "),
            "c5c6 c5d6 e5e6 e5d6 h1g1 h1g2 h1h2"
        );
        // The same with nothing to take.
        assert_eq!(
            all("7k/8/8/2P1P3/8/8/8/7K w - - 0 1", 4).join(" "),
            "c5c6 - e5e6 - h1g1 h1g2 h1h2"
        );
        assert_eq!(
            all("7k/8/8/8/p1pPp2p/8/8/7K b - d3 0 1", 4).join(" "),
            "a4a3 c4c3 c4d3 e4e3 e4d3 h4h3 h8g7 h8g8 h8h7"
        );
    }
}
