//! Data that PGN cannot hold, or leaves out on request.

tabiya_model::losses! {
    TAG_LAYOUT = "pgn-tag-layout", Layout, "Line breaks in a tag became spaces.";
    EMPTY_ROSTER_TAG = "pgn-empty-roster-tag", Layout, "An empty tag of the Seven Tag Roster is written as unknown.";
    MOVETEXT_LAYOUT = "pgn-movetext-layout", Layout, "Line breaks and runs of spaces in unreadable movetext became \
                                                      single spaces, because PGN wraps its lines.";
    COMMENT_LAYOUT = "pgn-comment-layout", Layout, "Line breaks and runs of spaces in comments became single spaces, \
                                                    because PGN wraps its lines.";
    NUL_IN_TAG = "pgn-nul-in-tag", Tags, "A NUL in a tag became a space.";
    NUL_IN_COMMENT = "pgn-nul-in-comment", Comments, "A NUL in a comment became a space.";
    START_TAGS = "pgn-start-tags", Tags, "Tags give another starting position than that of the game; they are replaced.";
    START = "pgn-start", Start, "The starting position of the game is read back as another one.";
    MISREAD = "pgn-misread", Moves, "The movetext is read back as another one.";
    TAG_NAME = "pgn-tag-name", Tags, "The name of a tag is not valid in PGN and is changed, or is read back as another name.";
    TAGS_LEFT_OUT = "pgn-tags-left-out", Tags, "Tags were left out because only others were requested." => asked_for;
    COMMENTS_LEFT_OUT = "pgn-comments-left-out", Comments, "Comments were left out as requested." => asked_for;
    COMMENT_BRACE = "pgn-comment-brace", Comments, "A closing brace in a comment became a parenthesis.";
    MARK_SHAPE = "pgn-mark-shape", Comments, "A mark of another shape became a coloured square.";
    NAGS_LEFT_OUT = "pgn-nags-left-out", Nags, "NAGs were left out as requested." => asked_for;
    EMPTY_VARIATION = "pgn-empty-variation", Variations, "A variation without moves is not valid in PGN: its content is written into the line around it.";
    VARIATIONS_LEFT_OUT = "pgn-variations-left-out", Variations, "Variations were left out as requested." => asked_for;
    RESULTS_LEFT_OUT = "pgn-results-left-out", Outcome, "The result after the moves was left out as requested." => asked_for;
    RESULT_INSIDE = "pgn-result-inside", Outcome, "A result between the moves of the main line is not valid in PGN.";
    EXTENSION = "pgn-extension", Extensions, "PGN cannot hold data specific to another format.";
}
