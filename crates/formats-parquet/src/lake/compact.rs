//! Merging small game files: rows are copied unchanged, folder by folder.

use std::collections::BTreeMap;
use std::io::Write;

use tabiya_columns::{ParquetReader, ParquetWriter, RowGroupBuilder};
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_model::error_codes;
use tabiya_model::{Control, Error, Result};

use super::change::NewLakeFile;
use super::completion::LakeChange;
use super::manifest::{self, LakeFileEntry};
use super::partition::{LakePartition, LakePartitionKey};
use crate::parquet::layout::{self, MoveColumn};
use crate::parquet::writer::{self, GROUP_BYTES, GROUP_ROWS};

/// The most games of a file.
const FILE_GAMES: u64 = 1 << 20;

/// Games that got new numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GameNumberShift {
    /// The former number of the first of them.
    pub from: u64,
    /// The number of games.
    pub games: u64,
    /// The new number of the first of them.
    pub to: u64,
}

fn wrong(error: tabiya_columns::Error, entry: &LakeFileEntry) -> Error {
    Error::new(&error_codes::DAMAGED, error.to_string()).in_file(entry.path.as_str())
}

/// Merges the games of each folder into files as large as allowed, and numbers them again; returns the new numbers, sorted
/// by the old ones. `None` if it was stopped.
pub fn compact(change: &mut LakeChange, control: &Control) -> Result<Option<Vec<GameNumberShift>>> {
    let setting = |name: &str| change.manifest.settings.get(name).map(String::as_str);
    let partition = setting("partition")
        .and_then(LakePartition::of_name)
        .unwrap_or_default();
    let moves = match setting("move-column") {
        Some("compact") => MoveColumn::Compact,
        _ => MoveColumn::Fast,
    };
    let old = change
        .manifest
        .tables
        .remove(manifest::GAMES)
        .unwrap_or_default();
    let mut folders: BTreeMap<LakePartitionKey, Vec<LakeFileEntry>> = BTreeMap::new();
    for entry in old {
        let key = LakePartitionKey {
            year: entry.year,
            month: entry.month,
        };
        folders.entry(key).or_default().push(entry);
    }
    let mut games = Vec::new();
    let mut moved = Vec::new();
    let mut next = 1;
    for (key, entries) in folders {
        let mut file: Option<CompactionFile> = None;
        for entry in entries {
            if control.is_stopped() {
                return Ok(None);
            }
            moved.push(GameNumberShift {
                from: entry.games.0,
                games: entry.rows,
                to: next,
            });
            let is_full = file
                .as_ref()
                .is_some_and(|file| file.rows + entry.rows > FILE_GAMES);
            if is_full && let Some(full) = file.take() {
                games.push(full.finish(key, change)?);
            }
            let filling = match &mut file {
                Some(filling) => filling,
                None => file.insert(CompactionFile::begin(
                    moves,
                    next,
                    &partition.folder(key),
                    change,
                )?),
            };
            filling.take(&entry, change)?;
            next += entry.rows;
        }
        if let Some(last) = file {
            games.push(last.finish(key, change)?);
        }
    }
    change
        .manifest
        .tables
        .insert(manifest::GAMES.to_owned(), games);
    moved.sort_unstable_by_key(|moved| moved.from);
    Ok(Some(moved))
}

/// A file under way.
struct CompactionFile {
    moves: MoveColumn,
    file: NewLakeFile,
    writer: ParquetWriter,
    group: RowGroupBuilder,
    first: u64,
    rows: u64,
}

impl CompactionFile {
    fn begin(
        moves: MoveColumn,
        first: u64,
        folder: &str,
        change: &mut LakeChange,
    ) -> Result<CompactionFile> {
        Ok(CompactionFile {
            moves,
            file: change.create(folder)?,
            writer: writer::table(moves).map_err(writer::failed)?,
            group: RowGroupBuilder::new(&layout::fields(moves)),
            first,
            rows: 0,
        })
    }

    /// Copies the rows of a file.
    fn take(&mut self, entry: &LakeFileEntry, change: &LakeChange) -> Result<()> {
        let path = entry.path_in(change.folder());
        let bytes = FileBytes::open(&path, FileAccess::Map)
            .map_err(|error| Error::from(error).in_file(path.to_string_lossy()))?;
        let table = ParquetReader::open(bytes).map_err(|error| wrong(error, entry))?;
        let fields = layout::fields(self.moves);
        let columns: tabiya_columns::Result<Vec<_>> = fields
            .iter()
            .map(|field| table.column(field.name, field.kind))
            .collect();
        let columns = columns.map_err(|error| wrong(error, entry))?;
        let mut count = 0;
        for group in 0..table.groups() {
            let rows = table.rows_of(group);
            let mut reader = table
                .rows(group, &columns)
                .map_err(|error| wrong(error, entry))?;
            for _ in 0..rows {
                for column in 0..fields.len() {
                    let cell = reader.next(column).map_err(|error| wrong(error, entry))?;
                    if column != layout::GAME {
                        self.group.push(column, cell);
                    }
                }
                self.group.end_row();
                if self.group.rows() >= GROUP_ROWS
                    || (self.group.rows().is_multiple_of(1024)
                        && self.group.weight() >= GROUP_BYTES)
                {
                    self.flush()?;
                }
            }
            count += rows;
        }
        if count != entry.rows {
            return Err(Error::new(
                &error_codes::DAMAGED,
                "its number of games differs from the manifest",
            )
            .in_file(entry.path.as_str()));
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.group.rows() == 0 {
            return Ok(());
        }
        let next = RowGroupBuilder::new(&layout::fields(self.moves));
        let mut group = std::mem::replace(&mut self.group, next);
        let first = i64::try_from(self.first + self.rows).unwrap_or(i64::MAX);
        group.count(layout::GAME, first);
        self.rows += group.rows() as u64;
        let packed = self.writer.packer().pack(group).map_err(writer::failed)?;
        self.writer
            .add(packed, &mut self.file)
            .map_err(writer::failed)
    }

    fn finish(mut self, key: LakePartitionKey, change: &mut LakeChange) -> Result<LakeFileEntry> {
        self.flush()?;
        let CompactionFile {
            mut file,
            writer,
            first,
            rows,
            ..
        } = self;
        writer.finish(&[], &mut file).map_err(writer::failed)?;
        file.flush()?;
        Ok(LakeFileEntry {
            rows,
            games: (first, first + rows),
            year: key.year,
            month: key.month,
            ..change.complete(file)?
        })
    }
}
