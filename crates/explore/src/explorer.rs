//! The explorer: what was played in a position, in all games or some, with an index of positions or without.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use shakmaty::Color;
use tabiya_model::board::Board;
use tabiya_model::collect::{Collector, Needs, Over, Pass, Run, Seen, Worker};
use tabiya_model::positions::{Delta, Men};
use tabiya_model::{Control, Database, Ended, Game, Result, Source};

use crate::brief::Brief;
use crate::index::{Found, Index};
use tabiya_openings::key::Key;

use crate::as_it_is::AsItIs;
use crate::look::{self, Look};
use crate::step::Step;
use crate::tally::{Shown, Tally};

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
    /// The only games that count, rising, where they are known.
    pub listed: Option<&'o [u64]>,
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
const STEPS: usize = 24;

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

    fn follow(&mut self, game: &mut Seen<'_>, look: Look) -> Result<()> {
        self.outer.clear();
        self.seen.clear();
        let start = look.start(game)?;
        let mut line = Line {
            now: start.key,
            before: start.key,
            waiting: None,
        };
        if start.is_readable {
            line.waiting = self.waiting(start.key);
        }
        let (mut men, mut at) = (start.men, 0);
        'game: loop {
            let steps = game.steps_from(at, STEPS)?;
            if steps.is_empty() {
                break;
            }
            at += steps.len();
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

/// What is done first with a game: the cheaper of two questions that it can fail.
#[derive(Copy, Clone, PartialEq, Eq)]
enum First {
    /// Whether it counts.
    Filter,
    /// Whether a position stands in it, which is so in few games of those that an index does not know by key.
    Walk,
}

/// Explores games as they pass.
struct Exploring<'e> {
    targets: Targets,
    options: &'e Options<'e>,
    look: Look,
    first: First,
}

impl<'e> Exploring<'e> {
    fn new(
        targets: &[Target],
        options: &'e Options<'e>,
        look: Look,
        first: First,
    ) -> Exploring<'e> {
        Exploring {
            targets: Targets::new(targets),
            options,
            look,
            first,
        }
    }

    /// Whether a game counts.
    fn counts(&self, game: &mut Seen<'_>) -> Result<bool> {
        let Some(filter) = self.options.filter else {
            return Ok(true);
        };
        let (number, facts) = (game.number(), self.look.brief(game)?);
        let game = self.look.game(game)?;
        Ok(filter(&Asked {
            number,
            facts,
            game,
        }))
    }

    /// Goes over games in a pass that is run by a closure.
    fn explore(&self, run: impl FnOnce(Pass<'_>) -> Result<Ended>) -> Result<Explored> {
        let mut all = Explored {
            tallies: vec![Tally::default(); self.targets.count],
            damaged: 0,
            ended: Ended::Whole,
        };
        let mut pass = Pass::new();
        pass.add(self, |part: Partial, run| {
            merge(&mut all, part, run);
            Ok(true)
        });
        let ended = run(pass)?;
        Ok(Explored { ended, ..all })
    }
}

/// The tallies of a run of games.
struct Partial {
    tallies: Vec<Tally>,
    damaged: u64,
    /// Whether numbers count from 1 at the first game of the run.
    is_relative: bool,
}

impl Partial {
    fn new(targets: usize) -> Partial {
        Partial {
            tallies: vec![Tally::default(); targets],
            damaged: 0,
            is_relative: false,
        }
    }
}

fn merge(all: &mut Explored, mut part: Partial, run: Run) {
    for (tally, part_tally) in all.tallies.iter_mut().zip(&mut part.tallies) {
        if part.is_relative {
            part_tally.place(0, run.first - 1);
        }
        tally.merge(part_tally);
    }
    all.damaged += part.damaged;
}

impl Collector for Exploring<'_> {
    type Part = Partial;

    fn needs(&self) -> Needs {
        self.look.needs()
    }

    fn worker(&self) -> impl Worker<Part = Partial> {
        Explorer {
            exploring: self,
            follower: Follower::new(&self.targets, self.options.variations),
            partial: Partial::new(self.targets.count),
        }
    }
}

/// One thread's share of exploring.
struct Explorer<'e> {
    exploring: &'e Exploring<'e>,
    follower: Follower<'e>,
    partial: Partial,
}

impl Worker for Explorer<'_> {
    type Part = Partial;

    fn see(&mut self, game: &mut Seen<'_>) -> Result<()> {
        let Exploring { look, first, .. } = *self.exploring;
        let partial = &mut self.partial;
        partial.is_relative = game.number().is_none();
        if first == First::Filter && !self.exploring.counts(game)? {
            return Ok(());
        }
        self.follower.follow(game, look)?;
        partial.damaged += u64::from(game.is_damaged());
        // Most games have nothing to do with the position: only the others are asked for their facts.
        let seen = &self.follower.seen;
        if seen.is_empty() || (first == First::Walk && !self.exploring.counts(game)?) {
            return Ok(());
        }
        let facts = look.brief(game)?;
        let number = game.number().unwrap_or(game.place() + 1);
        for (target, step) in seen {
            if let Some(tally) = partial.tallies.get_mut(*target as usize) {
                tally.add(number, *step, facts);
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Partial> {
        let next = Partial::new(self.partial.tallies.len());
        Ok(std::mem::replace(&mut self.partial, next))
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
    let look = Look::at(database, options.variations);
    let over = range.map_or(Over::All, Over::Range);
    Exploring::new(targets, options, look, First::Filter)
        .explore(|pass| pass.run(database, over, control))
}

/// Explores the games of a stream.
pub fn scan_source(
    source: &mut dyn Source<'_>,
    targets: &[Target],
    options: &Options<'_>,
    control: &Control,
) -> Result<Explored> {
    let look = Look::at_source(options.variations);
    Exploring::new(targets, options, look, First::Filter)
        .explore(|pass| pass.run_source(source, control))
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
    let look = Look::at(database, options.variations);
    let alone = control.clone().with_threads(1);
    let control = if numbers.len() < MANY {
        &alone
    } else {
        control
    };
    Exploring::new(targets, options, look, first)
        .explore(|pass| pass.run(database, Over::List(numbers), control))
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
    let changed = among(index.changed_games(), options);
    for target in targets {
        let mut tally = Tally::default();
        for layer in index.layers() {
            let Some(found) = index.find(layer, target.key) else {
                return Ok(None);
            };
            let (numbers, first) = match found {
                Found::Listed(listed) => {
                    let counts_all = options.filter.is_none() && options.listed.is_none();
                    if counts_all && !options.variations {
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
            let numbers = among(numbers, options);
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

/// Those of some games that may count.
fn among(mut numbers: Vec<u64>, options: &Options<'_>) -> Vec<u64> {
    if let Some(mut listed) = options.listed {
        numbers.retain(|number| {
            // Both rise: what has been passed is not looked at again.
            let before = listed.partition_point(|other| other < number);
            listed = listed.get(before..).unwrap_or_default();
            listed.first() == Some(number)
        });
    }
    numbers
}

/// The game in which a move was played in a position, where the index knows few games that have both this position and
/// the one behind the move.
pub fn single(
    database: &dyn Database,
    index: &Index,
    target: Target,
    (step, after): (Step, Key),
    options: &Options<'_>,
    control: &Control,
) -> Result<Option<Shown>> {
    let lists = |key: Key| -> Option<Vec<u64>> {
        let mut all = index.changed_games().to_vec();
        for layer in index.layers() {
            all.extend(match index.find(layer, key)? {
                Found::Listed(listed) => index.list(layer, &listed, options.variations)?,
                Found::Candidates(numbers) => numbers,
            });
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    };
    let (Some(here), Some(behind)) = (lists(target.key), lists(after)) else {
        return Ok(None);
    };
    let numbers = among(
        among(
            here,
            &Options {
                listed: Some(&behind),
                ..Options::default()
            },
        ),
        options,
    );
    let targets = std::slice::from_ref(&target);
    let explored = replay_list(database, &numbers, targets, options, control, First::Walk)?;
    let tally = explored.tallies.first();
    Ok(tally.and_then(|tally| tally.single(step)).copied())
}

/// How many of the damaged games count.
fn damaged(database: &dyn Database, games: &[u64], options: &Options<'_>) -> Result<u64> {
    if options.listed.is_some() && options.filter.is_none() {
        return Ok(among(games.to_vec(), options).len() as u64);
    }
    if options.filter.is_none() {
        return Ok(games.len() as u64);
    }
    let look = Look::at(database, options.variations);
    let exploring = Exploring::new(&[], options, look, First::Filter);
    let alone = Control::default().with_threads(1);
    let (counted, _) = look::each(database, games, look, &alone, |game| exploring.counts(game))?;
    Ok(counted.iter().map(|counts| u64::from(*counts)).sum())
}

/// The numbers of the games of a list in which a position stands; as many as were found until a stop.
pub fn matching(
    database: &dyn Database,
    numbers: &[u64],
    target: Target,
    variations: bool,
    control: &Control,
) -> Result<(Vec<u64>, Ended)> {
    let look = Look::at(database, variations);
    let known = Targets::new(std::slice::from_ref(&target));
    let alone = control.clone().with_threads(1);
    let (found, ended) = look::each(database, numbers, look, &alone, |game| {
        let mut follower = Follower::new(&known, variations);
        follower.follow(game, look)?;
        Ok(!follower.seen.is_empty())
    })?;
    let found = numbers.iter().zip(found).filter(|(_, found)| *found);
    Ok((found.map(|(number, _)| *number).collect(), ended))
}
