//! Several processes of one engine that work on a queue.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use tabiya_engine::driver::{SearchLimits, SearchPosition};
use tabiya_engine::{Engine, EngineError, EngineFault, EngineSupervisor, PositionEvaluation};
use tabiya_model::{Board, Control};

use super::AnalyseOptions;

/// Positions that are searched in their order on a memory that is cleared before the first of them.
#[derive(Clone)]
pub(super) struct AnalyseUnit {
    pub(super) positions: Vec<SearchPosition>,
}

/// What became of a unit.
pub(super) struct AnalyseUnitResult {
    /// Its positions with what was found; nothing where no engine would answer.
    pub(super) positions: Vec<(Board, Option<PositionEvaluation>)>,
    /// The last failure that was not mended.
    pub(super) error: Option<EngineError>,
    /// Whether the engine cannot be started any more.
    pub(super) is_fatal: bool,
}

#[derive(Default)]
struct AnalyseQueue {
    units: VecDeque<AnalyseUnit>,
    /// Whether these are the last ones.
    complete: bool,
    closed: bool,
}

impl AnalyseQueue {
    /// The one that has waited longest. Of the last ones the longest: who takes it last lets all others wait.
    fn next(&mut self) -> Option<AnalyseUnit> {
        if !self.complete {
            return self.units.pop_front();
        }
        let sizes = self.units.iter().map(|unit| unit.positions.len());
        let (place, _) = sizes.enumerate().max_by_key(|(_, size)| *size)?;
        self.units.remove(place)
    }
}

#[derive(Default)]
struct EnginePoolState {
    queue: Mutex<AnalyseQueue>,
    changed: Condvar,
    outstanding: AtomicUsize,
}

impl EnginePoolState {
    fn lock(&self) -> MutexGuard<'_, AnalyseQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the engines leave behind.
#[derive(Default)]
pub(super) struct EngineRunSummary {
    pub(super) restarts: u64,
    pub(super) notes: Vec<String>,
}

/// The engines at work.
pub(super) struct EnginePool<'scope> {
    shared: Arc<EnginePoolState>,
    done: Receiver<AnalyseUnitResult>,
    workers: Vec<ScopedJoinHandle<'scope, EngineRunSummary>>,
}

impl<'scope> EnginePool<'scope> {
    /// Starts the engines; the first one runs already.
    pub(super) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        first: EngineSupervisor,
        options: &'env AnalyseOptions,
        control: &'env Control,
    ) -> EnginePool<'scope> {
        let shared = Arc::new(EnginePoolState::default());
        let (sender, done) = channel();
        let mut first = Some(first);
        let workers = (0..options.processes.max(1))
            .map(|_| {
                let worker = EngineWorker {
                    shared: Arc::clone(&shared),
                    done: sender.clone(),
                    options,
                    control,
                };
                let keeper = first.take();
                scope.spawn(move || worker.run(keeper))
            })
            .collect();
        EnginePool {
            shared,
            done,
            workers,
        }
    }

    pub(super) fn add(&self, unit: AnalyseUnit) {
        self.shared.outstanding.fetch_add(1, Ordering::Relaxed);
        self.shared.lock().units.push_back(unit);
        self.shared.changed.notify_one();
    }

    /// Says that nothing more will be added.
    pub(super) fn complete(&self) {
        self.shared.lock().complete = true;
    }

    /// Units that are added and not done.
    pub(super) fn outstanding(&self) -> usize {
        self.shared.outstanding.load(Ordering::Relaxed)
    }

    /// The next unit that is done. None when nothing comes in time, or nothing will come any more.
    pub(super) fn next(&self, wait: Duration) -> Option<AnalyseUnitResult> {
        match self.done.recv_timeout(wait) {
            Ok(done) => {
                self.shared.outstanding.fetch_sub(1, Ordering::Relaxed);
                Some(done)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Lets the engines go when they have finished what they are at.
    pub(super) fn stop(&self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.units.clear();
        drop(queue);
        self.shared.changed.notify_all();
    }

    /// Waits until all engines are gone.
    pub(super) fn end(self) -> EngineRunSummary {
        self.stop();
        let mut left = EngineRunSummary::default();
        for worker in self.workers {
            match worker.join() {
                Ok(one) => {
                    left.restarts += one.restarts;
                    left.notes.extend(one.notes);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        left
    }
}

struct EngineWorker<'w> {
    shared: Arc<EnginePoolState>,
    done: Sender<AnalyseUnitResult>,
    options: &'w AnalyseOptions,
    control: &'w Control,
}

impl EngineWorker<'_> {
    fn run(self, mut keeper: Option<EngineSupervisor>) -> EngineRunSummary {
        while let Some(unit) = self.take() {
            let mut running = match keeper.take() {
                Some(keeper) => keeper,
                None => {
                    match EngineSupervisor::start(
                        &self.options.engine,
                        self.options.patience,
                        self.control,
                    ) {
                        Ok(keeper) => keeper,
                        Err(error) => {
                            let stopped = matches!(error.fault, EngineFault::Stopped);
                            if !stopped {
                                self.send(nothing(&unit, error, true));
                            }
                            return EngineRunSummary::default();
                        }
                    }
                }
            };
            let done = self.search(&mut running, &unit);
            keeper = Some(running);
            match done {
                Some(done) => self.send(done),
                None => break,
            }
        }
        match &mut keeper {
            Some(keeper) => EngineRunSummary {
                restarts: keeper.restarts(),
                notes: keeper.take_notes(),
            },
            None => EngineRunSummary::default(),
        }
    }

    fn take(&self) -> Option<AnalyseUnit> {
        let mut queue = self.shared.lock();
        loop {
            if queue.closed || self.control.is_stopped() {
                return None;
            }
            if let Some(unit) = queue.next() {
                return Some(unit);
            }
            let waited = self
                .shared
                .changed
                .wait_timeout(queue, Duration::from_millis(20))
                .unwrap_or_else(PoisonError::into_inner);
            queue = waited.0;
        }
    }

    fn send(&self, done: AnalyseUnitResult) {
        let _ = self.done.send(done);
    }

    /// Searches a unit; none where the work was stopped in its midst.
    fn search(
        &self,
        keeper: &mut EngineSupervisor,
        unit: &AnalyseUnit,
    ) -> Option<AnalyseUnitResult> {
        let (control, go) = (self.control, &self.options.go);
        let error = match keeper.work(control, |engine| run(engine, &unit.positions, go, control)) {
            Ok(positions) => {
                return Some(AnalyseUnitResult {
                    positions,
                    error: None,
                    is_fatal: false,
                });
            }
            Err(error) => error,
        };
        if control.is_stopped() || matches!(error.fault, EngineFault::Stopped) {
            return None;
        }
        // One that has never searched anything will not do so for the others.
        if matches!(error.fault, EngineFault::Idle(_)) && !keeper.has_worked() {
            return Some(nothing(unit, error, true));
        }
        if unit.positions.len() == 1 {
            return Some(nothing(unit, error, false));
        }
        // One of its positions brings the engine down: each is asked by itself.
        let mut done = AnalyseUnitResult {
            positions: Vec::new(),
            error: None,
            is_fatal: false,
        };
        for position in &unit.positions {
            let one = AnalyseUnit {
                positions: vec![position.clone()],
            };
            let one = self.search(keeper, &one)?;
            done.positions.extend(one.positions);
            done.error = one.error.or(done.error);
        }
        if done.positions.iter().any(|(_, found)| found.is_some()) {
            done.error = None;
        }
        Some(done)
    }
}

fn nothing(unit: &AnalyseUnit, error: EngineError, is_fatal: bool) -> AnalyseUnitResult {
    AnalyseUnitResult {
        positions: unit
            .positions
            .iter()
            .map(|position| (position.board().clone(), None))
            .collect(),
        error: Some(error),
        is_fatal,
    }
}

fn run(
    engine: &mut Engine,
    positions: &[SearchPosition],
    go: &SearchLimits,
    control: &Control,
) -> Result<Vec<(Board, Option<PositionEvaluation>)>, EngineFault> {
    engine.new_game(control)?;
    positions
        .iter()
        .map(|position| {
            let search = engine.search(position, go, control, &mut |_| true)?;
            if search.stopped && control.is_stopped() {
                return Err(EngineFault::Stopped);
            }
            let found = PositionEvaluation::of(&search).ok_or(EngineFault::NoEvaluation)?;
            Ok((position.board().clone(), Some(found)))
        })
        .collect()
}
