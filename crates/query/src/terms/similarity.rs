//! The similarity of positions: the number of moves that turn the pieces of one into those of another.

use shakmaty::attacks;
use shakmaty::{Color, Square};

use crate::terms::board_transform::BoardTransform;
use crate::terms::piece_squares::PieceSquares;
use crate::terms::piece_squares::squares;

/// The most pieces of one kind that are brought to their squares in the best way.
const MOST: usize = 6;

/// A position, and how far away another one may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimilarityTest {
    /// The pieces.
    pub pieces: PieceSquares,
    /// The side to move, if it matters.
    pub turn: Option<Color>,
    /// The maximum number of moves.
    pub within: u32,
}

/// The moves that a piece needs from one square to another where no other piece stands; none where it never gets there.
fn moves(role: usize, from: u32, to: u32) -> Option<u32> {
    let (file, rank) = ((from & 7).abs_diff(to & 7), (from >> 3).abs_diff(to >> 3));
    if from == to {
        return Some(0);
    }
    let straight = file == 0 || rank == 0;
    let diagonal = file == rank;
    match role {
        1 => {
            let mut reached = 1_u64 << from;
            (0..7).find(|_| {
                let there = reached >> to & 1 != 0;
                reached = squares(reached).fold(reached, |all, square| {
                    all | u64::from(attacks::knight_attacks(Square::new(square & 63)))
                });
                there
            })
        }
        2 if !(file + rank).is_multiple_of(2) => None,
        2 => Some(if diagonal { 1 } else { 2 }),
        3 => Some(if straight { 1 } else { 2 }),
        4 => Some(if straight || diagonal { 1 } else { 2 }),
        _ => Some(file.max(rank)),
    }
}

/// The fewest moves that bring pieces of a kind to their squares.
fn brought(role: usize, here: u64, there: u64, most: u32) -> Option<u32> {
    let (from, to): (Vec<u32>, Vec<u32>) = (squares(here).collect(), squares(there).collect());
    if from.len() != to.len() || from.len() > MOST {
        return None;
    }
    // For each set of squares that are taken, the fewest moves of as many pieces.
    let mut best = vec![None; 1 << to.len()];
    best[0] = Some(0_u32);
    for taken in 0..best.len() {
        let Some(so_far) = best[taken] else {
            continue;
        };
        let Some(piece) = from.get(taken.count_ones() as usize) else {
            continue;
        };
        for (place, target) in to.iter().enumerate() {
            let next = taken | 1 << place;
            if next == taken {
                continue;
            }
            if let Some(more) = moves(role, *piece, *target)
                && so_far + more <= most
                && best[next].is_none_or(|known| so_far + more < known)
            {
                best[next] = Some(so_far + more);
            }
        }
    }
    best.last().copied().flatten()
}

impl SimilarityTest {
    /// The same for a board that is turned.
    pub(crate) fn turned(&self, way: BoardTransform) -> SimilarityTest {
        SimilarityTest {
            pieces: way.pieces(&self.pieces),
            turn: self.turn.map(|turn| if way.flip { !turn } else { turn }),
            within: self.within,
        }
    }

    /// How many moves the pieces are away from those of another position with the same pawns, if that is within the limit.
    pub fn nearness(&self, pieces: &PieceSquares, turn: Color) -> Option<u32> {
        if pieces[0] != self.pieces[0]
            || pieces[6] != self.pieces[6]
            || self.turn.is_some_and(|wanted| wanted != turn)
        {
            return None;
        }
        let all = 0..12_usize;
        let is_alike = |kind: usize| pieces[kind].count_ones() == self.pieces[kind].count_ones();
        if !all.clone().all(is_alike) {
            return None;
        }
        let mut sum = 0;
        for kind in all.filter(|kind| kind % 6 != 0) {
            if pieces[kind] != self.pieces[kind] {
                sum += brought(kind % 6, pieces[kind], self.pieces[kind], self.within - sum)?;
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_take_their_shortest_ways() {
        let square = |name: &str| name.parse::<Square>().map(u32::from).expect("a square");
        for (role, from, to, answer) in [
            (1, "b1", "c3", Some(1)),
            (1, "a1", "h8", Some(6)),
            (1, "a1", "b2", Some(4)),
            (2, "c1", "f4", Some(1)),
            (2, "c1", "c2", None),
            (2, "c1", "c3", Some(2)),
            (3, "a1", "b2", Some(2)),
            (4, "a1", "b3", Some(2)),
            (5, "e1", "g4", Some(3)),
        ] {
            assert_eq!(
                moves(role, square(from), square(to)),
                answer,
                "{role} {from} {to}"
            );
        }
        // Two rooks that seem to have crossed.
        assert_eq!(brought(3, 0b11, 0b11 << 8, 9), Some(2));
    }
}
