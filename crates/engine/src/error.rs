//! What can go wrong with an engine, in sentences for people.

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
    /// The last that it wrote to its standard error.
    pub stderr: String,
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!(" (its last words: {stderr})")
    }
}

/// What is wrong with an engine.
#[derive(Debug, Error)]
pub enum EngineFault {
    /// There is no such program.
    #[error(
        "there is no such engine in the settings, beside you or on the path; install one (`stockfish`) or say where it is"
    )]
    NotFound,
    /// The system does not start it.
    #[error("it cannot be started: {0}")]
    NotStarted(std::io::Error),
    /// It never said that it speaks UCI.
    #[error("it did not answer `uci` within {} s: is it a UCI engine?", .0.as_secs_f32())]
    NoHandshake(Duration),
    /// It does not answer any more.
    #[error("it hangs: nothing came from it for {} s while it was to {doing}", .silence.as_secs_f32())]
    Hangs {
        /// What it was to do.
        doing: &'static str,
        /// How long nothing came.
        silence: Duration,
    },
    /// It answers when it is asked whether it is there, and does not search.
    #[error("it says that it is ready, and nothing of its search came for {} s", .0.as_secs_f32())]
    Idle(Duration),
    /// It does not read what it is told.
    #[error("it has not read what it was told for {} s", .0.as_secs_f32())]
    Deaf(Duration),
    /// It was told to end a search and goes on.
    #[error("it does not stop its search when it is told to")]
    WillNotStop,
    /// It searches far beyond the limit that it was given.
    #[error("it searched {searched} nodes where {allowed} were allowed, and goes on")]
    BeyondLimit {
        /// What it said last.
        searched: u64,
        /// What it was told.
        allowed: u64,
    },
    /// Its process has ended.
    #[error("it ended {status} while it was to {doing}")]
    Ended {
        /// What it was to do.
        doing: &'static str,
        /// How it ended.
        status: String,
    },
    /// It ended a search without a word about the position.
    #[error("it chose a move without an evaluation")]
    NoEvaluation,
    /// An option that it does not have.
    #[error("it has no option `{0}`")]
    NoOption(String),
    /// A value that an option does not take.
    #[error("its option `{name}` does not take `{value}`: {wanted}")]
    BadOption {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// What it takes.
        wanted: String,
    },
    /// A position that no engine should see.
    #[error("this position cannot be given to an engine: {0}")]
    BadPosition(String),
    /// The position needs rules that the engine does not know.
    #[error("it does not know the castling of Chess960")]
    NoChess960,
    /// The holder told the work to stop.
    #[error("stopped")]
    Stopped,
}

impl EngineFault {
    /// Whether the engine has to be started again before it is asked anything else.
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
