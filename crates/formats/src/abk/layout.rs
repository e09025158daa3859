//! The bytes of an entry.

use shakmaty::Role;

/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 28;
/// The number of entries that form the header; the next one is the first move.
pub const HEADER_ENTRIES: u32 = 900;
/// The first bytes of the header.
pub const MARK: [u8; 4] = [3, b'A', b'B', b'K'];
/// The mark of a deleted move.
pub const DELETED: u32 = 0x0100_0000;

/// A move of a book.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct AbkEntry {
    /// The starting square, a1 = 0, b1 = 1.
    pub from: u8,
    /// The target square.
    pub to: u8,
    /// The promotion piece: 0 none, 1 rook, 2 knight, 3 bishop, 4 queen, negative for White.
    pub promotion: i8,
    /// How strongly it is preferred, from 0 to 9.
    pub priority: u8,
    /// The number of games with it, those that White won, and those that White lost.
    pub games: [i32; 3],
    /// Flags, such as [`DELETED`].
    pub flags: u32,
    /// The first reply, -1 for none.
    pub first: i32,
    /// The next alternative, -1 for none.
    pub next: i32,
}

impl AbkEntry {
    /// Reads an entry.
    pub fn read(bytes: &[u8; ENTRY_BYTES]) -> AbkEntry {
        let word = |at: usize| {
            let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
            i32::from_le_bytes(word.copied().unwrap_or_default())
        };
        AbkEntry {
            from: bytes[0],
            to: bytes[1],
            promotion: bytes[2].cast_signed(),
            priority: bytes[3],
            games: [word(4), word(8), word(12)],
            flags: word(16).cast_unsigned(),
            first: word(20),
            next: word(24),
        }
    }

    /// The stored bytes of the entry.
    pub fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        let [games, won, lost] = self.games;
        let head = [
            self.from,
            self.to,
            self.promotion.cast_unsigned(),
            self.priority,
        ];
        let words = [
            games,
            won,
            lost,
            self.flags.cast_signed(),
            self.first,
            self.next,
        ];
        let words = words.into_iter().flat_map(i32::to_le_bytes);
        for (slot, byte) in bytes.iter_mut().zip(head.into_iter().chain(words)) {
            *slot = byte;
        }
        bytes
    }

    /// The promotion piece, if the number is valid.
    pub fn role(self) -> Option<Role> {
        match self.promotion.unsigned_abs() {
            1 => Some(Role::Rook),
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Queen),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_both_ways() {
        let bytes: [u8; 28] = std::array::from_fn(|n| u8::try_from(n * 9).unwrap_or(7));
        let entry = AbkEntry::read(&bytes);
        assert_eq!((entry.from, entry.to, entry.priority), (0, 9, 27));
        assert_eq!(entry.to_bytes(), bytes);
    }
}
