//! Opening a table and reading its rows.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tabiya_io::mmap::{FileAccess, FileBytes};

use crate::MAGIC;
use crate::cells::CellValue;
use crate::chunk::{ColumnCursor, DictionaryEntry};
use crate::error::{Error, Result};
use crate::footer::{ColumnChunk, LeafColumn, ParquetFooter, PhysicalType};
use crate::schema::ColumnType;
use crate::sums;

/// The longest footer that is read.
const MAX_FOOTER: usize = 1 << 24;
/// The memory for all open pages of one row group.
const MAX_MEMORY: usize = 1 << 29;

/// A table that is open for reading.
#[derive(Clone, Debug)]
pub struct ParquetReader {
    bytes: Arc<FileBytes>,
    footer: Arc<ParquetFooter>,
    /// The chunks whose checksums have been verified.
    checked: Arc<[AtomicBool]>,
}

impl ParquetReader {
    /// Opens the bytes of a file.
    pub fn open(bytes: FileBytes) -> Result<ParquetReader> {
        let all: &[u8] = &bytes;
        if all.get(..4) != Some(MAGIC) {
            return Err(Error::Foreign("it does not begin with PAR1"));
        }
        let size = all.len();
        let tail = size.checked_sub(8).filter(|tail| *tail >= 4);
        let (Some(tail), Some(end)) = (tail, all.last_chunk::<4>()) else {
            return Err(Error::damaged(
                "the file ends before its footer",
                size as u64,
            ));
        };
        if end == b"PARE" {
            return Err(Error::Unsupported("the table is encrypted".into()));
        }
        if end != MAGIC {
            return Err(Error::damaged(
                "the file has no footer at its end: it was truncated, or never finished",
                size as u64,
            ));
        }
        let length = all.get(tail..tail + 4).unwrap_or_default();
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        let start = tail.checked_sub(length).filter(|start| *start >= 4);
        let Some(start) = start.filter(|_| length <= MAX_FOOTER) else {
            return Err(Error::damaged(
                "the footer is longer than the file, or than the limit",
                tail as u64,
            ));
        };
        let footer = all.get(start..tail).unwrap_or_default();
        let footer = ParquetFooter::parse(footer, start as u64)?;
        let chunks = footer.groups.len().saturating_mul(footer.leaves.len());
        Ok(ParquetReader {
            checked: (0..chunks).map(|_| AtomicBool::new(false)).collect(),
            bytes: Arc::new(bytes),
            footer: Arc::new(footer),
        })
    }

    /// Opens a file, which is mapped.
    pub fn of_file(path: &Path) -> Result<ParquetReader> {
        ParquetReader::open(FileBytes::open(path, FileAccess::Map)?)
    }

    /// Whether chunks have valid checksums.
    pub fn has_sums(&self) -> bool {
        self.sums().is_some()
    }

    fn sums(&self) -> Option<&str> {
        self.note(sums::NOTE).filter(|_| self.footer.is_ours())
    }

    /// The size of the file.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The number of row groups.
    pub fn groups(&self) -> usize {
        self.footer.groups.len()
    }

    /// The number of rows in a row group.
    pub fn rows_of(&self, group: usize) -> u64 {
        self.footer.groups.get(group).map_or(0, |group| group.rows)
    }

    /// The bytes of the columns of a row group.
    pub fn bytes_of(&self, group: usize) -> u64 {
        let chunks = self.footer.groups.get(group).map(|group| &group.chunks[..]);
        let lengths = chunks.unwrap_or_default().iter().map(|chunk| chunk.length);
        lengths.fold(0, u64::saturating_add)
    }

    /// The minimum and the maximum of a column in a row group, if the footer has them. They narrow a search, and prove
    /// nothing.
    pub fn bounds(&self, group: usize, column: usize) -> Option<(i64, i64)> {
        self.footer.groups.get(group)?.chunks.get(column)?.bounds
    }

    /// The note of the footer under a key.
    pub fn note(&self, key: &str) -> Option<&str> {
        let found = self.footer.notes.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    /// The program that wrote the file, as it names itself.
    pub fn writer(&self) -> &str {
        &self.footer.writer
    }

    /// The names of all columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.footer.leaves.iter().map(|leaf| leaf.name.as_str())
    }

    /// The index of a column; `None` if there is none with this name.
    ///
    /// # Errors
    /// If it has another type.
    pub fn column(&self, name: &str, kind: ColumnType) -> Result<Option<usize>> {
        self.column_near(0, name, kind)
    }

    /// The same for a column with a likely index.
    ///
    /// # Errors
    /// If it has another type.
    pub fn column_near(
        &self,
        likely: usize,
        name: &str,
        kind: ColumnType,
    ) -> Result<Option<usize>> {
        let leaves = &self.footer.leaves;
        let is_it = |leaf: &LeafColumn| leaf.name == name;
        let found = match leaves.get(likely).is_some_and(is_it) {
            true => Some(likely),
            false => leaves.iter().position(is_it),
        };
        let Some(at) = found else {
            return Ok(None);
        };
        let fits = leaves.get(at).is_some_and(|leaf| fits(leaf, kind));
        if !fits {
            return Err(Error::Column {
                name: name.to_owned(),
                why: format!("does not hold {}", kind.name()),
            });
        }
        Ok(Some(at))
    }

    /// The rows of a group, of these columns.
    ///
    /// # Errors
    /// If a chunk was changed since it was written.
    pub fn rows(&self, group: usize, columns: &[Option<usize>]) -> Result<RowGroupReader> {
        let mut cursors = Vec::with_capacity(columns.len());
        for column in columns {
            cursors.push(match column {
                None => None,
                Some(column) => Some(self.cursor(group, *column)?),
            });
        }
        Ok(RowGroupReader {
            table: self.clone(),
            cursors,
        })
    }

    fn cursor(&self, group: usize, column: usize) -> Result<(ColumnChunk, ColumnCursor)> {
        let missing = || Error::damaged("there is no such row group or column", 0);
        let leaf = self.footer.leaves.get(column).ok_or_else(missing)?;
        let found = self.footer.groups.get(group).ok_or_else(missing)?;
        let chunk = found.chunks.get(column).ok_or_else(missing)?;
        self.check(group, column)?;
        let optional = leaf.optional.ok_or_else(missing)?;
        let cursor = ColumnCursor::new(
            leaf.physical,
            optional,
            chunk.codec,
            chunk.start,
            found.rows,
        );
        Ok((chunk.clone(), cursor))
    }

    /// Verifies the checksum of a chunk, if it has one; once is enough.
    fn check(&self, group: usize, column: usize) -> Result<()> {
        let number = group.saturating_mul(self.footer.leaves.len()) + column;
        let leaf = self.footer.leaves.get(column);
        let chunk = self.footer.groups.get(group);
        let chunk = chunk.and_then(|group| group.chunks.get(column));
        let (Some(leaf), Some(chunk), Some(checked)) = (leaf, chunk, self.checked.get(number))
        else {
            return Ok(());
        };
        if !checked.load(Ordering::Relaxed) {
            if let Some(sum) = self.sums().and_then(|note| sums::at(note, number)) {
                sums::check(sum, self.bytes_at(chunk), &leaf.name, group, chunk.start)?;
            }
            checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Compares every column of a row group that has bytes in a range of the file with its checksum, for callers that read the
    /// file in another way.
    ///
    /// # Errors
    /// If one was changed since it was written.
    pub fn check_range(&self, range: &Range<u64>) -> Result<()> {
        for (group, told) in self.footer.groups.iter().enumerate() {
            for (column, chunk) in told.chunks.iter().enumerate() {
                let end = chunk.start.saturating_add(chunk.length);
                if chunk.start < range.end && range.start < end {
                    self.check(group, column)?;
                }
            }
        }
        Ok(())
    }

    fn bytes_at(&self, chunk: &ColumnChunk) -> &[u8] {
        let start = usize::try_from(chunk.start).unwrap_or(usize::MAX);
        let length = usize::try_from(chunk.length).unwrap_or(usize::MAX);
        let range = start..start.saturating_add(length);
        self.bytes.get(range).unwrap_or_default()
    }
}

fn fits(leaf: &LeafColumn, kind: ColumnType) -> bool {
    leaf.optional.is_some()
        && match kind {
            ColumnType::Int | ColumnType::Long | ColumnType::Day => {
                matches!(leaf.physical, PhysicalType::Int32 | PhysicalType::Int64)
            }
            ColumnType::Real => matches!(leaf.physical, PhysicalType::Float | PhysicalType::Double),
            ColumnType::Text | ColumnType::Bytes => leaf.physical == PhysicalType::Bytes,
        }
}

/// The rows of a group. Each column advances alone: to read a row, read every column once.
#[derive(Debug)]
pub struct RowGroupReader {
    table: ParquetReader,
    cursors: Vec<Option<(ColumnChunk, ColumnCursor)>>,
}

impl RowGroupReader {
    /// The memory left for a column besides the others.
    fn room(&self, column: usize) -> usize {
        let others = self.cursors.iter().enumerate();
        let others = others.filter(|(at, _)| *at != column);
        let held: usize = others
            .filter_map(|(_, cursor)| cursor.as_ref())
            .map(|(_, cursor)| cursor.weight())
            .sum();
        MAX_MEMORY.saturating_sub(held)
    }

    /// The value of the next row in a column; null if the column is missing.
    #[inline]
    pub fn next(&mut self, column: usize) -> Result<CellValue<'_>> {
        let room = match self.cursors.get(column) {
            Some(Some((_, cursor))) if cursor.is_between_pages() => self.room(column),
            _ => MAX_MEMORY,
        };
        match self.cursors.get_mut(column) {
            Some(Some((chunk, cursor))) => cursor.next(self.table.bytes_at(chunk), room),
            _ => Ok(CellValue::Null),
        }
    }

    /// The same, and the index of the value in the dictionary of the column, if it has one.
    #[inline]
    pub fn next_entry(
        &mut self,
        column: usize,
    ) -> Result<(CellValue<'_>, Option<DictionaryEntry>)> {
        let room = match self.cursors.get(column) {
            Some(Some((_, cursor))) if cursor.is_between_pages() => self.room(column),
            _ => MAX_MEMORY,
        };
        match self.cursors.get_mut(column) {
            Some(Some((chunk, cursor))) => cursor.next_entry(self.table.bytes_at(chunk), room),
            _ => Ok((CellValue::Null, None)),
        }
    }

    /// Skips rows without a value in a column, up to `most`, and returns their number; 0 if the next row has a value.
    pub fn pass_nulls(&mut self, column: usize, most: u64) -> Result<u64> {
        let room = self.room(column);
        match self.cursors.get_mut(column) {
            Some(Some((chunk, cursor))) => {
                cursor.pass_nulls(self.table.bytes_at(chunk), most, room)
            }
            _ => Ok(most),
        }
    }

    /// Skips rows in every column.
    pub fn skip(&mut self, rows: u64) -> Result<()> {
        for column in 0..self.cursors.len() {
            let room = match self.cursors.get(column) {
                Some(Some((_, cursor))) if !cursor.has_left(rows) => self.room(column),
                _ => MAX_MEMORY,
            };
            if let Some(Some((chunk, cursor))) = self.cursors.get_mut(column) {
                cursor.skip(self.table.bytes_at(chunk), rows, room)?;
            }
        }
        Ok(())
    }
}
