//! What Chess Assistant's databases cannot store.

tabiya_model::losses! {
    TAG = "ca-tag", Tags, "A tag has no place in Chess Assistant's headers.";
    TAG_VALUE = "ca-tag-value", Tags, "The value of a tag does not fit its field.";
    TAG_LAYOUT = "ca-tag-layout", Layout, "White space in a tag is not stored.";
    NAME_CUT = "ca-name-cut", Tags, "A name is longer than 255 bytes and was cut.";
    TAG_CHARSET = "ca-tag-charset", Tags, "Characters of a tag are not in the charset of the database.";
    COMMENT_CHARSET = "ca-comment-charset", Comments, "Characters of a comment are not in the charset of the database.";
    COMMENT_ORDER = "ca-comment-order", Comments, "A comment or sign between or after variations now stands elsewhere at the same move.";
    NAG_ORDER = "ca-nag-order", Nags, "A NAG between or after variations now stands elsewhere at the same move.";
    EXTENSION_ORDER = "ca-extension-order", Extensions, "What only Chess Assistant knows now stands elsewhere at the same move.";
    ANNOTATIONS = "ca-annotations", Comments, "The record would be longer than 32,767 bytes: comments were left out.";
    NAGS = "ca-nags", Nags, "The record would be longer than 32,767 bytes: NAGs were left out.";
    NULL_NAG = "ca-null-nag", Nags, "The NAG 0, which says nothing, has no sign.";
    VARIATIONS = "ca-variations-left-out", Variations, "The record would be longer than 32,767 bytes: variations were left out.";
    START = "ca-start", Start, "The clock of the fifty-move rule has no place in a set-up position.";
    CASTLING = "ca-castling", Start, "Castling rights of Chess960 have no place in a set-up position.";
    RAW = "ca-raw", Moves, "Movetext that could not be read has no place in a record.";
    MOVE = "ca-move", Moves, "A move has no code: the line ends before it and its variations.";
    OUTCOME = "ca-outcome", Outcome, "A result within the moves has no place in a record.";
    ENDING = "ca-movetext-result", Outcome, "The movetext ends with another result than the one that is stored: headers have one field.";
    EXTENSION = "ca-extension", Extensions, "What only another format knows has no place in a record.";
    GAME = "ca-game", Game, "The game cannot be stored.";
}
