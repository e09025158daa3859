//! Runs the blocks of a source over threads and hands the results back in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::database::{Block, Source};
use crate::error::Result;
use crate::game::Game;

/// How many blocks may be under way or waiting for their turn, per thread: bounds the memory when one is slow.
const AHEAD: u64 = 3;

/// Results on their way back into order.
struct Turns<T> {
    results: BTreeMap<u64, Result<T>>,
    consumed: u64,
    /// The number of blocks, once the source has no more.
    end: Option<u64>,
    stopped: bool,
}

/// Everything that the threads share.
struct Shared<'p, 'a, T> {
    /// The source and the number of its next block.
    source: Mutex<(&'p mut dyn Source<'a>, u64)>,
    turns: Mutex<Turns<T>>,
    changed: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `worker` over all blocks of a source on `jobs` threads and calls `done` with the results, in the order of the
/// blocks, on the calling thread. `make` builds one worker a thread, which may keep buffers. `done` answers whether to
/// go on. The first error ends the run.
pub fn run<'a, T, W>(
    source: &mut dyn Source<'a>,
    jobs: usize,
    make: impl Fn() -> W + Sync,
    mut done: impl FnMut(T) -> Result<bool>,
) -> Result<()>
where
    T: Send,
    W: FnMut(&mut dyn Block) -> Result<T>,
{
    if jobs <= 1 {
        let mut worker = make();
        while let Some(mut block) = source.next_block()? {
            if !done(worker(&mut *block)?)? {
                break;
            }
        }
        return Ok(());
    }
    let shared = Shared {
        source: Mutex::new((source, 0)),
        turns: Mutex::new(Turns {
            results: BTreeMap::new(),
            consumed: 0,
            end: None,
            stopped: false,
        }),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        // Whatever way the consumer leaves, by an error or a panic of `done`, the workers learn it.
        let _stop = Stop { shared: &shared };
        for _ in 0..jobs {
            scope.spawn(|| {
                let _stop = StopOnPanic { shared: &shared };
                work(&shared, jobs, make());
            });
        }
        consume(&shared, &mut done)
    })
}

fn work<T, W: FnMut(&mut dyn Block) -> Result<T>>(
    shared: &Shared<'_, '_, T>,
    jobs: usize,
    mut worker: W,
) {
    let window = jobs as u64 * AHEAD;
    loop {
        let (number, block) = {
            let mut source = lock(&shared.source);
            let number = source.1;
            let mut turns = lock(&shared.turns);
            while !turns.stopped && turns.end.is_none() && number >= turns.consumed + window {
                turns = shared
                    .changed
                    .wait(turns)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if turns.stopped || turns.end.is_some() {
                return;
            }
            drop(turns);
            let block = source.0.next_block();
            if let Ok(None) = block {
                lock(&shared.turns).end = Some(number);
                shared.changed.notify_all();
                return;
            }
            source.1 += 1;
            (number, block)
        };
        let result = match block {
            Ok(Some(mut block)) => worker(&mut *block),
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let failed = result.is_err();
        let mut turns = lock(&shared.turns);
        turns.results.insert(number, result);
        if failed && turns.end.is_none() {
            turns.end = Some(number + 1);
        }
        drop(turns);
        shared.changed.notify_all();
    }
}

fn consume<T>(shared: &Shared<'_, '_, T>, done: &mut impl FnMut(T) -> Result<bool>) -> Result<()> {
    loop {
        let result = {
            let mut turns = lock(&shared.turns);
            loop {
                let next = turns.consumed;
                if let Some(result) = turns.results.remove(&next) {
                    turns.consumed += 1;
                    break result;
                }
                if turns.stopped || turns.end.is_some_and(|end| next >= end) {
                    return Ok(());
                }
                turns = shared
                    .changed
                    .wait(turns)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        };
        shared.changed.notify_all();
        if !done(result?)? {
            return Ok(());
        }
    }
}

/// Tells the workers to stop when the consumer leaves.
struct Stop<'s, 'p, 'a, T> {
    shared: &'s Shared<'p, 'a, T>,
}

impl<T> Drop for Stop<'_, '_, '_, T> {
    fn drop(&mut self) {
        lock(&self.shared.turns).stopped = true;
        self.shared.changed.notify_all();
    }
}

/// Wakes the consumer when a worker panics; the scope then passes the panic on.
struct StopOnPanic<'s, 'p, 'a, T> {
    shared: &'s Shared<'p, 'a, T>,
}

impl<T> Drop for StopOnPanic<'_, '_, '_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.shared.turns).stopped = true;
            self.shared.changed.notify_all();
        }
    }
}

/// Adds `base` to a game's number, in its origin and in the places of its diagnostics: for blocks that count from 1.
pub fn renumber(game: &mut Game, base: u64) {
    if base == 0 {
        return;
    }
    game.origin.number += base;
    for diagnostic in game.diagnostics.iter_mut() {
        if let Some(number) = &mut diagnostic.place.game {
            *number += base;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Want;
    use crate::error::Error;

    struct Numbers(u64, u64);
    struct One(u64, bool);

    impl Source<'static> for Numbers {
        fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
            if self.0 == self.1 {
                return Ok(None);
            }
            self.0 += 1;
            Ok(Some(Box::new(One(self.0, false))))
        }
    }

    impl Block for One {
        fn next(&mut self, _: Want, game: &mut Game) -> Result<bool> {
            game.origin.number = self.0;
            Ok(!std::mem::replace(&mut self.1, true))
        }
    }

    fn collect(jobs: usize, fail_at: u64, stop_at: u64) -> (Vec<u64>, bool) {
        let mut seen = Vec::new();
        let result = run(
            &mut Numbers(0, 100),
            jobs,
            || {
                let mut game = Game::default();
                move |block: &mut dyn Block| {
                    block.next(Want::ALL, &mut game)?;
                    if game.origin.number % 7 == 0 {
                        std::thread::yield_now();
                    }
                    if game.origin.number == fail_at {
                        return Err(Error::usage("asked for"));
                    }
                    Ok(game.origin.number)
                }
            },
            |number| {
                seen.push(number);
                Ok(number != stop_at)
            },
        );
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
            &mut Numbers(0, 10),
            2,
            || |_: &mut dyn Block| -> Result<()> { panic!("worker") },
            |()| Ok(true),
        );
    }
}
