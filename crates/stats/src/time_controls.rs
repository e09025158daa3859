//! How much time players had.

use std::collections::BTreeMap;

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;
use tabiya_model::speed::{self, Speed};
use tabiya_model::tags::Tags;
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

/// Kinds of time controls: speeds, and what has none.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pace {
    Unknown,
    Known(Speed),
    Unlimited,
    /// What is no time control.
    Odd,
}

impl Pace {
    const ALL: [Pace; 8] = [
        Pace::Unknown,
        Pace::Known(Speed::Bullet),
        Pace::Known(Speed::Blitz),
        Pace::Known(Speed::Rapid),
        Pace::Known(Speed::Classical),
        Pace::Known(Speed::Correspondence),
        Pace::Unlimited,
        Pace::Odd,
    ];

    /// The pace of a game that has [`speed::TAGS`].
    fn of(tags: &Tags) -> Pace {
        if let Some(speed) = Speed::of_game(tags) {
            return Pace::Known(speed);
        }
        let text = tags.value("TimeControl");
        match TimeControl::parse(text) {
            Some(control) if control.stages().first() == Some(&Stage::Unlimited) => Pace::Unlimited,
            None if !text.is_empty() => Pace::Odd,
            _ => Pace::Unknown,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Pace::Unknown => "",
            Pace::Known(speed) => speed.name(),
            Pace::Unlimited => "unlimited",
            Pace::Odd => "odd",
        }
    }

    /// A letter under which games of this pace are counted.
    fn letter(self) -> char {
        let place = Pace::ALL.iter().position(|pace| *pace == self);
        place.map_or(' ', |place| char::from(b"abcdefgh"[place & 7]))
    }

    fn by_letter(letter: char) -> Option<Pace> {
        Pace::ALL.into_iter().find(|pace| pace.letter() == letter)
    }
}

#[derive(Default)]
struct TimeControls;

impl Statistic for TimeControls {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::OUTCOME).union(Needs::game(tags(&speed::TAGS)))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        let tags = &game.game(tags(&speed::TAGS))?.tags;
        // One text may stand in games of several paces: the event may say that they were played by letters.
        let mut key = String::from(Pace::of(tags).letter());
        key.push_str(tags.value("TimeControl"));
        sum.count(&key, outcome);
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
        for (key, score) in texts {
            let mut letters = key.chars();
            let pace = letters.next().and_then(Pace::by_letter);
            let text = letters.as_str();
            let (all, within) = paces.entry(pace.unwrap_or(Pace::Unknown)).or_default();
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
    fn paces_are_the_speeds_of_searches() {
        for (text, pace) in [
            ("", Pace::Unknown),
            ("?", Pace::Unknown),
            ("-", Pace::Unlimited),
            ("60+1", Pace::Known(Speed::Bullet)),
            ("180+2", Pace::Known(Speed::Blitz)),
            ("600", Pace::Known(Speed::Rapid)),
            ("1500", Pace::Known(Speed::Classical)),
            ("1/86400", Pace::Known(Speed::Correspondence)),
            ("soon", Pace::Odd),
        ] {
            let mut tags = Tags::default();
            tags.set("TimeControl", text);
            let found = Pace::of(&tags);
            assert_eq!(found, pace, "{text}");
            assert_eq!(Pace::by_letter(found.letter()), Some(pace));
        }
        let mut tags = Tags::default();
        tags.set("TimeControl", "-");
        tags.set("Event", "Rated Correspondence game");
        assert_eq!(Pace::of(&tags), Pace::Known(Speed::Correspondence));
    }
}
