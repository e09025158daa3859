//! Jobs, and the messages of a running server.

use std::collections::BTreeMap;

use crate::macros::answers;
use crate::server::{PuzzlesAnswer, RefusalAnswer, RenewalAnswer};
use crate::{AnalysisAnswer, ConversionAnswer};

answers! {
    /// A job.
    #[derive(PartialEq)]
    pub struct ServerJobAnswer {
        /// Its id.
        pub id: String,
        /// Its kind: `index`, `convert`, `repair`, `rehearsal`, `examination`, `analyse`, `puzzles` or
        /// `renew`.
        pub kind: &'static str,
        /// The id of the database.
        pub base: String,
        /// What it makes, if the kind does not say it.
        pub what: String,
        /// Its state.
        pub state: JobStateAnswer,
        /// Games processed so far.
        pub games: u64,
        /// Work done so far, in units of the job.
        pub done: u64,
        /// The total work in these units; null if unknown.
        pub total: Option<u64>,
        /// The time that it has taken, in seconds.
        pub seconds: u64,
        /// Why it was stopped or failed.
        pub message: Option<String>,
        /// Why it failed, for programs and translations.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub refusal: Option<Box<RefusalAnswer>>,
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

    /// The state of a job.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum JobStateAnswer {
        /// Running.
        Running,
        /// Finished.
        Done,
        /// Stopped.
        Stopped,
        /// Failed.
        Failed,
    }

    /// A job with its results.
    pub struct JobReportAnswer {
        /// The job.
        pub job: ServerJobAnswer,
        /// Its results; null while it is running, and if there are none.
        pub report: Option<JobFoundAnswer>,
    }

    /// The results of a job.
    #[serde(untagged)]
    pub enum JobFoundAnswer {
        /// The report on a copy or its rehearsal.
        Conversion(Box<ConversionAnswer>),
        /// The report on an analysis.
        Analysis(Box<AnalysisAnswer>),
        /// Puzzles.
        Puzzles(Box<PuzzlesAnswer>),
        /// What a renewal has brought.
        Renewal(Box<RenewalAnswer>),
    }

    /// A message of the socket on which the server reports changes.
    #[serde(tag = "kind", rename_all = "lowercase")]
    pub enum LiveLineAnswer {
        /// The whole state: the first message, and the one after some were missed.
        Now {
            /// The jobs.
            jobs: Vec<ServerJobAnswer>,
            /// The version of each database, by its id.
            bases: BTreeMap<String, u64>,
        },
        /// A job has made progress.
        Job {
            /// The job.
            job: ServerJobAnswer,
        },
        /// A database has changed.
        Base {
            /// Its id.
            base: String,
            /// Increases with every change.
            version: u64,
            /// The reason.
            why: BaseChangeAnswer,
        },
    }

    /// Why a database has changed.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum BaseChangeAnswer {
        /// Another program has changed its files.
        Files,
        /// Its index was made.
        Index,
        /// It was changed here.
        Edit,
        /// It was closed.
        Closed,
    }
}
