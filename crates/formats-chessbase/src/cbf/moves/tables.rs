//! Tables of steps, ways and files for counting moves.

use shakmaty::{Role, Square};

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(super) const RANK_1: u64 = 0xff;
/// The moves to the last rank, in order.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

pub(super) const FILE_H: u64 = FILE_A << 7;
pub(super) const RANK_8: u64 = RANK_1 << 56;
/// A one in each byte.
pub(super) const ONES: u64 = FILE_A;
/// Totals above this do not take the short way.
pub(super) const LANE_MAX: u64 = 127;
/// No square.
pub(super) const NOWHERE: u8 = 64;

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
pub(super) const EDGES: [(bool, u64); 8] = [
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
pub(super) const fn step(square: i32, (files, ranks): (i32, i32), times: i32) -> i32 {
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

/// For each file and the pieces on the six inner squares of a rank, the squares of the rank that a rook reaches.
const fn rank_table() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let pieces = (inner << 1) as u8;
            let mut to = file;
            while to > 0 {
                to -= 1;
                table[file][inner] |= 1 << to;
                if pieces >> to & 1 != 0 {
                    break;
                }
            }
            let mut to = file;
            while to < 7 {
                to += 1;
                table[file][inner] |= 1 << to;
                if pieces >> to & 1 != 0 {
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
pub(super) fn rook_reach(from: Square, occupied: u64) -> u64 {
    let at = u32::from(from);
    let (here, file, rank) = (1_u64 << at, at & 7, at & 56);
    let along = RANK_REACH[file as usize][(occupied >> rank >> 1 & 63) as usize];
    let line = FILE_A << file;
    let pieces = occupied & line;
    // What a subtraction of the piece's own bit changes is what lies between it and the next piece of the file; upside down
    // for the other way.
    let up = pieces.wrapping_sub(here << 1);
    let down = pieces
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

pub(super) static KING_TO: [[u8; 8]; 64] = step_table(&KING_STEPS);
pub(super) static KNIGHT_TO: [[u8; 8]; 64] = step_table(&KNIGHT_STEPS);
pub(super) static RAYS: [[u64; 64]; 8] = ray_table();
pub(super) static SPREAD: [u64; 256] = spread_table();
pub(super) static RANK_REACH: [[u8; 64]; 8] = rank_table();
