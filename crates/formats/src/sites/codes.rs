//! Every finding that reading games of sites can make, with its page of explanation.

tabiya_model::codes! {
    BROKEN_GAME = "site-broken-game", Damage,
        "A game is not valid JSON.",
        "Fetch the games again: usually the file was cut.",
        "What comes before the place is read. The rest of the game is kept with it as it stood. The next game is read as if nothing \
         had happened.";
    LONG_GAME = "site-long-game", Damage,
        "A game is longer than a game may be.",
        "Look at the file: a brace or a quote is missing.",
        "The beginning of the game, up to the limit, is read, and the rest of it is passed over. The limit protects memory.";
    CUT_INPUT = "site-cut-input", Damage,
        "The packed file is damaged or cut off.",
        "Find a better copy of the file.",
        "What was unpacked before the damage is read as if the file ended there. How many games are missing behind it is not known.";
    BAD_FEN = "site-bad-fen", Damage,
        "The starting position cannot be understood.",
        "Look at the tag FEN.",
        "Without its starting position no move of the game can be played: the moves are kept as text.";
    UNREADABLE_MOVE = "site-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the position that is named.",
        "The rest of the moves is kept as text, and what was said of them with the game. All other games are read.";
    ILLEGAL_MOVE = "site-illegal-move", Warning,
        "A move breaks the rules and can be played all the same.",
        "Check the moves before it.",
        "The move is kept as a move and the game goes on after it.";
    VARIANT = "site-variant", Note,
        "The game follows the rules of another kind of chess.",
        "Nothing needs to be done: its moves are kept as text.",
        "Standard chess and Chess960 are replayed. Of games of other variants the moves are kept as text, and the clocks and \
         evaluations in the tag SiteFields.";
    OTHER_MOVES = "site-other-moves", Warning,
        "The site gives the moves twice, and they differ.",
        "Look at the game on the site.",
        "The moves of the PGN count. The others are kept with the game.";
}
