//! The explorer: what was played in a position, in all games or some, with or without an index of positions.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use shakmaty::Color;
use tabiya_model::board::Board;
use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameRun, GameView, PassRange,
};
use tabiya_model::positions::{MoveDelta, PiecePlacement};
use tabiya_model::{Control, Database, Game, JobCompletion, Result, Source};

use crate::game_brief::GameBrief;
use crate::index::{ExplorerIndex, LayerAnswer};
use tabiya_openings::position_key::PositionKey;

use crate::identity_hasher::IdentityHasher;
use crate::move_code::MoveCode;
use crate::read_mode::{self, ReadMode};
use crate::tally::{PositionTally, ShownGame};

/// A position to explore.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ExploreTarget {
    /// Its key.
    pub key: PositionKey,
    /// How many pieces it has: a line with fewer cannot return to it.
    pub piece_count: u32,
}

impl ExploreTarget {
    /// The position of a board.
    #[must_use]
    pub fn of_board(board: &Board) -> ExploreTarget {
        ExploreTarget::of_pieces(&PiecePlacement::of(board), board.turn())
    }

    /// The position of pieces on their squares.
    #[must_use]
    pub fn of_pieces(pieces: &PiecePlacement, turn: Color) -> ExploreTarget {
        ExploreTarget {
            key: PositionKey::of_pieces(pieces, turn),
            piece_count: pieces.0.iter().map(|piece| u32::from(*piece != 0)).sum(),
        }
    }
}

/// The game that a filter decides on.
#[derive(Copy, Clone, Debug)]
pub struct FilterInput<'a> {
    /// Its number, if it is known already.
    pub number: Option<u64>,
    /// Its ratings, date and result.
    pub facts: GameBrief,
    /// The game with its tags, if it was read; else the database has rows.
    pub game: Option<&'a Game>,
}

/// Decides which games count.
pub type GamePredicate<'f> = dyn Fn(&FilterInput<'_>) -> bool + Sync + 'f;

/// Options of the explorer.
#[derive(Copy, Clone, Default)]
pub struct ExploreOptions<'o> {
    /// Whether variations count too. A game counts once for a position, at its first occurrence.
    pub variations: bool,
    /// Which games count; all by default.
    pub filter: Option<&'o GamePredicate<'o>>,
    /// The only games that count, rising, if they are known.
    pub listed: Option<&'o [u64]>,
}

/// The result of the explorer.
#[derive(Clone, Debug, Default)]
pub struct ExploreTallies {
    /// One tally per target.
    pub tallies: Vec<PositionTally>,
    /// How many games could not be decoded, or not to their end.
    pub damaged: u64,
    /// Whether all games were explored.
    pub ended: JobCompletion,
}

/// The targets, prepared for many lookups.
struct TargetTable {
    first: u64,
    /// Used only if there are several.
    map: HashMap<PositionKey, u32, BuildHasherDefault<IdentityHasher>>,
    count: usize,
    /// The fewest pieces of any target.
    pieces: u32,
}

impl TargetTable {
    fn new(targets: &[ExploreTarget]) -> TargetTable {
        TargetTable {
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
            pieces: targets
                .iter()
                .map(|target| target.piece_count)
                .min()
                .unwrap_or(u32::MAX),
        }
    }

    #[inline]
    fn find(&self, key: PositionKey) -> Option<u32> {
        if self.count == 1 {
            (key.0 == self.first).then_some(0)
        } else {
            self.map.get(&key).copied()
        }
    }
}

/// A line under way.
#[derive(Copy, Clone)]
struct TargetLine {
    now: PositionKey,
    before: PositionKey,
    /// The target that is on the board now and needs the next move.
    waiting: Option<u32>,
}

/// Follows games and records the moves played in the targets; its memory is reused for each game.
struct TargetFollower<'t> {
    targets: &'t TargetTable,
    variations: bool,
    outer: Vec<TargetLine>,
    /// The targets that were reached in this game, with the moves played there.
    seen: Vec<(u32, MoveCode)>,
}

/// The number of steps that are decoded at a time while a position is searched.
const STEPS: usize = 24;

impl<'t> TargetFollower<'t> {
    fn new(targets: &'t TargetTable, variations: bool) -> TargetFollower<'t> {
        TargetFollower {
            targets,
            variations,
            outer: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn waiting(&self, key: PositionKey) -> Option<u32> {
        let target = self.targets.find(key)?;
        // Each game counts once.
        let known = self.seen.iter().any(|(seen, _)| *seen == target)
            || self.outer.iter().any(|line| line.waiting == Some(target));
        (!known).then_some(target)
    }

    fn follow(&mut self, game: &mut GameView<'_>, look: ReadMode) -> Result<()> {
        self.outer.clear();
        self.seen.clear();
        let start = look.start(game)?;
        let mut line = TargetLine {
            now: start.key,
            before: start.key,
            waiting: None,
        };
        if start.is_readable {
            line.waiting = self.waiting(start.key);
        }
        let (mut pieces, mut at) = (start.pieces, 0);
        'game: loop {
            let steps = game.steps_from(at, STEPS)?;
            if steps.is_empty() {
                break;
            }
            at += steps.len();
            for &delta in steps {
                if delta.is_move() {
                    if let Some(target) = line.waiting.take() {
                        self.seen.push((target, MoveCode::of(delta)));
                        if self.seen.len() == self.targets.count {
                            break 'game;
                        }
                    }
                    line.before = line.now;
                    line.now = line.now.after(delta);
                    if !self.variations && delta.captured() != 0 {
                        pieces = pieces.saturating_sub(1);
                        if pieces < self.targets.pieces {
                            break 'game;
                        }
                    }
                    line.waiting = self.waiting(line.now);
                } else if delta == MoveDelta::BEGIN {
                    let inner = line.before;
                    self.outer.push(line);
                    line = TargetLine {
                        now: inner,
                        before: inner,
                        waiting: None,
                    };
                } else {
                    if let Some(target) = line.waiting {
                        self.seen.push((target, MoveCode::END));
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
                self.seen.push((target, MoveCode::END));
            }
        }
        Ok(())
    }
}

/// The test that a game undergoes first: the cheaper of two.
#[derive(Copy, Clone, PartialEq, Eq)]
enum FirstTest {
    /// Whether the filter accepts it.
    Filter,
    /// Whether the position occurs in it: few of the games that an index does not list by key contain it.
    Walk,
}

/// Explores each game of a pass.
struct ExploreCollector<'e> {
    targets: TargetTable,
    options: &'e ExploreOptions<'e>,
    look: ReadMode,
    first: FirstTest,
}

impl<'e> ExploreCollector<'e> {
    fn new(
        targets: &[ExploreTarget],
        options: &'e ExploreOptions<'e>,
        look: ReadMode,
        first: FirstTest,
    ) -> ExploreCollector<'e> {
        ExploreCollector {
            targets: TargetTable::new(targets),
            options,
            look,
            first,
        }
    }

    /// Whether a game counts.
    fn counts(&self, game: &mut GameView<'_>) -> Result<bool> {
        let Some(filter) = self.options.filter else {
            return Ok(true);
        };
        let (number, facts) = (game.number(), self.look.brief(game)?);
        let game = self.look.game(game)?;
        Ok(filter(&FilterInput {
            number,
            facts,
            game,
        }))
    }

    /// Explores games in a pass that a closure runs.
    fn explore(
        &self,
        run: impl FnOnce(CollectorPass<'_>) -> Result<JobCompletion>,
    ) -> Result<ExploreTallies> {
        let mut all = ExploreTallies {
            tallies: vec![PositionTally::default(); self.targets.count],
            damaged: 0,
            ended: JobCompletion::Whole,
        };
        let mut pass = CollectorPass::new();
        pass.add(self, |part: PartialTallies, run| {
            merge(&mut all, part, run);
            Ok(true)
        });
        let ended = run(pass)?;
        Ok(ExploreTallies { ended, ..all })
    }
}

/// The tallies of a run of games.
struct PartialTallies {
    tallies: Vec<PositionTally>,
    damaged: u64,
    /// Whether numbers count from 1 at the first game of the run.
    is_relative: bool,
}

impl PartialTallies {
    fn new(targets: usize) -> PartialTallies {
        PartialTallies {
            tallies: vec![PositionTally::default(); targets],
            damaged: 0,
            is_relative: false,
        }
    }
}

fn merge(all: &mut ExploreTallies, mut part: PartialTallies, run: GameRun) {
    for (tally, part_tally) in all.tallies.iter_mut().zip(&mut part.tallies) {
        if part.is_relative {
            part_tally.place(0, run.first - 1);
        }
        tally.merge(part_tally);
    }
    all.damaged += part.damaged;
}

impl Collector for ExploreCollector<'_> {
    type Part = PartialTallies;

    fn needs(&self) -> CollectorNeeds {
        self.look.needs()
    }

    fn worker(&self) -> impl CollectorWorker<Part = PartialTallies> {
        ExploreWorker {
            exploring: self,
            follower: TargetFollower::new(&self.targets, self.options.variations),
            partial: PartialTallies::new(self.targets.count),
        }
    }
}

/// The work of one thread.
struct ExploreWorker<'e> {
    exploring: &'e ExploreCollector<'e>,
    follower: TargetFollower<'e>,
    partial: PartialTallies,
}

impl CollectorWorker for ExploreWorker<'_> {
    type Part = PartialTallies;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let ExploreCollector { look, first, .. } = *self.exploring;
        let partial = &mut self.partial;
        partial.is_relative = game.number().is_none();
        if first == FirstTest::Filter && !self.exploring.counts(game)? {
            return Ok(());
        }
        self.follower.follow(game, look)?;
        partial.damaged += u64::from(game.is_damaged());
        // Most games never reach the position: facts are read only for the others.
        let seen = &self.follower.seen;
        if seen.is_empty() || (first == FirstTest::Walk && !self.exploring.counts(game)?) {
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

    fn take(&mut self) -> Result<PartialTallies> {
        let next = PartialTallies::new(self.partial.tallies.len());
        Ok(std::mem::replace(&mut self.partial, next))
    }
}

/// Explores a database by walking through its games.
pub fn scan(
    database: &dyn Database,
    range: Option<Range<u64>>,
    targets: &[ExploreTarget],
    options: &ExploreOptions<'_>,
    control: &Control,
) -> Result<ExploreTallies> {
    let look = ReadMode::at(database, options.variations);
    let over = range.map_or(PassRange::All, PassRange::Range);
    ExploreCollector::new(targets, options, look, FirstTest::Filter)
        .explore(|pass| pass.run(database, over, control))
}

/// Explores the games of a stream.
pub fn scan_source(
    source: &mut dyn Source<'_>,
    targets: &[ExploreTarget],
    options: &ExploreOptions<'_>,
    control: &Control,
) -> Result<ExploreTallies> {
    let look = ReadMode::at_source(options.variations);
    ExploreCollector::new(targets, options, look, FirstTest::Filter)
        .explore(|pass| pass.run_source(source, control))
}

/// The minimum number of games to replay on several threads: starting a thread takes as long as a few dozen games.
const MANY: usize = 200;

/// Explores the games of a list of ascending numbers.
pub fn replay(
    database: &dyn Database,
    numbers: &[u64],
    targets: &[ExploreTarget],
    options: &ExploreOptions<'_>,
    control: &Control,
) -> Result<ExploreTallies> {
    replay_list(
        database,
        numbers,
        targets,
        options,
        control,
        FirstTest::Filter,
    )
}

fn replay_list(
    database: &dyn Database,
    numbers: &[u64],
    targets: &[ExploreTarget],
    options: &ExploreOptions<'_>,
    control: &Control,
    first: FirstTest,
) -> Result<ExploreTallies> {
    let look = ReadMode::at(database, options.variations);
    let alone = control.clone().with_threads(1);
    let control = if numbers.len() < MANY {
        &alone
    } else {
        control
    };
    ExploreCollector::new(targets, options, look, first)
        .explore(|pass| pass.run(database, PassRange::List(numbers), control))
}

/// Explores a database with an index of its positions; `None` if the index is damaged.
pub fn with_index(
    database: &dyn Database,
    index: &ExplorerIndex,
    targets: &[ExploreTarget],
    options: &ExploreOptions<'_>,
    control: &Control,
) -> Result<Option<ExploreTallies>> {
    let mut all = ExploreTallies {
        tallies: Vec::with_capacity(targets.len()),
        damaged: damaged(database, index.damaged_games(), options)?,
        ended: JobCompletion::Whole,
    };
    // Changed games are read, whatever the index has about them.
    let changed = among(index.changed_games(), options);
    for target in targets {
        let mut tally = PositionTally::default();
        for layer in index.layers() {
            let Some(found) = index.find(layer, target.key) else {
                return Ok(None);
            };
            let (numbers, first) = match found {
                LayerAnswer::Listed(listed) => {
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
                        Some(numbers) => (numbers, FirstTest::Filter),
                        None => return Ok(None),
                    }
                }
                LayerAnswer::Candidates(numbers) => (numbers, FirstTest::Walk),
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
            let explored = replay_list(
                database,
                &changed,
                target,
                options,
                control,
                FirstTest::Walk,
            )?;
            all.ended = all.ended.and(explored.ended);
            if let Some(part) = explored.tallies.first() {
                tally.merge(part);
            }
        }
        all.tallies.push(tally);
    }
    Ok(Some(all))
}

/// The games of a list that may count.
fn among(mut numbers: Vec<u64>, options: &ExploreOptions<'_>) -> Vec<u64> {
    if let Some(mut listed) = options.listed {
        numbers.retain(|number| {
            // Both are in ascending order: numbers already passed are not compared again.
            let before = listed.partition_point(|other| other < number);
            listed = listed.get(before..).unwrap_or_default();
            listed.first() == Some(number)
        });
    }
    numbers
}

/// The game in which a move was played in a position, if the index has few games with both this position and the one after
/// the move.
pub fn single(
    database: &dyn Database,
    index: &ExplorerIndex,
    target: ExploreTarget,
    (step, after): (MoveCode, PositionKey),
    options: &ExploreOptions<'_>,
    control: &Control,
) -> Result<Option<ShownGame>> {
    let lists = |key: PositionKey| -> Option<Vec<u64>> {
        let mut all = index.changed_games().to_vec();
        for layer in index.layers() {
            all.extend(match index.find(layer, key)? {
                LayerAnswer::Listed(listed) => index.list(layer, &listed, options.variations)?,
                LayerAnswer::Candidates(numbers) => numbers,
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
            &ExploreOptions {
                listed: Some(&behind),
                ..ExploreOptions::default()
            },
        ),
        options,
    );
    let targets = std::slice::from_ref(&target);
    let explored = replay_list(
        database,
        &numbers,
        targets,
        options,
        control,
        FirstTest::Walk,
    )?;
    let tally = explored.tallies.first();
    Ok(tally.and_then(|tally| tally.single(step)).copied())
}

/// How many of the damaged games count.
fn damaged(database: &dyn Database, games: &[u64], options: &ExploreOptions<'_>) -> Result<u64> {
    if options.listed.is_some() && options.filter.is_none() {
        return Ok(among(games.to_vec(), options).len() as u64);
    }
    if options.filter.is_none() {
        return Ok(games.len() as u64);
    }
    let look = ReadMode::at(database, options.variations);
    let exploring = ExploreCollector::new(&[], options, look, FirstTest::Filter);
    let alone = Control::default().with_threads(1);
    let (counted, _) =
        read_mode::each(database, games, look, &alone, |game| exploring.counts(game))?;
    Ok(counted.iter().map(|counts| u64::from(*counts)).sum())
}

/// The numbers of the games of a list that have a position; those found until a stop.
pub fn matching(
    database: &dyn Database,
    numbers: &[u64],
    target: ExploreTarget,
    variations: bool,
    control: &Control,
) -> Result<(Vec<u64>, JobCompletion)> {
    let look = ReadMode::at(database, variations);
    let known = TargetTable::new(std::slice::from_ref(&target));
    let alone = control.clone().with_threads(1);
    let (found, ended) = read_mode::each(database, numbers, look, &alone, |game| {
        let mut follower = TargetFollower::new(&known, variations);
        follower.follow(game, look)?;
        Ok(!follower.seen.is_empty())
    })?;
    let found = numbers.iter().zip(found).filter(|(_, found)| *found);
    Ok((found.map(|(number, _)| *number).collect(), ended))
}
