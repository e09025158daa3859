//! Puzzles from the games of a database, found by several engine processes, in the order of the games.

use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tabiya_answers::{PuzzleAnswer, PuzzleSourceAnswer};
use tabiya_engine::driver::{EngineSpec, EngineTimeouts, uci};
use tabiya_engine::tactics::{self, Puzzle};
use tabiya_engine::{EngineError, EngineFault, EngineSupervisor};
use tabiya_model::board::CastlingStyle;
use tabiya_model::{Control, Error, Game, JobCompletion, Result};

use crate::error_codes;
use crate::select::selection::Selection;
use crate::study::analyse::{AnalyseGames, chosen_numbers};

/// How a database is searched for puzzles.
#[derive(Clone, Debug)]
pub struct TacticsOptions {
    /// The engine.
    pub engine: EngineSpec,
    /// How long to wait for it.
    pub patience: EngineTimeouts,
    /// How many processes of it run at once.
    pub processes: usize,
    /// How puzzles are found.
    pub find: tactics::PuzzleOptions,
    /// Only chances that the player missed.
    pub missed: bool,
}

impl TacticsOptions {
    /// With one process of an engine.
    #[must_use]
    pub fn new(engine: EngineSpec) -> TacticsOptions {
        TacticsOptions {
            engine,
            patience: EngineTimeouts::default(),
            processes: 1,
            find: tactics::PuzzleOptions::default(),
            missed: false,
        }
    }
}

/// The result.
#[derive(Debug, Default)]
pub struct TacticsReport {
    /// The engine's own name.
    pub engine: String,
    /// Games that were searched.
    pub games: u64,
    /// Puzzles that were found.
    pub puzzles: u64,
    /// Games that no engine could search to the end.
    pub failed: u64,
    /// Notes about the engines.
    pub notes: Vec<String>,
    /// Whether all games were searched.
    pub ended: JobCompletion,
}

/// The most failures in a row that are borne.
const MOST_FAILURES: u64 = 10;

type TacticsAnswer = (
    u64,
    Box<Game>,
    std::result::Result<Vec<Puzzle>, EngineError>,
);

/// Finds puzzles in the games of one base. `each` gets a game with its puzzles, in the order of the games, and returns whether to go on.
///
/// ```no_run
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use tabiya::Selection;
/// use tabiya::engine::EngineSpec;
/// use tabiya::model::Control;
/// use tabiya::tactics::{TacticsOptions, puzzle_answer, tactics};
///
/// let options = TacticsOptions::new(EngineSpec::new("stockfish"));
/// for base in tabiya::open(path)? {
///     tactics(&Selection::of([base.clone()]), &options, &Control::default(), &mut |game, puzzles| {
///         for puzzle in puzzles {
///             println!("{}", puzzle_answer(base.name(), game, puzzle).fen);
///         }
///         Ok(true)
///     })?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn tactics(
    games: &Selection,
    options: &TacticsOptions,
    control: &Control,
    each: &mut dyn FnMut(&Game, &[Puzzle]) -> Result<bool>,
) -> Result<TacticsReport> {
    let base = games.only_base()?;
    let numbers = chosen_numbers(games, base, control)?;
    let keeper = EngineSupervisor::start(&options.engine, options.patience, control)
        .map_err(crate::study::analyse::engine_error)?;
    let mut report = TacticsReport {
        engine: keeper.id().to_owned(),
        ..TacticsReport::default()
    };
    let mut games = AnalyseGames::new(base, numbers.as_deref())?;
    // Who has enough ends the engines, and not what else goes by this control.
    let enough = Control::default();
    let (ask, asked) = channel::<(u64, Box<Game>)>();
    let asked = Mutex::new(asked);
    let (answer, answers) = channel::<TacticsAnswer>();
    let mut first = Some(keeper);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.processes.max(1))
            .map(|_| {
                let (keeper, answer, asked) = (first.take(), answer.clone(), &asked);
                let enough = &enough;
                scope.spawn(move || work(keeper, asked, &answer, options, enough))
            })
            .collect();
        drop(answer);
        let mut ask = Some(ask);
        let walked = walk(
            &mut games,
            &mut ask,
            &answers,
            options,
            control,
            each,
            &mut report,
        );
        // The workers go when nothing will be asked any more.
        drop(ask);
        enough.stop();
        for worker in workers {
            match worker.join() {
                Ok(notes) => report.notes.extend(notes),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        walked
    })?;
    report.ended = control.completion();
    Ok(report)
}

fn walk(
    games: &mut AnalyseGames<'_>,
    ask: &mut Option<Sender<(u64, Box<Game>)>>,
    answers: &Receiver<TacticsAnswer>,
    options: &TacticsOptions,
    control: &Control,
    each: &mut dyn FnMut(&Game, &[Puzzle]) -> Result<bool>,
    report: &mut TacticsReport,
) -> Result<()> {
    let ahead = options.processes.max(1) * 4;
    let (mut sent, mut next, mut failures) = (0_u64, 0_u64, 0_u64);
    let mut waiting: BTreeMap<u64, TacticsAnswer> = BTreeMap::new();
    let mut told = HashSet::new();
    loop {
        while let Some(asking) = ask.as_ref()
            && usize::try_from(sent - next).unwrap_or(usize::MAX) < ahead
        {
            let next = games.next().filter(|_| !control.is_stopped());
            let Some(game) = next else {
                *ask = None;
                break;
            };
            if asking.send((sent, Box::new(game?))).is_err() {
                *ask = None;
                break;
            }
            sent += 1;
        }
        if control.is_stopped() || (ask.is_none() && next == sent) {
            return Ok(());
        }
        let Ok(answer) = answers.recv_timeout(Duration::from_millis(20)) else {
            continue;
        };
        waiting.insert(answer.0, answer);
        while let Some((_, game, found)) = waiting.remove(&next) {
            next += 1;
            report.games += 1;
            control.advance(1, 0);
            match found {
                Ok(mut puzzles) => {
                    failures = 0;
                    puzzles.retain(|puzzle| !options.missed || puzzle.found == Some(false));
                    // Many games go through the same position: it is one puzzle.
                    puzzles.retain(|puzzle| told.insert(tactics::identity(&puzzle.start)));
                    report.puzzles += puzzles.len() as u64;
                    if !each(&game, &puzzles)? {
                        return Ok(());
                    }
                }
                Err(error) if matches!(error.fault, EngineFault::Stopped) => return Ok(()),
                Err(error) => {
                    failures += 1;
                    report.failed += 1;
                    // One that has never searched anything will not do so for the others.
                    let is_idle = matches!(error.fault, EngineFault::Idle(_))
                        && report.failed == report.games;
                    let error = Error::new(&error_codes::ENGINE_FAILED, error.to_string());
                    if failures >= MOST_FAILURES || is_idle {
                        return Err(error);
                    }
                    report
                        .notes
                        .push(format!("game {}: {error}", game.origin.number));
                }
            }
        }
    }
}

fn work(
    mut keeper: Option<EngineSupervisor>,
    asked: &Mutex<Receiver<(u64, Box<Game>)>>,
    answer: &Sender<TacticsAnswer>,
    options: &TacticsOptions,
    control: &Control,
) -> Vec<String> {
    loop {
        let next = asked.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((place, game)) = next else { break };
        if control.is_stopped() {
            break;
        }
        let found = match keeper.take() {
            Some(keeper) => Ok(keeper),
            None => EngineSupervisor::start(&options.engine, options.patience, control),
        };
        let found = found.and_then(|running| {
            let running = keeper.insert(running);
            running.work(control, |engine| {
                tactics::find(engine, &game, &options.find, control)
            })
        });
        if answer.send((place, game, found)).is_err() {
            break;
        }
    }
    keeper.map_or_else(Vec::new, |mut keeper| keeper.take_notes())
}

/// A puzzle for programs, with the base and the game that it comes from.
pub fn puzzle_answer(source: &str, game: &Game, puzzle: &Puzzle) -> PuzzleAnswer {
    let style = if puzzle.start.is_chess960() {
        CastlingStyle::KingTakesRook
    } else {
        CastlingStyle::KingMoves
    };
    let mut board = puzzle.start.clone();
    let (mut moves, mut sans) = (Vec::new(), Vec::new());
    for m in &puzzle.line {
        moves.push(uci(&board, *m, style));
        let mut san = Vec::new();
        board.play_san(*m, &mut san);
        sans.push(String::from_utf8(san).unwrap_or_default());
    }
    let tag = |name: &str| game.tags.value(name).to_owned();
    PuzzleAnswer {
        schema: "tabiya-puzzle-1",
        fen: puzzle.start.to_fen(),
        moves,
        san: sans,
        goal: puzzle.goal.name(),
        themes: puzzle.theme_names(),
        found: puzzle.found,
        source: PuzzleSourceAnswer {
            base: source.to_owned(),
            game: game.origin.number,
            ply: puzzle.ply as u64,
            white: tag("White"),
            black: tag("Black"),
            event: tag("Event"),
            date: tag("Date"),
        },
    }
}
