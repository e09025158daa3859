//! How often positions of a repertoire arise if it is played.

use crate::repertoire::Repertoire;

/// The most plies of a way that is counted.
const MOST_PLIES: usize = 200;

/// How often a move was played in a position of a reference: games with the move, and games with any move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveFrequency {
    /// Games in which this move was played.
    pub games: u64,
    /// Games in which any move was played.
    pub of: u64,
}

impl MoveFrequency {
    /// The part of the games.
    #[must_use]
    pub fn share(self) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        match self.of {
            0 => 0.0,
            of => self.games as f64 / of as f64,
        }
    }
}

/// How often each position arises from the start if the repertoire is played: of several own moves each equally often, or
/// in the proportion of their shares; of the opponent's moves each as often as in a reference, or by its share. `played`
/// gets the number of a position and the index of a move there.
///
/// It is the sum over all lines and over all plies up to 200, so that a position that is reached again counts again.
#[must_use]
pub fn position_frequencies(
    repertoire: &Repertoire,
    played: &dyn Fn(u32, usize) -> MoveFrequency,
) -> Vec<f64> {
    let count = repertoire.positions().len();
    let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let mut sum = vec![0.0; count];
    let mut now: Vec<(u32, f64)> = repertoire
        .starts()
        .iter()
        .map(|start| (*start, 1.0))
        .collect();
    let mut next = vec![0.0; count];
    for _ in 0..=MOST_PLIES {
        let mut reached: Vec<u32> = Vec::new();
        for (number, frequency) in &now {
            if let Some(slot) = sum.get_mut(place(*number)) {
                *slot += frequency;
            }
            for (_, to, share) in shares(repertoire, *number, played) {
                let more = frequency * share;
                if more <= 0.0 {
                    continue;
                }
                if let Some(slot) = next.get_mut(place(to)) {
                    if *slot == 0.0 {
                        reached.push(to);
                    }
                    *slot += more;
                }
            }
        }
        if reached.is_empty() {
            break;
        }
        // The order of the numbers, so that sums are the same on every run.
        reached.sort_unstable();
        now.clear();
        for number in reached {
            if let Some(slot) = next.get_mut(place(number)) {
                now.push((number, std::mem::take(slot)));
            }
        }
    }
    sum
}

/// The places of the moves of a position, the positions after them, and the part of the games that goes there.
pub(crate) fn shares(
    repertoire: &Repertoire,
    number: u32,
    played: &dyn Fn(u32, usize) -> MoveFrequency,
) -> Vec<(usize, u32, f64)> {
    let Some(position) = repertoire.position(number) else {
        return Vec::new();
    };
    let is_my_turn = repertoire.is_my_turn(number);
    let moves = position.active_moves(is_my_turn);
    let marked = |at: &usize| position.moves.get(*at).and_then(|m| m.marks.share);
    let total: f64 = moves.iter().filter_map(marked).map(f64::from).sum();
    #[allow(clippy::cast_precision_loss)]
    let equal = 1.0 / moves.len().max(1) as f64;
    let any = moves.iter().any(|at| marked(at).is_some());
    let share = |at: usize| match (is_my_turn, marked(&at)) {
        (true, Some(share)) if total > 0.0 => f64::from(share) / total,
        (true, _) if any => 0.0,
        (true, _) => equal,
        (false, Some(share)) => f64::from(share) / 100.0,
        (false, None) => played(number, at).share(),
    };
    moves
        .iter()
        .filter_map(|at| Some((*at, position.moves.get(*at)?.to?, share(*at))))
        .collect()
}
