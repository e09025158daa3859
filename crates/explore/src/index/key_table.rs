//! Which keys of a bucket occur in many games.

use std::io;

use super::sorter::PostingSource;

/// Counts the games of each key of a bucket.
#[derive(Default)]
pub(super) struct KeyTable {
    slots: Vec<KeySlot>,
    /// Slots of other rounds count as empty.
    round: u32,
    used: usize,
}

#[derive(Copy, Clone, Default)]
struct KeySlot {
    key: u64,
    round: u32,
    games: u32,
    last: u32,
    /// The number of a frequent key plus one.
    frequent: u32,
}

impl KeyTable {
    /// Counts the keys, and numbers those that occur in at least `least` games; returns the number of games of each of
    /// those.
    pub(super) fn count(
        &mut self,
        postings: &mut impl PostingSource,
        least: usize,
    ) -> io::Result<Vec<usize>> {
        if self.slots.is_empty() || self.round == u32::MAX {
            self.slots = vec![KeySlot::default(); self.slots.len().max(1 << 11)];
            self.round = 0;
        }
        self.round += 1;
        self.used = 0;
        let mut frequent = Vec::new();
        postings.each(|posting| {
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
            let at = self.place(posting.key);
            let slot = &mut self.slots[at];
            if slot.round != self.round {
                *slot = KeySlot {
                    key: posting.key,
                    round: self.round,
                    games: 0,
                    last: 0,
                    frequent: 0,
                };
                self.used += 1;
            }
            if slot.games == 0 || slot.last != posting.game {
                slot.games += 1;
                slot.last = posting.game;
                if slot.games as usize == least {
                    frequent.push(least);
                    slot.frequent = frequent.len() as u32;
                } else if let Some(games) = (slot.frequent as usize)
                    .checked_sub(1)
                    .and_then(|at| frequent.get_mut(at))
                {
                    *games += 1;
                }
            }
        })?;
        Ok(frequent)
    }

    /// The slot of a key, or the empty slot for it.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The first bits are the same for all keys of a bucket; the last bits are not.
        let mut at = key as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.round != self.round || slot.key == key {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![KeySlot::default(); old.len() * 2];
        for slot in old.iter().filter(|slot| slot.round == self.round) {
            let at = self.place(slot.key);
            self.slots[at] = *slot;
        }
    }

    /// The number of a key among the frequent ones.
    #[inline]
    pub(super) fn frequent(&self, key: u64) -> Option<usize> {
        let slot = self.slots.get(self.place(key))?;
        if slot.round != self.round {
            return None;
        }
        (slot.frequent as usize).checked_sub(1)
    }
}
