//! Every finding that reading games in Parquet can make, with its page of explanation.

tabiya_model::codes! {
    TAGS = "parquet-tags", Damage,
        "The tag columns of a game contradict each other.",
        "Look at the row: `tag_names` or another column may have been changed alone.",
        "`tag_names` lists tags whose values are missing, or a text is not UTF-8. All complete tags are read.";
    OUTCOME = "parquet-outcome", Damage,
        "The column `outcome` does not hold a result.",
        "Set it to 1-0, 0-1, 1/2-1/2 or *, or to nothing.",
        "The result of the movetext is ignored; the tag keeps its result.";
    MOVES = "parquet-moves", Damage,
        "The column `moves` of a game is empty, or ends within a move.",
        "Look at the row: each ply takes two bytes, and a game without moves has an empty value.",
        "Complete moves are read; an incomplete move at the end is ignored.";
    CLOCKS = "parquet-clocks", Damage,
        "Clocks or evaluations do not match the moves.",
        "Look at the row: `clocks` has four bytes for each ply, `evals` two.",
        "Invalid numbers are ignored, and so is a column of the wrong length.";
    ANNOTATIONS = "parquet-annotations", Damage,
        "The column `annotations` is damaged.",
        "Find a better copy of the file, or fix the program that wrote the row.",
        "Everything before the damage is read. The main line is complete, because it has its own column.";
    DERIVED = "parquet-derived", Damage,
        "A derived column disagrees with the moves.",
        "Convert the file into a new one: the columns are computed again.",
        "The game itself is complete. Searches that rely on the column may miss the game, or find it by mistake; \
         {without-hints} ignores the column.";
    UNREADABLE_MOVE = "parquet-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the reported position: usually an earlier move is wrong, or `fen` is missing.",
        "The rest of that line is kept as text. All other lines and games are read.";
    ILLEGAL_MOVE = "parquet-illegal-move", Warning,
        "A move is illegal, but can be played.",
        "Check the moves before it: a king is left in check, or castling rights are missing.",
        "The move is kept as a move, and the game continues after it.";
}
