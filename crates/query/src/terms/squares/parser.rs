//! Parses sets of squares: `P passed [e-h]`, `(N or B) attacked-by p`.

use super::pawns::PawnFeature;
use super::{FILE_A, LIGHT, RANK_1, SquareSet, WHITE};
use crate::language::error::QueryError;

/// The most words of a set.
const MAX_WORDS: usize = 100;
/// How deep parentheses and words that take a set may be nested.
const MAX_DEPTH: usize = 30;
/// The bit of each piece.
const LETTERS: &str = "PNBRQKpnbrqk";

/// Every word that is no piece.
pub(crate) const WORDS: &[&str] = &[
    "white",
    "black",
    "light",
    "dark",
    "attacks",
    "attacked-by",
    "x-rays",
    "near",
    "between",
    "pinned",
    "passed",
    "isolated",
    "doubled",
    "connected",
    "backward",
    "hanging",
    "outpost",
    "fianchetto",
    "open",
    "half-open",
    "not",
    "or",
    "and",
];

type SquareSetResult<T> = std::result::Result<T, QueryError>;

/// Reads one set; errors count from the start of `text`. `names` are those of squares that have one.
pub(crate) fn parse_set(text: &str, names: &[String]) -> SquareSetResult<SquareSet> {
    let mut sets = parse_sets(text, names)?;
    match (sets.pop(), sets.is_empty()) {
        (Some(set), true) => Ok(set),
        _ => Err(QueryError::new(
            0..text.len().max(1),
            "one set of squares is expected here",
        )),
    }
}

/// Reads sets with commas between them.
pub(crate) fn parse_sets(text: &str, names: &[String]) -> SquareSetResult<Vec<SquareSet>> {
    let mut reader = SquareSetParser {
        text,
        at: 0,
        names,
        words: 0,
    };
    let mut sets = vec![reader.any(0)?];
    while reader.takes(",") {
        sets.push(reader.any(0)?);
    }
    reader.space();
    if reader.rest().is_empty() {
        Ok(sets)
    } else {
        Err(reader.wrong("this `)` has no `(`"))
    }
}

struct SquareSetParser<'t> {
    text: &'t str,
    at: usize,
    names: &'t [String],
    words: usize,
}

impl<'t> SquareSetParser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.space();
        let is_here = self.rest().starts_with(sign);
        if is_here {
            self.at += sign.len();
        }
        is_here
    }

    /// An error about the letter that stands here.
    fn wrong(&self, what: &str) -> QueryError {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        QueryError::new(self.at..self.at + width, what)
    }

    fn word(&self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "()[],".contains(c));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        self.space();
        let is_here = self.word() == keyword;
        if is_here {
            self.at += keyword.len();
        }
        is_here
    }

    fn any(&mut self, depth: usize) -> SquareSetResult<SquareSet> {
        let mut parts = vec![self.all(depth)?];
        while self.keyword("or") {
            parts.push(self.all(depth)?);
        }
        Ok(single(parts, SquareSet::Or))
    }

    fn all(&mut self, depth: usize) -> SquareSetResult<SquareSet> {
        let mut parts = vec![self.factor(depth)?];
        loop {
            let and = self.keyword("and");
            self.space();
            if !and
                && (self.rest().is_empty()
                    || self.rest().starts_with([')', ','])
                    || self.word() == "or")
            {
                return Ok(single(parts, SquareSet::and));
            }
            parts.push(self.factor(depth)?);
        }
    }

    fn factor(&mut self, depth: usize) -> SquareSetResult<SquareSet> {
        self.space();
        let start = self.at;
        self.words += 1;
        if depth > MAX_DEPTH || self.words > MAX_WORDS {
            return Err(self.wrong("this set of squares is too long or nested too deep"));
        }
        if self.takes("(") {
            let inner = self.any(depth + 1)?;
            return match self.takes(")") {
                true => Ok(inner),
                false => Err(QueryError::new(
                    start..start + 1,
                    "this `(` is never closed",
                )),
            };
        }
        if self.rest().starts_with('[') {
            return self.fixed();
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.wrong("a set of squares is missing here"));
        }
        self.at += word.len();
        let mut inner = || self.factor(depth + 1).map(Box::new);
        Ok(match word {
            "not" => SquareSet::Not(inner()?),
            "attacks" => SquareSet::Attacks(inner()?),
            "attacked-by" => SquareSet::AttackedBy(inner()?),
            "x-rays" => SquareSet::XRays(inner()?),
            "between" => {
                let from = inner()?;
                SquareSet::Between(from, inner()?)
            }
            "near" => {
                self.space();
                let far = self.word();
                let Some(moves) = far.parse().ok().filter(|moves| *moves <= 7) else {
                    return Err(QueryError::new(
                        self.at..self.at + far.len(),
                        "`near` needs a number of king's moves",
                    )
                    .help("write `near 1 k`"));
                };
                self.at += far.len();
                SquareSet::Near(moves, self.factor(depth + 1).map(Box::new)?)
            }
            "white" => SquareSet::Pieces(WHITE),
            "black" => SquareSet::Pieces(WHITE << 6),
            "light" => SquareSet::Fixed(LIGHT),
            "dark" => SquareSet::Fixed(!LIGHT),
            "pinned" => SquareSet::Pinned,
            "passed" => SquareSet::Pawns(PawnFeature::Passed),
            "isolated" => SquareSet::Pawns(PawnFeature::Isolated),
            "doubled" => SquareSet::Pawns(PawnFeature::Doubled),
            "connected" => SquareSet::Pawns(PawnFeature::Connected),
            "backward" => SquareSet::Pawns(PawnFeature::Backward),
            "hanging" => SquareSet::Pawns(PawnFeature::Hanging),
            "outpost" => SquareSet::Outposts,
            "fianchetto" => SquareSet::Fianchettos(3),
            "open" => SquareSet::OpenFiles,
            "half-open" => SquareSet::HalfOpenFiles,
            "-" => SquareSet::Empty,
            word => match (word.strip_prefix('$'), kinds(word)) {
                (Some(name), _) => {
                    let number = self.names.iter().rposition(|known| known == name);
                    SquareSet::Named(number.ok_or_else(|| {
                        QueryError::new(
                            start..self.at,
                            "no `some` or `all` around this gives a square this name",
                        )
                    })?)
                }
                (None, Some(kinds)) => SquareSet::Pieces(kinds),
                _ => {
                    let error = QueryError::new(start..self.at, "this is not a set of squares");
                    return Err(match crate::language::keywords::nearest(word, WORDS.iter().copied()) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error.help("pieces are letters such as `R`, `nb`, `A`; squares are in brackets, such as `[e4]` or `[a-c]`"),
                    });
                }
            },
        })
    }

    /// Reads `[d4]`, `[a-c]`, `[7]`, `[e-h5-6,d4]`.
    fn fixed(&mut self) -> SquareSetResult<SquareSet> {
        let start = self.at;
        let Some(end) = self.rest().find(']') else {
            return Err(QueryError::new(start..start + 1, "the `]` is missing"));
        };
        let inner = self.rest().get(1..end).unwrap_or_default();
        self.at += end + 1;
        let mut set = 0;
        let mut at = start + 1;
        for part in inner.split(',') {
            let block = block(part.trim());
            set |= block.ok_or_else(|| {
                QueryError::new(at..at + part.len().max(1), "these are not squares")
                    .help("write `[d4]`, `[a-c]`, `[7]` or `[e-h5-6,d4]`")
            })?;
            at += part.len() + 1;
        }
        Ok(SquareSet::Fixed(set))
    }
}

fn single(mut parts: Vec<SquareSet>, join: fn(Vec<SquareSet>) -> SquareSet) -> SquareSet {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            parts.extend(last);
            join(parts)
        }
    }
}

/// The kinds of pieces that letters stand for.
fn kinds(letters: &str) -> Option<u16> {
    letters.chars().try_fold(0, |kinds, letter| {
        Some(
            kinds
                | match letter {
                    'A' => WHITE,
                    'a' => WHITE << 6,
                    '*' => WHITE | WHITE << 6,
                    letter => 1 << LETTERS.find(letter)?,
                },
        )
    })
}

/// One bit for each of a range such as `a-c`, and what stands behind it.
fn range(text: &str, first: u8) -> Option<(u64, &str)> {
    let number = |byte: Option<&u8>| {
        let number = byte?.checked_sub(first)?;
        (number < 8).then_some(u32::from(number))
    };
    let bytes = text.as_bytes();
    let Some(low) = number(bytes.first()) else {
        return Some((RANK_1, text));
    };
    let (high, length) = match (bytes.get(1), number(bytes.get(2))) {
        (Some(b'-'), Some(high)) => (high, 3),
        _ => (low, 1),
    };
    let set = (low..=high).fold(0, |set, place| set | 1 << place);
    (set != 0).then_some((set, text.get(length..)?))
}

/// The squares of `d4`, `a-c`, `7` or `e-h5-6`.
fn block(text: &str) -> Option<u64> {
    let (files, rest) = range(text, b'a')?;
    let (ranks, rest) = range(rest, b'1')?;
    if text.is_empty() || !rest.is_empty() {
        return None;
    }
    let rows = (0..8).filter(|rank| ranks >> rank & 1 != 0);
    let set = rows.fold(0, |set, rank| set | files << (8 * rank));
    debug_assert_eq!(set & !(files * FILE_A), 0);
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_no_squares_is_refused_at_its_place() {
        for (text, span) in [
            ("", 0..0),
            ("P pased", 2..7),
            ("[i4]", 1..3),
            ("[c-a]", 1..4),
            ("(P", 0..1),
            ("P)", 1..2),
            ("near k", 5..6),
            ("$x", 0..2),
            ("attacks", 7..7),
            ("P or", 4..4),
            ("é", 0..2),
            ("[", 0..1),
            ("P,", 2..2),
        ] {
            let error = parse_sets(text, &[]).expect_err(text);
            assert_eq!(error.span, span, "{text}: {error}");
        }
        let deep = "(".repeat(1_000);
        assert!(parse_set(&deep, &[]).is_err());
        assert!(parse_set(&"not ".repeat(1_000), &[]).is_err());
        assert_eq!(block("e-h5-6"), Some(0xf0f0_0000_0000));
        assert_eq!(block("d4"), Some(1 << 27));
    }
}
