//! Data that a list of positions cannot hold.

tabiya_model::losses! {
    TAGS = "epd-tags", Tags, "Tags whose name is not an opcode, or is the opcode of another operation.";
    RESULT = "epd-result", Tags, "A Result tag that differs from the result of the game, which is written.";
    ENDING = "epd-movetext-result", Outcome, "The result at the end of the movetext differs from the written one.";
    TEXT = "epd-text", Tags, "A value with a quote or a control character: EPD strings cannot hold it.";
    START = "epd-start", Start, "The variant of a game, or an invalid starting position.";
    MOVES = "epd-moves", Moves, "Moves: a list of FEN cannot hold them.";
    LAYOUT = "epd-layout", Layout, "White space in a text: a record is one line, and runs of white space become one space.";
    RAW = "epd-raw", Moves, "Unreadable movetext.";
    VARIATIONS = "epd-variations", Variations, "Variations: the operation pv is one line.";
    COMMENTS = "epd-comments", Comments, "Comments after moves, or more than ten before the first.";
    NAGS = "epd-nags", Nags, "NAGs.";
    OUTCOME = "epd-outcome", Outcome, "A result within the movetext.";
    EXTENSION = "epd-extension", Extensions, "Data specific to another format.";
    FEN_TAGS = "epd-fen-tags", Tags, "Tags: a list of FEN cannot hold them.";
    FEN_COMMENTS = "epd-fen-comments", Comments, "Comments: a list of FEN cannot hold them.";
    FEN_OUTCOME = "epd-fen-outcome", Outcome, "The result: a list of FEN cannot hold it.";
}
