//! Changes of databases, and their history.

use serde_json::Value;

use crate::macros::answers;
use crate::names::NameCorrectionAnswer;
use crate::server::BaseAnswer;

answers! {
    /// What a change of a database has done, or would do.
    pub struct ChangeAnswer {
        /// Games that were changed.
        pub games: u64,
        /// Games that stay as they are because the database cannot hold them.
        pub refused: u64,
        /// Games that were taken away.
        pub removed: u64,
        /// What was done, in words.
        pub wish: String,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// What is lost.
        pub losses: Vec<ChangeLossAnswer>,
        /// The first steps of the change.
        pub steps: Vec<ChangeStepAnswer>,
        /// Whether it came to its end; else nothing was changed.
        pub whole: bool,
        /// The version of the base that the change has made; null where nothing was changed.
        #[serde(rename = "baseVersion")]
        pub base_version: Option<u64>,
    }

    /// A kind of loss of a change.
    pub struct ChangeLossAnswer {
        /// Its code.
        pub kind: &'static str,
        /// What of a game it is about: a tag, a comment, a move.
        pub aspect: &'static str,
        /// What is lost, in a few words.
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
        /// Who plays.
        pub game: String,
        /// What becomes of it.
        pub what: ChangeActionAnswer,
    }

    /// What becomes of a game.
    #[serde(tag = "kind", rename_all = "lowercase")]
    pub enum ChangeActionAnswer {
        /// It is added.
        Added,
        /// Another one takes its place.
        Replaced {
            /// The differences.
            how: Vec<String>,
        },
        /// Its flags are others.
        Flags {
            /// The flags that it had.
            from: String,
            /// The flags that it has.
            to: String,
        },
        /// It stands elsewhere.
        Moved {
            /// Its new number.
            to: u64,
        },
        /// It is taken away.
        Removed,
        /// The database is described in other words.
        Described,
    }

    /// The changes of a database.
    pub struct HistoryAnswer {
        /// The changes, the newest first.
        pub changes: Vec<HistoryChangeAnswer>,
        /// Whether some of the history cannot be read.
        pub damaged: bool,
        /// Whether the database was changed by somebody who keeps no history.
        pub overtaken: bool,
    }

    /// A change of a database.
    pub struct HistoryChangeAnswer {
        /// Its number.
        pub id: u64,
        /// When it was made.
        pub when: String,
        /// What was done, in words.
        pub wish: String,
        /// The number of the change that it takes back.
        pub undoes: Option<u64>,
    }

    /// What a game was before each change of it.
    pub struct VersionsAnswer {
        /// The versions, the newest first.
        pub versions: Vec<GameVersionAnswer>,
    }

    /// What a game was before a change.
    pub struct GameVersionAnswer {
        /// The number of the change.
        pub version: u64,
        /// When it was made.
        pub when: String,
        /// What was done, in words.
        pub wish: String,
        /// What was changed.
        pub kind: GameVersionKindAnswer,
        /// How it differs from the game as it is.
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
        /// It was not there.
        New,
    }

    /// Games that were copied into the clipboard base.
    pub struct CopyAnswer {
        /// How many.
        pub copied: u64,
        /// What is lost.
        pub losses: Vec<ChangeLossAnswer>,
        /// The clipboard base.
        pub base: BaseAnswer,
    }

    /// Names that were put right, or would be.
    pub struct NameCorrectionsAnswer {
        /// Games that were changed.
        pub games: u64,
        /// What was done, in words.
        pub wish: String,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Games that stay as they are because the database cannot hold them.
        pub refused: u64,
        /// What was put right.
        pub report: NameCorrectionAnswer,
        /// Whether it came to its end; else nothing was changed.
        pub whole: bool,
    }
}
