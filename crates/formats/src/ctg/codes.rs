//! The findings of the reader of CTG books.

tabiya_model::codes! {
    PAGE = "ctg-page", Damage,
        "A page of the book is damaged.",
        "The positions before the damage were read; look for another copy.",
        "A page stores how many of its 4,096 bytes are used, and its positions fill them without a gap.";
    COUNT = "ctg-count", Warning,
        "The number of positions in the book differs from its header.",
        "All positions found were read; the file may be truncated.";
    MOVE = "ctg-move", Warning,
        "The book has a move that cannot be played.",
        "It was left out.",
        "A move is one byte that names a piece and its step. Some bytes have no meaning, and some name a piece that is \
         not on the board.";
    DOUBTFUL = "ctg-doubtful-move", Note,
        "A move byte of the book is ambiguous.",
        "The more likely move was used.",
        "In the known tables of moves, two bytes of a second queen have the same meaning, and one of its steps has no byte.";
    UNREACHED = "ctg-unreached", Note,
        "The book has positions that no line from the normal starting position reaches.",
        "They are not shown as lines.";
    TWICE = "ctg-twice", Warning,
        "The book holds a position twice.",
        "The first entry was used.";
}
