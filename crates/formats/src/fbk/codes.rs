//! The findings of the reader of FBK books.

tabiya_model::codes! {
    READING = "fbk-reading", Note,
        "The format is ambiguous; one of two readings was chosen.",
        "Check that the lines make sense as an opening book.",
        "The description says that bit 6 of a move's first byte is 0 if the move starts a new variant. Either the file is \
           a tree, and an alternative to such a move follows after all its continuations; or it is a list of lines, each \
           from the starting position, and such a move is the first of its line. The flags of the whole file and the \
           legality of its moves decide.";
    ILLEGAL = "fbk-illegal-move", Damage,
        "A move of the book cannot be played.",
        "The line was kept up to there; the other lines were read.";
    MARKS = "fbk-marks", Damage,
        "The variation flags of the book are inconsistent.",
        "The file may be truncated; all lines up to there were kept.",
        "A line continues at the end of the file, announced alternatives are missing, or moves follow the last line.";
    REST = "fbk-rest", Damage,
        "The file ends within a move.",
        "All complete moves were read; look for a copy that is not truncated.",
        "A move has two bytes.";
}
