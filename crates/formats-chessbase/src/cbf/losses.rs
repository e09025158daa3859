//! Data that CBF files cannot store.

tabiya_model::losses! {
    /// No room for the game.
    LOST_GAME = "cbf-full", Game,
        "The game file cannot grow beyond 4 GB: the game was not written.";
    /// A tag without a field.
    LOST_TAG = "cbf-tag", Tags,
        "The format has no field for this tag.";
    /// Names or sources that read differently.
    LOST_TEXT = "cbf-text", Tags,
        "A name, event, site or round is stored in another form: text fields hold 63 bytes, and site and event share one.";
    /// White space of names.
    LOST_LAYOUT = "cbf-layout", Layout,
        "White space in a name or an event was changed: tabs and line breaks become spaces.";
    /// A date's parts.
    LOST_DATE = "cbf-date", Tags,
        "Only the year of a date can be stored, from 1772 to 2026.";
    /// A rating out of range.
    LOST_ELO = "cbf-elo", Tags,
        "Ratings are stored in steps of five from 1605 to 2875.";
    /// An opening code.
    LOST_ECO = "cbf-eco", Tags,
        "The ECO code cannot be stored: games with a custom starting position have none, and Scid extensions are not supported.";
    /// Flags.
    LOST_FLAG = "cbf-flag", Tags,
        "Only the flags of deleted and marked games (D, U) can be stored.";
    /// The starting position.
    LOST_START = "cbf-start", Start,
        "The starting position cannot be stored completely: no move counters, no move numbers above 256, no Chess960 castling rights.";
    /// The main line's end.
    LOST_MOVES = "cbf-moves", Moves,
        "The rest of the main line cannot be stored; it is kept in a comment if there is a move before it.";
    /// A variation's end.
    LOST_VARIATION = "cbf-variation", Variations,
        "A variation cannot be stored, or not all of it; it is kept in a comment if there is a move before it.";
    /// A comment elsewhere, or cut.
    MOVED_COMMENT = "cbf-comment-moved", Comments,
        "A comment was moved: each move has one comment, directly after it.";
    /// Characters.
    LOST_CHARACTERS = "cbf-characters", Comments,
        "A comment has characters that are missing from the charset: the nearest ones were written.";
    /// Comments without room.
    LOST_COMMENT = "cbf-comment", Comments,
        "A comment cannot be stored: there is no move before it, it is empty, or there is no room left.";
    /// A NAG without a symbol.
    LOST_NAG = "cbf-nag", Nags,
        "A move has one symbol for the move, one for the position and one more: this NAG does not fit.";
    /// NAGs in another order or form.
    MOVED_NAG = "cbf-nag-form", Nags,
        "A NAG is stored in another order, or as the nearest symbol.";
    /// A result at the end of the moves.
    LOST_ENDING = "cbf-movetext-result", Outcome,
        "The result at the end of the movetext differs from the stored one: the format has one field.";
    /// A result within the moves.
    LOST_OUTCOME = "cbf-result", Outcome,
        "A result within the moves cannot be stored.";
    /// Unreadable data.
    LOST_BYTES = "cbf-unread", Extensions,
        "Unreadable bytes of moves or comments are not written: keep the damaged file, or this report.";
    /// Data specific to other formats.
    LOST_EXTENSION = "cbf-extension", Extensions,
        "Data specific to another format cannot be stored.";
}
