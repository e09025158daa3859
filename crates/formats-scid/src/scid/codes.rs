//! The findings in Scid databases.

tabiya_model::codes! {
    /// Entries beyond the header's count.
    MORE_ENTRIES = "scid-more-entries", Damage,
        "The index holds more entries than its header counts.",
        "The entries beyond the count are not read; {repair} restores them.";
    /// Fewer entries than the header's count.
    FEWER_ENTRIES = "scid-fewer-entries", Damage,
        "The index holds fewer entries than its header counts.",
        "The games of the missing entries are not read; {repair} looks for them in the game file.";
    /// Games after the last one of the index.
    LOST_ENTRIES = "scid-lost-entries", Damage,
        "The game file holds games after the last one in the index.",
        "The end of the index is missing. {repair} finds their moves, comments and extra tags.";
    /// Rescue: records at other places than the index says.
    MOVED_RECORDS = "scid-moved-records", Damage,
        "Records of games are not at their offset in the index.",
        "They were found by comparing the games with the index; their names and other index data are restored.";
    /// Recovery: entries of another database.
    MISFIT_ENTRIES = "scid-misfit-entries", Damage,
        "Entries of the index describe games that are not in the game file.",
        "Other games are in their place; these were found without them. Is this the index of another database?";
    /// A cut last entry.
    PARTIAL_ENTRY = "scid-partial-entry", Damage,
        "The last entry of the index is truncated.",
        "It is not read; {repair} looks for its game in the game file.";
    /// Too many games.
    TOO_MANY_GAMES = "scid-too-many-games", Warning,
        "The database holds more games than Scid allows.",
        "Scid may refuse the database; the games are read.";
    /// A name that is not in the name file.
    MISSING_NAME = "scid-missing-name", Damage,
        "A game refers to a name that is not in the name file.",
        "The name is read as a question mark.";
    /// A damaged name file.
    BAD_NAMES = "scid-bad-names", Damage,
        "The name file is damaged or truncated.",
        "Names before the damage are read, the others are read as question marks.";
    /// Names that Scid refuses.
    NAME_NUMBERS = "scid-name-numbers", Damage,
        "Two names have the same number, or a number is beyond the count.",
        "Scid refuses the database; the first name of a number is read. {repair} writes a sound copy.";
    /// Names out of order.
    NAME_ORDER = "scid-name-order", Note,
        "Names are not in Scid's order, or occur twice.",
        "Old versions of Scid refuse such a database.";
    /// Wrong frequencies.
    NAME_FREQUENCY = "scid-name-frequency", Note,
        "The frequency of a name differs from the number of its uses.",
        "Old versions of Scid show it; nothing depends on it.";
    /// A guessed charset.
    GUESSED_CHARSET = "scid-guessed-charset", Note,
        "Texts are not UTF-8, and their charset is not stored.",
        "The charset is detected from the names of the database, or else is CP1252. The bytes are kept; {encoding} sets the charset.";
    /// A text in another charset than the others.
    OTHER_CHARSET = "scid-other-charset", Note,
        "A text is in another charset than the names of the database.",
        "This was detected from its own letters. The bytes are kept; {encoding} reads all texts in one charset.";
    /// A text in UTF-8 and another charset.
    MIXED_TEXT = "scid-mixed-text", Note,
        "A text is UTF-8 except for a few bytes.",
        "These are read in the charset of the database. The bytes are kept; {encoding} reads all texts that are not \
         UTF-8 in one charset.";
    /// Long names.
    LONG_NAME = "scid-long-name", Warning,
        "A name is longer than Scid can show.",
        "Scid 4.7 and 5 crash when they show or export a game with a name of 255 bytes.";
    /// A record outside the game file.
    RECORD_OUT_OF_RANGE = "scid-record-out-of-range", Damage,
        "The record of a game is outside the game file.",
        "The existing part is read; the index still has the names.";
    /// An empty record.
    EMPTY_RECORD = "scid-empty-record", Damage,
        "The record of a game is empty according to the index.",
        "Only the index data is read.";
    /// A record across a block border.
    RECORD_CROSSES_BLOCK = "scid-record-crosses-block", Warning,
        "The record of a game crosses a 128 KiB boundary.",
        "Scid up to 4.5 and Scid vs. PC cannot read the game.";
    /// A record that ends too early.
    CUT_RECORD = "scid-cut-record", Damage,
        "The record of a game ends too early.",
        "Everything before the end is read.";
    /// Bytes that are not a move.
    BAD_MOVE = "scid-bad-move", Damage,
        "The move list holds an invalid code.",
        "The moves before it are read; the rest is kept as raw bytes.";
    /// An illegal move.
    ILLEGAL_MOVE = "scid-illegal-move", Warning,
        "A move is illegal.",
        "It is kept unchanged.";
    /// A comment without its place, or the reverse.
    COMMENT_COUNT = "scid-comment-count", Damage,
        "A record has more comments than places for them, or fewer.",
        "Texts are given to the places in their order. The missing or surplus text is not known, so they may be at other \
         moves than before; the last places stay empty, and surplus texts are read at the end of the game.";
    /// A tag that Scid cannot show.
    LONG_TAG = "scid-long-tag", Warning,
        "A tag and its value are longer than Scid 4.7 can show.",
        "Scid 4.7 crashes when it shows or exports a game whose extra tag has more than 249 bytes, name and value together.";
    /// More NAGs than Scid reads.
    MANY_NAGS = "scid-many-nags", Warning,
        "A move has more than seven NAGs.",
        "Scid 4.7 and later refuse the game; all of them are read.";
    /// A bad start.
    BAD_FEN = "scid-bad-fen", Damage,
        "The starting position of a game cannot be read.",
        "The moves are kept as raw bytes.";
    /// An odd start.
    ODD_POSITION = "scid-odd-position", Warning,
        "The starting position of a game is illegal.",
        "Scid refuses the game; it is read unchanged.";
    /// An old event date.
    OLD_EVENT_DATE = "scid-old-event-date", Note,
        "A record holds an event date in the form of Scid 2.",
        "It is read if the index has no event date.";
    /// An unassigned tag code.
    UNKNOWN_TAG = "scid-unknown-tag", Warning,
        "A tag has a code that no version of Scid has assigned.",
        "It is read under the name ScidTag with its number.";
    /// A wrong derived field.
    WRONG_FIELD = "scid-wrong-field", Warning,
        "A derived field of the index is wrong.",
        "The game is read correctly; lists in Scid may show something else. {repair} corrects the field.";
    /// Zeros that extend into an entry.
    BESIDE_ZEROS = "scid-beside-zeros", Damage,
        "Zeros have overwritten an entry of the index, and a part of a neighbouring one.",
        "The rest of the entry is read; lost numbers are read as zero. Compare the names, ratings, dates and results of these \
         games with another copy of the database.";
    /// A field that makes Scid miss the game.
    HIDDEN_GAME = "scid-hidden-game", Warning,
        "Because of a wrong field in the index, searches in Scid miss the game, or find it by mistake.",
        "{repair} corrects the field.";
    /// An impossible date.
    BAD_DATE = "scid-bad-date", Note,
        "A date in the index does not exist.",
        "It is read unchanged.";
    /// An undefined rating type.
    RATING_KIND = "scid-rating-kind", Warning,
        "A rating is of a type that Scid does not define.",
        "It is read as Elo.";
    /// A rating that is too high.
    HIGH_RATING = "scid-high-rating", Note,
        "A rating is above 4000.",
        "It is read unchanged.";
    /// An undefined code.
    BAD_ECO = "scid-bad-eco", Warning,
        "Invalid ECO code of a game.",
        "It is ignored.";
    /// Autoload.
    AUTOLOAD = "scid-autoload", Note,
        "The game to show first does not exist.",
        "Scid shows the last game, or none.";
    /// An unknown record in the name file.
    UNKNOWN_NAME_RECORD = "scid-unknown-name-record", Damage,
        "The name file holds a record of an unknown kind.",
        "Scid refuses the database; the record is skipped.";
    /// Rescue: a game found without the index.
    RESCUED = "scid-rescued", Warning,
        "A game was found only in the game file.",
        "Its moves, comments and extra tags are read; names, date and result are lost with the index.";
    /// Rescue: bytes without a game.
    UNUSED_BYTES = "scid-unused-bytes", Note,
        "Some bytes of the game file belong to no game.",
        "They are old versions of games, or games that are missing from the index.";
    /// Records that overlap.
    SHARED_BYTES = "scid-shared-bytes", Warning,
        "Two games share bytes of the game file.",
        "One of the entries is wrong, or one game is stored twice.";
    /// A missing file.
    MISSING_FILE = "scid-missing-file", Damage,
        "A file of the database is missing or cannot be read.",
        "The other files are read.";
}
