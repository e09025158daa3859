//! What is noticed in databases of ChessBase.

tabiya_model::codes! {
    /// The `.cbh` is cut.
    CUT_HEADERS = "cbh-headers-cut", Damage,
        "The file of headers ends before its last record.",
        "Run {repair}: it looks for the moves of the missing games in the .cbg file.",
        "The header of the .cbh file says how many records there are, each of 46 bytes, and the file has room for fewer. \
         The whole ones are read.";
    /// More records than the header says.
    MORE_HEADERS = "cbh-more-headers", Warning,
        "The file of headers holds more records than it counts.",
        "They are not read; {repair} brings them back.",
        "ChessBase looks at as many records as the header of the .cbh file says. Those after it may be left over from \
         games that were removed, or the count is wrong.";
    /// A companion is not there.
    MISSING_FILE = "cbh-missing-file", Damage,
        "A file of the database is missing, cannot be read, or is another file.",
        "Look for it where the database came from; the other files are read.",
        "A database is a set of files of one name. Without the .cbg file there are no moves, without the .cba file no \
         annotations, and without one of the files of names a question mark stands for each of its names.";
    /// A file is smaller or larger than it says.
    FILE_SIZE = "cbh-file-size", Warning,
        "The size that a file notes of itself is not its size.",
        "If it is smaller than noted, it was cut on its way: fetch it again.",
        "The .cbg and the .cba file note their size in their headers. In files of 2 GiB and more old programs note \
         nonsense, which is not reported.";
    /// Files of different databases.
    FOREIGN_FILE = "cbh-foreign-file", Warning,
        "A file seems to belong to another database.",
        "Check whether files of two databases were mixed; everything is read as it is.",
        "Numbers, counts and offsets in one file have to fit the others: the offsets of games and annotations lie within \
         their files, annotations name the game that they belong to, the second headers repeat the offsets of the \
         first, and every name notes how often it is used. Where most of what was compared disagrees, a file was taken \
         from another database or from an older copy of this one.";
    /// A record of an unknown kind.
    UNKNOWN_RECORD = "cbh-unknown-record", Warning,
        "A record of the .cbh file is neither a game nor a text.",
        "Its number is kept with nothing in it, and its bytes as an extension.",
        "The lowest bit of its first byte is not set, which it is in every record that is in use.";
    /// A name that does not exist.
    UNKNOWN_NAME = "cbh-unknown-name", Damage,
        "A game refers to a name that is not there.",
        "The name is a question mark.",
        "The number of a player, tournament, annotator, source or team is beyond the end of its file, or that of a \
         deleted record.";
    /// A name of which a part is gone.
    DAMAGED_NAME = "cbh-damaged-name", Damage,
        "A game refers to a name of whose record a part is gone.",
        "What is left of the name is read; look for another copy of the file.",
        "The record of a name stands in a tree, so that it never leads to the first record on both sides, and it notes how often it is \
         used, which is never 0 where a game refers to it. Zeros in both places are left where a part of the file was overwritten.";
    /// A header of which a part is gone.
    DAMAGED_HEADER = "cbh-damaged-header", Damage,
        "The header of a game holds zeros where it never does.",
        "What it says is read, and the rest may be wrong: look for another copy of the .cbh file.",
        "The first byte of a header says what it is, and the last one how many moves the game has. Where either is 0 and the game has \
         moves, a part of the file was overwritten: an unknown date, the first player and a win for Black may be nothing but zeros.";
    /// A second header of which a part is gone.
    DAMAGED_SECOND = "cbh-damaged-second", Damage,
        "The second header of a game holds zeros where it never does.",
        "What it says is read; teams, kinds of ratings and times may be gone: look for another copy of the .cbj file.",
        "The .cbj file repeats the offsets of the first headers, and says -1 where there is no team.";
    /// Names of media that are gone.
    MEDIA_GONE = "cbh-media", Damage,
        "A text refers to a list of media that is not there, or is damaged.",
        "Look for another copy of the .cbm file; what is left of the list is read.",
        "The .cbj file says which list of the .cbm file belongs to a text, and each list how many names it has.";
    /// A result that means nothing.
    BAD_RESULT = "cbh-result", Warning,
        "The result of a game has a number without a meaning.",
        "The game is read without a result.";
    /// The moves are not in the file.
    MOVES_OUT_OF_RANGE = "cbh-moves-out-of-range", Damage,
        "The moves of a game, or a text, do not lie within the .cbg file.",
        "What the header says is read; the rest is lost unless another copy has it.",
        "The offset in the header is beyond the end of the file, or the size of the record goes beyond it.";
    /// The size of a record is none.
    BAD_SIZE = "cbh-record-size", Damage,
        "The size of a record of moves is less than its own head.",
        "What the header says is read.";
    /// A way of writing moves that is not known.
    UNKNOWN_MODE = "cbh-unknown-mode", Damage,
        "The moves of a game are written in a way that is not known.",
        "The header is read, and the bytes of the moves are kept as an extension.",
        "ChessBase has some twenty ways to disguise moves, for other variants and for protected material. Those of \
         ordinary databases and of Chess960 are known.";
    /// A start position that makes no sense.
    BAD_START = "cbh-start", Damage,
        "The start position of a game cannot be read.",
        "The bytes of position and moves are kept as an extension.";
    /// A start position against the rules.
    ODD_START = "cbh-odd-start", Warning,
        "The start position of a game breaks the rules.",
        "It is kept as it is.";
    /// Bytes that are no move.
    BAD_MOVE = "cbh-bad-move", Damage,
        "The moves of a game hold something that is not a move there.",
        "The moves before it are kept, and the bytes from there on as an extension.",
        "Every move depends on those before it, so that nothing behind the damage can be understood.";
    /// An illegal move.
    ILLEGAL_MOVE = "cbh-illegal-move", Warning,
        "A move is against the rules.",
        "It is kept as it is.",
        "Training material and blitz games hold such moves on purpose.";
    /// Castling without the right to.
    GRANTED_RIGHT = "cbh-granted-right", Note,
        "A game castles although its start position does not have the right to.",
        "The right was added to the start position, because king and rook stand where it needs them.";
    /// No end.
    NO_END = "cbh-no-end", Damage,
        "The moves of a game have no end.",
        "All moves up to the end of the record are kept.";
    /// Filler codes.
    FILLER = "cbh-filler", Note,
        "The moves of a game hold a code that fills up and means nothing.",
        "It was passed over; old programs wrote it.";
    /// An unknown code.
    UNKNOWN_CODE = "cbh-unknown-code", Damage,
        "The moves of a game hold a code without a known meaning.",
        "It was passed over.";
    /// Bytes after the end.
    BYTES_AFTER_END = "cbh-bytes-after-moves", Note,
        "Bytes follow the end of a game's moves.",
        "They are kept as an extension.";
    /// Annotations that are not in the file.
    ANNOTATIONS_OUT_OF_RANGE = "cbh-annotations-out-of-range", Damage,
        "The annotations of a game do not lie within the .cba file.",
        "The game is read without those that are not there.";
    /// Annotations of another game.
    ANNOTATION_HEAD = "cbh-annotation-head", Warning,
        "The annotations of a game name another game, or a wrong number of them.",
        "They are read as those of this game.",
        "Each record of annotations begins with the number of its game, a mark, and one more than the number of its \
         items. Other programs than ChessBase leave the number at 0.";
    /// Fewer annotations than are counted.
    ANNOTATION_COUNT = "cbh-annotation-count", Damage,
        "The annotations of a game are fewer than their record counts.",
        "Those that are there were read.";
    /// A damaged item.
    BAD_ANNOTATION = "cbh-annotation", Damage,
        "An annotation is damaged.",
        "Those before it were read; what could not be is kept as an extension.";
    /// A place that does not exist.
    ANNOTATION_PLACE = "cbh-annotation-place", Damage,
        "An annotation belongs to a move that the game does not have.",
        "It was put behind the last move of the main line.";
    /// Unknown annotations.
    UNKNOWN_ANNOTATION = "cbh-unknown-annotation", Note,
        "A game has an annotation of a kind whose meaning is not known.",
        "Its bytes are kept as an extension.",
        "The message names the kind. Sounds, pictures, videos and correspondence data are among them.";
    /// Moves of a quotation.
    QUOTED_MOVES = "cbh-quoted-moves", Note,
        "A game quotes another game with its moves.",
        "Its players, place and result are read; its moves are kept with the whole quotation as an extension.",
        "The moves within quotations are disguised in a way of their own.";
    /// Symbols that look like Hebrew.
    NOT_HEBREW = "cbh-symbols-not-hebrew", Note,
        "A text holds symbols whose bytes could also be single Hebrew letters.",
        "They are read as symbols; {encoding} UTF-8 reads them as letters.",
        "In the symbol font of ChessBase the sign for a weak point followed by a figurine has the two bytes of a Hebrew \
         letter in UTF-8. Letters of a language stand in words; where each of them stands alone and nothing else in the \
         text is beyond ASCII, they are symbols.";
    /// A text that cannot be read.
    BAD_TEXT = "cbh-text", Damage,
        "The body of a guiding text is damaged.",
        "What stands before the damage is read, and all bytes are kept as an extension.";
    /// Fields that disagree with the game.
    WRONG_FIELD = "cbh-wrong-field", Note,
        "A field of a header that follows from the game is wrong.",
        "Nothing depends on it; ChessBase's own lists and searches may show something else.",
        "The header repeats how many moves a game has and what kinds of annotations. This is only looked at by `check`.";
    /// Names that are counted wrongly.
    WRONG_COUNT = "cbh-wrong-count", Note,
        "A name is used more or less often than it notes.",
        "Nothing depends on it.";
    /// Salvage: a game found without its header.
    RESCUED = "cbh-rescued", Warning,
        "A game was found in the .cbg file alone.",
        "Its moves are read; names, date, result and annotations are lost with the header.";
}
