//! The findings in ChessBase databases of the newer format.

tabiya_model::codes! {
    /// The `.2cbh` is cut.
    CUT_HEADERS = "2cbh-headers-cut", Damage,
        "The header file ends before its last record.",
        "Run {repair}: it looks for the moves of the missing games in the .2cbg file.",
        "The header of the .2cbh file gives the number of records, each of 192 bytes, but the file has fewer. The complete \
         ones are read.";
    /// More records than the header says.
    MORE_HEADERS = "2cbh-more-headers", Warning,
        "The header file holds more records than it counts.",
        "They are read, because the size of the file decides.";
    /// Another version.
    VERSION = "2cbh-version", Warning,
        "The version of the format is not known.",
        "It is read as the known version; compare it with what ChessBase shows.",
        "Every database that has been described has version 5.";
    /// A companion is not there.
    MISSING_FILE = "2cbh-missing-file", Damage,
        "A file of the database is missing, unreadable, or invalid.",
        "Look for it where the database came from; the other files are read.",
        "A database is a set of files with one name. Without the .2cbg file there are no moves, without the .2cba file \
         no annotations, and without the .2lid file, every name is read as a question mark.";
    /// A file is smaller or larger than it says.
    FILE_SIZE = "2cbh-file-size", Warning,
        "The size of a file differs from the size stored in it.",
        "If it is smaller than stored, it was truncated during transfer: download it again.",
        "This also happens while ChessBase saves a game, which it does without a lock.";
    /// Files of different databases.
    FOREIGN_FILE = "2cbh-foreign-file", Warning,
        "A file seems to belong to another database.",
        "Check whether files of two databases were mixed; everything is read unchanged.",
        "Offsets and numbers in one file must match the others.";
    /// A record of another kind.
    UNKNOWN_RECORD = "2cbh-unknown-record", Damage,
        "A record of the .2cbh file is neither a game nor a text nor an analysis.",
        "It is kept as raw bytes of an empty game.";
    /// A name that is not there.
    UNKNOWN_NAME = "2cbh-unknown-name", Damage,
        "A game refers to a name that does not exist.",
        "The name is read as a question mark; the rest of the game is read.";
    /// A damaged name.
    DAMAGED_NAME = "2cbh-damaged-name", Damage,
        "A game refers to a name whose record is damaged.",
        "The name is read as a question mark; the rest of the game is read.",
        "The length in the record exceeds the fixed room of its kind.";
    /// An unknown result.
    BAD_RESULT = "2cbh-result", Warning,
        "The result of a game has an unknown number.",
        "The game is read without a result.";
    /// An unknown ECO code.
    BAD_ECO = "2cbh-eco", Warning,
        "The ECO code of a game has an unknown number.",
        "The game is read without an ECO code.";
    /// The moves are not in the file.
    NO_RECORD = "2cbh-no-record", Damage,
        "The moves of a game, or a text, are not at the offset in its header.",
        "The header is read; the rest is lost unless another copy has it.",
        "Every record of the .2cbg file begins with a mark, its size and its kind.";
    /// A wrong checksum.
    CHECKSUM = "2cbh-checksum", Damage,
        "A record of moves, text or annotations has a wrong checksum.",
        "It is read unchanged: compare the game with another copy.",
        "The checksum is the sum of eight parts of the content, so it does not detect every change.";
    /// The rest of a record.
    BAD_FRAME = "2cbh-frame", Warning,
        "The end of a record of moves, text or annotations is malformed.",
        "Its content is read unchanged.",
        "After the content there is a reserved area of zeros, and then the size of the record.";
    /// A start position that makes no sense.
    BAD_START = "2cbh-start", Damage,
        "The starting position of a game cannot be read.",
        "Position and moves are kept as raw bytes.";
    /// A start position against the rules.
    ODD_START = "2cbh-odd-start", Warning,
        "The starting position of a game is illegal.",
        "It is kept unchanged.";
    /// A start position that was guessed.
    START_GUESS = "2cbh-start-guess", Note,
        "A part of a starting position had to be guessed.",
        "Compare it with what ChessBase shows.",
        "No example of a custom starting position with an en passant square is known, and the two descriptions of the format \
         contradict each other about where it and the castling rights are stored.";
    /// Bytes that are not a move.
    BAD_MOVE = "2cbh-bad-move", Damage,
        "The moves of a game hold an invalid code.",
        "The moves before it are kept, and the rest as raw bytes.";
    /// An illegal move.
    ILLEGAL_MOVE = "2cbh-illegal-move", Warning,
        "A move is illegal.",
        "It is kept unchanged.";
    /// Castling without the right to.
    GRANTED_RIGHT = "2cbh-granted-right", Note,
        "A game castles although its starting position has no castling rights.",
        "The right was added to the starting position, because king and rook are on their castling squares.";
    /// No end.
    NO_END = "2cbh-no-end", Damage,
        "The moves of a game have no end mark.",
        "All moves up to the end of the record are kept.";
    /// Bytes after the end.
    BYTES_AFTER_END = "2cbh-bytes-after-moves", Damage,
        "Bytes follow the end of a game's moves.",
        "They are kept as raw bytes.";
    /// Annotations that are not in the file.
    NO_ANNOTATIONS = "2cbh-no-annotations", Damage,
        "The annotations of a game are not at the offset in its header.",
        "The game is read without them.";
    /// A damaged item.
    BAD_ANNOTATION = "2cbh-annotation", Damage,
        "The annotations of a game are damaged.",
        "Those before the damage were read, and the rest is kept as raw bytes.";
    /// An unknown type.
    ANNOTATION_KIND = "2cbh-annotation-kind", Damage,
        "A game has an annotation of an unknown type.",
        "Those before it were read, and the rest is kept as raw bytes.",
        "Annotations do not store their length, so the beginning of the next one cannot be found.";
    /// A place that does not exist.
    ANNOTATION_PLACE = "2cbh-annotation-place", Damage,
        "An annotation belongs to a move that the game does not have.",
        "It was moved to the last move of the main line.";
    /// An annotation whose meaning is not known.
    UNKNOWN_ANNOTATION = "2cbh-unknown-annotation", Note,
        "The meaning of an annotation is not known.",
        "It is kept as raw bytes.";
    /// A text that cannot be read.
    BAD_TEXT = "2cbh-text", Damage,
        "The body of a guiding text is damaged.",
        "The part before the damage is read, and all of it is kept as raw bytes.";
    /// Fields that disagree with the game.
    WRONG_FIELD = "2cbh-wrong-field", Note,
        "A derived field of a header is wrong.",
        "Nothing depends on it; lists and searches in ChessBase may show something else.",
        "The header repeats the number of moves and the kinds of annotations of a game. Only `check` compares this.";
    /// Lists of deleted names.
    DELETED_NAMES = "2cbh-deleted-names", Warning,
        "The list of deleted names is damaged.",
        "No game depends on it; do not let ChessBase write to the database before its own check has repaired the list.";
    /// Orders of names.
    NAME_ORDER = "2cbh-name-order", Warning,
        "A sort order of names is damaged.",
        "No game depends on it; name lists in ChessBase may be incomplete.",
        "The .2lcd file holds a balanced tree for each order. Only `check` compares this.";
    /// Lists of the games of names.
    NAME_GAMES = "2cbh-name-games", Warning,
        "The list of the games of a name is wrong.",
        "No game depends on it; searches in ChessBase may miss games.",
        "The .2lgd file lists the games of every name. Only `check` compares this.";
    /// Space between records.
    FREE_SPACE = "2cbh-free-space", Note,
        "There are gaps between records of moves or annotations.",
        "Nothing is lost: every game is found by its offset.",
        "ChessBase leaves no gaps between records. Only `check` compares this.";
    /// Salvage: a game found without its header.
    RESCUED = "2cbh-rescued", Warning,
        "A game was found only in the .2cbg file.",
        "Its moves are read; names, date, result and annotations are lost with the header.";
}
