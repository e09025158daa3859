//! How a sidecar recognises whether its source is still the same.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::bytes::{ByteCursor, ByteWriter, OutOfBoundsError};
use super::regular_file;

/// The number of bytes hashed at each end of a file.
pub const ENDS: u64 = 64 * 1024;

/// Size, time and hashed ends of a file.
///
/// The hash takes eight bytes at a time, because a sidecar is checked at every start of the program. It guards against
/// ordinary accidents, not against somebody who builds a second file on purpose: such a person can write the sidecar
/// itself as well. A few lines without a dependency are enough for that, and one changed byte always changes the value,
/// since each step is a bijection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change in nanoseconds since 1970; zero if the system has none.
    pub modified: i64,
    /// The hash of the first 64 KiB.
    pub head: u64,
    /// The hash of the last 64 KiB, which overlap the first in a small file.
    pub tail: u64,
}

impl Fingerprint {
    /// The length of a fingerprint as bytes.
    pub const LENGTH: usize = 32;

    /// Takes the fingerprint of the file at a path.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        Self::of_file(&mut regular_file::open(path)?)
    }

    /// Computes the fingerprint of an open file; this moves its position.
    pub fn of_file(file: &mut File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Self::of_beginning(file, size)
    }

    /// The same as if the file ended at `size`: its state before something was appended.
    pub fn of_beginning(file: &mut File, size: u64) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let modified = match metadata.modified() {
            Ok(time) => match time.duration_since(UNIX_EPOCH) {
                Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
                Err(before) => i64::try_from(before.duration().as_nanos())
                    .map_or(i64::MIN, |nanoseconds| -nanoseconds),
            },
            Err(_) => 0,
        };
        let head = hash_from(file, 0, size)?;
        let tail = hash_from(file, size.saturating_sub(ENDS), size)?;
        Ok(Self {
            size,
            modified,
            head,
            tail,
        })
    }

    /// Whether the content counts as the same, regardless of the time (a copied file).
    pub fn same_content(&self, other: &Self) -> bool {
        (self.size, self.head, self.tail) == (other.size, other.head, other.tail)
    }

    /// The fingerprint as bytes that are the same on every machine.
    pub fn to_bytes(&self) -> [u8; Self::LENGTH] {
        let mut writer = ByteWriter::new();
        writer.u64_le(self.size);
        writer.extend(&self.modified.to_le_bytes());
        writer.u64_le(self.head);
        writer.u64_le(self.tail);
        let mut bytes = [0; Self::LENGTH];
        bytes.copy_from_slice(writer.as_slice());
        bytes
    }

    /// Reads a fingerprint that was written by [`Fingerprint::to_bytes`].
    pub fn read(cursor: &mut ByteCursor<'_>) -> Result<Self, OutOfBoundsError> {
        // All at once, so that a truncated fingerprint does not move the cursor.
        let bytes: [u8; Self::LENGTH] = cursor.array()?;
        let mut fields = ByteCursor::new(&bytes);
        Ok(Self {
            size: fields.u64_le()?,
            modified: i64::from_le_bytes(fields.array()?),
            head: fields.u64_le()?,
            tail: fields.u64_le()?,
        })
    }
}

fn hash_from(file: &mut File, offset: u64, end: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(offset))?;
    // Enough capacity to read all of it at once; one byte more, to see the end without another read.
    let mut bytes = Vec::with_capacity(ENDS as usize + 1);
    let length = ENDS.min(end.saturating_sub(offset));
    file.take(length).read_to_end(&mut bytes)?;
    Ok(hash(&bytes))
}

/// Hashes all remaining bytes of a reader; also returns their number.
pub fn hash_all(mut from: impl Read) -> io::Result<(u64, u64)> {
    let (mut sum, mut length) = (0_u64, 0_u64);
    let mut bytes = Vec::with_capacity(1 << 20);
    loop {
        bytes.clear();
        let count = from.by_ref().take(1 << 20).read_to_end(&mut bytes)?;
        if count == 0 {
            return Ok((sum, length));
        }
        length = length.saturating_add(count as u64);
        // A step is a bijection of the previous value, so that one changed byte anywhere changes the sum.
        sum = sum.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash(&bytes);
    }
}

/// How many pieces of a large file [`hash_spread`] reads, and how long they are.
const PIECES: u64 = 64;

/// Hashes enough of a file to see whether it is the one that was written and synced to the disk: all of a small one, and
/// samples of a large one, including both ends. Also returns the number of bytes.
pub fn hash_spread(file: &mut File) -> io::Result<(u64, u64)> {
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(0))?;
    if size <= PIECES * ENDS {
        return hash_all(file);
    }
    let last = size - ENDS;
    let mut sum = size;
    for piece in 0..PIECES {
        // The last one ends with the file.
        let at = u128::from(last) * u128::from(piece) / u128::from(PIECES - 1);
        let found = hash_from(file, u64::try_from(at).unwrap_or(last), size)?;
        sum = sum.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ found;
    }
    Ok((sum, size))
}

/// The hash of bytes, eight at a time; the last ones are padded with zeros, and their number counts too.
fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(K).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (slot, byte) in last.iter_mut().zip(rest) {
        *slot = *byte;
    }
    let state = words
        .iter()
        .fold(K, |state, word| step(state, u64::from_le_bytes(*word)));
    step(step(state, u64::from_le_bytes(last)), bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        let bytes: Vec<u8> = (0..45).collect();
        let mut seen = std::collections::BTreeSet::from([hash(&bytes)]);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(seen.insert(hash(&changed)));
            assert!(seen.insert(hash(&bytes[..at])));
        }
        let mut longer = bytes;
        longer.push(0);
        assert!(seen.insert(hash(&longer)));
    }

    #[test]
    fn changes_at_either_end_show() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("base");
        let mut content = vec![7u8; 200_000];
        std::fs::write(&path, &content).expect("written");
        let first = Fingerprint::of_path(&path).expect("taken");
        assert_eq!(first.size, 200_000);
        assert!(first.modified > 0);
        for place in [0, 65_535, 134_464, 199_999] {
            content[place] = 8;
            std::fs::write(&path, &content).expect("written");
            let changed = Fingerprint::of_path(&path).expect("taken");
            assert!(!first.same_content(&changed), "byte {place}");
            content[place] = 7;
        }
        std::fs::write(&path, &content).expect("written");
        assert!(first.same_content(&Fingerprint::of_path(&path).expect("taken")));
    }

    #[test]
    fn bytes_and_back_and_every_truncation() {
        let fingerprint = Fingerprint {
            size: 1,
            modified: -2,
            head: 3,
            tail: u64::MAX,
        };
        let bytes = fingerprint.to_bytes();
        assert_eq!(
            Fingerprint::read(&mut ByteCursor::new(&bytes)),
            Ok(fingerprint)
        );
        for length in 0..bytes.len() {
            assert!(Fingerprint::read(&mut ByteCursor::new(&bytes[..length])).is_err());
        }
    }

    #[test]
    fn pieces_all_over_a_large_file_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("base");
        let hashed = |content: &[u8]| {
            std::fs::write(&path, content).expect("written");
            hash_spread(&mut File::open(&path).expect("opened")).expect("read")
        };
        let small = vec![7_u8; 100_000];
        assert_eq!(
            hashed(&small),
            hash_all(small.as_slice()).expect("in memory")
        );
        let mut large = vec![7_u8; 6_000_001];
        let first = hashed(&large);
        assert_eq!(first.1, 6_000_001);
        for place in [0, 65_535, 3_020_000, 5_934_465, 6_000_000] {
            large[place] = 8;
            assert_ne!(hashed(&large), first, "byte {place}");
            large[place] = 7;
        }
        assert_eq!(hashed(&large), first);
        large.push(7);
        assert_ne!(hashed(&large), first);
    }

    #[test]
    fn an_empty_file_has_one_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("empty");
        std::fs::write(&path, b"").expect("written");
        let fingerprint = Fingerprint::of_path(&path).expect("taken");
        assert_eq!((fingerprint.size, fingerprint.head), (0, fingerprint.tail));
    }
}
