//! What the reader of Chess Assistant's databases notices.

tabiya_model::codes! {
    /// A version that nobody has described.
    VERSION = "ca-version", Warning,
        "The database has another version than the described one.",
        "It was read like the described version; please compare some games with what the original program shows.",
        "The only description that exists was made from databases with the texts \"Chess Data Pro format. Version 1.3\" \
         and \"Data Pro Volume format. Version 1.1\". Other versions may differ in any detail.";
    /// Two numbers of games that differ.
    GAME_COUNT = "ca-game-count", Damage,
        "The .cdp counts another number of games than there are headers.",
        "The smaller number was taken; {repair} looks at all headers and for games without one.",
        "The .cdp holds the number of games, and the .d00 one header of 38 bytes for each.";
    /// A cut .d00.
    HEADER_CUT = "ca-header-cut", Damage,
        "The .d00 ends within a header.",
        "The last, cut header was left out.",
        "The size of the .d00 is no multiple of 38, the size of a header. It was probably cut by a copy that failed.";
    /// The mirrored reading.
    MIRRORED = "ca-mirrored", Warning,
        "Moves were read mirrored: files count to the left in this database.",
        "Compare some games with what the original program shows: this decides a doubtful point of the description.",
        "The description says in one place that displacements of files go to the left, and in others that they go to the \
         right. The right is read unless it makes illegal moves where the left makes clearly fewer; the reading holds for \
         the whole database.";
    /// A file of the EMB that is not there.
    LIST_MISSING = "ca-list-missing", Damage,
        "A list of names is not in the .emb.",
        "Names of that list are question marks.",
        "Players, events, places and sources lie in the files *.a01 and *.d01 inside the .emb; one of them is missing.";
    /// A file of the EMB that is damaged and not needed.
    VOLUME = "ca-volume", Damage,
        "A file inside the .emb is damaged.",
        "See which names are question marks; {raw-info} shows what can be read of the .emb.",
        "The .emb is a small file system; a file is a table of fragments. A fragment lies outside, has no bytes, or \
         lies over another one, or the lengths do not add up.";
    /// A file of the EMB that the description does not name.
    VOLUME_UNKNOWN = "ca-volume-unknown", Note,
        "The .emb holds a file that the description does not name.",
        "If this is a real database, its bytes ({raw-info}) can help to complete the description.",
        "28 files are described. The format allows others; nobody has said what they are.";
    /// Addresses of names in a circle.
    NAME_ADDRESS = "ca-name-address", Damage,
        "Entries of a list of names lead nowhere.",
        "Names with these numbers are question marks.",
        "A negative entry of an .a01 stands for another entry. Some go round in a circle, or beyond the list.";
    /// Zeros in the place of names, or of their addresses.
    NAMES_BLANK = "ca-names-blank", Damage,
        "Zeros instead of names of a list, or of their addresses.",
        "The names of these players, events, places or sources are gone.",
        "A list has every name once. Where zeros took the place of a part of it, entries lead to nothing, or all to the same.";
    /// A header of zeros.
    HEADER_BLANK = "ca-header-blank", Damage,
        "Zeros instead of players and result in the header of a game.",
        "What the header said of the game is gone. {repair} finds its moves.",
        "Even a game of which nothing is known has a result in its header.";
    /// Headers of one record.
    HEADER_DOUBLE = "ca-header-double", Damage,
        "Several headers name the same record.",
        "All of them were read with its moves; those of one may be right.",
        "Each game has a record of its own. Zeros in the place of the end of a header name the first one.";
    /// A record of zeros.
    RECORD_BLANK = "ca-record-blank", Damage,
        "Zeros instead of the record of a game.",
        "The moves of the game are gone.",
        "A record without moves is one zero, and the next record follows it. Where many zeros stand there instead, a part of the \
         .d02 was lost.";
    /// A name that cannot be found.
    NAME = "ca-name", Damage,
        "A game names a player, event, place or source that is not in its list.",
        "The name is a question mark.",
        "The number is beyond the list, its entry leads nowhere, or the name goes beyond its file.";
    /// A record that cannot be found.
    GAME_ADDRESS = "ca-game-address", Damage,
        "The moves of a game cannot be found.",
        "Run {repair}: it finds records that no header leads to.",
        "The number in the header is beyond the .a02, its entry goes round in a circle or leads to the record of another game, \
         or the address is beyond the .d02.";
    /// A record that is cut.
    RECORD_CUT = "ca-record-cut", Damage,
        "The record of a game goes beyond the end of the .d02, or a code beyond the end of its record.",
        "What is there was read; the bytes that are left over are kept as an extension.",
        "A record begins with its length. It was cut by a copy that failed, or the length is damaged.";
    /// A code without a description.
    CODE = "ca-code", Damage,
        "A code in the moves is not in the description.",
        "The moves before it were read. If this is a real database, the bytes shown can help to complete the description.",
        "The codes 220 to 229 and 237 to 255 are unknown, and so is the number of bytes that belong to them: the game \
         cannot be read on. Its remaining bytes are kept as an extension.";
    /// A code whose meaning is unknown.
    MYSTERY = "ca-code-233", Note,
        "The code 233 occurs, whose meaning is unknown.",
        "It was kept as an extension. If this is a real database, the bytes shown can help to complete the description.",
        "One byte belongs to it; the description says no more.";
    /// A move that cannot be played.
    ILLEGAL_MOVE = "ca-illegal-move", Damage,
        "A move cannot be played in its position.",
        "The moves before it were kept, and the bytes of its line from there on as an extension.",
        "A code says which man goes how far. The man is not there, or cannot go there. Every later move of the line depends \
         on the position, so the rest of the line cannot be understood; lines around it are read on.";
    /// A move that leaves the king in check.
    EXPOSED_KING = "ca-exposed-king", Warning,
        "A move leaves its own king in check.",
        "The move was kept.",
        "It follows the rules of movement and breaks only this one.";
    /// The mark of a capture in passing at another move.
    EN_PASSANT = "ca-en-passant", Warning,
        "The mark of an en passant capture is at another move, or is missing.",
        "The move was kept as the position allows it.",
        "The code 210 stands before each capture in passing.";
    /// Variation marks that do not match.
    VARIATIONS = "ca-variations", Damage,
        "Marks of variations do not match.",
        "A variation that is not closed was closed at the end; after a mark too many the game was read no further.",
        "The code 231 opens a variation and 232 closes it.";
    /// A variation that replaces no move.
    VARIATION_ALONE = "ca-variation-alone", Warning,
        "A variation is at the end of its line, after no move that it could replace.",
        "A null move was put in as the move that it replaces.",
        "A variation stands before the move that it is an alternative to; here the line ends instead.";
    /// Too deep.
    DEPTH = "ca-depth", Damage,
        "Variations are nested more deeply than allowed.",
        "Raise the limit if the database is sound.",
        "The limit protects memory against files that were made to exhaust it.";
    /// A set-up position that makes no sense.
    SETUP = "ca-setup", Warning,
        "Something about a set-up position is odd.",
        "What could be placed was placed.",
        "Two men on one square, a kind of man that does not exist, castling rights without king or rook, or an en \
         passant square on the wrong rank.";
    /// A set-up position after moves.
    SETUP_LATE = "ca-setup-late", Damage,
        "A position is set up after the first move.",
        "The moves before it were kept, and the bytes from there on as an extension.",
        "The code 230 may only stand at the start of a record.";
    /// A kind of comment without a description.
    COMMENT_TYPE = "ca-comment-type", Warning,
        "A comment has a type that is not in the description.",
        "It was kept as an extension. If this is a real database, the bytes shown can help to complete the description.",
        "Known are 2 to 9, 21 and 29; the score of an engine, 29, has two bytes, FF 00, and perhaps the mark CAP.";
    /// A symbol without a description.
    SYMBOL = "ca-symbol", Warning,
        "A symbol at a move is not known.",
        "It was kept as a comment. If this is a real database, report which symbol the original program shows for it.",
        "The description says that symbols exist and gives no list. Signs in ASCII such as ! and +- are understood.";
    /// A header field that makes no sense.
    HEADER_FIELD = "ca-header-field", Warning,
        "A field of a game's header has a value that is not in the description.",
        "The value was kept in a tag of its own.",
        "Results go from 0 to 16, ECO numbers from 0 to 499, rounds are stored doubled.";
    /// ECO number 0.
    ECO_ZERO = "ca-eco-zero", Note,
        "ECO number 0 was read as no code.",
        "Give games that belong to A00 their code with {eco}.",
        "By the arithmetic of the description, 0 is A00, and it is also what games without a code have. A code is not \
         to be invented. Where Tabiya wrote the database, it says in a file of its own inside the .emb which games \
         have A00.";
    /// A charset that was guessed.
    CHARSET = "ca-charset", Note,
        "It was decided which letters the bytes of texts mean.",
        "Look at names with accents; choose another charset with {encoding} where they are wrong.",
        "The format does not say it. The names decide where they speak clearly; else it is Windows-1252. Where Tabiya wrote \
         the database, it says the charset in a file of its own inside the .emb.";
    /// Games found without header.
    FOUND = "ca-found", Warning,
        "Games were searched for in the .d02 because their addresses are lost.",
        "They have no names, since nothing says which header is theirs.",
        "A run of bytes that is a whole record with legal moves, at least six, counts as a game.";
    /// A file that is lost.
    FILE_LOST = "ca-file-lost", Damage,
        "A file of the database is missing or cannot be read.",
        "The games were read as far as that is possible without it.",
        "The names lie in the .emb, headers in the .d00, addresses in the .a02, moves in the .d02, the comment on the whole \
         database in the .cdp.";
}
