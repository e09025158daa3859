//! What PGN cannot hold, or leaves out as asked for.

tabiya_model::losses! {
    TAG_LAYOUT = "pgn-tag-layout", Layout, "Line breaks in a tag became spaces.";
    EMPTY_ROSTER_TAG = "pgn-empty-roster-tag", Layout, "An empty tag of the roster is written as an unknown one.";
    MOVETEXT_LAYOUT = "pgn-movetext-layout", Layout, "Line breaks and runs of spaces in unreadable movetext were folded, as PGN breaks its lines anew.";
    COMMENT_LAYOUT = "pgn-comment-layout", Layout, "Line breaks and runs of spaces in comments were folded, as PGN breaks its lines anew.";
    NUL_IN_TAG = "pgn-nul-in-tag", Tags, "A NUL in a tag became a space.";
    NUL_IN_COMMENT = "pgn-nul-in-comment", Comments, "A NUL in a comment became a space.";
    START_TAGS = "pgn-start-tags", Tags, "Tags say another start than the game has; they are replaced.";
    START = "pgn-start", Start, "The start of the game is read as another one.";
    MISREAD = "pgn-misread", Moves, "The movetext is read as another one.";
    TAG_NAME = "pgn-tag-name", Tags, "A tag's name cannot stand in PGN and is changed, or is read again as another.";
    TAGS_LEFT_OUT = "pgn-tags-left-out", Tags, "Tags were left out because other ones were asked for." => asked_for;
    COMMENTS_LEFT_OUT = "pgn-comments-left-out", Comments, "Comments were left out as asked for." => asked_for;
    COMMENT_BRACE = "pgn-comment-brace", Comments, "A closing brace in a comment became a parenthesis.";
    MARK_SHAPE = "pgn-mark-shape", Comments, "A mark of another shape became a coloured square.";
    NAGS_LEFT_OUT = "pgn-nags-left-out", Nags, "NAGs were left out as asked for." => asked_for;
    EMPTY_VARIATION = "pgn-empty-variation", Variations, "A variation without moves cannot stand in PGN: what it holds is written into the line around it.";
    VARIATIONS_LEFT_OUT = "pgn-variations-left-out", Variations, "Variations were left out as asked for." => asked_for;
    RESULTS_LEFT_OUT = "pgn-results-left-out", Outcome, "The result behind the moves was left out as asked for." => asked_for;
    RESULT_INSIDE = "pgn-result-inside", Outcome, "A result between the moves of the main line cannot stand in PGN.";
    EXTENSION = "pgn-extension", Extensions, "What only another format knows has no place in PGN.";
}
