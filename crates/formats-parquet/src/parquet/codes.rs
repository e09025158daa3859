//! Every finding that reading games in Parquet can make, with its page of explanation.

tabiya_model::codes! {
    TAGS = "parquet-tags", Damage,
        "The columns of a game's tags contradict each other.",
        "Look at the row: somebody may have changed `tag_names` or a column without the other.",
        "`tag_names` lists tags whose values are not there, or a text is not UTF-8. The tags that can be put together are \
         read.";
    OUTCOME = "parquet-outcome", Damage,
        "The column `outcome` holds something that is not a result.",
        "Put one of 1-0, 0-1, 1/2-1/2 and * there, or nothing.",
        "The result of the movetext is left out; that of the tag stays.";
    MOVES = "parquet-moves", Damage,
        "The column `moves` of a game is empty, or ends within a move.",
        "Look at the row: each ply takes two bytes, and a game without moves has an empty value.",
        "Whole moves are read; half a move at the end is left out.";
    CLOCKS = "parquet-clocks", Damage,
        "Clocks or evaluations do not fit the moves.",
        "Look at the row: `clocks` has four bytes for each ply, `evals` two.",
        "Numbers that make no sense are left out, and so is a column of another length.";
    ANNOTATIONS = "parquet-annotations", Damage,
        "The bytes of the column `annotations` make no sense from a place on.",
        "Find a better copy of the file, or the program that wrote the row.",
        "What stands before the place is read. The main line is whole, since it stands in a column of its own.";
    DERIVED = "parquet-derived", Damage,
        "A column that follows from the moves says something else than they do.",
        "Convert the file into a new one: the columns are reckoned anew.",
        "The game itself is whole. Searches that rely on the column may miss the game, or find it where it is not to be found; \
         {without-hints} does without it.";
    UNREADABLE_MOVE = "parquet-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the position that is named: usually a move before it is wrong, or `fen` is missing.",
        "The rest of that line of moves is kept as text. All other lines and games are read.";
    ILLEGAL_MOVE = "parquet-illegal-move", Warning,
        "A move breaks the rules and can be played all the same.",
        "Check the moves before it: a king is left in check, or a right to castle is missing.",
        "The move is kept as a move and the game goes on after it.";
}
