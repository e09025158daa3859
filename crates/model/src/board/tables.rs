//! Small attack tables, indexed by square numbers that are masked to 0..64.
//!
//! Sliding attacks are asked as "aligned on the empty board, and nothing between":
//! these tables fit into the first-level cache, which magic bitboards do not.

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(super) const RANK_1: u64 = 0xff;

const ROOK_STEPS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const BISHOP_STEPS: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const QUEEN_STEPS: [(i32, i32); 8] = [
    (0, 1),
    (1, 0),
    (0, -1),
    (-1, 0),
    (1, 1),
    (1, -1),
    (-1, -1),
    (-1, 1),
];
const KNIGHT_STEPS: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const BLACK_PAWN_STEPS: [(i32, i32); 2] = [(-1, -1), (1, -1)];
const WHITE_PAWN_STEPS: [(i32, i32); 2] = [(-1, 1), (1, 1)];

/// Squares reached from `square` by repeating each step at most `reach` times on the empty board.
const fn reach(square: i32, steps: &[(i32, i32)], reach: i32) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < steps.len() {
        let (mut file, mut rank) = (square & 7, square >> 3);
        let mut n = 0;
        while n < reach {
            file += steps[i].0;
            rank += steps[i].1;
            if file < 0 || file > 7 || rank < 0 || rank > 7 {
                break;
            }
            set |= 1u64 << (rank * 8 + file);
            n += 1;
        }
        i += 1;
    }
    set
}

const fn reach_table(steps: &[(i32, i32)], times: i32) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = reach(square as i32, steps, times);
        square += 1;
    }
    table
}

/// Attacks on the empty board, by shakmaty's number of the role. A pawn's depend on its colour: they are in the first row
/// for Black and in the last for White, and the pawns' own row is empty.
pub(super) static EMPTY_BOARD: [[u64; 64]; 8] = [
    reach_table(&BLACK_PAWN_STEPS, 1),
    [0; 64],
    reach_table(&KNIGHT_STEPS, 1),
    reach_table(&BISHOP_STEPS, 7),
    reach_table(&ROOK_STEPS, 7),
    reach_table(&QUEEN_STEPS, 7),
    reach_table(&QUEEN_STEPS, 1),
    reach_table(&WHITE_PAWN_STEPS, 1),
];

/// The squares from which a pawn of each colour (Black first) steps to a square: by one step, and by two. The first and last
/// ranks have none, since a pawn must be promoted there.
pub(super) static PAWN_STEPS: [[[u64; 2]; 64]; 2] = {
    let mut table = [[[0; 2]; 64]; 2];
    let mut square = 8;
    while square < 56 {
        table[0][square][0] = 1 << (square + 8);
        table[1][square][0] = 1 << (square - 8);
        if square >> 3 == 4 {
            table[0][square][1] = 1 << (square + 16);
        }
        if square >> 3 == 3 {
            table[1][square][1] = 1 << (square - 16);
        }
        square += 1;
    }
    table
};

const fn opposite_ray(square: i32, step: (i32, i32)) -> u64 {
    reach(square, &[(-step.0, -step.1)], 7)
}

const fn pair_table(whole_line: bool) -> [[u64; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < QUEEN_STEPS.len() {
            let step = QUEEN_STEPS[i];
            let line = reach(square, &[step], 7) | opposite_ray(square, step) | (1 << square);
            let (mut file, mut rank) = (square & 7, square >> 3);
            let mut between = 0u64;
            loop {
                file += step.0;
                rank += step.1;
                if file < 0 || file > 7 || rank < 0 || rank > 7 {
                    break;
                }
                let other = rank * 8 + file;
                table[square as usize][other as usize] = if whole_line { line } else { between };
                between |= 1 << other;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

/// The squares strictly between two squares of one line, else none.
pub(super) static BETWEEN: [[u64; 64]; 64] = pair_table(false);

/// The whole line through two different squares of one line, else none.
pub(super) static LINE: [[u64; 64]; 64] = pair_table(true);

/// Looks up [`BETWEEN`].
#[inline(always)]
pub(super) fn between(a: u32, b: u32) -> u64 {
    BETWEEN[(a & 63) as usize][(b & 63) as usize]
}

/// Looks up [`LINE`].
#[inline(always)]
pub(super) fn line(a: u32, b: u32) -> u64 {
    LINE[(a & 63) as usize][(b & 63) as usize]
}

/// Looks up [`EMPTY_BOARD`].
#[inline(always)]
pub(super) fn empty_board(kind: usize, square: u32) -> u64 {
    EMPTY_BOARD[kind & 7][(square & 63) as usize]
}
