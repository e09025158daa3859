//! Data that tables leave out.

tabiya_model::losses! {
    TAGS = "csv-tags", Tags, "Tags: the table has no column for them.";
    RESULT = "csv-result", Outcome, "Different results in the tag and in the movetext: the table has one column.";
    START = "csv-start", Start, "A starting position: the table of games has no column for it.";
    MOVES = "csv-moves", Moves, "The movetext: the table of games has only the number of plies.";
    VARIATIONS = "csv-variations", Variations, "Variations: the table of plies has the main line only.";
    RAW = "csv-raw", Moves, "Unreadable movetext: the table has moves only.";
    OUTCOME = "csv-outcome", Outcome, "The result: the table of plies has no column for it.";
    PLACES = "csv-places", Comments, "The order of comments and NAGs after a move: the table has one cell for each.";
    EXTENSION = "csv-extension", Extensions, "Data specific to another format.";
}
