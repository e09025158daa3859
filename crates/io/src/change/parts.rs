//! The parts of a change.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::super::disk::Disk;
use super::super::fingerprint;
use super::super::held_folder;
use super::super::lock::DatabaseLock;

/// The suffix of a replacement file, after the name of the old file.
pub const NEW: &str = ".tabiya-new";

/// What shows quickly whether a file is still the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangeStamp {
    pub(super) file: (u64, u64),
    pub(super) size: u64,
    pub(super) modified: Option<std::time::SystemTime>,
}

impl ChangeStamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let file = (0, 0);
        Self {
            file,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }

    pub(super) fn of_path(path: &Path) -> Option<Self> {
        held_folder::metadata(path)
            .ok()
            .map(|found| Self::of(&found))
    }
}

/// The stamps of the files of a database at one moment: another state has other stamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFileStamps(Vec<Option<ChangeStamp>>);

impl DatabaseFileStamps {
    /// The current stamps of files.
    #[must_use]
    pub fn of(files: &[PathBuf]) -> DatabaseFileStamps {
        DatabaseFileStamps(
            files
                .iter()
                .map(|file| ChangeStamp::of_path(file))
                .collect(),
        )
    }
}

/// A file of the database.
#[derive(Debug)]
pub(super) struct ChangeTarget {
    /// Its name in the journal.
    pub(super) name: String,
    /// Its path with all links followed.
    pub(super) path: PathBuf,
    /// Its state when the change began; `None` if it did not exist.
    pub(super) before: Option<(ChangeStamp, Metadata)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    Replace,
    Append,
}

impl ChangeKind {
    /// A hash of a new file, and its size.
    pub(super) fn hash(self, new: &mut File) -> io::Result<(u64, u64)> {
        match self {
            ChangeKind::Replace => fingerprint::hash_spread(new),
            ChangeKind::Append => fingerprint::hash_all(new),
        }
    }
}

/// A change of the files of a database from one state to the next.
#[derive(Debug)]
pub struct DatabaseChange {
    pub(super) disk: Disk,
    pub(super) journal: PathBuf,
    pub(super) history: PathBuf,
    pub(super) targets: Vec<ChangeTarget>,
    /// Files under their temporary names, by the number of their target, in the order in which they are put in place.
    pub(super) staged: Vec<(usize, ChangeKind)>,
    /// The database is sound after each step.
    pub(super) has_sound_steps: bool,
    pub(super) is_open: bool,
    // The last field, so that the lock is released after everything else has been tidied up.
    pub(super) lock: DatabaseLock,
}

/// The path of the first file of a database with all links followed.
pub(super) fn real(path: &Path) -> PathBuf {
    held_folder::real(path).unwrap_or_else(|_| {
        // If it does not exist yet, the links of its folder are followed.
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        match (
            held_folder::real(folder.unwrap_or(Path::new("."))),
            path.file_name(),
        ) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_path_buf(),
        }
    })
}
