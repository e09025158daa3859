//! Positions in the order of the format's list of moves: the fast way for correct games.
//!
//! The list goes through the pieces file by file. So the board is rotated here: a byte of a set is a file, and a lower bit
//! is an earlier piece. All moves of the side to move are counted, those of each piece into the byte of its file, and
//! multiplications find the file, the piece on it and the direction of a number. Nothing there branches on the number: a
//! mispredicted branch costs more than a useless calculation.
//!
//! The squares seen by the counting are all squares that the side to move attacks. A move that left its king attacked
//! is therefore known at the next count, without a separate check ([`CbfRotatedBoard::is_sound`] covers the last one).
//!
//! A [`CbfRotatedBoard`] gives no reasons. If it reports a problem, replay the game with a [`Board`].

use shakmaty::{Color, Role, Square};
use tabiya_model::{Board, Move};

use super::CbfEnPassant;
use super::tables::{
    DIRECTIONS, KING_STEPS, KNIGHT_STEPS, ONES, PASSERS, PROMOTIONS, RANK_REACH, SPREAD,
};

/// The files a to h are bytes, and rank 1 is the lowest bit of each.
const RANK_1: u64 = ONES;
const HIGH: u64 = ONES << 7;
/// The lower halves of twos, fours and eights of bits.
const PAIRS: u64 = 0x55 * ONES;
const FOURS: u64 = 0x33 * ONES;
const EIGHTS: u64 = 0x0f * ONES;
/// The king's squares, the rooks' and those between them, White's; Black's are seven ranks up.
const KING_HOME: u64 = 1 << 32;
const SHORT_ROOK: u64 = 1 << 56;
const SHORT_WAY: u64 = 1 << 40 | 1 << 48;
const LONG_ROOK: u64 = 1;
const LONG_WAY: u64 = 1 << 8 | 1 << 16 | 1 << 24;

/// The square that is a step away, or nothing.
const fn step(square: usize, (files, ranks): (i32, i32), times: i32) -> Option<u32> {
    let file = (square >> 3) as i32 + files * times;
    let rank = (square & 7) as i32 + ranks * times;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        None
    } else {
        Some((file * 8 + rank) as u32)
    }
}

/// What the numbers of sliding pieces, knights and kings mean.
const SLIDER: usize = 0;
const KNIGHT: usize = 1;
const KING: usize = 2;

/// For a kind of pieces and a square the squares that lie in each of its eight directions, in the list's order.
static WAYS: [[[u64; 8]; 64]; 4] = {
    let mut table = [[[0; 8]; 64]; 4];
    let mut square = 0;
    while square < 64 {
        let mut way = 0;
        while way < 8 {
            let mut times = 1;
            while let Some(to) = step(square, DIRECTIONS[way], times) {
                table[SLIDER][square][way] |= 1 << to;
                times += 1;
            }
            if let Some(to) = step(square, KNIGHT_STEPS[way], 1) {
                table[KNIGHT][square][way] = 1 << to;
            }
            if let Some(to) = step(square, KING_STEPS[way], 1) {
                table[KING][square][way] = 1 << to;
            }
            way += 1;
        }
        square += 1;
    }
    table
};

/// How far the next square of each direction is.
static STRIDES: [[u8; 8]; 4] = {
    let mut table = [[0; 8]; 4];
    let mut way = 0;
    while way < 8 {
        table[SLIDER][way] = (DIRECTIONS[way].0 * 8 + DIRECTIONS[way].1) as u8;
        table[KNIGHT][way] = (KNIGHT_STEPS[way].0 * 8 + KNIGHT_STEPS[way].1) as u8;
        table[KING][way] = (KING_STEPS[way].0 * 8 + KING_STEPS[way].1) as u8;
        way += 1;
    }
    table
};

/// For each place in a line and the pieces on its six inner squares, the places that a piece reaches: as ranks in every byte.
static RANK_FILL: [[u64; 64]; 8] = fill_table(false);
/// The same as files, each a whole byte.
static FILE_FILL: [[u64; 64]; 8] = fill_table(true);

const fn fill_table(files: bool) -> [[u64; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut from = 0;
    while from < 8 {
        let mut inner = 0;
        while inner < 64 {
            let mut to = 0;
            while to < 8 {
                if RANK_REACH[from][inner] >> to & 1 != 0 {
                    table[from][inner] |= if files {
                        0xff << (8 * to)
                    } else {
                        RANK_1 << to
                    };
                }
                to += 1;
            }
            inner += 1;
        }
        from += 1;
    }
    table
}

/// What is known of a square: one line of the cache.
#[repr(align(64))]
struct CbfSquareMasks {
    /// The other squares of its diagonals.
    diagonals: [u64; 2],
    /// The other squares of its file, and what moves them to the highest bits.
    file: u64,
    file_up: u64,
    /// The same of its rank.
    rank: u64,
    rank_up: u64,
    /// A one in the byte of its file.
    one: u64,
    /// The square of the game.
    square: u8,
}

static LINES: [CbfSquareMasks; 64] = {
    let mut table = [const {
        CbfSquareMasks {
            diagonals: [0; 2],
            file: 0,
            file_up: 0,
            rank: 0,
            rank_up: 0,
            one: 0,
            square: 0,
        }
    }; 64];
    let mut at = 0;
    while at < 64 {
        let (file, rank) = (at >> 3, at & 7);
        let ways = &WAYS[SLIDER][at];
        table[at] = CbfSquareMasks {
            diagonals: [ways[0] | ways[2], ways[1] | ways[3]],
            file: ways[5] | ways[7],
            // Of a product the six highest bits are looked at, for the six inner squares.
            file_up: 1 << (57 - 8 * file),
            rank: ways[4] | ways[6],
            // Bits 8, 16 to 48 of rank 1 move to 58, 59 to 63, and nothing else gets there.
            rank_up: 0x0004_0810_2040_8000 >> rank,
            one: 1 << (8 * file),
            square: (rank << 3 | file) as u8,
        };
        at += 1;
    }
    table
};

/// For each square the squares that a knight and a king reach.
static LEAPS: [[u64; 64]; 4] = {
    let mut table = [[0; 64]; 4];
    let mut square = 0;
    while square < 64 {
        let mut way = 0;
        while way < 8 {
            table[KNIGHT][square] |= WAYS[KNIGHT][square][way];
            table[KING][square] |= WAYS[KING][square][way];
            way += 1;
        }
        square += 1;
    }
    table
};

/// For each value of the en passant variable the pawns that have an entry: Black's, then White's.
static PASSING: [[u64; 16]; 2] = {
    let mut table = [[0; 16]; 2];
    let mut variable = 0;
    while variable <= 8 {
        let mut file = 0;
        while file < 8 {
            if PASSERS[variable] >> file & 1 != 0 {
                table[0][variable] |= 1 << (8 * file + 3);
                table[1][variable] |= 1 << (8 * file + 4);
            }
            file += 1;
        }
        variable += 1;
    }
    table
};

/// How far a pawn's moves lead, in their order: Black's, then White's.
static PAWN_STRIDES: [[u8; 8]; 2] = [[254, 255, 247, 7, 0, 0, 0, 0], [2, 1, 249, 9, 0, 0, 0, 0]];

/// The role of each code of a piece.
const ROLES: [Role; 8] = [
    Role::Pawn,
    Role::Pawn,
    Role::Bishop,
    Role::Knight,
    Role::Rook,
    Role::King,
    Role::Queen,
    Role::King,
];
/// The codes of the pieces that a pawn becomes, in the list's order.
const PROMOTED: [u64; 4] = [6, 4, 2, 3];

/// The square on its side, or back.
#[inline(always)]
fn turn(square: u32) -> u32 {
    (square & 7) << 3 | square >> 3 & 7
}

#[inline(always)]
fn index(number: u64) -> usize {
    (number & 0xff) as usize
}

#[inline(always)]
fn bishop_reach(at: usize, occupied: u64) -> u64 {
    let [rising, falling] = LINES[at & 63].diagonals;
    let fill = &RANK_FILL[at & 7];
    let along = |line: u64| {
        let inner = (occupied & line).wrapping_mul(ONES << 1) >> 58;
        fill[index(inner) & 63] & line
    };
    along(rising) | along(falling)
}

#[inline(always)]
fn rook_reach(at: usize, occupied: u64) -> u64 {
    let lines = &LINES[at & 63];
    let in_file = occupied.wrapping_mul(lines.file_up) >> 58;
    let in_rank = (occupied & lines.rank).wrapping_mul(lines.rank_up) >> 58;
    RANK_FILL[at & 7][index(in_file) & 63] & lines.file
        | FILE_FILL[at >> 3 & 7][index(in_rank) & 63] & lines.rank
}

/// Where each piece can go: only the squares of pieces are up to date.
pub(in crate::cbf) struct CbfReachTable([u64; 64]);

impl Default for CbfReachTable {
    fn default() -> CbfReachTable {
        CbfReachTable([0; 64])
    }
}

/// A position on its side, of a game of which nothing is wrong so far.
#[derive(Clone)]
pub(in crate::cbf) struct CbfRotatedBoard {
    us: u64,
    them: u64,
    /// A piece's code is spread over three sets. Bishops and queens are in the second, rooks and queens in the third; in
    /// the first are pawns, knights (in the second too) and kings (in the third too).
    odd: u64,
    diagonal: u64,
    straight: u64,
    /// Kings and rooks that may still castle with each other, among other squares.
    unmoved: u64,
    /// The square that a pawn has just passed.
    passed: u64,
    en_passant: CbfEnPassant,
    color: Color,
}

#[inline(always)]
fn each(mut pieces: u64, mut what: impl FnMut(usize)) {
    while pieces != 0 {
        what(pieces.trailing_zeros() as usize & 63);
        pieces &= pieces - 1;
    }
}

/// The moves of all pieces, counted.
struct CbfMoveCounts {
    /// By file, a byte each.
    files: u64,
    /// The same of the pawns alone.
    pawn_files: u64,
    pawns: u64,
    single: u64,
    double: u64,
    left: u64,
    right: u64,
    en_passant: u64,
    /// Pawns with an odd number of single steps and captures.
    ones: u64,
    /// Pawns with two or three of them.
    twos: u64,
    /// What the side to move attacks.
    attacked: u64,
}

/// The first byte in which a rising row of sums reaches a number, as a shift, and what is left of the number there.
#[inline(always)]
fn find(sums: u64, number: u64) -> Option<(u32, u64)> {
    let reached = (sums | HIGH).wrapping_sub(number.wrapping_mul(ONES)) & HIGH;
    if reached == 0 {
        return None;
    }
    let shift = reached.trailing_zeros() & 56;
    Some((shift, number.wrapping_sub(sums << 8 >> shift & 0xff)))
}

impl CbfRotatedBoard {
    /// The position of a board; nothing where it is too odd for the quick way.
    pub(in crate::cbf) fn new(board: &Board, en_passant: CbfEnPassant) -> Option<CbfRotatedBoard> {
        let turned = |set: shakmaty::Bitboard| {
            set.into_iter()
                .fold(0, |set, square| set | 1_u64 << turn(u32::from(square)))
        };
        let of = |role: Role| turned(board.by_role(role));
        let color = board.turn();
        let (pawns, rooks) = (of(Role::Pawn), of(Role::Rook));
        let (us, them, kings) = (turned(board.us()), turned(board.them()), of(Role::King));
        let passed = board
            .ep_square()
            .map_or(0, |square| 1 << turn(square.into()));
        let unmoved = turned(board.castling_rooks());
        let corners = (SHORT_ROOK | LONG_ROOK) << 7 | SHORT_ROOK | LONG_ROOK;
        let is_odd = board.is_exposed()
            || Color::ALL
                .into_iter()
                .any(|color| board.king_of(color).is_none())
            || pawns & (RANK_1 | RANK_1 << 7) != 0
            || unmoved & !corners != 0
            || passed & (us | them) != 0;
        (!is_odd).then_some(CbfRotatedBoard {
            us,
            them,
            odd: pawns | of(Role::Knight) | kings,
            diagonal: of(Role::Bishop) | of(Role::Queen) | of(Role::Knight),
            straight: rooks | of(Role::Queen) | kings,
            unmoved: unmoved | kings,
            passed,
            en_passant,
            color,
        })
    }

    /// Plays the move of a number and says what it is. Nothing where there is no such move, where the last one left a
    /// king attacked, and for castling without a right.
    #[inline(always)]
    pub(in crate::cbf) fn advance(
        &mut self,
        number: u8,
        reach: &mut CbfReachTable,
    ) -> Option<Move> {
        match self.color {
            Color::White => self.advance_as::<true>(number, reach),
            Color::Black => self.advance_as::<false>(number, reach),
        }
    }

    /// Whether the last move left no king attacked.
    pub(in crate::cbf) fn is_sound(&self) -> bool {
        let kings = self.odd & self.straight;
        self.attacked() & self.them & kings == 0
    }

    /// What the side to move attacks.
    #[inline(never)]
    fn attacked(&self) -> u64 {
        let mut reach = CbfReachTable::default();
        match self.color {
            Color::White => self.count::<true>(&mut reach).attacked,
            Color::Black => self.count::<false>(&mut reach).attacked,
        }
    }

    #[inline(always)]
    fn count<const WHITE: bool>(&self, reach: &mut CbfReachTable) -> CbfMoveCounts {
        let CbfRotatedBoard {
            us,
            them,
            odd,
            diagonal,
            straight,
            ..
        } = *self;
        let (occupied, kings) = (us | them, odd & straight);
        let targets = !(us | them & kings);
        let prey = them & !kings;
        let free = !occupied;
        let pawns = us & odd & !diagonal & !straight;
        let (single, double, left, right, mut attacked) = if WHITE {
            let single = pawns & free >> 1;
            (
                single,
                single & RANK_1 << 1 & free >> 2,
                pawns & prey << 7,
                pawns & prey >> 9,
                pawns >> 7 | pawns << 9,
            )
        } else {
            let single = pawns & free << 1;
            (
                single,
                single & RANK_1 << 6 & free << 2,
                pawns & prey << 9,
                pawns & prey >> 7,
                pawns >> 9 | pawns << 7,
            )
        };
        let variable = usize::from(self.en_passant.file() & 15);
        let passing = pawns & PASSING[usize::from(WHITE)][variable];
        let ones = single ^ left ^ right;
        let twos = single & left | right & (single | left);
        // The bits of each byte added up: by twos, fours and eights. A file has one pawn with a double step at most, so
        // fours hold at most 14.
        let fours = |set: u64| {
            let pairs = set - (set >> 1 & PAIRS);
            (pairs & FOURS) + (pairs >> 2 & FOURS)
        };
        let sum = fours(ones) + 2 * fours(twos) + fours(double | passing);
        let mut pawn_files = (sum & EIGHTS) + (sum >> 4 & EIGHTS);
        let far = Self::far::<WHITE>();
        if pawns & far != 0 {
            let lowest = |set: u64| (set & far) >> if WHITE { 6 } else { 1 };
            pawn_files += 3 * lowest(ones) + 6 * lowest(twos);
        }
        let mut files = pawn_files;
        let mut add = |at: usize, seen: u64, moves: u64| {
            attacked |= seen;
            reach.0[at & 63] = moves;
            files = files.wrapping_add(u64::from(moves.count_ones()) * LINES[at & 63].one);
        };
        each(us & odd & diagonal, |at| {
            let seen = LEAPS[KNIGHT][at];
            add(at, seen, seen & targets);
        });
        each(us & diagonal & !odd & !straight, |at| {
            let seen = bishop_reach(at, occupied);
            add(at, seen, seen & targets);
        });
        each(us & straight & !odd & !diagonal, |at| {
            let seen = rook_reach(at, occupied);
            add(at, seen, seen & targets);
        });
        each(us & straight & diagonal & !odd, |at| {
            let seen = rook_reach(at, occupied) | bishop_reach(at, occupied);
            add(at, seen, seen & targets);
        });
        let king = (us & kings).trailing_zeros() as usize & 63;
        let seen = LEAPS[KING][king];
        let up = if WHITE { 0 } else { 7 };
        let mut moves = seen & targets;
        if us & kings & KING_HOME << up != 0 {
            // The rooks stand for castling: no king steps onto them. Rights do not matter.
            let rooks = us & straight & !odd & !diagonal;
            if occupied & SHORT_WAY << up == 0 {
                moves |= rooks & SHORT_ROOK << up;
            }
            if occupied & LONG_WAY << up == 0 {
                moves |= rooks & LONG_ROOK << up;
            }
        }
        add(king, seen, moves);
        CbfMoveCounts {
            files,
            pawn_files,
            pawns,
            single,
            double,
            left,
            right,
            en_passant: passing,
            ones,
            twos,
            attacked,
        }
    }

    /// The rank before the last.
    const fn far<const WHITE: bool>() -> u64 {
        if WHITE { RANK_1 << 6 } else { RANK_1 << 1 }
    }

    #[inline(always)]
    fn advance_as<const WHITE: bool>(
        &mut self,
        number: u8,
        reach: &mut CbfReachTable,
    ) -> Option<Move> {
        let counted = self.count::<WHITE>(reach);
        let kings = self.odd & self.straight;
        if counted.attacked & self.them & kings != 0 {
            return None;
        }
        // Where no file and no sum of files has a high bit, no sum has run over.
        let sums = counted.files.wrapping_mul(ONES);
        if (counted.files | sums) & HIGH != 0 {
            return None;
        }
        let (file, number) = find(sums, u64::from(number))?;

        // The same for the pieces of that file, each in the byte of its rank.
        let spread = |set: u64| SPREAD[index(set >> file)];
        let more = counted.double | counted.en_passant;
        let mut ranks = spread(counted.ones) + 2 * spread(counted.twos) + spread(more);
        let far = Self::far::<WHITE>();
        if counted.pawns & far != 0 {
            ranks += 3 * spread(counted.ones & far) + 6 * spread(counted.twos & far);
        }
        // There are seldom more than two pieces: the last one has what the first one and the pawns leave.
        let pieces = self.us & !counted.pawns & 0xff << file;
        let moves = |at: u32| u64::from(reach.0[(at & 63) as usize].count_ones());
        let first = pieces.trailing_zeros() & 63;
        let last = 63 - (pieces | 1 << first).leading_zeros();
        let of_pieces = (counted.files - counted.pawn_files) >> file & 0xff;
        let mut add = |count: u64, at: u32| ranks = ranks.wrapping_add(count << (8 * (at & 7)));
        add(moves(first), first);
        add(of_pieces.wrapping_sub(moves(first)), last);
        let mut others = pieces & !(1 << first | 1 << last);
        while others != 0 {
            let at = others.trailing_zeros();
            add(moves(at), at);
            add(moves(at).wrapping_neg(), last);
            others &= others - 1;
        }
        let (rank, number) = find(ranks.wrapping_mul(ONES), number)?;
        let from = file + rank / 8;

        if counted.pawns >> from & 1 != 0 {
            return self.advance_pawn::<WHITE>(&counted, from, number);
        }
        let bit = |set: u64| set >> from & 1;
        let (odd, straight) = (bit(self.odd), bit(self.straight));
        let kind = index(odd + (odd & straight)) & 3;
        let set = reach.0[from as usize & 63];
        let mut sums = 0;
        for (way, line) in WAYS[kind][from as usize & 63].iter().enumerate() {
            sums |= u64::from((set & line).count_ones()) << (8 * way);
        }
        let sums = sums.wrapping_mul(ONES);
        let Some((way, times)) = find(sums, number) else {
            return self.castle::<WHITE>(set, number.wrapping_sub(sums >> 56));
        };
        let stride = STRIDES[kind][(way / 8) as usize & 7];
        let to = from.wrapping_add(u32::from(stride).wrapping_mul(times as u32)) & 63;
        let code = odd | bit(self.diagonal) << 1 | straight << 2;
        let capture = self.them >> to & 1 != 0;
        let role = ROLES[index(code) & 7];
        self.put(from, to, code);
        Some(Move::normal(role, square(from), square(to), capture, None))
    }

    #[inline(always)]
    fn advance_pawn<const WHITE: bool>(
        &mut self,
        counted: &CbfMoveCounts,
        from: u32,
        number: u64,
    ) -> Option<Move> {
        let bit = |set: u64| set >> from & 1;
        let is_far = bit(Self::far::<WHITE>()) != 0;
        let each = if is_far { 4 } else { 1 };
        let several = bit(counted.single) << 8 | bit(counted.left) << 16 | bit(counted.right) << 24;
        let counts = bit(counted.double) | (several * each) | bit(counted.en_passant) << 32;
        let (kind, within) = find(counts.wrapping_mul(ONES), number)?;
        let kind = (kind / 8) as usize;
        if kind >= 4 {
            return self.capture_en_passant::<WHITE>(from);
        }
        let stride = PAWN_STRIDES[usize::from(WHITE)][kind];
        let to = from.wrapping_add(stride.into()) & 63;
        let capture = kind >= 2;
        let (mut code, mut promotion) = (1, None);
        if is_far {
            let choice = index(within.wrapping_sub(1)) & 3;
            (code, promotion) = (PROMOTED[choice], Some(PROMOTIONS[choice]));
        }
        self.put(from, to, code);
        if kind == 0 {
            // The square between.
            self.passed = 1 << ((from + to) / 2);
            self.en_passant = CbfEnPassant::new((from >> 3) as u8 + 1);
        }
        Some(Move::normal(
            Role::Pawn,
            square(from),
            square(to),
            capture,
            promotion,
        ))
    }

    /// Takes in passing.
    #[inline(never)]
    fn capture_en_passant<const WHITE: bool>(&mut self, from: u32) -> Option<Move> {
        let to = self.passed.trailing_zeros();
        let pawn = 1_u64 << from;
        let attacked = if WHITE {
            pawn >> 7 | pawn << 9
        } else {
            pawn >> 9 | pawn << 7
        };
        let taken = 1_u64.checked_shl(to ^ 1)?;
        let pawns = self.odd & !self.diagonal & !self.straight;
        if attacked & self.passed == 0 || self.them & pawns & taken == 0 {
            return None;
        }
        self.odd &= !taken;
        self.them &= !taken;
        self.unmoved &= !taken;
        self.put(from, to, 1);
        Some(Move::en_passant(square(from), square(to)))
    }

    /// Castles by the number of castling, from 1; the moves of the king are known.
    #[inline(never)]
    fn castle<const WHITE: bool>(&mut self, moves: u64, number: u64) -> Option<Move> {
        let up = if WHITE { 0 } else { 7 };
        let king = KING_HOME << up;
        let (short, long) = (moves & SHORT_ROOK << up != 0, moves & LONG_ROOK << up != 0);
        let is_short = short && number == 1;
        let (rook, king_to, rook_to) = if is_short {
            (SHORT_ROOK << up, king << 16, king << 8)
        } else if long && number == 1 + u64::from(short) {
            (LONG_ROOK << up, king >> 16, king >> 8)
        } else {
            return None;
        };
        let has_right = self.us & king != 0 && self.unmoved & king != 0 && self.unmoved & rook != 0;
        let other = CbfRotatedBoard {
            us: self.them,
            them: self.us,
            color: !self.color,
            ..self.clone()
        };
        if !has_right || other.attacked() & (king | king_to | rook_to) != 0 {
            return None;
        }
        let gone = king | rook;
        self.odd = self.odd & !gone | king_to;
        self.straight = self.straight & !gone | king_to | rook_to;
        let us = self.us & !gone | king_to | rook_to;
        (self.us, self.them) = (self.them, us);
        self.unmoved &= !gone;
        self.passed = 0;
        self.color = !self.color;
        Some(Move::castle(
            square(king.trailing_zeros()),
            square(rook.trailing_zeros()),
        ))
    }

    /// Moves a piece, whose code is `code` afterwards, and passes the turn.
    #[inline(always)]
    fn put(&mut self, from: u32, to: u32, code: u64) {
        let there = 1_u64 << to;
        let moved = 1_u64 << from | there;
        self.odd = self.odd & !moved | (code & 1) << to;
        self.diagonal = self.diagonal & !moved | (code >> 1 & 1) << to;
        self.straight = self.straight & !moved | (code >> 2) << to;
        let us = self.us ^ moved;
        self.us = self.them & !there;
        self.them = us;
        self.unmoved &= !moved;
        self.passed = 0;
        self.en_passant = CbfEnPassant::default();
        self.color = !self.color;
    }
}

/// The square of the game.
#[inline(always)]
fn square(at: u32) -> Square {
    Square::new(u32::from(LINES[(at & 63) as usize].square & 63))
}

#[cfg(test)]
mod tests {
    use super::super::{CbfMoveMeaning, move_of};
    use super::*;
    use crate::cbf::record::castle_is_attacked;

    #[test]
    fn pieces_reach_what_they_attack() {
        use shakmaty::Bitboard;
        use shakmaty::attacks::{bishop_attacks, rook_attacks};
        let mut pieces = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..300_u32 {
            pieces = pieces
                .rotate_left(round % 61)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9)
                ^ pieces >> 29;
            for occupied in [pieces, pieces & pieces >> 17, pieces | pieces << 9, 0, !0] {
                for from in Square::ALL {
                    // A board that lies on its side is a board too.
                    let (at, pieces) = (usize::from(from), Bitboard(occupied));
                    assert_eq!(
                        Bitboard(rook_reach(at, occupied)),
                        rook_attacks(from, pieces)
                    );
                    assert_eq!(
                        Bitboard(bishop_reach(at, occupied)),
                        bishop_attacks(from, pieces)
                    );
                }
            }
        }
    }

    /// What the thorough way says about a number: the move, if nothing is odd about it.
    fn expected(board: &Board, en_passant: CbfEnPassant, number: u32) -> Option<Move> {
        let CbfMoveMeaning::Move(m) = move_of(board, en_passant, number) else {
            return None;
        };
        if let Some(side) = m.castling_side()
            && (castle_is_attacked(board, m) || board.find_castle(side) != Some(m))
        {
            return None;
        }
        let mut after = board.clone();
        after.play(m);
        (!after.is_exposed()).then_some(m)
    }

    #[test]
    fn the_quick_way_agrees_with_the_thorough_one() {
        let mut state = 11_u64;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let (mut compared, mut castled, mut passed, mut promoted) = (0, 0, 0, 0);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 0 1",
            "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
            "4k3/pppppppp/8/PPPPPPPP/pppppppp/8/PPPPPPPP/4K3 w - - 0 1",
            "RRR5/RRR5/RRR5/8/4k3/5nnn/5nnn/K4nnn w - - 0 1",
            "qq1qkqqq/8/8/8/8/8/8/QQ1QKQQQ w - - 0 1",
        ] {
            for _ in 0..40 {
                let (mut board, _) = Board::from_fen(fen).expect("a position");
                let mut en_passant = CbfEnPassant::default();
                let mut turned =
                    CbfRotatedBoard::new(&board, en_passant).expect("an ordinary position");
                let mut reach = CbfReachTable::default();
                for _ in 0..80 {
                    let mut moves = Vec::new();
                    // Beyond what fits a byte's lower half the quick way gives up on the whole position.
                    let is_countable =
                        matches!(move_of(&board, en_passant, 128), CbfMoveMeaning::Beyond(_));
                    for number in 1..128_u8 {
                        let mut after = turned.clone();
                        let found = after
                            .advance(number, &mut reach)
                            .filter(|_| after.is_sound());
                        let wanted = expected(&board, en_passant, number.into());
                        assert_eq!(
                            found,
                            wanted.filter(|_| is_countable),
                            "{number} {board:?} {en_passant:?}"
                        );
                        compared += 1;
                        moves.extend(found.map(|m| (m, after)));
                    }
                    if moves.is_empty() {
                        break;
                    }
                    let m;
                    (m, turned) = moves.swap_remove(random(moves.len()));
                    castled += u32::from(m.is_castle());
                    passed += u32::from(m.is_en_passant());
                    promoted += u32::from(m.promotion().is_some());
                    board.play(m);
                    en_passant = en_passant.after(m);
                }
            }
        }
        assert!(compared > 1_000_000, "{compared}");
        assert!(
            castled > 20 && passed > 5 && promoted > 100,
            "{castled} {passed} {promoted}"
        );
    }
}
