//! What PGN cannot hold, or leaves out as asked for.

tabiya_model::losses! {
    CONTROL_CHARACTERS = "pgn-control-characters", Layout, "Control characters in a tag became spaces.";
    TAG_NAME = "pgn-tag-name", Tags, "A tag's name cannot stand in PGN and is changed, or is read again as another.";
    TAGS_LEFT_OUT = "pgn-tags-left-out", Tags, "Tags were left out because other ones were asked for." => asked_for;
    RESULT_DISAGREES = "pgn-result-disagrees", Tags, "The Result tag disagreed with the movetext; the movetext's result is written.";
    COMMENTS_LEFT_OUT = "pgn-comments-left-out", Comments, "Comments were left out as asked for." => asked_for;
    COMMENT_BRACE = "pgn-comment-brace", Comments, "A closing brace in a comment became a parenthesis.";
    MARK_SHAPE = "pgn-mark-shape", Comments, "A mark of another shape became a coloured square.";
    NAGS_LEFT_OUT = "pgn-nags-left-out", Nags, "NAGs were left out as asked for." => asked_for;
    EMPTY_VARIATION = "pgn-empty-variation", Variations, "A variation without moves cannot stand in PGN: what it holds is written into the line around it.";
    VARIATIONS_LEFT_OUT = "pgn-variations-left-out", Variations, "Variations were left out as asked for." => asked_for;
    RESULT_INSIDE = "pgn-result-inside", Outcome, "A result within the main line cannot stand in PGN.";
    EXTENSION = "pgn-extension", Extensions, "What only another format knows has no place in PGN.";
}
