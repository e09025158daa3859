//! What the reader of ABK books notices.

tabiya_model::codes! {
    LINK = "abk-link", Damage,
        "A move of the book names an answer or an alternative that it cannot have.",
        "The line was kept up to there, and the other lines were read on.",
        "Every move of the tree is named once, lies within the file and behind the header.";
    ILLEGAL = "abk-illegal-move", Damage,
        "A move of the book cannot be played.",
        "The line was kept up to there, and the other lines were read on.";
    PROMOTION = "abk-promotion", Note,
        "A pawn of the book reaches the last rank and becomes nothing.",
        "It became a queen.";
    REST = "abk-rest", Damage,
        "The file ends within a move, or within its header.",
        "The whole moves were read; look for a copy that was not cut.",
        "The header has 25,200 bytes, and a move has 28.";
}
