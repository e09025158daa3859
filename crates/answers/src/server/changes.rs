//! Changes of databases, and their history.

use serde_json::Value;

use crate::macros::answers;
use crate::names::NameCorrectionAnswer;
use crate::server::BaseAnswer;

answers! {
    /// The effect of a change of a database, or of its preview.
    pub struct ChangeAnswer {
        /// Games that were changed.
        pub games: u64,
        /// Games that were not changed because the database cannot hold them.
        pub refused: u64,
        /// Games that were removed.
        pub removed: u64,
        /// The change in words.
        pub wish: String,
        /// Other notes.
        pub notes: Vec<String>,
        /// The losses.
        pub losses: Vec<ChangeLossAnswer>,
        /// The first steps of the change.
        pub steps: Vec<ChangeStepAnswer>,
        /// Whether the change was completed; if not, nothing was changed.
        pub whole: bool,
        /// The version of the database after the change; null if nothing was changed.
        #[serde(rename = "baseVersion")]
        pub base_version: Option<u64>,
    }

    /// A kind of loss of a change.
    #[derive(PartialEq)]
    pub struct ChangeLossAnswer {
        /// Its code.
        pub kind: &'static str,
        /// The part of a game that it is about: a tag, a comment, a move.
        pub aspect: &'static str,
        /// The loss in a few words.
        pub summary: &'static str,
        /// How often.
        pub count: u64,
        /// The first of them.
        pub examples: Vec<String>,
    }

    /// A step of a change.
    pub struct ChangeStepAnswer {
        /// The number of the game.
        pub number: u64,
        /// The players.
        pub game: String,
        /// What happens to it.
        pub what: ChangeActionAnswer,
    }

    /// What happens to a game.
    #[serde(tag = "kind", rename_all = "lowercase")]
    pub enum ChangeActionAnswer {
        /// It is added.
        Added,
        /// It is replaced.
        Replaced {
            /// The differences.
            how: Vec<String>,
        },
        /// Its flags are changed.
        Flags {
            /// The flags before the change.
            from: String,
            /// The flags after the change.
            to: String,
        },
        /// It gets another number.
        Moved {
            /// Its new number.
            to: u64,
        },
        /// It is removed.
        Removed,
        /// The description of the database is changed.
        Described,
    }

    /// The changes of a database.
    pub struct HistoryAnswer {
        /// The changes, the newest first.
        pub changes: Vec<HistoryChangeAnswer>,
        /// Whether part of the history cannot be read.
        pub damaged: bool,
        /// Whether another program, which keeps no history, has changed the database.
        pub overtaken: bool,
    }

    /// A change of a database.
    pub struct HistoryChangeAnswer {
        /// Its number.
        pub id: u64,
        /// When it was made.
        pub when: String,
        /// The change in words.
        pub wish: String,
        /// The number of the change that it undoes.
        pub undoes: Option<u64>,
    }

    /// The versions of a game before each change.
    pub struct VersionsAnswer {
        /// The versions, the newest first.
        pub versions: Vec<GameVersionAnswer>,
    }

    /// The version of a game before a change.
    pub struct GameVersionAnswer {
        /// The number of the change.
        pub version: u64,
        /// When it was made.
        pub when: String,
        /// The change in words.
        pub wish: String,
        /// What was changed.
        pub kind: GameVersionKindAnswer,
        /// How it differs from the game now.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub differences: Option<Vec<String>>,
        /// The game as it was (`docs/formats/ndjson.md`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub game: Option<Value>,
    }

    /// What was changed in a game.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum GameVersionKindAnswer {
        /// The game.
        Game,
        /// Its flags.
        Flags,
        /// The game is new.
        New,
    }

    /// Games that were copied to the clipboard database.
    pub struct CopyAnswer {
        /// The number of games.
        pub copied: u64,
        /// The losses.
        pub losses: Vec<ChangeLossAnswer>,
        /// The clipboard database.
        pub base: BaseAnswer,
    }

    /// Names that were fixed, or would be.
    pub struct NameCorrectionsAnswer {
        /// Games that were changed.
        pub games: u64,
        /// The change in words.
        pub wish: String,
        /// Other notes.
        pub notes: Vec<String>,
        /// Games that were not changed because the database cannot hold them.
        pub refused: u64,
        /// The names that were fixed.
        pub report: NameCorrectionAnswer,
        /// Whether the change was completed; if not, nothing was changed.
        pub whole: bool,
    }
}
