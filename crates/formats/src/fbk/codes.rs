//! What the reader of FBK books notices.

use tabiya_model::{Code, Severity};

/// How the file was read.
pub static READING: Code = Code {
    name: "fbk-reading",
    severity: Severity::Note,
    summary: "The format can be read in two ways; one was chosen.",
    help: "Look whether the lines make sense as an opening book.",
    page: "Bit 6 of a move's first byte is said to be 0 where the move starts a new variant. Either the file is a tree, and \
           another alternative to such a move follows after everything that comes after it; or it is a list of lines, \
           each from the start, and such a move is the first of its line. The marks of the whole file and the legality \
           of its moves decide.",
};

/// A move that cannot be played.
pub static ILLEGAL: Code = Code {
    name: "fbk-illegal-move",
    severity: Severity::Damage,
    summary: "A move of the book cannot be played.",
    help: "The line was kept up to there, and the other lines were read on.",
    page: "",
};

/// Marks that do not fit together.
pub static MARKS: Code = Code {
    name: "fbk-marks",
    severity: Severity::Damage,
    summary: "The marks of the book's variations do not fit together.",
    help: "The file may be cut; all lines up to there were kept.",
    page: "A line does not end where the file ends, alternatives are announced that do not come, or moves follow after \
           the last one.",
};

/// Half a move.
pub static REST: Code = Code {
    name: "fbk-rest",
    severity: Severity::Damage,
    summary: "The file ends within a move.",
    help: "The whole moves were read; look for a copy that was not cut.",
    page: "A move has two bytes.",
};

/// All of them.
pub static ALL: &[&Code] = &[&READING, &ILLEGAL, &MARKS, &REST];
