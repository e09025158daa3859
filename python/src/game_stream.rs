//! Games one after another, complete or with their tags only, read ahead on threads of the library.

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
use crate::tags::{HeaderBlock, PythonTags};

/// Lots of games that wait for Python.
const AHEAD: usize = 4;
/// Games of a lot where a query finds them one by one; the first ones come sooner.
const LOT: usize = 64;

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

/// Games on their way from the threads that read them to Python.
pub(crate) trait StreamLot: Default + Send + 'static {
    /// The form in which Python gets a game.
    type Item;

    /// Adds a game, with the ply at which a query holds.
    fn push(&mut self, game: &Game, ply: Option<u32>);

    /// How many games there are.
    fn len(&self) -> usize;

    /// Numbers the games from after this number of others.
    fn number_from(&mut self, before: u64);

    /// Takes the next game.
    fn next(&mut self) -> Option<Self::Item>;
}

/// Games with everything that was read of them.
///
/// Each is copied out of the buffer that it was read into: the copy takes the memory that it needs and no more, and its reader goes on
/// with memory that it has.
#[derive(Default)]
pub(crate) struct GameLot(VecDeque<(Arc<Game>, Option<u32>)>);

impl StreamLot for GameLot {
    type Item = PythonGame;

    fn push(&mut self, game: &Game, ply: Option<u32>) {
        self.0.push_back((Arc::new(game.clone()), ply));
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn number_from(&mut self, before: u64) {
        for (game, _) in &mut self.0 {
            // Nobody else has the game yet.
            if let Some(game) = Arc::get_mut(game) {
                renumber(game, before);
            }
        }
    }

    fn next(&mut self) -> Option<PythonGame> {
        let (game, ply) = self.0.pop_front()?;
        Some(PythonGame::new(game, ply))
    }
}

/// The tags of games, in arenas that their objects share.
#[derive(Default)]
pub(crate) struct HeaderLot {
    blocks: VecDeque<Arc<HeaderBlock>>,
    /// The next game of the first block.
    next: usize,
}

impl StreamLot for HeaderLot {
    type Item = PythonTags;

    fn push(&mut self, game: &Game, _: Option<u32>) {
        let last = self.blocks.back_mut().and_then(Arc::get_mut);
        if last.is_none_or(|last| !last.push(game)) {
            let mut block = HeaderBlock::default();
            block.push(game);
            self.blocks.push_back(Arc::new(block));
        }
    }

    fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }

    fn number_from(&mut self, before: u64) {
        for block in &mut self.blocks {
            // Nobody else has the block yet.
            if let Some(block) = Arc::get_mut(block) {
                block.number_from(before);
            }
        }
    }

    fn next(&mut self) -> Option<PythonTags> {
        let block = self.blocks.front()?;
        let (at, block) = (self.next, Arc::clone(block));
        self.next += 1;
        if self.next >= block.len() {
            self.blocks.pop_front();
            self.next = 0;
        }
        Some(PythonTags::of_block(block, at))
    }
}

/// A lot of games; nothing at the end.
type LotAnswer<L> = Result<Option<L>>;

/// Lots on their way to Python.
struct StreamQueue<L> {
    from: Receiver<LotAnswer<L>>,
    ready: L,
    is_over: bool,
}

/// What a stream is made of.
pub(crate) struct StreamSource {
    pub(crate) games: Selection,
    pub(crate) base: Base,
    pub(crate) options: SearchOptions,
    pub(crate) needs: GameNeeds,
    pub(crate) threads: Option<usize>,
    /// What tells that the database was closed.
    pub(crate) closed: Arc<AtomicBool>,
}

/// Lots of games that are read ahead, in bounded memory.
struct LotStream<L> {
    queue: Mutex<StreamQueue<L>>,
    control: Control,
    closed: Arc<AtomicBool>,
    base: Base,
}

impl<L> Drop for LotStream<L> {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl<L: StreamLot> LotStream<L> {
    /// Begins to read.
    fn new(source: StreamSource) -> LotStream<L> {
        let control = job::control(source.threads);
        let reins = control.clone();
        let (to, from) = sync_channel(AHEAD);
        let (closed, base) = (source.closed, source.base);
        let (games, options, needs) = (source.games, source.options, source.needs);
        std::thread::spawn(move || {
            let last = produce::<L>(&games, &options, needs, &reins, &to).map(|()| None);
            // Nobody may be there any more.
            let _ = to.send(last);
        });
        LotStream {
            queue: Mutex::new(StreamQueue {
                from,
                ready: L::default(),
                is_over: false,
            }),
            control,
            closed,
            base,
        }
    }

    /// The next game.
    fn next(&self, py: Python<'_>) -> PyResult<Option<L::Item>> {
        // A panic of another thread that iterates leaves a queue that is whole.
        let mut guard = match self.queue.lock_py_attached(py) {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        let queue: &mut StreamQueue<L> = &mut guard;
        loop {
            if self.closed.load(Ordering::Relaxed) {
                self.control.stop();
                return Err(refused(py, "ClosedError", "the database is closed"));
            }
            if let Some(next) = queue.ready.next() {
                return Ok(Some(next));
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
                Ok(Ok(Some(games))) => queue.ready = games,
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
}

/// Iterates over games; it reads ahead, in bounded memory.
#[pyclass(frozen, module = "tabiya._tabiya", name = "GameStream")]
pub(crate) struct PythonGameStream(LotStream<GameLot>);

impl PythonGameStream {
    /// Begins to read.
    pub(crate) fn new(source: StreamSource) -> PythonGameStream {
        PythonGameStream(LotStream::new(source))
    }
}

#[pymethods]
impl PythonGameStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PythonGame>> {
        self.0.next(py)
    }

    /// Ends the reading ahead.
    fn close(&self) {
        self.0.control.stop();
    }
}

/// Iterates over the tags of games; it reads ahead, in bounded memory.
#[pyclass(frozen, module = "tabiya._tabiya", name = "HeaderStream")]
pub(crate) struct PythonHeaderStream(LotStream<HeaderLot>);

impl PythonHeaderStream {
    /// Begins to read.
    pub(crate) fn new(source: StreamSource) -> PythonHeaderStream {
        PythonHeaderStream(LotStream::new(source))
    }
}

#[pymethods]
impl PythonHeaderStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PythonTags>> {
        self.0.next(py)
    }

    /// Ends the reading ahead.
    fn close(&self) {
        self.0.control.stop();
    }
}

/// Reads games and sends them, lot by lot.
fn produce<L: StreamLot>(
    games: &Selection,
    options: &SearchOptions,
    needs: GameNeeds,
    control: &Control,
    to: &SyncSender<LotAnswer<L>>,
) -> Result<()> {
    let is_plain = options.sort.is_none()
        && options.sample.is_none()
        && options.offset == 0
        && options.first.is_none();
    if let ([base], true, true) = (&games.bases[..], is_plain, games.is_all()) {
        return whole(&mut *base.source(control)?, needs, control, to);
    }
    let mut lot = L::default();
    let mut size = 1;
    let found = search(games, options, control, &mut |_, found| {
        let game = found.game.map(|game| *game).unwrap_or_default();
        lot.push(&game, found.hit.ply);
        if lot.len() < size {
            return Ok(ControlFlow::Continue(()));
        }
        // The first hits come at once, later ones many at a time.
        size = (size * 2).min(LOT);
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
fn whole<L: StreamLot>(
    source: &mut dyn Source<'_>,
    needs: GameNeeds,
    control: &Control,
    to: &SyncSender<LotAnswer<L>>,
) -> Result<()> {
    let mut before = 0;
    pipeline::run(
        source,
        control,
        || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut games = L::default();
                while block.next(needs, &mut game)? {
                    games.push(&game, None);
                }
                Ok((games, block.first()))
            }
        },
        |(mut games, first)| {
            if first.is_none() && before > 0 {
                games.number_from(before);
            }
            before += games.len() as u64;
            Ok(to.send(Ok(Some(games))).is_ok() && !control.is_stopped())
        },
    )?;
    Ok(())
}
