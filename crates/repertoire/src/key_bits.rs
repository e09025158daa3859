//! A filter that shows for most keys at once that they are not in a set.

use tabiya_openings::position_key::PositionKey;

/// Bits of a word, as a power of two.
const WORD: u32 = u64::BITS.ilog2();
/// Bits for each key at least.
const EACH: usize = 16;
/// The most words: what lies in the nearest cache of a core is asked soonest.
const MOST: usize = 1 << 14;

/// A bit for the last bits of each key of a set.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyBits {
    /// A power of two of them, or none.
    words: Vec<u64>,
}

impl KeyBits {
    /// Of some keys.
    pub(crate) fn of(keys: impl ExactSizeIterator<Item = PositionKey>) -> KeyBits {
        let words = keys.len().saturating_mul(EACH) >> WORD;
        let mut made = KeyBits {
            words: vec![0; words.clamp(1, MOST).next_power_of_two()],
        };
        for key in keys {
            let (word, bit) = made.place(key);
            if let Some(word) = made.words.get_mut(word) {
                *word |= 1 << bit;
            }
        }
        made
    }

    #[inline]
    fn place(&self, key: PositionKey) -> (usize, u64) {
        let word = usize::try_from(key.0 >> WORD & 0xffff_ffff).unwrap_or(0);
        (word & self.words.len().wrapping_sub(1), key.0 & 63)
    }

    /// Whether a key may be of the set.
    #[inline]
    pub(crate) fn may_have(&self, key: PositionKey) -> bool {
        let (word, bit) = self.place(key);
        self.words
            .get(word)
            .is_some_and(|word| word >> bit & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_of_the_set_is_missed() {
        for count in [0, 1, 5, 1_000, 100_000] {
            let keys =
                || (1..=count).map(|n: u64| PositionKey(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            let bits = KeyBits::of(keys().collect::<Vec<_>>().into_iter());
            assert!(keys().all(|key| bits.may_have(key)), "{count}");
            let others =
                (1..=1_000).map(|n: u64| PositionKey(n.wrapping_mul(0xbf58_476d_1ce4_e5b9)));
            let wrong = others.filter(|key| bits.may_have(*key)).count();
            assert!(wrong <= 250, "{count}: {wrong}");
        }
        assert!(!KeyBits::default().may_have(PositionKey(7)));
    }
}
