//! Ranks, files and diagonals: pins, X-rays, and pieces in a row.

use shakmaty::attacks;
use shakmaty::{Bitboard, Color};

use super::{RelationBoard, SquareSet, at};
use crate::terms::piece_squares::squares;

/// The lines that count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineDirection {
    /// All.
    Any,
    /// Ranks and files.
    Straight,
    /// Diagonals.
    Diagonal,
}

/// The steps of a king, by file and by rank: first the straight ones.
const STEPS: [(i8, i8); 8] = [
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
];

/// White's and Black's sliders: those that move straight and those that move on diagonals.
fn sliders(field: &RelationBoard<'_>) -> [u64; 2] {
    let [_, _, b, r, q, _, _, _, bb, br, bq, _] = *field.pieces;
    [r | q | br | bq, b | q | bb | bq]
}

/// Those of some bishops, rooks and queens that would attack one of the targets were it not for one piece.
pub(super) fn x_rays(field: &RelationBoard<'_>, targets: u64, among: u64) -> u64 {
    let occupied = field.occupied;
    let [straight, diagonal] = sliders(field);
    let mut found = 0;
    let from = (straight | diagonal) & among;
    field.spend(from.count_ones());
    for square in squares(from) {
        let from = at(square);
        let looks = |attacks: fn(shakmaty::Square, Bitboard) -> Bitboard| {
            let first = u64::from(attacks(from, Bitboard(occupied)));
            let behind = u64::from(attacks(from, Bitboard(occupied & !first)));
            // What is seen only where the first pieces are away.
            behind & !first & targets != 0
        };
        let is = |set: u64| set >> square & 1 != 0;
        if is(straight) && looks(attacks::rook_attacks)
            || is(diagonal) && looks(attacks::bishop_attacks)
        {
            found |= 1 << square;
        }
    }
    found
}

/// Pieces that stand alone between a king of their side and a slider of the other one.
pub(super) fn pinned(field: &RelationBoard<'_>) -> u64 {
    field.spend((field.pieces[5] | field.pieces[11]).count_ones());
    let [straight, diagonal] = sliders(field);
    let mut found = 0;
    for (color, kings) in [
        (Color::White, field.pieces[5]),
        (Color::Black, field.pieces[11]),
    ] {
        let own = field.of_color(color);
        for king in squares(kings) {
            let rooks = u64::from(attacks::rook_attacks(at(king), Bitboard(0))) & straight;
            let bishops = u64::from(attacks::bishop_attacks(at(king), Bitboard(0))) & diagonal;
            for slider in squares((rooks | bishops) & !own) {
                let between = u64::from(attacks::between(at(king), at(slider))) & field.occupied;
                if between.count_ones() == 1 {
                    found |= between & own;
                }
            }
        }
    }
    found
}

/// The squares strictly between one of the first and one of the second.
pub(super) fn between(field: &RelationBoard<'_>, from: u64, to: u64) -> u64 {
    let mut found = 0;
    field.spend(from.count_ones() * to.count_ones());
    for a in squares(from) {
        for b in squares(to) {
            found |= u64::from(attacks::between(at(a), at(b)));
        }
    }
    found
}

/// The square one step on, if there is one.
fn step(square: u32, (across, up): (i8, i8)) -> Option<u32> {
    let small = |n: u32| n.to_le_bytes()[0].cast_signed();
    let (file, rank) = (small(square & 7), small(square >> 3));
    let (file, rank) = (file + across, rank + up);
    let is_there = (0..8).contains(&file) && (0..8).contains(&rank);
    is_there.then(|| u32::from(rank.cast_unsigned()) * 8 + u32::from(file.cast_unsigned()))
}

/// The squares of each step from each square to the edge.
static WAYS: [[u64; 64]; 8] = {
    let mut ways = [[0; 64]; 8];
    let mut way = 0;
    while way < ways.len() {
        let (across, up) = STEPS[way];
        let mut square = 0;
        while square < 64 {
            let (mut file, mut rank) = (square % 8 + across as i32, square / 8 + up as i32);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                ways[way][square as usize] |= 1 << (rank * 8 + file);
                file += across as i32;
                rank += up as i32;
            }
            square += 1;
        }
        way += 1;
    }
    ways
};

/// The squares of the longest lines: more sets than that are never met.
const LONGEST: usize = 8;

/// Whether pieces of these sets stand on a line in this order with nothing between them.
pub(super) fn ray(field: &RelationBoard<'_>, direction: LineDirection, sets: &[SquareSet]) -> bool {
    let mut room = [0; LONGEST];
    let Some(room) = room.get_mut(..sets.len()) else {
        return false;
    };
    for (room, set) in room.iter_mut().zip(sets) {
        *room = set.of(field);
        if *room == 0 {
            return false;
        }
    }
    let Some((first, rest)) = room.split_first() else {
        return false;
    };
    let ways = match direction {
        LineDirection::Any => 0..8,
        LineDirection::Straight => 0..4,
        LineDirection::Diagonal => 4..8,
    };
    field.spend(first.count_ones());
    squares(*first).any(|start| {
        ways.clone().any(|way| {
            let line = WAYS[way & 7][start as usize & 63];
            rest.iter().all(|set| set & line != 0)
                && meets(field.occupied, rest, start, STEPS[way & 7])
        })
    })
}

/// Whether who goes from a square step by step meets the sets in their order.
fn meets(occupied: u64, sets: &[u64], start: u32, way: (i8, i8)) -> bool {
    let full = 1_u64 << sets.len();
    // How many of the sets may have been met so far, one bit each; an empty square of a set may be met or passed by.
    let mut met = 1_u64;
    let mut place = start;
    while let Some(next) = step(place, way) {
        place = next;
        let taken = sets
            .iter()
            .enumerate()
            .filter(|(at, set)| met >> at & 1 != 0 && *set >> place & 1 != 0)
            .fold(0, |taken, (at, _)| taken | 2_u64 << at);
        met = if occupied >> place & 1 != 0 {
            taken
        } else {
            met | taken
        };
        if met & full != 0 {
            return true;
        }
        if met == 0 {
            break;
        }
    }
    false
}
