//! Every finding that reading games in JSON can make, with its page of explanation.

tabiya_model::codes! {
    BROKEN_LINE = "ndjson-broken-line", Damage,
        "A line is not valid JSON, or has a value of the wrong kind.",
        "Look at the place that is named: usually the line was cut, or edited by hand.",
        "What stands before the place is read. The rest of the line is kept with the game as it stood, and goes along into \
         targets that can hold it. The next line is read as if nothing had happened.";
    LONG_LINE = "ndjson-long-line", Damage,
        "A line is longer than a game may be.",
        "Look at the file: line ends may be missing.",
        "The beginning of the line, up to the limit, is read as a game, and the rest of the line is passed over. The limit \
         protects memory.";
    CUT_INPUT = "ndjson-cut-input", Damage,
        "The packed file is damaged or cut off.",
        "Find a better copy of the file.",
        "What was unpacked before the damage is read as if the file ended there. How many games are missing behind it is not \
         known.";
    OTHER_SCHEMA = "ndjson-other-schema", Warning,
        "The line does not say that it is a game of this schema.",
        "Write the schema's name into every line, or use a newer version of the program.",
        "The line is read all the same, as far as it can be understood.";
    UNKNOWN_FIELD = "ndjson-unknown-field", Note,
        "A field has a name that the schema does not know, or occurs twice.",
        "Nothing needs to be done, unless the name is misspelt.",
        "The field is passed over. Fields that are derived from others, such as the notation beside a move's squares, are \
         known and passed over in silence.";
    BAD_FEN = "ndjson-bad-fen", Damage,
        "The starting position cannot be understood.",
        "Correct the field `fen`.",
        "Without its starting position no move of the game can be played: the moves are kept as text.";
    ODD_FEN = "ndjson-odd-fen", Note,
        "The starting position breaks the rules or is not written as it should be.",
        "Look at the field `fen`; the message says what is odd.",
        "The position is used as it stands.";
    UNREADABLE_MOVE = "ndjson-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the position that is named: usually a move before it is missing or wrong.",
        "The rest of that line of moves is kept as text. All other lines and games are read.";
    ILLEGAL_MOVE = "ndjson-illegal-move", Warning,
        "A move breaks the rules and can be played all the same.",
        "Check the moves before it: a king is left in check, or a right to castle is missing.",
        "The move is kept as a move and the game goes on after it.";
    MISPLACED_VARIATION = "ndjson-misplaced-variation", Damage,
        "A variation replaces no move, or is nested too deeply.",
        "Put the variation after the move that it replaces.",
        "The moves of the variation are kept as text.";
    BAD_VALUE = "ndjson-bad-value", Damage,
        "A value means nothing here.",
        "Correct the value that the message names.",
        "The value is left out; everything around it is read.";
    CHANGED_TEXT = "ndjson-changed-text", Note,
        "A text no longer agrees with the original bytes that are given beside it.",
        "Nothing needs to be done if the text was corrected.",
        "The text counts, and the original bytes are forgotten.";
    FOREIGN_FINDING = "ndjson-foreign-finding", Note,
        "An issue found by another version of the program, stored with the game.",
        "Read its message.",
        "Findings ride along with their game. One whose code is not known here is told by its message.";
}
