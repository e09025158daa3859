//! The findings of the reader of ABK books.

tabiya_model::codes! {
    LINK = "abk-link", Damage,
        "A move of the book points to an impossible reply or alternative.",
        "The line was kept up to there; the other lines were read.",
        "Every move of the tree is referenced once, is within the file and after the header.";
    ILLEGAL = "abk-illegal-move", Damage,
        "A move of the book cannot be played.",
        "The line was kept up to there; the other lines were read.";
    PROMOTION = "abk-promotion", Note,
        "A pawn of the book reaches the last rank without a promotion piece.",
        "It was promoted to a queen.";
    REST = "abk-rest", Damage,
        "The file ends within a move, or within its header.",
        "All complete moves were read; look for a copy that is not truncated.",
        "The header has 25,200 bytes, and a move has 28.";
}
