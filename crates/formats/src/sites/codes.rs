//! Every finding that reading games of sites can make, with its page of explanation.

tabiya_model::codes! {
    BROKEN_GAME = "site-broken-game", Damage,
        "A game is not valid JSON.",
        "Download the games again: usually the file is truncated.",
        "Everything before the error is read. The rest of the game is kept with it unchanged. The next game is read normally.";
    LONG_GAME = "site-long-game", Damage,
        "A game is longer than the limit.",
        "Check the file: a brace or a quote is missing.",
        "The beginning of the game, up to the limit, is read, and the rest of it is skipped. The limit protects memory.";
    CUT_INPUT = "site-cut-input", Damage,
        "The compressed file is damaged or truncated.",
        "Find a better copy of the file.",
        "Everything decompressed before the damage is read as if the file ended there. The number of missing games \
         after it is unknown.";
    BAD_FEN = "site-bad-fen", Damage,
        "The starting position is not valid.",
        "Look at the tag FEN.",
        "Without its starting position, no move of the game can be played: the moves are kept as text.";
    UNREADABLE_MOVE = "site-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the reported position.",
        "The other moves are kept as text, and their annotations with the game. All other games are read.";
    ILLEGAL_MOVE = "site-illegal-move", Warning,
        "A move is illegal, but can be played.",
        "Check the moves before it.",
        "The move is kept as a move, and the game continues after it.";
    VARIANT = "site-variant", Note,
        "The game is of another chess variant.",
        "No action is needed: its moves are kept as text.",
        "Standard chess and Chess960 are replayed. The moves of other variants are kept as text, and their clocks and \
         evaluations in the tag SiteFields.";
    OTHER_MOVES = "site-other-moves", Warning,
        "The site gives the moves twice, and they differ.",
        "Look at the game on the site.",
        "The moves in the PGN are used. The others are kept with the game.";
}
