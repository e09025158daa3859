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

impl ErrorKind {
    /// Its name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Io => "io",
            ErrorKind::NotThisFormat => "not-this-format",
            ErrorKind::Corrupt => "corrupt",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Limit => "limit",
            ErrorKind::Usage => "usage",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Conflict => "conflict",
        }
    }
}

/// A failure that ends an operation. Damage inside one game is a diagnostic, not an error.
#[derive(Debug)]
pub struct Error {
    /// What a caller can act on.
    pub kind: ErrorKind,
    /// The parameter of the job that is wrong, by the name that the library gives it. What the user calls it, the front end knows.
    pub parameter: Option<&'static str>,
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
            parameter: None,
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

    /// The same failure because of a parameter of the job.
    pub fn of_parameter(mut self, parameter: &'static str) -> Error {
        self.parameter = Some(parameter);
        self
    }

    /// The failure in words, its parameter as the front end calls it.
    pub fn told(&self, called: impl FnOnce(&'static str) -> String) -> String {
        let mut text = self.place.to_string();
        if let Some(parameter) = self.parameter {
            let before = if text.is_empty() { "" } else { ": " };
            text.push_str(before);
            text.push_str(&called(parameter));
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&self.message);
        text
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
        f.write_str(&self.told(str::to_owned))
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
