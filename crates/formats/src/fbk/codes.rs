//! What the reader of FBK books notices.

tabiya_model::codes! {
    READING = "fbk-reading", Note,
        "The format can be read in two ways; one was chosen.",
        "Look whether the lines make sense as an opening book.",
        "Bit 6 of a move's first byte is said to be 0 where the move starts a new variant. Either the file is a tree, and \
           another alternative to such a move follows after everything that comes after it; or it is a list of lines, \
           each from the start, and such a move is the first of its line. The marks of the whole file and the legality \
           of its moves decide.";
    ILLEGAL = "fbk-illegal-move", Damage,
        "A move of the book cannot be played.",
        "The line was kept up to there, and the other lines were read on.";
    MARKS = "fbk-marks", Damage,
        "The marks of the book's variations do not fit together.",
        "The file may be cut; all lines up to there were kept.",
        "A line does not end where the file ends, alternatives are announced that do not come, or moves follow after \
           the last one.";
    REST = "fbk-rest", Damage,
        "The file ends within a move.",
        "The whole moves were read; look for a copy that was not cut.",
        "A move has two bytes.";
}
