//! Every finding that reading PGN can make, with its page of explanation.

tabiya_model::codes! {
    UNREADABLE_MOVE = "pgn-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the reported position: usually the move is misspelt, or an earlier one is missing or wrong.",
        "The rest of that line, to the end of its variation or of the game, is kept as text. It is written back in its \
         place, so nothing is lost, but it is not searched or replayed. All other lines and games are read.";
    ILLEGAL_MOVE = "pgn-illegal-move", Warning,
        "A move is illegal, but can be played.",
        "Check the moves before it: a king is left in check, or castling rights are missing.",
        "The move is kept as a move, and the game continues after it.";
    AMBIGUOUS_MOVE = "pgn-ambiguous-move", Warning,
        "Ambiguous move: several pieces can make it, and the moves that follow decide.",
        "Write the file or rank of the piece that moves.",
        "The moves that follow can be played after only one of the candidates, which is used; see pgn-guessed-move.";
    GUESSED_MOVE = "pgn-guessed-move", Damage,
        "Ambiguous move: several pieces can make it, and nothing decides between them.",
        "Write the file or rank of the piece that moves.",
        "The first candidate is used, which may be wrong: the moves that follow can be played after several of them, or \
         after none.";
    VARIANT_MOVETEXT = "pgn-variant", Note,
        "The game is of another chess variant.",
        "No action is needed: its moves are kept as text.",
        "Standard chess and Chess960 are replayed. Games of other variants keep their tags and their whole movetext, and \
         are written back unchanged.";
    BAD_FEN = "pgn-bad-fen", Damage,
        "The starting position is not valid.",
        "Correct the FEN tag.",
        "Without its starting position, no move of the game can be played: the movetext is kept as text.";
    ODD_FEN = "pgn-odd-fen", Warning,
        "The starting position is illegal or not in standard form.",
        "Look at the FEN tag; the message says what is wrong.",
        "The position is used as far as possible.";
    ODD_NOTATION = "pgn-odd-notation", Note,
        "A move is not written in standard algebraic notation.",
        "No action is needed: the move was recognised, and is written in standard notation.",
        "Zeros in castling, long notation, engine notation, figurines, letters of other languages, `e.p.` and other forms \
         of promotion are read as the moves they mean; so are pawn captures without a rank (`ed`, `e:d`), capitals \
         (`E4`), and look-alike letters of other alphabets.";
    LANGUAGE = "pgn-language", Note,
        "The moves are written with the piece letters of another language.",
        "No action is needed. If the wrong language was detected, choose it with {piece-letters}.",
        "The language is the one in which more moves of the main line can be played than in English and in all others.";
    FOREIGN_LETTERS = "pgn-foreign-letters", Damage,
        "The moves seem to be written with the piece letters of another language.",
        "Open the file with the piece letters in the message.",
        "Piece letters differ from language to language, and the same letter means different pieces. By default, another \
         language is used only if more of the game can be played in it than in all others.";
    PROMOTION = "pgn-promotion", Warning,
        "A pawn reaches the last rank without a promotion piece.",
        "Write the promotion, as in e8=Q.",
        "It is promoted to a queen.";
    UNKNOWN_WORD = "pgn-unknown-word", Warning,
        "Unknown token in the movetext: neither a move nor a symbol.",
        "Put comments in braces.",
        "The token is kept as text in its place. If the moves and their numbers continue as if it were not there, reading \
         continues after it. If a move is expected in its place, see pgn-unreadable-move.";
    MOVE_NUMBER = "pgn-move-number", Note,
        "A move number does not match the position.",
        "Check whether moves are missing before it.",
        "Move numbers are not needed to read a game. Only the first wrong one of a game is reported.";
    BAD_NAG = "pgn-bad-nag", Warning,
        "A dollar sign is not followed by the number of a NAG.",
        "Correct the number after the dollar sign.",
        "Numbers up to 16777215 are kept, even if they have no known meaning.";
    UNCLOSED_COMMENT = "pgn-unclosed-comment", Damage,
        "A comment is not closed.",
        "Put a closing brace where the comment ends.",
        "The comment ends where the tags of the next game begin, or at the end of the file: moves in it are text. If a \
         closing brace comes before another opening one, the comment continues over what looks like a game in it.";
    RAW_COMMENT = "pgn-raw-comment", Damage,
        "Unreadable movetext is kept in a comment of its own.",
        "Look at the text: usually a move is misspelt, or a brace or a parenthesis is missing.",
        "If such text would be read differently among the moves, it is written as a comment `{[%raw …]}`, in which %7B \
         means an opening brace and so on. It is read back as the original text, so nothing is lost.";
    RAW_SIGN = "pgn-raw-sign", Warning,
        "A word or symbol that is not a move is kept in a comment of its own.",
        "Look at the text: it may be a comment without its braces.",
        "It is kept as unreadable movetext, as it was between the moves before; see pgn-raw-comment.";
    STRAY_BRACE = "pgn-stray-brace", Warning,
        "A closing brace is outside a comment.",
        "Comments do not nest: a brace inside a comment has closed it too early. An option allows nested comments.",
        "The brace is kept as text in its place, and reading continues after it.";
    UNCLOSED_VARIATION = "pgn-unclosed-variation", Warning,
        "A variation is not closed at the end of the game.",
        "Put the missing closing parentheses where the variations end.",
        "The variations are closed at the end of the game.";
    STRAY_PARENTHESIS = "pgn-stray-parenthesis", Warning,
        "A closing parenthesis closes nothing.",
        "Remove it, or open the variation that it was meant to close.",
        "The parenthesis is kept as text in its place, and reading continues after it.";
    EMPTY_VARIATION = "pgn-empty-variation", Note,
        "A variation has no moves.",
        "Put comments in braces.",
        "The content of the parentheses is kept as part of the line around them.";
    LEADING_VARIATION = "pgn-leading-variation", Warning,
        "A variation is before the first move of its line.",
        "A variation belongs after the move that it replaces.",
        "The variation is moved after the first move, which it replaces; if there is none, it is kept as text.";
    DEPTH_LIMIT = "pgn-depth", Damage,
        "Variations are nested more deeply than the limit.",
        "Raise the limit if you trust the file.",
        "The innermost variations are kept as text.";
    SIZE_LIMIT = "pgn-size", Damage,
        "A game is larger than the limit.",
        "Raise the limit if you trust the file.",
        "The game is split into several games; nothing of it is left out.";
    BAD_TAG = "pgn-bad-tag", Warning,
        "A tag is malformed.",
        "A tag is a name and a value in double quotes, in square brackets; write a quote in a value as \\\".",
        "The value is read as far as possible from the text that follows.";
    TAG_NAME = "pgn-tag-name", Note,
        "A tag name is unusual.",
        "Names are made of letters, digits and underscores, and begin with a capital letter.",
        "Names of the Seven Tag Roster are recognised in any case and corrected. Other names are kept unchanged.";
    DUPLICATE_TAG = "pgn-duplicate-tag", Note,
        "A tag occurs twice in a game.",
        "Remove the wrong one.",
        "Both are kept in their order; if one value is needed, the first counts.";
    MISSING_TERMINATOR = "pgn-missing-terminator", Note,
        "The game does not end with a result.",
        "No action is needed: the result of the tag is used.",
        "Every game should end with 1-0, 0-1, 1/2-1/2 or an asterisk.";
    RESULT_MISMATCH = "pgn-result-mismatch", Warning,
        "The Result tag and the result at the end of the game disagree.",
        "Correct the wrong one.",
        "Both are kept. A definite result counts more than an asterisk; if both are definite, the tag counts.";
    BAD_RESULT = "pgn-bad-result", Note,
        "The Result tag does not hold one of the four results.",
        "Write 1-0, 0-1, 1/2-1/2 or an asterisk.",
        "The value is kept unchanged.";
    EXTRA_RESULT = "pgn-extra-result", Note,
        "A second result follows the end of the game.",
        "Remove one of them.",
        "The last one ends the game, the others are kept within it.";
    NO_BLANK_LINE = "pgn-no-blank-line", Note,
        "An empty line is missing between two games or between tags and moves.",
        "No action is needed.",
        "Tags and results also separate games.";
    TEXT_BETWEEN_GAMES = "pgn-text-between-games", Warning,
        "There is text outside the games.",
        "Put it into comments, or remove it if it does not belong to the file.",
        "Text before the first game becomes a comment at its beginning, other text a comment at the end of the game \
         before it.";
    CONTROL_CHARACTER = "pgn-control-character", Note,
        "There are control characters between the moves.",
        "Remove them; Ctrl-Z is the end mark of old programs, and runs of NUL bytes come from damaged disks.",
        "They are read like spaces.";
    ODD_SPACE = "pgn-odd-space", Note,
        "There are non-ASCII spaces between the moves.",
        "No action is needed; such spaces come from web pages and word processors.",
        "No-break spaces, spaces of other widths, zero-width characters and byte order marks are read like spaces.";
    ESCAPED_LINE = "pgn-escaped-line", Note,
        "A line begins with a percent sign.",
        "No action is needed.",
        "Such lines are meant for programs that know them. They are kept, and not read as moves.";
    CUT_INPUT = "pgn-cut-input", Damage,
        "The compressed file is damaged or truncated.",
        "Find a better copy of the file.",
        "Everything decompressed before the damage is read as if the file ended there. The last game may be incomplete, and \
         the number of missing games after it is unknown.";
    GUESSED_CHARSET = "pgn-guessed-charset", Note,
        "Texts are not UTF-8, and their charset is not stored.",
        "Check the letters of names: if they are wrong, choose the charset with {encoding}.",
        "The charset is detected from the letters of the game, or from the texts at the beginning of the file, or else is \
         CP1252. The bytes are kept.";
    MIXED_TEXT = "pgn-mixed-text", Note,
        "A text is UTF-8 except for a few bytes.",
        "Check the letters: {encoding} sets the charset of such bytes.",
        "The bytes that are not UTF-8 are read in the charset of the other texts of the file, or else in CP1252. They are kept.";
    BAD_UTF16 = "pgn-bad-utf16", Warning,
        "The text is not valid UTF-16.",
        "Find a better copy of the file.",
        "Invalid characters became replacement characters.";
}
