//! Annotating whole databases with an engine: resumable, on several processes, the same bytes every time.
//!
//! Games are read twice. The first time only counts: which positions are asked for, and which of them stand in more
//! than one place. The second time they are sent to the engines, and a game is written once all its positions are known.
//!
//! What an engine says depends on what it remembers. So a position that several games share is searched by itself, on a
//! cleared memory, once; the rest of a game is searched as one piece of work, from its end to its start, on a memory that
//! is cleared before it. With [`Clearing::Position`] every position is searched by itself. Either way neither the order of
//! the games nor the number of processes changes anything, and work that was killed goes on from its journal as if
//! nothing had happened, as long as the engine itself is repeatable: one thread, and a limit of nodes or depth.

mod book;
mod pool;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tabiya_engine::annotate::{self, Side, Style};
use tabiya_engine::driver::{Go, Patience, Position, Spec};
use tabiya_engine::journal::{Head, Journal};
use tabiya_engine::{EngineError, Evaluated, Keeper, Key};
use tabiya_model::game::Variant;
use tabiya_model::judgement::{ByColor, Evaluations};
use tabiya_model::{Board, Control, Ended, Error, ErrorKind, Game, Result, Summary, Want};

pub use self::book::Book;
use self::pool::{Done, Pool, Unit};
use crate::base::{Base, Games};
use crate::report::SourceReport;
use crate::target::{Singles, Target};

/// When an engine forgets what it remembers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Clearing {
    /// Before each game, and around positions that several games share.
    #[default]
    Game,
    /// Before each position.
    Position,
}

/// What becomes of evaluations that stand in a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// A game that has any stays as it is.
    #[default]
    Keep,
    /// Positions that have one keep it, the others are searched.
    Missing,
    /// They are replaced.
    Redo,
}

/// The opening moves that are not looked at.
#[derive(Clone, Debug, Default)]
pub enum Skip {
    /// None.
    #[default]
    Nothing,
    /// Those that lead to positions of a reference.
    Known(Book),
    /// Those that lead to positions which so many games of the database itself reach.
    Shared(u32),
}

/// How a database is annotated.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine.
    pub engine: Spec,
    /// How long it is waited for.
    pub patience: Patience,
    /// How many of it run at once.
    pub processes: usize,
    /// How long each position is searched.
    pub go: Go,
    /// When it forgets.
    pub clearing: Clearing,
    /// What becomes of evaluations that stand already.
    pub existing: Existing,
    /// The opening moves that are left out.
    pub skip: Skip,
    /// What is written; whether it replaces anything follows from `existing`.
    pub style: Style,
    /// The numbers of the games, rising; all of them where nothing is said.
    pub games: Option<Vec<u64>>,
    /// Name the engine as the annotator of games that have none.
    pub sign: bool,
    /// Leave out games that are marked as deleted.
    pub skip_deleted: bool,
    /// Where the journal lies; without one nothing can be gone on with.
    pub journal: Option<PathBuf>,
}

impl Options {
    /// With one process of an engine.
    #[must_use]
    pub fn new(engine: Spec, go: Go) -> Options {
        Options {
            engine,
            patience: Patience::default(),
            processes: 1,
            go,
            clearing: Clearing::default(),
            existing: Existing::default(),
            skip: Skip::default(),
            style: Style::default(),
            games: None,
            sign: true,
            skip_deleted: false,
            journal: None,
        }
    }
}

/// Something that happened during the work.
#[derive(Debug)]
pub enum Event<'e> {
    /// The work is known: so many positions, of which the journal knows some.
    Planned {
        /// All positions that are asked for.
        positions: u64,
        /// Those that the journal knows.
        known: u64,
        /// What the engine calls itself.
        engine: &'e str,
    },
    /// An engine has searched so many positions more.
    Searched(u64),
    /// A game is done.
    Game(&'e GameReport),
}

/// What was found in one game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameReport {
    /// Its number in the source.
    pub number: u64,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// Positions that were searched for it, or found in the journal.
    pub positions: u64,
    /// Positions that no engine would answer about.
    pub failed: u64,
    /// Whether it was left as it is because it has evaluations already.
    pub kept: bool,
    /// What is said of its players.
    pub sides: ByColor<Side>,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Report {
    /// What the engine calls itself.
    pub engine: String,
    /// Games that were written.
    pub games: u64,
    /// Games among them that were left as they are because they have evaluations already.
    pub kept: u64,
    /// Positions that were asked for, each place counted.
    pub positions: u64,
    /// Positions that were searched now.
    pub searched: u64,
    /// Positions that no engine would answer about.
    pub failed: u64,
    /// How often an engine had to be started again.
    pub restarts: u64,
    /// What was noticed about the engines.
    pub notes: Vec<String>,
    /// What was found in the source, and what the target cannot hold.
    pub source: SourceReport,
    /// Whether it came to its end. The target stands only then; else the journal keeps what was done.
    pub ended: Ended,
    /// What the target says, where it stands.
    pub summary: Option<Summary>,
}

/// The most failures in a row, over all engines, that are borne.
const MOST_FAILURES: u64 = 10;

/// The most games in memory at once.
const MOST_PENDING: usize = 1_000;

/// Annotates a database into a target. When it is told to stop it does so soon, and the target is left out.
pub fn analyse(
    base: &Base,
    target: &Target,
    options: &Options,
    control: &Control,
    each: &mut dyn FnMut(Event<'_>),
) -> Result<Report> {
    if !base.is_repeatable() {
        return Err(Error::usage(format!(
            "{}: what comes through a pipe can be read only once, and games are read twice here; save it to a file first",
            base.name()
        )));
    }
    let mut writing = target.begin(std::slice::from_ref(base))?;
    let keeper = Keeper::start(&options.engine, options.patience, control).map_err(failed)?;
    let engine = keeper.id().to_owned();
    let mut report = Report {
        engine: engine.clone(),
        ..Report::default()
    };
    let chosen = || Chosen::new(base, options.games.as_deref(), options.skip_deleted);
    let known = match &options.skip {
        Skip::Nothing => None,
        Skip::Known(book) => Some(book.clone()),
        Skip::Shared(games) => {
            let mut book = Book::default();
            for game in chosen()?.take_while(|_| !control.is_stopped()) {
                book.add(&game?);
            }
            Some(book.at_least(*games))
        }
    };
    let chooser = Chooser {
        existing: options.existing,
        known,
    };
    let plan = Plan::make(chosen()?, &chooser, control)?;
    if control.is_stopped() {
        report.ended = Ended::Stopped;
        return Ok(report);
    }
    control.expect(Some(plan.positions));
    let journal = match &options.journal {
        Some(path) => Some(Journal::open(path, &head(options, &engine, &plan))?),
        None => None,
    };
    let known = journal.as_ref().map_or(0, |journal| journal.len() as u64);
    each(Event::Planned {
        positions: plan.positions,
        known,
        engine: &engine,
    });
    let mut style = options.style.clone();
    style.redo = options.existing == Existing::Redo;
    if options.sign {
        style.annotator = Some(engine.clone());
    }
    let mut feed = writing.feed(base.about()?, target.report(base));
    let mut run = Run {
        options,
        style,
        chooser,
        shared: plan.shared,
        known: HashMap::new(),
        waiting: HashMap::new(),
        pending: VecDeque::new(),
        first: 0,
        journal,
        out: feed.singles(1),
        report: &mut report,
        failures: 0,
        control,
        each,
    };
    let mut games = chosen()?;
    let (ended, left) = std::thread::scope(|scope| {
        let pool = Pool::start(scope, keeper, options, control);
        let ended = run.all(&mut games, &pool);
        (ended, pool.end())
    });
    let Run { journal, out, .. } = run;
    report.restarts = left.restarts;
    report.notes = left.notes;
    report.ended = ended?;
    if report.ended.is_whole() {
        out.finish()?;
        feed.lacks(base);
        report.source = feed.report;
        report.summary = Some(writing.finish()?);
        if let Some(journal) = journal {
            journal.remove()?;
        }
    }
    Ok(report)
}

/// The chosen games of a base, in their order.
pub(crate) struct Chosen<'b> {
    games: Games<'b>,
    numbers: Option<&'b [u64]>,
    skip_deleted: bool,
}

impl<'b> Chosen<'b> {
    /// Those of these numbers, which rise; all where none are said.
    pub(crate) fn new(
        base: &'b Base,
        numbers: Option<&'b [u64]>,
        skip_deleted: bool,
    ) -> Result<Chosen<'b>> {
        Ok(Chosen {
            games: base.games(Want::ALL)?,
            numbers,
            skip_deleted,
        })
    }
}

impl Iterator for Chosen<'_> {
    type Item = Result<Game>;

    fn next(&mut self) -> Option<Result<Game>> {
        let (numbers, skip_deleted) = (self.numbers, self.skip_deleted);
        self.games.find(|game| {
            let Ok(game) = game else { return true };
            let number = game.origin.number;
            numbers.is_none_or(|numbers| numbers.binary_search(&number).is_ok())
                && !(skip_deleted && game.is_deleted())
        })
    }
}

/// A failure of an engine as one of the library.
pub(crate) fn failed(error: EngineError) -> Error {
    let kind = match error.fault {
        tabiya_engine::Fault::Stopped => ErrorKind::Interrupted,
        tabiya_engine::Fault::NoOption(_) | tabiya_engine::Fault::BadOption { .. } => {
            ErrorKind::Usage
        }
        _ => ErrorKind::Io,
    };
    Error::new(kind, error.to_string())
}

/// What a journal is of: everything that the evaluations depend on.
fn head(options: &Options, engine: &str, plan: &Plan) -> Head {
    let set: Vec<String> = options
        .engine
        .options
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let Go {
        nodes, depth, time, ..
    } = &options.go;
    let limit = [
        nodes.map(|nodes| format!("nodes {nodes}")),
        depth.map(|depth| format!("depth {depth}")),
        time.map(|time| format!("time {} ms", time.as_millis())),
    ];
    let limit: Vec<String> = limit.into_iter().flatten().collect();
    let clearing = match options.clearing {
        Clearing::Game => "at each game",
        Clearing::Position => "at each position",
    };
    [
        ("engine", engine.to_owned()),
        ("options", set.join("; ")),
        ("limit", limit.join(", ")),
        ("memory cleared", clearing.to_owned()),
        (
            "positions",
            format!("{} with sum {:032x}", plan.positions, plan.sum),
        ),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

/// Says which positions of a game are asked for.
struct Chooser {
    existing: Existing,
    known: Option<Book>,
}

/// A game's positions, and which of them are asked for.
struct Wanted {
    boards: Vec<Board>,
    wanted: Vec<usize>,
    kept: bool,
}

impl Chooser {
    fn choose(&self, game: &Game) -> Wanted {
        let boards = annotate::positions(game);
        let mut chosen = Wanted {
            boards,
            wanted: Vec::new(),
            kept: false,
        };
        // The movetext of other games than chess is not understood, and a game without moves has nothing to judge.
        if game.variant == Variant::Other || chosen.boards.len() < 2 {
            return chosen;
        }
        let standing = Evaluations::of(game);
        if self.existing == Existing::Keep && !standing.is_empty() {
            chosen.kept = true;
            return chosen;
        }
        let boards = &chosen.boards;
        let from = match &self.known {
            Some(book) => boards
                .iter()
                .skip(1)
                .take_while(|board| book.knows(board))
                .count(),
            None => 0,
        };
        let has = |index: usize| {
            self.existing == Existing::Missing
                && index > 0
                && standing.after.get(index - 1).is_some_and(Option::is_some)
        };
        // A game that never leaves the book has no move to judge.
        if from + 1 < boards.len() {
            chosen.wanted = (from..boards.len()).filter(|index| !has(*index)).collect();
        }
        // The start alone judges nothing.
        if chosen.wanted == [0] {
            chosen.wanted.clear();
        }
        chosen
    }
}

/// What is to be done, as the first reading tells it.
struct Plan {
    positions: u64,
    /// A sum over all positions in their order.
    sum: u128,
    /// Positions that stand in more than one place.
    shared: HashSet<Key>,
}

impl Plan {
    fn make(games: Chosen<'_>, chooser: &Chooser, control: &Control) -> Result<Plan> {
        let mut keys: Vec<Key> = Vec::new();
        let mut sum = 0_u128;
        for game in games.take_while(|_| !control.is_stopped()) {
            let chosen = chooser.choose(&game?);
            for index in chosen.wanted {
                if let Some(board) = chosen.boards.get(index) {
                    let key = Key::of(board);
                    sum = sum.rotate_left(5) ^ key.0;
                    keys.push(key);
                }
            }
        }
        let positions = keys.len() as u64;
        keys.sort_unstable();
        let shared = keys
            .windows(2)
            .filter(|pair| pair.first() == pair.last())
            .filter_map(|pair| pair.first().copied())
            .collect();
        Ok(Plan {
            positions,
            sum,
            shared,
        })
    }
}

/// A game that waits for its positions.
struct Pending {
    game: Game,
    chosen: Wanted,
    found: Vec<Option<Evaluated>>,
    missing: usize,
    failed: u64,
}

/// The second reading.
struct Run<'r, 'e, 'o> {
    options: &'r Options,
    style: Style,
    chooser: Chooser,
    shared: HashSet<Key>,
    /// What is known of shared positions.
    known: HashMap<Key, Option<Evaluated>>,
    /// Where positions that are being searched are wanted: games by their place in the order, and the position's index.
    waiting: HashMap<Key, Vec<(u64, usize)>>,
    pending: VecDeque<Pending>,
    /// The place of the first pending game.
    first: u64,
    journal: Option<Journal>,
    out: Singles<'o>,
    report: &'r mut Report,
    failures: u64,
    control: &'r Control,
    each: &'r mut (dyn FnMut(Event<'_>) + 'e),
}

impl Run<'_, '_, '_> {
    fn all(&mut self, games: &mut Chosen<'_>, pool: &Pool<'_>) -> Result<Ended> {
        let ahead = self.options.processes.max(1) * 4;
        let mut more = true;
        loop {
            while more && pool.outstanding() < ahead && self.pending.len() < MOST_PENDING {
                if self.control.is_stopped() {
                    break;
                }
                match games.next() {
                    Some(game) => {
                        self.begin(game?, pool)?;
                        self.write_done()?;
                    }
                    None => more = false,
                }
            }
            self.write_done()?;
            if !more && self.pending.is_empty() {
                return Ok(Ended::Whole);
            }
            if self.control.is_stopped() {
                // What is done meanwhile is kept.
                pool.stop();
                while let Some(done) = pool.next(Duration::from_secs(30)) {
                    self.keep(&done)?;
                }
                return Ok(Ended::Stopped);
            }
            if let Some(done) = pool.next(Duration::from_millis(20)) {
                self.keep(&done)?;
                self.take(done)?;
            }
        }
    }

    /// Asks for the positions of a game.
    fn begin(&mut self, game: Game, pool: &Pool<'_>) -> Result<()> {
        let chosen = self.chooser.choose(&game);
        let place = self.first + self.pending.len() as u64;
        let mut pending = Pending {
            found: vec![None; chosen.boards.len()],
            game,
            missing: 0,
            failed: 0,
            chosen,
        };
        let mut own = Vec::new();
        // The last position first: what is remembered of it helps with those before it.
        for &index in pending.chosen.wanted.iter().rev() {
            let Some(board) = pending.chosen.boards.get(index) else {
                continue;
            };
            let Ok(position) = Position::new(board) else {
                // The game is over there, or no engine could make sense of it.
                if let Some(slot) = pending.found.get_mut(index) {
                    *slot = Evaluated::of_the_end(board);
                }
                self.report.positions += 1;
                self.control.advance(0, 1);
                continue;
            };
            let key = Key::of(board);
            let is_shared = self.shared.contains(&key);
            let known = match self.known.get(&key) {
                Some(known) => Some(known.clone()),
                None => match &mut self.journal {
                    Some(journal) => journal.get(board)?.map(Some),
                    None => None,
                },
            };
            if let Some(known) = known {
                if is_shared {
                    self.known.insert(key, known.clone());
                }
                pending.failed += u64::from(known.is_none());
                if let Some(slot) = pending.found.get_mut(index) {
                    *slot = known;
                }
                self.report.positions += 1;
                self.control.advance(0, 1);
                continue;
            }
            pending.missing += 1;
            let waiting = self.waiting.entry(key).or_default();
            waiting.push((place, index));
            if waiting.len() > 1 {
                continue;
            }
            if is_shared || self.options.clearing == Clearing::Position {
                pool.add(Unit {
                    positions: vec![position],
                });
            } else {
                own.push(position);
            }
        }
        if !own.is_empty() {
            pool.add(Unit { positions: own });
        }
        self.pending.push_back(pending);
        Ok(())
    }

    /// Writes what engines found to the journal.
    fn keep(&mut self, done: &Done) -> Result<()> {
        let batch: Vec<(Board, Evaluated)> = done
            .positions
            .iter()
            .filter_map(|(board, found)| Some((board.clone(), found.clone()?)))
            .collect();
        if let Some(journal) = &mut self.journal
            && !batch.is_empty()
        {
            journal.add(&batch)?;
        }
        self.report.searched += batch.len() as u64;
        (self.each)(Event::Searched(batch.len() as u64));
        Ok(())
    }

    /// Brings what was found to the games that wait for it.
    fn take(&mut self, done: Done) -> Result<()> {
        if let Some(error) = done.error {
            self.failures += 1;
            if done.is_fatal || self.failures >= MOST_FAILURES {
                return Err(failed(error));
            }
        } else {
            self.failures = 0;
        }
        for (board, found) in done.positions {
            let key = Key::of(&board);
            if self.shared.contains(&key) {
                self.known.insert(key, found.clone());
            }
            for (place, index) in self.waiting.remove(&key).unwrap_or_default() {
                let Some(pending) = usize::try_from(place - self.first)
                    .ok()
                    .and_then(|place| self.pending.get_mut(place))
                else {
                    continue;
                };
                pending.missing -= 1;
                pending.failed += u64::from(found.is_none());
                if let Some(slot) = pending.found.get_mut(index) {
                    slot.clone_from(&found);
                }
                self.report.positions += 1;
                self.control.advance(0, 1);
            }
        }
        Ok(())
    }

    /// Writes the games at the front whose positions are all known.
    fn write_done(&mut self) -> Result<()> {
        while self.pending.front().is_some_and(|game| game.missing == 0) {
            let Some(pending) = self.pending.pop_front() else {
                break;
            };
            self.first += 1;
            let (game, sides) = annotate::annotate(&pending.game, &pending.found, &self.style);
            let report = GameReport {
                number: game.origin.number,
                white: game.tags.value("White").to_owned(),
                black: game.tags.value("Black").to_owned(),
                positions: pending.chosen.wanted.len() as u64,
                failed: pending.failed,
                kept: pending.chosen.kept,
                sides,
            };
            self.report.games += 1;
            self.report.kept += u64::from(report.kept);
            self.report.failed += report.failed;
            self.out.push(game)?;
            self.control.advance(1, 0);
            (self.each)(Event::Game(&report));
        }
        Ok(())
    }
}

/// Where the journal of a target lies unless it is said: beside it.
#[must_use]
pub fn journal_path(target: &Path) -> Option<PathBuf> {
    if target.as_os_str() == "-" || crate::server::of(target).is_some() {
        return None;
    }
    let mut name = target.as_os_str().to_owned();
    name.push(".tabiya-analysis");
    Some(PathBuf::from(name))
}
