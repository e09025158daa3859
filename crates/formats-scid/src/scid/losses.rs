//! Data that Scid databases cannot hold.

tabiya_model::losses! {
    /// Chess960 in si4.
    LOST_CHESS960 = "scid-chess960", Game,
        "An si4 database cannot hold Chess960 games; si5 can.";
    /// A start that Scid refuses.
    LOST_POSITION = "scid-position", Game,
        "Scid refuses games with an illegal starting position.";
    /// A variant that nothing indicates.
    VARIANT = "scid-variant", Start,
        "Neither position nor tags show that the game is not standard chess.";
    /// A record that is too long.
    LOST_LONG_GAME = "scid-long-game", Game,
        "A game record holds at most 131,071 bytes.";
    /// The database is full.
    LOST_FULL = "scid-full", Game,
        "The database is full: games, names or bytes.";
    /// Annotations of a record that is too long.
    CUT_VARIATIONS = "scid-long-game-variations", Variations,
        "The game is too long for a record: its variations and annotations were left out.";
    /// Comments of a record that is too long.
    CUT_COMMENTS = "scid-long-game-comments", Comments,
        "The game is too long for a record: its comments were left out.";
    /// NAGs of a record that is too long.
    CUT_NAGS = "scid-long-game-nags", Nags,
        "The game is too long for a record: its NAGs were left out.";
    /// A name that is too long.
    LONG_NAME_CUT = "scid-name-cut", Tags,
        "A name is longer than Scid can hold and was cut.";
    /// A tag that is too long.
    LONG_TAG_CUT = "scid-tag-cut", Tags,
        "A tag's name has at most 240 bytes and its value 255, in si4 both together 249, because Scid 4.7 crashes on longer \
         ones; the rest was cut.";
    /// Flags.
    FLAGS = "scid-flags", Tags,
        "Letters of the ScidFlags tag are not flags, occur twice, or are derived from the moves.";
    /// A FEN in another form.
    FEN_FORM = "scid-fen-form", Layout,
        "The FEN tag is written in Scid's form with all of its fields, and castling rights as KQkq, unless another rook is \
         further out: the position is the same.";
    /// A FEN with more than a position.
    FEN_TEXT = "scid-fen-text", Tags,
        "The FEN tag holds more than the position; only the position is written.";
    /// A second tag of a name.
    SECOND_TAG = "scid-second-tag", Tags,
        "A second Date, ECO, EventDate or FEN tag, or a tag MovetextResult, is not always distinguishable from the original.";
    /// NAGs.
    MANY_NAGS_CUT = "scid-many-nags", Nags,
        "Scid refuses a move with more than seven NAGs.";
    /// A NAG number.
    HIGH_NAG = "scid-high-nag", Nags,
        "Scid holds NAGs up to 255.";
    /// Comments.
    COMMENTS_JOINED = "scid-comments-joined", Comments,
        "Scid holds one comment per place; several were joined.";
    /// NUL in texts.
    NUL = "scid-nul", Comments,
        "A text holds a NUL, which ends texts in Scid's files; it became a space.";
    /// Unreadable movetext.
    RAW = "scid-unreadable-movetext", Moves,
        "Unreadable movetext was written as a comment.";
    /// Moves that cannot be coded.
    MOVE = "scid-move", Moves,
        "A move that Scid cannot store, and the rest of its line, was left out.";
    /// Extensions.
    EXTENSION = "scid-extension", Extensions,
        "Scid cannot hold data specific to another format.";
    /// A result within the movetext.
    INNER_OUTCOME = "scid-inner-result", Outcome,
        "Scid cannot hold a result within the movetext.";
}
