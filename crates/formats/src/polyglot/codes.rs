//! What the reader of Polyglot books notices.

use tabiya_model::{Code, Severity};

/// Bytes after the last whole entry.
pub static REST: Code = Code {
    name: "polyglot-rest",
    severity: Severity::Damage,
    summary: "The file ends within an entry.",
    help: "The whole entries were read; look for a copy that was not cut.",
    page: "An entry has 16 bytes.",
};

/// Entries out of order.
pub static ORDER: Code = Code {
    name: "polyglot-order",
    severity: Severity::Damage,
    summary: "The entries are not sorted by their positions.",
    help: "Programs search books by halves and miss entries that are out of order; merge the book anew.",
    page: "",
};

/// Moves that cannot be played.
pub static ILLEGAL: Code = Code {
    name: "polyglot-illegal",
    severity: Severity::Warning,
    summary: "A position has entries whose move is not legal there.",
    help: "Such entries were left out; a few are normal where two positions share a hash.",
    page: "",
};

/// Entries of positions that no line reaches.
pub static UNREACHED: Code = Code {
    name: "polyglot-unreached",
    severity: Severity::Note,
    summary: "Entries belong to positions that no line of the book reaches from the normal start.",
    help: "They cannot be shown as moves, for a book holds only hashes of positions.",
    page: "Books made of games hold every position of the games; where rare moves were left out afterwards, what came \
           after them stays in the book without a way to it.",
};

/// All of them.
pub static ALL: &[&Code] = &[&REST, &ORDER, &ILLEGAL, &UNREACHED];
