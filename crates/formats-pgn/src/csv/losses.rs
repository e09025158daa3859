//! What tables leave out.

tabiya_model::losses! {
    TAGS = "csv-tags", Tags, "Tags for which the table has no column.";
    RESULT = "csv-result", Outcome, "A result that the tag and the movetext tell differently: the table has one column.";
    START = "csv-start", Start, "A starting position, for which the table of games has no column.";
    MOVES = "csv-moves", Moves, "The movetext: the table of games has only the number of plies.";
    VARIATIONS = "csv-variations", Variations, "Variations: the table of plies has the main line only.";
    RAW = "csv-raw", Moves, "Movetext that could not be read: the table has moves only.";
    OUTCOME = "csv-outcome", Outcome, "The result: the table of plies has no column for it.";
    PLACES = "csv-places", Comments, "The order of comments and NAGs behind a move: the table has one cell for each.";
    EXTENSION = "csv-extension", Extensions, "What only another format knows.";
}
