//! Pages and entries of a book. Numbers are big-endian.

/// The size of a page.
pub const PAGE: usize = 4096;
/// The first bytes of the header: two sizes.
pub const MARK: [u8; 4] = [0, 32, 0x10, 0];
/// The bytes of numbers in an entry.
pub const NUMBERS: usize = 33;

/// The numbers of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CtgNumbers {
    /// The games that have it.
    pub games: u32,
    /// The number of games that the side to move won.
    pub won: u32,
    /// Those that it lost.
    pub lost: u32,
    /// Those that were drawn.
    pub drawn: u32,
    /// The number of games with ratings, and the sum of these.
    pub rated: [u32; 2],
    /// The recommendation for the move that leads to it: 128 or more means play it, 64 or more do not.
    pub advice: u8,
}

impl CtgNumbers {
    /// Reads the numbers.
    pub fn read(bytes: &[u8; NUMBERS]) -> CtgNumbers {
        let number = |at: usize, length: usize| {
            let bytes = bytes.get(at..at + length).unwrap_or(&[]);
            bytes
                .iter()
                .fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte))
        };
        CtgNumbers {
            games: number(0, 3),
            won: number(3, 3),
            lost: number(6, 3),
            drawn: number(9, 3),
            rated: [number(16, 3), number(19, 4)],
            advice: bytes[30],
        }
    }
}

/// An entry: a position with its moves and numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CtgEntry<'a> {
    /// The position, preceded by its length.
    pub key: &'a [u8],
    /// The moves with their annotation symbols.
    pub moves: &'a [[u8; 2]],
    /// The numbers.
    pub numbers: CtgNumbers,
}

impl<'a> CtgEntry<'a> {
    /// Reads the entry at the beginning of some bytes, and returns the bytes after it.
    pub fn read(bytes: &'a [u8]) -> Option<(CtgEntry<'a>, &'a [u8])> {
        let length = usize::from(bytes.first()? & 31);
        let (key, rest) = bytes.split_at_checked(length.max(2))?;
        let (size, rest) = rest.split_first()?;
        if length < 2 || size.is_multiple_of(2) {
            return None;
        }
        let (moves, rest) = rest.split_at_checked(usize::from(size - 1))?;
        let (numbers, rest) = rest.split_first_chunk()?;
        let entry = CtgEntry {
            key,
            moves: moves.as_chunks().0,
            numbers: CtgNumbers::read(numbers),
        };
        Some((entry, rest))
    }
}

/// The entries of a page.
#[derive(Clone, Debug)]
pub struct CtgPage<'a> {
    rest: &'a [u8],
    /// The number of entries according to the page.
    pub count: u16,
    /// Whether its entries end too early.
    pub is_damaged: bool,
    used: usize,
}

impl<'a> CtgPage<'a> {
    /// A page of a file.
    pub fn new(page: &'a [u8]) -> CtgPage<'a> {
        let head = page.first_chunk::<4>().copied().unwrap_or_default();
        let [a, b, c, d] = head;
        let used = usize::from(u16::from_be_bytes([c, d]));
        CtgPage {
            rest: page.get(4..used).unwrap_or(&[]),
            count: u16::from_be_bytes([a, b]),
            is_damaged: !(4..=PAGE).contains(&used) || used > page.len(),
            used,
        }
    }

    /// Where the next entry begins in the page.
    pub fn offset(&self) -> usize {
        self.used.saturating_sub(self.rest.len())
    }
}

impl<'a> Iterator for CtgPage<'a> {
    type Item = CtgEntry<'a>;

    fn next(&mut self) -> Option<CtgEntry<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let Some((entry, rest)) = CtgEntry::read(self.rest) else {
            self.is_damaged = true;
            self.rest = &[];
            return None;
        };
        self.rest = rest;
        Some(entry)
    }
}
