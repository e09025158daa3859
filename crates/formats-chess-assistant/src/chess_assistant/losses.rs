//! Data that Chess Assistant databases cannot store.

tabiya_model::losses! {
    TAG = "ca-tag", Tags, "Chess Assistant's headers have no field for a tag.";
    TAG_VALUE = "ca-tag-value", Tags, "The value of a tag does not fit its field.";
    TAG_LAYOUT = "ca-tag-layout", Layout, "White space in a tag is not stored.";
    NAME_CUT = "ca-name-cut", Tags, "A name is longer than 255 bytes and was cut.";
    TAG_CHARSET = "ca-tag-charset", Tags, "Characters of a tag are missing from the charset of the database.";
    COMMENT_CHARSET = "ca-comment-charset", Comments, "Characters of a comment are missing from the charset of the database.";
    COMMENT_ORDER = "ca-comment-order", Comments, "A comment or annotation symbol between or after variations was \
                                                   moved to another place at the same move.";
    NAG_ORDER = "ca-nag-order", Nags, "A NAG between or after variations was moved to another place at the same move.";
    EXTENSION_ORDER = "ca-extension-order", Extensions, "Data specific to Chess Assistant was moved to another place \
                                                         at the same move.";
    ANNOTATIONS = "ca-annotations", Comments, "The record would exceed 32,767 bytes: comments were left out.";
    NAGS = "ca-nags", Nags, "The record would exceed 32,767 bytes: NAGs were left out.";
    NULL_NAG = "ca-null-nag", Nags, "The NAG 0, which has no meaning, cannot be stored.";
    VARIATIONS = "ca-variations-left-out", Variations, "The record would exceed 32,767 bytes: variations were left out.";
    START = "ca-start", Start, "The clock of the fifty-move rule cannot be stored in a custom starting position.";
    CASTLING = "ca-castling", Start, "Castling rights of Chess960 cannot be stored in a custom starting position.";
    RAW = "ca-raw", Moves, "Unreadable movetext cannot be stored in a record.";
    MOVE = "ca-move", Moves, "A move has no code: the line ends before the move and its variations.";
    OUTCOME = "ca-outcome", Outcome, "A result within the moves cannot be stored in a record.";
    ENDING = "ca-movetext-result", Outcome, "The result at the end of the movetext differs from the stored one: headers have one field.";
    EXTENSION = "ca-extension", Extensions, "Data specific to another format cannot be stored in a record.";
    GAME = "ca-game", Game, "The game cannot be stored.";
}
