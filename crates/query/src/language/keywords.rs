//! The words of the language, and those that are similar to a misspelt one.

/// Every word of the language: those that can be before an operator or parentheses, and those that join terms.
pub const KEYS: &[&str] = &[
    "white",
    "black",
    "player",
    "event",
    "site",
    "round",
    "annotator",
    "opening",
    "time-control",
    "title",
    "white-title",
    "black-title",
    "country",
    "white-country",
    "black-country",
    "tag",
    "comment",
    "elo",
    "white-elo",
    "black-elo",
    "any-elo",
    "average-elo",
    "elo-diff",
    "year",
    "plies",
    "moves",
    "number",
    "date",
    "event-date",
    "eco",
    "result",
    "has",
    "nag",
    "flag",
    "clock",
    "eval",
    "inaccuracy",
    "mistake",
    "blunder",
    "missed-mate",
    "best-move",
    "accuracy",
    "acpl",
    "eval-swing",
    "speed",
    "position",
    "structure",
    "files",
    "material",
    "pattern",
    "line",
    "sequence",
    "turn",
    "castling",
    "promotion",
    "under-promotion",
    "en-passant",
    "mate",
    "stalemate",
    "check",
    "ends",
    "same",
    "variations",
    "main",
    "winner",
    "loser",
    "with",
    "against",
    "opponent",
    "opponent-elo",
    "month",
    "move",
    "moved",
    "captured",
    "double-check",
    "discovered-check",
    "legal-moves",
    "quiet-plies",
    "repetition",
    "at-ply",
    "at-move",
    "order",
    "pieces",
    "similar",
    "white-clock",
    "black-clock",
    "arrow",
    "highlight",
    "sacrifice",
    "exchange",
    "distance",
    "ray",
    "some",
    "all",
    "passed",
    "isolated",
    "doubled",
    "connected",
    "backward",
    "hanging-pawns",
    "outpost",
    "fianchetto",
    "pinned",
    "bishop-pair",
    "open-files",
    "half-open-files",
    "opposite-castling",
    "castled",
    "count",
    "repertoire",
    "leaves",
    "and",
    "or",
    "not",
];

/// The known word that is nearest, if it is near enough.
pub(crate) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    known
        .map(|other| {
            let same_start = word.chars().next() == other.chars().next();
            (distance(word, other), !same_start, other)
        })
        .filter(|(distance, _, other)| *distance <= 2 && *distance < other.len())
        .min()
        .map(|(.., other)| other)
}

/// How many letters have to be changed, put in or taken out.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (corner + usize::from(x != *y))
                .min(above + 1)
                .min(row[j] + 1);
            corner = above;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
