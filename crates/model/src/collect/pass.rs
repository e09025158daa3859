//! A pass over the games of a database or a source.

use std::ops::Range;

use crate::control::{Control, JobCompletion};
use crate::database::{Block, Database, GameNeeds, Source};
use crate::error::{Error, Result};
use crate::error_codes;
use crate::facts::{FactFields, FactSource, NameTable};
use crate::pipeline::{self, CancelCheck};
use crate::positions::GameWalker;

use super::game_view::{GameAccess, GameBuffers, StepsState, of_steps};
use super::{
    AnyCollector, AnyPart, AnyWorker, Collector, CollectorNeeds, GameView, Statistic, StepScope,
};

/// The number of games that one thread takes at a time if games are found by their numbers.
const RUN: u64 = 1 << 11;

/// The same if neighbouring games share compressed data.
const LONG_RUN: u64 = 1 << 13;

/// The minimum if they are picked from a list, and may have to be read one by one.
const LISTED: u64 = 1 << 6;

/// A longer list is divided into this number of runs: handing on a run costs as much as some dozen games.
const RUNS: u64 = 64;

/// Listed games are sparse if there is only one in this number.
const SPARSE: u64 = 64;

/// The games of a pass.
#[derive(Clone, Debug)]
pub enum PassRange<'o> {
    /// All.
    All,
    /// A range of numbers (from 1, end excluded).
    Range(Range<u64>),
    /// A list of ascending numbers.
    List(&'o [u64]),
}

/// A run of games that one thread has processed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GameRun {
    /// The number of its first game. For games from a list it is the index of the first one in the list, from 1.
    pub first: u64,
    /// The number of its games.
    pub games: u64,
}

/// Takes the part of a run; returns whether more is needed.
type PartConsumer<'p> = Box<dyn FnMut(AnyPart, GameRun) -> Result<bool> + 'p>;

/// A pass over games that feeds any number of collectors at once.
#[derive(Default)]
pub struct CollectorPass<'p> {
    needs: CollectorNeeds,
    collectors: Vec<&'p dyn AnyCollector>,
    takes: Vec<Option<PartConsumer<'p>>>,
}

impl<'p> CollectorPass<'p> {
    /// A pass without a collector.
    #[must_use]
    pub fn new() -> CollectorPass<'p> {
        CollectorPass::default()
    }

    /// Adds a collector. `take` gets its parts in the order of the games, and returns whether it needs more; the pass ends
    /// when no collector does.
    pub fn add<C: Collector>(
        &mut self,
        collector: &'p C,
        mut take: impl FnMut(C::Part, GameRun) -> Result<bool> + 'p,
    ) {
        self.needs = self.needs.union(Collector::needs(collector));
        self.collectors.push(collector);
        self.takes.push(Some(Box::new(move |part, run| {
            match part.downcast::<C::Part>() {
                Ok(part) => take(*part, run),
                Err(_) => Err(Error::new(
                    &error_codes::INTERNAL,
                    "a part came to another collector",
                )),
            }
        })));
    }

    /// Adds a statistic, which is added to `sum`.
    pub fn sum<S: Statistic>(&mut self, statistic: &'p S, sum: &'p mut S::Sum) {
        self.add(statistic, move |part, run| {
            statistic.add(sum, part, run.first);
            Ok(true)
        });
    }

    /// Goes over the games of a database, in the cheapest way that provides the needed parts.
    pub fn run(
        self,
        database: &dyn Database,
        over: PassRange<'_>,
        control: &Control,
    ) -> Result<JobCompletion> {
        if self.collectors.is_empty() {
            return Ok(JobCompletion::Whole);
        }
        if let PassRange::List(numbers) = over {
            return self.numbered(database, PassNumbers::List(numbers), control);
        }
        let range = match over {
            PassRange::Range(range) => range.start.max(1)..range.end,
            _ => 1..u64::MAX,
        };
        if self.goes_by_number(database) {
            let end = range.end.min(database.len()?.saturating_add(1));
            let range = range.start..end.max(range.start);
            return self.numbered(database, PassNumbers::Range(range), control);
        }
        let first = range.start;
        let mut source = database.source(Some(range))?;
        control.expect_more(source.total_bytes());
        self.run_from(&mut *source, Some(database), first, control)
    }

    /// Whether reading in order would read more than is needed.
    fn goes_by_number(&self, database: &dyn Database) -> bool {
        let has_facts = self.facts_of(database).is_some() || self.needs.facts.is_empty();
        let has_steps = database.positions().is_some() || self.needs.steps == StepScope::None;
        has_facts && has_steps && self.needs.game.is_none()
    }

    /// A source of the needed facts, unless it leaves some of them unsaid for every game.
    fn facts_of<'d>(&self, database: &'d dyn Database) -> Option<&'d dyn FactSource> {
        let facts = database.facts();
        facts.filter(|facts| !facts.never_says().meets(self.needs.facts))
    }

    /// Goes over the games of a source, which can be read only once.
    pub fn run_source(
        self,
        source: &mut dyn Source<'_>,
        control: &Control,
    ) -> Result<JobCompletion> {
        self.run_from(source, None, 1, control)
    }

    /// The parts that are read of each game if games are read in order.
    fn want(&self, has_facts: bool, knows_plies: bool) -> GameNeeds {
        let steps = (self.needs.steps != StepScope::None).then(|| of_steps(self.needs.steps));
        let of_moves = match knows_plies {
            true => FactFields::ANNOTATIONS,
            false => FactFields::PLIES.union(FactFields::ANNOTATIONS),
        };
        let facts = (!has_facts && self.needs.facts.meets(of_moves)).then_some(GameNeeds {
            verify: false,
            ..GameNeeds::ALL
        });
        // If an index has the facts, no more of the tags is read than a collector asks for.
        let tags = (!has_facts || self.needs.game.is_none()).then_some(GameNeeds::TAGS);
        [tags, self.needs.game, steps, facts]
            .into_iter()
            .flatten()
            .reduce(GameNeeds::union)
            .unwrap_or(GameNeeds::TAGS)
    }

    fn run_from(
        mut self,
        source: &mut dyn Source<'_>,
        database: Option<&dyn Database>,
        first: u64,
        control: &Control,
    ) -> Result<JobCompletion> {
        // Facts in an index need not be derived from the game.
        let facts = database.and_then(|database| self.facts_of(database));
        let needs = self.needs;
        // With plies that must be counted, and with plies that the block knows.
        let wants = |has_facts| [false, true].map(|knows_plies| self.want(has_facts, knows_plies));
        let (whole, lean) = (wants(false), wants(facts.is_some()));
        let collectors = self.collectors.as_slice();
        let mut next = first;
        let mut takes = std::mem::take(&mut self.takes);
        pipeline::run(
            source,
            control,
            || {
                let mut workers = workers_of(collectors);
                let mut buffers = GameBuffers::default();
                let names = counts_of(facts, needs.facts);
                move |block: &mut dyn Block| {
                    let first = block.first();
                    // Facts are found by number.
                    let [counted, known] = if first.is_some() { lean } else { whole };
                    let mut want = if block.knows_plies() { known } else { counted };
                    // If a block cannot go back, the parts that some games need are read of all games.
                    let is_final =
                        !block.is_repeatable() && (database.is_none() || first.is_none());
                    if let Some(perhaps) = needs.perhaps.filter(|_| is_final) {
                        want = want.union(perhaps);
                    }
                    let mut place = 0;
                    while block.next(want, &mut buffers.game)? {
                        let number = first.map(|first| first.saturating_add(place));
                        let mut seen = GameView {
                            place,
                            reach: GameAccess::Block(&mut *block, number),
                            database,
                            read: Some(want),
                            buffers: &mut buffers,
                            facts,
                            names: &names,
                            fields: needs.facts,
                            fact: None,
                            wanted: needs.steps,
                            walker: None,
                            start: None,
                            steps: StepsState::Nothing,
                        };
                        for worker in &mut workers {
                            worker.see(&mut seen)?;
                        }
                        place += 1;
                    }
                    Ok((parts_of(&mut workers)?, first, place))
                }
            },
            |(parts, first, games)| {
                let first = first.unwrap_or(next);
                next = first
                    .checked_add(games)
                    .ok_or_else(|| Error::new(&error_codes::TOO_MANY_GAMES, "too many games"))?;
                hand_on(&mut takes, parts, GameRun { first, games })
            },
        )
    }

    fn numbered(
        mut self,
        database: &dyn Database,
        numbers: PassNumbers<'_>,
        control: &Control,
    ) -> Result<JobCompletion> {
        let needs = self.needs;
        let collectors = self.collectors.as_slice();
        let facts = self.facts_of(database);
        let (mut at, end, mut run) = numbers.bounds();
        if matches!(numbers, PassNumbers::Range(_)) && database.reads_in_rows() {
            run = LONG_RUN;
        }
        control.expect_more(Some(end - at));
        let mut takes = std::mem::take(&mut self.takes);
        let few = control.clone().with_threads(1);
        let control = if end - at <= run { &few } else { control };
        let mut next = move || {
            let first = at;
            at = at.saturating_add(run).min(end);
            Ok((first < at).then_some(first..at))
        };
        pipeline::run_jobs(
            &mut next,
            control,
            || {
                let mut workers = workers_of(collectors);
                let mut buffers = GameBuffers::default();
                let positions = database
                    .positions()
                    .filter(|_| needs.steps != StepScope::None);
                let mut walker: Option<Box<dyn GameWalker + '_>> = positions.map(|positions| {
                    if numbers.is_sparse() {
                        positions.visitor()
                    } else {
                        positions.walker()
                    }
                });
                let numbers = &numbers;
                let names = counts_of(facts, needs.facts);
                move |range: Range<u64>, reins: CancelCheck<'_>| {
                    let run = GameRun {
                        first: range.start,
                        games: range.end - range.start,
                    };
                    for (place, at) in (0..).zip(range) {
                        if reins.is_cancelled() {
                            return Ok(None);
                        }
                        let Some(number) = numbers.get(at) else {
                            continue;
                        };
                        let mut seen = GameView {
                            place,
                            reach: GameAccess::Numbered(database, number),
                            database: None,
                            read: None,
                            buffers: &mut buffers,
                            facts,
                            names: &names,
                            fields: needs.facts,
                            fact: None,
                            wanted: needs.steps,
                            walker: match &mut walker {
                                Some(walker) => Some(&mut **walker),
                                None => None,
                            },
                            start: None,
                            steps: StepsState::Nothing,
                        };
                        for worker in &mut workers {
                            worker.see(&mut seen)?;
                        }
                    }
                    control.advance(run.games, run.games);
                    Ok(Some((parts_of(&mut workers)?, run)))
                }
            },
            |(parts, run)| hand_on(&mut takes, parts, run),
        )
    }
}

fn workers_of<'c>(collectors: &[&'c dyn AnyCollector]) -> Vec<Box<dyn AnyWorker + 'c>> {
    collectors
        .iter()
        .map(|collector| collector.any_worker())
        .collect()
}

/// The number of names in each needed table: counting names can require reading them.
fn counts_of(facts: Option<&dyn FactSource>, needed: FactFields) -> [u32; NameTable::ALL.len()] {
    let count = |facts: &dyn FactSource, table: NameTable| match needed.meets(table.fields()) {
        true => facts.names_of(table, needed),
        false => 0,
    };
    NameTable::ALL.map(|table| facts.map_or(0, |facts| count(facts, table)))
}

fn parts_of(workers: &mut [Box<dyn AnyWorker + '_>]) -> Result<Vec<AnyPart>> {
    workers.iter_mut().map(|worker| worker.take()).collect()
}

/// Passes parts to their collectors; returns whether any of them needs more.
fn hand_on(
    takes: &mut [Option<PartConsumer<'_>>],
    parts: Vec<AnyPart>,
    run: GameRun,
) -> Result<bool> {
    let mut wanted = false;
    for (slot, part) in takes.iter_mut().zip(parts) {
        if let Some(take) = slot {
            if take(part, run)? {
                wanted = true;
            } else {
                *slot = None;
            }
        }
    }
    Ok(wanted)
}

/// Games by their numbers.
enum PassNumbers<'n> {
    Range(Range<u64>),
    List(&'n [u64]),
}

impl PassNumbers<'_> {
    /// The first and the last argument of [`PassNumbers::get`], and the length of a run.
    fn bounds(&self) -> (u64, u64, u64) {
        match self {
            PassNumbers::Range(range) => (range.start, range.end, RUN),
            PassNumbers::List(list) => {
                let games = list.len() as u64;
                (1, games + 1, (games / RUNS).clamp(LISTED, RUN))
            }
        }
    }

    #[inline]
    fn get(&self, at: u64) -> Option<u64> {
        match self {
            PassNumbers::Range(_) => Some(at),
            PassNumbers::List(list) => list.get(usize::try_from(at - 1).ok()?).copied(),
        }
    }

    fn is_sparse(&self) -> bool {
        match self {
            PassNumbers::Range(_) => false,
            PassNumbers::List(list) => {
                let span = list.last().zip(list.first());
                let span = span.map_or(0, |(last, first)| last.saturating_sub(*first));
                span / SPARSE > list.len() as u64
            }
        }
    }
}
