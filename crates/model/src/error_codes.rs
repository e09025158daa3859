//! What can be wrong, by code: what the model, the formats and the tools over them share.

/// Defines a static [`crate::ErrorCode`] for each entry (name, kind, summary), and `ERRORS`, the list of them.
#[macro_export]
macro_rules! error_codes {
    ($($id:ident = $name:literal, $kind:ident, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub static $id: $crate::ErrorCode = $crate::ErrorCode {
                name: $name,
                kind: $crate::ErrorKind::$kind,
                summary: $summary,
            };
        )*
        /// Every failure of these.
        pub static ERRORS: &[&$crate::ErrorCode] = &[$(&$id),*];
    };
}

error_codes! {
    INTERNAL = "internal", Internal, "The program has contradicted itself: this is a fault of Tabiya's.";
    INTERRUPTED = "interrupted", Interrupted, "The program is being stopped.";
    SYSTEM = "system", Io, "The system refuses.";
    FILE_NOT_FOUND = "file-not-found", Io, "There is no such file or folder.";
    NO_PERMISSION = "no-permission", Io, "The system does not permit it.";
    DISK_FULL = "disk-full", Io, "There is no room left.";
    FILE_EXISTS_ALREADY = "file-exists", Io, "A file of this name exists already.";
    IS_FOLDER = "is-folder", Io, "This is a folder and not a file.";
    PIPE_CLOSED = "pipe-closed", Io, "The reader of the output went away.";
    FILE_CUT = "file-cut", Io, "The file ends within what was to be read.";
    COMPANION_MISSING = "companion-missing", Corrupt, "A file that belongs to the database is missing.";
    COMPANION_AMBIGUOUS = "companion-ambiguous", Corrupt, "Several files could be the one that belongs to the database.";
    WRITE_FAILED = "write-failed", Io, "A part of the output could not be made.";
    PACKED_DAMAGED = "packed-damaged", Corrupt, "The packed data are damaged.";
    PACKED_CUT = "packed-cut", Corrupt, "The packed data are cut off.";
    PACKED_WINDOW = "packed-window", Limit, "Unpacking would take more memory than is allowed.";
    PACKED_BOMB = "packed-bomb", Limit, "Far more comes out of the packed file than an honest one holds.";
    PACKED_TOO_DEEP = "packed-too-deep", Limit, "Archives are nested too deeply, or one within another file is too large.";
    PACKED_UNSUPPORTED = "packed-unsupported", Unsupported, "The file was packed in a way that is not read.";
    PACKED_SEVERAL = "packed-several", Unsupported, "An archive of several files stands where one file was needed.";
    PACKED_LINK = "packed-link", Unsupported, "A member of the archive has no content of its own.";
    TARGET_EXISTS = "target-exists", Usage, "The target exists already.";
    TARGET_IS_SOURCE = "target-is-source", Usage, "The target is one of the files that are read.";
    TARGET_TWICE = "target-twice", Usage, "Two targets are the same file.";
    TARGET_NAME = "target-name", Usage, "The name of the target does not fit its format.";
    TARGET_CHARSET = "target-charset", Usage, "The format cannot write its texts in this charset.";
    TARGET_TO_PIPE = "target-to-pipe", Usage, "What is to be written cannot go into a pipe.";
    TARGET_UNREADABLE = "target-unreadable", Corrupt, "What was written cannot be read again.";
    BEING_CHANGED = "being-changed", Busy, "Another program is changing the database.";
    FOREIGN_LOCK = "foreign-lock", Io, "A file that is no lock has the name of one.";
    CHANGED_MEANWHILE = "changed-meanwhile", Conflict, "Another program has changed the file meanwhile.";
    CHANGE_UNFINISHED = "change-unfinished", Io, "The change is made, and will be put in place when the database is opened next.";
    CHANGE_INTERRUPTED = "change-interrupted", Corrupt, "An interrupted change is in the way, and it cannot be finished.";
    NOT_THIS_FORMAT = "not-this-format", NotThisFormat, "The file is not of this format.";
    UNKNOWN_FORMAT = "unknown-format", NotThisFormat, "This is no chess database that is known.";
    FOREIGN_FORMAT = "foreign-format", NotThisFormat, "The file is something that holds no games, or that cannot be read.";
    UNSUPPORTED_VERSION = "unsupported-version", Unsupported, "This version of the format is not known.";
    ONLY_READ = "only-read", Unsupported, "The format is read and not written.";
    NOT_CHANGEABLE = "not-changeable", Unsupported, "The database cannot be changed in place.";
    DAMAGED = "damaged", Corrupt, "The file is damaged beyond reading.";
    DAMAGED_NOT_CHANGED = "damaged-not-changed", Corrupt, "The database is damaged, and a change could make that final.";
    WOULD_LOSE = "would-lose", Unsupported, "The database cannot hold all of the game.";
    NO_DESCRIPTION = "no-description", Unsupported, "The format has no place for a description of the whole.";
    OPEN_COMMENT = "open-comment", Unsupported, "What follows a game would be read as a part of it.";
    TOO_LARGE = "too-large", Limit, "This is larger than what is read or written.";
    TOO_MANY_GAMES = "too-many-games", Limit, "There are more games than can be numbered.";
    NO_SUCH_GAME = "no-such-game", NotFound, "There is no game of this number.";
    NO_SUCH_FLAG = "no-such-flag", Usage, "There is no such flag.";
    FLAGS_NOT_HELD = "flags-not-held", Usage, "The format has no place for these flags.";
    TEXT_TOO_LONG = "text-too-long", Usage, "The format has no room for a text of this length.";
    NO_GAME_ENDS = "no-game-ends", Usage, "Without tags and results nobody can tell where a game ends.";
    BAD_OPTION = "bad-option", Usage, "An option of the format does not take this value.";
    BAD_ORDER = "bad-order", Usage, "Games cannot be sorted by this.";
    BAD_PIECE_LETTERS = "bad-piece-letters", Usage, "These are no letters of pieces.";
    BAD_POSITION = "bad-position", Usage, "The text is no position.";
    BAD_QUERY = "bad-query", Usage, "The query cannot be understood.";
    BAD_ROW = "bad-row", Usage, "The row of the table cannot be understood.";
    EDIT_ILLEGAL = "edit-illegal", Usage, "The move is not possible in the position.";
    EDIT_NO_MOVE_TEXT = "edit-no-move-text", Usage, "The text is no move.";
    EDIT_AMBIGUOUS = "edit-ambiguous", Usage, "Several moves are meant by the text.";
    EDIT_WOULD_CUT = "edit-would-cut", Usage, "Moves that follow could not be played any more.";
    EDIT_NOTHING_TO_REPLACE = "edit-nothing-to-replace", Usage, "A variation replaces a move, and there is none here yet.";
    EDIT_AT_START = "edit-at-start", Usage, "No move has been played here.";
    EDIT_NOTHING_BEFORE = "edit-nothing-before", Usage, "There is no move before this place.";
    EDIT_NOTHING_BEHIND = "edit-nothing-behind", Usage, "There is no move after this place.";
    EDIT_NO_SUCH_BRANCH = "edit-no-such-branch", Usage, "There are not so many moves to go on with.";
    EDIT_NOT_IN_VARIATION = "edit-not-in-variation", Usage, "This is no variation.";
    EDIT_FIRST_ALREADY = "edit-first-already", Usage, "The line is the first one already.";
    EDIT_LAST_ALREADY = "edit-last-already", Usage, "The line is the last one already.";
    EDIT_NO_SUCH_PLACE = "edit-no-such-place", Usage, "There is no move at this place.";
    EDIT_NOT_HERE = "edit-not-here", Usage, "What is to be changed is not here.";
    EDIT_NOTHING_TO_DO = "edit-nothing-to-do", Usage, "That is so already.";
    EDIT_DERIVED = "edit-derived", Usage, "The tag follows from another part of the game.";
    EDIT_BAD_TAG_NAME = "edit-bad-tag-name", Usage, "This is no name for a tag.";
    EDIT_BAD_POSITION = "edit-bad-position", Usage, "The text is no position.";
    EDIT_OTHER_RULES = "edit-other-rules", Usage, "The rules of this game are not known.";
    EDIT_NOT_REACHED = "edit-not-reached", Usage, "The other game does not reach this position.";
    EDIT_NOTHING_TO_UNDO = "edit-nothing-to-undo", Usage, "There is nothing to undo.";
    EDIT_NOTHING_TO_REDO = "edit-nothing-to-redo", Usage, "There is nothing to redo.";
    EDIT_FULL = "edit-full", Limit, "The game takes no more moves or texts.";
    EDIT_BAD_TAPE = "edit-bad-tape", Corrupt, "The moves of the game are not in good order.";
    EDIT_NOT_OF_THIS_GAME = "edit-not-of-this-game", Conflict, "The change was made for another game, or another state of it.";
    EDIT_BAD_DRAFT = "edit-bad-draft", Corrupt, "The draft cannot be read.";
    THREAD_ENDED = "thread-ended", Io, "A thread of the program has ended early.";
    NO_SUCH_ENGINE = "no-such-engine", Io, "There is no such engine.";
    ENGINE_FAILED = "engine-failed", Io, "The engine does not do what it should.";
    BAD_ENGINE_OPTION = "bad-engine-option", Usage, "The engine has no such option, or it does not take this value.";
    ANALYSIS_BUSY = "analysis-busy", Busy, "Another process is doing this analysis.";
    OTHER_ANALYSIS = "other-analysis", Usage, "What is kept belongs to another analysis.";
    ONE_DATABASE = "one-database", Usage, "This is done with one database at a time.";
    NO_INDEX = "no-index", NotFound, "There is no index.";
    NOT_INDEXABLE = "not-indexable", Unsupported, "This database cannot have an index.";
    DATABASE_SERVER = "database-server", Io, "The server of databases refuses.";
    BAD_SERVER_URL = "bad-server-url", Usage, "The address of the server of databases cannot be understood.";
    SERVER_TABLES = "server-tables", Usage, "The database on the server lacks tables.";
    NO_LAKE = "no-lake", NotThisFormat, "There is no lake here.";
}
