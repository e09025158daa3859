//! What is noticed in ChessBase's databases of the newer format.

tabiya_model::codes! {
    /// The `.2cbh` is cut.
    CUT_HEADERS = "2cbh-headers-cut", Damage,
        "The file of headers ends before its last record.",
        "Run {repair}: it looks for the moves of the missing games in the .2cbg file.",
        "The header of the .2cbh file says how many records there are, each of 192 bytes, and the file has room for fewer. \
         The whole ones are read.";
    /// More records than the header says.
    MORE_HEADERS = "2cbh-more-headers", Warning,
        "The file of headers holds more records than it counts.",
        "They are read, because the size of the file is what counts.";
    /// Another version.
    VERSION = "2cbh-version", Warning,
        "The database has a version of the format that is not known.",
        "It is read as the known one; compare it with what ChessBase shows.",
        "Every database that was ever described has version 5.";
    /// A companion is not there.
    MISSING_FILE = "2cbh-missing-file", Damage,
        "A file of the database is missing, cannot be read, or makes no sense.",
        "Look for it where the database came from; the other files are read.",
        "A database is a set of files of one name. Without the .2cbg file there are no moves, without the .2cba file no \
         annotations, and without the .2lid file a question mark stands for every name.";
    /// A file is smaller or larger than it says.
    FILE_SIZE = "2cbh-file-size", Warning,
        "The size that a file notes of itself is not its size.",
        "If it is smaller than noted, it was cut on its way: fetch it again.",
        "It is also so while ChessBase saves a game, which it does without a lock.";
    /// Files of different databases.
    FOREIGN_FILE = "2cbh-foreign-file", Warning,
        "A file seems to belong to another database.",
        "Check whether files of two databases were mixed; everything is read as it is.",
        "Offsets and numbers in one file have to fit the others.";
    /// A record of another kind.
    UNKNOWN_RECORD = "2cbh-unknown-record", Damage,
        "A record of the .2cbh file is neither game nor text nor analysis.",
        "Its bytes are kept as an extension of an empty game.";
    /// A name that is not there.
    UNKNOWN_NAME = "2cbh-unknown-name", Damage,
        "A game refers to a name that does not exist.",
        "A question mark stands for it, and the rest of the game is read.";
    /// A damaged name.
    DAMAGED_NAME = "2cbh-damaged-name", Damage,
        "A game refers to a name whose record is damaged.",
        "A question mark stands for it, and the rest of the game is read.",
        "The record says that it is larger than the room that every record of its kind has.";
    /// A result that means nothing.
    BAD_RESULT = "2cbh-result", Warning,
        "The result of a game has a number without a meaning.",
        "The game is read without a result.";
    /// A code that means nothing.
    BAD_ECO = "2cbh-eco", Warning,
        "The opening code of a game has a number without a meaning.",
        "The game is read without a code.";
    /// The moves are not in the file.
    NO_RECORD = "2cbh-no-record", Damage,
        "The moves of a game, or a text, are not where its header says.",
        "What the header says is read; the rest is lost unless another copy has it.",
        "Every record of the .2cbg file begins with a mark and says its size and its kind.";
    /// A wrong checksum.
    CHECKSUM = "2cbh-checksum", Damage,
        "A record of moves, text or annotations has a wrong checksum.",
        "It is read as it is: compare the game with another copy.",
        "The checksum adds up eight parts of the content, so that some changes do not change it.";
    /// The rest of a record.
    BAD_FRAME = "2cbh-frame", Warning,
        "The end of a record of moves, text or annotations is not as it should be.",
        "Its content is read as it is.",
        "Behind the content is an area of zeros that is kept free, and behind that the size of the record.";
    /// A start position that makes no sense.
    BAD_START = "2cbh-start", Damage,
        "The start position of a game cannot be read.",
        "The bytes of position and moves are kept as an extension.";
    /// A start position against the rules.
    ODD_START = "2cbh-odd-start", Warning,
        "The start position of a game breaks the rules.",
        "It is kept as it is.";
    /// A start position that was guessed.
    START_GUESS = "2cbh-start-guess", Note,
        "A part of a start position had to be guessed.",
        "Compare it with what ChessBase shows.",
        "No example of a set-up position with a capture in passing is known, and the two descriptions of the format contradict each \
         other about where it and the castling rights are noted.";
    /// Bytes that are no move.
    BAD_MOVE = "2cbh-bad-move", Damage,
        "The moves of a game hold something that is not a move there.",
        "The moves before it are kept, and the bytes from there on as an extension.";
    /// An illegal move.
    ILLEGAL_MOVE = "2cbh-illegal-move", Warning,
        "A move is against the rules.",
        "It is kept as it is.";
    /// Castling without the right to.
    GRANTED_RIGHT = "2cbh-granted-right", Note,
        "A game castles although its start position does not have the right to.",
        "The right was added to the start position, because king and rook stand where it needs them.";
    /// No end.
    NO_END = "2cbh-no-end", Damage,
        "The moves of a game have no end.",
        "All moves up to the end of the record are kept.";
    /// Bytes after the end.
    BYTES_AFTER_END = "2cbh-bytes-after-moves", Damage,
        "Bytes follow the end of a game's moves.",
        "They are kept as an extension.";
    /// Annotations that are not in the file.
    NO_ANNOTATIONS = "2cbh-no-annotations", Damage,
        "The annotations of a game are not where its header says.",
        "The game is read without them.";
    /// A damaged item.
    BAD_ANNOTATION = "2cbh-annotation", Damage,
        "The annotations of a game are damaged.",
        "Those before the damage were read, and the bytes from there on are kept as an extension.";
    /// An unknown type.
    ANNOTATION_KIND = "2cbh-annotation-kind", Damage,
        "A game has an annotation of a type that is not known.",
        "Those before it were read, and the bytes from there on are kept as an extension.",
        "Annotations do not say how long they are, so that nobody can tell where the next one begins.";
    /// A place that does not exist.
    ANNOTATION_PLACE = "2cbh-annotation-place", Damage,
        "An annotation belongs to a move that the game does not have.",
        "It was put behind the last move of the main line.";
    /// An annotation whose meaning is not known.
    UNKNOWN_ANNOTATION = "2cbh-unknown-annotation", Note,
        "A game has an annotation whose meaning is not known.",
        "Its bytes are kept as an extension.";
    /// A text that cannot be read.
    BAD_TEXT = "2cbh-text", Damage,
        "The body of a guiding text is damaged.",
        "What stands before the damage is read, and all bytes are kept as an extension.";
    /// Fields that disagree with the game.
    WRONG_FIELD = "2cbh-wrong-field", Note,
        "A field of a header that follows from the game is wrong.",
        "Nothing depends on it; ChessBase's own lists and searches may show something else.",
        "The header repeats how many moves a game has and what kinds of annotations. This is only looked at by `check`.";
    /// Lists of deleted names.
    DELETED_NAMES = "2cbh-deleted-names", Warning,
        "The list of deleted names is damaged.",
        "No game depends on it; do not let ChessBase write to the database before its own check has repaired it.";
    /// Orders of names.
    NAME_ORDER = "2cbh-name-order", Warning,
        "An order in which names are sorted is damaged.",
        "No game depends on it; ChessBase's own lists of names may lack some.",
        "The .2lcd file holds a balanced tree for each order. This is only looked at by `check`.";
    /// Lists of the games of names.
    NAME_GAMES = "2cbh-name-games", Warning,
        "The list of the games of a name is wrong.",
        "No game depends on it; ChessBase's own searches may miss games.",
        "The .2lgd file lists the games of every name. This is only looked at by `check`.";
    /// Space between records.
    FREE_SPACE = "2cbh-free-space", Note,
        "Records of moves or annotations do not lie one behind the other.",
        "Nothing is lost: every game is found by its offset.",
        "ChessBase leaves no holes between records. This is only looked at by `check`.";
    /// Salvage: a game found without its header.
    RESCUED = "2cbh-rescued", Warning,
        "A game was found in the .2cbg file alone.",
        "Its moves are read; names, date, result and annotations are lost with the header.";
}
