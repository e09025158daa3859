//! Other words for the terms of the language, as players and other programs write them.

/// Other names of terms that take an operator and a value, each with the name of the language.
const KEYS: &[(&str, &str)] = &[
    ("rating", "elo"),
    ("ratings", "elo"),
    ("elos", "elo"),
    ("whiteelo", "white-elo"),
    ("white-rating", "white-elo"),
    ("whiterating", "white-elo"),
    ("welo", "white-elo"),
    ("blackelo", "black-elo"),
    ("black-rating", "black-elo"),
    ("blackrating", "black-elo"),
    ("belo", "black-elo"),
    ("avg-elo", "average-elo"),
    ("avgelo", "average-elo"),
    ("averageelo", "average-elo"),
    ("average-rating", "average-elo"),
    ("elodiff", "elo-diff"),
    ("rating-diff", "elo-diff"),
    ("anyelo", "any-elo"),
    ("opponentelo", "opponent-elo"),
    ("opponent-rating", "opponent-elo"),
    ("length", "moves"),
    ("move-count", "moves"),
    ("movecount", "moves"),
    ("ply", "plies"),
    ("plycount", "plies"),
    ("ply-count", "plies"),
    ("half-moves", "plies"),
    ("halfmoves", "plies"),
    ("game", "number"),
    ("game-number", "number"),
    ("gamenumber", "number"),
    ("id", "number"),
    ("fen", "position"),
    ("epd", "position"),
    ("name", "player"),
    ("players", "player"),
    ("who", "player"),
    ("tournament", "event"),
    ("events", "event"),
    ("match", "event"),
    ("location", "site"),
    ("place", "site"),
    ("city", "site"),
    ("eventdate", "event-date"),
    ("played", "date"),
    ("timecontrol", "time-control"),
    ("tc", "time-control"),
    ("timeclass", "speed"),
    ("time-class", "speed"),
    ("federation", "country"),
    ("fed", "country"),
    ("nationality", "country"),
    ("whitefed", "white-country"),
    ("white-federation", "white-country"),
    ("blackfed", "black-country"),
    ("black-federation", "black-country"),
    ("whitetitle", "white-title"),
    ("blacktitle", "black-title"),
    ("eco-code", "eco"),
    ("ecocode", "eco"),
    ("comments", "comment"),
    ("commentary", "comment"),
    ("commenttext", "comment"),
    ("annotated-by", "annotator"),
    ("analyst", "annotator"),
    ("flags", "flag"),
    ("nags", "nag"),
    ("side-to-move", "turn"),
    ("sidetomove", "turn"),
    ("stm", "turn"),
    ("to-move", "turn"),
    ("men", "pieces"),
    ("fifty-move", "quiet-plies"),
    ("fifty-moves", "quiet-plies"),
    ("halfmove-clock", "quiet-plies"),
    ("legalmoves", "legal-moves"),
    ("movenumber", "at-move"),
    ("move-number", "at-move"),
    ("versus", "opponent"),
    ("vs", "opponent"),
    ("moveline", "line"),
    ("opening-line", "line"),
    ("pawn-structure", "structure"),
];

/// Other names of terms that stand alone.
const TERMS: &[(&str, &str)] = &[
    ("checkmate", "mate"),
    ("checkmates", "mate"),
    ("checkmated", "mate"),
    ("mates", "mate"),
    ("stalemates", "stalemate"),
    ("stalemated", "stalemate"),
    ("checks", "check"),
    ("doublecheck", "double-check"),
    ("discoveredcheck", "discovered-check"),
    ("disco-check", "discovered-check"),
    ("enpassant", "en-passant"),
    ("promotions", "promotion"),
    ("promoted", "promotion"),
    ("underpromotion", "under-promotion"),
    ("underpromotions", "under-promotion"),
    ("under-promotions", "under-promotion"),
    ("castle", "castling"),
    ("castles", "castling"),
    ("isolani", "isolated"),
    ("isolated-pawn", "isolated"),
    ("isolated-pawns", "isolated"),
    ("isolatedpawns", "isolated"),
    ("passed-pawn", "passed"),
    ("passed-pawns", "passed"),
    ("passedpawns", "passed"),
    ("passer", "passed"),
    ("passers", "passed"),
    ("doubled-pawn", "doubled"),
    ("doubled-pawns", "doubled"),
    ("doubledpawns", "doubled"),
    ("backward-pawn", "backward"),
    ("backward-pawns", "backward"),
    ("connected-pawns", "connected"),
    ("connectedpawns", "connected"),
    ("outposts", "outpost"),
    ("pin", "pinned"),
    ("pins", "pinned"),
    ("two-bishops", "bishop-pair"),
    ("bishops-pair", "bishop-pair"),
    ("bishoppair", "bishop-pair"),
    ("fianchettoed", "fianchetto"),
    ("sac", "sacrifice"),
    ("sacs", "sacrifice"),
    ("sacrifices", "sacrifice"),
    ("sacrificed", "sacrifice"),
    ("blunders", "blunder"),
    ("mistakes", "mistake"),
    ("inaccuracies", "inaccuracy"),
    ("opposite-side-castling", "opposite-castling"),
    ("open-file", "open-files"),
    ("half-open-file", "half-open-files"),
];

/// What single words mean that are no terms of their own.
const WORDS: &[(&str, &str)] = &[
    ("draw", "result:draw"),
    ("draws", "result:draw"),
    ("drawn", "result:draw"),
    ("remis", "result:draw"),
    ("decisive", "result:decisive"),
    ("unfinished", "result:*"),
    ("bullet", "(speed:bullet or event:bullet)"),
    ("blitz", "(speed:blitz or event:blitz)"),
    ("rapid", "(speed:rapid or event:rapid)"),
    ("classical", "(speed:classical or event:classical)"),
    (
        "correspondence",
        "(speed:correspondence or event:correspondence)",
    ),
    ("deleted", "flag:deleted"),
    ("annotated", "(has:comments or has:variations or has:nags)"),
    (
        "annotations",
        "(has:comments or has:variations or has:nags)",
    ),
    ("commented", "has:comments"),
    ("wtm", "turn:white"),
    ("btm", "turn:black"),
    ("opposite-bishops", "material:\"any, bishops=opposite\""),
    (
        "opposite-coloured-bishops",
        "material:\"any, bishops=opposite\"",
    ),
    (
        "opposite-colored-bishops",
        "material:\"any, bishops=opposite\"",
    ),
    (
        "opposite-colour-bishops",
        "material:\"any, bishops=opposite\"",
    ),
    (
        "opposite-color-bishops",
        "material:\"any, bishops=opposite\"",
    ),
    ("ocb", "material:\"any, bishops=opposite\""),
];

/// Words for which there is no query, and what to do instead.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "duplicate",
        "duplicates are found by another command, not by a query",
    ),
    (
        "duplicates",
        "duplicates are found by another command, not by a query",
    ),
    (
        "doubles",
        "duplicates are found by another command, not by a query",
    ),
    (
        "twins",
        "duplicates are found by another command, not by a query",
    ),
    (
        "novelty",
        "novelties are found by another command, not by a query",
    ),
    (
        "novelties",
        "novelties are found by another command, not by a query",
    ),
    (
        "zugzwang",
        "there is no term for zugzwang; write `comment:zugzwang` or `nag:$22`",
    ),
    (
        "fork",
        "write `pieces:\"N attacks k attacks q\"` for a fork by a knight",
    ),
    (
        "endgame",
        "write what is left on the board: `material:\"KR... v KR..., queens=0\"`",
    ),
    (
        "endgames",
        "write what is left on the board: `material:\"KR... v KR..., queens=0\"`",
    ),
    ("miniature", "write `moves<=20 result:decisive`"),
    ("miniatures", "write `moves<=20 result:decisive`"),
    (
        "upset",
        "write `elo-diff>=200 result:0-1` or `elo-diff<=-200 result:1-0`",
    ),
    (
        "upsets",
        "write `elo-diff>=200 result:0-1` or `elo-diff<=-200 result:1-0`",
    ),
    ("perpetual", "write `repetition>=3 check result:draw`"),
    ("threefold", "write `repetition>=3`"),
    ("won", "write `winner:NAME`, `result:1-0` or `result:0-1`"),
    ("wins", "write `winner:NAME`, `result:1-0` or `result:0-1`"),
    ("win", "write `winner:NAME`, `result:1-0` or `result:0-1`"),
    ("lost", "write `loser:NAME`, `result:1-0` or `result:0-1`"),
    ("losses", "write `loser:NAME`, `result:1-0` or `result:0-1`"),
];

/// What to write instead of names of terms that there are not.
const HINTS: &[(&str, &str)] = &[
    (
        "text",
        "write `comment:TEXT` for comments; a word alone is searched in names, events and sites",
    ),
    ("source", "write `tag[Source]:TEXT`"),
    ("termination", "write `tag[Termination]:TEXT`"),
    ("variant", "write `tag[Variant]:TEXT`"),
    ("whiteteam", "write `tag[WhiteTeam]:TEXT`"),
    ("blackteam", "write `tag[BlackTeam]:TEXT`"),
    ("team", "write `tag[WhiteTeam]:TEXT or tag[BlackTeam]:TEXT`"),
    ("board", "write `tag[Board]:TEXT`"),
    ("section", "write `tag[Section]:TEXT`"),
    ("color", "write `white:NAME` or `black:NAME`"),
    ("colour", "write `white:NAME` or `black:NAME`"),
    ("win", "write `winner:NAME`, `result:1-0` or `result:0-1`"),
    ("won", "write `winner:NAME`, `result:1-0` or `result:0-1`"),
    ("lost", "write `loser:NAME`, `result:1-0` or `result:0-1`"),
    (
        "score",
        "write `result:1-0` for results, `eval>1` for evaluations",
    ),
    (
        "endgame",
        "write what is left on the board: `material:\"KR... v KR..., queens=0\"`",
    ),
    (
        "piece",
        "write `pieces:\"N [d5]\"`, or `material:` for what is on the board",
    ),
    ("square", "write `pieces:\"N [d5]\"` for a knight on d5"),
    ("squares", "write `pieces:\"N [d5]\"` for a knight on d5"),
    (
        "capture",
        "write `captured:Q`, with `by:P` for what captures",
    ),
    (
        "captures",
        "write `captured:Q`, with `by:P` for what captures",
    ),
    ("takes", "write `captured:Q`, with `by:P` for what captures"),
    (
        "sort",
        "the order is not part of a query; it is an option of the search",
    ),
    (
        "limit",
        "the number of games is not part of a query; it is an option of the search",
    ),
    (
        "is",
        "write terms without `is`: `mate`, `check`, `result:draw`",
    ),
];

fn other(list: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    list.iter()
        .find(|(known, _)| *known == word)
        .map(|(_, meaning)| *meaning)
}

/// The name of the language for a term, in small letters with hyphens.
pub(crate) fn canonical(word: &str) -> Option<&'static str> {
    other(KEYS, word).or_else(|| other(TERMS, word))
}

/// Whether a word alone is another name of a term.
pub(crate) fn is_term(word: &str) -> bool {
    other(TERMS, word).is_some()
}

/// The query that a single word means.
pub(crate) fn query_of(word: &str) -> Option<&'static str> {
    other(WORDS, word)
}

/// What to do for a single word that no query answers.
pub(crate) fn advice(word: &str) -> Option<&'static str> {
    other(ELSEWHERE, word)
}

/// What to write instead of a term that there is not.
pub(crate) fn hint(key: &str) -> Option<&'static str> {
    other(HINTS, key)
}
