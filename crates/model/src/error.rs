//! Errors: the few kinds that a caller can act on, with the place and the cause.

use std::fmt;

use crate::diagnostic::Location;

/// What kind of failure it is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// The operating system refused: not found, no permission, disk full.
    Io,
    /// The bytes are not of this format at all.
    NotThisFormat,
    /// The container is of this format and damaged beyond reading.
    Corrupt,
    /// Of this format, and of a kind that is not supported.
    Unsupported,
    /// A limit that protects memory or time was reached.
    Limit,
    /// The request makes no sense: an option, a name, a game number.
    Usage,
    /// The user asked to stop.
    Interrupted,
    /// What was to be changed has been changed by somebody else.
    Conflict,
}

/// A failure that ends an operation. Damage inside one game is a diagnostic, not an error.
#[derive(Debug)]
pub struct Error {
    /// What a caller can act on.
    pub kind: ErrorKind,
    /// Where it happened.
    pub place: Box<Location>,
    /// What happened and what to do, for people.
    pub message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of an operation of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            place: Box::default(),
            message: message.into(),
            source: None,
        }
    }

    /// A request that makes no sense.
    pub fn usage(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, message)
    }

    /// A container that is damaged beyond reading.
    pub fn corrupt(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Corrupt, message)
    }

    /// The same failure with its place.
    pub fn at(mut self, place: Location) -> Error {
        self.place = Box::new(place);
        self
    }

    /// The same failure in a named file.
    pub fn in_file(mut self, file: impl Into<String>) -> Error {
        self.place.file = Some(file.into());
        self
    }

    /// The same failure with its cause.
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::new(ErrorKind::Io, error.to_string()).because(error)
    }
}
