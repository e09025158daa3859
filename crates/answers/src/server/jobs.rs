//! Jobs, and what is told while the server runs.

use std::collections::BTreeMap;

use crate::macros::answers;
use crate::server::PuzzlesAnswer;
use crate::{AnalysisAnswer, ConversionAnswer};

answers! {
    /// A job.
    #[derive(PartialEq)]
    pub struct ServerJobAnswer {
        /// Its id.
        pub id: String,
        /// What it does: `index`, `convert`, `repair`, `rehearsal`, `examination`, `analyse` or `puzzles`.
        pub kind: &'static str,
        /// The id of the base.
        pub base: String,
        /// What it makes, where that is more than its kind says.
        pub what: String,
        /// How it is.
        pub state: JobStateAnswer,
        /// Games that are done.
        pub games: u64,
        /// Work that is done, in units of its own.
        pub done: u64,
        /// All of that work; null where it is unknown.
        pub total: Option<u64>,
        /// How long it has taken.
        pub seconds: u64,
        /// Why it was stopped or has failed.
        pub message: Option<String>,
    }

    /// How far a request has come that is not answered yet.
    pub struct WorkProgressAnswer {
        /// Games that are done.
        pub games: u64,
        /// Work that is done, in units of its own.
        pub done: u64,
        /// All of that work; null where it is unknown.
        pub total: Option<u64>,
    }

    /// How a job is.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum JobStateAnswer {
        /// It goes on.
        Running,
        /// It has ended.
        Done,
        /// It was stopped.
        Stopped,
        /// It has failed.
        Failed,
    }

    /// A job with what it has found.
    pub struct JobReportAnswer {
        /// The job.
        pub job: ServerJobAnswer,
        /// What it has found; null as long as it goes on, and where there is nothing to tell.
        pub report: Option<JobFoundAnswer>,
    }

    /// What a job has found.
    #[serde(untagged)]
    pub enum JobFoundAnswer {
        /// Of a copy or its rehearsal.
        Conversion(Box<ConversionAnswer>),
        /// Of an analysis.
        Analysis(Box<AnalysisAnswer>),
        /// Puzzles.
        Puzzles(Box<PuzzlesAnswer>),
    }

    /// A line of the socket on which the server tells what is new.
    #[serde(tag = "kind", rename_all = "lowercase")]
    pub enum LiveLineAnswer {
        /// How everything is: the first line, and the one after some were missed.
        Now {
            /// The jobs.
            jobs: Vec<ServerJobAnswer>,
            /// The version of each database, by its id.
            bases: BTreeMap<String, u64>,
        },
        /// A job has come along.
        Job {
            /// The job.
            job: ServerJobAnswer,
        },
        /// A database is another one than before.
        Base {
            /// Its id.
            base: String,
            /// Counts up with every change.
            version: u64,
            /// Why.
            why: BaseChangeAnswer,
        },
    }

    /// Why a database is another one than before.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum BaseChangeAnswer {
        /// Its files were changed by somebody else.
        Files,
        /// Its index was made.
        Index,
        /// It was changed here.
        Edit,
        /// It was closed.
        Closed,
    }
}
