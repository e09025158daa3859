//! Which positions were reached at all, or by more than one game, as far as two bits for each can show.
//!
//! Most positions of a base are reached by one game alone. If they are known beforehand, a game has to be followed only as
//! far as others went with it, and many more games are compared at once.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_openings::position_key::PositionKey;

use super::positions::{each_position, last_day, of_positions};

/// Positions of a game, as many have them.
const POSITIONS: u64 = 80;
/// The most bits that number a word: 256 MiB.
const MOST: u32 = 25;

/// The positions. A position that was reached is always found; of the others few are.
pub(super) struct ReachedPositions {
    words: Vec<AtomicU64>,
    /// How far a hash is moved to number a word.
    shift: u32,
    /// Drawn anew for each run, so that nobody can make positions that look alike.
    odd: u64,
    /// Whether those are asked for that were reached twice.
    twice: bool,
}

impl ReachedPositions {
    /// For a reference of so many games.
    pub(super) fn new(games: u64, twice: bool) -> ReachedPositions {
        // Two to three positions for each word.
        let wanted = games.saturating_mul(POSITIONS) * 2 / 5;
        let bits = wanted.max(2).ilog2().clamp(10, MOST);
        ReachedPositions {
            words: (0..1_u64 << bits).map(|_| AtomicU64::new(0)).collect(),
            shift: u64::BITS - bits,
            odd: RandomState::new().hash_one(games) | 1,
            twice,
        }
    }

    /// The word of a position, and its two bits there; those for the second time stand beside them.
    fn place(&self, key: PositionKey) -> Option<(&AtomicU64, u64)> {
        let hash = key.0.wrapping_mul(self.odd);
        let word = self.words.get(usize::try_from(hash >> self.shift).ok()?)?;
        let bit = |from: u32| 1_u64 << (2 * (hash >> from & 31));
        Some((word, bit(20) | bit(25)))
    }

    fn mark(&self, key: PositionKey) {
        let Some((word, once)) = self.place(key) else {
            return;
        };
        let (known, twice) = (word.load(Ordering::Relaxed), once << 1);
        if known & (once | twice) == once | twice {
            return;
        }
        let before = word.fetch_or(once, Ordering::Relaxed);
        if before & once == once {
            word.fetch_or(twice, Ordering::Relaxed);
        }
    }

    /// Whether a position may have been reached.
    pub(super) fn has(&self, key: PositionKey) -> bool {
        self.place(key).is_none_or(|(word, once)| {
            let wanted = if self.twice { once << 1 } else { once };
            word.load(Ordering::Relaxed) & wanted == wanted
        })
    }
}

impl Statistic for ReachedPositions {
    type Sum = ();

    fn needs(&self) -> CollectorNeeds {
        of_positions()
    }

    fn see(&self, _sum: &mut (), game: &mut GameView<'_>) -> Result<()> {
        if last_day(game.fact()?.date).is_none() {
            return Ok(());
        }
        each_position(game, |key, _| self.mark(key))
    }

    fn add(&self, _sum: &mut (), _part: (), _first: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reached_is_found_and_little_else() {
        let numbers = RandomState::new();
        let key = |number: u64| PositionKey(numbers.hash_one(number));
        let (once, twice) = (
            ReachedPositions::new(1_000, false),
            ReachedPositions::new(1_000, true),
        );
        for number in 0..80_000 {
            once.mark(key(number));
            twice.mark(key(number));
        }
        for number in 0..8_000 {
            twice.mark(key(number));
        }
        assert!((0..80_000).all(|number| once.has(key(number))));
        assert!((0..8_000).all(|number| twice.has(key(number))));
        let wrong = |range: std::ops::Range<u64>, of: &ReachedPositions| {
            range.filter(|number| of.has(key(*number))).count()
        };
        let (never, single) = (wrong(100_000..180_000, &once), wrong(8_000..80_000, &twice));
        assert!(never < 8_000 && single < 8_000, "{never} {single}");
    }
}
