//! Live analysis of a board: a position in, lines out as they are found.
//!
//! [`LiveEngines`] are any number of engines, each on a thread of its own, which all search the position that was shown
//! last. Their lines are remembered by position in a [`LiveCache`], so that stepping back shows the deepest known ones at
//! once, until a new search gets deeper. When it is dropped, its engines end.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tabiya_model::{Board, Control, Move};

use crate::driver::{Engine, EngineSpec, EngineTimeouts, SearchLimits, SearchPosition};
use crate::engine_line::EngineLine;
use crate::error::EngineFault;
use crate::position_evaluation::EvaluationKey;
use crate::supervisor::EngineSupervisor;

/// The most often that an engine's lines are told, so that the first depths do not drown their holder.
const PERIOD: Duration = Duration::from_millis(40);

/// The positions that a cache holds by default.
const CACHED: usize = 20_000;

/// A question to engines about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveQuestion {
    position: SearchPosition,
    go: SearchLimits,
    threat: bool,
}

impl LiveQuestion {
    /// The best moves after moves from a position, in this many lines, until the next question.
    pub fn best(start: &Board, moves: &[Move], lines: u32) -> Result<LiveQuestion, EngineFault> {
        Ok(LiveQuestion {
            position: SearchPosition::after(start, moves)?,
            go: SearchLimits::default().with_lines(lines),
            threat: false,
        })
    }

    /// The threat: what the other side would play if it were to move. There is no answer while a king is in check.
    pub fn threat(start: &Board, moves: &[Move], lines: u32) -> Result<LiveQuestion, EngineFault> {
        let mut board = SearchPosition::after(start, moves)?.board().clone();
        if board.is_check() {
            return Err(EngineFault::BadPosition(
                "a side in check cannot pass".to_owned(),
            ));
        }
        board.play(Move::NULL);
        Ok(LiveQuestion {
            position: SearchPosition::new(&board)?,
            go: SearchLimits::default().with_lines(lines),
            threat: true,
        })
    }

    /// With an end: nodes, depth or time.
    #[must_use]
    pub fn with_limit(mut self, limit: &SearchLimits) -> LiveQuestion {
        self.go = SearchLimits {
            lines: self.go.lines,
            ..limit.clone()
        };
        self
    }

    /// The position to search, with the other side to move for a threat.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.position.board()
    }
}

/// The state of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveState {
    /// It is being started.
    Starting,
    /// It is searching.
    Searching,
    /// It has reached the limit of the question.
    Done,
    /// It gave up, with the reason; it is restarted at the next question.
    Failed(String),
}

/// What is known of the current position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveUpdate {
    /// The number of the question, as returned by [`LiveEngines::show`].
    pub question: u64,
    /// The index of the engine in the list.
    pub engine: usize,
    /// Its own name, or its name in the settings before that is known.
    pub name: String,
    /// Its state.
    pub state: LiveState,
    /// The best lines, best first; scores are seen from White.
    pub lines: Vec<EngineLine>,
    /// Whether the lines are from an earlier search, which was deeper than this one is so far.
    pub remembered: bool,
    /// Positions searched for this question.
    pub nodes: u64,
    /// Positions per second.
    pub speed: u64,
}

impl LiveUpdate {
    /// The best move.
    #[must_use]
    pub fn best(&self) -> Option<Move> {
        self.lines.first()?.line.first().copied()
    }

    /// The depth of the best line.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.lines.first().map_or(0, |info| info.depth)
    }
}

/// Lines by engine and position; clones share them.
#[derive(Clone, Debug)]
pub struct LiveCache {
    entries: Arc<Mutex<LiveCacheEntries>>,
}

#[derive(Debug)]
struct LiveCacheEntries {
    lines: HashMap<(String, EvaluationKey), (u64, Vec<EngineLine>)>,
    most: usize,
    /// Counts what was put in, so that the oldest can go.
    clock: u64,
}

impl Default for LiveCache {
    fn default() -> LiveCache {
        LiveCache::of(CACHED)
    }
}

impl LiveCache {
    /// A cache for this many positions.
    #[must_use]
    pub fn of(positions: usize) -> LiveCache {
        LiveCache {
            entries: Arc::new(Mutex::new(LiveCacheEntries {
                lines: HashMap::new(),
                most: positions.max(2),
                clock: 0,
            })),
        }
    }

    fn lock(&self) -> MutexGuard<'_, LiveCacheEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The deepest known lines of a position.
    #[must_use]
    pub fn get(&self, engine: &str, board: &Board) -> Vec<EngineLine> {
        let entries = self.lock();
        let key = (engine.to_owned(), EvaluationKey::of(board));
        entries
            .lines
            .get(&key)
            .map_or_else(Vec::new, |(_, lines)| lines.clone())
    }

    /// Remembers lines, unless deeper ones are known, or as deep ones that are more.
    fn put(&self, engine: &str, board: &Board, lines: &[EngineLine]) {
        let depth = |lines: &[EngineLine]| lines.first().map_or(0, |info| info.depth);
        let mut entries = self.lock();
        let key = (engine.to_owned(), EvaluationKey::of(board));
        if let Some((_, known)) = entries.lines.get(&key)
            && (depth(known), known.len()) > (depth(lines), lines.len())
        {
            return;
        }
        entries.clock += 1;
        let clock = entries.clock;
        entries.lines.insert(key, (clock, lines.to_vec()));
        if entries.lines.len() > entries.most {
            let mut ages: Vec<u64> = entries.lines.values().map(|(age, _)| *age).collect();
            ages.sort_unstable();
            let middle = ages.get(ages.len() / 2).copied().unwrap_or(0);
            entries.lines.retain(|_, (age, _)| *age > middle);
        }
    }

    /// How many positions are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().lines.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Takes the engines' lines. It is called on their threads, and should be fast.
pub type LiveListener = dyn Fn(LiveUpdate) + Send + Sync;

/// Engines that search the position that is shown.
pub struct LiveEngines {
    shared: Arc<LiveContext>,
    threads: Vec<JoinHandle<()>>,
}

struct LiveContext {
    desk: Mutex<LiveRequest>,
    changed: Condvar,
    listener: Box<LiveListener>,
    cache: LiveCache,
    names: Vec<String>,
}

#[derive(Default)]
struct LiveRequest {
    question: u64,
    ask: Option<LiveQuestion>,
    gone: bool,
    /// Ends what each engine is at.
    reins: Vec<Control>,
}

impl LiveContext {
    fn lock(&self) -> MutexGuard<'_, LiveRequest> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveEngines {
    /// Prepares engines; each is started at the first question.
    pub fn start(
        engines: Vec<EngineSpec>,
        patience: EngineTimeouts,
        cache: LiveCache,
        listener: impl Fn(LiveUpdate) + Send + Sync + 'static,
    ) -> LiveEngines {
        let shared = Arc::new(LiveContext {
            desk: Mutex::new(LiveRequest {
                reins: engines.iter().map(|_| Control::default()).collect(),
                ..LiveRequest::default()
            }),
            changed: Condvar::new(),
            listener: Box::new(listener),
            cache,
            names: engines.iter().map(|spec| spec.name.clone()).collect(),
        });
        let threads = engines
            .into_iter()
            .enumerate()
            .map(|(place, spec)| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || LiveWorker::new(place, spec, patience, shared).run())
            })
            .collect();
        LiveEngines { shared, threads }
    }

    /// Asks all engines about a position; earlier searches are dropped. Remembered lines are reported at once.
    pub fn show(&self, ask: &LiveQuestion) -> u64 {
        let question = self.put(Some(ask.clone()));
        for (engine, name) in self.shared.names.iter().enumerate() {
            let lines = remembered(&self.shared.cache, name, ask);
            if !lines.is_empty() {
                (self.shared.listener)(LiveUpdate {
                    question,
                    engine,
                    name: name.clone(),
                    state: LiveState::Searching,
                    lines,
                    remembered: true,
                    nodes: 0,
                    speed: 0,
                });
            }
        }
        question
    }

    /// Stops all searches.
    pub fn pause(&self) {
        self.put(None);
    }

    fn put(&self, ask: Option<LiveQuestion>) -> u64 {
        let mut desk = self.shared.lock();
        desk.question += 1;
        desk.ask = ask;
        for rein in &desk.reins {
            rein.stop();
        }
        self.shared.changed.notify_all();
        desk.question
    }
}

impl Drop for LiveEngines {
    fn drop(&mut self) {
        self.shared.lock().gone = true;
        self.put(None);
        for thread in self.threads.drain(..) {
            // A panic in there was told when it happened.
            let _ = thread.join();
        }
    }
}

/// What is remembered, as many lines of it as are asked for; a search for fewer lines than that is no answer.
fn remembered(cache: &LiveCache, name: &str, ask: &LiveQuestion) -> Vec<EngineLine> {
    let mut lines = cache.get(name, ask.board());
    let wanted = usize::try_from(ask.go.lines.max(1)).unwrap_or(1);
    lines.truncate(wanted);
    lines
}

struct LiveWorker {
    place: usize,
    spec: EngineSpec,
    patience: EngineTimeouts,
    shared: Arc<LiveContext>,
    keeper: Option<EngineSupervisor>,
}

impl LiveWorker {
    fn new(
        place: usize,
        spec: EngineSpec,
        patience: EngineTimeouts,
        shared: Arc<LiveContext>,
    ) -> LiveWorker {
        LiveWorker {
            place,
            spec,
            patience,
            shared,
            keeper: None,
        }
    }

    fn run(mut self) {
        let mut answered = 0;
        while let Some((question, ask, control)) = self.next(answered) {
            answered = question;
            self.answer(question, &ask, &control);
        }
    }

    /// Waits for a question that is not answered yet; none when the holder is gone.
    fn next(&self, answered: u64) -> Option<(u64, LiveQuestion, Control)> {
        let mut desk = self.shared.lock();
        loop {
            if desk.gone {
                return None;
            }
            if desk.question > answered
                && let Some(ask) = desk.ask.clone()
            {
                let control = Control::default();
                if let Some(rein) = desk.reins.get_mut(self.place) {
                    *rein = control.clone();
                }
                return Some((desk.question, ask, control));
            }
            desk = self
                .shared
                .changed
                .wait(desk)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn answer(&mut self, question: u64, ask: &LiveQuestion, control: &Control) {
        let mut update = LiveUpdate {
            question,
            engine: self.place,
            name: self.spec.name.clone(),
            state: LiveState::Starting,
            lines: remembered(&self.shared.cache, &self.spec.name, ask),
            remembered: true,
            nodes: 0,
            speed: 0,
        };
        update.remembered = !update.lines.is_empty();
        let keeper = match &mut self.keeper {
            Some(keeper) => keeper,
            None => {
                (self.shared.listener)(update.clone());
                match EngineSupervisor::start(&self.spec, self.patience, control) {
                    Ok(keeper) => self.keeper.insert(keeper),
                    Err(error) => {
                        if !control.is_stopped() {
                            update.state = LiveState::Failed(error.to_string());
                            (self.shared.listener)(update);
                        }
                        return;
                    }
                }
            }
        };
        update.name = keeper.id().to_owned();
        update.state = LiveState::Searching;
        let shared = &self.shared;
        let name = &self.spec.name;
        let mut told = LiveSearch {
            update,
            current: Vec::new(),
            wanted: usize::try_from(ask.go.lines.max(1)).unwrap_or(1),
            last: None,
        };
        let searched = keeper.work(control, |engine| {
            show_chances(engine)?;
            told.current.clear();
            engine.search(&ask.position, &ask.go, control, &mut |info| {
                told.take(info, shared, name, ask);
                !control.is_stopped()
            })
        });
        let mut update = told.update;
        match searched {
            Ok(search) => {
                if !search.lines.is_empty() {
                    shared.cache.put(name, ask.board(), &search.lines);
                }
                update.lines = remembered(&shared.cache, name, ask);
                update.remembered = false;
                update.state = LiveState::Done;
            }
            Err(error) => {
                update.state = LiveState::Failed(error.to_string());
                if error.fault.is_fatal() {
                    self.keeper = None;
                }
            }
        }
        // Who has asked something else meanwhile does not want to hear of this any more.
        if !control.is_stopped() {
            (self.shared.listener)(update);
        }
    }
}

/// Asks for chances where the engine tells them.
fn show_chances(engine: &mut Engine) -> Result<(), EngineFault> {
    match engine.set("UCI_ShowWDL", "true") {
        Ok(()) | Err(EngineFault::NoOption(_) | EngineFault::BadOption { .. }) => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// What was told of a search.
struct LiveSearch {
    update: LiveUpdate,
    current: Vec<EngineLine>,
    wanted: usize,
    last: Option<Instant>,
}

impl LiveSearch {
    fn take(&mut self, info: &EngineLine, shared: &LiveContext, name: &str, ask: &LiveQuestion) {
        let place = usize::try_from(info.rank.saturating_sub(1)).unwrap_or(usize::MAX);
        if info.score.is_none() || place >= self.wanted || place > self.current.len() {
            return;
        }
        match self.current.get_mut(place) {
            Some(slot) => slot.clone_from(info),
            None => self.current.push(info.clone()),
        }
        (self.update.nodes, self.update.speed) = (info.nodes, info.speed);
        if !self.update.remembered || info.depth >= self.update.depth() {
            self.update.remembered = false;
            self.update.lines.clone_from(&self.current);
            shared.cache.put(name, ask.board(), &self.current);
        }
        if self.last.is_none_or(|last| last.elapsed() >= PERIOD) {
            self.last = Some(Instant::now());
            (shared.listener)(self.update.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_model::command::Evaluation;

    fn line(depth: u32) -> EngineLine {
        EngineLine {
            rank: 1,
            depth,
            score: Some(Evaluation::Centipawns(1)),
            ..EngineLine::default()
        }
    }

    #[test]
    fn the_deepest_is_remembered() {
        let cache = LiveCache::default();
        let board = Board::standard();
        cache.put("a", &board, &[line(5)]);
        cache.put("a", &board, &[line(9), line(9)]);
        cache.put("a", &board, &[line(7)]);
        cache.put("a", &board, &[line(9)]);
        assert_eq!(cache.get("a", &board).len(), 2);
        assert_eq!(cache.get("a", &board)[0].depth, 9);
        assert!(cache.get("b", &board).is_empty());
    }

    #[test]
    fn a_cache_stays_within_its_bounds() {
        let cache = LiveCache::of(10);
        let mut board = Board::standard();
        let mut moves = Vec::new();
        for _ in 0..60 {
            board.legal_moves(&mut moves);
            board.play(moves[0]);
            cache.put("a", &board, &[line(1)]);
            assert!(cache.len() <= 10);
        }
        assert_eq!(cache.get("a", &board).len(), 1);
    }

    #[test]
    fn threats_are_those_of_the_other_side() {
        let start = Board::standard();
        let ask = LiveQuestion::threat(&start, &[], 1).expect("no check");
        assert_eq!(ask.board().turn(), shakmaty::Color::Black);
        let (check, _) = Board::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").expect("valid");
        assert!(LiveQuestion::threat(&check, &[], 1).is_err());
        let (over, _) = Board::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").expect("valid");
        assert!(LiveQuestion::best(&over, &[], 1).is_err());
    }
}
