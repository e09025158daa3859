//! Why a request was refused.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::macros::answers;
use crate::server::ChangeLossAnswer;

answers! {
    /// Why a request was refused.
    #[derive(Default, PartialEq)]
    pub struct RefusalAnswer {
        /// Why, in English.
        pub error: String,
        /// The kind of failure, for programs: `usage`, `not-found`, `conflict`, `busy`, `corrupt`, `limit` and so on.
        pub kind: &'static str,
        /// The code of the error, for programs and translations: `no-such-game`, `bad-position` and so on.
        pub code: &'static str,
        /// The values in the message, by name: a translation is made from them and the code. `message` is always there: the message in English,
        /// without its place and without a hint.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        pub values: BTreeMap<&'static str, String>,
        /// How to fix it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hint: Option<HintAnswer>,
        /// The parameter that is wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parameter: Option<&'static str>,
        /// An error in a query, with its place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fault: Option<QueryFaultAnswer>,
        /// Whether a password is required; only if something could not be opened.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub password: Option<bool>,
        /// The losses; only if a database cannot hold a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<ChangeLossAnswer>>,
        /// Whether the database holds comments; only if it cannot hold a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub comments: Option<bool>,
        /// The game that is in the database now; only if somebody else changed it (`docs/formats/ndjson.md`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub theirs: Option<Value>,
        /// What was changed here.
        #[serde(rename = "mineChanged", skip_serializing_if = "Option::is_none")]
        pub mine_changed: Option<Vec<String>>,
        /// What somebody else changed.
        #[serde(rename = "theirsChanged", skip_serializing_if = "Option::is_none")]
        pub theirs_changed: Option<Vec<String>>,
        /// The differences between both games.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub between: Option<Vec<String>>,
    }

    /// How to fix a failure.
    #[derive(PartialEq)]
    pub struct HintAnswer {
        /// The code of the hint, for programs and translations.
        pub code: &'static str,
        /// The values in the hint, by name.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        pub values: BTreeMap<&'static str, String>,
    }

    /// An error in a query, with its place.
    #[derive(PartialEq)]
    pub struct QueryFaultAnswer {
        /// What is wrong.
        pub message: String,
        /// Where it begins, in UTF-16 code units.
        pub start: u64,
        /// Where it ends.
        pub end: u64,
        /// What may have been meant.
        pub help: Option<String>,
    }
}
