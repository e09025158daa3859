//! Values after operators: numbers, dates, times, evaluations, and ranges of them.

use std::ops::Range;

use tabiya_model::date::Date;

/// What stands between a field and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TermOperator {
    /// `:`
    Is,
    /// `=`
    Equals,
    /// `!=`
    Differs,
    /// `~`
    Contains,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueKind {
    /// As one word.
    Bare,
    /// In quotes.
    Quoted,
    /// In slashes.
    Regex,
}

/// A value with its place in the query.
#[derive(Clone, Debug)]
pub(crate) struct TermValue {
    /// The text between the quotes.
    pub(crate) text: String,
    pub(crate) kind: ValueKind,
    /// All of it.
    pub(crate) span: Range<usize>,
    /// Where the text begins.
    pub(crate) inner: usize,
}

impl TermValue {
    /// The values between commas, each with its place.
    pub(crate) fn parts(self) -> Vec<TermValue> {
        if !self.text.contains(',') {
            return vec![self];
        }
        let mut at = self.inner;
        let part = |text: &str| {
            let inner = at + text.len() - text.trim_start().len();
            at += text.len() + 1;
            TermValue {
                text: text.trim().to_owned(),
                kind: self.kind,
                span: inner..inner + text.trim().len(),
                inner,
            }
        };
        self.text.split(',').map(part).collect()
    }

    /// The text, each backslash taken as leave to write the next letter.
    pub(crate) fn plain(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut chars = self.text.chars();
        while let Some(c) = chars.next() {
            out.push(if c == '\\' {
                chars.next().unwrap_or('\\')
            } else {
                c
            });
        }
        out
    }
}

/// The bounds, both included, that an operator and a value such as `5`, `5..7`, `..7` or `5..` give.
pub(crate) fn number_range(
    operator: TermOperator,
    text: &str,
    read: impl Fn(&str) -> Option<i64>,
) -> Option<(i64, i64)> {
    let (operator, text) = with_sign(operator, text);
    let one = || read(text);
    match operator {
        TermOperator::Is | TermOperator::Equals => match range_ends(text) {
            Some((low, high)) => {
                let bound = |text: &str, open| match text.trim() {
                    "" => Some(open),
                    text => read(text),
                };
                let (low, high) = (bound(low, i64::MIN)?, bound(high, i64::MAX)?);
                (low <= high).then_some((low, high))
            }
            None => one().map(|n| (n, n)),
        },
        TermOperator::Below => Some((i64::MIN, one()?.checked_sub(1)?)),
        TermOperator::AtMost => Some((i64::MIN, one()?)),
        TermOperator::Above => Some((one()?.checked_add(1)?, i64::MAX)),
        TermOperator::AtLeast => Some((one()?, i64::MAX)),
        TermOperator::Differs | TermOperator::Contains => None,
    }
}

/// What a sign at the value says: `elo:>2500`, `elo:2500+`.
pub(crate) fn with_sign(operator: TermOperator, text: &str) -> (TermOperator, &str) {
    let text = text.trim();
    if !matches!(operator, TermOperator::Is | TermOperator::Equals) {
        return (operator, text);
    }
    let signs = [
        (">=", TermOperator::AtLeast),
        ("=>", TermOperator::AtLeast),
        ("≥", TermOperator::AtLeast),
        ("<=", TermOperator::AtMost),
        ("=<", TermOperator::AtMost),
        ("≤", TermOperator::AtMost),
        (">", TermOperator::Above),
        ("<", TermOperator::Below),
    ];
    for (sign, operator) in signs {
        if let Some(rest) = text.strip_prefix(sign) {
            return (operator, rest.trim_start());
        }
    }
    match text.strip_suffix('+') {
        Some(rest) if !rest.is_empty() => (TermOperator::AtLeast, rest.trim_end()),
        _ => (operator, text),
    }
}

/// The ends of a range, written with `..`, or with a dash behind a digit, which is no sign of a number.
pub(crate) fn range_ends(text: &str) -> Option<(&str, &str)> {
    if let Some(ends) = text.split_once("..") {
        return Some(ends);
    }
    if let Some(ends) = text.split_once('…') {
        return Some(ends);
    }
    dashes(text).next()
}

/// What is before and behind each dash that follows a digit.
fn dashes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_dash = |c: char| matches!(c, '-' | '–' | '—');
    text.match_indices(is_dash).filter_map(move |(at, dash)| {
        let (low, high) = (text.get(..at)?, text.get(at + dash.len()..)?);
        low.trim_end()
            .ends_with(|c: char| c.is_ascii_alphanumeric())
            .then_some((low, high))
    })
}

/// The ends of a range of dates, in which dashes also stand between year and month.
fn date_ends(text: &str) -> Option<(&str, &str)> {
    if text.contains("..") || text.contains('…') {
        return range_ends(text);
    }
    if date(text).is_some() {
        return None;
    }
    let is_open = |high: &str| high.trim().is_empty();
    dashes(text).find(|(low, high)| {
        date(low.trim()).is_some() && (is_open(high) || date(high.trim()).is_some())
    })
}

pub(crate) fn within(low: i64, high: i64, value: i64) -> bool {
    low <= value && value <= high
}

/// What is said of a range such as `9..3`.
pub(crate) const REVERSED: &str = "this range is reversed: nothing is between its ends";

/// Whether a value is a range of which the first end is above the second.
pub(crate) fn is_reversed(text: &str, is_above: impl Fn(&str, &str) -> bool) -> bool {
    range_ends(text).is_some_and(|(low, high)| {
        let (low, high) = (low.trim(), high.trim());
        !low.is_empty() && !high.is_empty() && is_above(low, high)
    })
}

/// What is wrong with a value that is no range of whole numbers: that it is reversed, or something else.
pub(crate) fn no_range(text: &str, otherwise: &'static str) -> &'static str {
    let whole = |text: &str| text.parse::<u64>().ok();
    match is_reversed(text, |low, high| whole(low) > whole(high)) {
        true => REVERSED,
        false => otherwise,
    }
}

/// Reads `2500` or `2500.5` as halves.
pub(crate) fn halves(text: &str) -> Option<i64> {
    let (whole, half) = match text.split_once('.') {
        Some((whole, "5")) => (whole, 1),
        Some((whole, "0")) => (whole, 0),
        Some(_) => return None,
        None => (text, 0),
    };
    let whole = whole
        .parse::<i64>()
        .ok()
        .filter(|n| (0..1 << 50).contains(n))?;
    Some(2 * whole + half)
}

/// A bound of dates: only the given parts are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DateBound {
    /// The year.
    pub year: u16,
    /// The month.
    pub month: Option<u8>,
    /// The day.
    pub day: Option<u8>,
}

impl DateBound {
    /// Whether nothing can lie between this as the lower bound and another as the upper one.
    pub(crate) fn is_after(self, high: DateBound) -> bool {
        let mut pairs = [
            (Some(self.year), Some(high.year)),
            (self.month.map(u16::from), high.month.map(u16::from)),
            (self.day.map(u16::from), high.day.map(u16::from)),
        ]
        .into_iter();
        // The first parts that differ decide; what a bound leaves out is open.
        pairs
            .find(|(low, high)| low != high)
            .is_some_and(|(low, high)| matches!((low, high), (Some(low), Some(high)) if low > high))
    }

    /// How a date compares with the bound; unknown parts come before known ones.
    pub(crate) fn compare(self, date: Date) -> std::cmp::Ordering {
        let year = date.year.unwrap_or(0).cmp(&self.year);
        let part = |mine: Option<u8>, other: Option<u8>| {
            mine.map_or(std::cmp::Ordering::Equal, |mine| {
                other.unwrap_or(0).cmp(&mine)
            })
        };
        year.then(part(self.month, date.month))
            .then(part(self.day, date.day))
    }
}

/// Two bounds of dates, each of which may be open.
pub(crate) type DateRange = (Option<DateBound>, Option<DateBound>);

/// The bounds that an operator and a value such as `1972`, `1972..1975.06` give.
pub(crate) fn date_range(operator: TermOperator, text: &str) -> Option<DateRange> {
    let (operator, text) = with_sign(operator, text);
    let one = || date(text);
    match operator {
        TermOperator::Is | TermOperator::Equals => match date_ends(text) {
            Some((low, high)) => {
                let bound = |text: &str| match text.trim() {
                    "" => Some(None),
                    text => date(text).map(Some),
                };
                Some((bound(low)?, bound(high)?))
            }
            None => one().map(|date| (Some(date), Some(date))),
        },
        TermOperator::AtMost => Some((None, Some(one()?))),
        TermOperator::AtLeast => Some((Some(one()?), None)),
        // The neighbours of a bound, in its own precision.
        TermOperator::Below => Some((None, Some(before(one()?)?))),
        TermOperator::Above => Some((Some(after(one()?)?), None)),
        TermOperator::Differs | TermOperator::Contains => None,
    }
}

fn before(mut bound: DateBound) -> Option<DateBound> {
    // Days and months that no calendar has are fine here: only the order counts.
    match (&mut bound.month, &mut bound.day) {
        (Some(_), Some(day @ 1..)) => *day -= 1,
        (Some(month @ 1..), None) => *month -= 1,
        _ => bound.year = bound.year.checked_sub(1)?,
    }
    Some(bound)
}

fn after(mut bound: DateBound) -> Option<DateBound> {
    match (&mut bound.month, &mut bound.day) {
        (Some(_), Some(day)) => *day += 1,
        (Some(month), None) => *month += 1,
        _ => bound.year = bound.year.checked_add(1)?,
    }
    Some(bound)
}

fn date(text: &str) -> Option<DateBound> {
    let mut parts = text.split(['.', '-', '/']).map(str::trim);
    let year = parts
        .next()?
        .parse::<u16>()
        .ok()
        .filter(|year| *year <= 9999)?;
    let mut part = |most: u8| match parts.next() {
        None | Some("?" | "??") => Some(None),
        Some(text) => text
            .parse::<u8>()
            .ok()
            .filter(|n| (1..=most).contains(n))
            .map(Some),
    };
    let month = part(12)?;
    let day = part(31)?;
    if parts.next().is_some() || (month.is_none() && day.is_some()) {
        return None;
    }
    Some(DateBound { year, month, day })
}

/// Reads `45`, `5:00` or `1:30:00` as milliseconds.
pub(crate) fn clock(text: &str) -> Option<i64> {
    let time = tabiya_model::command::ClockTime::parse(text)?;
    let amount = i64::try_from(time.amount.as_millis()).ok()?;
    Some(if time.negative { -amount } else { amount })
}

/// What a mate is worth, in hundredths of a pawn.
const MATE: i64 = 100_000;

/// What a mate in so many moves is worth.
pub(crate) fn mate_score(moves: i64) -> i64 {
    if moves < 0 {
        -MATE - moves
    } else {
        MATE - moves
    }
}

/// Reads `0.35`, `-2` or `#5` as hundredths of a pawn.
pub(crate) fn score(text: &str) -> Option<i64> {
    if let Some(mate) = text.strip_prefix('#') {
        return mate
            .parse::<i64>()
            .ok()
            .filter(|moves| moves.abs() < 10_000)
            .map(mate_score);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits_only = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() == 0
        || whole.len() > 6
        || fraction.len() > 2
        || !digits_only(whole)
        || !digits_only(fraction)
    {
        return None;
    }
    let hundredths: i64 = format!("{fraction:0<2}").parse().ok()?;
    let value = format!("0{whole}").parse::<i64>().ok()? * 100 + hundredths;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let whole = |text: &str| text.parse().ok();
        assert_eq!(number_range(TermOperator::Is, "5..7", whole), Some((5, 7)));
        assert_eq!(
            number_range(TermOperator::Is, "..7", whole),
            Some((i64::MIN, 7))
        );
        assert_eq!(
            number_range(TermOperator::Above, "7", whole),
            Some((8, i64::MAX))
        );
        assert_eq!(number_range(TermOperator::Is, "7..5", whole), None);
        assert_eq!(number_range(TermOperator::Above, "5..7", whole), None);
    }

    #[test]
    fn halves_and_reversed_ranges_are_read() {
        assert_eq!(halves("2500.5"), Some(5001));
        assert_eq!(halves("2500"), Some(5000));
        assert_eq!(halves("2500.25"), None);
        let above = |low: &str, high: &str| low > high;
        assert!(is_reversed("7 .. 5", above));
        assert!(!is_reversed("5..7", above) && !is_reversed("7..", above));
    }

    #[test]
    fn scores_and_clocks_are_read() {
        assert_eq!(score("0.35"), Some(35));
        assert_eq!(score("-2"), Some(-200));
        assert_eq!(score("+.5"), Some(50));
        assert_eq!(score("#-3"), Some(-99_997));
        assert_eq!(score("x"), None);
        assert_eq!(clock("1:30"), Some(90_000));
        assert_eq!(clock("45"), Some(45_000));
    }

    #[test]
    fn dates_are_read() {
        let bound = |year, month, day| DateBound { year, month, day };
        assert_eq!(date("1972"), Some(bound(1972, None, None)));
        assert_eq!(date("1972.07.11"), Some(bound(1972, Some(7), Some(11))));
        assert_eq!(date("1972-07"), Some(bound(1972, Some(7), None)));
        assert_eq!(date("1972.13"), None);
        assert_eq!(date("72a"), None);
        assert_eq!(
            date_range(TermOperator::Below, "1972"),
            Some((None, Some(bound(1971, None, None))))
        );
    }
}
