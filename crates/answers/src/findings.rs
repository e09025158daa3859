//! The issues of databases, and the losses of a copy.

use crate::macros::answers;

answers! {
    /// An issue and its place.
    pub struct FindingAnswer {
        /// Its code: `check --explain CODE` has a page for each.
        pub code: &'static str,
        /// Its severity.
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
        /// The issue at this place in words.
        pub message: String,
        /// How to fix it.
        pub help: String,
    }

    /// An issue of a database: a line of `check --json`.
    pub struct SourceFindingAnswer {
        /// The issue.
        #[serde(flatten)]
        pub finding: FindingAnswer,
        /// The name of the database.
        pub source: String,
    }

    /// The severity of an issue.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum SeverityAnswer {
        /// Unusual, but read without doubt.
        Note,
        /// Everything was read, but something had to be decided or a derived field is wrong.
        Warning,
        /// Something could not be read.
        Damage,
    }

    /// The number of issues of a kind.
    pub struct FindingCountAnswer {
        /// Its code.
        pub code: &'static str,
        /// Its severity.
        pub severity: SeverityAnswer,
        /// A summary in a few words.
        pub summary: &'static str,
        /// How often it occurs.
        pub count: u64,
    }

    /// The number of issues of a kind in a source, with the first of them.
    pub struct FindingKindAnswer {
        /// How often.
        #[serde(flatten)]
        pub count: FindingCountAnswer,
        /// The first of them.
        pub examples: Vec<FindingAnswer>,
    }

    /// A kind of loss, its number, and the first of them.
    pub struct LossKindAnswer {
        /// Its code: `check --explain CODE` has a page for each.
        pub kind: &'static str,
        /// The part of a game that it is about: a tag, a comment, a move.
        pub aspect: &'static str,
        /// The loss in a few words.
        pub summary: &'static str,
        /// How often.
        pub count: u64,
        /// The first of them.
        pub examples: Vec<LossAnswer>,
    }

    /// One loss.
    pub struct LossAnswer {
        /// The number of the game; null if the loss is about the whole database.
        pub game: Option<u64>,
        /// The losses.
        pub detail: String,
    }
}
