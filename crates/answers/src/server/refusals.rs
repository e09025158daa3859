//! Why something is not answered.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::macros::answers;
use crate::server::ChangeLossAnswer;

answers! {
    /// Why something is not answered.
    #[derive(Default)]
    pub struct RefusalAnswer {
        /// Why, in English.
        pub error: String,
        /// What kind of failure it is, for programs: `usage`, `not-found`, `conflict`, `busy`, `corrupt`, `limit` and so on.
        pub kind: &'static str,
        /// What is wrong, for programs and translations: `no-such-game`, `bad-position` and so on.
        pub code: &'static str,
        /// The values that the message tells, by name: of these and the code a sentence in another language is made.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        pub values: BTreeMap<&'static str, String>,
        /// What can be done about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hint: Option<HintAnswer>,
        /// The parameter that is wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parameter: Option<&'static str>,
        /// A fault of a query, at its place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fault: Option<QueryFaultAnswer>,
        /// Whether a password is wanted; where something could not be opened.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub password: Option<bool>,
        /// What would be lost; where a base cannot hold a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<ChangeLossAnswer>>,
        /// Whether the base holds comments; where it cannot hold a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub comments: Option<bool>,
        /// The game that the base holds now; where it was changed by somebody else (`docs/formats/ndjson.md`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub theirs: Option<Value>,
        /// What was changed here.
        #[serde(rename = "mineChanged", skip_serializing_if = "Option::is_none")]
        pub mine_changed: Option<Vec<String>>,
        /// What somebody else has changed.
        #[serde(rename = "theirsChanged", skip_serializing_if = "Option::is_none")]
        pub theirs_changed: Option<Vec<String>>,
        /// How both games differ.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub between: Option<Vec<String>>,
    }

    /// What can be done about a failure.
    pub struct HintAnswer {
        /// What it is, for programs and translations.
        pub code: &'static str,
        /// The values of a sentence about it, by name.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        pub values: BTreeMap<&'static str, String>,
    }

    /// A fault of a query, at its place.
    pub struct QueryFaultAnswer {
        /// What is wrong.
        pub message: String,
        /// Where it begins, counted in UTF-16 as scripts count.
        pub start: u64,
        /// Where it ends.
        pub end: u64,
        /// What is meant, perhaps.
        pub help: Option<String>,
    }
}
