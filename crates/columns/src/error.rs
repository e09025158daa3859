//! Errors of tables.

use thiserror::Error;

/// Why a table cannot be read or written.
#[derive(Debug, Error)]
pub enum Error {
    /// It is not a Parquet file.
    #[error("not a Parquet file: {0}")]
    Foreign(&'static str),
    /// The bytes are inconsistent.
    #[error("{what} (byte {at})")]
    Damaged {
        /// The error.
        what: String,
        /// The offset in the file.
        at: u64,
    },
    /// The bytes do not match the checksum made when they were written.
    #[error("{what} was changed after it was written (byte {at})")]
    Changed {
        /// The changed part.
        what: String,
        /// Its offset in the file.
        at: u64,
    },
    /// It may be sound, but is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// A column is missing, or has another type.
    #[error("the column {name:?} {why}")]
    Column {
        /// Its name.
        name: String,
        /// The error.
        why: String,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Writing failed.
    #[error("the table cannot be written: {0}")]
    Write(String),
}

/// A result with such an error.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn damaged(what: impl Into<String>, at: u64) -> Error {
        Error::Damaged {
            what: what.into(),
            at,
        }
    }

    /// The same error, found at an offset within something that begins at `base`.
    pub(crate) fn shifted(self, base: u64) -> Error {
        match self {
            Error::Damaged { what, at } => Error::Damaged {
                what,
                at: base.saturating_add(at),
            },
            other => other,
        }
    }

    /// The offset of the damage in the file.
    pub fn byte(&self) -> Option<u64> {
        match self {
            Error::Damaged { at, .. } | Error::Changed { at, .. } => Some(*at),
            _ => None,
        }
    }
}
