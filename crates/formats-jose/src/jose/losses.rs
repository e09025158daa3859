//! What jose's tables cannot store.

tabiya_model::losses! {
    SETUP = "jose-setup", Game,
        "jose numbers at most eight pawns, one queen and two other pieces of a kind for each side, so that the game cannot be stored.";
    IMPOSSIBLE_MOVE = "jose-impossible-move", Moves,
        "A move that the rules of movement do not know has no code; the rest of its line is stored as text.";
    LARGE_NAG = "jose-large-nag", Nags,
        "jose stores NAGs up to 255; a larger one was left out.";
    VARIANT = "jose-variant", Start,
        "The tags that say by which rules the game is played did not fit, so that it is read as one by others.";
    RAW_TEXT = "jose-raw-movetext", Moves,
        "Movetext that could not be read is stored as the text of an error, which reads back as a comment.";
    EXTENSION = "jose-extension", Extensions,
        "jose has no place for data that only one other format knows.";
    ZERO_IN_COMMENT = "jose-zero-in-comment", Comments,
        "Zero bytes end the texts of jose's comments; a zero in a comment became a space.";
    BAD_STRUCTURE = "jose-structure", Variations,
        "A variation that replaces no move has no place; it was left out.";
    TOO_LARGE = "jose-too-large", Game,
        "jose's columns hold at most 16 MiB of moves and as much of comments, so that the game cannot be stored.";
    RESULT = "jose-result", Tags,
        "The Result tag holds something else than the four results, such as a double forfeit.";
    ENDING = "jose-movetext-result", Outcome,
        "A result that stands last among the moves is taken for the end of the game: `*` was added behind it.";
    LONG_NAME = "jose-long-name", Tags,
        "jose's names have at most 255 characters; a longer one was cut.";
    INFO_LENGTH = "jose-info-length", Tags,
        "jose holds further tags in 255 characters in all; one that did not fit was left out.";
    INFO_FORM = "jose-info-form", Tags,
        "jose separates further tags by semicolons and equals signs; one that holds them in a misleading place was left out.";
}
