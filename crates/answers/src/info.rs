//! What a database is and holds: `info --json`.

use std::collections::BTreeMap;

use crate::findings::FindingCountAnswer;
use crate::macros::answers;

answers! {
    /// What a database is and holds: a line of `info --json`.
    pub struct InfoAnswer {
        /// The name of the database.
        pub name: String,
        /// The title of its format.
        pub format: &'static str,
        /// The version of the format, where it has versions.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub version: Option<String>,
        /// Its files.
        pub files: Vec<InfoFileAnswer>,
        /// Games; null where it is unknown without reading them.
        pub games: Option<u64>,
        /// The first and the last date, where the index or the games tell them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub dates: Option<InfoDatesAnswer>,
        /// Games that are marked as deleted, where the index or the games tell it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deleted: Option<u64>,
        /// What only games tell; with `--full`.
        #[serde(flatten)]
        pub survey: Option<SurveyAnswer>,
        /// What was found.
        pub diagnostics: Vec<FindingCountAnswer>,
        /// What the format says in its own words, under its own names; `format_` stands before a name that is one of those above.
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

    /// What reading all games tells.
    pub struct SurveyAnswer {
        /// Plies of all main lines.
        pub half_moves: u64,
        /// Games from set-up positions.
        pub set_ups: u64,
        /// Games with variations.
        pub with_variations: u64,
        /// Games with comments.
        pub with_comments: u64,
        /// Games with damage.
        pub damaged_games: u64,
        /// How many games ended with each result.
        pub results: BTreeMap<&'static str, u64>,
        /// Games with texts that were not UTF-8, by charset.
        pub charsets: BTreeMap<&'static str, u64>,
    }

    /// What a format says in its own words.
    #[serde(untagged)]
    pub enum InfoFieldAnswer {
        /// It is said once.
        One(String),
        /// It is said several times.
        Several(Vec<String>),
    }
}
