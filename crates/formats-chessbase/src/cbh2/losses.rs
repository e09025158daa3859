//! What ChessBase's newer files cannot store.

use crate::encode::CbhLossKinds;

tabiya_model::losses! {
    /// No room for the game.
    LOST_GAME = "2cbh-full", Game,
        "The files have no room for the game, or for its names: it was not written.";
    /// A tag without a field.
    LOST_TAG = "2cbh-tag", Tags,
        "The format has no field for this tag, or not for this value.";
    /// A name that is cut.
    LOST_NAME = "2cbh-name", Tags,
        "A name is longer than its field: 988 bytes for a player, 1,000 for an event and its place, 196 for a source, 301 for a team.";
    /// White space of tags.
    LOST_LAYOUT = "2cbh-layout", Layout,
        "White space in a tag or a comment is stored in another form.";
    /// The set-up position.
    LOST_START = "2cbh-start-position", Start,
        "The starting position has values that cannot be stored: a move clock, a number above 65,535, pawns on the first or last \
         rank, or the rules of another variant.";
    /// The main line's end.
    LOST_MOVES = "2cbh-moves", Moves,
        "The rest of the main line cannot be stored; it is kept in a comment.";
    /// A variation's end.
    LOST_VARIATION = "2cbh-variation", Variations,
        "The rest of a variation, or all of it, cannot be stored; it is kept in a comment if there is room for one.";
    /// Variations of another shape.
    MOVED_VARIATION = "2cbh-variation-form", Variations,
        "A variation that replaces the first move of a variation is stored next to it.";
    /// A comment elsewhere.
    MOVED_COMMENT = "2cbh-comment-moved", Comments,
        "A comment is stored at another place, or in another order: texts are after or before moves.";
    /// Characters.
    LOST_CHARACTERS = "2cbh-characters", Comments,
        "A text has characters that are read as others: private ones that are read as figurines.";
    /// Comments without room.
    LOST_COMMENT = "2cbh-comment", Comments,
        "A comment cannot be stored: the annotations of a game have at most 64 MB.";
    /// A NAG without a symbol.
    LOST_NAG = "2cbh-nag", Nags,
        "A NAG cannot be stored: its number is 0 or above 255, or there is no move before it.";
    /// NAGs elsewhere.
    MOVED_NAG = "2cbh-nag-form", Nags,
        "A NAG is stored at another place.";
    /// A result at the end of the moves.
    LOST_ENDING = "2cbh-movetext-result", Outcome,
        "The movetext ends with another result than the one that is stored: the format has one field.";
    /// A result within the moves.
    LOST_OUTCOME = "2cbh-inner-result", Outcome,
        "A result within the moves cannot be stored.";
    /// Bytes and what other formats know.
    LOST_EXTENSION = "2cbh-extension", Extensions,
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
