//! Runs the blocks of a source on several threads and returns the results in order.
//!
//! A run checks its [`Control`] before every block and every few games within one. If it is stopped, its results are
//! the first games without a gap: an incomplete block is not returned.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::control::{Control, JobCompletion};
use crate::database::{Block, GameNeeds, Source};
use crate::error::Result;
use crate::game::Game;

/// How many blocks may be in progress or waiting for their turn, per thread; this bounds the memory if one block is slow.
const AHEAD: u64 = 3;

/// Games of a block between two checks of the control.
const LOOK: u32 = 8;

/// Runs `worker` over all blocks of a source on the threads of a control and calls `done` with the results, in the order
/// of the blocks, on the calling thread. `make` builds one worker per thread, which may keep buffers. `done` returns
/// whether to continue. The first error ends the run.
///
/// The answer is [`JobCompletion::Whole`] unless the control ended the run; a caller whose `done` ended it knows that.
pub fn run<'a, T, W>(
    source: &mut dyn Source<'a>,
    control: &Control,
    make: impl Fn() -> W + Sync,
    done: impl FnMut(T) -> Result<bool>,
) -> Result<JobCompletion>
where
    T: Send,
    W: FnMut(&mut dyn Block) -> Result<T>,
{
    run_jobs(
        &mut || source.next_block(),
        control,
        || {
            let mut worker = make();
            move |block: Box<dyn Block + 'a>, reins: CancelCheck<'_>| {
                let mut block = CancellableBlock {
                    block,
                    reins,
                    games: 0,
                    looks: 0,
                    is_cut: false,
                };
                let result = worker(&mut block)?;
                // A stop between two checks may have ended the block within a game.
                if block.is_cut || control.is_stopped() {
                    return Ok(None);
                }
                control.advance(block.games, block.bytes());
                Ok(Some(result))
            }
        },
        done,
    )
}

/// How a worker learns that its result is no longer needed.
#[derive(Clone, Copy)]
pub(crate) struct CancelCheck<'r> {
    control: &'r Control,
    /// Whether the consumer has left.
    left: &'r AtomicBool,
}

impl CancelCheck<'_> {
    /// Whether to stop at once.
    #[inline]
    pub(crate) fn is_cancelled(self) -> bool {
        self.left.load(Ordering::Relaxed) || self.control.is_stopped()
    }
}

/// A block that ends early when it is cancelled.
struct CancellableBlock<'r, 'a> {
    block: Box<dyn Block + 'a>,
    reins: CancelCheck<'r>,
    games: u64,
    looks: u32,
    is_cut: bool,
}

impl Block for CancellableBlock<'_, '_> {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        if self.looks == 0 {
            if self.reins.is_cancelled() {
                self.is_cut = true;
                return Ok(false);
            }
            self.looks = LOOK;
        }
        self.looks -= 1;
        let more = self.block.next(want, game)?;
        self.games += u64::from(more);
        Ok(more)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        self.block.again(want, game)
    }

    fn is_repeatable(&self) -> bool {
        self.block.is_repeatable()
    }

    fn knows_plies(&self) -> bool {
        self.block.knows_plies()
    }

    fn plies(&mut self) -> Result<Option<u32>> {
        self.block.plies()
    }

    fn first(&self) -> Option<u64> {
        self.block.first()
    }

    fn bytes(&self) -> u64 {
        self.block.bytes()
    }
}

/// The result of a worker.
enum WorkerOutcome<T> {
    Done(T),
    Failed(crate::error::Error),
    /// It was cancelled before its end.
    Cut,
}

impl<T> From<Result<Option<T>>> for WorkerOutcome<T> {
    fn from(result: Result<Option<T>>) -> WorkerOutcome<T> {
        match result {
            Ok(Some(result)) => WorkerOutcome::Done(result),
            Ok(None) => WorkerOutcome::Cut,
            Err(error) => WorkerOutcome::Failed(error),
        }
    }
}

/// Results that are put back in order.
struct ResultQueue<T> {
    results: BTreeMap<u64, WorkerOutcome<T>>,
    consumed: u64,
    /// The total number of jobs, once known, and whether that is all of them.
    end: Option<(u64, JobCompletion)>,
    stopped: bool,
}

impl<T> ResultQueue<T> {
    fn end_at(&mut self, number: u64, ended: JobCompletion) {
        if self.end.is_none_or(|(end, _)| number < end) {
            self.end = Some((number, ended));
        }
    }
}

/// Gives the next job; `None` at the end.
type JobSource<'n, J> = &'n mut (dyn FnMut() -> Result<Option<J>> + Send);

/// Everything that the threads share.
struct PipelineState<'p, J, T> {
    /// The source of jobs and the number of the next.
    source: Mutex<(JobSource<'p, J>, u64)>,
    turns: Mutex<ResultQueue<T>>,
    /// The consumer waits here for the result whose turn it is.
    turn: Condvar,
    /// Workers wait here until the consumer has caught up.
    room: Condvar,
}

impl<J, T> PipelineState<'_, J, T> {
    /// Wakes all threads, since the end is known.
    fn wake_all(&self) {
        self.turn.notify_all();
        self.room.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs jobs of any kind, as [`run`] runs blocks. A worker returns `None` if it was cancelled before the end of its job.
pub(crate) fn run_jobs<J, T, W>(
    next: JobSource<'_, J>,
    control: &Control,
    make: impl Fn() -> W + Sync,
    done: impl FnMut(T) -> Result<bool>,
) -> Result<JobCompletion>
where
    J: Send,
    T: Send,
    W: FnMut(J, CancelCheck<'_>) -> Result<Option<T>>,
{
    let ended = run_until_stop(next, control, make, done)?;
    Ok(control.completion_of(ended))
}

/// The same, without asking who stopped it.
fn run_until_stop<J, T, W>(
    next: JobSource<'_, J>,
    control: &Control,
    make: impl Fn() -> W + Sync,
    mut done: impl FnMut(T) -> Result<bool>,
) -> Result<JobCompletion>
where
    J: Send,
    T: Send,
    W: FnMut(J, CancelCheck<'_>) -> Result<Option<T>>,
{
    let left = AtomicBool::new(false);
    let reins = CancelCheck {
        control,
        left: &left,
    };
    let threads = control.threads();
    if threads <= 1 {
        let mut worker = make();
        loop {
            if control.is_stopped() {
                return Ok(JobCompletion::Stopped);
            }
            let Some(job) = next()? else {
                return Ok(JobCompletion::Whole);
            };
            match worker(job, reins)? {
                Some(result) => {
                    if !done(result)? {
                        return Ok(JobCompletion::Whole);
                    }
                }
                None => return Ok(JobCompletion::Stopped),
            }
        }
    }
    let shared = PipelineState {
        source: Mutex::new((next, 0)),
        turns: Mutex::new(ResultQueue {
            results: BTreeMap::new(),
            consumed: 0,
            end: None,
            stopped: false,
        }),
        turn: Condvar::new(),
        room: Condvar::new(),
    };
    std::thread::scope(|scope| {
        // Whether the consumer leaves by an error or by a panic of `done`, the workers are stopped.
        let _stop = ConsumerGuard {
            shared: &shared,
            left: &left,
        };
        for _ in 0..threads {
            scope.spawn(|| {
                let _stop = PanicGuard { shared: &shared };
                work(&shared, reins, threads, make());
            });
        }
        consume(&shared, control, &mut done)
    })
}

fn work<J, T, W: FnMut(J, CancelCheck<'_>) -> Result<Option<T>>>(
    shared: &PipelineState<'_, J, T>,
    reins: CancelCheck<'_>,
    threads: usize,
    mut worker: W,
) {
    let window = threads as u64 * AHEAD;
    loop {
        let (number, job) = {
            let mut source = lock(&shared.source);
            let number = source.1;
            let mut turns = lock(&shared.turns);
            while !turns.stopped && turns.end.is_none() && number >= turns.consumed + window {
                turns = shared
                    .room
                    .wait(turns)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if turns.stopped || turns.end.is_some() {
                return;
            }
            if reins.is_cancelled() {
                turns.end_at(number, JobCompletion::Stopped);
                drop(turns);
                shared.wake_all();
                return;
            }
            drop(turns);
            let job = source.0();
            if let Ok(None) = job {
                lock(&shared.turns).end_at(number, JobCompletion::Whole);
                shared.wake_all();
                return;
            }
            source.1 += 1;
            (number, job)
        };
        let outcome = match job {
            Ok(Some(job)) => worker(job, reins).into(),
            Ok(None) => return,
            Err(error) => WorkerOutcome::Failed(error),
        };
        let mut turns = lock(&shared.turns);
        let is_done = matches!(outcome, WorkerOutcome::Done(_));
        match outcome {
            WorkerOutcome::Done(_) => {}
            WorkerOutcome::Failed(_) => turns.end_at(number + 1, JobCompletion::Whole),
            WorkerOutcome::Cut => turns.end_at(number, JobCompletion::Stopped),
        }
        turns.results.insert(number, outcome);
        let is_awaited = number == turns.consumed;
        drop(turns);
        if !is_done {
            shared.wake_all();
        } else if is_awaited {
            shared.turn.notify_one();
        }
    }
}

fn consume<J, T>(
    shared: &PipelineState<'_, J, T>,
    control: &Control,
    done: &mut impl FnMut(T) -> Result<bool>,
) -> Result<JobCompletion> {
    loop {
        let outcome = {
            let mut turns = lock(&shared.turns);
            loop {
                let next = turns.consumed;
                if let Some((_, ended)) = turns.end.filter(|(end, _)| next >= *end) {
                    return Ok(ended);
                }
                if let Some(outcome) = turns.results.remove(&next) {
                    turns.consumed += 1;
                    break outcome;
                }
                if turns.stopped {
                    return Ok(JobCompletion::Stopped);
                }
                turns = shared
                    .turn
                    .wait(turns)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        };
        shared.room.notify_all();
        if control.is_stopped() {
            return Ok(JobCompletion::Stopped);
        }
        match outcome {
            WorkerOutcome::Done(result) => {
                if !done(result)? {
                    return Ok(JobCompletion::Whole);
                }
            }
            WorkerOutcome::Failed(error) => return Err(error),
            WorkerOutcome::Cut => return Ok(JobCompletion::Stopped),
        }
    }
}

/// Stops the workers when the consumer leaves.
struct ConsumerGuard<'s, 'p, J, T> {
    shared: &'s PipelineState<'p, J, T>,
    left: &'s AtomicBool,
}

impl<J, T> Drop for ConsumerGuard<'_, '_, J, T> {
    fn drop(&mut self) {
        self.left.store(true, Ordering::Relaxed);
        lock(&self.shared.turns).stopped = true;
        self.shared.wake_all();
    }
}

/// Wakes the consumer when a worker panics; the scope then propagates the panic.
struct PanicGuard<'s, 'p, J, T> {
    shared: &'s PipelineState<'p, J, T>,
}

impl<J, T> Drop for PanicGuard<'_, '_, J, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.shared.turns).stopped = true;
            self.shared.wake_all();
        }
    }
}

/// Adds `base` to a game's number, in its origin and in the places of its diagnostics: for blocks that count from 1.
pub fn renumber(game: &mut Game, base: u64) {
    if base == 0 {
        return;
    }
    game.origin.number += base;
    game.diagnostics.renumber(base);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::error::Error;
    use crate::error_codes;

    struct NumberSource(u64, u64);
    struct NumberBlock(u64, bool);

    impl Source<'static> for NumberSource {
        fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
            if self.0 == self.1 {
                return Ok(None);
            }
            self.0 += 1;
            Ok(Some(Box::new(NumberBlock(self.0, false))))
        }
    }

    impl Block for NumberBlock {
        fn next(&mut self, _: GameNeeds, game: &mut Game) -> Result<bool> {
            game.origin.number = self.0;
            Ok(!std::mem::replace(&mut self.1, true))
        }

        fn bytes(&self) -> u64 {
            10
        }
    }

    fn threads(threads: usize) -> Control {
        Control::default().with_threads(threads)
    }

    fn collect(jobs: usize, fail_at: u64, stop_at: u64) -> (Vec<u64>, bool) {
        let mut seen = Vec::new();
        let result = run(
            &mut NumberSource(0, 100),
            &threads(jobs),
            || {
                let mut game = Game::default();
                move |block: &mut dyn Block| {
                    block.next(GameNeeds::ALL, &mut game)?;
                    if game.origin.number % 7 == 0 {
                        std::thread::yield_now();
                    }
                    if game.origin.number == fail_at {
                        return Err(Error::new(&error_codes::INTERNAL, "asked for"));
                    }
                    Ok(game.origin.number)
                }
            },
            |number| {
                seen.push(number);
                Ok(number != stop_at)
            },
        );
        assert!(result.as_ref().is_ok_and(|ended| ended.is_whole()) || result.is_err());
        (seen, result.is_ok())
    }

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for jobs in [1, 2, 5] {
            assert_eq!(collect(jobs, 0, 0), ((1..=100).collect(), true));
            assert_eq!(collect(jobs, 40, 0), ((1..40).collect(), false));
            assert_eq!(collect(jobs, 0, 30), ((1..=30).collect(), true));
        }
    }

    #[test]
    #[should_panic(expected = "scoped thread panicked")]
    fn a_panic_of_a_worker_is_passed_on() {
        let _ = run(
            &mut NumberSource(0, 10),
            &threads(2),
            || |_: &mut dyn Block| -> Result<()> { panic!("worker") },
            |()| Ok(true),
        );
    }

    #[test]
    fn progress_counts_games_and_bytes() {
        for jobs in [1, 3] {
            let control = threads(jobs);
            let worker = || {
                |block: &mut dyn Block| {
                    let mut game = Game::default();
                    while block.next(GameNeeds::ALL, &mut game)? {}
                    Ok(())
                }
            };
            let ended = run(&mut NumberSource(0, 9), &control, worker, |()| Ok(true));
            assert_eq!(ended.ok(), Some(JobCompletion::Whole));
            let progress = control.progress();
            assert_eq!((progress.games, progress.done), (9, 90));
        }
    }

    /// An endless source of single blocks, whose games take a while.
    struct EndlessSource(u64);
    struct SlowBlock;

    impl Source<'static> for EndlessSource {
        fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
            self.0 += 1;
            Ok(Some(Box::new(SlowBlock)))
        }
    }

    impl Block for SlowBlock {
        fn next(&mut self, _: GameNeeds, _: &mut Game) -> Result<bool> {
            std::thread::sleep(Duration::from_micros(200));
            Ok(true)
        }
    }

    #[test]
    fn a_block_without_an_end_is_left_when_the_control_says_so() {
        for jobs in [1, 2, 4] {
            let control = threads(jobs);
            let other = control.clone();
            let stopper = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(30));
                other.stop();
            });
            let worker = || {
                |block: &mut dyn Block| {
                    let mut game = Game::default();
                    while block.next(GameNeeds::ALL, &mut game)? {}
                    Ok(())
                }
            };
            let mut handed = 0;
            let ended = run(&mut EndlessSource(0), &control, worker, |()| {
                handed += 1;
                Ok(true)
            });
            stopper.join().expect("joined");
            assert_eq!(ended.ok(), Some(JobCompletion::Stopped));
            assert_eq!(handed, 0, "a block that was cut short is not handed back");
        }
    }

    #[test]
    fn a_stop_hands_back_a_beginning_without_a_gap() {
        for jobs in [1, 2, 5] {
            let control = threads(jobs);
            let mut seen = Vec::new();
            let worker = || {
                let mut game = Game::default();
                move |block: &mut dyn Block| {
                    block.next(GameNeeds::ALL, &mut game)?;
                    Ok(game.origin.number)
                }
            };
            let ended = run(&mut NumberSource(0, 100), &control, worker, |number| {
                seen.push(number);
                if number == 20 {
                    control.stop();
                }
                Ok(true)
            });
            assert_eq!(ended.ok(), Some(JobCompletion::Stopped));
            assert_eq!(seen, (1..=20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_consumer_that_leaves_ends_blocks_under_way() {
        struct TwoSources(u64);
        struct EitherBlock(u64);
        impl Source<'static> for TwoSources {
            fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
                self.0 += 1;
                Ok(Some(Box::new(EitherBlock(self.0))))
            }
        }
        impl Block for EitherBlock {
            fn next(&mut self, _: GameNeeds, _: &mut Game) -> Result<bool> {
                // Only the first block ends by itself.
                std::thread::yield_now();
                Ok(self.0 > 1)
            }
        }
        let worker = || {
            |block: &mut dyn Block| {
                let mut game = Game::default();
                while block.next(GameNeeds::ALL, &mut game)? {}
                Ok(())
            }
        };
        let ended = run(&mut TwoSources(0), &threads(3), worker, |()| Ok(false));
        assert_eq!(ended.ok(), Some(JobCompletion::Whole));
    }
}
