//! Games one after another, read ahead on threads of the library.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use tabiya::model::pipeline::{self, renumber};
use tabiya::model::{Block, Control, Error, Game, GameNeeds, Result, Source};
use tabiya::search::{SearchOptions, search};
use tabiya::{Base, Selection};

use crate::database::changed;
use crate::failure::{panicked, raised, refused};
use crate::game::PythonGame;
use crate::job::{self, LOOK};

/// Lots of games that wait for Python.
const AHEAD: usize = 4;

/// What is read of games, by its word.
pub(crate) fn needs_of(py: Python<'_>, word: &str) -> PyResult<GameNeeds> {
    Ok(match word {
        "all" => GameNeeds::ALL,
        "moves" => GameNeeds {
            notation: true,
            ..GameNeeds::MAIN_LINE
        },
        "tags" => GameNeeds::TAGS,
        _ => {
            let message = format!("{word}: give all, moves or tags");
            return Err(refused(py, "UsageError", &message));
        }
    })
}

/// A game with the ply at which a query holds.
type FoundGame = (Game, Option<u32>);

/// A lot of games; nothing at the end.
type GameLot = Result<Option<Vec<FoundGame>>>;

/// Games on their way to Python.
struct StreamQueue {
    from: Receiver<GameLot>,
    ready: VecDeque<FoundGame>,
    is_over: bool,
}

/// Iterates over games; it reads ahead, in bounded memory.
#[pyclass(frozen, module = "tabiya._tabiya", name = "GameStream")]
pub(crate) struct PythonGameStream {
    queue: Mutex<StreamQueue>,
    control: Control,
    closed: Arc<AtomicBool>,
    base: Base,
}

impl Drop for PythonGameStream {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl PythonGameStream {
    /// Begins to read.
    pub(crate) fn new(
        games: Selection,
        base: &Base,
        options: SearchOptions,
        needs: GameNeeds,
        threads: Option<usize>,
        closed: Arc<AtomicBool>,
    ) -> PythonGameStream {
        let control = job::control(threads);
        let reins = control.clone();
        let (to, from) = sync_channel(AHEAD);
        std::thread::spawn(move || {
            let last = produce(&games, &options, needs, &reins, &to).map(|()| None);
            // Nobody may be there any more.
            let _ = to.send(last);
        });
        PythonGameStream {
            queue: Mutex::new(StreamQueue {
                from,
                ready: VecDeque::new(),
                is_over: false,
            }),
            control,
            closed,
            base: base.clone(),
        }
    }
}

#[pymethods]
impl PythonGameStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PythonGame>> {
        // A panic of another thread that iterates leaves a queue that is whole.
        let mut guard = match self.queue.lock_py_attached(py) {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        let queue: &mut StreamQueue = &mut guard;
        loop {
            if self.closed.load(Ordering::Relaxed) {
                self.control.stop();
                return Err(refused(py, "ClosedError", "the database is closed"));
            }
            if let Some((game, ply)) = queue.ready.pop_front() {
                return Ok(Some(PythonGame::new(game, ply)));
            }
            if queue.is_over {
                return Ok(None);
            }
            let received = match queue.from.try_recv() {
                Ok(received) => Ok(received),
                Err(_) => {
                    let from = &mut queue.from;
                    py.detach(move || from.recv_timeout(LOOK))
                }
            };
            match received {
                Ok(Ok(Some(games))) => queue.ready.extend(games),
                Ok(Ok(None)) => {
                    queue.is_over = true;
                    if py.detach(|| !self.base.is_current()) {
                        return Err(changed(py, &self.base));
                    }
                }
                Ok(Err(error)) => {
                    queue.is_over = true;
                    return Err(raised(py, &error));
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    queue.is_over = true;
                    return Err(panicked(py));
                }
            }
        }
    }

    /// Ends the reading ahead.
    fn close(&self) {
        self.control.stop();
    }
}

/// Reads games and sends them, lot by lot.
fn produce(
    games: &Selection,
    options: &SearchOptions,
    needs: GameNeeds,
    control: &Control,
    to: &SyncSender<GameLot>,
) -> Result<()> {
    let is_plain = options.sort.is_none()
        && options.sample.is_none()
        && options.offset == 0
        && options.first.is_none();
    if let ([base], true, true) = (&games.bases[..], is_plain, games.is_all()) {
        return whole(&mut *base.source(control)?, needs, control, to);
    }
    let mut lot = Vec::new();
    let mut size = 1;
    let found = search(games, options, control, &mut |_, found| {
        let game = found.game.map(|game| *game).unwrap_or_default();
        lot.push((game, found.hit.ply));
        if lot.len() < size {
            return Ok(ControlFlow::Continue(()));
        }
        // The first hits come at once, later ones many at a time.
        size = (size * 2).min(64);
        Ok(match to.send(Ok(Some(std::mem::take(&mut lot)))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    })?;
    let _ = to.send(Ok(Some(lot)));
    match (found.ended.is_whole(), control.reason()) {
        (false, Some(reason)) => Err(Error::new(&tabiya::model::error_codes::TOO_LARGE, reason)),
        _ => Ok(()),
    }
}

/// Reads all games of a source on all threads.
fn whole(
    source: &mut dyn Source<'_>,
    needs: GameNeeds,
    control: &Control,
    to: &SyncSender<GameLot>,
) -> Result<()> {
    let mut before = 0;
    pipeline::run(
        source,
        control,
        || {
            move |block: &mut dyn Block| {
                let mut games: Vec<FoundGame> = Vec::new();
                let mut game = Game::default();
                while block.next(needs, &mut game)? {
                    games.push((std::mem::take(&mut game), None));
                }
                Ok((games, block.first()))
            }
        },
        |(mut games, first)| {
            if first.is_none() {
                for (game, _) in &mut games {
                    renumber(game, before);
                }
            }
            before += games.len() as u64;
            Ok(to.send(Ok(Some(games))).is_ok() && !control.is_stopped())
        },
    )?;
    Ok(())
}
