//! Whether two games with the same moves, or one of which begins with the other, are the same game.
//!
//! Short draws are repeated, and openings more often: the less the dates agree, the more equal moves are required.

use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;

use super::line_hashes::{DedupeFacts, EARLY, RoundKey};

/// How the dates of two games agree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum DateAgreement {
    /// The same day.
    Same,
    /// The same as far as both are known, the year at least.
    Open,
    /// Some days apart, or month and day are swapped.
    Near,
    /// Other days of one year.
    Year,
    /// Of one of them the year is not known.
    Blank,
    /// Other years.
    Apart,
}

/// What dates of one tournament are apart at most.
const NEAR: i64 = 7;
/// Who plays so many plies twice is one person's error.
const SURE: u32 = 40;
/// With fewer, another result is another game.
const RESULT: u32 = 30;
/// A game that begins one of another event has to have so many plies.
const OTHER_EVENT: u32 = 60;
/// The same on one day.
const OTHER_EVENT_THAT_DAY: u32 = 24;

impl DateAgreement {
    pub(super) fn of(one: Date, two: Date) -> DateAgreement {
        let (Some(a), Some(b)) = (one.year, two.year) else {
            return DateAgreement::Blank;
        };
        if let (Some(day), Some(other)) = (day_number(one), day_number(two)) {
            let swapped = a == b && one.month == two.day && one.day == two.month;
            return match (day - other).abs() {
                0 => DateAgreement::Same,
                days if days <= NEAR || swapped => DateAgreement::Near,
                _ if a == b => DateAgreement::Year,
                _ => DateAgreement::Apart,
            };
        }
        let differ = one.month.zip(two.month).is_some_and(|(a, b)| a != b);
        match (a == b, differ) {
            (false, _) => DateAgreement::Apart,
            (true, true) => DateAgreement::Year,
            (true, false) => DateAgreement::Open,
        }
    }

    /// How many plies are wanted of games with the same moves, and of one that is contained in another.
    fn wanted(self) -> Option<(u32, u32)> {
        Some(match self {
            DateAgreement::Same => (8, EARLY),
            DateAgreement::Open => (12, 20),
            DateAgreement::Near => (20, 30),
            DateAgreement::Blank => (24, 36),
            DateAgreement::Year => (SURE, 50),
            DateAgreement::Apart => return None,
        })
    }
}

/// The days from the first of March of the year 0 on.
fn day_number(date: Date) -> Option<i64> {
    let (year, month, day) = (date.year?, date.month?, date.day?);
    let late = i64::from(month < 3);
    let year = i64::from(year) - late;
    let month = i64::from(month) + 12 * late - 3;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leaps + (153 * month + 2) / 5 + i64::from(day))
}

/// Whether two results contradict each other.
pub(super) fn conflict(one: Outcome, two: Outcome) -> bool {
    one != two && one != Outcome::Unknown && two != Outcome::Unknown
}

/// Whether all but names and moves lets two games be one. The moves of the first are those with which the other begins.
pub(super) fn may_be_one(short: &DedupeFacts, long: &DedupeFacts) -> bool {
    let plies = short.plies;
    let is_same = plies == long.plies;
    let days = DateAgreement::of(short.date, long.date);
    let Some((same, contained)) = days.wanted() else {
        return false;
    };
    let same_event = short.event == long.event;
    if same_event && !short.round.may_be(long.round) && plies < SURE {
        return false;
    }
    if conflict(short.outcome, long.outcome) && plies < if is_same { RESULT } else { OTHER_EVENT } {
        return false;
    }
    let wanted = match (is_same, same_event) {
        (true, _) => same,
        (false, true) => contained,
        // Both players may have gone the same way at another place.
        (false, false) if days == DateAgreement::Same => contained.max(OTHER_EVENT_THAT_DAY),
        (false, false) => contained.max(OTHER_EVENT),
    };
    if plies >= wanted {
        return true;
    }
    // Games that were hardly begun are the same where nothing else differs.
    let is_known = |round| round != RoundKey::Unknown;
    let both_known = is_known(short.round) == is_known(long.round);
    let same_place = same_event && both_known && short.round.may_be(long.round);
    is_same && short.date == long.date && same_place && short.outcome == long.outcome
}

/// Whether two games that may be one are so even if a surname is spelled with another letter: two sisters may have played alike.
pub(super) fn may_be_misspelt(short: &DedupeFacts, long: &DedupeFacts) -> bool {
    match DateAgreement::of(short.date, long.date) {
        DateAgreement::Same | DateAgreement::Open => short.plies >= RESULT,
        DateAgreement::Near => short.plies >= SURE,
        DateAgreement::Year | DateAgreement::Blank | DateAgreement::Apart => {
            short.plies >= OTHER_EVENT
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_in_degrees() {
        for (one, two, days) in [
            ("1999.12.31", "1999.12.31", DateAgreement::Same),
            ("1999.12.31", "2000.01.02", DateAgreement::Near),
            ("2000.02.28", "2000.03.06", DateAgreement::Near),
            ("2000.02.28", "2000.03.07", DateAgreement::Year),
            ("1999.03.02", "1999.02.03", DateAgreement::Near),
            ("1999.??.??", "1999.02.03", DateAgreement::Open),
            ("1999.05.??", "1999.02.03", DateAgreement::Year),
            ("1999.05.??", "????.??.??", DateAgreement::Blank),
            ("1999.05.??", "1998.05.??", DateAgreement::Apart),
            ("1999.05.05", "1998.05.05", DateAgreement::Apart),
        ] {
            let read = |text: &str| Date::parse(text).expect("a date");
            assert_eq!(DateAgreement::of(read(one), read(two)), days, "{one} {two}");
            assert_eq!(DateAgreement::of(read(two), read(one)), days, "{two} {one}");
        }
    }
}
