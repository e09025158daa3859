//! The checksums of a remote table, for programs that fetch its bytes in pieces.

use std::ops::Range;

use crate::MAGIC;
use crate::error::{Error, Result};
use crate::footer::ParquetFooter;
use crate::sums;

/// The number of bytes after a footer: its length, and the magic bytes at the end.
pub const TAIL: u64 = 8;
/// The longest footer that is read.
const MAX_FOOTER: u64 = 1 << 24;

/// A chunk with its sum.
#[derive(Clone, Debug)]
struct ChunkSum {
    place: Range<u64>,
    column: String,
    group: usize,
    sum: u32,
}

/// The checksums of the columns of a table.
#[derive(Clone, Debug)]
pub struct ChunkSums(Vec<ChunkSum>);

impl ChunkSums {
    /// The place of the footer in a file of this size, by its last eight bytes; `None` if it is not a Parquet file.
    #[must_use]
    pub fn footer_at(tail: &[u8], size: u64) -> Option<Range<u64>> {
        let (length, mark) = tail.split_first_chunk::<4>()?;
        let length = u64::from(u32::from_le_bytes(*length));
        let end = size.checked_sub(TAIL)?;
        let start = end.checked_sub(length).filter(|start| *start >= 4)?;
        (mark == MAGIC && length <= MAX_FOOTER).then_some(start..end)
    }

    /// The checksums in a footer, given with its offset in the file; `None` if it has none of ours.
    ///
    /// # Errors
    /// If the footer is damaged, or was changed since it was written.
    pub fn of_footer(footer: &[u8], start: u64) -> Result<Option<ChunkSums>> {
        let footer = ParquetFooter::parse(footer, start)?;
        let note = footer.notes.iter().find(|(name, _)| name == sums::NOTE);
        let Some((_, note)) = note.filter(|_| footer.is_ours()) else {
            return Ok(None);
        };
        let mut summed = Vec::new();
        for (group, told) in footer.groups.iter().enumerate() {
            for (column, chunk) in told.chunks.iter().enumerate() {
                let number = group.saturating_mul(footer.leaves.len()) + column;
                let leaf = footer.leaves.get(column);
                if let (Some(leaf), Some(sum)) = (leaf, sums::at(note, number)) {
                    summed.push(ChunkSum {
                        place: chunk.start..chunk.start.saturating_add(chunk.length),
                        column: leaf.name.clone(),
                        group,
                        sum,
                    });
                }
            }
        }
        Ok(Some(ChunkSums(summed)))
    }

    fn touching(&self, range: &Range<u64>) -> impl Iterator<Item = &ChunkSum> {
        let (start, end) = (range.start, range.end);
        let touches = move |it: &&ChunkSum| it.place.start < end && start < it.place.end;
        self.0.iter().filter(touches)
    }

    /// A range of the file, extended to complete columns.
    #[must_use]
    pub fn whole(&self, range: &Range<u64>) -> Range<u64> {
        self.touching(range).fold(range.clone(), |whole, chunk| {
            whole.start.min(chunk.place.start)..whole.end.max(chunk.place.end)
        })
    }

    /// Compares every column within a range of the file, whose bytes are given, with its checksum.
    ///
    /// # Errors
    /// If one was changed since it was written.
    pub fn check(&self, range: &Range<u64>, bytes: &[u8]) -> Result<()> {
        for chunk in self.touching(range) {
            let at = |byte: u64| {
                byte.checked_sub(range.start)
                    .and_then(|it| usize::try_from(it).ok())
            };
            let place = at(chunk.place.start).zip(at(chunk.place.end));
            let found = place.and_then(|(start, end)| bytes.get(start..end));
            let found = found.ok_or_else(|| {
                Error::damaged("a column was not fetched completely", chunk.place.start)
            })?;
            sums::check(
                chunk.sum,
                found,
                &chunk.column,
                chunk.group,
                chunk.place.start,
            )?;
        }
        Ok(())
    }
}
