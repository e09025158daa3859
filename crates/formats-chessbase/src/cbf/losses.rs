//! What CBF files cannot store.

tabiya_model::losses! {
    /// No room for the game.
    LOST_GAME = "cbf-full", Game,
        "The file of games cannot grow beyond 4 GB: the game was not written.";
    /// A tag without a field.
    LOST_TAG = "cbf-tag", Tags,
        "The format has no field for this tag.";
    /// Names or sources that read differently.
    LOST_TEXT = "cbf-text", Tags,
        "A name, event, site or round is stored in another form: texts hold 63 bytes, site and event are one.";
    /// White space of names.
    LOST_LAYOUT = "cbf-layout", Layout,
        "White space in a name or an event: tabs and line breaks become spaces.";
    /// A date's parts.
    LOST_DATE = "cbf-date", Tags,
        "Only years from 1772 to 2026 can be stored of a date.";
    /// A rating out of range.
    LOST_ELO = "cbf-elo", Tags,
        "Ratings are stored in steps of five from 1605 to 2875.";
    /// An opening code.
    LOST_ECO = "cbf-eco", Tags,
        "The opening code cannot be stored: not for set-up positions, and without Scid's extensions.";
    /// Flags.
    LOST_FLAG = "cbf-flag", Tags,
        "Only the flags of deleted and marked games (D, U) can be stored.";
    /// The set-up position.
    LOST_START = "cbf-start", Start,
        "The set-up position has more than can be stored: move clocks, move numbers above 256, or castling of Chess960.";
    /// The main line's end.
    LOST_MOVES = "cbf-moves", Moves,
        "The rest of the main line cannot be stored; it stands in a comment where there is a move before it.";
    /// A variation's end.
    LOST_VARIATION = "cbf-variation", Variations,
        "The rest of a variation, or all of it, cannot be stored; it stands in a comment where there is a move before it.";
    /// A comment elsewhere, or cut.
    MOVED_COMMENT = "cbf-comment-moved", Comments,
        "A comment stands in another place: each move has one comment, right after it.";
    /// Characters.
    LOST_CHARACTERS = "cbf-characters", Comments,
        "A comment has characters that the charset has no code for: the nearest ones were written.";
    /// Comments without room.
    LOST_COMMENT = "cbf-comment", Comments,
        "A comment cannot be stored: no move to stand at, empty, or no room left.";
    /// A NAG without a symbol.
    LOST_NAG = "cbf-nag", Nags,
        "A move has one sign for itself, one for the position and one more: this NAG does not fit.";
    /// NAGs in another order or form.
    MOVED_NAG = "cbf-nag-form", Nags,
        "A NAG is stored in another order, or as the nearest sign.";
    /// A result at the end of the moves.
    LOST_ENDING = "cbf-movetext-result", Outcome,
        "The movetext ends with another result than the one that is stored: the format has one field.";
    /// A result within the moves.
    LOST_OUTCOME = "cbf-result", Outcome,
        "A result within the moves cannot be stored.";
    /// What could not be read before.
    LOST_BYTES = "cbf-unread", Extensions,
        "Bytes of moves or comments that could not be read are not written again: keep the damaged file, or this report.";
    /// What other formats know.
    LOST_EXTENSION = "cbf-extension", Extensions,
        "What only another format knows cannot be stored.";
}
