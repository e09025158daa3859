//! Answers: JSON, refusals with a sentence each, and the HTTP status of the library's errors.

use crate::error_codes;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tabiya::search::query_fault_answer;
use tabiya_answers::server::{HintAnswer, RefusalAnswer};
use tabiya_io::{change, compression, lock, output};
use tabiya_model::{Error, ErrorCode, ErrorKind};
use tabiya_query::error::QueryError;

/// The value that every refusal has: what happened, in English, without its place and without a hint. A sentence in another
/// language ends with it where a code stands for more than that language can tell.
const MESSAGE: &str = "message";

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// What is told.
    pub(crate) answer: Box<RefusalAnswer>,
}

/// What a route answers.
pub(crate) type RouteResult<T> = Result<Json<T>, Refusal>;

impl Refusal {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static ErrorCode,
        message: impl Into<String>,
    ) -> Refusal {
        let message = message.into();
        Refusal {
            status,
            answer: Box::new(RefusalAnswer {
                error: message.clone(),
                kind: code.kind.name(),
                code: code.name,
                values: BTreeMap::from([(MESSAGE, message)]),
                ..RefusalAnswer::default()
            }),
        }
    }

    /// The same with a value of its message, for translations.
    pub(crate) fn with(mut self, name: &'static str, value: impl fmt::Display) -> Refusal {
        self.answer.values.insert(name, value.to_string());
        self
    }

    /// Nothing is changed here.
    pub(crate) fn read_only() -> Refusal {
        Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::READ_ONLY_SERVER,
            "the server was started with --read-only: nothing can be changed",
        )
    }

    /// There is nothing of this name.
    pub(crate) fn missing(code: &'static ErrorCode, message: &str) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, code, message)
    }

    /// The request makes no sense.
    pub(crate) fn bad(code: &'static ErrorCode, message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// Something could not be done with a file.
    pub(crate) fn of_file(path: &Path, error: std::io::Error) -> Refusal {
        Error::from(error)
            .in_file(path.display().to_string())
            .into()
    }

    /// Too much is going on.
    pub(crate) fn busy() -> Refusal {
        Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            &error_codes::TOO_BUSY,
            "too many requests are running; try again in a moment",
        )
    }

    /// A query with its fault at its place, counted in UTF-16 as scripts count.
    pub(crate) fn query(error: &QueryError) -> Refusal {
        let mut refusal = Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            &error_codes::BAD_QUERY,
            &error.message,
        );
        refusal.answer.parameter = Some("query");
        refusal.answer.fault = Some(query_fault_answer(error));
        refusal
    }
}

/// What the message of a failure tells, for a sentence in another language.
fn values(error: &Error) -> BTreeMap<&'static str, String> {
    let mut values: BTreeMap<_, _> = error.values().iter().cloned().collect();
    values.insert(MESSAGE, error.message.clone());
    let place = &error.place;
    let numbers = [
        ("game", place.game),
        ("line", place.line),
        ("column", place.column),
        ("byte", place.byte),
        ("ply", place.ply.map(u64::from)),
    ];
    values.extend(
        numbers
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?.to_string()))),
    );
    if let Some(file) = error.file() {
        values.insert("file", file.to_owned());
    }
    values
}

/// What the system said where that is a cause, however deep.
fn cause(error: &Error) -> Option<std::io::ErrorKind> {
    let first = std::error::Error::source(error);
    let mut causes = std::iter::successors(first, |cause| cause.source());
    causes.find_map(|cause| {
        let system = cause.downcast_ref::<std::io::Error>();
        let changing = cause.downcast_ref::<change::ChangeError>();
        let locking = cause.downcast_ref::<lock::LockError>();
        let unpacking = cause.downcast_ref::<compression::UnpackError>();
        let putting = cause.downcast_ref::<output::OutputError>();
        system
            .map(std::io::Error::kind)
            .or_else(|| of_change(changing?))
            .or_else(|| of_lock(locking?))
            .or_else(|| of_packed(unpacking?))
            .or_else(|| of_output(putting?))
    })
}

/// The same of a change that could not be made.
fn of_change(error: &change::ChangeError) -> Option<std::io::ErrorKind> {
    match error {
        change::ChangeError::Lock(error) => of_lock(error),
        change::ChangeError::NotWritable { .. } => Some(std::io::ErrorKind::PermissionDenied),
        change::ChangeError::Io { error, .. } | change::ChangeError::Unfinished { error, .. } => {
            Some(error.kind())
        }
        _ => None,
    }
}

fn of_lock(error: &lock::LockError) -> Option<std::io::ErrorKind> {
    match error {
        lock::LockError::Io { error, .. } => Some(error.kind()),
        lock::LockError::Foreign(_) => Some(std::io::ErrorKind::AlreadyExists),
        lock::LockError::Taken { .. } => Some(std::io::ErrorKind::ResourceBusy),
    }
}

/// The same of a file that could not be read, packed or not.
fn of_packed(error: &compression::UnpackError) -> Option<std::io::ErrorKind> {
    match error {
        compression::UnpackError::Io { error, .. } => Some(error.kind()),
        _ => None,
    }
}

/// The same of a file that could not be written.
fn of_output(error: &output::OutputError) -> Option<std::io::ErrorKind> {
    match error {
        output::OutputError::Io { error, .. } => Some(error.kind()),
        _ => None,
    }
}

/// The status of what the system refuses and the user can do something about.
fn of_system(kind: std::io::ErrorKind) -> Option<StatusCode> {
    use std::io::ErrorKind as Kind;
    Some(match kind {
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem | Kind::CrossesDevices => {
            StatusCode::FORBIDDEN
        }
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            StatusCode::INSUFFICIENT_STORAGE
        }
        Kind::AlreadyExists
        | Kind::IsADirectory
        | Kind::NotADirectory
        | Kind::InvalidFilename
        | Kind::InvalidInput
        | Kind::Unsupported => StatusCode::BAD_REQUEST,
        Kind::ResourceBusy | Kind::ExecutableFileBusy | Kind::TooManyLinks => StatusCode::CONFLICT,
        Kind::InvalidData | Kind::UnexpectedEof => StatusCode::UNPROCESSABLE_ENTITY,
        _ => return None,
    })
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let status = match error.kind {
            ErrorKind::Usage | ErrorKind::NotThisFormat | ErrorKind::Unsupported => {
                StatusCode::BAD_REQUEST
            }
            ErrorKind::Corrupt | ErrorKind::Limit => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Interrupted => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Conflict | ErrorKind::Busy => StatusCode::CONFLICT,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Forbidden => StatusCode::FORBIDDEN,
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            ErrorKind::Io => cause(&error)
                .and_then(of_system)
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        };
        // An address names the moves of a line otherwise than the library does.
        let called = |parameter| match parameter {
            "line" => "play",
            other => other,
        };
        let words = error.told(
            |parameter| called(parameter).to_owned(),
            |action| action.words().to_owned(),
        );
        let mut refusal = Refusal::new(status, error.code, words);
        refusal.answer.values = values(&error);
        refusal.answer.hint = error.hint().map(|hint| HintAnswer {
            code: hint.name(),
            values: hint.values().into_iter().collect(),
        });
        refusal.answer.parameter = error.parameter.map(called);
        let cause = std::error::Error::source(&error);
        let failure = cause.and_then(|cause| cause.downcast_ref::<QueryError>());
        if let Some(failure) = failure {
            // The app shows the place of the fault in the query itself.
            let message = failure.message.clone();
            refusal.answer.values.insert(MESSAGE, message);
            refusal.answer.fault = Some(query_fault_answer(failure));
        }
        refusal
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.answer)).into_response()
    }
}

impl From<Refusal> for Response {
    fn from(refusal: Refusal) -> Response {
        refusal.into_response()
    }
}

/// A line of text for a person.
pub(crate) fn plain(status: StatusCode, text: &str) -> Response {
    let mut response = Response::new(Body::from(format!("{text}\n")));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::path::PathBuf;
    use tabiya_model::editor::EditError;

    #[test]
    fn a_failure_is_answered_as_data() {
        let error = Error::new(&error_codes::NO_SUCH_GAME, "there is no game 5")
            .with("number", 5)
            .in_file("a.pgn");
        let refusal = Refusal::from(error);
        assert_eq!(refusal.status, StatusCode::NOT_FOUND);
        assert_eq!(refusal.answer.code, "no-such-game");
        assert_eq!(refusal.answer.kind, "not-found");
        assert_eq!(refusal.answer.values["number"], "5");
        assert_eq!(refusal.answer.values["file"], "a.pgn");
        assert_eq!(refusal.answer.values[MESSAGE], "there is no game 5");
        let exists = output::OutputError::Exists("a.pgn".into());
        let refusal = Refusal::from(Error::from(exists));
        assert_eq!(refusal.answer.code, "target-exists");
        let hint = refusal.answer.hint.expect("a hint");
        assert_eq!((hint.code, hint.values.len()), ("replace", 0));
        assert!(
            !refusal.answer.error.contains("--"),
            "{}",
            refusal.answer.error
        );
        let bad = Error::new(&error_codes::BAD_POSITION, "no");
        assert_eq!(Refusal::from(bad).status, StatusCode::BAD_REQUEST);
        let edit = EditError::WouldCut { moves: 3 };
        let refusal = Refusal::from(Error::from(edit));
        assert_eq!(refusal.answer.values["count"], "3");
        let busy = Refusal::busy().with("most", 8);
        assert_eq!(busy.answer.values["most"], "8");
        assert_eq!(busy.answer.values[MESSAGE], busy.answer.error);
    }

    #[test]
    fn a_fault_in_a_query_is_told_without_the_query_around_it() {
        let mut fault = QueryError::new(0..4, "there is no whit");
        fault.query = "whit:Tal".to_owned();
        for refusal in [Refusal::query(&fault), Error::from(fault.clone()).into()] {
            assert_eq!(refusal.answer.code, "bad-query");
            assert_eq!(refusal.answer.values[MESSAGE], "there is no whit");
        }
    }

    #[test]
    fn what_the_user_can_mend_is_no_fault_of_the_server() {
        for (kind, status) in [
            (io::ErrorKind::PermissionDenied, 403),
            (io::ErrorKind::ReadOnlyFilesystem, 403),
            (io::ErrorKind::StorageFull, 507),
            (io::ErrorKind::QuotaExceeded, 507),
            (io::ErrorKind::NotFound, 404),
            (io::ErrorKind::UnexpectedEof, 422),
            (io::ErrorKind::Other, 500),
        ] {
            let refusal = Refusal::of_file(Path::new("games.pgn"), kind.into());
            assert_eq!(refusal.status.as_u16(), status, "{kind}");
            assert!(refusal.answer.error.starts_with("games.pgn: "));
            let doing = "it cannot be made";
            let (path, left) = (PathBuf::from("games.pgn"), String::new());
            let change = change::ChangeError::Io {
                path,
                doing,
                error: kind.into(),
                left,
            };
            let error = Error::from(change);
            assert_eq!(Refusal::from(error).status.as_u16(), status, "{kind}");
            // Deeper down it is the same.
            let outer = io::Error::other(io::Error::from(kind));
            let error = Error::of_system(outer, "games.pgn: it failed");
            let deeper = Refusal::from(error).status.as_u16();
            assert!(deeper == status || deeper == 500, "{kind}: {deeper}");
        }
    }
}
