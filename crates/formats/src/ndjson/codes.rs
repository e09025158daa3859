//! Every finding that reading games in JSON can make, with its page of explanation.

tabiya_model::codes! {
    BROKEN_LINE = "ndjson-broken-line", Damage,
        "A line is not valid JSON, or has a value of the wrong kind.",
        "Look at the reported place: usually the line was truncated or edited by hand.",
        "Everything before the error is read. The rest of the line is kept with the game unchanged, and is copied to \
         targets that can hold it. The next line is read normally.";
    LONG_LINE = "ndjson-long-line", Damage,
        "A line is longer than the limit for a game.",
        "Check the file: line breaks may be missing.",
        "The beginning of the line, up to the limit, is read as a game, and the rest of the line is skipped. The limit \
         protects memory.";
    CUT_INPUT = "ndjson-cut-input", Damage,
        "The compressed file is damaged or truncated.",
        "Find a better copy of the file.",
        "Everything decompressed before the damage is read as if the file ended there. The number of missing games after it \
         is unknown.";
    OTHER_SCHEMA = "ndjson-other-schema", Warning,
        "The line is not marked as a game of this schema.",
        "Write the name of the schema into every line, or use a newer version of Tabiya.",
        "The line is still read, as far as possible.";
    UNKNOWN_FIELD = "ndjson-unknown-field", Note,
        "A field has a name that is not in the schema, or occurs twice.",
        "No action is needed, unless the name is misspelt.",
        "The field is skipped. Fields that are derived from others, such as the notation next to a move's squares, are \
         known and skipped silently.";
    BAD_FEN = "ndjson-bad-fen", Damage,
        "The starting position is not valid.",
        "Correct the field `fen`.",
        "Without its starting position, no move of the game can be played: the moves are kept as text.";
    ODD_FEN = "ndjson-odd-fen", Note,
        "The starting position is illegal or not in standard form.",
        "Look at the field `fen`; the message says what is wrong.",
        "The position is used unchanged.";
    UNREADABLE_MOVE = "ndjson-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the reported position: usually an earlier move is missing or wrong.",
        "The rest of that line is kept as text. All other lines and games are read.";
    ILLEGAL_MOVE = "ndjson-illegal-move", Warning,
        "A move is illegal, but can be played.",
        "Check the moves before it: a king is left in check, or castling rights are missing.",
        "The move is kept as a move, and the game continues after it.";
    MISPLACED_VARIATION = "ndjson-misplaced-variation", Damage,
        "A variation replaces no move, or is nested too deeply.",
        "Put the variation after the move that it replaces.",
        "The moves of the variation are kept as text.";
    BAD_VALUE = "ndjson-bad-value", Damage,
        "A value is not valid.",
        "Correct the value in the message.",
        "The value is ignored; everything around it is read.";
    CHANGED_TEXT = "ndjson-changed-text", Note,
        "A text differs from the original bytes stored with it.",
        "No action is needed if the text was corrected.",
        "The text is used, and the original bytes are dropped.";
    FOREIGN_FINDING = "ndjson-foreign-finding", Note,
        "An issue found by another version of the program, stored with the game.",
        "Read its message.",
        "Issues are stored with their game. If the code of an issue is unknown in this version, its message is shown instead.";
}
