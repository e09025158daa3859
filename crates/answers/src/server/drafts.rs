//! Games that are being edited.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::macros::answers;
use crate::server::ChangeLossAnswer;

answers! {
    /// A game that is being edited, and what has changed in it.
    pub struct DraftAnswer {
        /// Which game.
        #[serde(flatten)]
        pub subject: DraftSubjectAnswer,
        /// Increases with every change.
        pub version: u64,
        /// Whether there are unsaved changes.
        pub changed: bool,
        /// The change that undo would undo; null if there is none.
        pub undo: Option<String>,
        /// The change that redo would repeat; null if there is none.
        pub redo: Option<String>,
        /// The move at the editor's cursor, by its number in reading order.
        pub at: u64,
        /// Why the last change is not stored.
        pub trouble: Option<String>,
        /// The last request of each tab that was carried out.
        pub heard: BTreeMap<String, u64>,
        /// The whole game (`docs/formats/ndjson.md`).
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
        pub game: Option<Box<RawValue>>,
        /// The changes that requests have made to the game that the page shows.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub difference: Option<DraftDifferenceAnswer>,
        /// How many of the requests that were sent were carried out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub granted: Option<u64>,
        /// Other notes about saving.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub notes: Option<Vec<String>>,
        /// The losses in saving.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<ChangeLossAnswer>>,
        /// The version of the database after saving.
        #[serde(rename = "baseVersion", skip_serializing_if = "Option::is_none")]
        pub base_version: Option<u64>,
    }

    /// A game that is being edited.
    pub struct DraftSubjectAnswer {
        /// The id of the draft.
        pub id: String,
        /// The id of the database.
        pub base: String,
        /// The name of the database.
        pub name: String,
        /// The path of the database.
        pub path: String,
        /// The number of the game; 0 for a new one.
        pub number: u64,
        /// The players.
        pub title: String,
    }

    /// Games with unsaved changes.
    pub struct DraftsAnswer {
        /// The games.
        pub drafts: Vec<DraftSubjectAnswer>,
    }

    /// A game whose changes were discarded.
    pub struct DiscardedAnswer {
        /// The id of the draft.
        pub discarded: String,
    }

    /// The losses of saving a game.
    pub struct SaveLossesAnswer {
        /// The losses.
        pub losses: Vec<ChangeLossAnswer>,
    }

    /// The changes that requests have made to a game.
    #[derive(Default)]
    pub struct DraftDifferenceAnswer {
        /// The operations of the game now, if they were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tape: Option<Vec<DraftPieceAnswer>>,
        /// All tags, if tags or the result were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tags: Option<Vec<(String, String)>>,
        /// The result, if tags or the result were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub result: Option<&'static str>,
    }

    /// Some operations of a game, one after another.
    #[serde(untagged)]
    pub enum DraftPieceAnswer {
        /// A run of existing operations: from the first, end excluded.
        Run(u64, u64),
        /// New operations.
        New(Vec<DraftItemAnswer>),
    }

    /// An operation of a game, as in the JSON of games.
    #[serde(untagged)]
    pub enum DraftItemAnswer {
        /// A move.
        Move {
            /// In UCI notation.
            uci: String,
            /// In SAN.
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
        /// Data that only one format has.
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

    /// The annotations of a move.
    pub struct DraftDetailsAnswer {
        /// The comment before the move; null if it cannot have one.
        pub before: Option<String>,
        /// The comment after the move; null if it cannot have one.
        pub after: Option<String>,
        /// The numbers of the NAGs.
        pub nags: Vec<u32>,
        /// Arrows and coloured squares.
        pub marks: Vec<BoardMarkAnswer>,
    }

    /// Arrows and coloured squares.
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
