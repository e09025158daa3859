//! Codes for file errors: system errors, compressed files, outputs, locks and changes.

use std::io;

use tabiya_io::change::ChangeError;
use tabiya_io::companions::CompanionError;
use tabiya_io::compression::UnpackError;
use tabiya_io::lock::LockError;
use tabiya_io::output::OutputError;

use crate::error::{Error, ErrorCode};
use crate::error_codes as codes;
use crate::user_hint::UserHint;

/// The words for a refusal of the system.
fn of_kind(kind: io::ErrorKind) -> &'static ErrorCode {
    use io::ErrorKind as Kind;
    match kind {
        Kind::NotFound => &codes::FILE_NOT_FOUND,
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => &codes::NO_PERMISSION,
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => &codes::DISK_FULL,
        Kind::AlreadyExists => &codes::FILE_EXISTS_ALREADY,
        Kind::IsADirectory => &codes::IS_FOLDER,
        Kind::BrokenPipe => &codes::PIPE_CLOSED,
        Kind::UnexpectedEof => &codes::FILE_CUT,
        _ => &codes::SYSTEM,
    }
}

fn of_packed(error: &UnpackError) -> &'static ErrorCode {
    match error {
        UnpackError::Io { error, .. } => of_kind(error.kind()),
        UnpackError::Truncated { .. } => &codes::PACKED_CUT,
        UnpackError::Window { .. } => &codes::PACKED_WINDOW,
        UnpackError::Bomb { .. } | UnpackError::Many { .. } => &codes::PACKED_BOMB,
        UnpackError::Spool { .. } | UnpackError::Depth { .. } => &codes::PACKED_TOO_DEEP,
        UnpackError::Unsupported { .. } | UnpackError::ForeignArchive { .. } => {
            &codes::PACKED_UNSUPPORTED
        }
        UnpackError::Container { .. } => &codes::PACKED_SEVERAL,
        UnpackError::NoFile { .. } => &codes::PACKED_LINK,
        UnpackError::Damaged { .. } | UnpackError::Trailing { .. } => &codes::PACKED_DAMAGED,
    }
}

/// What a user can do about a packed file.
fn hint_of_packed(error: &UnpackError) -> Option<UserHint> {
    match error {
        UnpackError::Window { .. } => Some(UserHint::LargerWindow),
        UnpackError::Bomb { .. } => Some(UserHint::LargerRatio),
        _ => None,
    }
}

fn of_output(error: &OutputError) -> &'static ErrorCode {
    match error {
        OutputError::Exists(_) => &codes::TARGET_EXISTS,
        OutputError::IsSource { .. } => &codes::TARGET_IS_SOURCE,
        OutputError::Twice(_) => &codes::TARGET_TWICE,
        OutputError::IsFolder(_) => &codes::IS_FOLDER,
        OutputError::Stopped(_) => &codes::INTERRUPTED,
        OutputError::Io { error, .. } => of_kind(error.kind()),
    }
}

fn of_lock(error: &LockError) -> &'static ErrorCode {
    match error {
        LockError::Taken { .. } => &codes::BEING_CHANGED,
        LockError::Foreign(_) => &codes::FOREIGN_LOCK,
        LockError::Io { error, .. } => of_kind(error.kind()),
    }
}

fn of_change(error: &ChangeError) -> &'static ErrorCode {
    match error {
        ChangeError::Lock(error) => of_lock(error),
        ChangeError::NotWritable { .. } => &codes::NO_PERMISSION,
        ChangeError::Io { error, .. } => of_kind(error.kind()),
        ChangeError::Overtaken(_) => &codes::CHANGED_MEANWHILE,
        ChangeError::Unfinished { .. } => &codes::CHANGE_UNFINISHED,
        ChangeError::Interrupted { .. } | ChangeError::Journal(_) => &codes::CHANGE_INTERRUPTED,
    }
}

fn of_companion(error: &CompanionError) -> &'static ErrorCode {
    match error {
        CompanionError::Missing { .. } => &codes::COMPANION_MISSING,
        CompanionError::Ambiguous { .. } => &codes::COMPANION_AMBIGUOUS,
        CompanionError::Io { error, .. } => of_kind(error.kind()),
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        let inner = error.get_ref();
        let inner = inner.map(|inner| inner as &(dyn std::error::Error + 'static));
        let packed = UnpackError::of(&error);
        let output = inner.and_then(|inner| inner.downcast_ref::<OutputError>());
        let companion = inner.and_then(|inner| inner.downcast_ref::<CompanionError>());
        let code = packed
            .map(of_packed)
            .or_else(|| output.map(of_output))
            .or_else(|| companion.map(of_companion))
            .unwrap_or_else(|| of_kind(error.kind()));
        let is_there = output.is_some_and(|output| matches!(output, OutputError::Exists(_)));
        let hint = packed
            .and_then(hint_of_packed)
            .or_else(|| is_there.then_some(UserHint::Replace));
        let file = packed
            .map(UnpackError::name)
            .map(str::to_owned)
            .or_else(|| output.map(|output| output.path().display().to_string()))
            .or_else(|| companion.map(|companion| companion.path().display().to_string()));
        told(
            Error::new(code, error.to_string()).because(error),
            file,
            hint,
        )
    }
}

/// An error with the file that its message names, and a hint for the user.
fn told(mut error: Error, file: Option<String>, hint: Option<UserHint>) -> Error {
    if let Some(file) = file {
        error = error.with("file", file);
    }
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

impl From<OutputError> for Error {
    /// The cause is kept, so that a closed pipe can be distinguished from a full disk.
    fn from(error: OutputError) -> Error {
        Error::from(io::Error::from(error))
    }
}

impl From<CompanionError> for Error {
    fn from(error: CompanionError) -> Error {
        Error::from(io::Error::from(error))
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Error {
        let file = error.path().display().to_string();
        let failure = Error::new(of_lock(&error), error.to_string()).because(error);
        told(failure, Some(file), None)
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Error {
        let is_readable = matches!(&error, ChangeError::Interrupted { .. });
        let file = error.path().display().to_string();
        let failure = Error::new(of_change(&error), error.to_string()).because(error);
        told(failure, Some(file), is_readable.then_some(UserHint::Repair))
    }
}

impl From<UnpackError> for Error {
    fn from(error: UnpackError) -> Error {
        let (file, hint) = (error.name().to_owned(), hint_of_packed(&error));
        let failure = Error::new(of_packed(&error), error.to_string()).because(error);
        told(failure, Some(file), hint)
    }
}
