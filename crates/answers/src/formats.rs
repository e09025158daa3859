//! Formats and files: `formats --json`, `identify --json`, `databases --json`.

use crate::macros::answers;

answers! {
    /// A format and what it can do: `formats --json`.
    pub struct FormatAnswer {
        /// Its name.
        pub name: &'static str,
        /// Its title.
        pub title: &'static str,
        /// The extensions of its files, without the dot.
        pub extensions: Vec<&'static str>,
        /// Whether it is read: `none`, `experimental` or `full`.
        pub read: &'static str,
        /// Whether it is written: `none`, `experimental` or `full`.
        pub write: &'static str,
        /// Whether it is read from a pipe.
        pub pipe: bool,
        /// Whether its databases can be edited in place.
        pub edit: bool,
        /// Whether damaged databases can be repaired.
        pub repair: bool,
        /// Whether it holds tags of any name.
        pub any_tag: bool,
        /// Whether it holds variations.
        pub variations: bool,
        /// Whether it holds comments.
        pub comments: bool,
        /// Whether it holds NAGs.
        pub nags: bool,
        /// Whether it holds games with custom starting positions.
        pub setups: bool,
        /// Whether it holds Chess960.
        pub chess960: bool,
        /// Whether it holds null moves.
        pub null_moves: bool,
        /// Whether it holds movetext that could not be read.
        pub raw_movetext: bool,
        /// Whether it holds games that are marked as deleted.
        pub deleted: bool,
        /// Other notes.
        pub notes: String,
        /// The issues that reading can find and the losses of writing; only for a single format.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pages: Option<Vec<PageAnswer>>,
    }

    /// A page of `check --explain`.
    pub struct PageAnswer {
        /// The code that it explains.
        pub name: &'static str,
        /// The severity of the issue, or that it is a loss.
        pub weight: String,
        /// A summary in a few words.
        pub summary: &'static str,
    }

    /// The format of a file: a line of `identify --json`.
    pub struct IdentityAnswer {
        /// Its path.
        pub path: String,
        /// Its kind.
        pub kind: IdentityKindAnswer,
        /// The name of the format.
        pub format: Option<&'static str>,
        /// The title of the format.
        pub title: Option<&'static str>,
        /// Whether the format is certain.
        pub certain: bool,
        /// Advice about a file of another program.
        pub advice: Option<&'static str>,
    }

    /// A database that the window of ChessBase shows: a line of `databases --json`.
    pub struct WindowDatabaseAnswer {
        /// The name that the window shows.
        pub title: String,
        /// Its path on this computer, or where it would be.
        pub path: String,
        /// Its path as the list has it.
        pub stored: String,
        /// Where it is: `here`, `cloud` (opening it would fetch it), `network` (on another computer, which was not asked) or `missing`.
        pub place: &'static str,
        /// The title of the format that its name says.
        pub format: Option<&'static str>,
        /// Games in it, when the list was written.
        pub games: Option<u64>,
        /// When it was last used.
        pub used: Option<String>,
        /// When it was added.
        pub added: Option<String>,
        /// Whether it is the reference database.
        pub reference: bool,
    }

    /// The kind of a file.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum IdentityKindAnswer {
        /// A database.
        Database,
        /// Another file of a database that has several.
        Companion,
        /// An archive, which may hold databases.
        Archive,
        /// A file of another program.
        Foreign,
        /// A folder without a database.
        Folder,
        /// Unknown.
        Unknown,
    }
}
