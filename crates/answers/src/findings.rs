//! What was found, and what a copy lost.

use crate::macros::answers;

answers! {
    /// A finding at its place.
    pub struct FindingAnswer {
        /// Its code: `check --explain CODE` has a page for each.
        pub code: &'static str,
        /// How bad it is.
        pub severity: SeverityAnswer,
        /// The file.
        pub file: Option<String>,
        /// The number of the game.
        pub game: Option<u64>,
        /// The line in the file, from 1.
        pub line: Option<u64>,
        /// The column, from 1.
        pub column: Option<u64>,
        /// The byte in the file, from 0.
        pub byte: Option<u64>,
        /// The ply.
        pub ply: Option<u64>,
        /// What is wrong there.
        pub message: String,
        /// What can be done about it.
        pub help: String,
    }

    /// A finding of a database: a line of `check --json`.
    pub struct SourceFindingAnswer {
        /// The finding.
        #[serde(flatten)]
        pub finding: FindingAnswer,
        /// The name of the database.
        pub source: String,
    }

    /// How bad a finding is.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum SeverityAnswer {
        /// Worth knowing, and nothing is wrong.
        Note,
        /// Odd, and everything was read.
        Warning,
        /// Something could not be read.
        Damage,
    }

    /// How often something was found.
    pub struct FindingCountAnswer {
        /// Its code.
        pub code: &'static str,
        /// How bad it is.
        pub severity: SeverityAnswer,
        /// What it is, in a few words.
        pub summary: &'static str,
        /// How often it was found.
        pub count: u64,
    }

    /// How often something was found in a source, with the first of them.
    pub struct FindingKindAnswer {
        /// How often.
        #[serde(flatten)]
        pub count: FindingCountAnswer,
        /// The first of them.
        pub examples: Vec<FindingAnswer>,
    }

    /// A kind of loss, how often, and the first of them.
    pub struct LossKindAnswer {
        /// Its code: `check --explain CODE` has a page for each.
        pub kind: &'static str,
        /// What of a game it is about: a tag, a comment, a move.
        pub aspect: &'static str,
        /// What is lost, in a few words.
        pub summary: &'static str,
        /// How often.
        pub count: u64,
        /// The first of them.
        pub examples: Vec<LossAnswer>,
    }

    /// One loss.
    pub struct LossAnswer {
        /// The number of the game; null where it is about the database as a whole.
        pub game: Option<u64>,
        /// What was lost.
        pub detail: String,
    }
}
