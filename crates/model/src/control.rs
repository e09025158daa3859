//! What a caller may tell a long job while it runs, and the progress that the job reports back.
//!
//! One [`Control`] goes into every job that can take longer than a person's patience. Clones share the wish to stop and
//! the progress. Stopping is not an error: a job that is asked to stop ends soon, leaves nothing half-written, and
//! reports that it is not [`JobCompletion::Whole`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How a job ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum JobCompletion {
    /// The job did everything.
    #[default]
    Whole,
    /// Its caller stopped it: its answer is incomplete.
    Stopped,
    /// Its time limit was reached: its answer is incomplete.
    TimeOver,
    /// The request exceeded its step limit: its answer is incomplete. [`Control::reason`] names the game.
    StepsSpent,
}

impl JobCompletion {
    /// Whether the job did everything.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self == JobCompletion::Whole
    }

    /// Whole only if both are; otherwise the more specific of both reasons.
    #[must_use]
    pub fn and(self, other: JobCompletion) -> JobCompletion {
        self.max(other)
    }
}

/// The progress of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Games that are done.
    pub games: u64,
    /// Bytes of the sources, or other units of work, that are done.
    pub done: u64,
    /// The total, if known.
    pub total: Option<u64>,
}

#[derive(Debug)]
struct ControlState {
    stopped: AtomicBool,
    games: AtomicU64,
    done: AtomicU64,
    /// [`UNSAID`] if it was never set, [`UNKNOWN`] if it was set as impossible to know.
    total: AtomicU64,
    /// Why a job that exceeded its limit was ended.
    spent: OnceLock<String>,
}

const UNSAID: u64 = u64::MAX;
const UNKNOWN: u64 = u64::MAX - 1;

/// The default memory limit of a job.
const MEMORY: u64 = 256 << 20;
/// The default limit of steps that a query may take in one game: about ten seconds of processor time.
const STEPS: u64 = 1 << 32;

/// The control of a job: stop, deadline, progress, threads and memory.
#[derive(Clone, Debug)]
pub struct Control {
    shared: Arc<ControlState>,
    deadline: Option<Instant>,
    threads: usize,
    memory: u64,
    steps: u64,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            shared: Arc::new(ControlState {
                stopped: AtomicBool::new(false),
                games: AtomicU64::new(0),
                done: AtomicU64::new(0),
                total: AtomicU64::new(UNSAID),
                spent: OnceLock::new(),
            }),
            deadline: None,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            memory: MEMORY,
            steps: STEPS,
        }
    }
}

impl Control {
    /// With this number of threads; at least one.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Control {
        self.threads = threads.max(1);
        self
    }

    /// With this number of bytes for memory that grows with the work.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Control {
        self.memory = bytes;
        self
    }

    /// With this number of steps for each game. A step is a check of one position or one square.
    #[must_use]
    pub fn with_steps(mut self, steps: u64) -> Control {
        self.steps = steps;
        self
    }

    /// Stopped at the latest after this time from now.
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Control {
        let deadline = Instant::now().checked_add(time);
        self.deadline = match (self.deadline, deadline) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }

    /// Stops the job, and all that hold a clone.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
    }

    /// Stops the job because it exceeds its limits, with the reason as a sentence.
    pub fn exhaust(&self, reason: impl Into<String>) {
        let _ = self.shared.spent.set(reason.into());
        self.stop();
    }

    /// Why the job ended, if no caller stopped it: its budget is spent, or its time limit was reached.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        if let Some(spent) = self.shared.spent.get() {
            return Some(spent.clone());
        }
        let is_late = self.deadline.is_some_and(|end| Instant::now() >= end);
        let is_told = self.shared.stopped.load(Ordering::Relaxed);
        (is_late && !is_told).then(|| "the time limit was reached".to_owned())
    }

    /// Whether the job should stop. Cheap enough to check at every game.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Relaxed)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How a job ends that checks this now and has left nothing out unless it was stopped: the reason, if it is incomplete.
    #[must_use]
    pub fn completion(&self) -> JobCompletion {
        if self.shared.spent.get().is_some() {
            JobCompletion::StepsSpent
        } else if self.shared.stopped.load(Ordering::Relaxed) {
            JobCompletion::Stopped
        } else if self.is_stopped() {
            JobCompletion::TimeOver
        } else {
            JobCompletion::Whole
        }
    }

    /// The same for finished work whose completion is known.
    #[must_use]
    pub fn completion_of(&self, ended: JobCompletion) -> JobCompletion {
        match ended {
            JobCompletion::Whole => JobCompletion::Whole,
            part => part.and(self.completion()),
        }
    }

    /// The number of threads that the job may use.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The number of bytes that the job may use for memory that grows with its work.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The number of steps allowed for each game.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Sets the total amount of work.
    pub fn expect(&self, total: Option<u64>) {
        self.shared.total.store(
            total.map_or(UNKNOWN, |total| total.min(UNKNOWN - 1)),
            Ordering::Relaxed,
        );
    }

    /// Adds to the total amount of work; with `None` the total is unknown.
    pub fn expect_more(&self, more: Option<u64>) {
        let add = |known: u64| {
            Some(match (known, more) {
                (UNKNOWN, _) | (_, None) => UNKNOWN,
                (UNSAID, Some(more)) => more.min(UNKNOWN - 1),
                (known, Some(more)) => known.saturating_add(more).min(UNKNOWN - 1),
            })
        };
        // The closure always returns a value.
        let _ = self
            .shared
            .total
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Adds to the work done.
    pub fn advance(&self, games: u64, done: u64) {
        self.shared.games.fetch_add(games, Ordering::Relaxed);
        self.shared.done.fetch_add(done, Ordering::Relaxed);
    }

    /// The progress of the job.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let total = self.shared.total.load(Ordering::Relaxed);
        Progress {
            games: self.shared.games.load(Ordering::Relaxed),
            done: self.shared.done.load(Ordering::Relaxed),
            total: (total < UNKNOWN).then_some(total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_stop_and_progress() {
        let control = Control::default();
        let clone = control.clone();
        clone.expect(Some(10));
        clone.advance(2, 5);
        assert_eq!(
            control.progress(),
            Progress {
                games: 2,
                done: 5,
                total: Some(10)
            }
        );
        assert!(control.completion().is_whole());
        clone.stop();
        assert_eq!(control.completion(), JobCompletion::Stopped);
    }

    #[test]
    fn work_adds_up_until_somebody_cannot_say_how_much_it_is() {
        let control = Control::default();
        let total = || control.progress().total;
        assert_eq!(total(), None);
        control.expect_more(Some(3));
        control.expect_more(Some(4));
        assert_eq!(total(), Some(7));
        control.expect_more(None);
        control.expect_more(Some(4));
        assert_eq!(total(), None);
        control.expect(Some(9));
        assert_eq!(total(), Some(9));
    }

    #[test]
    fn a_budget_that_is_spent_is_a_reason_and_a_wish_is_none() {
        let control = Control::default();
        assert_eq!(control.reason(), None);
        control.stop();
        assert_eq!(control.reason(), None);
        let control = Control::default().with_time(Duration::ZERO);
        assert!(control.reason().is_some_and(|why| why.contains("time")));
        assert_eq!(control.completion(), JobCompletion::TimeOver);
        let part = control.completion_of(JobCompletion::Stopped);
        assert_eq!(part, JobCompletion::TimeOver);
        assert!(control.completion_of(JobCompletion::Whole).is_whole());
        control.stop();
        assert_eq!(control.completion(), JobCompletion::Stopped);
        let control = Control::default().with_steps(7);
        assert_eq!(control.clone().steps(), 7);
        control.clone().exhaust("too dear");
        control.exhaust("dearer");
        assert_eq!(control.completion(), JobCompletion::StepsSpent);
        assert_eq!(control.reason().as_deref(), Some("too dear"));
    }

    #[test]
    fn the_earlier_deadline_counts() {
        let control = Control::default().with_time(Duration::ZERO);
        assert!(control.is_stopped());
        let control = control.with_time(Duration::from_secs(3600));
        assert!(control.is_stopped());
        assert!(
            !Control::default()
                .with_time(Duration::from_secs(3600))
                .is_stopped()
        );
    }
}
