//! Copies: `convert --report`, `repair --report`, and the server's conversions.

use crate::findings::{FindingKindAnswer, LossKindAnswer};
use crate::macros::answers;

answers! {
    /// The result of a copy: `convert --report`.
    pub struct ConversionAnswer {
        /// The version of this answer.
        pub schema: &'static str,
        /// The path of the copy.
        pub target: String,
        /// The name of its format.
        pub format: &'static str,
        /// Games that were written.
        pub games: u64,
        /// Bytes that were written.
        pub bytes: u64,
        /// The files; left out if they are in a temporary folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub files: Option<Vec<String>>,
        /// Other notes.
        pub notes: Vec<String>,
        /// A report for each source.
        pub sources: Vec<SourceAnswer>,
        /// Sources that could not be read to their end.
        pub failed: Vec<FailedSourceAnswer>,
        /// Whether the copy was completed; if not, nothing was written.
        pub whole: bool,
        /// Games that were left out because the target already has them; only from the server.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub double: Option<u64>,
        /// The names of files that the browser can download; only from the server.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub downloads: Option<Vec<String>>,
    }

    /// The issues of a source, and the losses of its copy.
    pub struct SourceAnswer {
        /// The name of the source.
        pub source: String,
        /// The name of its format.
        pub format: &'static str,
        /// Games that were read.
        pub games: u64,
        /// Games that were left out as requested.
        pub left_out: u64,
        /// Damaged games; everything that could be read of them is kept.
        pub damaged_games: u64,
        /// The issues.
        pub diagnostics: Vec<FindingKindAnswer>,
        /// The losses.
        pub losses: Vec<LossKindAnswer>,
        /// Differences that no loss explains; null if nothing was compared.
        pub unreported_differences: Option<Vec<String>>,
    }

    /// A source that could not be read to its end.
    pub struct FailedSourceAnswer {
        /// Its name.
        pub source: String,
        /// The reason.
        pub error: String,
    }
}
