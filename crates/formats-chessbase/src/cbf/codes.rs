//! The findings of the readers of CBF files.

tabiya_model::codes! {
    /// A checksum that neither formula gives.
    CHECKSUM = "cbf-checksum", Warning,
        "The checksum of a game's header is wrong.",
        "Nothing was left out; rewriting the database corrects it.",
        "Old tools left wrong checksums in many files. Two formulas are in use and both are accepted; a header that \
         matches neither is read anyway. If the header itself is damaged, its lengths are probably wrong too, and other \
         issues in the same game report that.";
    /// A record that is not completely in the file.
    RECORD_CUT = "cbf-record-cut", Damage,
        "A game's record extends past the end of the file.",
        "The existing part was read; the rest is lost unless another copy has it.",
        "The lengths in a record's header define its end. A partly copied or transferred file ends before it: the last \
         game then lacks comments, moves or its starting position.";
    /// An index entry that points nowhere.
    OFFSET = "cbf-offset", Damage,
        "The index points outside the game file.",
        "Run {repair}: it finds games without the index.",
        "The offset in the entry is at or after the end of the .cbf file. The game keeps its number and is empty, so \
         that the other games keep their numbers.";
    /// A move that cannot be played.
    ILLEGAL_MOVE = "cbf-illegal-move", Damage,
        "A move cannot be played in its position.",
        "The moves before it were kept, and the rest of its line as raw bytes.",
        "Moves are stored as their place in a list of pseudo-legal moves. The place is beyond the end of the list, or \
         the move is an impossible en passant capture. Every later move depends on the position, so the rest of the \
         line cannot be read. Other lines are read.";
    /// A move that leaves the king in check.
    EXPOSED_KING = "cbf-exposed-king", Warning,
        "A move leaves its own king in check, or castles out of check or through it.",
        "The move was kept, and the game continues after it; check the moves before it.",
        "The format's move list has all moves that pieces can make, even if the king could be captured.";
    /// Castling that has lost its right.
    CASTLING_RIGHT = "cbf-castling-right", Warning,
        "A player castles without castling rights.",
        "The move was kept; check whether king or rook had moved, or what the starting position should allow.",
        "The format's move list has castling whenever king and rook are on their original squares with nothing between them.";
    /// Variation marks that do not match.
    VARIATIONS = "cbf-variations", Damage,
        "Variation marks do not match.",
        "A variation that is not closed was closed at the end; moves that could not be placed were kept as raw bytes.",
        "The byte FF opens a variation and 80 closes it. One of them is missing, or a variation follows no move that \
         it could replace.";
    /// Comment records that do not match the moves.
    COMMENTS = "cbf-comments", Warning,
        "The comments do not match the moves that announce them.",
        "From some point on, comments may be at wrong moves; the rest was kept as raw bytes.",
        "Each move with a comment is marked, and the comments follow in the order of the marks. There are more comments \
         than marks.";
    /// Comments that are not there.
    MISSING_COMMENTS = "cbf-missing-comments", Damage,
        "Moves announce more comments than there are.",
        "The existing comments were given to the moves in their order; the last ones have none, and others may be at wrong \
         moves.",
        "Each move with a comment is marked, and the comments follow in the order of the marks. The comments of the game \
         were truncated, or damage marked a move.";
    /// A starting position that had to be corrected.
    SETUP = "cbf-setup", Warning,
        "The starting position is invalid.",
        "Impossible castling rights and en passant files were ignored; check the position.",
        "Castling is allowed without king or rook on its original square, an en passant file has no pawn, or a square \
         holds a code that means no piece.";
    /// Codes without a meaning.
    SYMBOL = "cbf-symbol", Note,
        "An evaluation has a code without a NAG.",
        "The three codes were kept with the game as raw bytes.",
        "Some codes are outside the known tables, and some symbols (mate, break) have no NAG.";
    /// An invalid result.
    RESULT = "cbf-result-byte", Note,
        "The result byte is not 0-1, a draw or 1-0.",
        "The game was read without a result; the byte was kept in the tag CbfResultByte.",
        "Bytes 0, 1 and 2 are results. Other bytes are not, and may hold an evaluation symbol: CBASCII writes 16 for \
         games without a result, which is also the symbol of an equal position.";
    /// A guess of the charset.
    CHARSET = "cbf-charset", Note,
        "The charset of the text was detected.",
        "Check names with accents; choose another charset with {encoding} if they are wrong.",
        "The format does not store the charset. DOS programs use the letters of CP437, with chess symbols instead of \
         its line and block characters; later ones for Windows use Windows-1252. The letters of names and sources \
         decide, because symbols prove nothing.";
    /// Moves that count with kings that can be taken.
    KING_TAKEN = "cbf-king-taken", Warning,
        "The moves make sense only if capturing a king counts as a move.",
        "The moves were read this way; compare them with another copy.",
        "In a starting position, the king of the side not to move is in check. One program includes the moves that \
         would capture it in the list of moves, others do not.";
    /// ECO numbers outside the code.
    ECO = "cbf-eco", Note,
        "Invalid ECO code.",
        "The number was kept in the tag CbfEco.",
        "Main numbers go up to E99; higher numbers, and sub-codes without a main code or above 99, have no meaning.";
    /// A header that counts less than its areas hold.
    HEADER = "cbf-header", Warning,
        "A header field has an impossible value.",
        "The field was ignored.",
        "The length of the moves is 0, but an empty game has 1.";
    /// An index whose count is not its size.
    INDEX_COUNT = "cbf-index-count", Damage,
        "The number of games in the index does not match its size.",
        "All games that have an entry were read; {repair} looks for others.",
        "The first word holds the number of games plus one; one word for each game and one for the end must follow.";
    /// An end word that is not the end.
    INDEX_END = "cbf-index-end", Warning,
        "The end given in the index is not the end of the game file.",
        "There are bytes after the end, or the file is truncated: {repair} looks for games there.",
        "The last word of the index is the first free byte of the .cbf file.";
    /// No index at all.
    NO_INDEX = "cbf-no-index", Damage,
        "The index (.cbi) is missing.",
        "The .cbf file was searched for games; {repair} writes them with a new index.",
        "Without an index, records are found by trying to decrypt every position in the file: checksum, text and legal moves decide.";
    /// A record found by searching.
    FOUND = "cbf-found", Note,
        "The records were found by searching the file.",
        "Compare the number of games with the index.",
        "A search finds every complete record, and damaged ones if another record or the index says that a record \
         begins there. It also finds deleted copies of games, if a program left them in gaps.";
    /// Bytes between records.
    GAP = "cbf-gap", Note,
        "Some bytes between the records belong to no game.",
        "Rewriting the database leaves them out; {repair} looks for lost games in them.",
        "When a program changed a game, it often wrote it again at the end and left the old record in the file.";
    /// Records that share bytes.
    OVERLAP = "cbf-overlap", Warning,
        "Two records share bytes of the file.",
        "At least one of them is damaged; look at the games named here.",
        "According to its header, one record extends into the record of another game.";
    /// A wrong count in the header.
    MOVE_COUNT = "cbf-move-count", Note,
        "The number of moves in the header is wrong.",
        "Nothing depends on it; rewriting the database corrects it.",
        "The header holds the number of full moves of the main line, up to 255.";
    /// Data after the last move.
    AFTER_END = "cbf-after-end", Note,
        "Bytes follow the end of the moves.",
        "They were ignored; they belong to no line.",
        "A zero byte ends the moves before the end of their area; real files have this.";
}
