//! The explorer: what was played in a position, in all games or some, with an index of positions or without.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Color;
use tabiya_model::board::Board;
use tabiya_model::positions::{Delta, Men};
use tabiya_model::{Control, Database, Ended, Game, Result, Source};

use crate::brief::Brief;
use crate::feed::{self, Part, Reader, Visit};
use crate::index::{Found, Index};
use crate::key::{AsItIs, Key};
use crate::step::Step;
use crate::tally::Tally;

/// A position that is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Its key.
    pub key: Key,
    /// How many men stand there: a line that has fewer cannot come back to it.
    pub men: u32,
}

impl Target {
    /// The position of a board.
    #[must_use]
    pub fn of_board(board: &Board) -> Target {
        Target::of_men(&Men::of(board), board.turn())
    }

    /// The position of men on their squares.
    #[must_use]
    pub fn of_men(men: &Men, turn: Color) -> Target {
        Target {
            key: Key::of_men(men, turn),
            men: men.0.iter().map(|man| u32::from(*man != 0)).sum(),
        }
    }
}

/// What a filter is asked about a game.
#[derive(Copy, Clone, Debug)]
pub struct Asked<'a> {
    /// Its number, where it is known already.
    pub number: Option<u64>,
    /// Its ratings, date and result.
    pub facts: Brief,
    /// The game with its tags, where it was read; else the database has rows.
    pub game: Option<&'a Game>,
}

/// Decides which games count.
pub type Filter<'f> = dyn Fn(&Asked<'_>) -> bool + Sync + 'f;

/// How the explorer goes about it.
#[derive(Copy, Clone, Default)]
pub struct Options<'o> {
    /// Whether variations count too. A game counts once for a position, where it first stands there.
    pub variations: bool,
    /// Which games count; all unless said.
    pub filter: Option<&'o Filter<'o>>,
}

/// What the explorer found.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// One tally for each target.
    pub tallies: Vec<Tally>,
    /// How many games could not be decoded, or not to their end.
    pub damaged: u64,
    /// Whether these are all games that were to be explored.
    pub ended: Ended,
}

/// The targets, ready for many questions.
struct Targets {
    first: u64,
    /// Only where there are several.
    map: HashMap<Key, u32, BuildHasherDefault<AsItIs>>,
    count: usize,
    /// The fewest men of any target.
    men: u32,
}

impl Targets {
    fn new(targets: &[Target]) -> Targets {
        Targets {
            first: targets.first().map_or(0, |target| target.key.0),
            map: if targets.len() > 1 {
                (0..)
                    .zip(targets)
                    .map(|(index, target)| (target.key, index))
                    .collect()
            } else {
                HashMap::default()
            },
            count: targets.len(),
            men: targets
                .iter()
                .map(|target| target.men)
                .min()
                .unwrap_or(u32::MAX),
        }
    }

    #[inline]
    fn find(&self, key: Key) -> Option<u32> {
        if self.count == 1 {
            (key.0 == self.first).then_some(0)
        } else {
            self.map.get(&key).copied()
        }
    }
}

/// A line under way.
#[derive(Copy, Clone)]
struct Line {
    now: Key,
    before: Key,
    /// The target that stands on the board and waits for its move.
    waiting: Option<u32>,
}

/// Follows games and notes what is played in the targets; keeps its memory from game to game.
struct Follower<'t> {
    targets: &'t Targets,
    variations: bool,
    outer: Vec<Line>,
    /// The targets that were seen in this game, with what was played there.
    seen: Vec<(u32, Step)>,
}

/// Steps that are decoded at a time while a position is looked for.
const RUN: usize = 24;

impl<'t> Follower<'t> {
    fn new(targets: &'t Targets, variations: bool) -> Follower<'t> {
        Follower {
            targets,
            variations,
            outer: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn waiting(&self, key: Key) -> Option<u32> {
        let target = self.targets.find(key)?;
        // Each game counts once.
        let known = self.seen.iter().any(|(seen, _)| *seen == target)
            || self.outer.iter().any(|line| line.waiting == Some(target));
        (!known).then_some(target)
    }

    fn follow(&mut self, visit: &mut Visit<'_>) -> Result<()> {
        self.outer.clear();
        self.seen.clear();
        let start = visit.start();
        let mut line = Line {
            now: start,
            before: start,
            waiting: None,
        };
        if visit.is_readable() {
            line.waiting = self.waiting(start);
        }
        let mut men = visit.men();
        'game: while let Some(steps) = visit.run(RUN)? {
            for &delta in steps {
                if delta.is_move() {
                    if let Some(target) = line.waiting.take() {
                        self.seen.push((target, Step::of(delta)));
                        if self.seen.len() == self.targets.count {
                            break 'game;
                        }
                    }
                    line.before = line.now;
                    line.now = line.now.after(delta);
                    if !self.variations && delta.captured() != 0 {
                        men = men.saturating_sub(1);
                        if men < self.targets.men {
                            break 'game;
                        }
                    }
                    line.waiting = self.waiting(line.now);
                } else if delta == Delta::BEGIN {
                    let inner = line.before;
                    self.outer.push(line);
                    line = Line {
                        now: inner,
                        before: inner,
                        waiting: None,
                    };
                } else {
                    if let Some(target) = line.waiting {
                        self.seen.push((target, Step::END));
                    }
                    if let Some(outer) = self.outer.pop() {
                        line = outer;
                    }
                    if self.seen.len() == self.targets.count {
                        break 'game;
                    }
                }
            }
        }
        self.outer.push(line);
        for line in self.outer.drain(..) {
            if let Some(target) = line.waiting {
                self.seen.push((target, Step::END));
            }
        }
        Ok(())
    }
}

impl Visit<'_> {
    fn passes(&self, number: Option<u64>, facts: Brief, filter: &Filter<'_>) -> bool {
        filter(&Asked {
            number,
            facts,
            game: self.game(),
        })
    }
}

/// The tallies of a run of games.
struct Partial {
    tallies: Vec<Tally>,
    damaged: u64,
    seen: Vec<(u32, Step)>,
    outer: Vec<Line>,
}

/// What is done first with a game: the cheaper of two questions that it can fail.
#[derive(Copy, Clone, PartialEq, Eq)]
enum First {
    /// Whether it counts.
    Filter,
    /// Whether a position stands in it, which is so in few games of those that an index does not know by key.
    Walk,
}

fn note(
    partial: &mut Partial,
    targets: &Targets,
    options: &Options<'_>,
    visit: &mut Visit<'_>,
    absolute: bool,
    first: First,
) -> Result<()> {
    let number = absolute.then_some(visit.number);
    let counts = |visit: &Visit<'_>| {
        options
            .filter
            .is_none_or(|filter| visit.passes(number, visit.facts(), filter))
    };
    if first == First::Filter && !counts(visit) {
        return Ok(());
    }
    let mut follower = Follower {
        targets,
        variations: options.variations,
        outer: std::mem::take(&mut partial.outer),
        seen: std::mem::take(&mut partial.seen),
    };
    follower.follow(visit)?;
    if first == First::Walk && !follower.seen.is_empty() && !counts(visit) {
        follower.seen.clear();
    }
    partial.damaged += u64::from(visit.is_damaged());
    // Most games have nothing to do with the position: only the others are asked for their facts.
    let facts = if follower.seen.is_empty() {
        Brief::default()
    } else {
        visit.facts()
    };
    for (target, step) in &follower.seen {
        if let Some(tally) = partial.tallies.get_mut(*target as usize) {
            tally.add(visit.number, *step, facts);
        }
    }
    (partial.outer, partial.seen) = (follower.outer, follower.seen);
    Ok(())
}

fn merge(all: &mut Explored, mut part: Part<Partial>) {
    for (tally, part_tally) in all.tallies.iter_mut().zip(&mut part.result.tallies) {
        if part.relative {
            part_tally.place(0, part.first - 1);
        }
        tally.merge(part_tally);
    }
    all.damaged += part.result.damaged;
}

fn partial(count: usize) -> Partial {
    Partial {
        tallies: vec![Tally::default(); count],
        damaged: 0,
        seen: Vec::new(),
        outer: Vec::new(),
    }
}

/// Explores a database by walking through its games.
pub fn scan(
    database: &dyn Database,
    range: Option<Range<u64>>,
    targets: &[Target],
    options: &Options<'_>,
    control: &Control,
) -> Result<Explored> {
    let known = Targets::new(targets);
    let mut all = Explored {
        tallies: vec![Tally::default(); targets.len()],
        damaged: 0,
        ended: Ended::Whole,
    };
    let range = range.unwrap_or(1..u64::MAX);
    let absolute = feed::is_fast(database);
    all.ended = feed::for_all(
        database,
        range,
        feed::want(options.variations),
        control,
        || partial(targets.len()),
        |partial, visit| note(partial, &known, options, visit, absolute, First::Filter),
        |_| Ok(()),
        |part| {
            merge(&mut all, part);
            Ok(())
        },
    )?;
    Ok(all)
}

/// Explores the games of a stream.
pub fn scan_source(
    source: &mut dyn Source<'_>,
    targets: &[Target],
    options: &Options<'_>,
    control: &Control,
) -> Result<Explored> {
    let known = Targets::new(targets);
    let mut all = Explored {
        tallies: vec![Tally::default(); targets.len()],
        damaged: 0,
        ended: Ended::Whole,
    };
    all.ended = feed::for_source(
        source,
        1,
        feed::want(options.variations),
        control,
        || partial(targets.len()),
        |partial, visit| note(partial, &known, options, visit, false, First::Filter),
        |_| Ok(()),
        |part| {
            merge(&mut all, part);
            Ok(())
        },
    )?;
    Ok(all)
}

/// From how many games on several threads replay them: to start a thread takes as long as a few dozen games.
const MANY: usize = 200;

/// Explores the games of a list of numbers, which rise.
pub fn replay(
    database: &dyn Database,
    numbers: &[u64],
    targets: &[Target],
    options: &Options<'_>,
    control: &Control,
) -> Result<Explored> {
    replay_list(database, numbers, targets, options, control, First::Filter)
}

fn replay_list(
    database: &dyn Database,
    numbers: &[u64],
    targets: &[Target],
    options: &Options<'_>,
    control: &Control,
    first: First,
) -> Result<Explored> {
    let known = Targets::new(targets);
    let mut all = Explored {
        tallies: vec![Tally::default(); targets.len()],
        damaged: 0,
        ended: Ended::Whole,
    };
    let stopped = AtomicBool::new(false);
    let work = |numbers: &[u64]| -> Result<Partial> {
        let mut reader = Reader::of_list(database, numbers, options.variations);
        let mut partial = partial(targets.len());
        for &number in numbers {
            if control.is_stopped() {
                stopped.store(true, Ordering::Relaxed);
                break;
            }
            note(
                &mut partial,
                &known,
                options,
                &mut reader.visit(number)?,
                true,
                first,
            )?;
        }
        Ok(partial)
    };
    let jobs = if numbers.len() < MANY {
        1
    } else {
        control.threads()
    };
    let mut parts = Vec::new();
    if jobs == 1 {
        parts.push(work(numbers)?);
    } else {
        let share = numbers.len().div_ceil(jobs).max(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = numbers
                .chunks(share)
                .map(|chunk| scope.spawn(|| work(chunk)))
                .collect();
            for thread in threads {
                // A panic of a thread goes on in this one.
                parts.push(
                    thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                );
            }
            Ok::<(), tabiya_model::Error>(())
        })?;
    }
    for result in parts {
        merge(
            &mut all,
            Part {
                first: 1,
                games: 0,
                relative: false,
                result,
            },
        );
    }
    if stopped.into_inner() {
        all.ended = Ended::Stopped;
    }
    Ok(all)
}

/// Explores a database with the help of an index of its positions; `None` where the index turns out to be damaged.
pub fn with_index(
    database: &dyn Database,
    index: &Index,
    targets: &[Target],
    options: &Options<'_>,
    control: &Control,
) -> Result<Option<Explored>> {
    let mut all = Explored {
        tallies: Vec::with_capacity(targets.len()),
        damaged: damaged(database, index.damaged_games(), options)?,
        ended: Ended::Whole,
    };
    // Whatever the index says of them, they are looked at.
    let changed = index.changed_games();
    for target in targets {
        let mut tally = Tally::default();
        for layer in index.layers() {
            let Some(found) = index.find(layer, target.key) else {
                return Ok(None);
            };
            let (numbers, first) = match found {
                Found::Listed(listed) => {
                    if options.filter.is_none() && !options.variations {
                        match index.figures(layer, &listed) {
                            Some(Some(figures)) => {
                                tally.merge(&figures);
                                continue;
                            }
                            Some(None) => {}
                            None => return Ok(None),
                        }
                    }
                    match index.list(layer, &listed, options.variations) {
                        Some(numbers) => (numbers, First::Filter),
                        None => return Ok(None),
                    }
                }
                Found::Candidates(numbers) => (numbers, First::Walk),
            };
            let target = std::slice::from_ref(target);
            let explored = replay_list(database, &numbers, target, options, control, first)?;
            all.ended = all.ended.and(explored.ended);
            if let Some(part) = explored.tallies.first() {
                tally.merge(part);
            }
        }
        if !changed.is_empty() {
            let target = std::slice::from_ref(target);
            let explored = replay_list(database, &changed, target, options, control, First::Walk)?;
            all.ended = all.ended.and(explored.ended);
            if let Some(part) = explored.tallies.first() {
                tally.merge(part);
            }
        }
        all.tallies.push(tally);
    }
    Ok(Some(all))
}

/// How many of the damaged games count.
fn damaged(database: &dyn Database, games: &[u64], options: &Options<'_>) -> Result<u64> {
    let Some(filter) = options.filter else {
        return Ok(games.len() as u64);
    };
    let mut reader = Reader::of_list(database, games, options.variations);
    let mut damaged = 0;
    for &number in games {
        let visit = reader.visit(number)?;
        damaged += u64::from(visit.passes(Some(number), visit.facts(), filter));
    }
    Ok(damaged)
}

/// The numbers of the games of a list in which a position stands; as many as were found until a stop.
pub fn matching(
    database: &dyn Database,
    numbers: &[u64],
    target: Target,
    variations: bool,
    control: &Control,
) -> Result<(Vec<u64>, Ended)> {
    let known = Targets::new(std::slice::from_ref(&target));
    let mut reader = Reader::of_list(database, numbers, variations);
    let mut follower = Follower::new(&known, variations);
    let mut found = Vec::new();
    for &number in numbers {
        if control.is_stopped() {
            return Ok((found, Ended::Stopped));
        }
        follower.follow(&mut reader.visit(number)?)?;
        if !follower.seen.is_empty() {
            found.push(number);
        }
    }
    Ok((found, Ended::Whole))
}
