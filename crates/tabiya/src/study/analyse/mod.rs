//! Annotating whole databases with an engine: resumable, on several processes, the same bytes every time.
//!
//! Games are read twice. The first pass only counts: which positions need a search, and which of them occur more than once.
//! The second pass sends them to the engines, and writes a game once all its positions are known.
//!
//! What an engine answers depends on its hash table. So a position that several games share is searched by itself, once,
//! with a cleared hash table; the rest of a game is searched as one piece of work, from its end to its start, with a hash
//! table that is cleared before it. With [`HashReset::Position`] every position is searched by itself. Either way neither
//! the order of the games nor the number of processes changes the result, and an analysis that was killed resumes from its
//! journal as if nothing had happened, if the engine itself is repeatable: one thread, and a limit of nodes or depth.

mod answers;
mod in_place;
mod pass;
mod plan;
mod pool;
mod reference_positions;

use std::path::{Path, PathBuf};

use tabiya_engine::annotate::{AnnotateStyle, PlayerAccuracy};
use tabiya_engine::driver::{EngineSpec, EngineTimeouts, SearchLimits};
use tabiya_engine::journal::{AnalysisJournal, JournalHead};
use tabiya_engine::{EngineError, EngineSupervisor};
use tabiya_model::judgement::ByColor;
use tabiya_model::{Control, Error, JobCompletion, Result, WriteSummary};

use self::in_place::InPlaceOutput;
use self::pass::{AnalyseOutput, AnalysePass};
pub(crate) use self::plan::AnalyseGames;
use self::plan::{AnalysePlan, PositionChooser};
use self::reference_positions::ReferencePositions;
use crate::error_codes;
use crate::open::base::Base;
use crate::select::selection::Selection;
use crate::write::report::SourceReport;
use crate::write::target::Target;

/// When an engine clears its hash table.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum HashReset {
    /// Before each game, and around positions that several games share.
    #[default]
    Game,
    /// Before each position.
    Position,
}

/// What to do with existing evaluations in a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum ExistingEvaluations {
    /// A game that has any stays unchanged.
    #[default]
    Keep,
    /// Positions that have one keep it, the others are searched.
    Missing,
    /// They are replaced.
    Redo,
}

/// The opening moves that are skipped.
#[derive(Clone, Debug, Default)]
pub enum OpeningSkip {
    /// None.
    #[default]
    Nothing,
    /// Those that lead to positions which at least this many games of other databases reach.
    Known(Vec<Base>, u32),
    /// Those that lead to positions which at least this many games of the database itself reach.
    Shared(u32),
}

/// How a database is annotated.
#[derive(Clone, Debug)]
pub struct AnalyseOptions {
    /// The engine.
    pub engine: EngineSpec,
    /// How long to wait for it.
    pub patience: EngineTimeouts,
    /// How many processes of it run at once.
    pub processes: usize,
    /// How long each position is searched.
    pub go: SearchLimits,
    /// When it clears its hash table.
    pub clearing: HashReset,
    /// What to do with existing evaluations.
    pub existing: ExistingEvaluations,
    /// The opening moves that are skipped.
    pub skip: OpeningSkip,
    /// What is written; whether it replaces anything follows from `existing`.
    pub style: AnnotateStyle,
    /// Name the engine as the annotator of games that have none.
    pub sign: bool,
    /// The path of the journal; without one an analysis cannot be resumed.
    pub journal: Option<PathBuf>,
}

impl AnalyseOptions {
    /// With one process of an engine.
    #[must_use]
    pub fn new(engine: EngineSpec, go: SearchLimits) -> AnalyseOptions {
        AnalyseOptions {
            engine,
            patience: EngineTimeouts::default(),
            processes: 1,
            go,
            clearing: HashReset::default(),
            existing: ExistingEvaluations::default(),
            skip: OpeningSkip::default(),
            style: AnnotateStyle::default(),
            sign: true,
            journal: None,
        }
    }
}

/// Progress of the work.
#[derive(Debug)]
pub enum AnalyseEvent<'e> {
    /// The size of the work: N positions, some of which are in the journal.
    Planned {
        /// All positions that need an evaluation.
        positions: u64,
        /// Those that are in the journal.
        known: u64,
        /// The engine's own name.
        engine: &'e str,
    },
    /// An engine has searched this many more positions.
    Searched(u64),
    /// A game is done.
    Game(&'e AnalyseGameReport),
}

/// The findings in one game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalyseGameReport {
    /// Its number in the source.
    pub number: u64,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// Positions that were searched for it, or found in the journal.
    pub positions: u64,
    /// Positions that no engine has answered.
    pub failed: u64,
    /// Whether it was left unchanged because it has evaluations already.
    pub kept: bool,
    /// Facts about its players' moves.
    pub sides: ByColor<PlayerAccuracy>,
}

/// The result of an analysis.
#[derive(Debug, Default)]
pub struct AnalyseReport {
    /// The engine's own name.
    pub engine: String,
    /// Games that were analysed, and written if they go to a target.
    pub games: u64,
    /// Games among them that have changed.
    pub changed: u64,
    /// Games among them that were left unchanged because they have evaluations already.
    pub kept: u64,
    /// Positions that needed an evaluation, each occurrence counted.
    pub positions: u64,
    /// Positions that were searched in this run.
    pub searched: u64,
    /// Positions that no engine has answered.
    pub failed: u64,
    /// How often an engine had to be restarted.
    pub restarts: u64,
    /// Notes about the engines.
    pub notes: Vec<String>,
    /// Findings in the source, and what the target cannot hold.
    pub source: SourceReport,
    /// Games that stay unchanged because the database cannot hold their annotations, with the reasons. Only if a database
    /// is annotated in place.
    pub refused: Vec<(u64, String)>,
    /// Whether it was completed. If not, the target is not written, nor the database changed, and the journal keeps the
    /// results so far.
    pub ended: JobCompletion,
    /// The summary of the target, if it was written.
    pub summary: Option<WriteSummary>,
}

/// Annotates a database into a target. If it is stopped, it ends soon, without a target.
///
/// ```no_run
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use tabiya::{Selection, Target};
/// use tabiya::analyse::{AnalyseEvent, AnalyseOptions, analyse};
/// use tabiya::engine::{SearchLimits, EngineSpec};
/// use tabiya::model::Control;
///
/// let options = AnalyseOptions::new(EngineSpec::new("stockfish"), SearchLimits::nodes(100_000));
/// let target = Target::new("annotated.pgn", None, Default::default())?;
/// let games = Selection::of(tabiya::open(path)?);
/// let report = analyse(&games, &target, &options, &Control::default(), &mut |event| {
///     if let AnalyseEvent::Game(game) = event {
///         println!("{} - {}: {} positions", game.white, game.black, game.positions);
///     }
/// })?;
/// assert!(report.ended.is_whole());
/// # Ok(())
/// # }
/// ```
pub fn analyse(
    games: &Selection,
    target: &Target,
    options: &AnalyseOptions,
    control: &Control,
    each: &mut dyn FnMut(AnalyseEvent<'_>),
) -> Result<AnalyseReport> {
    let base = games.only_base()?;
    is_repeatable(base)?;
    let mut writing = target.begin(std::slice::from_ref(base))?;
    let mut report = AnalyseReport::default();
    let Some(prepared) = prepare(games, base, options, control, &mut report)? else {
        return Ok(report);
    };
    let mut feed = writing.feed(base.about()?, target.report(base));
    let mut out = feed.singles(1);
    let head = head(options, &prepared, true);
    let journal = work(
        base,
        options,
        prepared,
        &head,
        &mut out,
        control,
        each,
        &mut report,
    )?;
    if report.ended.is_whole() {
        out.finish()?;
        feed.note_missing(base);
        report.source = feed.report;
        report.summary = Some(writing.finish()?);
        if let Some(journal) = journal {
            journal.remove()?;
        }
    }
    Ok(report)
}

/// Annotates a database in place, all of it or nothing: the games are replaced once the last of them is done. The database
/// can be read and changed in the meantime: if it was changed, nothing is written, and the same analysis resumes with its
/// new state.
pub fn analyse_in_place(
    games: &Selection,
    options: &AnalyseOptions,
    control: &Control,
    each: &mut dyn FnMut(AnalyseEvent<'_>),
) -> Result<AnalyseReport> {
    let base = games.only_base()?;
    is_repeatable(base)?;
    InPlaceOutput::is_there(base)?;
    let mut report = AnalyseReport::default();
    let Some(prepared) = prepare(games, base, options, control, &mut report)? else {
        return Ok(report);
    };
    let mut place = InPlaceOutput::default();
    // Which positions are asked for is none of this journal's: a database that changes keeps what was found.
    let head = head(options, &prepared, false);
    let journal = work(
        base,
        options,
        prepared,
        &head,
        &mut place,
        control,
        each,
        &mut report,
    )?;
    if report.ended.is_whole() {
        report.refused = place.commit(base)?;
        report.changed -= report.refused.len() as u64;
        if let Some(journal) = journal {
            journal.remove()?;
        }
    }
    Ok(report)
}

fn is_repeatable(base: &Base) -> Result<()> {
    if base.is_repeatable() {
        return Ok(());
    }
    Err(Error::new(
        &error_codes::READ_ONCE,
        "a pipe can be read only once, and an analysis reads games twice; save it to a file first",
    )
    .in_file(base.name().to_owned()))
}

/// What is known before the first search.
struct AnalyseSetup {
    /// The numbers of the games, rising, if these are not all.
    numbers: Option<Vec<u64>>,
    keeper: EngineSupervisor,
    chooser: PositionChooser,
    plan: AnalysePlan,
}

/// The numbers of the games that are chosen, where these are not all: some there have to be.
pub(crate) fn chosen_numbers(
    games: &Selection,
    base: &Base,
    control: &Control,
) -> Result<Option<Vec<u64>>> {
    let numbers = games.numbers_in(base, control)?;
    match numbers {
        Some(numbers) if numbers.is_empty() && !control.is_stopped() => Err(Error::new(
            &error_codes::NOTHING_FOUND,
            "no games match this query",
        )),
        numbers => Ok(numbers),
    }
}

/// The first reading; none where it was stopped.
fn prepare(
    games: &Selection,
    base: &Base,
    options: &AnalyseOptions,
    control: &Control,
    report: &mut AnalyseReport,
) -> Result<Option<AnalyseSetup>> {
    let numbers = chosen_numbers(games, base, control)?;
    let keeper = EngineSupervisor::start(&options.engine, options.patience, control)
        .map_err(engine_error)?;
    keeper.id().clone_into(&mut report.engine);
    let chosen = || AnalyseGames::new(base, numbers.as_deref());
    let known = match &options.skip {
        OpeningSkip::Nothing => None,
        OpeningSkip::Known(reference, games) => Some(ReferencePositions::of(
            chosen()?,
            reference,
            *games,
            control,
        )?),
        OpeningSkip::Shared(games) => {
            let reference = std::slice::from_ref(base);
            Some(ReferencePositions::of(
                chosen()?,
                reference,
                *games,
                control,
            )?)
        }
    };
    let chooser = PositionChooser::new(options.existing, known);
    let plan = AnalysePlan::make(chosen()?, &chooser, control)?;
    if control.is_stopped() {
        report.ended = control.completion();
        return Ok(None);
    }
    control.expect(Some(plan.positions));
    Ok(Some(AnalyseSetup {
        numbers,
        keeper,
        chooser,
        plan,
    }))
}

/// The second reading.
#[allow(clippy::too_many_arguments)]
fn work(
    base: &Base,
    options: &AnalyseOptions,
    prepared: AnalyseSetup,
    head: &JournalHead,
    out: &mut dyn AnalyseOutput,
    control: &Control,
    each: &mut dyn FnMut(AnalyseEvent<'_>),
    report: &mut AnalyseReport,
) -> Result<Option<AnalysisJournal>> {
    let journal = match &options.journal {
        Some(path) => Some(AnalysisJournal::open(path, head)?),
        None => None,
    };
    each(AnalyseEvent::Planned {
        positions: prepared.plan.positions,
        known: journal.as_ref().map_or(0, |journal| journal.len() as u64),
        engine: &report.engine,
    });
    let AnalyseSetup {
        numbers,
        keeper,
        chooser,
        plan,
    } = prepared;
    let mut games = AnalyseGames::new(base, numbers.as_deref())?;
    let mut work = AnalysePass::new(
        options,
        chooser,
        plan.shared,
        journal,
        out,
        control,
        each,
        report,
    );
    let (ended, left) = std::thread::scope(|scope| {
        let pool = pool::EnginePool::start(scope, keeper, options, control);
        let ended = work.run(&mut games, &pool);
        (ended, pool.end())
    });
    let journal = work.into_journal();
    report.restarts = left.restarts;
    report.notes = left.notes;
    report.ended = ended?;
    Ok(journal)
}

/// A failure of an engine as one of the library.
pub(crate) fn engine_error(error: EngineError) -> Error {
    let code = match error.fault {
        tabiya_engine::EngineFault::Stopped => &error_codes::INTERRUPTED,
        tabiya_engine::EngineFault::NotFound => &error_codes::NO_SUCH_ENGINE,
        tabiya_engine::EngineFault::NoOption(_) | tabiya_engine::EngineFault::BadOption { .. } => {
            &error_codes::BAD_ENGINE_OPTION
        }
        _ => &error_codes::ENGINE_FAILED,
    };
    Error::new(code, error.to_string())
}

/// What a journal is of: everything that the evaluations depend on.
fn head(options: &AnalyseOptions, prepared: &AnalyseSetup, with_positions: bool) -> JournalHead {
    let plan = &prepared.plan;
    let set: Vec<String> = options
        .engine
        .options
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let SearchLimits {
        nodes, depth, time, ..
    } = &options.go;
    let limit = [
        nodes.map(|nodes| format!("nodes {nodes}")),
        depth.map(|depth| format!("depth {depth}")),
        time.map(|time| format!("time {} ms", time.as_millis())),
    ];
    let limit: Vec<String> = limit.into_iter().flatten().collect();
    let clearing = match options.clearing {
        HashReset::Game => "at each game",
        HashReset::Position => "at each position",
    };
    let mut head = vec![
        ("engine", prepared.keeper.id().to_owned()),
        ("options", set.join("; ")),
        ("limit", limit.join(", ")),
        ("memory cleared", clearing.to_owned()),
    ];
    if with_positions {
        let sum = format!("{} with sum {:032x}", plan.positions, plan.sum);
        head.push(("positions", sum));
    }
    head.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The default path of a target's journal: beside it.
#[must_use]
pub fn journal_path(target: &Path) -> Option<PathBuf> {
    if target.as_os_str() == "-" || crate::open::database_server::server_url(target).is_some() {
        return None;
    }
    let mut name = target.as_os_str().to_owned();
    name.push(".tabiya-analysis");
    Some(PathBuf::from(name))
}
