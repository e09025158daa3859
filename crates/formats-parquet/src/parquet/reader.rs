//! An open file: its columns, and the rows of its games.

use std::path::{Path, PathBuf};

use tabiya_columns::{CellValue, ParquetReader, RowGroupReader};
use tabiya_model::error_codes;
use tabiya_model::tags::TagSet;
use tabiya_model::{Error, GameNeeds, Location, Result};

use super::layout::{self, MoveColumn};
use super::record::ParquetRecord;
use tabiya_codec::format::OpenOptions;

/// Which columns are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct ColumnSelection {
    moves: bool,
    tags: TagSet,
}

impl From<GameNeeds> for ColumnSelection {
    fn from(want: GameNeeds) -> ColumnSelection {
        ColumnSelection {
            moves: want.moves,
            tags: want.tags,
        }
    }
}

impl ColumnSelection {
    /// Whether these columns include all those of another selection.
    pub(super) fn covers(self, other: ColumnSelection) -> bool {
        (self.moves || !other.moves) && self.tags.union(other.tags) == self.tags
    }

    /// The columns of both selections.
    pub(super) fn union(self, other: ColumnSelection) -> ColumnSelection {
        ColumnSelection {
            moves: self.moves || other.moves,
            tags: self.tags.union(other.tags),
        }
    }

    /// Whether a column is among them. The columns for the start of a game always are.
    fn has(self, column: usize) -> bool {
        let tag = column.checked_sub(layout::FIRST_TAG);
        match tag.and_then(|at| layout::TAGS.get(at)) {
            Some(column) => {
                matches!(column.tag, "FEN" | "Variant") || self.tags.may_hold(column.tag.as_bytes())
            }
            None => self.moves || !(layout::MOVES..=layout::EVALS).contains(&column),
        }
    }
}

/// A file that is open for reading.
pub(crate) struct ParquetFile {
    table: ParquetReader,
    path: PathBuf,
    moves: MoveColumn,
    /// The index of each of our columns in the file.
    columns: Vec<Option<usize>>,
    /// The first game of each row group, and the number of all games at the end.
    starts: Vec<u64>,
    depth: usize,
    audits: bool,
}

/// The error with the name of the file.
fn failed(error: tabiya_columns::Error, path: &Path) -> Error {
    let code = match &error {
        tabiya_columns::Error::Foreign(_) | tabiya_columns::Error::Column { .. } => {
            &error_codes::NOT_THIS_FORMAT
        }
        tabiya_columns::Error::Io(_) | tabiya_columns::Error::Write(_) => &error_codes::SYSTEM,
        _ => &error_codes::DAMAGED,
    };
    let place = match error.byte() {
        Some(byte) => Location::byte(byte),
        None => Location::default(),
    };
    let message = match error {
        tabiya_columns::Error::Damaged { what, .. } => what,
        tabiya_columns::Error::Changed { what, .. } => {
            format!("{what} was changed after it was written")
        }
        other => other.to_string(),
    };
    Error::new(code, message).at(place.in_file(path.to_string_lossy()))
}

impl ParquetFile {
    /// Opens a file by its path.
    pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<ParquetFile> {
        let table =
            ParquetReader::open(options.bytes_of(path)?).map_err(|error| failed(error, path))?;
        if let Some(version) = table.note(layout::VERSION_NOTE)
            && version != layout::VERSION
        {
            let message = format!("version {version:?} of the columns is not supported");
            return Err(Error::new(&error_codes::UNSUPPORTED_VERSION, message)
                .in_file(path.to_string_lossy()));
        }
        let has = |moves: MoveColumn| table.names().any(|name| name == moves.name());
        let moves = match has(MoveColumn::Fast) {
            false if has(MoveColumn::Compact) => MoveColumn::Compact,
            _ => MoveColumn::Fast,
        };
        let columns: tabiya_columns::Result<Vec<_>> = layout::fields(moves)
            .iter()
            .enumerate()
            .map(|(at, field)| match at {
                // Columns derived from others are not read.
                layout::YEAR..=layout::OPENING_NAME | layout::GAME => Ok(None),
                _ => table.column_near(at, field.name, field.kind),
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
            moves,
            columns,
            starts,
            depth: options.limits.depth,
            audits: options.audit,
        })
    }

    /// The number of games.
    pub(crate) fn count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Its columns.
    pub(crate) fn table(&self) -> &ParquetReader {
        &self.table
    }

    /// The decoder of its rows.
    pub(super) fn record(&self) -> ParquetRecord {
        ParquetRecord::new(self.moves)
    }

    /// Reads the next row into a record.
    pub(super) fn load(&self, rows: &mut RowGroupReader, record: &mut ParquetRecord) -> Result<()> {
        record.load(rows).map_err(|error| failed(error, &self.path))
    }

    /// Whether columns that follow from the moves are compared with them.
    pub(super) fn audits(&self) -> bool {
        self.audits
    }

    /// How its moves are stored.
    pub(super) fn move_column(&self) -> MoveColumn {
        self.moves
    }

    /// The maximum nesting of variations that is read.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The end of a game's row group, and the number of its bytes per game.
    pub(super) fn group_end(&self, game: u64) -> (u64, u64) {
        let group = self.group_of(game);
        let end = self.starts.get(group + 1).copied().unwrap_or(game);
        let rows = self.table.rows_of(group).max(1);
        (end, self.table.bytes_of(group) / rows)
    }

    /// The missing columns.
    pub(crate) fn missing(&self) -> String {
        let fields = layout::fields(self.moves);
        let is_there = |name: &str| self.table.names().any(|other| other == name);
        let lacks = fields
            .iter()
            .map(|field| field.name)
            .filter(|name| !is_there(name));
        lacks.collect::<Vec<_>>().join(" ")
    }

    /// The description of the database.
    pub(crate) fn description(&self) -> &str {
        self.table
            .note(layout::DESCRIPTION_NOTE)
            .unwrap_or_default()
    }

    /// The rows of a game's row group from the game on, with the wanted columns; games count from 0 here.
    pub(super) fn rows_at(&self, game: u64, wanted: ColumnSelection) -> Result<RowGroupReader> {
        let group = self.group_of(game);
        let start = self.starts.get(group).copied().unwrap_or(0);
        let wrong = |error| failed(error, &self.path);
        let columns: Vec<_> = (0..)
            .zip(&self.columns)
            .map(|(at, column)| column.filter(|_| wanted.has(at)))
            .collect();
        let mut rows = self.table.rows(group, &columns).map_err(wrong)?;
        rows.skip(game.saturating_sub(start)).map_err(wrong)?;
        Ok(rows)
    }

    /// Some of our columns in a game's row group, in the given order, from the game on.
    pub(super) fn columns_at(&self, game: u64, columns: &[usize]) -> Result<RowGroupReader> {
        let group = self.group_of(game);
        let start = self.starts.get(group).copied().unwrap_or(0);
        let columns: Vec<_> = columns
            .iter()
            .map(|at| self.columns.get(*at).copied().flatten())
            .collect();
        let rows = self.table.rows(group, &columns);
        let mut rows = rows.map_err(|error| self.wrong(error))?;
        self.skip(&mut rows, game.saturating_sub(start))?;
        Ok(rows)
    }

    /// The next value of a column.
    #[inline]
    pub(super) fn cell<'r>(
        &self,
        rows: &'r mut RowGroupReader,
        column: usize,
    ) -> Result<CellValue<'r>> {
        rows.next(column).map_err(|error| self.wrong(error))
    }

    /// Skips up to a number of rows without a value in a column, and returns how many.
    pub(super) fn pass_nulls(
        &self,
        rows: &mut RowGroupReader,
        column: usize,
        most: u64,
    ) -> Result<u64> {
        let passed = rows.pass_nulls(column, most);
        passed.map_err(|error| self.wrong(error))
    }

    /// Skips rows.
    pub(super) fn skip(&self, rows: &mut RowGroupReader, count: u64) -> Result<()> {
        rows.skip(count).map_err(|error| self.wrong(error))
    }

    /// The error of a row.
    pub(super) fn wrong(&self, error: tabiya_columns::Error) -> Error {
        failed(error, &self.path)
    }

    /// Whether moves are stored in two bytes each.
    pub(super) fn is_fast(&self) -> bool {
        self.moves == MoveColumn::Fast
    }

    /// Whether we wrote it, and it matches its checksums: then derived columns are right.
    pub(super) fn is_ours(&self) -> bool {
        self.table.has_sums() && self.table.note(layout::VERSION_NOTE) == Some(layout::VERSION)
    }

    /// The indices of derived columns, for a file that we wrote; `None` if one is missing.
    fn derived<const N: usize>(&self, columns: [usize; N]) -> Option<[usize; N]> {
        let mut places = [0; N];
        for (place, column) in places.iter_mut().zip(columns) {
            let field = layout::beside_tags(column).filter(|_| self.is_ours())?;
            let found = self.table.column_near(column, field.name, field.kind);
            *place = found.ok().flatten()?;
        }
        Some(places)
    }

    /// Whether it has such columns, and they are reliable.
    pub(super) fn has_derived<const N: usize>(&self, columns: [usize; N]) -> bool {
        self.derived(columns).is_some()
    }

    /// Such columns in a game's row group, from the game on.
    pub(super) fn derived_at<const N: usize>(
        &self,
        game: u64,
        columns: [usize; N],
    ) -> Result<Option<RowGroupReader>> {
        let Some(places) = self.derived(columns) else {
            return Ok(None);
        };
        let group = self.group_of(game);
        let start = self.starts.get(group).copied().unwrap_or(0);
        let rows = self.table.rows(group, &places.map(Some));
        let mut rows = rows.map_err(|error| self.wrong(error))?;
        self.skip(&mut rows, game.saturating_sub(start))?;
        Ok(Some(rows))
    }

    /// The numbers of plies of a game's row group, from the game on.
    pub(super) fn plies_at(&self, game: u64) -> Result<Option<RowGroupReader>> {
        self.derived_at(game, [layout::PLIES])
    }

    /// The next of them, after skipping a number of them.
    pub(super) fn next_plies(
        &self,
        rows: &mut RowGroupReader,
        skipped: u64,
    ) -> Result<Option<u32>> {
        let wrong = |error| failed(error, &self.path);
        rows.skip(skipped).map_err(wrong)?;
        let cell = rows.next(0).map_err(wrong)?;
        Ok(cell.int().and_then(|plies| u32::try_from(plies).ok()))
    }

    fn group_of(&self, game: u64) -> usize {
        self.starts
            .partition_point(|start| *start <= game)
            .saturating_sub(1)
    }
}

/// What a table of another kind lacks, and which columns it has instead.
fn foreign(table: &ParquetReader) -> Error {
    let names: Vec<&str> = table.names().take(12).collect();
    let more = if table.names().count() > names.len() {
        ", …"
    } else {
        ""
    };
    Error::new(
        &error_codes::NOT_THIS_FORMAT,
        format!(
            "this table does not have the columns of docs/formats/lake.md: the column \"moves\" is missing; its columns \
             are {}{more}",
            names.join(", ")
        ),
    )
}
