//! The bytes of an entry.

/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 16;

/// One entry: a position, a move, and its weight.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PolyglotEntry {
    /// The hash of the position, as [`tabiya_model::Board::zobrist`] computes it.
    pub key: u64,
    /// The move, as [`super::moves`] explains it.
    pub code: u16,
    /// How strongly it is preferred, compared with the other moves of the position.
    pub weight: u16,
    /// Learning data of a program; its meaning depends on the program.
    pub learn: u32,
}

impl PolyglotEntry {
    /// Reads an entry.
    pub fn read(bytes: &[u8; ENTRY_BYTES]) -> PolyglotEntry {
        let [a, b, c, d, e, f, g, h, m, n, w, x, l0, l1, l2, l3] = *bytes;
        PolyglotEntry {
            key: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            code: u16::from_be_bytes([m, n]),
            weight: u16::from_be_bytes([w, x]),
            learn: u32::from_be_bytes([l0, l1, l2, l3]),
        }
    }

    /// The stored bytes of the entry.
    pub fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        let parts = self
            .key
            .to_be_bytes()
            .into_iter()
            .chain(self.code.to_be_bytes())
            .chain(self.weight.to_be_bytes())
            .chain(self.learn.to_be_bytes());
        for (slot, byte) in bytes.iter_mut().zip(parts) {
            *slot = byte;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_both_ways() {
        let bytes: [u8; 16] = std::array::from_fn(|n| u8::try_from(n).unwrap_or(0));
        let entry = PolyglotEntry::read(&bytes);
        assert_eq!((entry.key, entry.code), (0x0001_0203_0405_0607, 0x0809));
        assert_eq!((entry.weight, entry.learn), (0x0a0b, 0x0c0d_0e0f));
        assert_eq!(entry.to_bytes(), bytes);
    }
}
