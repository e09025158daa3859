//! What ChessBase's files cannot store.

use crate::encode::CbhLossKinds;

tabiya_model::losses! {
    /// No room for the game.
    LOST_GAME = "cbh-full", Game,
        "The files have no room for the game, or for its names: it was not written.";
    /// A tag without a field.
    LOST_TAG = "cbh-tag", Tags,
        "The format has no field for this tag, or not for this value.";
    /// A name that is cut.
    LOST_NAME = "cbh-name", Tags,
        "A name is longer than its field: 30 bytes for a last name and 20 for a first one, 40 for an event, 30 for a place.";
    /// White space of tags.
    LOST_LAYOUT = "cbh-layout", Layout,
        "White space in a tag or a comment is stored in another form.";
    /// The set-up position.
    LOST_START = "cbh-start-position", Start,
        "The starting position has values that cannot be stored: a move clock, a number above 255, more than 32 pieces, or the rules \
         of another variant.";
    /// The main line's end.
    LOST_MOVES = "cbh-moves", Moves,
        "The rest of the main line cannot be stored; it is kept in a comment.";
    /// A variation's end.
    LOST_VARIATION = "cbh-variation", Variations,
        "The rest of a variation, or all of it, cannot be stored; it is kept in a comment.";
    /// Variations of another shape.
    MOVED_VARIATION = "cbh-variation-form", Variations,
        "A variation that replaces the first move of a variation is stored next to it.";
    /// A comment elsewhere.
    MOVED_COMMENT = "cbh-comment-moved", Comments,
        "A comment is stored at another place, in another order, or as two: texts are after or before moves, and have at most 65,000 bytes.";
    /// Characters.
    LOST_CHARACTERS = "cbh-characters", Comments,
        "A text has characters that are read as others: zeros, or letters that are read as symbols.";
    /// Comments without room.
    LOST_COMMENT = "cbh-comment", Comments,
        "A comment cannot be stored: the annotations of a game have at most 16 MB.";
    /// A NAG without a symbol.
    LOST_NAG = "cbh-nag", Nags,
        "A NAG cannot be stored: its number is 0 or above 255, or there is no move before it.";
    /// NAGs elsewhere.
    MOVED_NAG = "cbh-nag-form", Nags,
        "A NAG is stored at another place.";
    /// A result at the end of the moves.
    LOST_ENDING = "cbh-movetext-result", Outcome,
        "The movetext ends with another result than the one that is stored: the format has one field.";
    /// A result within the moves.
    LOST_OUTCOME = "cbh-inner-result", Outcome,
        "A result within the moves cannot be stored.";
    /// Bytes and what other formats know.
    LOST_EXTENSION = "cbh-extension", Extensions,
        "Data that only another format has, and bytes of damaged games, cannot be stored.";
}

/// What games lose, for the encoder.
pub(super) static KINDS: CbhLossKinds = CbhLossKinds {
    tag: &LOST_TAG,
    name: &LOST_NAME,
    start: &LOST_START,
    moves: &LOST_MOVES,
    variation: &LOST_VARIATION,
    moved_variation: &MOVED_VARIATION,
    moved_comment: &MOVED_COMMENT,
    nag: &LOST_NAG,
    moved_nag: &MOVED_NAG,
    ending: &LOST_ENDING,
    outcome: &LOST_OUTCOME,
    extension: &LOST_EXTENSION,
    layout: &LOST_LAYOUT,
};
