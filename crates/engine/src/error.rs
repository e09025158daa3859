//! The failures of engines, in sentences for people.

use std::time::Duration;

use thiserror::Error;

/// A failure of one engine.
#[derive(Debug, Error)]
#[error("{engine}: {fault}{}", said(.stderr))]
pub struct EngineError {
    /// The engine's name in the settings or its path.
    pub engine: String,
    /// What is wrong.
    pub fault: EngineFault,
    /// The end of its standard error output.
    pub stderr: String,
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!(" (its last error output: {stderr})")
    }
}

/// What is wrong with an engine.
#[derive(Debug, Error)]
pub enum EngineFault {
    /// There is no such program.
    #[error(
        "there is no such engine in the settings or on the path; install one (`stockfish`) or give its path"
    )]
    NotFound,
    /// The system could not start it.
    #[error("it cannot be started: {0}")]
    NotStarted(std::io::Error),
    /// It did not identify itself as a UCI engine.
    #[error("it did not answer `uci` within {} s: is it a UCI engine?", .0.as_secs_f32())]
    NoHandshake(Duration),
    /// It does not answer any more.
    #[error("it hangs: no output for {} s when asked to {doing}", .silence.as_secs_f32())]
    Hangs {
        /// What it should do.
        doing: &'static str,
        /// How long there was no output.
        silence: Duration,
    },
    /// It answers when asked whether it is ready, but does not search.
    #[error("it reports that it is ready, but its search has had no output for {} s", .0.as_secs_f32())]
    Idle(Duration),
    /// It does not read its input.
    #[error("it has not read its input for {} s", .0.as_secs_f32())]
    Deaf(Duration),
    /// It did not end a search after `stop`.
    #[error("it does not stop its search when asked to")]
    WillNotStop,
    /// It searches far beyond its limit.
    #[error("it searched {searched} nodes and has not stopped; {allowed} were allowed")]
    BeyondLimit {
        /// The last number that it reported.
        searched: u64,
        /// The limit.
        allowed: u64,
    },
    /// Its process has ended.
    #[error("it ended {status} when asked to {doing}")]
    Ended {
        /// What it should do.
        doing: &'static str,
        /// How it ended.
        status: String,
    },
    /// It ended a search without any evaluation of the position.
    #[error("it chose a move without an evaluation")]
    NoEvaluation,
    /// An option that it does not have.
    #[error("it has no option `{0}`")]
    NoOption(String),
    /// A value that an option does not accept.
    #[error("its option `{name}` does not take `{value}`: {wanted}")]
    BadOption {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// What it accepts.
        wanted: String,
    },
    /// A position that no engine must get.
    #[error("this position cannot be given to an engine: {0}")]
    BadPosition(String),
    /// The position needs rules that the engine does not know.
    #[error("it does not know the castling of Chess960")]
    NoChess960,
    /// The caller stopped the work.
    #[error("stopped")]
    Stopped,
}

impl EngineFault {
    /// Whether the engine has to be restarted before it can be used again.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        !matches!(
            self,
            EngineFault::NoOption(_)
                | EngineFault::BadOption { .. }
                | EngineFault::BadPosition(_)
                | EngineFault::NoChess960
                | EngineFault::NoEvaluation
                | EngineFault::Stopped
        )
    }
}
