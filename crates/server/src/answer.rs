//! Answers: JSON, refusals with a sentence each, and what the library's errors are called here.

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tabiya_model::{Error, ErrorKind};
use tabiya_query::error::QueryError;

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// What is told beside it, by name.
    more: Vec<(&'static str, Value)>,
}

/// What a route answers.
pub(crate) type Answer<T = Json<Value>> = Result<T, Refusal>;

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal {
            status,
            message: message.into(),
            more: Vec::new(),
        }
    }

    /// The same with something more that is told.
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Refusal {
        self.more.push((name, value));
        self
    }

    /// Nothing is changed here.
    pub(crate) fn read_only() -> Refusal {
        Refusal::new(
            StatusCode::FORBIDDEN,
            "the server was started with --read-only: nothing is changed",
        )
    }

    /// There is nothing of this name.
    pub(crate) fn missing(message: &str) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// The request makes no sense.
    pub(crate) fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// Too much is going on.
    pub(crate) fn busy() -> Refusal {
        Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too much is going on at once; try again in a moment",
        )
    }

    /// A query with its fault at its place, counted in UTF-16 as scripts count.
    pub(crate) fn query(text: &str, error: &QueryError) -> Refusal {
        let units = |byte: usize| {
            let mut byte = byte.min(text.len());
            while !text.is_char_boundary(byte) {
                byte -= 1;
            }
            text.get(..byte).unwrap_or("").encode_utf16().count()
        };
        Refusal {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            message: error.message.clone(),
            more: vec![(
                "fault",
                json!({
                    "message": error.message,
                    "start": units(error.span.start),
                    "end": units(error.span.end),
                    "help": error.help,
                }),
            )],
        }
    }
}

/// What the system said where that is the cause.
fn cause(error: &Error) -> Option<std::io::ErrorKind> {
    let cause = std::error::Error::source(error)?;
    Some(cause.downcast_ref::<std::io::Error>()?.kind())
}

/// Whether what a file holds could not be read, and not the file itself.
fn is_damage(error: &Error) -> bool {
    use std::io::ErrorKind::{InvalidData, UnexpectedEof};
    matches!(cause(error), Some(InvalidData | UnexpectedEof))
}

/// Whether a file is gone that was there when it was opened.
fn is_gone(error: &Error) -> bool {
    cause(error) == Some(std::io::ErrorKind::NotFound)
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let status = match error.kind {
            ErrorKind::Io if is_gone(&error) => StatusCode::NOT_FOUND,
            ErrorKind::Usage | ErrorKind::NotThisFormat | ErrorKind::Unsupported => {
                StatusCode::BAD_REQUEST
            }
            ErrorKind::Corrupt | ErrorKind::Limit => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Interrupted => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Io if is_damage(&error) => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Io => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal::new(status, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut body = json!({"error": self.message});
        if let Some(map) = body.as_object_mut() {
            map.extend(
                self.more
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
        }
        (self.status, Json(body)).into_response()
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
