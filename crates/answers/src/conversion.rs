//! Copies: `convert --report`, `repair --report`, and the server's conversions.

use crate::findings::{FindingKindAnswer, LossKindAnswer};
use crate::macros::answers;

answers! {
    /// What has become of a copy: `convert --report`.
    pub struct ConversionAnswer {
        /// The version of this answer.
        pub schema: &'static str,
        /// Where the copy lies.
        pub target: String,
        /// The name of its format.
        pub format: &'static str,
        /// Games that were written.
        pub games: u64,
        /// Bytes that were written.
        pub bytes: u64,
        /// The files; left out where they lie in a folder that goes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub files: Option<Vec<String>>,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// A report for each source.
        pub sources: Vec<SourceAnswer>,
        /// Sources that could not be read to their end.
        pub failed: Vec<FailedSourceAnswer>,
        /// Whether it came to its end; else nothing was written.
        pub whole: bool,
        /// Games that were left out because they stand there already; told by the server.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub double: Option<u64>,
        /// The names of files that the browser can fetch; told by the server.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub downloads: Option<Vec<String>>,
    }

    /// What was found in a source, and what its copy lost.
    pub struct SourceAnswer {
        /// The name of the source.
        pub source: String,
        /// The name of its format.
        pub format: &'static str,
        /// Games that were read.
        pub games: u64,
        /// Games that were left out as was asked for.
        pub left_out: u64,
        /// Games with damage; what could be read of them is kept.
        pub damaged_games: u64,
        /// What was found.
        pub diagnostics: Vec<FindingKindAnswer>,
        /// What was lost.
        pub losses: Vec<LossKindAnswer>,
        /// Differences that no loss explains; null where nothing was compared.
        pub unreported_differences: Option<Vec<String>>,
    }

    /// A source that could not be read to its end.
    pub struct FailedSourceAnswer {
        /// Its name.
        pub source: String,
        /// Why.
        pub error: String,
    }
}
