//! Questions about material: how many pieces of which kind, sums and differences of them, bishops.
//!
//! ```text
//! KRP v KR                     exactly these pieces; KRPvKR too
//! KRP{1..3} v KR               one to three pawns
//! KRP... v KR...               at least these
//! any, minors>=2, wp-bp=1      sums and differences
//! KBP+ v KBP+, bishops=opposite
//! 8/8/4k3/8/8/4K3/8/8          the pieces of a position
//! ```

use std::ops::Range;

use tabiya_model::Board;

use crate::language::error::QueryError;
use crate::language::values::no_range;
pub use crate::terms::piece_counts::{PackedCounts, PieceCounts};
use crate::terms::piece_counts::{counts_of, pack, reach, unpack};
use crate::terms::piece_squares::{PieceSquares, piece_squares};

/// The words of both sides, and where they begin. `KRPvKR`, as columns and endgame tables have it, is `KRP v KR`.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let spaced = text.split(' ').scan(0, |next, word| {
        let start = *next;
        *next += word.len() + 1;
        Some((start, word))
    });
    spaced.flat_map(|(start, word)| {
        // `KRPKR`, as endgame tables have it, has its second side from the second king on.
        let second = word
            .get(1..)
            .and_then(|rest| rest.find('K'))
            .map(|at| at + 1);
        let parts = match word.find('v') {
            None if second.is_some_and(|at| word.starts_with('K') && at > 1) => {
                let at = second.unwrap_or(word.len());
                let (white, black) = word.split_at(at);
                [(start, white), (start + at, "v"), (start + at, black)]
            }
            Some(at) if word.len() > 1 && word != "vs" => {
                let (white, rest) = word.split_at(at);
                let (v, black) = rest.split_at(1);
                [(start, white), (start + at, v), (start + at + 1, black)]
            }
            _ => [(start, word), (start, ""), (start, "")],
        };
        // What is empty is no word.
        parts.into_iter().filter(|(_, part)| !part.is_empty())
    })
}

/// More pieces than any board holds.
const MANY: i32 = 64;
/// The most conditions in one question.
const MAX_CONDITIONS: usize = 64;

/// A sum of counts that has to lie within bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MaterialSum {
    factors: [i32; 12],
    low: i32,
    high: i32,
}

/// The bishops of two sides that have one each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BishopColors {
    Same,
    Opposite,
}

/// A question about material.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaterialTest {
    low: PieceCounts,
    high: PieceCounts,
    /// Both as they are compared.
    bounds: [PackedCounts; 2],
    sums: Vec<MaterialSum>,
    bishops: Option<BishopColors>,
    /// Whether the sides may be exchanged.
    pub either: bool,
}

const LETTERS: [u8; 6] = *b"PNBRQK";
const VALUES: [i32; 6] = [1, 3, 3, 5, 9, 0];

fn swapped(counts: &PieceCounts) -> PieceCounts {
    std::array::from_fn(|i| counts[(i + 6) % 12])
}

impl MaterialTest {
    /// Parses a question; errors count from the start of `text`.
    pub fn parse(text: &str) -> Result<MaterialTest, QueryError> {
        let mut material = MaterialTest {
            low: [0; 12],
            high: [64; 12],
            bounds: [[0; 2]; 2],
            sums: Vec::new(),
            bishops: None,
            either: false,
        };
        let mut at = 0;
        for (index, part) in text.split(',').enumerate() {
            let start = at + (part.len() - part.trim_start().len());
            at += part.len() + 1;
            let part = part.trim();
            if index == 0 {
                material
                    .parse_sides(part)
                    .map_err(|error| error.shifted(start))?;
            } else {
                material
                    .parse_condition(part)
                    .map_err(|error| error.shifted(start))?;
            }
            if material.sums.len() > MAX_CONDITIONS {
                return Err(QueryError::new(
                    start..start + part.len(),
                    "there are too many conditions",
                ));
            }
        }
        material.bounds = [pack(&material.low), pack(&material.high)];
        Ok(material)
    }

    fn parse_sides(&mut self, text: &str) -> Result<(), QueryError> {
        if text.eq_ignore_ascii_case("any") {
            return Ok(());
        }
        if text.contains('/') {
            let (board, _) = Board::from_fen(text).map_err(|error| {
                let offset = error.offset.min(text.len());
                QueryError::new(offset..offset + 1, format!("{error}"))
            })?;
            let counts = counts_of(&piece_squares(&board));
            (self.low, self.high) = (counts, counts);
            return Ok(());
        }
        let mut side = 0;
        let mut given = [false, false];
        for (start, word) in words(text) {
            let span = start..start + word.len();
            match word {
                "v" | "vs" | "-" | ":" => {
                    if side == 1 {
                        return Err(QueryError::new(span, "there are only two sides"));
                    }
                    side = 1;
                }
                _ if given[side] => {
                    return Err(QueryError::new(span, "this side already has its pieces")
                        .help("write the pieces of a side together: `KRP v KR`"));
                }
                _ => {
                    given[side] = true;
                    self.parse_side(side, word)
                        .map_err(|error| error.shifted(span.start))?;
                }
            }
        }
        if given != [true, true] {
            return Err(QueryError::new(
                0..text.len().max(1),
                "the pieces of two sides are needed",
            )
            .help("write them as in `KRP v KR`, or `any` before conditions"));
        }
        Ok(())
    }

    fn parse_side(&mut self, side: usize, word: &str) -> Result<(), QueryError> {
        let base = side * 6;
        let (pieces, open) = match word.strip_suffix("...").or_else(|| word.strip_suffix('…')) {
            Some(pieces) => (pieces, true),
            None => (word, word.eq_ignore_ascii_case("any")),
        };
        let mut low = [0_u8; 6];
        let mut high = [0_u8; 6];
        let bytes = pieces.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !pieces.eq_ignore_ascii_case("any") {
            let letter = bytes[at].to_ascii_uppercase();
            let Some(role) = LETTERS.iter().position(|l| *l == letter) else {
                return Err(QueryError::new(at..at + 1, "this is not a piece letter")
                    .help("pieces are K Q R B N P, each as often as it occurs, or with a count: P{1..3}, P+, P*, P?"));
            };
            let start = at;
            at += 1;
            let (from, to) = match bytes.get(at) {
                Some(b'+') => (1, 64),
                Some(b'*') => (0, 64),
                Some(b'?') => (0, 1),
                Some(b'{') => {
                    let rest = pieces.get(at + 1..).unwrap_or_default();
                    let Some(end) = rest.find('}') else {
                        return Err(QueryError::new(at..pieces.len(), "the `}` is missing"));
                    };
                    let inner = rest.get(..end).unwrap_or_default();
                    let range = parse_range(inner)
                        .filter(|(low, _)| *low >= 0 || inner.starts_with(".."))
                        .ok_or_else(|| {
                            let wrong = no_range(inner, "this is not a number of pieces");
                            QueryError::new(at + 1..at + 1 + end.max(1), wrong)
                                .help("write `{2}`, `{1..3}` or `{2..}`")
                        })?;
                    at += end + 1;
                    (small(range.0), small(range.1))
                }
                _ => {
                    at -= 1;
                    (1, 1)
                }
            };
            at += 1;
            low[role] = low[role].saturating_add(from).min(64);
            high[role] = high[role].saturating_add(to).min(64);
            if letter == b'K' && high[role] > 1 {
                return Err(QueryError::new(start..at, "a side has one king"));
            }
        }
        for role in 0..6 {
            // The king is there whether or not it is written.
            let king = role == 5;
            self.low[base + role] = if king { 0 } else { low[role] };
            self.high[base + role] = if king || open { 64 } else { high[role] };
        }
        Ok(())
    }

    fn parse_condition(&mut self, text: &str) -> Result<(), QueryError> {
        let help = "conditions are like `wp-bp=1`, `minors>=2`, `total<=7`, `wvalue-bvalue=3..5`, `bishops=opposite`";
        let bad = |span: Range<usize>, what: &str| QueryError::new(span, what).help(help);
        let Some(split) = text.find(['<', '>', '=']) else {
            return Err(bad(0..text.len().max(1), "this is not a condition"));
        };
        let (left, right) = text.split_at(split);
        let width = if right[1..].starts_with('=') { 2 } else { 1 };
        let (operator, value) = right.split_at(width);
        let value_span = split + width..text.len().max(split + width + 1);
        if left.trim().eq_ignore_ascii_case("bishops") && operator == "=" {
            match value.trim().to_ascii_lowercase().as_str() {
                "same" => self.bishops = Some(BishopColors::Same),
                "opposite" => self.bishops = Some(BishopColors::Opposite),
                _ => {
                    if parse_range(value.trim()).is_none() {
                        return Err(bad(
                            value_span,
                            "bishops are `same`, `opposite`, or a number",
                        ));
                    }
                }
            }
            if value.trim().starts_with(|c: char| c.is_ascii_alphabetic()) {
                return Ok(());
            }
        }
        let mut factors = [0; 12];
        let mut sign = 1;
        let mut at = 0;
        let mut any = false;
        for piece in left.split_inclusive(['+', '-']) {
            let (name, next) = match piece.strip_suffix('+') {
                Some(name) => (name, 1),
                None => piece
                    .strip_suffix('-')
                    .map_or((piece, 1), |name| (name, -1)),
            };
            let trimmed = name.trim();
            add_quantity(trimmed, sign, &mut factors)
                .ok_or_else(|| bad(at..at + name.len().max(1), "this cannot be counted"))?;
            any = true;
            sign = next;
            at += piece.len();
        }
        let range = parse_range(value.trim());
        let (low, high) = match (operator, range) {
            ("=" | "==", Some(range)) => range,
            ("<", Some((value, same))) if value == same => (i32::MIN, value - 1),
            ("<=", Some((value, same))) if value == same => (i32::MIN, value),
            (">", Some((value, same))) if value == same => (value + 1, i32::MAX),
            (">=", Some((value, same))) if value == same => (value, i32::MAX),
            _ => return Err(bad(value_span, "this is not a number")),
        };
        if !any || low > high {
            return Err(bad(0..text.len(), "this is not a condition"));
        }
        self.sums.push(MaterialSum { factors, low, high });
        Ok(())
    }

    /// Whether a position has this material. `pieces` are asked only where bishops matter.
    #[inline]
    pub(crate) fn matches(&self, counts: PackedCounts, pieces: &PieceSquares) -> bool {
        let [white, black] = counts;
        self.fits(counts, pieces) || (self.either && self.fits([black, white], pieces))
    }

    #[inline]
    fn fits(&self, counts: PackedCounts, pieces: &PieceSquares) -> bool {
        let [low, high] = &self.bounds;
        let is_within = reach(counts[0], low[0])
            && reach(counts[1], low[1])
            && reach(high[0], counts[0])
            && reach(high[1], counts[1]);
        is_within && self.fits_conditions(counts, pieces)
    }

    fn fits_conditions(&self, counts: PackedCounts, pieces: &PieceSquares) -> bool {
        if self.sums.is_empty() && self.bishops.is_none() {
            return true;
        }
        let counts = unpack(counts);
        self.sums.iter().all(|sum| {
            let total: i32 = counts
                .iter()
                .zip(sum.factors)
                .map(|(count, factor)| i32::from(*count) * factor)
                .sum();
            sum.low <= total && total <= sum.high
        }) && self
            .bishops
            .is_none_or(|bishops| bishops_fit(bishops, pieces))
    }

    /// Whether a position with these pieces has this material. Squares are used only if bishops matter.
    #[must_use]
    pub fn holds(&self, counts: &PieceCounts, pieces: &PieceSquares) -> bool {
        self.matches(pack(counts), pieces)
    }

    /// The most pieces of each kind in a matching position, with the sides as written.
    pub fn upper(&self) -> PieceCounts {
        self.high
    }

    /// The fewest pieces of each kind in a matching position, with the sides as written.
    pub fn lower(&self) -> PieceCounts {
        self.low
    }

    /// The same question with the sides exchanged.
    pub fn exchanged(&self) -> MaterialTest {
        MaterialTest {
            low: swapped(&self.low),
            high: swapped(&self.high),
            bounds: self.bounds.map(|[white, black]| [black, white]),
            ..self.clone()
        }
    }
}

fn bishops_fit(bishops: BishopColors, pieces: &PieceSquares) -> bool {
    const DARK: u64 = 0xaa55_aa55_aa55_aa55;
    let (white, black) = (pieces[2], pieces[8]);
    if !white.is_power_of_two() || !black.is_power_of_two() {
        return false;
    }
    let same = (white & DARK != 0) == (black & DARK != 0);
    same == (bishops == BishopColors::Same)
}

fn small(value: i32) -> u8 {
    u8::try_from(value.clamp(0, MANY)).unwrap_or(64)
}

/// Reads `3`, `1..3`, `2..` or `..4`.
fn parse_range(text: &str) -> Option<(i32, i32)> {
    let number = |text: &str| {
        text.trim()
            .parse::<i32>()
            .ok()
            .filter(|number| (-10_000..=10_000).contains(number))
    };
    let (low, high) = match text.split_once("..") {
        None => (number(text)?, number(text)?),
        Some(("", high)) => (-10_000, number(high)?),
        Some((low, "")) => (number(low)?, 10_000),
        Some((low, high)) => (number(low)?, number(high)?),
    };
    (low <= high).then_some((low, high))
}

/// Adds a quantity such as `wp`, `minors` or `bvalue` to the factors of a sum.
fn add_quantity(name: &str, sign: i32, factors: &mut [i32; 12]) -> Option<()> {
    let name = name.to_ascii_lowercase();
    let of = |name: &str| -> Option<[i32; 6]> {
        let mut one = [0; 6];
        let mut set = |roles: &[usize]| {
            for role in roles {
                one[*role] = 1;
            }
        };
        match name {
            "p" | "pawns" => set(&[0]),
            "n" | "knights" => set(&[1]),
            "b" | "bishops" => set(&[2]),
            "r" | "rooks" => set(&[3]),
            "q" | "queens" => set(&[4]),
            "minors" => set(&[1, 2]),
            "majors" => set(&[3, 4]),
            "pieces" => set(&[1, 2, 3, 4]),
            "all" | "total" | "men" => set(&[0, 1, 2, 3, 4, 5]),
            "value" => one = VALUES,
            _ => return None,
        }
        Some(one)
    };
    let (roles, sides) = match of(&name) {
        // One letter alone could be a side or a piece.
        Some(roles) if name.len() > 1 => (roles, [true, true]),
        _ => match (name.strip_prefix('w'), name.strip_prefix('b')) {
            (Some(rest), _) => (of(rest)?, [true, false]),
            (_, Some(rest)) => (of(rest)?, [false, true]),
            _ => return None,
        },
    };
    for (side, wanted) in sides.into_iter().enumerate() {
        for (role, factor) in roles.into_iter().enumerate() {
            if wanted {
                factors[side * 6 + role] += sign * factor;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(question: &str, fen: &str) -> bool {
        let pieces = piece_squares(&Board::from_fen(fen).expect("fen").0);
        MaterialTest::parse(question)
            .expect(question)
            .matches(pack(&counts_of(&pieces)), &pieces)
    }

    #[test]
    fn questions_are_answered() {
        let rook_ending = "8/8/4k3/r7/8/4K3/P7/R7 w - - 0 1";
        for (question, answer) in [
            ("KRP v KR", true),
            ("KRPvKR", true),
            ("KRP...vKR...", true),
            ("KRPPvKR", false),
            ("RP vs R", true),
            ("KR v KRP", false),
            ("KRP{1..3} v KR", true),
            ("KRPP v KR", false),
            ("KRP+ v KRP*", true),
            ("KRP+ v KRP+", false),
            ("KR... v KR...", true),
            ("K... v KQ...", false),
            ("any", true),
            ("any v R", true),
            ("any, wp-bp=1, men<=5", true),
            ("any, wvalue-bvalue=1", true),
            ("any, minors>0", false),
            ("any, rooks=2..3, pawns=1", true),
            ("any, bishops=opposite", false),
            ("any, bishops=0", true),
            ("8/8/4k3/8/r7/4K3/7P/R7", true),
        ] {
            assert_eq!(fits(question, rook_ending), answer, "{question}");
        }
        let bishops = "8/8/4k3/b7/8/4K3/8/B7 w - - 0 1";
        assert!(fits("KB v KB, bishops=same", bishops));
        assert!(!fits("KB v KB, bishops=opposite", bishops));
        assert!(fits(
            "KB v KB, bishops=opposite",
            "8/8/4k3/1b6/8/4K3/8/B7 w - - 0 1"
        ));
    }

    #[test]
    fn errors_point_at_their_place() {
        for (question, span) in [
            ("KX v K", 1..2),
            ("K v", 0..3),
            ("K v K v K", 6..7),
            ("KP{1 v K", 2..4),
            ("KP{x} v K", 3..4),
            ("any, foo=1", 5..8),
            ("any, wp>x", 8..9),
            ("any, wp", 5..7),
            ("", 0..1),
        ] {
            let error = MaterialTest::parse(question).expect_err(question);
            assert_eq!(error.span, span, "{question}: {error}");
        }
    }
}
