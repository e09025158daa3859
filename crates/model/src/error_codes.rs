//! Error codes, shared by the model, the formats and the tools built on them.

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
        /// All of them.
        pub static ERRORS: &[&$crate::ErrorCode] = &[$(&$id),*];
    };
}

error_codes! {
    INTERNAL = "internal", Internal, "Internal error: this is a bug in Tabiya.";
    INTERRUPTED = "interrupted", Interrupted, "The program is being stopped.";
    SYSTEM = "system", Io, "The operating system refused the operation.";
    FILE_NOT_FOUND = "file-not-found", Io, "No such file or folder.";
    NO_PERMISSION = "no-permission", Io, "Permission denied.";
    DISK_FULL = "disk-full", Io, "No space left on the disk.";
    FILE_EXISTS_ALREADY = "file-exists", Io, "A file with this name already exists.";
    IS_FOLDER = "is-folder", Io, "This is a folder, not a file.";
    PIPE_CLOSED = "pipe-closed", Io, "The reader of the output has closed it.";
    FILE_CUT = "file-cut", Io, "Unexpected end of file.";
    COMPANION_MISSING = "companion-missing", Corrupt, "A file that belongs to the database is missing.";
    COMPANION_AMBIGUOUS = "companion-ambiguous", Corrupt, "Several files could be the missing one of the database.";
    WRITE_FAILED = "write-failed", Io, "Part of the output could not be created.";
    PACKED_DAMAGED = "packed-damaged", Corrupt, "The compressed data is damaged.";
    PACKED_CUT = "packed-cut", Corrupt, "The compressed data is truncated.";
    PACKED_WINDOW = "packed-window", Limit, "Decompression would need more memory than allowed.";
    PACKED_BOMB = "packed-bomb", Limit, "The compressed file looks like a decompression bomb.";
    PACKED_TOO_DEEP = "packed-too-deep", Limit, "Archives are nested too deeply, or an archive inside another file is too large.";
    PACKED_UNSUPPORTED = "packed-unsupported", Unsupported, "This compression method is not supported.";
    PACKED_SEVERAL = "packed-several", Unsupported, "This is an archive of several files; a single file was expected.";
    PACKED_LINK = "packed-link", Unsupported, "A member of the archive has no content of its own.";
    TARGET_EXISTS = "target-exists", Usage, "The target already exists.";
    TARGET_IS_SOURCE = "target-is-source", Usage, "The target is one of the source files.";
    TARGET_TWICE = "target-twice", Usage, "Two targets are the same file.";
    TARGET_NAME = "target-name", Usage, "The name of the target does not match its format.";
    TARGET_CHARSET = "target-charset", Usage, "The format cannot write text in this charset.";
    TARGET_TO_PIPE = "target-to-pipe", Usage, "This format cannot be written to a pipe.";
    TARGET_UNREADABLE = "target-unreadable", Corrupt, "The output cannot be read back.";
    BEING_CHANGED = "being-changed", Busy, "Another program is changing the database.";
    FOREIGN_LOCK = "foreign-lock", Io, "A file has the name of a lock but is not one.";
    CHANGED_MEANWHILE = "changed-meanwhile", Conflict, "Another program has changed the file in the meantime.";
    CHANGE_UNFINISHED = "change-unfinished", Io, "The change is made, and will be completed the next time the database is opened.";
    CHANGE_INTERRUPTED = "change-interrupted", Corrupt, "An earlier change was interrupted and cannot be completed.";
    NOT_THIS_FORMAT = "not-this-format", NotThisFormat, "The file is not in this format.";
    UNKNOWN_FORMAT = "unknown-format", NotThisFormat, "Not a known chess database format.";
    FOREIGN_FORMAT = "foreign-format", NotThisFormat, "The file holds no games, or its format is not supported.";
    UNSUPPORTED_VERSION = "unsupported-version", Unsupported, "This version of the format is not supported.";
    ONLY_READ = "only-read", Unsupported, "The format can be read, but not written.";
    NOT_CHANGEABLE = "not-changeable", Unsupported, "The database cannot be changed in place.";
    DAMAGED = "damaged", Corrupt, "The file is too damaged to read.";
    DAMAGED_NOT_CHANGED = "damaged-not-changed", Corrupt, "The database is damaged; a change could make the damage permanent.";
    WOULD_LOSE = "would-lose", Unsupported, "The database cannot hold all of the game.";
    NO_DESCRIPTION = "no-description", Unsupported, "The format has no place for a description of the database.";
    OPEN_COMMENT = "open-comment", Unsupported, "The text after a game would be read as part of it.";
    TOO_LARGE = "too-large", Limit, "Too large to read or write.";
    TOO_MANY_GAMES = "too-many-games", Limit, "There are too many games to number.";
    NO_SUCH_GAME = "no-such-game", NotFound, "There is no game with this number.";
    NO_SUCH_FLAG = "no-such-flag", Usage, "No such flag.";
    FLAGS_NOT_HELD = "flags-not-held", Usage, "The format cannot hold these flags.";
    TEXT_TOO_LONG = "text-too-long", Usage, "The text is too long for the format.";
    NO_GAME_ENDS = "no-game-ends", Usage, "Without tags and results, the end of a game cannot be found.";
    BAD_OPTION = "bad-option", Usage, "A format option does not accept this value.";
    BAD_ORDER = "bad-order", Usage, "Games cannot be sorted by this.";
    BAD_PIECE_LETTERS = "bad-piece-letters", Usage, "Not piece letters.";
    BAD_POSITION = "bad-position", Usage, "Not a position.";
    BAD_QUERY = "bad-query", Usage, "The query is not valid.";
    BAD_ROW = "bad-row", Usage, "The row of the table is not valid.";
    EDIT_ILLEGAL = "edit-illegal", Usage, "The move is illegal in this position.";
    EDIT_NO_MOVE_TEXT = "edit-no-move-text", Usage, "Not a move.";
    EDIT_AMBIGUOUS = "edit-ambiguous", Usage, "The move is ambiguous.";
    EDIT_WOULD_CUT = "edit-would-cut", Usage, "The moves that follow could no longer be played.";
    EDIT_NOTHING_TO_REPLACE = "edit-nothing-to-replace", Usage, "A variation replaces a move, and there is none here yet.";
    EDIT_AT_START = "edit-at-start", Usage, "No move has been played here.";
    EDIT_NOTHING_BEFORE = "edit-nothing-before", Usage, "There is no move before this one.";
    EDIT_NOTHING_BEHIND = "edit-nothing-behind", Usage, "There is no move after this one.";
    EDIT_NO_SUCH_BRANCH = "edit-no-such-branch", Usage, "There are fewer continuations here.";
    EDIT_NOT_IN_VARIATION = "edit-not-in-variation", Usage, "This is not a variation.";
    EDIT_FIRST_ALREADY = "edit-first-already", Usage, "The line is already the first.";
    EDIT_LAST_ALREADY = "edit-last-already", Usage, "The line is already the last.";
    EDIT_NO_SUCH_PLACE = "edit-no-such-place", Usage, "There is no move at this place.";
    EDIT_NOT_HERE = "edit-not-here", Usage, "The item to change is not here.";
    EDIT_NOTHING_TO_DO = "edit-nothing-to-do", Usage, "Nothing to change.";
    EDIT_DERIVED = "edit-derived", Usage, "The tag follows from another part of the game.";
    EDIT_BAD_TAG_NAME = "edit-bad-tag-name", Usage, "Not a valid tag name.";
    EDIT_BAD_POSITION = "edit-bad-position", Usage, "Not a position.";
    EDIT_OTHER_RULES = "edit-other-rules", Usage, "The rules of this variant are not known.";
    EDIT_NOT_REACHED = "edit-not-reached", Usage, "The other game does not reach this position.";
    EDIT_NOTHING_TO_UNDO = "edit-nothing-to-undo", Usage, "There is nothing to undo.";
    EDIT_NOTHING_TO_REDO = "edit-nothing-to-redo", Usage, "There is nothing to redo.";
    EDIT_FULL = "edit-full", Limit, "The game cannot hold more moves or text.";
    EDIT_BAD_TAPE = "edit-bad-tape", Corrupt, "The moves of the game are malformed.";
    EDIT_NOT_OF_THIS_GAME = "edit-not-of-this-game", Conflict, "The change was made for another game, or another version of it.";
    EDIT_BAD_DRAFT = "edit-bad-draft", Corrupt, "The draft cannot be read.";
    THREAD_ENDED = "thread-ended", Io, "A thread of the program has ended early.";
    NO_SUCH_ENGINE = "no-such-engine", Io, "No such engine.";
    ENGINE_FAILED = "engine-failed", Io, "The engine failed.";
    BAD_ENGINE_OPTION = "bad-engine-option", Usage, "The engine has no such option, or does not accept this value.";
    ANALYSIS_BUSY = "analysis-busy", Busy, "Another process is doing this analysis.";
    OTHER_ANALYSIS = "other-analysis", Usage, "The saved results belong to another analysis.";
    ONE_DATABASE = "one-database", Usage, "This works with one database at a time.";
    NO_INDEX = "no-index", NotFound, "There is no index.";
    NOT_INDEXABLE = "not-indexable", Unsupported, "This database cannot have an index.";
    DATABASE_SERVER = "database-server", Io, "The database server refused the request.";
    BAD_SERVER_URL = "bad-server-url", Usage, "The address of the database server is not valid.";
    SERVER_TABLES = "server-tables", Usage, "Tables are missing in the database on the server.";
    NO_LAKE = "no-lake", NotThisFormat, "There is no lake here.";
}
