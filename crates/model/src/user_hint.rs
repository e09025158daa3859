//! What a user can do about something, as a value: each front end has its own names.
//!
//! The command line has commands and flags, the app buttons and menus. A text of this library names what it means in braces, as in
//! `{repair} finds games without the index`, and a front end puts its own name there.

use std::fmt;

macro_rules! user_actions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $words:literal;)*) => {
        /// Something that a user can do or set.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum UserAction {
            $($(#[$doc])* $variant,)*
        }

        impl UserAction {
            /// All of them.
            pub const ALL: &[UserAction] = &[$(UserAction::$variant,)*];

            /// Its name, as in the braces of texts.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(UserAction::$variant => $name,)*
                }
            }

            /// Its name in words, for use without a front end.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self {
                    $(UserAction::$variant => $words,)*
                }
            }
        }
    };
}

user_actions! {
    /// Writes a sound copy of everything readable.
    Repair = "repair", "a repair";
    /// Writes the games into another database.
    Convert = "convert", "a conversion";
    /// Classifies openings (ECO).
    Eco = "eco", "the command that classifies openings";
    /// Lists the raw bytes of the files inside a database.
    RawInfo = "raw-info", "the list of its raw bytes";
    /// Builds and maintains lakes.
    Lake = "lake", "the lake commands";
    /// Lists the formats.
    Formats = "formats", "the list of formats";
    /// Chooses the format of a source.
    SourceFormat = "source-format", "the source format option";
    /// Chooses the format of a target.
    TargetFormat = "target-format", "the target format option";
    /// Chooses the target.
    Target = "target", "the target option";
    /// Replaces an existing file.
    Replace = "replace", "the overwrite option";
    /// Compares the output with the sources.
    Verify = "verify", "verification";
    /// Keeps the games of a lake in one folder.
    NoPartition = "no-partition", "one folder for all games";
    /// Chooses the charset of texts.
    Encoding = "encoding", "the charset option";
    /// Chooses how dates are read.
    ShiftedDates = "shifted-dates", "the option for shifted dates";
    /// Chooses the piece letters.
    PieceLetters = "piece-letters", "the option for piece letters";
    /// Writes the original bytes.
    RawBytes = "raw-bytes", "the option for original bytes";
    /// Leaves out data that cannot be stored.
    DropLosses = "drop-losses", "the choice `drop`";
    /// Keeps data that cannot be stored in a comment.
    CommentLosses = "comment-losses", "the choice `comment`";
    /// Keeps no history.
    NoHistory = "no-history", "the option for no history";
    /// Undoes the last change.
    Undo = "undo", "the undo command";
    /// Restores an earlier version.
    Restore = "restore", "the restore command";
    /// Gives the password of an archive.
    Password = "password", "its password";
    /// Limits the depth of a tree.
    Depth = "depth", "a smaller depth";
    /// Limits the rarity of the moves of a tree.
    MinGames = "min-games", "a higher minimum of games per move";
    /// Searches without the hints of the files.
    WithoutHints = "without-hints", "a search without the hints of the file";
    /// Allows more memory for decompression.
    MaxWindow = "max-window", "a larger decompression window";
    /// Allows a higher decompression ratio.
    MaxRatio = "max-ratio", "a higher decompression ratio";
    /// Builds the client of database servers.
    InstallServerClient = "install-server-client", "cargo, in the project folder,";
}

/// A text with the front end's names for its actions.
#[must_use]
pub fn with_actions(text: &str, action: impl Fn(UserAction) -> String) -> String {
    filled(text, |name| {
        let known = UserAction::ALL.iter().find(|known| known.name() == name);
        known.map(|known| action(*known))
    })
}

/// A text with its braces filled once; braces in the values are left alone.
fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}').map(|(name, end)| (value(name), end)) {
            Some((Some(value), end)) => {
                out.push_str(&value);
                rest = end;
            }
            _ => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// What a user can do about a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UserHint {
    /// The formats are listed elsewhere.
    ListFormats,
    /// A file is read in the format that the user chooses.
    NameSourceFormat {
        /// Whether the list of formats helps.
        list: bool,
    },
    /// The format of the target has to be given.
    NameTargetFormat {
        /// The names of the formats that can be written.
        formats: Vec<String>,
    },
    /// The games are written to another place.
    NameTarget,
    /// A sound copy can be made.
    Repair,
    /// Everything readable is written to a sound database.
    Convert,
    /// Games are found without the file that is missing.
    FindGames,
    /// Games are searched in the bytes.
    SearchGames,
    /// A program that is needed is built.
    InstallServerClient,
    /// An existing file is replaced on request.
    Replace,
    /// Data that cannot be stored goes into a comment, or is left out.
    KeepOrDrop,
    /// Data that cannot be stored is left out.
    Drop,
    /// A change is made without a history.
    NoHistory,
    /// The last change is undone.
    Undo {
        /// The database.
        database: String,
    },
    /// Removed games are restored.
    Restore,
    /// One game is restored by its number and version.
    RestoreGame {
        /// The version.
        version: u64,
    },
    /// A smaller tree.
    SmallerTree,
    /// The password has to be given.
    Password,
    /// The bytes are used unchanged.
    RawBytes,
    /// A comparison needs another kind of target or source.
    WithoutVerify,
    /// The games of a lake keep their order.
    NoPartition,
    /// Decompression may take more memory.
    LargerWindow,
    /// A higher decompression ratio is allowed.
    LargerRatio,
}

impl UserHint {
    /// Its name for programs and translations.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            UserHint::ListFormats => "list-formats",
            UserHint::NameSourceFormat { list: true } => "name-source-format-or-list",
            UserHint::NameSourceFormat { list: false } => "name-source-format",
            UserHint::NameTargetFormat { .. } => "name-target-format",
            UserHint::NameTarget => "name-target",
            UserHint::Repair => "repair",
            UserHint::Convert => "convert",
            UserHint::FindGames => "find-games",
            UserHint::SearchGames => "search-games",
            UserHint::InstallServerClient => "install-server-client",
            UserHint::Replace => "replace",
            UserHint::KeepOrDrop => "keep-or-drop",
            UserHint::Drop => "drop",
            UserHint::NoHistory => "no-history",
            UserHint::Undo { .. } => "undo",
            UserHint::Restore => "restore",
            UserHint::RestoreGame { .. } => "restore-game",
            UserHint::SmallerTree => "smaller-tree",
            UserHint::Password => "password",
            UserHint::RawBytes => "raw-bytes",
            UserHint::WithoutVerify => "without-verify",
            UserHint::NoPartition => "no-partition",
            UserHint::LargerWindow => "larger-window",
            UserHint::LargerRatio => "larger-ratio",
        }
    }

    /// The values for a sentence.
    #[must_use]
    pub fn values(&self) -> Vec<(&'static str, String)> {
        match self {
            UserHint::NameTargetFormat { formats } => vec![("formats", formats.join(", "))],
            UserHint::Undo { database } => vec![("database", database.clone())],
            UserHint::RestoreGame { version } => vec![("version", version.to_string())],
            _ => Vec::new(),
        }
    }

    /// The clause after the message, with actions and values in braces.
    fn clause(&self) -> &'static str {
        match self {
            UserHint::ListFormats => "{formats} lists the formats that can be written",
            UserHint::NameSourceFormat { list: true } => {
                "{formats} lists the formats that can be read, {source-format} chooses one"
            }
            UserHint::NameSourceFormat { list: false } => "{source-format} reads it anyway",
            UserHint::NameTargetFormat { .. } => {
                "choose the format with {target-format} ({formats})"
            }
            UserHint::NameTarget => "choose the target with {target}",
            UserHint::Repair => "{repair} writes a sound copy",
            UserHint::Convert => "{convert} writes everything readable to a new database",
            UserHint::FindGames => "{repair} finds games without it",
            UserHint::SearchGames => "{repair} searches the files for games",
            UserHint::InstallServerClient => "{install-server-client} builds it",
            UserHint::Replace => "{replace} replaces it",
            UserHint::KeepOrDrop => {
                "{comment-losses} keeps it in a comment, {drop-losses} leaves it out"
            }
            UserHint::Drop => "{drop-losses} leaves it out",
            UserHint::NoHistory => "use {no-history} to edit without a history",
            UserHint::Undo { .. } => "{undo} undoes it",
            UserHint::Restore => "{undo} or {restore} restores them",
            UserHint::RestoreGame { .. } => "name the game in {restore}",
            UserHint::SmallerTree => "limit it with {depth} or {min-games}",
            UserHint::Password => "use {password}",
            UserHint::RawBytes => "{raw-bytes} writes the original bytes",
            UserHint::WithoutVerify => "omit {verify}",
            UserHint::NoPartition => "{no-partition} keeps the order of the games",
            UserHint::LargerWindow => "{max-window} allows it",
            UserHint::LargerRatio => "{max-ratio} allows it",
        }
    }

    /// The hint in words, with the front end's names for its actions.
    #[must_use]
    pub fn told(&self, action: impl Fn(UserAction) -> String) -> String {
        let values = self.values();
        filled(self.clause(), |name| {
            let value = values.iter().find(|(known, _)| *known == name);
            let known = UserAction::ALL.iter().find(|known| known.name() == name);
            value
                .map(|(_, value)| value.clone())
                .or_else(|| known.map(|known| action(*known)))
        })
    }
}

impl fmt::Display for UserHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(|action| action.words().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_once_and_front_ends_name_the_actions() {
        let hint = UserHint::NameTargetFormat {
            formats: vec!["pgn".to_owned(), "{repair}".to_owned()],
        };
        let told = hint.told(|action| format!("<{}>", action.name()));
        assert_eq!(
            told,
            "choose the format with <target-format> (pgn, {repair})"
        );
        let text = with_actions("{repair} or {nothing of the kind} or {", |action| {
            action.words().to_owned()
        });
        assert_eq!(text, "a repair or {nothing of the kind} or {");
    }
}
