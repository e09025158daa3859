//! Every finding that reading PGN can make, with its page of explanation.

tabiya_model::codes! {
    UNREADABLE_MOVE = "pgn-unreadable-move", Damage,
        "A move cannot be played in its position.",
        "Look at the position that is named: usually the move is misspelt, or one before it is missing or wrong.",
        "The rest of that line, to the end of its variation or of the game, is kept as text. It is written back where it \
         stood, so that nothing is lost, but it is not searched and not replayed. All other lines and games are read.";
    ILLEGAL_MOVE = "pgn-illegal-move", Warning,
        "A move breaks the rules and can be played all the same.",
        "Check the moves before it: a king is left in check, or a right to castle is missing.",
        "The move is kept as a move and the game goes on after it.";
    AMBIGUOUS_MOVE = "pgn-ambiguous-move", Warning,
        "Ambiguous move: several pieces can make it, and the moves that follow decide.",
        "Write the file or rank of the piece that moves.",
        "The moves that follow can be played after only one of the candidates, which is taken; see pgn-guessed-move.";
    GUESSED_MOVE = "pgn-guessed-move", Damage,
        "Ambiguous move: several pieces can make it, and nothing decides between them.",
        "Write the file or rank of the piece that moves.",
        "The first of the candidates is taken, which may be the wrong one: the moves that follow can be played after several \
         of them, or after none.";
    VARIANT_MOVETEXT = "pgn-variant", Note,
        "The game follows the rules of another kind of chess.",
        "Nothing needs to be done: its moves are kept as text.",
        "Standard chess and Chess960 are replayed. Games of other variants keep their tags and their whole movetext, and \
         come out as they went in.";
    BAD_FEN = "pgn-bad-fen", Damage,
        "The starting position cannot be understood.",
        "Correct the FEN tag.",
        "Without its starting position no move of the game can be played: the movetext is kept as text.";
    ODD_FEN = "pgn-odd-fen", Warning,
        "The starting position breaks the rules or is not written as it should be.",
        "Look at the FEN tag; the message says what is odd.",
        "The position is used as far as it can be understood.";
    ODD_NOTATION = "pgn-odd-notation", Note,
        "A move is not written in standard algebraic notation.",
        "Nothing needs to be done: the move was understood, and is written in standard notation.",
        "Zeros in castling, long notation, engine notation, figurines, letters of other languages, `e.p.` and other forms \
         of promotion are read as the moves they mean; so are captures of pawns without a rank (`ed`, `e:d`), capitals \
         (`E4`), and letters of other alphabets that look the same.";
    LANGUAGE = "pgn-language", Note,
        "The moves are written with the piece letters of another language.",
        "Nothing needs to be done. {piece-letters} names the language where the wrong one was found.",
        "The letters are those of the language in which the moves of the main line can be played farther than in English \
         and in all others.";
    FOREIGN_LETTERS = "pgn-foreign-letters", Damage,
        "The moves seem to be written with the piece letters of another language.",
        "Open the file with the piece letters that the message names.",
        "The letter of a piece differs from language to language, and the same letter means different pieces. Without being \
         told, a language is read where the game can be played in it farther than in all others.";
    PROMOTION = "pgn-promotion", Warning,
        "A pawn reaches the last rank and nothing says what it becomes.",
        "Write the promotion, as in e8=Q.",
        "It is taken for a queen.";
    UNKNOWN_WORD = "pgn-unknown-word", Warning,
        "Unknown token in the movetext: neither a move nor a symbol.",
        "Put remarks into braces.",
        "The word is kept as text in its place, and reading goes on after it, where the moves and their numbers go on as if \
         it were not there. Where a move is due in its place, see pgn-unreadable-move.";
    MOVE_NUMBER = "pgn-move-number", Note,
        "A move number does not fit the position.",
        "Check whether moves are missing before it.",
        "Move numbers are not needed to read a game. Only the first wrong one of a game is reported.";
    BAD_NAG = "pgn-bad-nag", Warning,
        "A dollar sign is not followed by the number of an annotation.",
        "Correct the number after the dollar sign.",
        "Numbers up to 16777215 are kept as they are, also those that nobody has defined.";
    UNCLOSED_COMMENT = "pgn-unclosed-comment", Damage,
        "A comment is not closed.",
        "Put a closing brace where the comment ends.",
        "The comment is taken to end where the tags of the next game begin, or at the end of the file: moves in it are text. \
         Where a closing brace comes before any other opening one, the comment goes on over what looks like a game in it.";
    RAW_COMMENT = "pgn-raw-comment", Damage,
        "Movetext that could not be read is kept in a comment of its own.",
        "Look at the text: usually a move is misspelt, or a brace or a parenthesis is missing.",
        "Where such text would be read otherwise if it stood among the moves, it is written as a comment `{[%raw …]}`, in \
         which %7B stands for an opening brace and so on. It is read as the text that it was, and nothing of it is lost.";
    RAW_SIGN = "pgn-raw-sign", Warning,
        "A word or symbol that is not a move is kept in a comment of its own.",
        "Look at the text: it may be a comment without its braces.",
        "It is kept as the same unreadable movetext that stood between the moves before; see pgn-raw-comment.";
    STRAY_BRACE = "pgn-stray-brace", Warning,
        "A closing brace is outside of a comment.",
        "Comments do not nest: a brace inside a comment has closed it too early. Nested comments can be asked for.",
        "The brace is kept as text in its place, and reading goes on after it.";
    UNCLOSED_VARIATION = "pgn-unclosed-variation", Warning,
        "A variation is not closed at the end of the game.",
        "Put the missing closing parentheses where the variations end.",
        "The variations are closed at the end of the game.";
    STRAY_PARENTHESIS = "pgn-stray-parenthesis", Warning,
        "A closing parenthesis closes nothing.",
        "Remove it, or open the variation that it was meant to close.",
        "The parenthesis is kept as text in its place, and reading goes on after it.";
    EMPTY_VARIATION = "pgn-empty-variation", Note,
        "A variation has no moves.",
        "Put remarks into braces.",
        "What stands in the parentheses is kept as a part of the line around them.";
    LEADING_VARIATION = "pgn-leading-variation", Warning,
        "A variation is before the first move of its line.",
        "A variation belongs after the move that it replaces.",
        "The variation is moved behind the first move, which it replaces; where there is none, it is kept as text.";
    DEPTH_LIMIT = "pgn-depth", Damage,
        "Variations are nested more deeply than the limit.",
        "Raise the limit if the file is to be trusted.",
        "The innermost variations are kept as text.";
    SIZE_LIMIT = "pgn-size", Damage,
        "A game is larger than the limit.",
        "Raise the limit if the file is to be trusted.",
        "The game is cut into several ones; nothing of it is left out.";
    BAD_TAG = "pgn-bad-tag", Warning,
        "A tag is not written as it should be.",
        "A tag is a name and a value in double quotes, in square brackets; write a quote in a value as \\\".",
        "The value is taken as far as it can be told from what follows.";
    TAG_NAME = "pgn-tag-name", Note,
        "The name of a tag is spelt unusually.",
        "Names are made of letters, digits and underscores, and begin with a capital letter.",
        "Names of the roster are recognised in any case and restored. Other names are kept as they are.";
    DUPLICATE_TAG = "pgn-duplicate-tag", Note,
        "A tag occurs twice in a game.",
        "Remove the wrong one.",
        "Both are kept in their order; where one value is needed, the first counts.";
    MISSING_TERMINATOR = "pgn-missing-terminator", Note,
        "The game does not end with a result.",
        "Nothing needs to be done: the result of the tag is used.",
        "Every game should end with 1-0, 0-1, 1/2-1/2 or an asterisk.";
    RESULT_MISMATCH = "pgn-result-mismatch", Warning,
        "The Result tag and the result at the end of the game disagree.",
        "Correct the wrong one.",
        "Both are kept. A definite result counts more than an asterisk; of two definite ones that of the tag counts.";
    BAD_RESULT = "pgn-bad-result", Note,
        "The Result tag does not hold one of the four results.",
        "Write 1-0, 0-1, 1/2-1/2 or an asterisk.",
        "The value is kept as it is.";
    EXTRA_RESULT = "pgn-extra-result", Note,
        "A second result follows the end of the game.",
        "Remove one of them.",
        "The last one ends the game, the others are kept within it.";
    NO_BLANK_LINE = "pgn-no-blank-line", Note,
        "An empty line is missing between two games or between tags and moves.",
        "Nothing needs to be done.",
        "Games are told apart by their tags and results, too.";
    TEXT_BETWEEN_GAMES = "pgn-text-between-games", Warning,
        "There is text outside of the games.",
        "Put remarks into comments, or remove what does not belong to the file.",
        "Text before the first game becomes a comment at its beginning, other text a comment at the end of the game \
         before it.";
    CONTROL_CHARACTER = "pgn-control-character", Note,
        "There are control characters between the moves.",
        "Remove them; Ctrl-Z is an end mark of old programs, and runs of NUL bytes come from damaged disks.",
        "They are read like spaces.";
    ODD_SPACE = "pgn-odd-space", Note,
        "There are spaces between the moves that are not of ASCII.",
        "Nothing needs to be done; such spaces come from web pages and from programs for writing texts.",
        "No-break spaces, spaces of other widths, characters without a width and byte order marks are read like spaces.";
    ESCAPED_LINE = "pgn-escaped-line", Note,
        "A line begins with a percent sign.",
        "Nothing needs to be done.",
        "Such lines are meant for programs that know them. They are kept, and not read as moves.";
    CUT_INPUT = "pgn-cut-input", Damage,
        "The packed file is damaged or cut off.",
        "Find a better copy of the file.",
        "What was unpacked before the damage is read as if the file ended there. The last game may be cut, and how many games \
         are missing behind it is not known.";
    GUESSED_CHARSET = "pgn-guessed-charset", Note,
        "Texts are not UTF-8, and nothing says in which charset they are.",
        "Look at the letters of names: where they are wrong, {encoding} says it better.",
        "The charset is the one that the letters of the game speak for, else that of the texts at the beginning of the file, \
         else CP1252. The bytes are kept.";
    MIXED_TEXT = "pgn-mixed-text", Note,
        "A text is UTF-8 but for a few bytes.",
        "Look at the letters: {encoding} says in which charset such bytes are.",
        "The bytes that are no UTF-8 are read in the charset of the other texts of the file, else in CP1252. They are kept.";
    BAD_UTF16 = "pgn-bad-utf16", Warning,
        "The text is not valid UTF-16.",
        "Find a better copy of the file.",
        "What is no character has become a replacement character.";
}
