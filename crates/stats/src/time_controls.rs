//! How much time players had.

use std::collections::BTreeMap;

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;
use tabiya_model::time_control::{Stage, TimeControl};

use crate::kind::{Counted, Kind, Order, begin, tags};
use crate::names::Names;
use crate::score::Score;
use crate::table::{Row, Rows};

/// How much time players had.
pub(crate) static KIND: Kind = Kind {
    name: "time-controls",
    title: "Time controls",
    order: Order::Own,
    own: false,
    full: true,
    begin: begin::<TimeControls>,
};

/// Kinds of time controls, by the time that a player has for sixty moves.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pace {
    Unknown,
    /// Below three minutes.
    Bullet,
    /// Up to ten minutes.
    Blitz,
    /// Below an hour.
    Rapid,
    Classical,
    /// From a day on.
    Correspondence,
    Unlimited,
    /// What is no time control.
    Odd,
}

impl Pace {
    fn of(text: &str) -> Pace {
        if text.is_empty() {
            return Pace::Unknown;
        }
        let Some(control) = TimeControl::parse(text) else {
            return Pace::Odd;
        };
        match control.stages() {
            [Stage::Unknown, ..] => Pace::Unknown,
            [Stage::Unlimited, ..] => Pace::Unlimited,
            stages => match seconds(stages) {
                ..180 => Pace::Bullet,
                180..=600 => Pace::Blitz,
                601..3600 => Pace::Rapid,
                3600..86_400 => Pace::Classical,
                _ => Pace::Correspondence,
            },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Pace::Unknown => "",
            Pace::Bullet => "bullet",
            Pace::Blitz => "blitz",
            Pace::Rapid => "rapid",
            Pace::Classical => "classical",
            Pace::Correspondence => "correspondence",
            Pace::Unlimited => "unlimited",
            Pace::Odd => "odd",
        }
    }
}

/// The time for sixty moves.
fn seconds(stages: &[Stage]) -> u64 {
    let mut left = 60_u64;
    let mut all = 0_u64;
    for (place, stage) in stages.iter().enumerate() {
        let (moves, time, increment) = match *stage {
            Stage::Unknown | Stage::Unlimited => (left, 0, 0),
            Stage::Moves {
                moves,
                time,
                increment,
            } => (u64::from(moves.max(1)), time.as_secs(), increment.as_secs()),
            Stage::SuddenDeath { time } => (left, time.as_secs(), 0),
            Stage::Increment { time, increment } => (left, time.as_secs(), increment.as_secs()),
            Stage::Sandclock { time } => (left, time.as_secs() / 2, 0),
        };
        // The last stage repeats.
        let is_last = place + 1 == stages.len();
        let (moves, time) = if is_last && moves > 0 {
            (left, time.saturating_mul(left.div_ceil(moves)))
        } else {
            (moves.min(left), time)
        };
        all = all
            .saturating_add(time)
            .saturating_add(increment.saturating_mul(moves));
        left -= moves;
        if left == 0 {
            break;
        }
    }
    all
}

const TAGS: [&str; 1] = ["TimeControl"];

#[derive(Default)]
struct TimeControls;

impl Statistic for TimeControls {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::OUTCOME).union(Needs::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.count(game.game(tags(&TAGS))?.tags.value("TimeControl"), outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl Counted for TimeControls {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> Rows {
        let mut rows = Vec::new();
        let mut paces: BTreeMap<Pace, (Score, Vec<Row>)> = BTreeMap::new();
        let mut texts: Vec<(&str, Score)> = sum.iter().collect();
        texts.sort_unstable_by_key(|(text, _)| *text);
        for (text, score) in texts {
            let (all, within) = paces.entry(Pace::of(text)).or_default();
            all.add(score);
            if !text.is_empty() {
                within.push(Row {
                    label: text.to_owned(),
                    depth: 1,
                    score,
                });
            }
        }
        for (pace, (score, within)) in paces {
            rows.push(Row::new(pace.name(), score));
            rows.extend(within);
        }
        rows.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_are_those_of_sixty_moves() {
        for (text, pace) in [
            ("", Pace::Unknown),
            ("?", Pace::Unknown),
            ("-", Pace::Unlimited),
            ("60+1", Pace::Bullet),
            ("180", Pace::Blitz),
            ("180+2", Pace::Blitz),
            ("600", Pace::Blitz),
            ("600+5", Pace::Rapid),
            ("40/7200:3600", Pace::Classical),
            ("40/9000", Pace::Classical),
            ("1/86400", Pace::Correspondence),
            ("soon", Pace::Odd),
        ] {
            assert_eq!(Pace::of(text), pace, "{text}");
        }
    }
}
