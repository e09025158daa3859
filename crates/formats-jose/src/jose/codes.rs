//! What the readers of jose data notice.

tabiya_model::codes! {
    /// A code that means no move here.
    BAD_MOVE = "jose-bad-move", Damage,
        "A byte of the moves means no possible move in its position.",
        "The rest of that line is kept as bytes; what stands before and around it is read.";
    /// A move against the rules that can be played all the same.
    ILLEGAL_MOVE = "jose-illegal-move", Warning,
        "A move leaves its own king attacked, or takes one.",
        "The move is kept; correct the game by hand.";
    /// A code without meaning.
    RESERVED_CODE = "jose-reserved-code", Damage,
        "The moves hold a byte that no version of jose writes.",
        "It is passed over, as jose does; a text that belongs to it is kept as a comment.";
    /// Variations that are not nested.
    BAD_VARIATION = "jose-bad-variation", Damage,
        "A variation begins before any move, never ends, or ends without a beginning.",
        "It is closed or kept as bytes where it stands.";
    /// No end mark.
    CUT_MOVES = "jose-cut-moves", Damage,
        "The moves of a game end without their end mark.",
        "Everything before is kept; look for another copy of the database.";
    /// Bytes behind the end mark.
    TRAILING_MOVES = "jose-trailing-bytes", Damage,
        "Bytes follow the end mark of a game's moves.",
        "They are not read.";
    /// A text that jose itself could not read.
    ERROR_MARKER = "jose-error-marker", Note,
        "When jose imported the game it could not read a part of it and kept it as text.",
        "The text is given as a comment.";
    /// Texts and their codes do not match.
    COMMENT_COUNT = "jose-comment-count", Damage,
        "A game has more or fewer comment texts than places for them.",
        "Texts are given to the places in their order, so that they may stand at other moves than they did; missing ones are \
         empty, left-over ones stand at the end of the game.";
    /// Text in another character set than it claims.
    BAD_TEXT = "jose-text-charset", Warning,
        "A text is not in the character set of its column.",
        "It was read in a legacy character set, and its bytes are kept; choose another one with {encoding}.";
    /// An unusable set-up position.
    BAD_FEN = "jose-bad-fen", Damage,
        "The set-up position of a game cannot be understood, so that its moves have no meaning.",
        "The moves are kept as bytes.";
    /// Too many pieces of a kind.
    AMBIGUOUS_SETUP = "jose-ambiguous-setup", Warning,
        "A set-up position has more pieces of a kind than jose can number, so that its moves may mean others.",
        "Compare the game with another copy.";
    /// A derived column is wrong.
    DERIVED = "jose-derived-column", Warning,
        "A column that repeats something about the moves disagrees with them.",
        "The moves are right; the column is not used.";
    /// A row that cannot be read.
    BAD_ROW = "jose-bad-row", Damage,
        "A row, or a stretch of a table's file, cannot be read.",
        "The rows around it are read; look for another copy of the database.";
    /// The file of a table is shorter than it should be, or has fewer rows.
    ROWS_GONE = "jose-rows-gone", Damage,
        "A table holds fewer rows or bytes than its head claims.",
        "What is there is read. The head of a table that a server has open may be out of date; else look for another copy.";
    /// The file of a table has more rows than it should.
    ROW_COUNT = "jose-row-count", Warning,
        "A table holds more rows than its head claims.",
        "What is there is read. The head of a table that a server has open may be out of date.";
    /// A table that is missing or has an unusable head.
    BAD_TABLE = "jose-bad-table", Damage,
        "A table is missing, or its head cannot be read.",
        "What the other tables hold is read; names from this table are unknown.";
    /// Names of columns are unusable.
    BAD_FRM = "jose-bad-frm", Warning,
        "The file with a table's column names cannot be used.",
        "The usual order of columns was assumed.";
    /// A game without its second half.
    LOST_ROW = "jose-lost-row", Damage,
        "A game has no row in the table of moves, or moves have no game.",
        "What is there is given as a game.";
    /// An id that no row has.
    LOST_NAME = "jose-lost-name", Damage,
        "A game names a player, event, site, opening or collection that its table lacks.",
        "The name is given as unknown.";
    /// Impossible days.
    BAD_DATE = "jose-bad-date", Warning,
        "A date does not exist, or its flags are impossible.",
        "The parts that make sense are kept.";
    /// A partial date that had slipped.
    SLIPPED_DATE = "jose-slipped-date", Note,
        "Partial dates are stored one day early, by a time zone slip of jose, and were corrected.",
        "Exact dates may have slipped too; correct them with {shifted-dates} if they have.";
    /// SQL that is not understood.
    BAD_SQL = "jose-bad-sql", Damage,
        "A statement or row of a SQL dump cannot be understood.",
        "Reading goes on at the next row.";
    /// A dump without its end.
    CUT_DUMP = "jose-cut-dump", Damage,
        "A SQL dump ends before its last line.",
        "What stands in it was read. Make the dump again, if its database is still there.";
    /// A column that is not read.
    UNREAD_COLUMN = "jose-unread-column", Note,
        "A column holds something that is not a part of the game and is not read.",
        "jose can compute it again.";
    /// An entry of the column `Info` that is no tag.
    BAD_INFO = "jose-bad-info", Warning,
        "An entry of the column Info is not a name and a value.",
        "Its text is kept as a tag.";
    /// Moves with their text inside.
    INLINE_TEXT = "jose-inline-comments", Note,
        "The comments of a game are among its moves, as an old description of the format says.",
        "They were read from there.";
    /// A limit was reached.
    LIMIT = "jose-limit", Damage,
        "A game is nested deeper or is longer than is reasonable.",
        "The rest is kept as bytes.";
}
