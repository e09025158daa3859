//! Games of one file, or of several files in sequence.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tabiya_columns::RowGroupReader;
use tabiya_model::error_codes;
use tabiya_model::facts::FactSource;
use tabiya_model::positions::PositionSource;
use tabiya_model::{
    Block, Database, DatabaseInfo, DatabaseMetadata, Error, Game, GameNeeds, Result, Source,
};

use super::audit::ParquetAudit;
use super::facts::ParquetFactCache;
use super::layout;
use super::reader::{ColumnSelection, ParquetFile};
use super::record::ParquetRecord;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::numbered_database::check_number;

/// The number of games in a block; a row group has many.
const BLOCK: u64 = 8192;
/// How many files are kept open.
const OPEN: usize = 256;

/// A file of a base.
#[derive(Clone, Debug)]
pub(crate) struct ParquetDatabaseFile {
    /// Its path.
    pub(crate) path: PathBuf,
    /// Its games.
    pub(crate) games: u64,
    /// Its bytes.
    pub(crate) bytes: u64,
}

/// A database that is open for reading.
pub(crate) struct ParquetDatabase {
    options: OpenOptions,
    members: Vec<ParquetDatabaseFile>,
    /// The games before each file, and the number of all games at the end.
    starts: Vec<u64>,
    open: Mutex<VecDeque<(usize, Arc<ParquetFile>)>>,
    about: DatabaseMetadata,
    /// Information that is known without reading games.
    pub(crate) info: DatabaseInfo,
    /// The facts that were needed so far.
    known: OnceLock<ParquetFactCache>,
    /// Rows from which single games were read: readers of ascending numbers continue in them.
    under_way: Mutex<VecDeque<RowsInProgress>>,
}

/// Rows of a row group, and the decoder for games from them.
struct RowsInProgress {
    file: Arc<ParquetFile>,
    /// The next game of the rows, and the end of the row group; counted from 0 through all files.
    next: u64,
    end: u64,
    wanted: ColumnSelection,
    rows: RowGroupReader,
    record: ParquetRecord,
}

/// The number of rows that are kept for further reads.
const UNDER_WAY: usize = 8;
/// How far ahead a game may be to use them: beyond that, skipping pages is faster than skipping values.
const AHEAD: u64 = BLOCK;

/// Opens a single file.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let file = ParquetFile::open(path, options)?;
    let mut info = DatabaseInfo {
        format: super::FORMAT.name,
        version: file
            .table()
            .note(layout::VERSION_NOTE)
            .unwrap_or_default()
            .to_owned(),
        files: vec![(path.to_owned(), file.table().size())],
        games: Some(file.count()),
        ..DatabaseInfo::default()
    };
    info.field("description", file.description());
    info.field("written by", file.table().writer());
    info.field("row groups", file.table().groups().to_string());
    info.field("missing columns", file.missing());
    let member = ParquetDatabaseFile {
        path: path.to_owned(),
        games: file.count(),
        bytes: file.table().size(),
    };
    let description = file.description().to_owned();
    let base = ParquetDatabase::new(vec![member], description, info, options);
    base.keep(0, Arc::new(file));
    Ok(Box::new(base))
}

impl ParquetDatabase {
    /// The games of files, one after another.
    pub(crate) fn new(
        members: Vec<ParquetDatabaseFile>,
        description: String,
        info: DatabaseInfo,
        options: &OpenOptions,
    ) -> ParquetDatabase {
        let mut starts = vec![0_u64];
        for member in &members {
            let before = starts.last().copied().unwrap_or(0);
            starts.push(before.saturating_add(member.games));
        }
        ParquetDatabase {
            options: options.clone(),
            members,
            starts,
            open: Mutex::default(),
            about: DatabaseMetadata {
                description,
                ..DatabaseMetadata::default()
            },
            info,
            known: OnceLock::new(),
            under_way: Mutex::default(),
        }
    }

    pub(super) fn known(&self) -> &ParquetFactCache {
        self.known
            .get_or_init(|| ParquetFactCache::new(self.members.len()))
    }

    /// Rows at a game, counted from 0, with the wanted columns.
    fn rows_for(&self, game: u64, wanted: ColumnSelection) -> Result<RowsInProgress> {
        let mut kept = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let fits = |it: &RowsInProgress| {
            let near = it.next..it.end.min(it.next.saturating_add(AHEAD));
            near.contains(&game) && it.wanted == wanted
        };
        let nearest = (0..kept.len())
            .filter(|at| kept.get(*at).is_some_and(fits))
            .max_by_key(|at| kept.get(*at).map(|it| it.next));
        let found = nearest.and_then(|at| kept.remove(at));
        drop(kept);
        if let Some(mut found) = found {
            found.file.skip(&mut found.rows, game - found.next)?;
            found.next = game;
            return Ok(found);
        }
        let (file, start) = self.file_of(game)?;
        let (group_end, _) = file.group_end(game - start);
        Ok(RowsInProgress {
            rows: file.rows_at(game - start, wanted)?,
            record: file.record(),
            next: game,
            end: group_end.saturating_add(start),
            wanted,
            file,
        })
    }

    pub(super) fn count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn keep(&self, at: usize, file: Arc<ParquetFile>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((at, file));
    }

    /// A file, which is opened if it is not open yet.
    pub(crate) fn file(&self, at: usize) -> Result<Arc<ParquetFile>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().rev().find(|(other, _)| *other == at);
        if let Some((_, file)) = found {
            return Ok(Arc::clone(file));
        }
        drop(open);
        let member = self
            .members
            .get(at)
            .ok_or_else(|| Error::new(&error_codes::INTERNAL, "there is no such file"))?;
        let file = Arc::new(ParquetFile::open(&member.path, &self.options)?);
        if file.count() != member.games {
            let message = format!(
                "it has {} games, but the manifest says {}",
                file.count(),
                member.games
            );
            return Err(
                Error::new(&error_codes::DAMAGED, message).in_file(member.path.to_string_lossy())
            );
        }
        self.keep(at, Arc::clone(&file));
        Ok(file)
    }

    /// The number of the file of a game, counted from 0.
    pub(super) fn member_of(&self, game: u64) -> usize {
        self.starts
            .partition_point(|start| *start <= game)
            .saturating_sub(1)
    }

    /// The games before a file.
    pub(super) fn start_of(&self, at: usize) -> u64 {
        self.starts.get(at).copied().unwrap_or(0)
    }

    /// The file of a game, counted from 0, and the games before that file.
    pub(crate) fn file_of(&self, game: u64) -> Result<(Arc<ParquetFile>, u64)> {
        let at = self.member_of(game);
        Ok((self.file(at)?, self.start_of(at)))
    }
}

impl Database for ParquetDatabase {
    fn info(&self) -> DatabaseInfo {
        self.info.clone()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.count())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        check_number(number, self.count())?;
        let mut at = self.rows_for(number - 1, want.into())?;
        at.file.load(&mut at.rows, &mut at.record)?;
        at.next += 1;
        at.record.read(number, at.file.depth(), want, game);
        let mut kept = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= UNDER_WAY {
            kept.pop_front();
        }
        kept.push_back(at);
        Ok(())
    }

    fn reads_in_rows(&self) -> bool {
        true
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        Some(self)
    }

    fn positions(&self) -> Option<&dyn PositionSource> {
        Some(self)
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let all = self.count();
        let games = games.unwrap_or(1..all.saturating_add(1));
        Ok(Box::new(ParquetSource {
            base: self,
            next: games.start.max(1) - 1,
            end: games.end.saturating_sub(1).min(all),
        }))
    }
}

/// A range of games, counted from 0, to be divided into blocks.
struct ParquetSource<'a> {
    base: &'a ParquetDatabase,
    next: u64,
    end: u64,
}

impl<'a> Source<'a> for ParquetSource<'a> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        let (file, start) = self.base.file_of(first)?;
        let (group_end, size) = file.group_end(first - start);
        let end = first.saturating_add(BLOCK);
        self.next = end.min(group_end.saturating_add(start)).min(self.end);
        if self.next <= first {
            // A file without games, which no manifest of ours lists.
            return Err(Error::new(
                &error_codes::DAMAGED,
                "a file of the database does not have these games",
            ));
        }
        Ok(Some(Box::new(ParquetBlock {
            record: file.record(),
            knows_plies: file.has_derived([layout::PLIES]),
            file,
            rows: None,
            read: None,
            plies: None,
            audit: None,
            start,
            first,
            next: first,
            end: self.next,
            bytes: size.saturating_mul(self.next - first),
        })))
    }

    fn about(&self) -> DatabaseMetadata {
        self.base.about.clone()
    }

    fn total_bytes(&self) -> Option<u64> {
        let bytes = self.base.members.iter().map(|member| member.bytes);
        Some(bytes.fold(0, u64::saturating_add))
    }
}

/// A block of games of one row group.
struct ParquetBlock {
    file: Arc<ParquetFile>,
    /// Opened by the reading thread, with the wanted columns.
    rows: Option<(RowGroupReader, ColumnSelection)>,
    record: ParquetRecord,
    /// The columns of the current game that were read.
    read: Option<ColumnSelection>,
    knows_plies: bool,
    /// The numbers of plies, if they were requested, and the game that comes next in them.
    plies: Option<(RowGroupReader, u64)>,
    /// Compares columns with the games, if that was requested and all games are read completely.
    audit: Option<ParquetAudit>,
    /// The games before the file.
    start: u64,
    first: u64,
    next: u64,
    end: u64,
    bytes: u64,
}

impl ParquetBlock {
    /// Compares the columns of the game that was read last with it.
    #[cold]
    fn audit(&mut self, game: &mut Game) -> Result<()> {
        let row = self.next - 1 - self.start;
        let mut audit = match self.audit.take() {
            Some(audit) if self.next - 1 > self.first => audit,
            _ => ParquetAudit::new(&self.file, row)?,
        };
        audit.look(&self.file, game)?;
        self.audit = Some(audit);
        Ok(())
    }
}

impl Block for ParquetBlock {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        if self.next >= self.end {
            return Ok(false);
        }
        let wanted = ColumnSelection::from(want);
        let rows = match &mut self.rows {
            Some((rows, has)) if has.covers(wanted) => rows,
            other => {
                let wanted = match other {
                    Some((_, has)) => has.union(wanted),
                    None => wanted,
                };
                let rows = self.file.rows_at(self.next - self.start, wanted)?;
                &mut other.insert((rows, wanted)).0
            }
        };
        self.file.load(rows, &mut self.record)?;
        self.read = self.rows.as_ref().map(|(_, has)| *has);
        self.next += 1;
        self.record.read(self.next, self.file.depth(), want, game);
        if self.file.audits() && want == GameNeeds::ALL {
            self.audit(game)?;
        }
        Ok(true)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some(has) = self.read.filter(|_| self.next > self.first) else {
            return Ok(false);
        };
        let wanted = ColumnSelection::from(want);
        if !has.covers(wanted) {
            let wanted = has.union(wanted);
            let mut rows = self.file.rows_at(self.next - 1 - self.start, wanted)?;
            self.file.load(&mut rows, &mut self.record)?;
            self.read = Some(wanted);
        }
        self.record.read(self.next, self.file.depth(), want, game);
        Ok(true)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn knows_plies(&self) -> bool {
        self.knows_plies
    }

    fn plies(&mut self) -> Result<Option<u32>> {
        if !self.knows_plies || self.next <= self.first {
            return Ok(None);
        }
        let game = self.next - 1;
        let (mut rows, at) = match self.plies.take() {
            Some((rows, at)) if at <= game => (rows, at),
            _ => match self.file.plies_at(game - self.start)? {
                Some(rows) => (rows, game),
                None => return Ok(None),
            },
        };
        let plies = self.file.next_plies(&mut rows, game - at)?;
        self.plies = Some((rows, game + 1));
        Ok(plies)
    }

    fn first(&self) -> Option<u64> {
        Some(self.first + 1)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
