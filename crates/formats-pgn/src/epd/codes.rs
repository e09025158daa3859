//! Every finding that reading positions can make, with its page of explanation.

tabiya_model::codes! {
    BAD_POSITION = "epd-bad-position", Damage,
        "The position of a record is not valid.",
        "Correct the fields before the first operation.",
        "The record is kept as text; the next line is read normally.";
    ODD_POSITION = "epd-odd-position", Note,
        "The position of a record is illegal or not in standard form.",
        "Look at the position; the message says what is wrong.",
        "The position is used unchanged.";
    BAD_OPERATION = "epd-bad-operation", Damage,
        "The text after a position is not an operation: it does not begin with a letter.",
        "Look at the reported place: usually a quote or a semicolon is missing before it.",
        "The rest of the record is kept as text.";
    OPEN_OPERATION = "epd-open-operation", Warning,
        "The last operation of a record does not end: a quote or a semicolon is missing.",
        "Add the missing part, unless the line was truncated.",
        "The operation is read to the end of its line.";
    BAD_COUNTER = "epd-bad-counter", Warning,
        "An operation hmvc or fmvn has an impossible number.",
        "Correct the number.",
        "The operation is kept as a tag, and the position has the usual counter.";
    UNREADABLE_MOVE = "epd-unreadable-move", Damage,
        "A move of the operation pv cannot be played.",
        "Look at the moves before it: usually one is missing or wrong.",
        "That move and the moves after it are kept as text.";
    ILLEGAL_MOVE = "epd-illegal-move", Warning,
        "A move of the operation pv is illegal, but can be played.",
        "Check the position and the moves before it.",
        "The move is kept as a move, and the line continues after it.";
    OTHER_CHARSET = "epd-other-charset", Note,
        "A record is not UTF-8.",
        "Use {encoding} if the texts look wrong.",
        "Its texts are read in the requested charset, or in Windows-1252; the original bytes are kept with them.";
    LONG_LINE = "epd-long-line", Damage,
        "A line is longer than the limit for a game.",
        "Check the file: line breaks may be missing.",
        "The beginning of the line, up to the limit, is read, and the rest is skipped.";
}
