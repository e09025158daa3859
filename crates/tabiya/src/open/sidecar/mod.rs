//! The index beside a database: `games.si5.tabiya-index`.
//!
//! It is a cache: it records which files it was made from, is ignored if they have changed, and can be deleted at any time.
//!
//! A [`Base`](crate::Base) finds it by itself; [`index`](mod@crate::write::index) makes, checks and removes it.

mod source_fingerprint;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tabiya_explore::index::{
    self, ChangedGames, ExplorerIndex, IndexBuildReport, IndexCheck, SpillFile,
};
use tabiya_formats::format::OpenOptions;
use tabiya_io::block_file::BlockFile;
use tabiya_io::held_folder::OpenMode;
use tabiya_io::mmap::FileBytes;
use tabiya_io::output::{OutputFile, OutputOptions};
use tabiya_model::{Control, Database, Error, Result};

use self::source_fingerprint::SourceFingerprint;
use crate::error_codes;
use crate::open::inspection::cannot_open;

/// The suffix added to the name of a database's first file.
pub const EXTENSION: &str = ".tabiya-index";

/// What was found beside a database.
#[derive(Debug)]
pub enum Sidecar {
    /// No index.
    None,
    /// An index of the current state of the database.
    Fresh(Box<ExplorerIndex>),
    /// An index of another state of the database.
    Stale(Box<ExplorerIndex>),
    /// A file that is not an index, or is damaged.
    Damaged,
}

impl Sidecar {
    /// The index, if it can be used; else a note with the reason.
    pub fn usable(self, path: &Path) -> std::result::Result<Option<Box<ExplorerIndex>>, String> {
        let note = |what| {
            format!(
                "{}: {what}; it is not used until it is rebuilt",
                path.display()
            )
        };
        match self {
            Sidecar::None => Ok(None),
            Sidecar::Fresh(index) => Ok(Some(index)),
            Sidecar::Stale(_) => Err(note(
                "the index is older than its database, or was made with other read options",
            )),
            Sidecar::Damaged => Err(note("the index is damaged or of another version")),
        }
    }
}

/// The path of a database's index; `None` if the database has no files of its own.
pub fn path_of(database: &dyn Database) -> Option<PathBuf> {
    let first = database.files().into_iter().next()?;
    let mut name = OsString::from(first);
    name.push(EXTENSION);
    Some(PathBuf::from(name))
}

/// Looks for the index of a database that was opened with some options.
pub fn open(database: &dyn Database, reading: &OpenOptions) -> Result<Sidecar> {
    let Some(path) = path_of(database) else {
        return Ok(Sidecar::None);
    };
    let access = reading.access();
    let bytes = match FileBytes::open(&path, access) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Sidecar::None),
        Err(error) => return Err(cannot_open(&path, error)),
    };
    let Some(index) = ExplorerIndex::open(Box::new(bytes)) else {
        return Ok(Sidecar::Damaged);
    };
    let index = Box::new(index);
    let now = SourceFingerprint::of(database, reading)?;
    match SourceFingerprint::read(index.fingerprint()) {
        Some(old) if old.is_unchanged(&now, database)? => Ok(Sidecar::Fresh(index)),
        _ => Ok(Sidecar::Stale(index)),
    }
}

/// A note about damage found while using an index; the answers came from the games.
pub fn damage(database: &dyn Database, index: &ExplorerIndex) -> Option<String> {
    let path = path_of(database).filter(|_| index.is_damaged())?;
    Some(format!(
        "{}: the index is damaged; the games were read instead of its damaged parts; rebuild it",
        path.display()
    ))
}

/// How an index is made. Temporary files hold what exceeds the memory limit of the control.
#[derive(Copy, Clone)]
pub struct IndexBuildOptions<'m> {
    /// How the database was opened.
    pub reading: &'m OpenOptions,
    /// Whether an existing index is extended if possible.
    pub extend: bool,
    /// The control of the job.
    pub control: &'m Control,
}

/// Makes or extends the index of a database; returns whether it was extended. If it is stopped, the old index stays.
pub fn make(
    database: &dyn Database,
    making: &IndexBuildOptions<'_>,
) -> Result<(IndexBuildReport, bool)> {
    let path = path_of(database).ok_or_else(|| {
        Error::new(
            &error_codes::NOT_INDEXABLE,
            "only a database that has files of its own can be indexed",
        )
    })?;
    let before = SourceFingerprint::of(database, making.reading)?;
    let witness = before.clone().with_digests(database)?.to_bytes();
    let spill = BlockSpill::default();
    let control = making.control;
    let create = || {
        let options = OutputOptions {
            force: true,
            sources: database.files(),
        };
        let failed = |error| Error::from(io::Error::from(error));
        let out = OutputFile::create(&path, &options).map_err(failed)?;
        // It tells of the games: nobody sees it who does not see them.
        out.restrict_to(&options.sources).map_err(failed)?;
        Ok::<OutputFile, Error>(out)
    };
    let mut out = create()?;
    let mut built = None;
    if making.extend
        && let Sidecar::Stale(old) = open(database, making.reading)?
    {
        built = index::extend(&old, database, &witness, &spill, control, &mut out)?;
    }
    let extended = built.is_some();
    let built = match built {
        Some(built) => built,
        None => index::build(database, &witness, &spill, control, &mut out)?,
    };
    if !built.ended.is_whole() {
        return Ok((built, extended));
    }
    if SourceFingerprint::of(database, making.reading)? != before {
        return Err(Error::new(
            &error_codes::CHANGED_MEANWHILE,
            "the database was changed during indexing; nothing was written",
        ));
    }
    out.commit()
        .map_err(|error| Error::from(io::Error::from(error)))?;
    Ok((built, extended))
}

/// Adds the games that were appended to a database to its index, which was that of the database before. The caller holds
/// the lock of the database, and knows that nothing else has changed. False where it has to be made anew.
pub(crate) fn grow(database: &dyn Database, reading: &OpenOptions) -> Result<bool> {
    add(database, reading, |old, now, more| {
        let control = Control::default();
        let spill = BlockSpill::default();
        index::grow(old, database, now, &spill, &control, more)
    })
}

/// The same where games have changed, and no others.
pub(crate) fn update_changed(
    database: &dyn Database,
    reading: &OpenOptions,
    changed: &ChangedGames,
) -> Result<bool> {
    add(database, reading, |old, now, more| {
        index::mark_changed(old, database, now, changed.clone(), more)
    })
}

/// Writes something behind the last byte of an index.
fn add(
    database: &dyn Database,
    reading: &OpenOptions,
    make: impl FnOnce(&ExplorerIndex, &[u8], &mut Vec<u8>) -> Result<Option<IndexBuildReport>>,
) -> Result<bool> {
    let Some(path) = path_of(database) else {
        return Ok(false);
    };
    let Sidecar::Stale(old) = open(database, reading)? else {
        return Ok(false);
    };
    let mut more = Vec::new();
    // What all of the base is now, nobody has the time to say.
    let now = SourceFingerprint::of(database, reading)?.to_bytes();
    if make(&old, &now, &mut more)?.is_none() {
        return Ok(false);
    }
    let size = old.size();
    drop(old);
    let failed = |error: io::Error| cannot_open(&path, error);
    let mut file = match tabiya_io::regular_file::open_for(&path, OpenMode::Append) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    // Somebody could have made it anew.
    if file.metadata().map_err(failed)?.len() != size {
        return Ok(false);
    }
    io::Write::write_all(&mut file, &more).map_err(failed)?;
    Ok(true)
}

/// Builds an index again and compares it with the file.
pub fn verify(
    database: &dyn Database,
    index: &ExplorerIndex,
    making: &IndexBuildOptions<'_>,
) -> Result<IndexCheck> {
    index::verify(index, database, &BlockSpill::default(), making.control)
}

/// Blocks of postings in a temporary file.
#[derive(Default)]
struct BlockSpill(BlockFile);

impl SpillFile for BlockSpill {
    fn append(&self, block: &[u8]) -> io::Result<u64> {
        self.0.append(block)
    }

    fn read(&self, at: u64, block: &mut [u8]) -> io::Result<()> {
        self.0.read(at, block)
    }
}
