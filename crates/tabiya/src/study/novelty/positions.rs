//! When each position of games was first reached, and what was played there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use tabiya_explore::move_code::MoveCode;
use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic, StepScope};
use tabiya_model::date::{Date, days_in_month};
use tabiya_model::facts::FactFields;
use tabiya_model::positions::{PiecePlacement, WalkStart};
use tabiya_openings::key_hasher::PositionNumbers;
use tabiya_openings::position_key::PositionKey;

use super::reached_positions::ReachedPositions;

/// Who is not on known ground for so many plies has left it.
const BACK: usize = 8;

/// A day as a number that rises with the days, the first that a date can mean.
pub(super) fn first_day(date: Date) -> Option<u32> {
    let (month, day) = (date.month.unwrap_or(1), date.day.unwrap_or(1));
    Some(u32::from(date.year?) << 9 | u32::from(month) << 5 | u32::from(day))
}

/// The last day that a date can mean.
pub(super) fn last_day(date: Date) -> Option<u32> {
    let month = date.month.unwrap_or(12);
    let day = date.day.unwrap_or(days_in_month(date.year, month));
    first_day(Date::from_numbers(date.year?, month, day))
}

/// What is asked of each game.
pub(super) fn of_positions() -> CollectorNeeds {
    CollectorNeeds::facts(FactFields::DATE).with_steps(StepScope::MainLine)
}

/// The positions of a game from its start on, and the first day that its date can mean.
pub(super) struct NoveltyLine {
    pub(super) day: Option<u32>,
    /// As far as it may have followed others.
    pub(super) keys: Vec<PositionKey>,
    /// How many positions it has.
    pub(super) positions: usize,
}

/// Makes lines of games.
pub(super) struct NoveltyLineBuilder<'r> {
    /// The positions that others may have reached, where they are known.
    pub(super) reached: Option<&'r ReachedPositions>,
}

impl Statistic for NoveltyLineBuilder<'_> {
    type Sum = Vec<NoveltyLine>;

    fn needs(&self) -> CollectorNeeds {
        of_positions()
    }

    fn see(&self, sum: &mut Vec<NoveltyLine>, game: &mut GameView<'_>) -> Result<()> {
        let day = first_day(game.fact()?.date);
        let (mut keys, mut positions) = (Vec::new(), 0);
        if day.is_some() {
            let mut last = 0;
            each_position(game, |key, _| {
                // Behind where it leaves them nothing is asked any more.
                if positions - last <= BACK {
                    keys.push(key);
                    if self.reached.is_none_or(|reached| reached.has(key)) {
                        last = positions;
                    }
                }
                positions += 1;
            })?;
            keys.shrink_to_fit();
        }
        sum.push(NoveltyLine {
            day,
            keys,
            positions,
        });
        Ok(())
    }

    fn add(&self, sum: &mut Vec<NoveltyLine>, part: Vec<NoveltyLine>, _first: u64) {
        sum.extend(part);
    }
}

/// Goes through the positions of a game, each with what was played there.
pub(super) fn each_position(
    game: &mut GameView<'_>,
    mut each: impl FnMut(PositionKey, MoveCode),
) -> Result<()> {
    let mut key = match game.start()? {
        WalkStart::Standard => PositionKey::standard(),
        WalkStart::Setup(board) => PositionKey::of_pieces(&PiecePlacement::of(board), board.turn()),
        WalkStart::Unreadable => return Ok(()),
    };
    for delta in game.main_line_steps()? {
        each(key, MoveCode::of(delta));
        key = key.after(delta);
    }
    each(key, MoveCode::END);
    Ok(())
}

/// Numbers positions, each once.
pub(super) fn number_positions(keys: impl Iterator<Item = PositionKey>) -> PositionNumbers {
    let mut places = PositionNumbers::default();
    for key in keys {
        let next = u32::try_from(places.len()).unwrap_or(u32::MAX);
        places.entry(key).or_insert(next);
    }
    places
}

/// The earliest day on which each position was reached.
pub(super) struct EarliestDays {
    places: PositionNumbers,
    days: Vec<AtomicU32>,
    /// Games of this day or later are before nothing.
    pub(super) latest: u32,
}

impl EarliestDays {
    /// For the positions of lines.
    pub(super) fn of(lines: &[NoveltyLine]) -> EarliestDays {
        let dated = || lines.iter().filter_map(|line| Some((line.day?, line)));
        let places = number_positions(dated().flat_map(|(_, line)| line.keys.iter().copied()));
        EarliestDays {
            latest: dated().map(|(day, _)| day).max().unwrap_or(0),
            days: places.iter().map(|_| AtomicU32::new(u32::MAX)).collect(),
            places,
        }
    }

    fn day(&self, key: PositionKey) -> Option<&AtomicU32> {
        let place = usize::try_from(*self.places.get(&key)?).ok()?;
        self.days.get(place)
    }

    /// The last position of a game that was reached before its day, before it leaves.
    pub(super) fn last_known(&self, line: &NoveltyLine) -> Option<usize> {
        let day = line.day?;
        let mut last = None;
        for (at, key) in line.keys.iter().enumerate() {
            if self
                .day(*key)
                .is_some_and(|found| found.load(Ordering::Relaxed) < day)
            {
                last = Some(at);
            } else if at - last.unwrap_or(0) >= BACK {
                break;
            }
        }
        last
    }
}

impl Statistic for EarliestDays {
    type Sum = ();

    fn needs(&self) -> CollectorNeeds {
        of_positions()
    }

    fn see(&self, _sum: &mut (), game: &mut GameView<'_>) -> Result<()> {
        let day = last_day(game.fact()?.date).filter(|day| *day < self.latest);
        let Some(day) = day else { return Ok(()) };
        each_position(game, |key, _| {
            // Most games come when the position is known from an earlier one.
            if let Some(found) = self.day(key)
                && found.load(Ordering::Relaxed) > day
            {
                found.fetch_min(day, Ordering::Relaxed);
            }
        })
    }

    fn add(&self, _sum: &mut (), _part: (), _first: u64) {}
}

/// What was played in some positions, by day.
pub(super) struct MovesByDay {
    /// The positions.
    pub(super) wanted: PositionNumbers,
    /// Games of this day or later are before nothing.
    pub(super) latest: u32,
}

impl Statistic for MovesByDay {
    type Sum = BTreeMap<(u32, MoveCode, u32), u64>;

    fn needs(&self) -> CollectorNeeds {
        of_positions()
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let day = last_day(game.fact()?.date).filter(|day| *day < self.latest);
        let Some(day) = day else { return Ok(()) };
        let mut seen = Vec::new();
        each_position(game, |key, step| {
            // A position that stands twice in a game counts once, with what was played there first.
            if let Some(place) = self.wanted.get(&key).filter(|place| !seen.contains(*place)) {
                seen.push(*place);
                *sum.entry((*place, step, day)).or_default() += 1;
            }
        })
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        for (key, games) in part {
            *sum.entry(key).or_default() += games;
        }
    }
}
