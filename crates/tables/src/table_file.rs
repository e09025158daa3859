//! Files of a sorted table that are open: finding the rows of a key.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_columns::{ColumnSchema, ParquetReader, RowGroupReader};
use tabiya_formats::lake::LakeFileEntry;
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

/// Whether the files of a table cover all games.
pub(crate) fn is_whole(entries: &[LakeFileEntry], games: u64) -> bool {
    let mut spans: Vec<_> = entries.iter().map(|entry| entry.games).collect();
    spans.sort_unstable();
    spans.dedup();
    let mut next = 1;
    for (first, end) in spans {
        if first != next {
            return false;
        }
        next = end;
    }
    games > 0 && next == games + 1
}

/// Whether a key is in the range of a file.
pub(crate) fn may_have(entry: &LakeFileEntry, hash: i64) -> bool {
    entry
        .keys
        .is_some_and(|(least, greatest)| (least..=greatest).contains(&hash))
}

/// An open file of a table; its first column is the key.
pub(crate) struct LakeTableFile {
    pub(crate) table: ParquetReader,
    /// The index of each column, with its name.
    all: Vec<(&'static str, Option<usize>)>,
    path: PathBuf,
}

impl LakeTableFile {
    /// Opens a file of a lake that must have these columns.
    pub(crate) fn open(
        lake: &Path,
        entry: &LakeFileEntry,
        fields: &[ColumnSchema],
    ) -> Result<LakeTableFile> {
        let path = entry.path_in(lake);
        let bytes = FileBytes::open(&path, FileAccess::Map)
            .map_err(|error| Error::from(error).in_file(path.to_string_lossy()))?;
        let wrong = |error: tabiya_columns::Error| {
            Error::new(&error_codes::DAMAGED, error.to_string()).in_file(path.to_string_lossy())
        };
        let size = bytes.len() as u64;
        let table = ParquetReader::open(bytes).map_err(wrong)?;
        if size != entry.bytes {
            let message = "its size differs from the manifest";
            return Err(Error::new(&error_codes::DAMAGED, message).in_file(path.to_string_lossy()));
        }
        let mut all = Vec::new();
        for field in fields {
            let column = table.column(field.name, field.kind).map_err(wrong)?;
            if column.is_none() {
                return Err(wrong(tabiya_columns::Error::Column {
                    name: field.name.to_owned(),
                    why: "is missing".into(),
                }));
            }
            all.push((field.name, column));
        }
        Ok(LakeTableFile { table, all, path })
    }

    /// The file in `open`, which is opened if it is not open yet.
    pub(crate) fn open_once<'o>(
        open: &'o OnceLock<LakeTableFile>,
        lake: &Path,
        entry: &LakeFileEntry,
        fields: &[ColumnSchema],
    ) -> Result<&'o LakeTableFile> {
        if let Some(open) = open.get() {
            return Ok(open);
        }
        let opened = LakeTableFile::open(lake, entry, fields)?;
        Ok(open.get_or_init(|| opened))
    }

    /// A failure to read it.
    pub(crate) fn wrong(&self, error: tabiya_columns::Error) -> Error {
        Error::new(&error_codes::DAMAGED, error.to_string()).in_file(self.path.to_string_lossy())
    }

    /// The indices of some columns.
    pub(crate) fn columns(&self, names: &[&str]) -> Vec<Option<usize>> {
        let place = |name: &&str| self.all.iter().find(|(other, _)| other == name);
        names
            .iter()
            .map(|name| place(name).and_then(|(_, column)| *column))
            .collect()
    }

    /// The indices of all columns.
    pub(crate) fn all_columns(&self) -> Vec<Option<usize>> {
        self.all.iter().map(|(_, column)| *column).collect()
    }

    /// All rows of a row group.
    pub(crate) fn rows(&self, group: usize) -> Result<RowGroupReader> {
        let rows = self.table.rows(group, &self.all_columns());
        rows.map_err(|error| self.wrong(error))
    }

    /// Reads rows of these columns from the first one of a key on, until `each` reports one of another key.
    pub(crate) fn find(
        &self,
        hash: i64,
        columns: &[Option<usize>],
        mut each: impl FnMut(&mut RowGroupReader) -> tabiya_columns::Result<bool>,
    ) -> Result<()> {
        let key = self.all.first().and_then(|(_, column)| *column);
        let wrong = |error| self.wrong(error);
        for group in 0..self.table.groups() {
            let bounds = key.and_then(|column| self.table.bounds(group, column));
            match bounds {
                Some((_, greatest)) if greatest < hash => continue,
                Some((least, _)) if least > hash => break,
                _ => {}
            }
            let count = self.table.rows_of(group);
            let mut keys = self.table.rows(group, &[key]).map_err(wrong)?;
            let mut at = 0;
            while at < count
                && keys
                    .next(0)
                    .map_err(wrong)?
                    .int()
                    .is_none_or(|key| key < hash)
            {
                at += 1;
            }
            if at == count {
                continue;
            }
            let mut rows = self.table.rows(group, columns).map_err(wrong)?;
            rows.skip(at).map_err(wrong)?;
            while at < count {
                if !each(&mut rows).map_err(wrong)? {
                    return Ok(());
                }
                at += 1;
            }
        }
        Ok(())
    }
}
