//! What a list of positions cannot hold.

tabiya_model::losses! {
    TAGS = "epd-tags", Tags, "Tags whose name is no opcode, or that of another operation.";
    RESULT = "epd-result", Tags, "A Result tag that is not what the game counts as, which is written.";
    ENDING = "epd-movetext-result", Outcome, "The movetext ends with another result than the one that is written.";
    TEXT = "epd-text", Tags, "A value with a quote or a control character: a string of EPD has no way to write it.";
    START = "epd-start", Start, "The rules of a game, or a start that is no position.";
    MOVES = "epd-moves", Moves, "Moves: a list of FEN has none.";
    LAYOUT = "epd-layout", Layout, "White space in a text: a record is one line, and runs of white space become one space.";
    RAW = "epd-raw", Moves, "Movetext that could not be read.";
    VARIATIONS = "epd-variations", Variations, "Variations: the operation pv is one line.";
    COMMENTS = "epd-comments", Comments, "Comments behind moves, or more than ten before the first.";
    NAGS = "epd-nags", Nags, "NAGs.";
    OUTCOME = "epd-outcome", Outcome, "A result within the movetext.";
    EXTENSION = "epd-extension", Extensions, "What only another format knows.";
    FEN_TAGS = "epd-fen-tags", Tags, "Tags: a list of FEN has none.";
    FEN_COMMENTS = "epd-fen-comments", Comments, "Comments: a list of FEN has none.";
    FEN_OUTCOME = "epd-fen-outcome", Outcome, "The result: a list of FEN has none.";
}
