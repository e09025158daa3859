//! The log of reviews: a text that only grows, from which everything else is computed.
//!
//! One line is one review: time, position, move, rating and device, with tabs between them. Two logs are merged by the union of
//! their lines; the state of a position is replayed from its lines in the order of their times.

use std::collections::{BTreeMap, BTreeSet};

use tabiya_model::board::Board;
use tabiya_openings::position_key::PositionKey;

use crate::fsrs::{Fsrs, MemoryState, ReviewRating};

/// The first line of a log.
pub const LOG_HEADING: &str = "# tabiya reviews 1";

/// Seconds of a day.
const DAY: i64 = 86_400;
/// The longest device name.
const LONGEST_DEVICE: usize = 64;

/// One review.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Review {
    /// When, in seconds since 1970, UTC.
    pub time: i64,
    /// The position: the first four fields of its FEN.
    pub position: String,
    /// How well it was known. Of two reviews in one second the worse one counts as the earlier one.
    pub rating: ReviewRating,
    /// The move that was answered, by its squares; `-` for none.
    pub answer: String,
    /// Where it was reviewed.
    pub device: String,
}

impl Review {
    /// The line of a log, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        format!(
            "{}\t{}\t{}\t{}\t{}",
            time_in_words(self.time),
            self.position,
            self.answer,
            self.rating.name(),
            self.device
        )
    }

    /// Reads a line of a log.
    #[must_use]
    pub fn read(line: &str) -> Option<Review> {
        let mut fields = line.trim_end_matches('\r').split('\t');
        let mut next = || fields.next();
        let (time, position, answer) = (read_time(next()?)?, next()?, next()?);
        let (rating, device) = (ReviewRating::from_name(next()?)?, next()?);
        if next().is_some() || position.split(' ').count() != 4 {
            return None;
        }
        Some(Review {
            time,
            position: position.to_owned(),
            answer: answer.to_owned(),
            rating,
            device: device.to_owned(),
        })
    }
}

/// The first four fields of a position's FEN.
#[must_use]
pub fn position_in_words(board: &Board) -> String {
    let fen = board.to_fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

/// A device name that is safe in a line.
#[must_use]
pub fn device_name(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST_DEVICE)
        .collect();
    match name.trim() {
        "" => "-".to_owned(),
        name => name.to_owned(),
    }
}

/// What is known of a position that was reviewed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReviewedPosition {
    /// How well it is remembered.
    pub memory: MemoryState,
    /// When it was reviewed last, in seconds since 1970.
    pub last: i64,
    /// When it is due.
    pub due: i64,
    /// Reviews.
    pub reviews: u32,
    /// Reviews with a wrong answer.
    pub lapses: u32,
}

/// Logs, merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewLog {
    reviews: BTreeSet<Review>,
    /// Invalid lines: cut off when a program ended, or of a later version.
    pub unreadable: u64,
}

impl ReviewLog {
    /// Adds the lines of a text.
    pub fn add(&mut self, text: &str) {
        for line in text.lines() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            match Review::read(line) {
                Some(review) => {
                    self.reviews.insert(review);
                }
                None => self.unreadable += 1,
            }
        }
    }

    /// Adds a review.
    pub fn push(&mut self, review: Review) {
        self.reviews.insert(review);
    }

    /// The reviews, by their times.
    pub fn reviews(&self) -> impl Iterator<Item = &Review> {
        self.reviews.iter()
    }

    /// All lines as a text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{LOG_HEADING}\n");
        for review in &self.reviews {
            text.push_str(&review.line());
            text.push('\n');
        }
        text
    }

    /// The memory of each position at a time. Reviews with a later time are counted as of that time: a clock was wrong. If
    /// one is later by more than a day, its time is unknown: it counts as right after the review before it, and a position
    /// without one is due.
    #[must_use]
    pub fn replay(
        &self,
        model: &Fsrs,
        retention: f64,
        now: i64,
    ) -> BTreeMap<PositionKey, ReviewedPosition> {
        let mut known: BTreeMap<PositionKey, ReviewedPosition> = BTreeMap::new();
        for review in &self.reviews {
            let Ok((board, _)) = Board::from_fen(&format!("{} 0 1", review.position)) else {
                continue;
            };
            let key = PositionKey::of_board(&board);
            let before = known.get(&key).copied();
            let is_timeless = review.time > now.saturating_add(DAY);
            let time = match before {
                Some(before) if is_timeless => before.last,
                _ => review.time.min(now),
            };
            let elapsed = before.map(|before| {
                // Clocks that run backwards make no time negative.
                let days = time.saturating_sub(before.last).max(0) / DAY;
                (before.memory, u32::try_from(days).unwrap_or(u32::MAX))
            });
            let memory = model.review(elapsed, review.rating);
            let last = before.map_or(time, |before| before.last.max(time));
            let days = i64::from(model.interval(memory, retention));
            known.insert(
                key,
                ReviewedPosition {
                    memory,
                    last,
                    // What was wrong is asked again at once.
                    due: match review.rating {
                        ReviewRating::Again => last,
                        _ if is_timeless && before.is_none() => last,
                        _ => last.saturating_add(days.saturating_mul(DAY)),
                    },
                    reviews: before.map_or(0, |before| before.reviews).saturating_add(1),
                    lapses: before
                        .map_or(0, |before| before.lapses)
                        .saturating_add(u32::from(review.rating == ReviewRating::Again)),
                },
            );
        }
        known
    }
}

/// A time in ISO 8601: `2026-11-26T12:30:05Z`.
#[must_use]
pub fn time_in_words(time: i64) -> String {
    let (days, seconds) = (time.div_euclid(DAY), time.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Parses a time in ISO 8601, in UTC.
#[must_use]
pub fn read_time(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z')?;
    let (date, time) = text.split_once('T')?;
    let number = |text: &str, digits: usize| {
        let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i64>().ok()).flatten()
    };
    let mut date = date.splitn(3, '-');
    let year = number(date.next()?, 4)?;
    let month = number(date.next()?, 2).filter(|month| (1..=12).contains(month))?;
    let day = number(date.next()?, 2).filter(|day| (1..=31).contains(day))?;
    let mut time = time.splitn(3, ':');
    let hour = number(time.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = number(time.next()?, 2).filter(|minute| *minute < 60)?;
    let second = number(time.next()?, 2).filter(|second| *second < 61)?;
    let days = days_of(year, month, day);
    // A day that no month has is none.
    (civil(days) == (year, month, day)).then_some(days * DAY + hour * 3600 + minute * 60 + second)
}

/// The days since 1970 of a date.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let day = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719_468
}

/// The date of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn review(time: i64, rating: ReviewRating, device: &str) -> Review {
        Review {
            time,
            position: START.to_owned(),
            answer: "e2e4".to_owned(),
            rating,
            device: device.to_owned(),
        }
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        for (time, words) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_795_696_205, "2026-11-26T12:30:05Z"),
        ] {
            assert_eq!(read_time(words), Some(time), "{words}");
            assert_eq!(time_in_words(time), words);
        }
        for days in (-300_000..300_000).step_by(7) {
            let (year, month, day) = civil(days);
            assert_eq!(days_of(year, month, day), days);
        }
        for wrong in [
            "",
            "2026-11-26",
            "2026-02-30T00:00:00Z",
            "2026-11-26T24:00:00Z",
            "x-11-26T12:30:05Z",
        ] {
            assert_eq!(read_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn logs_are_merged_in_any_order() {
        let ratings = [
            ReviewRating::Good,
            ReviewRating::Again,
            ReviewRating::Hard,
            ReviewRating::Easy,
        ];
        let all: Vec<Review> = (0..40)
            .map(|n| {
                let rating = ratings[usize::try_from(n * 7 % 4).expect("small")];
                // Two devices, one of which is two hours ahead, and sometimes runs backwards.
                let device = if n % 2 == 0 { "phone" } else { "desk" };
                review(n * 50_000 + n % 2 * 7_200 - n % 5 * 60_000, rating, device)
            })
            .collect();
        let text = |which: &dyn Fn(usize) -> bool| {
            let lines = all.iter().enumerate().filter(|(at, _)| which(*at));
            let lines: Vec<String> = lines.map(|(_, review)| review.line()).collect();
            lines.join("\n")
        };
        let (one, two) = (text(&|at| at < 25), text(&|at| at % 3 == 0 || at > 20));
        let merged = |texts: &[&str]| {
            let mut log = ReviewLog::default();
            texts.iter().for_each(|text| log.add(text));
            log
        };
        let whole = merged(&[&text(&|_| true)]);
        for log in [
            merged(&[&one, &two]),
            merged(&[&two, &one, &two]),
            merged(&[&whole.text()]),
            merged(&[&whole.text().replace('\n', "\r\n")]),
        ] {
            if log.reviews().count() == all.len() {
                assert_eq!(log, whole);
            }
            assert_eq!(log.unreadable, 0);
        }
        let (ab, ba) = (merged(&[&one, &two]), merged(&[&two, &one]));
        let replay = |log: &ReviewLog| log.replay(&Fsrs::default(), 0.9, 10_000_000);
        assert_eq!(replay(&ab), replay(&ba));
        assert_eq!(replay(&ab).len(), 1);
    }

    #[test]
    fn a_line_that_was_cut_off_is_no_review() {
        let whole = review(1_000_000, ReviewRating::Good, "desk").line();
        for end in 0..whole.len() {
            let mut log = ReviewLog::default();
            let cut = whole.get(..end).expect("ASCII");
            log.add(&format!("{LOG_HEADING}\n{whole}\n{cut}"));
            let known: Vec<&Review> = log.reviews().collect();
            // Nothing is lost but the review under way; the name of the device may be cut.
            assert!(known.iter().any(|review| review.device == "desk"), "{cut}");
            assert!(
                known.len() <= 2
                    && known.len() + usize::try_from(log.unreadable).expect("small") <= 2
            );
        }
    }

    #[test]
    fn wrong_clocks_do_no_harm() {
        let mut log = ReviewLog::default();
        let now = 1_000_000;
        let known = |log: &ReviewLog, now: i64| {
            let all = log.replay(&Fsrs::default(), 0.9, now);
            *all.values().next().expect("one")
        };
        // A clock that was a thousand years ahead: the position is due, and not in a thousand years.
        log.push(review(33_000_000_000, ReviewRating::Good, "wrong"));
        for later in [0, 10 * DAY, 1_000 * DAY] {
            let position = known(&log, now + later);
            assert!(position.due <= now + later, "{later}: {position:?}");
        }
        // Once it was reviewed by a right clock, it is due when that says, and later reviews put it off no further than theirs.
        log.push(review(now, ReviewRating::Good, "right"));
        let first = known(&log, now);
        assert!(
            (now + DAY..now + 30 * DAY).contains(&first.due),
            "{first:?}"
        );
        assert_eq!(known(&log, now + 300 * DAY).due, first.due);
        log.push(review(0, ReviewRating::Easy, "right"));
        log.push(review(-500, ReviewRating::Again, "backwards"));
        let all = known(&log, now);
        assert_eq!((all.reviews, all.lapses), (4, 1));
        // One that is minutes ahead is as good as right.
        let mut log = ReviewLog::default();
        log.push(review(now + 120, ReviewRating::Good, "ahead"));
        let position = known(&log, now);
        assert!(position.last == now && position.due >= now + DAY);
    }

    #[test]
    fn devices_with_different_clocks_end_in_one_state() {
        // Any clocks, any parts, any order: one state, whose intervals are those of some review.
        let mut seed = tabiya_testing::seed();
        let mut draw = move |below: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let now = 1_795_696_205;
        for _ in 0..200 {
            let skews = [0, 7_200, -40 * DAY, 400 * DAY];
            let all: Vec<Review> = (0..1 + draw(30))
                .map(|_| {
                    let device = usize::try_from(draw(4)).expect("small");
                    let rating = usize::try_from(draw(4)).expect("small");
                    let ago = i64::try_from(draw(900)).expect("small") * DAY;
                    let time = now - ago + skews[device];
                    review(
                        time,
                        ReviewRating::ALL[rating],
                        ["a", "b", "c", "d"][device],
                    )
                })
                .collect();
            let mut parts = [String::new(), String::new(), String::new()];
            for review in &all {
                // Some lines stand in several logs.
                for _ in 0..1 + draw(2) {
                    let part = usize::try_from(draw(3)).expect("small");
                    parts[part].push_str(&format!("{}\n", review.line()));
                }
            }
            let replayed = |order: [usize; 3]| {
                let mut log = ReviewLog::default();
                order.iter().for_each(|at| log.add(&parts[*at]));
                assert_eq!(log.unreadable, 0);
                log.replay(&Fsrs::default(), 0.9, now)
            };
            let state = replayed([0, 1, 2]);
            assert_eq!(state, replayed([2, 0, 1]));
            assert_eq!(state, replayed([1, 2, 0]));
            for position in state.values() {
                assert!(position.last <= now && position.due >= position.last);
                let longest = model_interval(position);
                assert!(
                    position.due <= position.last + longest * DAY,
                    "{position:?}"
                );
            }
        }
    }

    /// The days after which a position is due at the latest.
    fn model_interval(position: &ReviewedPosition) -> i64 {
        i64::from(Fsrs::default().interval(position.memory, 0.9))
    }
}
