//! What the reader of Polyglot books notices.

tabiya_model::codes! {
    REST = "polyglot-rest", Damage,
        "The file ends within an entry.",
        "The whole entries were read; look for a copy that was not cut.",
        "An entry has 16 bytes.";
    ORDER = "polyglot-order", Damage,
        "The entries are not sorted by their positions.",
        "Programs search books by halves and miss entries that are out of order; merge the book anew.";
    ILLEGAL = "polyglot-illegal", Warning,
        "A position has entries whose move is not legal there.",
        "Such entries were left out; a few are normal where two positions share a hash.";
    UNREACHED = "polyglot-unreached", Note,
        "Entries belong to positions that no line of the book reaches from the normal start.",
        "They cannot be shown as moves, for a book holds only hashes of positions.",
        "Books made of games hold every position of the games; where rare moves were left out afterwards, what came \
           after them stays in the book without a way to it.";
}
