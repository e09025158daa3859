//! Open databases, and the formats that can be written.

use crate::findings::SeverityAnswer;
use crate::macros::answers;
use crate::server::RefusalAnswer;

answers! {
    /// The open databases.
    pub struct BasesAnswer {
        /// The databases, in the order of their names.
        pub bases: Vec<BaseAnswer>,
        /// Whether the server is read-only.
        #[serde(rename = "readOnly")]
        pub read_only: bool,
    }

    /// A database.
    pub struct BaseAnswer {
        /// Its id in this run of the server.
        pub id: String,
        /// Its name.
        pub name: String,
        /// Its path; empty for a copy.
        pub path: String,
        /// The title of its format.
        pub format: &'static str,
        /// The number of games; null if it is unknown without reading them.
        pub games: Option<u64>,
        /// The first and the last date; null if unknown without reading the games.
        pub years: Option<(Option<String>, Option<String>)>,
        /// The state of its index.
        pub index: IndexStateAnswer,
        /// Why its index is not used.
        #[serde(rename = "indexNote")]
        pub index_note: Option<String>,
        /// The issues that were found on opening.
        pub findings: FindingNumbersAnswer,
        /// Whether single games can be read directly.
        pub direct: bool,
        /// Whether it can be edited.
        pub editable: bool,
        /// Whether it is a copy uploaded by a browser, kept while the server runs.
        pub copy: bool,
        /// Whether it is the clipboard database.
        pub clipboard: bool,
        /// Why it can no longer be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub trouble: Option<String>,
        /// Why it can no longer be read, for programs and translations.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub refusal: Option<Box<RefusalAnswer>>,
    }

    /// The state of the index of a database.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum IndexStateAnswer {
        /// The index is up to date and used.
        Fresh,
        /// The database has changed since the index was made.
        Stale,
        /// There is no index.
        None,
        /// The database cannot have an index.
        Impossible,
    }

    /// Numbers of issues.
    pub struct FindingNumbersAnswer {
        /// Places with damage.
        pub damage: u64,
        /// Warnings.
        pub warnings: u64,
    }

    /// The years of the games of a database.
    pub struct YearsAnswer {
        /// The first and the last date; null if unknown.
        pub years: Option<(Option<String>, Option<String>)>,
    }

    /// The paths of settings and data.
    pub struct PlacesAnswer {
        /// The settings file.
        pub settings: Option<String>,
        /// The settings file of engines.
        pub engines: Option<String>,
        /// The data folder of the app.
        pub data: Option<String>,
        /// The folders and databases that were given when the server was started.
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
        /// The databases that the window of ChessBase shows, if the folder has their list.
        pub window: Option<FolderWindowAnswer>,
    }

    /// The list of the databases that the window of ChessBase shows.
    pub struct FolderWindowAnswer {
        /// They, in the order of the list.
        pub databases: Vec<FolderWindowDatabaseAnswer>,
        /// Whether these are all; false where there are more than are shown.
        pub whole: bool,
        /// Why the list cannot be read.
        pub trouble: Option<String>,
    }

    /// A database that the window of ChessBase shows.
    pub struct FolderWindowDatabaseAnswer {
        /// The name that the window shows.
        pub title: String,
        /// Where it lies; null where it cannot be opened from the list.
        pub path: Option<String>,
        /// Where it is: `here`, `cloud` (only there), `network` (which is not asked) or `missing` (nowhere that may be opened here).
        pub place: &'static str,
        /// The title of the format that its name says.
        pub format: Option<&'static str>,
        /// Games in it, when the list was written.
        pub games: Option<u64>,
        /// Whether it is the reference database.
        pub reference: bool,
        /// Its id where it is open.
        pub base: Option<String>,
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

    /// An address with which one more browser can connect.
    pub struct InvitationAnswer {
        /// The address.
        pub url: String,
    }

    /// A database that was opened in this run or an earlier one.
    pub struct RecentBaseAnswer {
        /// The name of its file.
        pub name: String,
        /// Its path.
        pub path: String,
        /// Its id if it is open.
        pub base: Option<String>,
    }

    /// A database that was closed.
    pub struct ClosedAnswer {
        /// Its id.
        pub closed: String,
    }

    /// The issues of a database.
    pub struct FindingsAnswer {
        /// The first issues.
        pub findings: Vec<FindingPageAnswer>,
        /// How many more there are.
        pub more: u64,
        /// Whether all games were read.
        pub whole: bool,
    }

    /// An issue with the page that explains it.
    pub struct FindingPageAnswer {
        /// Its code.
        pub code: &'static str,
        /// Its severity.
        pub severity: SeverityAnswer,
        /// A summary in English; the app has its own sentence for the code.
        pub summary: &'static str,
        /// Its place.
        pub place: String,
        /// The issue at this place in words.
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
        /// Whether its databases can be edited in place.
        pub edit: bool,
        /// The options of its writer.
        pub options: Vec<FormatOptionAnswer>,
    }

    /// An option of the writer of a format.
    pub struct FormatOptionAnswer {
        /// Its name.
        pub name: &'static str,
        /// What it does.
        pub help: &'static str,
        /// The value that it takes.
        pub takes: OptionArgumentAnswer,
        /// Its default.
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
            /// The name of the value.
            name: &'static str,
        },
        /// Texts separated by commas.
        List {
            /// The name of each value.
            name: &'static str,
        },
        /// One of several values.
        One {
            /// The values.
            words: Vec<OptionWordAnswer>,
        },
    }

    /// A value of an option.
    pub struct OptionWordAnswer {
        /// The value.
        pub word: &'static str,
        /// What it means.
        pub help: &'static str,
    }
}
