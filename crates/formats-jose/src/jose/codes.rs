//! The findings of the readers of jose data.

tabiya_model::codes! {
    /// A code that is not a valid move here.
    BAD_MOVE = "jose-bad-move", Damage,
        "A byte of the moves is not a possible move in its position.",
        "The rest of that line is kept as raw bytes; everything before and around it is read.";
    /// An illegal move that can be played.
    ILLEGAL_MOVE = "jose-illegal-move", Warning,
        "A move leaves its own king in check, or captures a king.",
        "The move is kept; correct the game by hand.";
    /// A code without meaning.
    RESERVED_CODE = "jose-reserved-code", Damage,
        "The moves hold a byte that no version of jose writes.",
        "It is skipped, as in jose; its text, if any, is kept as a comment.";
    /// Variations that are not nested.
    BAD_VARIATION = "jose-bad-variation", Damage,
        "A variation begins before any move, has no end, or ends without a beginning.",
        "It is closed or kept as raw bytes in its place.";
    /// No end mark.
    CUT_MOVES = "jose-cut-moves", Damage,
        "The moves of a game have no end mark.",
        "Everything is kept; look for another copy of the database.";
    /// Bytes after the end mark.
    TRAILING_MOVES = "jose-trailing-bytes", Damage,
        "Bytes follow the end mark of a game's moves.",
        "They are ignored.";
    /// A text that jose itself could not read.
    ERROR_MARKER = "jose-error-marker", Note,
        "When jose imported the game, it could not read a part of it and kept it as text.",
        "The text is read as a comment.";
    /// Texts and their codes do not match.
    COMMENT_COUNT = "jose-comment-count", Damage,
        "A game has more or fewer comment texts than places for them.",
        "Texts are given to the places in their order, so they may be at other moves than before; missing ones are empty, \
         surplus ones are at the end of the game.";
    /// Text in another character set than it claims.
    BAD_TEXT = "jose-text-charset", Warning,
        "A text does not match the charset of its column.",
        "It was read in a legacy charset, and its bytes are kept; choose another one with {encoding}.";
    /// An unusable starting position.
    BAD_FEN = "jose-bad-fen", Damage,
        "The starting position of a game is not valid, so its moves cannot be read.",
        "The moves are kept as raw bytes.";
    /// Too many pieces of a kind.
    AMBIGUOUS_SETUP = "jose-ambiguous-setup", Warning,
        "A starting position has more pieces of one kind than jose can number, so its moves are ambiguous.",
        "Compare the game with another copy.";
    /// A derived column is wrong.
    DERIVED = "jose-derived-column", Warning,
        "A derived column disagrees with the moves.",
        "The moves are right; the column is ignored.";
    /// A row that cannot be read.
    BAD_ROW = "jose-bad-row", Damage,
        "A row, or a part of a table file, cannot be read.",
        "The rows around it are read; look for another copy of the database.";
    /// The file of a table is shorter than it should be, or has fewer rows.
    ROWS_GONE = "jose-rows-gone", Damage,
        "A table holds fewer rows or bytes than its header says.",
        "The existing rows are read. If a server has the table open, its header may be out of date; otherwise look for another copy.";
    /// The file of a table has more rows than it should.
    ROW_COUNT = "jose-row-count", Warning,
        "A table holds more rows than its header says.",
        "All rows are read. If a server has the table open, its header may be out of date.";
    /// A table that is missing or has an unusable head.
    BAD_TABLE = "jose-bad-table", Damage,
        "A table is missing, or its header cannot be read.",
        "The other tables are read; names from this table are unknown.";
    /// Names of columns are unusable.
    BAD_FRM = "jose-bad-frm", Warning,
        "The file with the column names of a table cannot be used.",
        "The usual order of columns was assumed.";
    /// A game without its second half.
    LOST_ROW = "jose-lost-row", Damage,
        "A game has no row in the table of moves, or moves have no game.",
        "Each of them is read as a game.";
    /// An id that no row has.
    LOST_NAME = "jose-lost-name", Damage,
        "A game refers to a player, event, site, opening or collection that is missing in its table.",
        "The name is read as unknown.";
    /// Impossible days.
    BAD_DATE = "jose-bad-date", Warning,
        "A date does not exist, or its flags are impossible.",
        "The valid parts are kept.";
    /// A partial date that had slipped.
    SLIPPED_DATE = "jose-slipped-date", Note,
        "Partial dates are stored one day early because of a time zone error in jose, and were corrected.",
        "Exact dates may be wrong too; correct them with {shifted-dates} if they are.";
    /// SQL that could not be understood.
    BAD_SQL = "jose-bad-sql", Damage,
        "A statement or row of a SQL dump is not valid.",
        "Reading continues at the next row.";
    /// A dump without its end.
    CUT_DUMP = "jose-cut-dump", Damage,
        "A SQL dump ends before its last line.",
        "Everything before it was read. Make the dump again, if its database still exists.";
    /// A column that is not read.
    UNREAD_COLUMN = "jose-unread-column", Note,
        "A column holds data that is not part of the game and is not read.",
        "jose can compute it again.";
    /// An entry of the column `Info` that is not a tag.
    BAD_INFO = "jose-bad-info", Warning,
        "An entry of the column Info is not a name and a value.",
        "Its text is kept as a tag.";
    /// Moves with their text inside.
    INLINE_TEXT = "jose-inline-comments", Note,
        "The comments of a game are among its moves, as in an old description of the format.",
        "They were read from there.";
    /// A limit was reached.
    LIMIT = "jose-limit", Damage,
        "A game is too long or too deeply nested.",
        "The rest is kept as raw bytes.";
}
