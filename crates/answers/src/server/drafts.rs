//! Games that are annotated.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::macros::answers;
use crate::server::ChangeLossAnswer;

answers! {
    /// A game that is annotated, and what is new of it.
    pub struct DraftAnswer {
        /// Which game.
        #[serde(flatten)]
        pub subject: DraftSubjectAnswer,
        /// Counts up with every change.
        pub version: u64,
        /// Whether there are changes that no base holds yet.
        pub changed: bool,
        /// What is undone next; null where nothing can be.
        pub undo: Option<String>,
        /// What is done again next; null where nothing can be.
        pub redo: Option<String>,
        /// The move where the editor stands, by its number in reading order.
        pub at: u64,
        /// Why the last change is not written down.
        pub trouble: Option<String>,
        /// The last wish of each tab that was granted.
        pub heard: BTreeMap<String, u64>,
        /// The whole game (`docs/formats/ndjson.md`).
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
        pub game: Option<Box<RawValue>>,
        /// What wishes have changed in the game that the page shows.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub difference: Option<DraftDifferenceAnswer>,
        /// How many of the wishes that were sent were granted.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub granted: Option<u64>,
        /// What there is to know beside of what was saved.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub notes: Option<Vec<String>>,
        /// What was lost when it was saved.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<ChangeLossAnswer>>,
        /// The version of the base that saving has made.
        #[serde(rename = "baseVersion", skip_serializing_if = "Option::is_none")]
        pub base_version: Option<u64>,
    }

    /// A game that is annotated.
    pub struct DraftSubjectAnswer {
        /// The id under which it is annotated.
        pub id: String,
        /// The id of the base.
        pub base: String,
        /// The name of the base.
        pub name: String,
        /// Where the base lies.
        pub path: String,
        /// The number of the game; 0 for a new one.
        pub number: u64,
        /// Who plays.
        pub title: String,
    }

    /// Games with changes that no base holds yet.
    pub struct DraftsAnswer {
        /// The games.
        pub drafts: Vec<DraftSubjectAnswer>,
    }

    /// A game whose changes were thrown away.
    pub struct DiscardedAnswer {
        /// The id under which it was annotated.
        pub discarded: String,
    }

    /// What saving a game would lose.
    pub struct SaveLossesAnswer {
        /// What would be lost.
        pub losses: Vec<ChangeLossAnswer>,
    }

    /// What wishes have changed in a game.
    #[derive(Default)]
    pub struct DraftDifferenceAnswer {
        /// The operations of the game as they are now, where they were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tape: Option<Vec<DraftPieceAnswer>>,
        /// All tags, where tags or the result were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tags: Option<Vec<(String, String)>>,
        /// The result, where tags or the result were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub result: Option<&'static str>,
    }

    /// Some operations of a game, one after another.
    #[serde(untagged)]
    pub enum DraftPieceAnswer {
        /// A run of those that were there: from the first, end excluded.
        Run(u64, u64),
        /// Operations that were not there.
        New(Vec<DraftItemAnswer>),
    }

    /// An operation of a game, in the words of the game's own JSON.
    #[serde(untagged)]
    pub enum DraftItemAnswer {
        /// A move.
        Move {
            /// By its squares.
            uci: String,
            /// In letters.
            san: String,
        },
        /// A NAG.
        Nag {
            /// Its number.
            nag: u32,
        },
        /// A comment.
        Comment {
            /// Its text.
            comment: String,
        },
        /// Movetext that could not be read.
        Raw {
            /// The text.
            raw: String,
        },
        /// What only one format knows.
        Extension {
            /// Its name.
            extension: String,
            /// Its bytes.
            hex: String,
        },
        /// A result within the moves.
        Result {
            /// The result.
            result: &'static str,
        },
        /// `(` and `)`, around a variation.
        Bracket(&'static str),
    }

    /// What can be changed at a move.
    pub struct DraftDetailsAnswer {
        /// The comment before the move; null where none can be.
        pub before: Option<String>,
        /// The comment after the move; null where none can be.
        pub after: Option<String>,
        /// The numbers of the NAGs.
        pub nags: Vec<u32>,
        /// What is drawn on the board.
        pub marks: Vec<BoardMarkAnswer>,
    }

    /// What is drawn on the board.
    #[serde(untagged)]
    pub enum BoardMarkAnswer {
        /// An arrow.
        Arrow {
            /// From this square.
            from: String,
            /// To this square.
            to: String,
            /// The name of the colour.
            colour: &'static str,
        },
        /// A square.
        Square {
            /// The square.
            square: String,
            /// The name of the colour.
            colour: &'static str,
        },
    }
}
