//! Why changes fail.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::super::lock;

/// Why a change is not possible.
#[derive(Debug, Error)]
pub enum ChangeError {
    /// Somebody else has locked the database, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] lock::LockError),
    /// A file may not be written to.
    #[error("{}: cannot be changed: {why}", path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The system refused before anything was decided.
    #[error("{}: {doing}: {error}; nothing was changed{left}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The system error.
        error: io::Error,
        /// Files that could not be removed, in words.
        left: String,
    },
    /// A file has changed since the change began.
    #[error("{}: another program has changed this file in the meantime; nothing was changed: try again", .0.display())]
    Overtaken(PathBuf),
    /// The change is decided, and the system refused to finish it.
    #[error("{}: {error}; the change is made, and will be completed the next time the database is opened", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The system error.
        error: io::Error,
    },
    /// An earlier change was interrupted, and cannot be completed here.
    #[error("{}: a change was interrupted and cannot be completed here: {why}", path.display())]
    Interrupted {
        /// The journal.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// An invalid journal.
    #[error("{}: this journal of an interrupted change is not valid; it was left unchanged", .0.display())]
    Journal(PathBuf),
}

impl ChangeError {
    /// The file in its message.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            ChangeError::Lock(error) => error.path(),
            ChangeError::Overtaken(path)
            | ChangeError::Journal(path)
            | ChangeError::NotWritable { path, .. }
            | ChangeError::Io { path, .. }
            | ChangeError::Unfinished { path, .. }
            | ChangeError::Interrupted { path, .. } => path,
        }
    }

    /// Whether its message gives the outcome of the change.
    pub fn tells_outcome(&self) -> bool {
        match self {
            ChangeError::Lock(error) => error.tells_outcome(),
            ChangeError::NotWritable { .. } => false,
            _ => true,
        }
    }
}
