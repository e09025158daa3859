//! What the reader of CTG books notices.

tabiya_model::codes! {
    PAGE = "ctg-page", Damage,
        "A page of the book is damaged.",
        "The positions before the damage were read; look for another copy.",
        "A page says how many of its 4,096 bytes are used, and the positions fill these without a gap.";
    COUNT = "ctg-count", Warning,
        "The book holds another number of positions than its header says.",
        "All positions that are there were read; the file may be cut.";
    MOVE = "ctg-move", Warning,
        "The book has a move that cannot be played.",
        "It was left out.",
        "A move is a byte that names a piece and its way. Some bytes mean nothing, and some pieces are not there.";
    DOUBTFUL = "ctg-doubtful-move", Note,
        "A byte of the book may mean one of two moves.",
        "The likelier one was taken.",
        "The tables of moves that are known give two bytes of a second queen one meaning, and one of its ways has no byte.";
    UNREACHED = "ctg-unreached", Note,
        "The book has positions that no line from the normal start reaches.",
        "They are not shown as lines.";
    TWICE = "ctg-twice", Warning,
        "A position is in the book twice.",
        "The first one was read.";
}
