//! Where games leave what was played before them.
//!
//! A position is known to a game where one of the reference games of an earlier date has reached it, by whatever moves. The
//! novelty is the move after the last position that is known before many that are not: who comes back to known ground soon, by
//! another order of moves, has not left it. That two games meet again in the ending is no theory.
//!
//! For a position it suffices to know its earliest date. So one pass over the reference base answers for many games at
//! once, and a second one counts what was played where they left it.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tabiya_explore::key::Key;
use tabiya_explore::step::Step;
use tabiya_model::board::{Board, Move};
use tabiya_model::collect::{Needs, Over, Pass, Seen, Statistic, Steps};
use tabiya_model::date::{Date, days_in_month};
use tabiya_model::facts::Fields;
use tabiya_model::positions::{From, Men};
use tabiya_model::{Control, Database, Ended, Error, Game, Replay, Result, Want};
use tabiya_query::{self as query, Query};

use crate::base::Base;
use crate::list::Entry;
use crate::stats;
use crate::view::View;

/// So many games are compared with the reference at once.
const BATCH: usize = 1 << 16;

/// Who is not on known ground for so many half-moves has left it.
const BACK: usize = 8;

/// Which games, and what they are compared with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only games that a search finds.
    pub query: Option<String>,
    /// Only reference games that a search finds.
    pub reference: Option<String>,
    /// Whether indexes beside bases are asked.
    pub index: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            query: None,
            reference: None,
            index: true,
        }
    }
}

/// Where a game leaves the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Novelty {
    /// The game.
    pub game: Entry,
    /// The half-move that is new, from 1; nothing where the whole game was played before.
    pub ply: Option<u32>,
    /// The new move.
    pub san: String,
    /// What was played there before, with the number of games, the most frequent first; an empty text stands for games
    /// that ended there.
    pub before: Vec<(String, u64)>,
}

impl Novelty {
    /// How many games came so far before.
    #[must_use]
    pub fn games_before(&self) -> u64 {
        self.before.iter().map(|(_, games)| games).sum()
    }

    /// How many half-moves were known.
    #[must_use]
    pub fn known(&self) -> u64 {
        match self.ply {
            Some(ply) => u64::from(ply) - 1,
            None => self.game.plies.unwrap_or(0),
        }
    }

    /// The novelty for programs.
    #[must_use]
    pub fn json(&self, base: &str) -> Value {
        let mut game = self.game.json();
        if let Value::Object(fields) = &mut game {
            fields.insert("base".to_owned(), json!(base));
        }
        let before: Vec<Value> = self
            .before
            .iter()
            .map(|(san, games)| json!({"san": (!san.is_empty()).then_some(san), "games": games}))
            .collect();
        json!({
            "game": game,
            "ply": self.ply,
            "san": self.ply.map(|_| &self.san),
            "known": self.known(),
            "games": self.games_before(),
            "before": before,
        })
    }
}

/// What was looked at.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Games that were compared.
    pub games: u64,
    /// Games without a year, before which no game is known to be.
    pub undated: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether everything was looked at.
    pub ended: Ended,
}

/// Takes a game with the place of its base; answers whether to go on.
pub type Each<'e> = dyn FnMut(usize, Novelty) -> Result<ControlFlow<()>> + 'e;

/// Finds where games leave reference bases.
///
/// # Errors
///
/// Where games cannot be read, and where a base can be read only once.
pub fn novelties(
    bases: &[Base],
    references: &[Base],
    options: &Options,
    control: &Control,
    each: &mut Each<'_>,
) -> Result<Report> {
    let mut report = Report::default();
    let wanted = parse("--query", options.query.as_deref())?;
    let filter = parse("--reference", options.reference.as_deref())?;
    let mut known = Vec::new();
    for base in references {
        let view = View::of(base, options.index, &mut report.notes)?;
        known.push((view, listed(base, filter.as_ref(), options, control)?));
    }
    for (at, base) in bases.iter().enumerate() {
        let view = View::of(base, options.index, &mut Vec::new())?;
        let numbers = match listed(base, wanted.as_ref(), options, control)? {
            Some(numbers) => numbers,
            None => (1..=view.database().len()?).collect(),
        };
        for batch in numbers.chunks(BATCH) {
            let job = Batch {
                database: view.database(),
                known: &known,
                control,
            };
            let mut is_more = true;
            let whole = job.run(batch, &mut report, &mut |novelty| {
                let more = each(at, novelty)?;
                is_more = more.is_continue();
                Ok(more)
            })?;
            if !whole.is_whole() {
                report.ended = Ended::Stopped;
                return Ok(report);
            }
            if !is_more {
                return Ok(report);
            }
        }
    }
    report.ended = control.ended();
    Ok(report)
}

fn parse(option: &str, text: Option<&str>) -> Result<Option<Query>> {
    text.map(|text| {
        Query::parse(text, query::Context::default())
            .map_err(|error| Error::usage(format!("{option}: {}", error.render(text))))
    })
    .transpose()
}

fn listed(
    base: &Base,
    query: Option<&Query>,
    options: &Options,
    control: &Control,
) -> Result<Option<Vec<u64>>> {
    query
        .map(|query| stats::numbers(base, query, options.index, control))
        .transpose()
}

/// A day as a number that rises with the days, the first that a date can mean.
fn first_day(date: Date) -> Option<u32> {
    let (month, day) = (date.month.unwrap_or(1), date.day.unwrap_or(1));
    Some(u32::from(date.year?) << 9 | u32::from(month) << 5 | u32::from(day))
}

/// The last day that a date can mean.
fn last_day(date: Date) -> Option<u32> {
    let month = date.month.unwrap_or(12);
    let day = date.day.unwrap_or(days_in_month(date.year, month));
    first_day(Date::from_numbers(date.year?, month, day))
}

/// Some games that are compared at once.
struct Batch<'b> {
    database: &'b dyn Database,
    known: &'b [(View<'b>, Option<Vec<u64>>)],
    control: &'b Control,
}

impl Batch<'_> {
    fn run(
        &self,
        numbers: &[u64],
        report: &mut Report,
        each: &mut dyn FnMut(Novelty) -> Result<ControlFlow<()>>,
    ) -> Result<Ended> {
        let mut lines = Vec::new();
        let mut pass = Pass::new();
        pass.sum(&Lines, &mut lines);
        let ended = pass.run(self.database, Over::List(numbers), self.control)?;
        report.games += lines.len() as u64;
        report.undated += lines.iter().filter(|line| line.day.is_none()).count() as u64;
        let dated = || lines.iter().filter_map(|line| Some((line.day?, line)));
        let mut places: HashMap<Key, u32> = HashMap::new();
        for key in dated().flat_map(|(_, line)| &line.keys) {
            let next = u32::try_from(places.len()).unwrap_or(u32::MAX);
            places.entry(*key).or_insert(next);
        }
        let earliest = Earliest {
            latest: dated().map(|(day, _)| day).max().unwrap_or(0),
            days: places.iter().map(|_| AtomicU32::new(u32::MAX)).collect(),
            places,
        };
        if !ended.and(self.over_known(&earliest, &mut ())?).is_whole() {
            return Ok(Ended::Stopped);
        }
        let leaving: Vec<Option<usize>> = lines.iter().map(|line| earliest.leaves(line)).collect();
        let mut wanted: HashMap<Key, u32> = HashMap::new();
        for (line, known) in lines.iter().zip(&leaving) {
            // Where the whole game was played before, nothing is new.
            if let Some(known) = known
                && known + 1 < line.keys.len()
                && let Some(key) = line.keys.get(*known)
            {
                let next = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
                wanted.entry(*key).or_insert(next);
            }
        }
        let played = Played {
            latest: earliest.latest,
            wanted,
        };
        drop(earliest);
        let mut counts = BTreeMap::new();
        if !self.over_known(&played, &mut counts)?.is_whole() {
            return Ok(Ended::Stopped);
        }
        let mut by_place: Vec<Vec<(Step, u32, u64)>> = vec![Vec::new(); played.wanted.len()];
        for ((place, step, day), games) in counts {
            if let Some(steps) = usize::try_from(place)
                .ok()
                .and_then(|place| by_place.get_mut(place))
            {
                steps.push((step, day, games));
            }
        }
        for ((line, known), number) in lines.iter().zip(leaving).zip(numbers) {
            let Some(day) = line.day else { continue };
            if self.control.is_stopped() {
                return Ok(Ended::Stopped);
            }
            let key = known
                .filter(|known| known + 1 < line.keys.len())
                .and_then(|known| line.keys.get(known));
            let place = key.and_then(|key| played.wanted.get(key));
            let steps = place
                .and_then(|place| usize::try_from(*place).ok())
                .and_then(|place| by_place.get(place));
            let mut before: HashMap<Step, u64> = HashMap::new();
            for (step, _, games) in steps.into_iter().flatten().filter(|one| one.1 < day) {
                *before.entry(*step).or_default() += games;
            }
            let novelty = self.tell(*number, line.keys.len(), known, before)?;
            if each(novelty)?.is_break() {
                break;
            }
        }
        Ok(Ended::Whole)
    }

    fn over_known<S: Statistic>(&self, statistic: &S, sum: &mut S::Sum) -> Result<Ended> {
        for (view, listed) in self.known {
            let mut pass = Pass::new();
            pass.sum(statistic, sum);
            let over = listed.as_deref().map_or(Over::All, Over::List);
            if !pass.run(view.database(), over, self.control)?.is_whole() {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Whole)
    }

    /// Says in words where a game with so many positions leaves the last that is known.
    fn tell(
        &self,
        number: u64,
        positions: usize,
        known: Option<usize>,
        before: HashMap<Step, u64>,
    ) -> Result<Novelty> {
        let mut game = Game::default();
        let want = Want {
            verify: false,
            ..Want::MAIN_LINE
        };
        self.database.read(number, want, &mut game)?;
        game.origin.number = number;
        let known = known.unwrap_or(0);
        let mut replay = Replay::new(&game.start_board());
        let mut moves = game.tape.main_line();
        for m in moves.by_ref().take(known) {
            replay.play(m);
        }
        let board = replay.now();
        let is_new = known + 1 < positions;
        let san = moves.next().filter(|_| is_new).map(|m| in_words(board, m));
        let mut before: Vec<(String, u64)> = before
            .into_iter()
            .map(|(step, games)| {
                (
                    step.on(board)
                        .map_or_else(String::new, |m| in_words(board, m)),
                    games,
                )
            })
            .collect();
        before.sort_unstable_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
        let ply = san.as_ref().and_then(|_| u32::try_from(known + 1).ok());
        Ok(Novelty {
            game: Entry::of_game(&game, true),
            ply,
            san: san.unwrap_or_default(),
            before,
        })
    }
}

/// A move as people write it, with its check.
fn in_words(board: &Board, m: Move) -> String {
    let mut text = Vec::new();
    board.clone().play_san(m, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The positions of a game from its start on, and the first day that its date can mean.
struct Line {
    day: Option<u32>,
    keys: Vec<Key>,
}

/// Makes lines of games.
struct Lines;

impl Statistic for Lines {
    type Sum = Vec<Line>;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::DATE).with_steps(Steps::MainLine)
    }

    fn see(&self, sum: &mut Vec<Line>, game: &mut Seen<'_>) -> Result<()> {
        let day = first_day(game.fact()?.date);
        let mut keys = Vec::new();
        if day.is_some() {
            each_position(game, |key, _| keys.push(key))?;
        }
        sum.push(Line { day, keys });
        Ok(())
    }

    fn add(&self, sum: &mut Vec<Line>, part: Vec<Line>, _first: u64) {
        sum.extend(part);
    }
}

/// Goes through the positions of a game, each with what was played there.
fn each_position(game: &mut Seen<'_>, mut each: impl FnMut(Key, Step)) -> Result<()> {
    let mut key = match game.start()? {
        From::Standard => Key::standard(),
        From::Setup(board) => Key::of_men(&Men::of(board), board.turn()),
        From::Unreadable => return Ok(()),
    };
    for delta in game.steps()?.iter().filter(|delta| delta.is_move()) {
        each(key, Step::of(*delta));
        key = key.after(*delta);
    }
    each(key, Step::END);
    Ok(())
}

/// The earliest day on which each position was reached.
struct Earliest {
    places: HashMap<Key, u32>,
    days: Vec<AtomicU32>,
    /// Games of this day or later are before nothing.
    latest: u32,
}

impl Earliest {
    fn day(&self, key: Key) -> Option<&AtomicU32> {
        let place = usize::try_from(*self.places.get(&key)?).ok()?;
        self.days.get(place)
    }

    /// The last position of a game that was reached before its day, before it leaves.
    fn leaves(&self, line: &Line) -> Option<usize> {
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

impl Statistic for Earliest {
    type Sum = ();

    fn needs(&self) -> Needs {
        Needs::facts(Fields::DATE).with_steps(Steps::MainLine)
    }

    fn see(&self, _sum: &mut (), game: &mut Seen<'_>) -> Result<()> {
        let day = last_day(game.fact()?.date).filter(|day| *day < self.latest);
        let Some(day) = day else { return Ok(()) };
        each_position(game, |key, _| {
            if let Some(found) = self.day(key) {
                found.fetch_min(day, Ordering::Relaxed);
            }
        })
    }

    fn add(&self, _sum: &mut (), _part: (), _first: u64) {}
}

/// What was played in some positions, by day.
struct Played {
    wanted: HashMap<Key, u32>,
    latest: u32,
}

impl Statistic for Played {
    type Sum = BTreeMap<(u32, Step, u32), u64>;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::DATE).with_steps(Steps::MainLine)
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
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
