//! How much time players had.

use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, NameField, NameRef, Statistic};
use tabiya_model::facts::FactFields;
use tabiya_model::time_class::{TimeClass, is_correspondence_event, is_correspondence_mode};
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
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
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

    /// The kind of a time control, unless mode or event say that it is a correspondence game.
    fn of(text: &str) -> TimeControlKind {
        if text.is_empty() {
            return TimeControlKind::Unknown;
        }
        let Some(control) = TimeControl::parse(text) else {
            return TimeControlKind::Odd;
        };
        match TimeClass::of_time_control(&control) {
            Some(speed) => TimeControlKind::Known(speed),
            None if control.stages().first() == Some(&TimeControlStage::Unlimited) => {
                TimeControlKind::Unlimited
            }
            None => TimeControlKind::Unknown,
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
}

/// What is read of each game. Whether its event says more is asked by the event's number: to read that tag of every game takes
/// longer than to read these two.
const TAGS: [&str; 2] = ["TimeControl", "Mode"];

/// The games of each kind by the texts of their time controls.
#[derive(Default)]
struct TimeControlScores {
    /// In the order of [`TimeControlKind::ALL`].
    kinds: [NameScores; TimeControlKind::ALL.len()],
    /// The last event by its number, and whether its games are correspondence games: those of an event often lie together.
    last_event: Option<(u32, bool)>,
}

impl TimeControlScores {
    /// Whether the event of a game says that it is a correspondence game.
    fn is_correspondence(&mut self, game: &mut GameView<'_>) -> Result<bool> {
        let event = match game.name(NameField::Event)? {
            NameRef::Number(event) => event,
            NameRef::Text(text) => return Ok(is_correspondence_event(&text)),
        };
        if let Some((_, known)) = self.last_event.filter(|(last, _)| *last == event) {
            return Ok(known);
        }
        let found = is_correspondence_event(&game.event()?);
        self.last_event = Some((event, found));
        Ok(found)
    }
}

#[derive(Default)]
struct TimeControlStatistic;

impl Statistic for TimeControlStatistic {
    type Sum = TimeControlScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME.union(FactFields::EVENT))
            .union(CollectorNeeds::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        let is_correspondence = sum.is_correspondence(game)?;
        let tags = &game.game(tags(&TAGS))?.tags;
        let text = tags.value("TimeControl");
        let kind = match is_correspondence || is_correspondence_mode(tags.value("Mode")) {
            true => TimeControlKind::Known(TimeClass::Correspondence),
            false => TimeControlKind::of(text),
        };
        let mut kinds = TimeControlKind::ALL.into_iter().zip(&mut sum.kinds);
        if let Some((_, scores)) = kinds.find(|(known, _)| *known == kind) {
            scores.count(text, outcome);
        }
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        for (scores, more) in sum.kinds.iter_mut().zip(part.kinds) {
            scores.add(more);
        }
    }
}

impl TableStatistic for TimeControlStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        let mut rows = Vec::new();
        for (kind, scores) in TimeControlKind::ALL.into_iter().zip(&sum.kinds) {
            let mut texts: Vec<(&str, ResultCounts)> = scores.iter().collect();
            if texts.is_empty() {
                continue;
            }
            texts.sort_unstable_by_key(|(text, _)| *text);
            let mut all = ResultCounts::default();
            texts.iter().for_each(|(_, score)| all.add(*score));
            rows.push(StatsRow::new(kind.name(), all));
            let within = texts.iter().filter(|(text, _)| !text.is_empty());
            rows.extend(within.map(|(text, score)| StatsRow {
                label: (*text).to_owned(),
                depth: 1,
                score: *score,
            }));
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
            assert_eq!(TimeControlKind::of(text), pace, "{text}");
            assert!(TimeControlKind::ALL.contains(&pace), "{text}");
        }
    }
}
