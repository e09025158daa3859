//! Ranks, files and diagonals: pins, men that look through another one, and men in a row.

use shakmaty::attacks;
use shakmaty::{Bitboard, Color};

use super::{Field, SquareSet, at, squares};

/// The lines that count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
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
fn sliders(field: &Field<'_>) -> [u64; 2] {
    let [_, _, b, r, q, _, _, _, bb, br, bq, _] = *field.men;
    [r | q | br | bq, b | q | bb | bq]
}

/// Bishops, rooks and queens that would attack one of the targets were it not for one man.
pub(super) fn x_rays(field: &Field<'_>, targets: u64) -> u64 {
    let occupied = field.occupied;
    let [straight, diagonal] = sliders(field);
    let mut found = 0;
    for square in squares(straight | diagonal) {
        let from = at(square);
        let looks = |attacks: fn(shakmaty::Square, Bitboard) -> Bitboard| {
            let first = u64::from(attacks(from, Bitboard(occupied)));
            let behind = u64::from(attacks(from, Bitboard(occupied & !first)));
            // What is seen only where the first men are away.
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

/// Men that stand alone between a king of their side and a slider of the other one.
pub(super) fn pinned(field: &Field<'_>) -> u64 {
    let [straight, diagonal] = sliders(field);
    let mut found = 0;
    for (color, kings) in [(Color::White, field.men[5]), (Color::Black, field.men[11])] {
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
pub(super) fn between(from: u64, to: u64) -> u64 {
    let mut found = 0;
    for a in squares(from) {
        for b in squares(to) {
            found |= u64::from(attacks::between(at(a), at(b)));
        }
    }
    found
}

/// The square one step on, if there is one.
fn step(square: u32, (across, up): (i8, i8)) -> Option<u32> {
    let [file, rank] = [square & 7, square >> 3].map(|n| n.to_le_bytes()[0].cast_signed());
    let (file, rank) = (file + across, rank + up);
    let is_there = (0..8).contains(&file) && (0..8).contains(&rank);
    is_there.then(|| u32::from(rank.cast_unsigned()) * 8 + u32::from(file.cast_unsigned()))
}

/// Whether men of these sets stand on a line in this order with nothing between them.
pub(super) fn ray(field: &Field<'_>, direction: Direction, sets: &[SquareSet]) -> bool {
    let sets: Vec<u64> = sets.iter().map(|set| set.of(field)).collect();
    let Some((first, rest)) = sets.split_first() else {
        return false;
    };
    if sets.contains(&0) {
        return false;
    }
    let steps = match direction {
        Direction::Any => &STEPS[..],
        Direction::Straight => &STEPS[..4],
        Direction::Diagonal => &STEPS[4..],
    };
    let full = 1_u64 << rest.len();
    squares(*first).any(|start| {
        steps.iter().any(|way| {
            // How many of the sets behind the first may have been met so far, one bit each; an empty square of a set
            // may be met or passed by.
            let mut met = 1_u64;
            let mut place = start;
            while let Some(next) = step(place, *way) {
                place = next;
                let taken = rest
                    .iter()
                    .enumerate()
                    .filter(|(at, set)| met >> at & 1 != 0 && *set >> place & 1 != 0)
                    .fold(0, |taken, (at, _)| taken | 2_u64 << at);
                met = if field.occupied >> place & 1 != 0 {
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
        })
    })
}
