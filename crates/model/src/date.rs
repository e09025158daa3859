//! Calendar dates with unknown parts, and times of day, as PGN writes them.

use std::fmt;

/// A date whose parts may each be unknown; unknown parts sort before known ones.
///
/// The parts are those of the source: month 13 can be stored; see [`Date::is_valid`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// The year, from 1 on.
    pub year: Option<u16>,
    /// The month, from 1 on.
    pub month: Option<u8>,
    /// The day of the month, from 1 on.
    pub day: Option<u8>,
}

/// How the text of a date had to be read, the most faithful way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DateForm {
    /// `YYYY.MM.DD` exactly; writing the date gives the same text back.
    Exact,
    /// Year, month, day in order, but with other separators, widths or marks for unknown parts.
    Loose,
    /// The parts were in another order, recognised by their values or separators.
    Reordered,
    /// The year had two digits and its century was guessed.
    ShortYear,
    /// Day and month could not be distinguished and were left unknown.
    Ambiguous,
}

/// One part of a date as written in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DatePart {
    Unknown { width: usize },
    Number { value: u16, width: usize },
    MonthName(u8),
}

impl DatePart {
    fn is_year(self) -> bool {
        match self {
            Self::Unknown { width } => width == 4,
            Self::Number { value, width } => width >= 3 || value > 31,
            Self::MonthName(_) => false,
        }
    }

    fn value(self) -> u16 {
        match self {
            Self::Unknown { .. } => 0,
            Self::Number { value, .. } => value,
            Self::MonthName(month) => u16::from(month),
        }
    }

    fn small(self) -> u8 {
        u8::try_from(self.value()).unwrap_or(u8::MAX)
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Two-digit years below this one belong to this century.
const CENTURY_PIVOT: u16 = 30;

impl Date {
    /// The unknown date.
    pub const UNKNOWN: Self = Self {
        year: None,
        month: None,
        day: None,
    };

    /// Builds a date from numbers; 0 is an unknown part.
    #[must_use]
    pub fn from_numbers(year: u16, month: u8, day: u8) -> Self {
        Self {
            year: Some(year).filter(|&y| y != 0),
            month: Some(month).filter(|&m| m != 0),
            day: Some(day).filter(|&d| d != 0),
        }
    }

    /// Whether no part is known.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        self == Self::UNKNOWN
    }

    /// Whether year, month and day are all known.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self.year.is_some() && self.month.is_some() && self.day.is_some()
    }

    /// Whether every known part is possible in the calendar, together with the others.
    #[must_use]
    pub fn is_valid(self) -> bool {
        let year = self.year.is_none_or(|y| (1..=9999).contains(&y));
        let month = self.month.is_none_or(|m| (1..=12).contains(&m));
        let last = self.month.map_or(31, |m| days_in_month(self.year, m));
        let day = self.day.is_none_or(|d| d >= 1 && d <= last);
        year && month && day
    }

    /// Reads exactly the form `YYYY.MM.DD` with `?` for unknown digits of a part.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let [y0, y1, y2, y3, b'.', m0, m1, b'.', d0, d1] = *bytes else {
            return None;
        };
        let part = |digits: &[u8]| -> Option<u16> {
            if digits.iter().all(|&b| b == b'?') {
                return Some(0);
            }
            let value = decimal(digits)?;
            // A written zero is not an unknown part: it would become question marks.
            (value != 0).then_some(value)
        };
        let year = part(&[y0, y1, y2, y3])?;
        let month = u8::try_from(part(&[m0, m1])?).ok()?;
        let day = u8::try_from(part(&[d0, d1])?).ok()?;
        Some(Self::from_numbers(year, month, day))
    }

    /// Reads a date in any unambiguous form and returns the form; with `None` it stays text.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, DateForm)> {
        let text = text.trim();
        if let Some(date) = Self::parse(text) {
            if date.is_valid() {
                return Some((date, DateForm::Exact));
            }
            let swapped = Self {
                year: date.year,
                month: date.day,
                day: date.month,
            };
            return Some(if swapped.is_valid() {
                (swapped, DateForm::Reordered)
            } else {
                (date, DateForm::Exact)
            });
        }
        let (parts, dotted) = split(text)?;
        let (date, form) = match parts.as_slice() {
            [DatePart::Unknown { .. }] => (Self::UNKNOWN, DateForm::Loose),
            // The digits of a compact date are too many for one part; they are split.
            [DatePart::Number { width: 8, .. }] => return compact(text),
            [DatePart::Number { value, width: 4 }] => {
                (Self::from_numbers(*value, 0, 0), DateForm::Loose)
            }
            [a, b] if a.is_year() => (Self::from_numbers(a.value(), b.small(), 0), DateForm::Loose),
            [a, b] if b.is_year() => (
                Self::from_numbers(b.value(), a.small(), 0),
                DateForm::Reordered,
            ),
            [a, b, c] => three(*a, *b, *c, dotted)?,
            _ => return None,
        };
        date.is_valid().then_some((date, form))
    }

    /// The day after a complete, valid date.
    #[must_use]
    pub fn next_day(self) -> Option<Self> {
        let (year, month, day) = self.complete()?;
        Some(if day < days_in_month(Some(year), month) {
            Self::from_numbers(year, month, day + 1)
        } else if month < 12 {
            Self::from_numbers(year, month + 1, 1)
        } else {
            Self::from_numbers(year.checked_add(1)?, 1, 1)
        })
    }

    /// The day before a complete, valid date.
    #[must_use]
    pub fn previous_day(self) -> Option<Self> {
        let (year, month, day) = self.complete()?;
        if day > 1 {
            Some(Self::from_numbers(year, month, day - 1))
        } else if month > 1 {
            Some(Self::from_numbers(
                year,
                month - 1,
                days_in_month(Some(year), month - 1),
            ))
        } else {
            (year > 1).then(|| Self::from_numbers(year - 1, 12, 31))
        }
    }

    fn complete(self) -> Option<(u16, u8, u8)> {
        let parts = (self.year?, self.month?, self.day?);
        self.is_valid().then_some(parts)
    }

    /// Packs the date into Scid's 20 bits (year 11, month 4, day 5), or `None` if a part does not fit.
    #[must_use]
    pub fn to_scid(self) -> Option<u32> {
        let field = |value: Option<u16>, limit: u16| match value {
            None => Some(0),
            Some(v) if v != 0 && v <= limit => Some(u32::from(v)),
            Some(_) => None,
        };
        let year = field(self.year, 2047)?;
        let month = field(self.month.map(u16::from), 15)?;
        let day = field(self.day.map(u16::from), 31)?;
        Some(year << 9 | month << 5 | day)
    }

    /// Unpacks Scid's 20 bits; higher bits are ignored.
    #[must_use]
    pub fn from_scid(bits: u32) -> Self {
        let [low, mid, high, _] = bits.to_le_bytes();
        let year = u16::from(high & 0x0F) << 7 | u16::from(mid) >> 1;
        Self::from_numbers(year, (mid & 1) << 3 | low >> 5, low & 31)
    }
}

impl fmt::Display for Date {
    /// Writes the date as PGN does, `1992.11.??`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            Some(year) => write!(f, "{year:04}.")?,
            None => f.write_str("????.")?,
        }
        match self.month {
            Some(month) => write!(f, "{month:02}.")?,
            None => f.write_str("??.")?,
        }
        match self.day {
            Some(day) => write!(f, "{day:02}"),
            None => f.write_str("??"),
        }
    }
}

/// The last day of a month; 31 for a month that does not exist, 29 for February of an unknown year.
#[must_use]
pub fn days_in_month(year: Option<u16>, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_none_or(is_leap) => 29,
        2 => 28,
        _ => 31,
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// The value of up to four ASCII digits.
fn decimal(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    digits.iter().try_fold(0u16, |value, &b| {
        b.is_ascii_digit().then(|| value * 10 + u16::from(b - b'0'))
    })
}

/// Splits a text into one to three parts, and returns whether all separators are dots.
fn split(text: &str) -> Option<(Vec<DatePart>, bool)> {
    let is_separator =
        |c: char| matches!(c, '.' | '-' | '/' | ',' | ':' | '_') || c.is_whitespace();
    let mut parts = Vec::new();
    for piece in text.split(is_separator).filter(|p| !p.is_empty()) {
        if parts.len() == 3 {
            return None;
        }
        parts.push(part(piece)?);
    }
    let dotted = !text.contains(|c: char| is_separator(c) && c != '.' && c != ' ');
    Some((parts, dotted))
}

fn part(piece: &str) -> Option<DatePart> {
    let width = piece.len();
    if piece
        .bytes()
        .all(|b| matches!(b, b'?' | b'x' | b'X' | b'*'))
    {
        return Some(DatePart::Unknown { width });
    }
    if piece.bytes().all(|b| b.is_ascii_digit()) {
        return match width {
            8 => Some(DatePart::Number { value: 0, width }),
            1..=4 => match decimal(piece.as_bytes())? {
                0 => Some(DatePart::Unknown { width }),
                value => Some(DatePart::Number { value, width }),
            },
            _ => None,
        };
    }
    if !(3..=9).contains(&width) {
        return None;
    }
    let lower = piece.to_ascii_lowercase();
    (1u8..)
        .zip(MONTHS)
        .find(|(_, name)| name.starts_with(&lower))
        .map(|(n, _)| DatePart::MonthName(n))
}

/// Reads `YYYYMMDD`.
fn compact(text: &str) -> Option<(Date, DateForm)> {
    let bytes = text.as_bytes();
    let year = decimal(bytes.get(0..4)?)?;
    let month = u8::try_from(decimal(bytes.get(4..6)?)?).ok()?;
    let day = u8::try_from(decimal(bytes.get(6..8)?)?).ok()?;
    let date = Date::from_numbers(year, month, day);
    (year != 0 && date.is_valid()).then_some((date, DateForm::Loose))
}

/// Puts three parts in order.
fn three(a: DatePart, b: DatePart, c: DatePart, dotted: bool) -> Option<(Date, DateForm)> {
    let unknown = |p: DatePart| matches!(p, DatePart::Unknown { .. });
    // A year is recognised by its width or size; a short number is a year only if no other part can be.
    let year_first = if a.is_year() {
        !(unknown(a) && matches!(c, DatePart::Number { .. }) && c.is_year())
    } else if c.is_year() {
        false
    } else if unknown(b) && unknown(c) {
        true
    } else if unknown(a) && unknown(b) {
        false
    } else if let DatePart::MonthName(_) = b {
        // `4 Nov 05`: next to the name of a month, the day comes first.
        false
    } else {
        return None;
    };
    let (year, x, y) = if year_first { (a, b, c) } else { (c, a, b) };
    let (full_year, short) = match year {
        DatePart::Number { value, width } if width <= 2 => (
            value + if value < CENTURY_PIVOT { 2000 } else { 1900 },
            true,
        ),
        DatePart::MonthName(_) => return None,
        other => (other.value(), false),
    };
    // `x` and `y` are month and day in this order if the year comes first, else day and month.
    let (month, day) = if year_first { (x, y) } else { (y, x) };
    let kept = Date::from_numbers(full_year, month.small(), day.small());
    let swapped = Date::from_numbers(full_year, day.small(), month.small());
    let named_day = matches!(day, DatePart::MonthName(_));
    let named_month = matches!(month, DatePart::MonthName(_));
    if named_day && named_month {
        return None;
    }
    let both = kept.is_valid() && swapped.is_valid() && kept != swapped;
    let (date, form) = if named_day {
        (swapped, DateForm::Reordered)
    } else if year_first {
        if kept.is_valid() {
            (kept, DateForm::Loose)
        } else {
            (swapped, DateForm::Reordered)
        }
    } else if both && !dotted && !named_month {
        (Date::from_numbers(full_year, 0, 0), DateForm::Ambiguous)
    } else if kept.is_valid() {
        (kept, DateForm::Reordered)
    } else {
        (swapped, DateForm::Reordered)
    };
    Some((
        date,
        if short {
            form.max(DateForm::ShortYear)
        } else {
            form
        },
    ))
}

/// A time of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeOfDay {
    hour: u8,
    minute: u8,
    second: u8,
}

impl TimeOfDay {
    /// Builds a time, or `None` if a part is out of range.
    #[must_use]
    pub fn new(hour: u8, minute: u8, second: u8) -> Option<Self> {
        (hour < 24 && minute < 60 && second < 60).then_some(Self {
            hour,
            minute,
            second,
        })
    }

    /// Hour, minute and second.
    #[must_use]
    pub fn parts(self) -> (u8, u8, u8) {
        (self.hour, self.minute, self.second)
    }

    /// Reads `HH:MM:SS`; one-digit hours and missing seconds are accepted.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(':');
        let mut part = |needed: bool| match parts.next() {
            Some(p) if p.len() <= 2 => decimal(p.as_bytes()).and_then(|v| u8::try_from(v).ok()),
            Some(_) => None,
            None => (!needed).then_some(0),
        };
        let (hour, minute, second) = (part(true)?, part(true)?, part(false)?);
        if parts.next().is_some() {
            return None;
        }
        Self::new(hour, minute, second)
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<(String, DateForm)> {
        Date::read(text).map(|(date, form)| (date.to_string(), form))
    }

    #[test]
    fn reads_what_real_files_hold() {
        use DateForm::*;
        for (text, date, form) in [
            ("1992.11.04", "1992.11.04", Exact),
            ("1992.??.??", "1992.??.??", Exact),
            ("????.05.06", "????.05.06", Exact),
            ("????.??.??", "????.??.??", Exact),
            ("1992.25.12", "1992.12.25", Reordered),
            ("1992.33.44", "1992.33.44", Exact),
            ("1992.1.4", "1992.01.04", Loose),
            ("1992.00.00", "1992.??.??", Loose),
            ("1992-11-04", "1992.11.04", Loose),
            ("1992/11/04", "1992.11.04", Loose),
            ("1992", "1992.??.??", Loose),
            ("1992.11", "1992.11.??", Loose),
            ("11.1992", "1992.11.??", Reordered),
            ("19921104", "1992.11.04", Loose),
            ("?", "????.??.??", Loose),
            ("04.11.1992", "1992.11.04", Reordered),
            ("25/12/1992", "1992.12.25", Reordered),
            ("12/25/1992", "1992.12.25", Reordered),
            ("04/11/1992", "1992.??.??", Ambiguous),
            ("04/04/1992", "1992.04.04", Reordered),
            ("??.??.1992", "1992.??.??", Reordered),
            ("??.11.1992", "1992.11.??", Reordered),
            ("92.11.04", "1992.11.04", ShortYear),
            ("04.11.92", "1992.11.04", ShortYear),
            ("05.??.??", "2005.??.??", ShortYear),
            ("4 Nov 1992", "1992.11.04", Reordered),
            ("Nov 4, 1992", "1992.11.04", Reordered),
            ("November 1992", "1992.11.??", Reordered),
            ("1992.Nov.04", "1992.11.04", Loose),
        ] {
            assert_eq!(read(text), Some((date.to_owned(), form)), "{text}");
        }
        for text in [
            "",
            "-",
            "yesterday",
            "01.02.03",
            "1.2.3.4",
            "99999",
            "30.02.1999",
            "19921399",
            "é",
            "ma",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn days_follow_each_other() {
        let day = |text: &str| Date::parse(text).unwrap_or_default();
        for (before, after) in [
            ("2000.12.31", "2001.01.01"),
            ("2001.03.31", "2001.04.01"),
            ("1900.02.28", "1900.03.01"),
            ("2000.02.28", "2000.02.29"),
            ("2000.02.29", "2000.03.01"),
            ("2001.01.12", "2001.01.13"),
        ] {
            assert_eq!(day(before).next_day(), Some(day(after)));
            assert_eq!(day(after).previous_day(), Some(day(before)));
        }
        assert_eq!(day("2000.??.??").next_day(), None);
        assert_eq!(day("0001.01.01").previous_day(), None);
        assert_eq!(
            day("9999.12.31").next_day().map(Date::is_valid),
            Some(false)
        );
    }

    #[test]
    fn scid_dates_are_packed() {
        assert_eq!(
            Date::from_numbers(1992, 11, 4).to_scid(),
            Some(1992 << 9 | 11 << 5 | 4)
        );
        assert_eq!(
            Date::from_numbers(2047, 12, 31).to_scid(),
            Some(2047 << 9 | 12 << 5 | 31)
        );
        assert_eq!(Date::from_numbers(2048, 1, 1).to_scid(), None);
        assert_eq!(Date::UNKNOWN.to_scid(), Some(0));
        for bits in 0..1u32 << 20 {
            assert_eq!(Date::from_scid(bits).to_scid(), Some(bits));
        }
    }

    #[test]
    fn times() {
        for (text, shown) in [
            ("09:05:00", "09:05:00"),
            ("9:05", "09:05:00"),
            ("23:59:59", "23:59:59"),
        ] {
            assert_eq!(
                TimeOfDay::parse(text).map(|t| t.to_string()).as_deref(),
                Some(shown)
            );
        }
        for text in [
            "",
            "24:00:00",
            "12",
            "12:60",
            "1:2:3:4",
            "012:00:00",
            "a:b:c",
        ] {
            assert_eq!(TimeOfDay::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in ".{0,24}") {
            let _ = Date::read(&text);
            let _ = TimeOfDay::parse(&text);
        }

        #[test]
        fn numbers_and_marks_never_panic(text in "[0-9?xX./ -]{0,12}") {
            if let Some((date, form)) = Date::read(&text) {
                if form == DateForm::Exact {
                    prop_assert_eq!(date.to_string(), text.trim());
                } else {
                    prop_assert!(date.is_valid());
                }
            }
        }

        #[test]
        fn written_dates_are_read_back(year in 0u16..10_000, month in 0u8..100, day in 0u8..100) {
            let date = Date::from_numbers(year, month, day);
            prop_assert_eq!(Date::parse(&date.to_string()), Some(date));
        }
    }
}
