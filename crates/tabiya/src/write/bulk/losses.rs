//! What goes because it was asked for.

tabiya_model::losses! {
    COMMENTS = "asked-comments", Comments, "Comments, or parts of them, were left out or written as asked for." => asked_for;
    NAGS = "asked-nags", Nags, "NAGs were left out as asked for." => asked_for;
    VARIATIONS = "asked-variations", Variations, "Variations were left out as asked for." => asked_for;
    TAGS = "asked-tags", Tags, "Tags were left out or changed as asked for." => asked_for;
    MOVES = "asked-moves", Moves, "Moves were cut off as asked for." => asked_for;
}
