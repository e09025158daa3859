//! Hashes of keys of positions.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use crate::position_key::PositionKey;

/// Numbers of positions.
pub type PositionNumbers = HashMap<PositionKey, u32, KeyHashBuilder>;

/// Hashes keys. They are random already, but publicly known: a fresh random number mixes them.
///
/// ```
/// use tabiya_openings::key_hasher::PositionNumbers;
/// use tabiya_openings::position_key::PositionKey;
///
/// let mut numbers = PositionNumbers::default();
/// numbers.insert(PositionKey::standard(), 0);
/// assert_eq!(numbers.get(&PositionKey::standard()), Some(&0));
/// ```
#[derive(Clone, Debug)]
pub struct KeyHashBuilder {
    odd: u64,
}

impl Default for KeyHashBuilder {
    fn default() -> KeyHashBuilder {
        KeyHashBuilder {
            odd: RandomState::new().hash_one("positions") | 1,
        }
    }
}

impl BuildHasher for KeyHashBuilder {
    type Hasher = KeyHasher;

    fn build_hasher(&self) -> KeyHasher {
        KeyHasher {
            odd: self.odd,
            hash: 0,
        }
    }
}

/// Makes the hash of a key.
#[derive(Debug)]
pub struct KeyHasher {
    odd: u64,
    hash: u64,
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        // Both halves of the product, so that each end of the hash depends on all of the key.
        let product = u128::from(self.hash ^ value) * u128::from(self.odd);
        let (low, high) = (product & u128::from(u64::MAX), product >> 64);
        self.hash = u64::try_from(low ^ high).unwrap_or_default();
    }
}
