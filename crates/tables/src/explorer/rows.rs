//! Rows in the order of their keys: those of one table, and those of several as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

use tabiya_columns::RowGroupReader;
use tabiya_formats::lake::LakeFileEntry;
use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

use super::row::{self, LakeExplorerRow};
use crate::table_file::LakeTableFile;

/// Yields rows in ascending order of positions and moves.
pub(super) trait OrderedRows {
    /// The next row; false at the end.
    fn next(&mut self, row: &mut LakeExplorerRow) -> Result<bool>;
}

/// The rows of one table, file by file; games may get new numbers.
pub(super) struct StoredRows<N> {
    lake: PathBuf,
    entries: std::vec::IntoIter<LakeFileEntry>,
    open: Option<LakeTableFile>,
    /// The next row group, and the rest of the current one.
    group: usize,
    rows: Option<(RowGroupReader, u64)>,
    number: N,
}

impl<N: Fn(u64) -> u64> StoredRows<N> {
    pub(super) fn new(lake: &Path, entries: Vec<LakeFileEntry>, number: N) -> StoredRows<N> {
        StoredRows {
            lake: lake.to_path_buf(),
            entries: entries.into_iter(),
            open: None,
            group: 0,
            rows: None,
            number,
        }
    }
}

impl<N: Fn(u64) -> u64> OrderedRows for StoredRows<N> {
    fn next(&mut self, row: &mut LakeExplorerRow) -> Result<bool> {
        loop {
            if let (Some(open), Some((rows, left))) = (&self.open, &mut self.rows)
                && *left > 0
            {
                row.read(rows).map_err(|error| open.wrong(error))?;
                row.renumber(&self.number);
                *left -= 1;
                return Ok(true);
            }
            self.rows = None;
            match &self.open {
                Some(open) if self.group < open.table.groups() => {
                    let rows = open.rows(self.group)?;
                    self.rows = Some((rows, open.table.rows_of(self.group)));
                    self.group += 1;
                }
                _ => {
                    let Some(entry) = self.entries.next() else {
                        return Ok(false);
                    };
                    self.open = Some(LakeTableFile::open(&self.lake, &entry, &row::FIELDS)?);
                    self.group = 0;
                }
            }
        }
    }
}

/// The rows of several tables as one: those of the same position and move are merged.
pub(super) struct MergedRows<R> {
    tables: Vec<(R, LakeExplorerRow)>,
    heap: BinaryHeap<Reverse<(i64, i64, usize)>>,
}

impl<R: OrderedRows> MergedRows<R> {
    pub(super) fn new(tables: Vec<R>) -> Result<MergedRows<R>> {
        let mut merged = MergedRows {
            tables: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for (number, mut table) in tables.into_iter().enumerate() {
            let mut row = LakeExplorerRow::default();
            if table.next(&mut row)? {
                merged.heap.push(Reverse((row.hash, row.step, number)));
            }
            merged.tables.push((table, row));
        }
        Ok(merged)
    }
}

impl<R: OrderedRows> OrderedRows for MergedRows<R> {
    fn next(&mut self, row: &mut LakeExplorerRow) -> Result<bool> {
        let mut begun = false;
        while let Some(Reverse((hash, step, number))) = self.heap.peek().copied() {
            if begun && (hash, step) != (row.hash, row.step) {
                break;
            }
            if !begun {
                row.begin(hash, step);
                begun = true;
            }
            self.heap.pop();
            let Some((table, found)) = self.tables.get_mut(number) else {
                break;
            };
            row.merge(found);
            let last = (found.hash, found.step);
            if table.next(found)? {
                if (found.hash, found.step) <= last {
                    return Err(Error::new(
                        &error_codes::DAMAGED,
                        "the rows of an explorer are not in ascending order",
                    ));
                }
                self.heap.push(Reverse((found.hash, found.step, number)));
            }
        }
        Ok(begun)
    }
}
