//! The findings in ChessBase databases.

tabiya_model::codes! {
    /// The `.cbh` is cut.
    CUT_HEADERS = "cbh-headers-cut", Damage,
        "The header file ends before its last record.",
        "Run {repair}: it looks for the moves of the missing games in the .cbg file.",
        "The header of the .cbh file gives the number of records, each of 46 bytes, but the file has fewer. The complete \
         ones are read.";
    /// More records than the header says.
    MORE_HEADERS = "cbh-more-headers", Warning,
        "The header file holds more records than it counts.",
        "They are not read; {repair} restores them.",
        "ChessBase reads as many records as the header of the .cbh file says. The records after them may be left over \
         from removed games, or the count is wrong.";
    /// A companion is not there.
    MISSING_FILE = "cbh-missing-file", Damage,
        "A file of the database is missing, unreadable, or the wrong file.",
        "Look for it where the database came from; the other files are read.",
        "A database is a set of files with one name. Without the .cbg file there are no moves, without the .cba file \
         no annotations, and without one of the name files, each of its names is read as a question mark.";
    /// A file is smaller or larger than it says.
    FILE_SIZE = "cbh-file-size", Warning,
        "The size of a file differs from the size stored in it.",
        "If it is smaller than stored, it was truncated during transfer: download it again.",
        "The .cbg and the .cba file store their size in their headers. In files of 2 GiB and more, old programs write \
         a wrong size, which is not reported.";
    /// Files of different databases.
    FOREIGN_FILE = "cbh-foreign-file", Warning,
        "A file seems to belong to another database.",
        "Check whether files of two databases were mixed; everything is read unchanged.",
        "Numbers, counts and offsets in one file must match the others: the offsets of games and annotations are within \
         their files, annotations store the number of their game, the second headers repeat the offsets of the first, \
         and every name stores how often it is used. If most of the compared values disagree, a file was taken from \
         another database or from an older copy of this one.";
    /// A record of an unknown kind.
    UNKNOWN_RECORD = "cbh-unknown-record", Warning,
        "A record of the .cbh file is neither a game nor a text.",
        "Its number is kept for an empty game, with its data as raw bytes.",
        "The lowest bit of its first byte is not set; in every used record, it is.";
    /// A name that does not exist.
    UNKNOWN_NAME = "cbh-unknown-name", Damage,
        "A game refers to a missing name.",
        "The name is read as a question mark.",
        "The number of a player, tournament, annotator, source or team is beyond the end of its file, or refers to a \
         deleted record.";
    /// A name that is partly lost.
    DAMAGED_NAME = "cbh-damaged-name", Damage,
        "A game refers to a name whose record is partly lost.",
        "The rest of the name is read; look for another copy of the file.",
        "The record of a name is in a tree, so it never points to the first record on both sides, and it stores how often it \
         is used, which is never 0 if a game refers to it. Zeros in both places mean that a part of the file was overwritten.";
    /// A header that is partly lost.
    DAMAGED_HEADER = "cbh-damaged-header", Damage,
        "The header of a game has unexpected zeros.",
        "Its data is read, but may be wrong: look for another copy of the .cbh file.",
        "The first byte of a header gives its type, and the last byte the number of moves. If either is 0 and the game has \
         moves, a part of the file was overwritten: an unknown date, the first player and a win for Black may be nothing but \
         zeros.";
    /// A second header that is partly lost.
    DAMAGED_SECOND = "cbh-damaged-second", Damage,
        "The second header of a game has unexpected zeros.",
        "Its data is read; teams, rating types and times may be lost: look for another copy of the .cbj file.",
        "The .cbj file repeats the offsets of the first headers, and has -1 if there is no team.";
    /// Lost names of media.
    MEDIA_GONE = "cbh-media", Damage,
        "A text refers to a missing or damaged media list.",
        "Look for another copy of the .cbm file; the rest of the list is read.",
        "The .cbj file gives the list in the .cbm file for each text, and each list gives the number of its names.";
    /// An unknown result.
    BAD_RESULT = "cbh-result", Warning,
        "The result of a game has an unknown number.",
        "The game is read without a result.";
    /// The moves are not in the file.
    MOVES_OUT_OF_RANGE = "cbh-moves-out-of-range", Damage,
        "The moves of a game, or a text, are outside the .cbg file.",
        "The header is read; the rest is lost unless another copy has it.",
        "The offset in the header is beyond the end of the file, or the record extends past it.";
    /// An invalid record size.
    BAD_SIZE = "cbh-record-size", Damage,
        "The record of the moves is smaller than its own header.",
        "The game header is read.";
    /// A way of writing moves that is not known.
    UNKNOWN_MODE = "cbh-unknown-mode", Damage,
        "The move encoding of a game is not known.",
        "The header is read, and the moves are kept as raw bytes.",
        "ChessBase has about twenty ways to encode moves, for other variants and for protected material. Those of \
         ordinary databases and of Chess960 are known.";
    /// A start position that makes no sense.
    BAD_START = "cbh-start", Damage,
        "The starting position of a game cannot be read.",
        "Position and moves are kept as raw bytes.";
    /// A start position against the rules.
    ODD_START = "cbh-odd-start", Warning,
        "The starting position of a game is illegal.",
        "It is kept unchanged.";
    /// Bytes that are not a move.
    BAD_MOVE = "cbh-bad-move", Damage,
        "The moves of a game hold an invalid code.",
        "The moves before it are kept, and the rest as raw bytes.",
        "Every move depends on those before it, so the moves after the damage cannot be read.";
    /// An illegal move.
    ILLEGAL_MOVE = "cbh-illegal-move", Warning,
        "A move is illegal.",
        "It is kept unchanged.",
        "Training material and blitz games contain such moves on purpose.";
    /// Castling without the right to.
    GRANTED_RIGHT = "cbh-granted-right", Note,
        "A game castles although its starting position has no castling rights.",
        "The right was added to the starting position, because king and rook are on their castling squares.";
    /// No end.
    NO_END = "cbh-no-end", Damage,
        "The moves of a game have no end mark.",
        "All moves up to the end of the record are kept.";
    /// Filler codes.
    FILLER = "cbh-filler", Note,
        "The moves of a game hold a filler code.",
        "It was skipped; old programs wrote it.";
    /// An unknown code.
    UNKNOWN_CODE = "cbh-unknown-code", Damage,
        "The moves of a game hold an unknown code.",
        "It was skipped.";
    /// Bytes after the end.
    BYTES_AFTER_END = "cbh-bytes-after-moves", Note,
        "Bytes follow the end of a game's moves.",
        "They are kept as raw bytes.";
    /// Annotations that are not in the file.
    ANNOTATIONS_OUT_OF_RANGE = "cbh-annotations-out-of-range", Damage,
        "The annotations of a game are outside the .cba file.",
        "The game is read without the missing ones.";
    /// Annotations of another game.
    ANNOTATION_HEAD = "cbh-annotation-head", Warning,
        "The record of the annotations has the number of another game, or a wrong count.",
        "They are read as those of this game.",
        "Each record of annotations begins with the number of its game, a mark, and the number of its items plus one. \
         Programs other than ChessBase leave the number at 0.";
    /// Fewer annotations than are counted.
    ANNOTATION_COUNT = "cbh-annotation-count", Damage,
        "A game has fewer annotations than their record counts.",
        "The existing ones were read.";
    /// A damaged item.
    BAD_ANNOTATION = "cbh-annotation", Damage,
        "An annotation is damaged.",
        "Those before it were read; the rest is kept as raw bytes.";
    /// A place that does not exist.
    ANNOTATION_PLACE = "cbh-annotation-place", Damage,
        "An annotation belongs to a move that the game does not have.",
        "It was moved to the last move of the main line.";
    /// Unknown annotations.
    UNKNOWN_ANNOTATION = "cbh-unknown-annotation", Note,
        "A game has an annotation of an unknown kind.",
        "It is kept as raw bytes.",
        "The message gives the kind. Sounds, pictures, videos and correspondence data are among them.";
    /// Moves of a quotation.
    QUOTED_MOVES = "cbh-quoted-moves", Note,
        "A game quotes another game with its moves.",
        "Its players, site and result are read; the whole quotation, with its moves, is kept as raw bytes.",
        "The moves within quotations have their own encoding.";
    /// Symbols that look like Hebrew.
    NOT_HEBREW = "cbh-symbols-not-hebrew", Note,
        "A text has symbols whose bytes could also be single Hebrew letters.",
        "They are read as symbols; use {encoding} UTF-8 to read them as letters.",
        "In the symbol font of ChessBase, the symbol for a weak point followed by a figurine has the two bytes of a \
         Hebrew letter in UTF-8. Letters of a language form words; if each of them is alone and the rest of the text is \
         ASCII, they are symbols.";
    /// A text that cannot be read.
    BAD_TEXT = "cbh-text", Damage,
        "The body of a guiding text is damaged.",
        "The part before the damage is read, and all of it is kept as raw bytes.";
    /// Fields that disagree with the game.
    WRONG_FIELD = "cbh-wrong-field", Note,
        "A derived field of a header is wrong.",
        "Nothing depends on it; lists and searches in ChessBase may show something else.",
        "The header repeats the number of moves and the kinds of annotations of a game. Only `check` compares this.";
    /// Names that are counted wrongly.
    WRONG_COUNT = "cbh-wrong-count", Note,
        "A name is used more or less often than its record says.",
        "Nothing depends on it.";
    /// Salvage: a game found without its header.
    RESCUED = "cbh-rescued", Warning,
        "A game was found only in the .cbg file.",
        "Its moves are read; names, date, result and annotations are lost with the header.";
}
