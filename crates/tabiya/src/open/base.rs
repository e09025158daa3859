//! An open database, as a value that can be kept, cloned and used from many threads.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tabiya_explore::index::ExplorerIndex;
use tabiya_formats::format::{Format, OpenOptions};
use tabiya_io::held_folder;
use tabiya_model::facts::FactSource;
use tabiya_model::pipeline::renumber;
use tabiya_model::{
    Block, Control, Database, DatabaseInfo, DatabaseMetadata, Diagnostics, Error, Game, GameNeeds,
    JobCompletion, Losses, Result, Source,
};

use crate::error_codes;
use crate::open::archive::{ArchiveSource, UnpackedArchive};
use crate::open::lake_tables;
use crate::open::open_settings::Opener;
use crate::open::sidecar;
use crate::open::sidecar::Sidecar;

/// A database that is open for reading, or a stream that is read once.
///
/// Clones are the same base; it stays open as long as one of them exists.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use tabiya::model::GameNeeds;
///
/// let base = tabiya::open(path)?.remove(0);
/// let same = base.clone();
/// let reading = std::thread::spawn(move || same.read(1, GameNeeds::ALL));
/// let game = reading.join().expect("the thread does not panic")?;
/// assert_eq!(game.tape.plies(), 33);
/// assert!(base.is_current());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Base(Arc<BaseInner>);

struct BaseInner {
    name: String,
    format: &'static Format,
    content: BaseContent,
    /// What it was opened by.
    path: PathBuf,
    opener: Opener,
    generation: BaseGeneration,
    index: OnceLock<BaseIndex>,
    /// The folder that it was unpacked to; it goes with the base.
    folder: Option<Arc<UnpackedArchive>>,
    /// What was found while it was unpacked.
    found: Diagnostics,
    /// What the last reading of a stream or of an archive has found when it came to the end.
    heard: Mutex<Diagnostics>,
}

pub(crate) enum BaseContent {
    /// A database with random access.
    Database(Box<dyn Database>),
    /// An archive whose members are read in order, as often as required.
    Archive(PathBuf),
    /// A pipe or a member of an archive: read once.
    Stream(Mutex<Option<Box<dyn Source<'static>>>>),
}

impl BaseContent {
    pub(crate) fn stream(source: Box<dyn Source<'static>>) -> BaseContent {
        BaseContent::Stream(Mutex::new(Some(source)))
    }
}

/// The index beside a base.
enum BaseIndex {
    None,
    Fresh(Box<ExplorerIndex>),
    /// Why it is not used.
    Useless(String),
}

/// The state of a base's files: it differs if they have changed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct BaseGeneration(u64);

impl BaseGeneration {
    /// That of files as they are now: their sizes, times and identities.
    fn of(files: &[PathBuf]) -> BaseGeneration {
        let mut hasher = DefaultHasher::new();
        for path in files {
            path.hash(&mut hasher);
            let Ok(metadata) = held_folder::metadata(path) else {
                continue;
            };
            metadata.len().hash(&mut hasher);
            metadata.modified().ok().hash(&mut hasher);
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                (metadata.dev(), metadata.ino()).hash(&mut hasher);
                (metadata.ctime(), metadata.ctime_nsec()).hash(&mut hasher);
            }
        }
        BaseGeneration(hasher.finish())
    }
}

impl fmt::Display for BaseGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Base")
            .field("name", &self.0.name)
            .field("format", &self.0.format)
            .finish_non_exhaustive()
    }
}

impl Base {
    pub(crate) fn new(
        name: String,
        format: &'static Format,
        content: BaseContent,
        path: PathBuf,
        opener: Opener,
    ) -> Base {
        if let BaseContent::Database(database) = &content {
            lake_tables::keep_lookup(&**database, format, &path);
        }
        let mut base = BaseInner {
            name,
            format,
            content,
            path,
            opener,
            generation: BaseGeneration(0),
            index: OnceLock::new(),
            folder: None,
            found: Diagnostics::default(),
            heard: Mutex::default(),
        };
        base.generation = BaseGeneration::of(&base.watched());
        Base(Arc::new(base))
    }

    /// The same base as one that was unpacked from an archive to a folder, with what is to be told of the archive.
    pub(crate) fn unpacked(
        self,
        name: String,
        archive: PathBuf,
        folder: &Arc<UnpackedArchive>,
        found: Diagnostics,
    ) -> Base {
        // Nobody else has it yet.
        match Arc::try_unwrap(self.0) {
            Ok(mut inner) => {
                inner.name = name;
                inner.path = archive;
                inner.folder = Some(Arc::clone(folder));
                inner.found = found;
                inner.generation = BaseGeneration::of(&inner.watched());
                Base(Arc::new(inner))
            }
            Err(shared) => Base(shared),
        }
    }

    /// Its path, or its name within an archive, or `stdin`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its format.
    pub fn format(&self) -> &'static Format {
        self.0.format
    }

    /// What it was opened by: its first file, folder or archive, an address, or `-`.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    pub(crate) fn opener(&self) -> &Opener {
        &self.0.opener
    }

    /// How it was opened.
    pub fn options(&self) -> &OpenOptions {
        &self.0.opener.options
    }

    /// What is known of damage outside the games. If that shows only at the end, as in streams and packed files, it is
    /// known once all games have been read.
    pub fn diagnostics(&self) -> Diagnostics {
        self.found(|database| database.diagnostics())
    }

    /// The same without reading anything for it: parts that no answer has needed yet are left out, such as the names of a
    /// Scid database when positions were counted.
    pub fn known_diagnostics(&self) -> Diagnostics {
        self.found(|database| database.met())
    }

    fn found(&self, of: impl Fn(&dyn Database) -> Diagnostics) -> Diagnostics {
        let mut found = self.0.found.clone();
        match self.database() {
            Some(database) => found.append(&of(database)),
            None => found.append(&self.0.heard.lock().unwrap_or_else(PoisonError::into_inner)),
        }
        found
    }

    /// The database, if games can be read by number; streams and archives give them in order.
    pub fn database(&self) -> Option<&dyn Database> {
        match &self.0.content {
            BaseContent::Database(database) => Some(&**database),
            BaseContent::Stream(_) | BaseContent::Archive(_) => None,
        }
    }

    /// What is known without reading games.
    pub fn info(&self) -> DatabaseInfo {
        match &self.0.content {
            BaseContent::Database(database) => database.info(),
            BaseContent::Archive(path) => DatabaseInfo {
                format: self.0.format.name,
                files: held_folder::metadata(path)
                    .map(|metadata| vec![(path.clone(), metadata.len())])
                    .unwrap_or_default(),
                ..DatabaseInfo::default()
            },
            BaseContent::Stream(_) => DatabaseInfo {
                format: self.0.format.name,
                ..DatabaseInfo::default()
            },
        }
    }

    /// Every file that it is made of, so that none of them is overwritten: those of the database, and what it was opened
    /// by.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.0.path.clone()];
        if let Some(database) = self.database() {
            files.extend(database.files());
        }
        files
    }

    /// The state of the files that this base is open on.
    pub fn generation(&self) -> BaseGeneration {
        self.0.generation
    }

    /// Whether the files are still those that this base has open. A base without files of its own is always current.
    pub fn is_current(&self) -> bool {
        BaseGeneration::of(&self.0.watched()) == self.0.generation
    }

    pub(crate) fn read_once(&self) -> Error {
        Error::new(
            &error_codes::READ_ONCE,
            format!("{} can be read only once", self.0.name),
        )
    }

    /// Whether games can be read more than once.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self.0.content, BaseContent::Stream(_))
    }

    /// Whether it was unpacked from an archive, so that its files are temporary.
    pub fn is_unpacked(&self) -> bool {
        self.0.folder.is_some()
    }

    /// The index beside it, if there is one for the current state of the files. From it the database learns the offsets of
    /// its games.
    pub fn index(&self) -> Option<&ExplorerIndex> {
        match self.beside() {
            BaseIndex::Fresh(index) => Some(index),
            BaseIndex::None | BaseIndex::Useless(_) => None,
        }
    }

    /// Why the index beside it is not used.
    pub fn index_note(&self) -> Option<&str> {
        match self.beside() {
            BaseIndex::Useless(note) => Some(note),
            BaseIndex::None | BaseIndex::Fresh(_) => None,
        }
    }

    fn beside(&self) -> &BaseIndex {
        self.0.index.get_or_init(|| {
            let Some(database) = self.database().filter(|_| self.0.folder.is_none()) else {
                return BaseIndex::None;
            };
            let Some(path) = sidecar::path_of(database) else {
                return BaseIndex::None;
            };
            match sidecar::open(database, self.options()).map(|found| found.usable(&path)) {
                Ok(Ok(Some(index))) => {
                    index.tell_places(database);
                    BaseIndex::Fresh(index)
                }
                Ok(Ok(None)) => BaseIndex::None,
                Ok(Err(note)) => BaseIndex::Useless(note),
                Err(error) => BaseIndex::Useless(format!("{error}; the index is not used")),
            }
        })
    }

    /// Opens again what was found beside it.
    pub fn sidecar(&self) -> Result<Sidecar> {
        match self.database() {
            Some(database) => sidecar::open(database, self.options()),
            None => Ok(Sidecar::None),
        }
    }

    /// Whether a single game is found directly, without a walk over the file: because the format has offsets, or because
    /// the index beside it has kept them.
    pub fn finds_games(&self) -> bool {
        self.database().is_some_and(|database| {
            database.finds_games() || (self.index().is_some() && database.finds_games())
        })
    }

    /// What the database says about itself besides its games.
    pub fn about(&self) -> Result<DatabaseMetadata> {
        match &self.0.content {
            BaseContent::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                match &*stream {
                    Some(source) => Ok(source.about()),
                    None => Err(self.read_once()),
                }
            }
            _ => Ok(self.plain_source(None)?.about()),
        }
    }

    fn plain_source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        match &self.0.content {
            BaseContent::Database(database) if self.0.found.is_empty() => database.source(games),
            BaseContent::Database(database) => Ok(Box::new(PriorFindingsSource {
                source: database.source(games)?,
                found: &self.0.found,
            })),
            BaseContent::Archive(path) => {
                let opener = &self.0.opener;
                let chain = ArchiveSource::new(path, opener, &opener.limits())?;
                Ok(self.heard(Box::new(chain)))
            }
            BaseContent::Stream(stream) => {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                match stream.take() {
                    Some(source) => Ok(self.heard(Box::new(OwnedSource(source)))),
                    None => Err(self.read_once()),
                }
            }
        }
    }

    fn heard<'b>(&'b self, source: Box<dyn Source<'b> + 'b>) -> Box<dyn Source<'b> + 'b> {
        Box::new(RecordingSource {
            source,
            heard: &self.0.heard,
        })
    }

    /// All games; a stream gives them once. The control gets the total amount of work.
    pub fn source(&self, control: &Control) -> Result<Box<dyn Source<'_> + '_>> {
        let source = self.plain_source(None)?;
        control.expect_more(source.total_bytes());
        Ok(source)
    }

    /// What is known of its games without reading them: from an index of its own, else from the one beside it, which has
    /// more than the columns of a format do.
    pub fn facts(&self) -> Option<&dyn FactSource> {
        let beside = || self.index()?.facts().map(|facts| facts as &dyn FactSource);
        let database = self.database()?;
        match database.facts().filter(|_| has_whole_facts(database)) {
            Some(whole) => Some(whole),
            None => beside().or(database.facts()),
        }
    }

    /// Calls `each` with every game, in order, until it breaks off or the control is stopped.
    pub fn for_each(
        &self,
        want: GameNeeds,
        control: &Control,
        each: impl FnMut(&mut Game) -> Result<ControlFlow<()>>,
    ) -> Result<JobCompletion> {
        for_each_until(&mut *self.source(control)?, want, control, each)
    }

    /// All games, one after another, on this thread.
    ///
    /// ```
    /// # fn main() -> tabiya::model::Result<()> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
    /// use tabiya::model::GameNeeds;
    ///
    /// for base in tabiya::open(path)? {
    ///     for game in base.games(GameNeeds::TAGS)? {
    ///         assert_eq!(game?.tags.value("White"), "Morphy, Paul");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn games(&self, want: GameNeeds) -> Result<BaseGames<'_>> {
        Ok(BaseGames {
            source: self.plain_source(None)?,
            block: None,
            want,
            base: 0,
            count: 0,
        })
    }

    /// One game by its number, from 1.
    pub fn read(&self, number: u64, want: GameNeeds) -> Result<Game> {
        let mut game = Game::default();
        let database = self.database().ok_or_else(|| {
            Error::new(
                &error_codes::ONE_AFTER_ANOTHER,
                "its games can only be read in order",
            )
            .in_file(&*self.0.name)
        })?;
        // Where the games stand is learned from the index, if there is one.
        let _ = self.finds_games();
        database.read(number, want, &mut game)?;
        Ok(game)
    }
}

impl BaseInner {
    /// The files whose change is a change of the base.
    fn watched(&self) -> Vec<PathBuf> {
        match &self.content {
            BaseContent::Database(database) if self.folder.is_none() => database.files(),
            BaseContent::Stream(_) => Vec::new(),
            BaseContent::Database(_) | BaseContent::Archive(_) => vec![self.path.clone()],
        }
    }
}

/// Calls `each` with every game of a source, on this thread, numbered through, until it breaks off or the control is
/// stopped.
pub(crate) fn for_each_until(
    source: &mut dyn Source<'_>,
    want: GameNeeds,
    control: &Control,
    each: impl FnMut(&mut Game) -> Result<ControlFlow<()>>,
) -> Result<JobCompletion> {
    for_each_with_more(source, want, None, control, each)
}

/// What more is read of some games, and of which, when they have been read so far.
pub(crate) type MoreNeeds<'m> = (GameNeeds, &'m dyn Fn(&Game) -> bool);

/// The same with more of some games. Where a source cannot go back, it is read of all.
pub(crate) fn for_each_with_more(
    source: &mut dyn Source<'_>,
    want: GameNeeds,
    more: Option<MoreNeeds<'_>>,
    control: &Control,
    mut each: impl FnMut(&mut Game) -> Result<ControlFlow<()>>,
) -> Result<JobCompletion> {
    let mut game = Game::default();
    let mut count = 0;
    while let Some(mut block) = source.next_block()? {
        let base = base_of(&*block, &mut count);
        let before = count;
        let (want, more) = match more {
            Some((needs, _)) if !block.is_repeatable() => (want.union(needs), None),
            more => (want, more),
        };
        loop {
            if control.is_stopped() {
                return Ok(control.completion());
            }
            if !block.next(want, &mut game)? {
                break;
            }
            if let Some((needs, is_asked)) = more
                && is_asked(&game)
            {
                block.again(want.union(needs), &mut game)?;
            }
            renumber(&mut game, base);
            count += 1;
            if each(&mut game)?.is_break() {
                return Ok(JobCompletion::Whole);
            }
        }
        control.advance(count - before, block.bytes());
    }
    Ok(JobCompletion::Whole)
}

/// What is added to the numbers of a block's games, and how many games came before them.
fn base_of(block: &dyn Block, count: &mut u64) -> u64 {
    match block.first() {
        Some(first) => {
            *count = first.saturating_sub(1);
            0
        }
        None => *count,
    }
}

/// The games of a base, one after another.
pub struct BaseGames<'b> {
    source: Box<dyn Source<'b> + 'b>,
    block: Option<Box<dyn Block + 'b>>,
    want: GameNeeds,
    base: u64,
    count: u64,
}

impl BaseGames<'_> {
    fn step(&mut self) -> Result<Option<Game>> {
        loop {
            if let Some(block) = &mut self.block {
                let mut game = Game::default();
                if block.next(self.want, &mut game)? {
                    renumber(&mut game, self.base);
                    self.count += 1;
                    return Ok(Some(game));
                }
            }
            self.block = self.source.next_block()?;
            match &self.block {
                Some(block) => self.base = base_of(&**block, &mut self.count),
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for BaseGames<'_> {
    type Item = Result<Game>;

    fn next(&mut self) -> Option<Result<Game>> {
        self.step().transpose()
    }
}

/// A source that owns its content, seen as one that borrows it.
struct OwnedSource(Box<dyn Source<'static>>);

impl<'a> Source<'a> for OwnedSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        Ok(self
            .0
            .next_block()?
            .map(|block| block as Box<dyn Block + 'a>))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.0.diagnostics()
    }

    fn about(&self) -> DatabaseMetadata {
        self.0.about()
    }

    fn missing(&self) -> Losses {
        self.0.missing()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.0.total_bytes()
    }
}

/// A source with what was found before it was opened.
struct PriorFindingsSource<'a> {
    source: Box<dyn Source<'a> + 'a>,
    found: &'a Diagnostics,
}

impl<'a> Source<'a> for PriorFindingsSource<'a> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        self.source.next_block()
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut all = self.found.clone();
        all.append(&self.source.diagnostics());
        all
    }

    fn about(&self) -> DatabaseMetadata {
        self.source.about()
    }

    fn missing(&self) -> Losses {
        self.source.missing()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.source.total_bytes()
    }
}

/// A source that leaves what it has found with its base.
struct RecordingSource<'a> {
    source: Box<dyn Source<'a> + 'a>,
    heard: &'a Mutex<Diagnostics>,
}

impl<'a> Source<'a> for RecordingSource<'a> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        let next = self.source.next_block();
        if !matches!(next, Ok(Some(_))) {
            *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = self.source.diagnostics();
        }
        next
    }

    fn diagnostics(&self) -> Diagnostics {
        self.source.diagnostics()
    }

    fn about(&self) -> DatabaseMetadata {
        self.source.about()
    }

    fn missing(&self) -> Losses {
        self.source.missing()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.source.total_bytes()
    }
}

/// Whether a database says itself all that an index beside it would say of its games.
pub(crate) fn has_whole_facts(database: &dyn Database) -> bool {
    let facts = database.facts();
    facts.is_some_and(FactSource::is_index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shared<T: Send + Sync + Clone + 'static>() {}

    #[test]
    fn a_base_is_owned_and_shared() {
        is_shared::<Base>();
        is_shared::<Opener>();
    }
}
