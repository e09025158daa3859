//! The sums of the chunks, as a note in the footer: eight hexadecimal digits for each column of each row group in turn.

use crate::error::{Error, Result};

/// The name of the note.
pub(crate) const NOTE: &str = "tabiya.sums";
/// The note with the checksum of the footer itself, computed with [`BLANK`] in its place.
pub(crate) const FOOTER_NOTE: &str = "tabiya.footer";
pub(crate) const BLANK: &str = "00000000";

/// Adds the checksum of a chunk to a note.
pub(crate) fn push(note: &mut String, chunk: &[u8]) {
    note.push_str(&format!("{:08x}", crc32fast::hash(chunk)));
}

/// Puts the checksum of a footer into the blank that ends at an offset in it.
pub(crate) fn seal(footer: &mut [u8], end: usize) {
    let sum = format!("{:08x}", crc32fast::hash(footer));
    if let Some(room) = footer.get_mut(end.saturating_sub(BLANK.len())..end) {
        room.copy_from_slice(sum.as_bytes());
    }
}

/// Whether a footer matches the checksum at an offset in it.
pub(crate) fn is_sealed(footer: &[u8], at: usize) -> bool {
    let (Some(before), Some(sum), Some(after)) = (
        footer.get(..at),
        footer.get(at..at + 8),
        footer.get(at + 8..),
    ) else {
        return false;
    };
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(before);
    hasher.update(BLANK.as_bytes());
    hasher.update(after);
    format!("{:08x}", hasher.finalize()).as_bytes() == sum
}

/// The checksum of a chunk in a note.
pub(crate) fn at(note: &str, number: usize) -> Option<u32> {
    let start = number.checked_mul(8)?;
    u32::from_str_radix(note.get(start..start.checked_add(8)?)?, 16).ok()
}

/// Whether a chunk still matches its checksum.
pub(crate) fn check(sum: u32, chunk: &[u8], name: &str, group: usize, start: u64) -> Result<()> {
    if crc32fast::hash(chunk) == sum {
        return Ok(());
    }
    let number = group + 1;
    Err(Error::Changed {
        what: format!("the column {name:?} of row group {number}"),
        at: start,
    })
}
