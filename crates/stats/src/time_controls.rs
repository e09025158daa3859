//! How much time players had.

use std::collections::BTreeMap;

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::facts::FactFields;
use tabiya_model::tags::Tags;
use tabiya_model::time_class::{self, TimeClass};
use tabiya_model::time_control::{TimeControl, TimeControlStage};

use crate::name_scores::NameScores;
use crate::score::ResultCounts;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin, tags};
use crate::table::{StatsRow, StatsRows};

/// How much time players had.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "time-controls",
    title: "Time controls",
    order: RowOrder::Own,
    own: false,
    full: true,
    begin: begin::<TimeControlStatistic>,
};

/// Kinds of time controls: speeds, and what has none.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum TimeControlKind {
    Unknown,
    Known(TimeClass),
    Unlimited,
    /// What is no time control.
    Odd,
}

impl TimeControlKind {
    const ALL: [TimeControlKind; 8] = [
        TimeControlKind::Unknown,
        TimeControlKind::Known(TimeClass::Bullet),
        TimeControlKind::Known(TimeClass::Blitz),
        TimeControlKind::Known(TimeClass::Rapid),
        TimeControlKind::Known(TimeClass::Classical),
        TimeControlKind::Known(TimeClass::Correspondence),
        TimeControlKind::Unlimited,
        TimeControlKind::Odd,
    ];

    /// The pace of a game that has [`speed::TAGS`].
    fn of(tags: &Tags) -> TimeControlKind {
        if let Some(speed) = TimeClass::of_game(tags) {
            return TimeControlKind::Known(speed);
        }
        let text = tags.value("TimeControl");
        match TimeControl::parse(text) {
            Some(control) if control.stages().first() == Some(&TimeControlStage::Unlimited) => {
                TimeControlKind::Unlimited
            }
            None if !text.is_empty() => TimeControlKind::Odd,
            _ => TimeControlKind::Unknown,
        }
    }

    fn name(self) -> &'static str {
        match self {
            TimeControlKind::Unknown => "",
            TimeControlKind::Known(speed) => speed.name(),
            TimeControlKind::Unlimited => "unlimited",
            TimeControlKind::Odd => "odd",
        }
    }

    /// A letter under which games of this pace are counted.
    fn letter(self) -> char {
        let place = TimeControlKind::ALL.iter().position(|pace| *pace == self);
        place.map_or(' ', |place| char::from(b"abcdefgh"[place & 7]))
    }

    fn by_letter(letter: char) -> Option<TimeControlKind> {
        TimeControlKind::ALL
            .into_iter()
            .find(|pace| pace.letter() == letter)
    }
}

#[derive(Default)]
struct TimeControlStatistic;

impl Statistic for TimeControlStatistic {
    type Sum = NameScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME)
            .union(CollectorNeeds::game(tags(&time_class::TAGS)))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        let tags = &game.game(tags(&time_class::TAGS))?.tags;
        // One text may stand in games of several paces: the event may say that they were played by letters.
        let mut key = String::from(TimeControlKind::of(tags).letter());
        key.push_str(tags.value("TimeControl"));
        sum.count(&key, outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl TableStatistic for TimeControlStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        let mut rows = Vec::new();
        let mut paces: BTreeMap<TimeControlKind, (ResultCounts, Vec<StatsRow>)> = BTreeMap::new();
        let mut texts: Vec<(&str, ResultCounts)> = sum.iter().collect();
        texts.sort_unstable_by_key(|(text, _)| *text);
        for (key, score) in texts {
            let mut letters = key.chars();
            let pace = letters.next().and_then(TimeControlKind::by_letter);
            let text = letters.as_str();
            let (all, within) = paces
                .entry(pace.unwrap_or(TimeControlKind::Unknown))
                .or_default();
            all.add(score);
            if !text.is_empty() {
                within.push(StatsRow {
                    label: text.to_owned(),
                    depth: 1,
                    score,
                });
            }
        }
        for (pace, (score, within)) in paces {
            rows.push(StatsRow::new(pace.name(), score));
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
            ("", TimeControlKind::Unknown),
            ("?", TimeControlKind::Unknown),
            ("-", TimeControlKind::Unlimited),
            ("60+1", TimeControlKind::Known(TimeClass::Bullet)),
            ("180+2", TimeControlKind::Known(TimeClass::Blitz)),
            ("600", TimeControlKind::Known(TimeClass::Rapid)),
            ("1500", TimeControlKind::Known(TimeClass::Classical)),
            ("1/86400", TimeControlKind::Known(TimeClass::Correspondence)),
            ("soon", TimeControlKind::Odd),
        ] {
            let mut tags = Tags::default();
            tags.set("TimeControl", text);
            let found = TimeControlKind::of(&tags);
            assert_eq!(found, pace, "{text}");
            assert_eq!(TimeControlKind::by_letter(found.letter()), Some(pace));
        }
        let mut tags = Tags::default();
        tags.set("TimeControl", "-");
        tags.set("Event", "Rated Correspondence game");
        assert_eq!(
            TimeControlKind::of(&tags),
            TimeControlKind::Known(TimeClass::Correspondence)
        );
    }
}
