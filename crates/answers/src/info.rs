//! Descriptions of databases: `info --json`.

use std::collections::BTreeMap;

use crate::findings::FindingCountAnswer;
use crate::macros::answers;

answers! {
    /// A description of a database: a line of `info --json`.
    pub struct InfoAnswer {
        /// The name of the database.
        pub name: String,
        /// The title of its format.
        pub format: &'static str,
        /// The version of the format, if it has versions.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub version: Option<String>,
        /// Its files.
        pub files: Vec<InfoFileAnswer>,
        /// The number of games; null if it is unknown without reading them.
        pub games: Option<u64>,
        /// The first and the last date, if known from an index or from the games.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub dates: Option<InfoDatesAnswer>,
        /// Games that are marked as deleted, if known from an index or from the games.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deleted: Option<u64>,
        /// Facts from the games themselves; with `--full`.
        #[serde(flatten)]
        pub survey: Option<SurveyAnswer>,
        /// The issues.
        pub diagnostics: Vec<FindingCountAnswer>,
        /// Fields that only this format has, under its own names; `format_` is added before a name that is used above.
        #[serde(flatten)]
        pub fields: BTreeMap<String, InfoFieldAnswer>,
    }

    /// A file of a database.
    pub struct InfoFileAnswer {
        /// Its path.
        pub path: String,
        /// Its size.
        pub bytes: u64,
    }

    /// The first and the last date of games.
    pub struct InfoDatesAnswer {
        /// The first.
        pub first: Option<String>,
        /// The last.
        pub last: Option<String>,
    }

    /// Facts from reading all games.
    pub struct SurveyAnswer {
        /// Plies of all main lines.
        pub half_moves: u64,
        /// Games with custom starting positions.
        pub set_ups: u64,
        /// Games with variations.
        pub with_variations: u64,
        /// Games with comments.
        pub with_comments: u64,
        /// Damaged games.
        pub damaged_games: u64,
        /// How many games ended with each result.
        pub results: BTreeMap<&'static str, u64>,
        /// Games with text that was not UTF-8, by encoding.
        pub charsets: BTreeMap<&'static str, u64>,
    }

    /// A field that only a format has.
    #[serde(untagged)]
    pub enum InfoFieldAnswer {
        /// One value.
        One(String),
        /// Several values.
        Several(Vec<String>),
    }
}
