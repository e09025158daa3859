//! Failures of whole files, and their errors for callers.

use std::io;
use std::path::{Path, PathBuf};

use tabiya_model::{Error, error_codes};

use tabiya_io::{companions, output};

/// Why a database cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum ScidError {
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system error.
        error: io::Error,
    },
    /// The index has no header of Scid's.
    #[error("not a Scid index: its first bytes are wrong, or its header is truncated")]
    NoIndex,
    /// No known program writes this version word.
    #[error("version {0} of the Scid index is not supported")]
    Version(u16),
    /// The name does not show which of Scid's files it is.
    #[error("the name has to end in .si3, .si4 or .si5 (or be one of the companion files)")]
    Extension,
    /// Another file of the database is missing.
    #[error(transparent)]
    Companion(#[from] companions::CompanionError),
    /// A target cannot be written.
    #[error(transparent)]
    Output(#[from] output::OutputError),
    /// No game of that number.
    #[error("there is no game {number}: the database has {count} games")]
    NoGame {
        /// The requested number.
        number: u64,
        /// The number of games.
        count: u64,
    },
}

impl ScidError {
    /// A system error.
    pub fn io(path: &Path, error: io::Error) -> ScidError {
        ScidError::Io {
            path: path.to_path_buf(),
            error,
        }
    }
}

impl From<ScidError> for Error {
    fn from(error: ScidError) -> Error {
        let code = match error {
            ScidError::Io { path, error } => {
                return Error::from(error).in_file(path.display().to_string());
            }
            ScidError::Output(error) => return Error::from(error),
            ScidError::Companion(error) => return Error::from(error),
            ScidError::NoIndex => &error_codes::NOT_THIS_FORMAT,
            ScidError::Version(_) => &error_codes::UNSUPPORTED_VERSION,
            ScidError::Extension => &error_codes::TARGET_NAME,
            ScidError::NoGame { number, count } => {
                let message = error.to_string();
                return Error::new(&error_codes::NO_SUCH_GAME, message)
                    .with("number", number)
                    .with("count", count);
            }
        };
        Error::new(code, error.to_string()).because(error)
    }
}
