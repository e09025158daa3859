//! Hashes of keys of positions.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use tabiya_openings::position_key::PositionKey;

/// Numbers of positions.
pub(crate) type RepertoireNumbers = HashMap<PositionKey, u32, RepertoireHashBuilder>;

/// Makes hashes of keys. They are random already, but known to everybody: a number that is drawn anew mixes them.
#[derive(Clone, Debug)]
pub(crate) struct RepertoireHashBuilder {
    odd: u64,
}

impl Default for RepertoireHashBuilder {
    fn default() -> RepertoireHashBuilder {
        RepertoireHashBuilder {
            odd: RandomState::new().hash_one("positions") | 1,
        }
    }
}

impl BuildHasher for RepertoireHashBuilder {
    type Hasher = RepertoireHasher;

    fn build_hasher(&self) -> RepertoireHasher {
        RepertoireHasher {
            odd: self.odd,
            hash: 0,
        }
    }
}

/// Makes the hash of a key.
pub(crate) struct RepertoireHasher {
    odd: u64,
    hash: u64,
}

impl Hasher for RepertoireHasher {
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
