//! Errors: the few kinds that a caller can act on, with the place and the cause.

use std::fmt;

use crate::diagnostic::Location;
use crate::user_hint::{UserAction, UserHint};

/// What kind of failure it is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// The operating system refused: not found, no permission, disk full.
    Io,
    /// The bytes are not of this format at all.
    NotThisFormat,
    /// The container is of this format but too damaged to read.
    Corrupt,
    /// Of this format, but of an unsupported kind.
    Unsupported,
    /// A limit that protects memory or time was reached.
    Limit,
    /// The request makes no sense: an option, a name, a game number.
    Usage,
    /// The user asked to stop.
    Interrupted,
    /// The item to change was changed by somebody else.
    Conflict,
    /// Somebody else is changing it: the same request may succeed later.
    Busy,
    /// The requested item does not exist: a game, a version, a database.
    NotFound,
    /// It is not allowed here.
    Forbidden,
    /// An internal error.
    Internal,
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
            ErrorKind::Busy => "busy",
            ErrorKind::NotFound => "not-found",
            ErrorKind::Forbidden => "forbidden",
            ErrorKind::Internal => "internal",
        }
    }
}

/// The failure for programs and translations: a static value for each failure that a user can meet.
#[derive(Debug)]
pub struct ErrorCode {
    /// Stable name in kebab case.
    pub name: &'static str,
    /// What a caller can act on.
    pub kind: ErrorKind,
    /// What it is, in one sentence.
    pub summary: &'static str,
}

impl PartialEq for ErrorCode {
    fn eq(&self, other: &ErrorCode) -> bool {
        self.name == other.name
    }
}

impl Eq for ErrorCode {}

/// A failure that ends an operation. Damage inside one game is a diagnostic, not an error.
#[derive(Debug)]
pub struct Error {
    /// What a caller can act on.
    pub kind: ErrorKind,
    /// What is wrong, for programs and translations.
    pub code: &'static ErrorCode,
    /// The parameter of the job that is wrong, by its name in the library. Front ends know their own name for it.
    pub parameter: Option<&'static str>,
    /// The place of the error.
    pub place: Box<Location>,
    /// What happened, for people, in English.
    pub message: String,
    details: Option<Box<ErrorDetails>>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Details that few errors have.
#[derive(Debug, Default)]
struct ErrorDetails {
    hint: Option<UserHint>,
    values: Vec<(&'static str, String)>,
}

/// The result of an operation of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure.
    pub fn new(code: &'static ErrorCode, message: impl Into<String>) -> Error {
        Error {
            kind: code.kind,
            code,
            parameter: None,
            place: Box::default(),
            message: message.into(),
            details: None,
            source: None,
        }
    }

    /// A system error, in other words than those of the system.
    pub fn of_system(error: std::io::Error, message: impl Into<String>) -> Error {
        Error {
            message: message.into(),
            ..Error::from(error)
        }
    }

    /// The same failure because of a parameter of the job.
    pub fn of_parameter(mut self, parameter: &'static str) -> Error {
        self.parameter = Some(parameter);
        self
    }

    /// The same failure with what a user can do about it.
    pub fn with_hint(mut self, hint: UserHint) -> Error {
        self.details.get_or_insert_default().hint = Some(hint);
        self
    }

    /// The same failure with a value of its message, for translations.
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Error {
        let details = self.details.get_or_insert_default();
        details.values.push((name, value.to_string()));
        self
    }

    /// The same failure in other words.
    pub fn in_words(mut self, message: impl Into<String>) -> Error {
        self.message = message.into();
        self
    }

    /// The same failure with other text: for places that users know by another name.
    pub fn with_texts(mut self, told: impl Fn(&str) -> String) -> Error {
        self.message = told(&self.message);
        if let Some(file) = &mut self.place.file {
            *file = told(file);
        }
        for (_, value) in self
            .details
            .iter_mut()
            .flat_map(|details| &mut details.values)
        {
            *value = told(value);
        }
        self
    }

    /// What a user can do about it.
    pub fn hint(&self) -> Option<&UserHint> {
        self.details.as_ref()?.hint.as_ref()
    }

    /// The file that the failure names, if it names one.
    pub fn file(&self) -> Option<&str> {
        let told = self.values().iter().find(|(name, _)| *name == "file");
        self.place
            .file
            .as_deref()
            .or(told.map(|(_, value)| value.as_str()))
    }

    /// The values in the message.
    pub fn values(&self) -> &[(&'static str, String)] {
        self.details.as_ref().map_or(&[], |details| &details.values)
    }

    /// The failure in words, with the front end's names for its parameter and the user actions.
    pub fn told(
        &self,
        parameter: impl FnOnce(&'static str) -> String,
        action: impl Fn(UserAction) -> String,
    ) -> String {
        let mut text = self.place.to_string();
        if let Some(name) = self.parameter {
            let before = if text.is_empty() { "" } else { ": " };
            text.push_str(before);
            text.push_str(&parameter(name));
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&self.message);
        if let Some(hint) = self.hint() {
            text.push_str("; ");
            text.push_str(&hint.told(action));
        }
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
        f.write_str(&self.told(str::to_owned, |action| action.words().to_owned()))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_codes;

    #[test]
    fn a_front_end_calls_parameters_and_actions_by_its_own_names() {
        let error = Error::new(&error_codes::BAD_POSITION, "this is not a position")
            .of_parameter("fen")
            .in_file("a.pgn")
            .with_hint(UserHint::Replace)
            .with("fen", "x");
        let told = error.told(
            |parameter| format!("--{parameter}"),
            |action| format!("<{}>", action.name()),
        );
        assert_eq!(
            told,
            "a.pgn: --fen: this is not a position; <replace> replaces it"
        );
        assert_eq!(
            error.to_string(),
            "a.pgn: fen: this is not a position; the overwrite option replaces it"
        );
        assert_eq!(error.values(), [("fen", "x".to_owned())]);
        assert_eq!(
            (error.kind, error.file()),
            (ErrorKind::Usage, Some("a.pgn"))
        );
    }

    #[test]
    fn failures_of_files_have_codes_wherever_they_come_from() {
        use std::io;
        use tabiya_io::{lock::LockError, output::OutputError};
        let exists = OutputError::Exists("a.pgn".into());
        let direct = Error::from(OutputError::Exists("a.pgn".into()));
        let wrapped = Error::from(io::Error::from(exists));
        for error in [direct, wrapped] {
            assert_eq!(*error.code, error_codes::TARGET_EXISTS);
            assert_eq!(error.hint(), Some(&UserHint::Replace));
            assert_eq!(error.file(), Some("a.pgn"));
        }
        let taken = LockError::Taken {
            database: "a.pgn".into(),
            holder: tabiya_io::lock::LockHolder::default(),
        };
        assert_eq!(Error::from(taken).kind, ErrorKind::Busy);
        let full = Error::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(*full.code, error_codes::DISK_FULL);
    }
}
