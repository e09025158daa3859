//! Databases that are shown, and what can be made.

use crate::findings::SeverityAnswer;
use crate::macros::answers;

answers! {
    /// The databases that are shown.
    pub struct BasesAnswer {
        /// The databases, in the order of their names.
        pub bases: Vec<BaseAnswer>,
        /// Whether the server changes nothing.
        #[serde(rename = "readOnly")]
        pub read_only: bool,
    }

    /// A database.
    pub struct BaseAnswer {
        /// Its id in this run of the server.
        pub id: String,
        /// Its name.
        pub name: String,
        /// Where it lies; empty for a copy.
        pub path: String,
        /// The title of its format.
        pub format: &'static str,
        /// Games; null where it is unknown without reading them.
        pub games: Option<u64>,
        /// The first and the last date; null where it is unknown without reading the games.
        pub years: Option<(Option<String>, Option<String>)>,
        /// How its index is.
        pub index: IndexStateAnswer,
        /// Why its index is not used.
        #[serde(rename = "indexNote")]
        pub index_note: Option<String>,
        /// What was found when it was opened.
        pub findings: FindingNumbersAnswer,
        /// Whether single games are found at once.
        pub direct: bool,
        /// Whether it can be changed.
        pub editable: bool,
        /// Whether it is a copy that a browser has handed over, kept as long as the server runs.
        pub copy: bool,
        /// Whether it is the base into which games are copied from everywhere.
        pub clipboard: bool,
        /// Why it cannot be read any more.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub trouble: Option<String>,
    }

    /// How the index of a database is.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum IndexStateAnswer {
        /// It is there and is used.
        Fresh,
        /// It is there, and the database has changed since.
        Stale,
        /// There is none.
        None,
        /// There can be none.
        Impossible,
    }

    /// Numbers of findings.
    pub struct FindingNumbersAnswer {
        /// What could not be read.
        pub damage: u64,
        /// What is odd.
        pub warnings: u64,
    }

    /// The years of the games of a database.
    pub struct YearsAnswer {
        /// The first and the last date; null where it is unknown.
        pub years: Option<(Option<String>, Option<String>)>,
    }

    /// Where everything lies that is set and remembered.
    pub struct PlacesAnswer {
        /// The settings file.
        pub settings: Option<String>,
        /// The settings file of engines.
        pub engines: Option<String>,
        /// The folder of what the app remembers.
        pub data: Option<String>,
        /// The folders and databases that were named when the server was started.
        pub folders: Vec<String>,
    }

    /// What a folder holds for somebody who looks for a database.
    pub struct FolderAnswer {
        /// The folder; null for the list of those that the server was given.
        pub path: Option<String>,
        /// The folder around it; null where that is the list of those that the server was given.
        pub parent: Option<String>,
        /// The folders in it, in the order of their names.
        pub folders: Vec<FolderEntryAnswer>,
        /// The databases and archives in it, in the order of their names.
        pub databases: Vec<FolderDatabaseAnswer>,
        /// Whether these are all; false where there are more than are shown.
        pub whole: bool,
    }

    /// A folder in a folder.
    pub struct FolderEntryAnswer {
        /// Its name.
        pub name: String,
        /// Where it lies.
        pub path: String,
    }

    /// A database in a folder, or an archive.
    pub struct FolderDatabaseAnswer {
        /// The name of the file by which it is opened.
        pub name: String,
        /// Where it lies.
        pub path: String,
        /// The title of its format; null for an archive, and for what only claims to be a database.
        pub format: Option<&'static str>,
        /// Bytes of that file; 0 for a folder that is a database.
        pub bytes: u64,
        /// Its id where it is open.
        pub base: Option<String>,
    }

    /// An address that lets one more browser in.
    pub struct InvitationAnswer {
        /// The address.
        pub url: String,
    }

    /// A database that was opened in an earlier run, or in this one.
    pub struct RecentBaseAnswer {
        /// The name of its file.
        pub name: String,
        /// Where it lies.
        pub path: String,
        /// Its id where it is open.
        pub base: Option<String>,
    }

    /// A database that was closed.
    pub struct ClosedAnswer {
        /// Its id.
        pub closed: String,
    }

    /// What is wrong or odd in a database.
    pub struct FindingsAnswer {
        /// The first findings.
        pub findings: Vec<FindingPageAnswer>,
        /// How many there are beyond these.
        pub more: u64,
        /// Whether all games were read.
        pub whole: bool,
    }

    /// A finding with the page that explains it.
    pub struct FindingPageAnswer {
        /// Its code.
        pub code: &'static str,
        /// How bad it is.
        pub severity: SeverityAnswer,
        /// What is found of this kind, in English: the app has a sentence of its own for the code.
        pub summary: &'static str,
        /// Where it is.
        pub place: String,
        /// What is wrong there.
        pub message: String,
        /// The number of the game.
        pub game: Option<u64>,
        /// The ply.
        pub ply: Option<u32>,
        /// The page of `check --explain`.
        pub page: Option<String>,
    }

    /// A format that can be written.
    pub struct WritableFormatAnswer {
        /// Its name.
        pub name: &'static str,
        /// Its title.
        pub title: &'static str,
        /// The extensions of its files, without the dot.
        pub extensions: Vec<&'static str>,
        /// Whether its databases are changed in place.
        pub edit: bool,
        /// What its writer can be told.
        pub options: Vec<FormatOptionAnswer>,
    }

    /// What the writer of a format can be told.
    pub struct FormatOptionAnswer {
        /// Its name.
        pub name: &'static str,
        /// What it does.
        pub help: &'static str,
        /// The value that it takes.
        pub takes: OptionArgumentAnswer,
        /// What it is set to unless something else is chosen.
        pub usual: Option<&'static str>,
    }

    /// The value that an option takes.
    #[serde(tag = "kind", rename_all = "lowercase")]
    pub enum OptionArgumentAnswer {
        /// None.
        Nothing,
        /// A number.
        Number,
        /// A text.
        Text {
            /// What it is called.
            name: &'static str,
        },
        /// Texts with commas between them.
        List {
            /// What each is called.
            name: &'static str,
        },
        /// One of some words.
        One {
            /// The words.
            words: Vec<OptionWordAnswer>,
        },
    }

    /// A word that an option can be set to.
    pub struct OptionWordAnswer {
        /// The word.
        pub word: &'static str,
        /// What it means.
        pub help: &'static str,
    }
}
