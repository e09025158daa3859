//! Every finding that reading positions can make, with its page of explanation.

tabiya_model::codes! {
    BAD_POSITION = "epd-bad-position", Damage,
        "The position of a record cannot be understood.",
        "Correct the fields before the first operation.",
        "The record is kept as text; the next line is read as if nothing had happened.";
    ODD_POSITION = "epd-odd-position", Note,
        "The position of a record breaks the rules or is not written as it should be.",
        "Look at the position; the message says what is odd.",
        "The position is used as it stands.";
    BAD_OPERATION = "epd-bad-operation", Damage,
        "The text after a position is not an operation: it does not begin with a letter.",
        "Look at the place that is named: usually a quote or a semicolon is missing before it.",
        "The rest of the record is kept as text.";
    OPEN_OPERATION = "epd-open-operation", Warning,
        "The last operation of a record does not end: a quote or a semicolon is missing.",
        "Add what is missing, if the line was not cut.",
        "The operation is read as if it ended with its line.";
    BAD_COUNTER = "epd-bad-counter", Warning,
        "An operation hmvc or fmvn has no number that a position can have.",
        "Correct the number.",
        "The operation is kept as a tag, and the position has the usual counter.";
    UNREADABLE_MOVE = "epd-unreadable-move", Damage,
        "A move of the operation pv cannot be played.",
        "Look at the moves before it: usually one is missing or wrong.",
        "That move and those behind it are kept as text.";
    ILLEGAL_MOVE = "epd-illegal-move", Warning,
        "A move of the operation pv breaks the rules and can be played all the same.",
        "Check the position and the moves before it.",
        "The move is kept as a move, and the line goes on after it.";
    OTHER_CHARSET = "epd-other-charset", Note,
        "A record is not UTF-8.",
        "Say {encoding} if the texts look wrong.",
        "Its texts are read in the charset that was asked for, else in Windows-1252; the original bytes are kept beside them.";
    LONG_LINE = "epd-long-line", Damage,
        "A line is longer than a game may be.",
        "Look at the file: line ends may be missing.",
        "The beginning of the line, up to the limit, is read, and the rest of it is passed over.";
}
