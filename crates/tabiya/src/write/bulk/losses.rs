//! Losses that the user has requested.

tabiya_model::losses! {
    COMMENTS = "asked-comments", Comments, "Comments, or parts of them, were omitted or changed as requested." => asked_for;
    NAGS = "asked-nags", Nags, "NAGs were omitted as requested." => asked_for;
    VARIATIONS = "asked-variations", Variations, "Variations were omitted as requested." => asked_for;
    TAGS = "asked-tags", Tags, "Tags were omitted or changed as requested." => asked_for;
    MOVES = "asked-moves", Moves, "Moves were cut off as requested." => asked_for;
}
