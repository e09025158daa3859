//! The findings of the reader of Polyglot books.

tabiya_model::codes! {
    REST = "polyglot-rest", Damage,
        "The file ends within an entry.",
        "All complete entries were read; look for a copy that is not truncated.",
        "An entry has 16 bytes.";
    ORDER = "polyglot-order", Damage,
        "The entries are not sorted by position.",
        "Programs use binary search and miss entries that are out of order; build the book again.";
    ILLEGAL = "polyglot-illegal", Warning,
        "A position has entries with illegal moves.",
        "Such entries were ignored; a few are normal if two positions have the same hash.";
    UNREACHED = "polyglot-unreached", Note,
        "Some entries belong to positions that no line from the normal starting position reaches.",
        "They cannot be shown as moves, because a book holds only the hashes of positions.",
        "Books made from games hold every position of the games; if rare moves were removed later, the positions after \
           them stay in the book but can no longer be reached.";
}
