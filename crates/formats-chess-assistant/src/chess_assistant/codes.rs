//! The findings of the reader of Chess Assistant databases.

tabiya_model::codes! {
    /// An undescribed version.
    VERSION = "ca-version", Warning,
        "The database has another version than the described one.",
        "It was read like the described version; please compare some games with the original program.",
        "The only existing description was made from databases with the texts \"Chess Data Pro format. Version 1.3\" \
         and \"Data Pro Volume format. Version 1.1\". Other versions may differ in any detail.";
    /// Two numbers of games that differ.
    GAME_COUNT = "ca-game-count", Damage,
        "The number of games in the .cdp differs from the number of headers.",
        "The smaller number was used; {repair} reads all headers and searches for games without one.",
        "The .cdp holds the number of games, and the .d00 holds one header of 38 bytes per game.";
    /// A truncated .d00.
    HEADER_CUT = "ca-header-cut", Damage,
        "The .d00 ends within a header.",
        "The last, incomplete header was ignored.",
        "The size of the .d00 is not a multiple of 38, the size of a header. Copying the file probably failed.";
    /// The mirrored reading.
    MIRRORED = "ca-mirrored", Warning,
        "Moves were read mirrored: in this database, files count to the left.",
        "Compare some games with the original program: this decides a doubtful point of the description.",
        "The description says in one place that file displacements go to the left, and in others that they go to the \
         right. They are read to the right unless this makes moves illegal and the left makes clearly fewer illegal; the \
         choice holds for the whole database.";
    /// A missing file of the EMB.
    LIST_MISSING = "ca-list-missing", Damage,
        "A name list is missing from the .emb.",
        "Names of that list are read as question marks.",
        "Players, events, places and sources are in the files *.a01 and *.d01 inside the .emb; one of them is missing.";
    /// A file of the EMB that is damaged and not needed.
    VOLUME = "ca-volume", Damage,
        "A file inside the .emb is damaged.",
        "Check which names are question marks; {raw-info} shows the readable parts of the .emb.",
        "The .emb is a small file system; a file is a table of fragments. A fragment is outside the .emb, is empty, or \
         overlaps another one, or the lengths do not add up.";
    /// A file of the EMB that the description does not name.
    VOLUME_UNKNOWN = "ca-volume-unknown", Note,
        "The .emb holds a file that is not in the description.",
        "If this is a real database, its bytes ({raw-info}) can help to complete the description.",
        "28 files are described. The format allows others; their meaning is unknown.";
    /// Addresses of names in a circle.
    NAME_ADDRESS = "ca-name-address", Damage,
        "Entries of a name list point nowhere.",
        "Names with these numbers are read as question marks.",
        "A negative entry of an .a01 refers to another entry. Some form a loop, or point beyond the list.";
    /// Zeros instead of names, or of their addresses.
    NAMES_BLANK = "ca-names-blank", Damage,
        "Names of a list, or their addresses, were overwritten with zeros.",
        "The names of these players, events, places or sources are lost.",
        "A list holds every name once. If zeros have overwritten a part of it, entries point to nothing, or all to the same name.";
    /// A header of zeros.
    HEADER_BLANK = "ca-header-blank", Damage,
        "Players and result in the header of a game were overwritten with zeros.",
        "The data in the header of the game is lost. {repair} finds its moves.",
        "Even a game with nothing else known has a result in its header.";
    /// Headers of one record.
    HEADER_DOUBLE = "ca-header-double", Damage,
        "Several headers refer to the same record.",
        "All of them were read with its moves; one of them may be right.",
        "Each game has a record of its own. If zeros have overwritten the end of a header, it refers to the first record.";
    /// A record of zeros.
    RECORD_BLANK = "ca-record-blank", Damage,
        "The record of a game was overwritten with zeros.",
        "The moves of the game are lost.",
        "A record without moves is a single zero, directly followed by the next record. If there are many zeros instead, a \
         part of the .d02 was lost.";
    /// A name that cannot be found.
    NAME = "ca-name", Damage,
        "A game refers to a player, event, place or source that is not in its list.",
        "The name is read as a question mark.",
        "The number is beyond the list, its entry points nowhere, or the name extends past the end of its file.";
    /// A record that cannot be found.
    GAME_ADDRESS = "ca-game-address", Damage,
        "The moves of a game cannot be found.",
        "Run {repair}: it finds records that no header refers to.",
        "The number in the header is beyond the .a02, its entry forms a loop or points to the record of another game, or the \
         address is beyond the .d02.";
    /// A record that is cut.
    RECORD_CUT = "ca-record-cut", Damage,
        "The record of a game extends past the end of the .d02, or a code past the end of its record.",
        "The existing part was read; the remaining bytes are kept as raw bytes.",
        "A record begins with its length. Copying the file probably failed, or the length is damaged.";
    /// A code without a description.
    CODE = "ca-code", Damage,
        "A code in the moves is not in the description.",
        "The moves before it were read. If this is a real database, the reported bytes can help to complete the description.",
        "The codes 220 to 229 and 237 to 255 are unknown, and so is their length: the rest of the game cannot be read. \
         Its remaining bytes are kept as raw bytes.";
    /// A code whose meaning is unknown.
    MYSTERY = "ca-code-233", Note,
        "The moves hold the code 233, whose meaning is unknown.",
        "It was kept as raw bytes. If this is a real database, the reported bytes can help to complete the description.",
        "The description says only that one byte follows it.";
    /// A move that cannot be played.
    ILLEGAL_MOVE = "ca-illegal-move", Damage,
        "A move cannot be played in its position.",
        "The moves before it were kept, and the rest of its line as raw bytes.",
        "A code names a piece and its step. The piece does not exist, or cannot move there. Every later move of the line \
         depends on the position, so the rest of the line cannot be read; other lines are read.";
    /// A move that leaves the king in check.
    EXPOSED_KING = "ca-exposed-king", Warning,
        "A move leaves its own king in check.",
        "The move was kept.",
        "The piece can move this way; only the exposed king makes the move illegal.";
    /// The en passant mark at another move.
    EN_PASSANT = "ca-en-passant", Warning,
        "The mark of an en passant capture is at another move, or is missing.",
        "The move was kept as the position allows it.",
        "The code 210 precedes each en passant capture.";
    /// Variation marks that do not match.
    VARIATIONS = "ca-variations", Damage,
        "Variation marks do not match.",
        "A variation that is not closed was closed at the end; after a surplus end mark, the rest of the game was not read.",
        "The code 231 opens a variation and 232 closes it.";
    /// A variation that replaces no move.
    VARIATION_ALONE = "ca-variation-alone", Warning,
        "A variation is at the end of its line, after no move that it could replace.",
        "A null move was inserted as the move that it replaces.",
        "A variation precedes the move to which it is an alternative; here, the line ends instead.";
    /// Too deep.
    DEPTH = "ca-depth", Damage,
        "Variations are nested more deeply than allowed.",
        "Raise the limit if the database is sound.",
        "The limit protects memory against malicious files.";
    /// An invalid starting position.
    SETUP = "ca-setup", Warning,
        "Something is wrong with a custom starting position.",
        "All valid pieces were placed.",
        "Two pieces on one square, an unknown kind of piece, castling rights without king or rook, or an en passant \
         square on the wrong rank.";
    /// A starting position after moves.
    SETUP_LATE = "ca-setup-late", Damage,
        "A starting position follows after the first move.",
        "The moves before it were kept, and the rest of the record as raw bytes.",
        "The code 230 is allowed only at the start of a record.";
    /// A kind of comment without a description.
    COMMENT_TYPE = "ca-comment-type", Warning,
        "A comment has a type that is not in the description.",
        "It was kept as raw bytes. If this is a real database, the reported bytes can help to complete the description.",
        "Types 2 to 9, 21 and 29 are known; type 29, an engine evaluation, has two bytes, FF 00, and perhaps the mark CAP.";
    /// A symbol without a description.
    SYMBOL = "ca-symbol", Warning,
        "An annotation symbol is not known.",
        "It was kept as a comment. If this is a real database, please report which symbol the original program shows for it.",
        "The description says that symbols exist, but does not list them. ASCII symbols such as ! and +- are recognised.";
    /// A header field that makes no sense.
    HEADER_FIELD = "ca-header-field", Warning,
        "A field of a game's header has a value that is not in the description.",
        "The value was kept in a separate tag.",
        "Results go from 0 to 16, ECO numbers from 0 to 499, and rounds are stored multiplied by two.";
    /// ECO number 0.
    ECO_ZERO = "ca-eco-zero", Note,
        "ECO number 0 was read as no code.",
        "Classify the games that belong to A00 with {eco}.",
        "According to the description, 0 is A00, but games without a code also have 0. No code is invented. If Tabiya \
         wrote the database, a file of its own inside the .emb lists the games with A00.";
    /// A charset that was guessed.
    CHARSET = "ca-charset", Note,
        "The charset of the text was detected.",
        "Check names with accents; choose another charset with {encoding} if they are wrong.",
        "The format does not store the charset. It is detected from the names, with Windows-1252 as the default. If Tabiya \
         wrote the database, the charset is in a file of its own inside the .emb.";
    /// Games found without header.
    FOUND = "ca-found", Warning,
        "The .d02 was searched for games because their addresses are lost.",
        "They have no names, because their headers cannot be identified.",
        "A sequence of bytes that is a complete record with at least six legal moves counts as a game.";
    /// A file that is lost.
    FILE_LOST = "ca-file-lost", Damage,
        "A file of the database is missing or cannot be read.",
        "The games were read as far as possible without it.",
        "The names are in the .emb, headers in the .d00, addresses in the .a02, moves in the .d02, the comment on the whole \
         database in the .cdp.";
}
