//! Opening a file and reading its games.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tabiya_columns::{Rows, Table};
use tabiya_model::{
    About, Block, Database, Error, ErrorKind, Game, Info, Place, Result, Source, Want,
};

use super::layout;
use super::record::Record;
use crate::format::OpenOptions;
use crate::numbered::check_number;

/// Games in a block; a row group has many.
const BLOCK: u64 = 8192;

/// A file that is open for reading.
pub(super) struct ParquetFile {
    table: Table,
    path: PathBuf,
    /// Where each of our columns stands in the file.
    columns: Vec<Option<usize>>,
    /// Where each row group begins, and the number of all games at the end.
    starts: Vec<u64>,
    depth: usize,
}

/// What went wrong, with the file.
fn failed(error: tabiya_columns::Error, path: &Path) -> Error {
    let kind = match &error {
        tabiya_columns::Error::Foreign(_) | tabiya_columns::Error::Column { .. } => {
            ErrorKind::NotThisFormat
        }
        tabiya_columns::Error::Io(_) | tabiya_columns::Error::Write(_) => ErrorKind::Io,
        _ => ErrorKind::Corrupt,
    };
    let place = match error.byte() {
        Some(byte) => Place::byte(byte),
        None => Place::default(),
    };
    let message = match error {
        tabiya_columns::Error::Damaged { what, .. } => what,
        other => other.to_string(),
    };
    Error::new(kind, message).at(place.in_file(path.to_string_lossy()))
}

/// Opens a file by its path.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let file = ParquetFile::open(path, options)?;
    Ok(Box::new(file))
}

impl ParquetFile {
    fn open(path: &Path, options: &OpenOptions) -> Result<ParquetFile> {
        let table = Table::open(options.bytes_of(path)?).map_err(|error| failed(error, path))?;
        if let Some(version) = table.note(layout::VERSION_NOTE)
            && version != layout::VERSION
        {
            let message = format!("version {version:?} of the columns is not known");
            return Err(Error::new(ErrorKind::Unsupported, message).in_file(path.to_string_lossy()));
        }
        let columns: tabiya_columns::Result<Vec<_>> = layout::fields()
            .iter()
            .enumerate()
            .map(|(at, field)| match at {
                // What is derived from other columns is not read.
                layout::YEAR..=layout::FINAL_MATERIAL | layout::GAME => Ok(None),
                _ => table.column(field.name, field.kind),
            })
            .collect();
        let columns = columns.map_err(|error| failed(error, path))?;
        if columns.get(layout::MOVES).copied().flatten().is_none() {
            return Err(foreign(&table).in_file(path.to_string_lossy()));
        }
        let mut starts = vec![0_u64];
        for group in 0..table.groups() {
            let before = starts.last().copied().unwrap_or(0);
            starts.push(before.saturating_add(table.rows_of(group)));
        }
        Ok(ParquetFile {
            table,
            path: path.to_owned(),
            columns,
            starts,
            depth: options.limits.depth,
        })
    }

    fn count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The rows of a game's row group from the game on; games count from 0 here.
    fn rows_at(&self, game: u64) -> Result<Rows> {
        let group = self.group_of(game);
        let start = self.starts.get(group).copied().unwrap_or(0);
        let wrong = |error| failed(error, &self.path);
        let mut rows = self.table.rows(group, &self.columns).map_err(wrong)?;
        rows.skip(game.saturating_sub(start)).map_err(wrong)?;
        Ok(rows)
    }

    fn group_of(&self, game: u64) -> usize {
        self.starts
            .partition_point(|start| *start <= game)
            .saturating_sub(1)
    }
}

/// What a table of something else lacks, and has instead.
fn foreign(table: &Table) -> Error {
    let names: Vec<&str> = table.names().take(12).collect();
    let more = if table.names().count() > names.len() {
        ", …"
    } else {
        ""
    };
    Error::new(
        ErrorKind::NotThisFormat,
        format!(
            "this table has no games as docs/formats/lake.md describes them: the column \"moves\" is missing; its columns \
             are {}{more}",
            names.join(", ")
        ),
    )
}

impl Database for ParquetFile {
    fn info(&self) -> Info {
        let mut info = Info {
            format: super::FORMAT.name,
            version: self
                .table
                .note(layout::VERSION_NOTE)
                .unwrap_or_default()
                .to_owned(),
            files: vec![(self.path.clone(), self.table.size())],
            games: Some(self.count()),
            ..Info::default()
        };
        info.field("description", self.about().description);
        info.field("written by", self.table.writer());
        info.field("row groups", self.table.groups().to_string());
        let lacks: Vec<&str> = layout::fields()
            .iter()
            .filter(|field| !self.table.names().any(|name| name == field.name))
            .map(|field| field.name)
            .collect();
        info.field("missing columns", lacks.join(" "));
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.count())
    }

    fn read(&self, number: u64, want: Want, game: &mut Game) -> Result<()> {
        check_number(number, self.count())?;
        let mut rows = self.rows_at(number - 1)?;
        let mut record = Record::new();
        record
            .load(&mut rows)
            .map_err(|error| failed(error, &self.path))?;
        record.read(number, self.depth, want, game);
        Ok(())
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let all = self.count();
        let games = games.unwrap_or(1..all.saturating_add(1));
        Ok(Box::new(Run {
            file: self,
            next: games.start.max(1) - 1,
            end: games.end.saturating_sub(1).min(all),
        }))
    }
}

impl ParquetFile {
    fn about(&self) -> About {
        let description = self
            .table
            .note(layout::DESCRIPTION_NOTE)
            .unwrap_or_default();
        About {
            description: description.to_owned(),
            ..About::default()
        }
    }
}

/// A range of games, counted from 0, on its way into blocks.
struct Run<'a> {
    file: &'a ParquetFile,
    next: u64,
    end: u64,
}

impl<'a> Source<'a> for Run<'a> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let file = self.file;
        let group = file.group_of(self.next);
        let group_end = file.starts.get(group + 1).copied().unwrap_or(self.end);
        let first = self.next;
        self.next = first.saturating_add(BLOCK).min(group_end).min(self.end);
        let rows = file.table.rows_of(group).max(1);
        let share = u128::from(file.table.bytes_of(group)) * u128::from(self.next - first)
            / u128::from(rows);
        Ok(Some(Box::new(Games {
            file,
            rows: None,
            record: Record::new(),
            first,
            next: first,
            end: self.next,
            bytes: u64::try_from(share).unwrap_or(u64::MAX),
        })))
    }

    fn about(&self) -> About {
        self.file.about()
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.file.table.size())
    }
}

/// A block of games of one row group.
struct Games<'a> {
    file: &'a ParquetFile,
    /// Opened by the thread that reads.
    rows: Option<Rows>,
    record: Record,
    first: u64,
    next: u64,
    end: u64,
    bytes: u64,
}

impl Block for Games<'_> {
    fn next(&mut self, want: Want, game: &mut Game) -> Result<bool> {
        if self.next >= self.end {
            return Ok(false);
        }
        let rows = match &mut self.rows {
            Some(rows) => rows,
            None => self.rows.insert(self.file.rows_at(self.next)?),
        };
        let wrong = |error| failed(error, &self.file.path);
        self.record.load(rows).map_err(wrong)?;
        self.next += 1;
        self.record.read(self.next, self.file.depth, want, game);
        Ok(true)
    }

    fn again(&mut self, want: Want, game: &mut Game) -> Result<bool> {
        if self.next == self.first {
            return Ok(false);
        }
        self.record.read(self.next, self.file.depth, want, game);
        Ok(true)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn first(&self) -> Option<u64> {
        Some(self.first + 1)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
