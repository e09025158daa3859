//! What the readers of CBF files notice.

tabiya_model::codes! {
    /// A checksum that neither formula gives.
    CHECKSUM = "cbf-checksum", Warning,
        "The checksum of a game's header is wrong.",
        "Nothing was left out; rewriting the database corrects it.",
        "Old tools left wrong checksums in many files. Two formulas occur and either is accepted; a header that follows \
         neither is read all the same. Where the header itself is damaged, its lengths are likely to be wrong too, and \
         other findings in the same game say so.";
    /// A record that is not wholly in the file.
    RECORD_CUT = "cbf-record-cut", Damage,
        "A game's record goes beyond the end of the file.",
        "What is there was read; the rest is lost unless another copy has it.",
        "The lengths in a record's header say where it ends. A file that was copied or transferred in part ends before \
         that: the last game then lacks comments, moves or its set-up position.";
    /// An index entry that points nowhere.
    OFFSET = "cbf-offset", Damage,
        "The index points outside the file of games.",
        "Run {repair}: it finds games without the index.",
        "The entry gives a place at or after the end of the .cbf file. The game's number is kept with nothing in it, so \
         that the numbers of the other games stay the same.";
    /// A move that cannot be played.
    ILLEGAL_MOVE = "cbf-illegal-move", Damage,
        "A move cannot be played in its position.",
        "The moves before it were kept, and the bytes of its line from there on as an extension.",
        "Moves are stored as their place in a list of pseudo-legal moves. The place is beyond the end of the list, or \
         the move takes in passing what cannot be taken. Since every later move depends on the position, the rest of \
         the line cannot be understood. Lines around it are read on.";
    /// A move that leaves the king in check.
    EXPOSED_KING = "cbf-exposed-king", Warning,
        "A move leaves its own king in check, or castles out of check or through it.",
        "The move was kept, and the game goes on after it; check the moves before it.",
        "The format's move list has all moves that pieces can make, even if the king could be captured.";
    /// Castling that has lost its right.
    CASTLING_RIGHT = "cbf-castling-right", Warning,
        "A player castles without having the right to.",
        "The move was kept; check whether king or rook had moved, or what the set-up position should allow.",
        "The format's move list has castling whenever king and rook stand at home with nothing between them.";
    /// Variation marks that do not match.
    VARIATIONS = "cbf-variations", Damage,
        "Marks of variations do not match.",
        "A variation that is not closed was closed at the end; what could not be placed was kept as an extension.",
        "The byte FF opens a variation and 80 closes it. One of them is missing, or a variation stands where no move \
         is that it could replace.";
    /// Comment records that do not match the moves.
    COMMENTS = "cbf-comments", Warning,
        "The comments do not match the moves that announce them.",
        "Comments may be at wrong moves from some point on; the rest was kept as an extension.",
        "Each move that has a comment is marked, and the comments follow in the order of the marks. There are more of them \
         than marks.";
    /// Comments that are not there.
    MISSING_COMMENTS = "cbf-missing-comments", Damage,
        "Moves announce more comments than there are.",
        "The comments that are there were given to the moves in their order; the last ones have none, and others may stand at \
         wrong moves.",
        "Each move that has a comment is marked, and the comments follow in the order of the marks. The game's comments were \
         cut, or a move was marked by damage.";
    /// A set-up position that had to be corrected.
    SETUP = "cbf-setup", Warning,
        "The set-up position is odd.",
        "Castling rights and en passant files that cannot be were left out; check the position.",
        "Castling is allowed without king or rook at home, an en passant file has no pawn, or a square holds a code \
         that means no man.";
    /// Codes without a meaning.
    SYMBOL = "cbf-symbol", Note,
        "An evaluation has a code without a NAG.",
        "The three codes were kept as an extension of the game.",
        "Codes outside the known tables occur, and some signs (mate, break) have no NAG.";
    /// A result that is none.
    RESULT = "cbf-result-byte", Note,
        "The byte of a result is none of 0-1, draw and 1-0.",
        "The game was read without a result; the byte was kept in the tag CbfResultByte.",
        "Bytes 0, 1 and 2 are results. Others are none, and may hold the sign of an evaluation: CBASCII writes 16 for \
         games without a result, which is also the sign of an equal position.";
    /// A guess of the charset.
    CHARSET = "cbf-charset", Note,
        "It was decided which letters the bytes of texts mean.",
        "Look at names with accents; choose another charset with {encoding} where they are wrong.",
        "The format does not say it. Programs of DOS have the letters of CP437, with chess symbols instead of its lines \
         and blocks; later ones for Windows have Windows-1252. The letters of names and sources decide, for signs mean \
         nothing of the kind.";
    /// Moves that count with kings that can be taken.
    KING_TAKEN = "cbf-king-taken", Warning,
        "The moves make sense only if taking a king counts as a move.",
        "The moves were read so; compare them with another copy.",
        "A set-up position has a king in check that is not to move. One program counts the moves that would take it in \
         the list of moves, others do not.";
    /// ECO numbers outside the code.
    ECO = "cbf-eco", Note,
        "Invalid ECO code.",
        "The number was kept in the tag CbfEco.",
        "Main numbers run to E99; numbers above that, and sub-codes without a main code or above 99, mean nothing.";
    /// A header that says less than what its areas hold.
    HEADER = "cbf-header", Warning,
        "A header field has a value that cannot be.",
        "The field was left out.",
        "The length of the moves is 0, where an empty game has 1.";
    /// An index whose count is not its size.
    INDEX_COUNT = "cbf-index-count", Damage,
        "The number of games in the index does not match its size.",
        "All games that have an entry were read; {repair} looks for others.",
        "The first word holds the number of games and one more; a word a game and one for the end must follow.";
    /// An end word that is not the end.
    INDEX_END = "cbf-index-end", Warning,
        "The end that the index gives is not the end of the file of games.",
        "Bytes after the end, or a file that was cut: {repair} looks for games there.",
        "The last word of the index is the first free byte of the .cbf file.";
    /// No index at all.
    NO_INDEX = "cbf-no-index", Damage,
        "The index (.cbi) is missing.",
        "Games were looked for in the .cbf file; {repair} writes them with a new index.",
        "Without an index, records are found by decrypting every place on trial: checksum, texts and legal moves decide.";
    /// A record found by searching.
    FOUND = "cbf-found", Note,
        "The records were found by searching the file.",
        "Compare the number of games with what the index says.",
        "A search takes every record that is whole, and damaged ones where another record or the index says that one \
         begins there. It finds deleted copies of games too, where a program left them in gaps.";
    /// Bytes between records.
    GAP = "cbf-gap", Note,
        "There are bytes between the records that belong to no game.",
        "Rewriting the database leaves them out; {repair} looks for lost games in them.",
        "Programs that changed a game often wrote it anew at the end and left the old record where it was.";
    /// Records that share bytes.
    OVERLAP = "cbf-overlap", Warning,
        "Two records share bytes of the file.",
        "At least one of them is damaged; look at the games named here.",
        "The lengths in one header reach into the record of another game.";
    /// A wrong count in the header.
    MOVE_COUNT = "cbf-move-count", Note,
        "The header's number of moves is wrong.",
        "Nothing depends on it; rewriting the database corrects it.",
        "The header holds the number of full moves of the main line, up to 255.";
    /// Data after the last move.
    AFTER_END = "cbf-after-end", Note,
        "Bytes follow the end of the moves.",
        "They were left out; they belong to no line.",
        "A zero byte ends the moves before the end of their area, which occurs in real files.";
}
