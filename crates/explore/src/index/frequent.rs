//! Which positions occur in many games, by a sample of the games.
//!
//! Most positions of a game occur in hardly another. A bucket keeps the games of all of these in one list, so that little
//! has to be kept of them on the way; postings of the others are kept whole. A sample may miss a position that occurs in
//! many games: the sorter sees that by the number of its games, and processes them once more.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use tabiya_model::collect::GameView;
use tabiya_model::{Control, Database, Result};

use crate::identity_hasher::IdentityHasher;
use crate::read_mode::{ReadMode, each};

/// The average number of games of the sample that contain a position which is just frequent enough to be listed.
const EXPECTED: u64 = 16;
/// The minimum number to treat it as common: of positions that are just frequent enough, one in seven hundred is missed.
const COMMON: u32 = 6;

/// The number of plies of each game that are sampled: later positions are hardly ever common.
const STEPS: usize = 40;

/// A sample is worth its time if it is at most this part of the games: when they are walked, and when they are read.
const WALKED: u64 = 4;
const READ: u64 = 32;

/// Bits of the filter.
const FILTER: u32 = 20;

/// The positions that are treated as common.
pub(super) struct FrequentPositions {
    /// Whether all positions are.
    all: bool,
    /// One bit for several keys: it excludes most keys that are not common.
    filter: Vec<u64>,
    /// The keys, each in the slot given by its last bits or in one of the next slots; 0 if a slot is empty. Key 0 itself is
    /// always common.
    slots: Vec<u64>,
}

impl FrequentPositions {
    /// All positions.
    pub(super) fn all() -> FrequentPositions {
        FrequentPositions {
            all: true,
            filter: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// These positions.
    pub(super) fn of(keys: &[u64]) -> FrequentPositions {
        let mut common = FrequentPositions {
            all: false,
            filter: vec![0; 1 << (FILTER - 6)],
            slots: vec![0; (keys.len() * 4).next_power_of_two().max(64)],
        };
        for &key in keys {
            let (word, bit) = filter_place(key);
            if let Some(word) = common.filter.get_mut(word) {
                *word |= bit;
            }
            let at = common.place(key);
            if let Some(slot) = common.slots.get_mut(at) {
                *slot = key;
            }
        }
        common
    }

    /// The positions that are common in a sample of the games; `None` if it was stopped. If a sample would take too long,
    /// all positions are treated as common.
    pub(super) fn of_sample(
        database: &dyn Database,
        games: Range<u64>,
        listed: usize,
        control: &Control,
    ) -> Result<Option<FrequentPositions>> {
        let look = ReadMode::at(database, false);
        let count = games.end.saturating_sub(games.start);
        let sample = count * EXPECTED / (listed as u64).max(1);
        let share = if look.reads() { READ } else { WALKED };
        if sample == 0 || sample * share > count || !database.finds_games() {
            return Ok(Some(FrequentPositions::all()));
        }
        let stride = count / sample;
        // Not all at the same distance, since the order of the games may have a period.
        let shift = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % stride;
        let numbers: Vec<u64> = (0..sample)
            .map(|at| games.start + at * stride + shift(at))
            .collect();
        let (keys, ended) = each(database, &numbers, look, control, |seen| {
            first_keys(look, seen)
        })?;
        if !ended.is_whole() {
            return Ok(None);
        }
        Ok(Some(FrequentPositions::of(&frequent(&keys))))
    }

    /// Whether a position is treated as common.
    #[inline]
    pub(super) fn has(&self, key: u64) -> bool {
        if self.all {
            return true;
        }
        let (word, bit) = filter_place(key);
        if key != 0 && self.filter.get(word).is_some_and(|word| word & bit == 0) {
            return false;
        }
        self.slots.get(self.place(key)) == Some(&key)
    }

    /// Whether all positions are treated as common.
    pub(super) fn is_all(&self) -> bool {
        self.all
    }

    /// The slot of a key, or the empty slot for it.
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = key as usize & mask;
        while self
            .slots
            .get(at)
            .is_some_and(|slot| *slot != 0 && *slot != key)
        {
            at = (at + 1) & mask;
        }
        at
    }
}

#[inline]
fn filter_place(key: u64) -> (usize, u64) {
    let at = key >> 24;
    (
        (at >> 6) as usize & ((1 << (FILTER - 6)) - 1),
        1 << (at & 63),
    )
}

/// The keys of the first positions of a main line.
fn first_keys(look: ReadMode, seen: &mut GameView<'_>) -> Result<Vec<u64>> {
    let start = look.start(seen)?;
    let mut keys = Vec::new();
    if !start.is_readable {
        return Ok(keys);
    }
    let mut key = start.key;
    keys.push(key.0);
    for delta in seen.steps_from(0, STEPS)?.iter().take(STEPS) {
        key = key.after(*delta);
        keys.push(key.0);
    }
    Ok(keys)
}

/// The keys that occur in enough games of a sample.
fn frequent(games: &[Vec<u64>]) -> Vec<u64> {
    let keys = || games.iter().flatten().copied();
    // Few bits of all keys at first, so that most keys need no map.
    let all: usize = games.iter().map(Vec::len).sum();
    let mask = (all / 2).next_power_of_two() as u64 - 1;
    let mut few = vec![0_u8; mask as usize + 1];
    for key in keys() {
        if let Some(count) = few.get_mut((key & mask) as usize) {
            *count = count.saturating_add(1);
        }
    }
    let is_possible = |key: &u64| {
        few.get((key & mask) as usize)
            .is_some_and(|count| u32::from(*count) >= COMMON)
    };
    let mut counts: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>> = HashMap::default();
    for key in keys().filter(is_possible) {
        *counts.entry(key).or_default() += 1;
    }
    let mut frequent: Vec<u64> = counts
        .into_iter()
        .filter(|(_, count)| *count >= COMMON)
        .map(|(key, _)| key)
        .collect();
    frequent.sort_unstable();
    frequent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_is_told_and_nothing_else() {
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let keys: Vec<u64> = (1..3000).map(key).collect();
        let common = FrequentPositions::of(&keys);
        assert!(keys.iter().all(|key| common.has(*key)));
        assert!(common.has(0));
        assert!(!(3000..200_000).map(key).any(|key| common.has(key)));
        assert!(FrequentPositions::all().has(77));
        assert!(!FrequentPositions::of(&[]).has(77));
    }

    #[test]
    fn positions_of_enough_games_are_frequent() {
        let games: Vec<Vec<u64>> = (0..u64::from(COMMON) * 100)
            .map(|game| vec![1, 2 + game % 100, 1000 + game % 101, 2000 + game])
            .collect();
        let found = frequent(&games);
        assert!(found.starts_with(&[1, 2, 3]));
        assert!(found.contains(&101) && !found.iter().any(|key| *key >= 2000));
    }
}
