//! Exit codes.

use std::process::ExitCode;

use super::action_names::action_name;

/// How a command ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Everything went well.
    Success,
    /// Nothing matched, or two databases differ.
    NoMatch,
    /// A request that makes no sense, or a failure of the system or of a container.
    Failure,
    /// Finished, and something was lost or damaged; it was reported.
    Incomplete,
    /// The user asked to stop.
    Interrupted,
}

impl Exit {
    /// The one rule: a failure counts most, then whether nothing was found or two things differ, then a loss or damage in
    /// what was read.
    pub(crate) fn of(failed: bool, incomplete: bool, found: bool) -> Exit {
        match (failed, found, incomplete) {
            (true, ..) => Exit::Failure,
            (_, false, _) => Exit::NoMatch,
            (.., true) => Exit::Incomplete,
            _ => Exit::Success,
        }
    }

    /// The end of what a command did first, or else of what it did after that.
    pub(crate) fn or(self, then: Exit) -> Exit {
        match self {
            Exit::Success => then,
            ended => ended,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::NoMatch => 1,
            Exit::Failure => 2,
            Exit::Incomplete => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// An error with its causes. Errors of the library contain their causes already.
pub(crate) fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain() {
        if !message.is_empty() {
            message.push_str(": ");
        }
        if let Some(error) = cause.downcast_ref::<tabiya_model::Error>() {
            message.push_str(&of_error(error));
            break;
        }
        message.push_str(&cause.to_string());
    }
    message
}

/// A failure of the library in words: a parameter is an option here, and what can be done is a command or a flag.
pub(crate) fn of_error(error: &tabiya_model::Error) -> String {
    error.told(|parameter| format!("--{parameter}"), action_name)
}

/// Whether the reader of our output has closed it, which is not an error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// Whether a failure came after a change was made, and not because the program was stopped.
pub(crate) fn is_of_a_change(error: &anyhow::Error) -> bool {
    let is_stopped = error.chain().any(|cause| {
        let of_library = cause.downcast_ref::<tabiya_model::Error>();
        let of_system = cause.downcast_ref::<std::io::Error>();
        of_library.is_some_and(|error| error.kind == tabiya_model::ErrorKind::Interrupted)
            || of_system.is_some_and(|error| error.kind() == std::io::ErrorKind::Interrupted)
    });
    tabiya::has_written() && !is_stopped
}

/// The end of a command that had to stop at the first loss or damage.
#[derive(Debug)]
pub(crate) struct StrictError(pub(crate) String);

impl std::fmt::Display for StrictError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; nothing was written (--strict)", self.0)
    }
}

impl std::error::Error for StrictError {}
