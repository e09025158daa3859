//! Data that jose's tables cannot store.

tabiya_model::losses! {
    SETUP = "jose-setup", Game,
        "jose numbers at most eight pawns, one queen and two other pieces of each kind per side, so the game cannot be stored.";
    IMPOSSIBLE_MOVE = "jose-impossible-move", Moves,
        "A move that no piece can make has no code; the rest of its line is stored as text.";
    LARGE_NAG = "jose-large-nag", Nags,
        "jose stores NAGs up to 255; a larger one was left out.";
    VARIANT = "jose-variant", Start,
        "The tags of the chess variant did not fit, so the game is read as another variant.";
    RAW_TEXT = "jose-raw-movetext", Moves,
        "Unreadable movetext is stored as the text of an error, which is read back as a comment.";
    EXTENSION = "jose-extension", Extensions,
        "jose cannot store data specific to another format.";
    ZERO_IN_COMMENT = "jose-zero-in-comment", Comments,
        "jose ends comments with a zero byte; a zero in a comment became a space.";
    BAD_STRUCTURE = "jose-structure", Variations,
        "A variation that replaces no move cannot be stored and was left out.";
    TOO_LARGE = "jose-too-large", Game,
        "jose's columns hold at most 16 MiB of moves and 16 MiB of comments, so the game cannot be stored.";
    RESULT = "jose-result", Tags,
        "The Result tag is not one of the four results, but for example a double forfeit.";
    ENDING = "jose-movetext-result", Outcome,
        "A result after the last move is read as the end of the game: `*` was added after it.";
    LONG_NAME = "jose-long-name", Tags,
        "jose's names have at most 255 characters; a longer one was cut.";
    INFO_LENGTH = "jose-info-length", Tags,
        "jose holds other tags in 255 characters altogether; a tag that did not fit was left out.";
    INFO_FORM = "jose-info-form", Tags,
        "jose separates other tags by semicolons and equals signs; a tag that contains them in an ambiguous place was left out.";
}
