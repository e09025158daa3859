//! Work on threads of its own: fast answers are returned at once, the rest goes on as a job that can be queried and stopped.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tabiya_answers::McpJobAnswer;
use tabiya_answers::server::JobStateAnswer;
use tabiya_model::Control;

use crate::error::McpRefusal;

/// Work under way at once, and what of it is long by its nature: others find a place beside it.
const RUNNING: usize = 8;
const LONG: usize = 3;
/// Jobs that are remembered.
const JOBS: usize = 64;
/// How often somebody who waits looks whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// What work comes to.
pub(crate) type ToolResult = Result<Value, McpRefusal>;

/// How a job is.
enum McpJobState {
    Running,
    Ended(ToolResult),
}

/// Work that was begun.
pub(crate) struct McpJob {
    id: String,
    pub(crate) tool: &'static str,
    is_long: bool,
    control: Control,
    began: Instant,
    /// When it was begun, for people.
    pub(crate) since: SystemTime,
    state: Mutex<(McpJobState, Option<Duration>)>,
    ended: Condvar,
}

impl McpJob {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn stop(&self) {
        self.control.stop();
    }

    pub(crate) fn was_stopped(&self) -> bool {
        self.control.is_stopped() && self.control.reason().is_none()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (McpJobState, Option<Duration>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_running(&self) -> bool {
        matches!(self.lock().0, McpJobState::Running)
    }

    /// What it has come to; nothing as long as it goes on.
    pub(crate) fn result(&self) -> Option<ToolResult> {
        match &self.lock().0 {
            McpJobState::Running => None,
            McpJobState::Ended(result) => Some(result.clone()),
        }
    }

    /// Waits for its end, no longer than is said or than the answer is wanted.
    pub(crate) fn wait(&self, most: Duration, asked: &Control) -> Option<ToolResult> {
        let end = Instant::now() + most;
        let mut state = self.lock();
        loop {
            if let McpJobState::Ended(result) = &state.0 {
                return Some(result.clone());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || asked.is_stopped() {
                return None;
            }
            state = self
                .ended
                .wait_timeout(state, left.min(LOOK))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn end(&self, result: ToolResult) {
        let mut state = self.lock();
        if matches!(state.0, McpJobState::Running) {
            *state = (McpJobState::Ended(result), Some(self.began.elapsed()));
        }
        self.ended.notify_all();
    }

    /// What is told of it.
    pub(crate) fn answer(&self) -> McpJobAnswer {
        let progress = self.control.progress();
        let state = self.lock();
        let (told, message) = match &state.0 {
            McpJobState::Running => (JobStateAnswer::Running, None),
            McpJobState::Ended(Ok(_)) if self.was_stopped() => (JobStateAnswer::Stopped, None),
            McpJobState::Ended(Ok(_)) => (JobStateAnswer::Done, self.control.reason()),
            McpJobState::Ended(Err(_)) if self.was_stopped() => (JobStateAnswer::Stopped, None),
            McpJobState::Ended(Err(refusal)) => {
                let why = refusal.json()["error"].as_str().map(str::to_owned);
                (JobStateAnswer::Failed, why)
            }
        };
        McpJobAnswer {
            id: self.id.clone(),
            tool: self.tool,
            state: told,
            games: progress.games,
            done: progress.done,
            total: progress.total,
            seconds: state.1.unwrap_or_else(|| self.began.elapsed()).as_secs(),
            message,
        }
    }
}

/// Whatever becomes of the thread of a job, it does not stay under way.
struct McpJobEndGuard(Arc<McpJob>);

impl Drop for McpJobEndGuard {
    fn drop(&mut self) {
        self.0.end(Err(McpRefusal::new(
            "fault",
            "an internal error of the program",
        )));
    }
}

/// Those of this run, the newest last.
#[derive(Default)]
pub(crate) struct McpJobs(Mutex<JobList>);

#[derive(Default)]
struct JobList {
    begun: u64,
    jobs: VecDeque<Arc<McpJob>>,
}

impl McpJobs {
    fn lock(&self) -> std::sync::MutexGuard<'_, JobList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins work on a thread of its own.
    pub(crate) fn start(
        &self,
        (tool, is_long): (&'static str, bool),
        control: Control,
        work: impl FnOnce(&Control) -> ToolResult + Send + 'static,
    ) -> Result<Arc<McpJob>, McpRefusal> {
        let mut list = self.lock();
        let running = || list.jobs.iter().filter(|job| job.is_running());
        let long = running().filter(|job| job.is_long).count();
        if running().count() >= RUNNING || (is_long && long >= LONG) {
            return Err(McpRefusal::busy());
        }
        while list.jobs.len() >= JOBS {
            let ended = list.jobs.iter().position(|job| !job.is_running());
            let Some(ended) = ended else {
                return Err(McpRefusal::busy());
            };
            list.jobs.remove(ended);
        }
        list.begun += 1;
        let job = Arc::new(McpJob {
            id: format!("j{}", list.begun),
            tool,
            is_long,
            control,
            began: Instant::now(),
            since: SystemTime::now(),
            state: Mutex::new((McpJobState::Running, None)),
            ended: Condvar::new(),
        });
        list.jobs.push_back(Arc::clone(&job));
        drop(list);
        let ending = McpJobEndGuard(Arc::clone(&job));
        let begun = std::thread::Builder::new().spawn(move || {
            let job = &ending.0;
            job.end(work(&job.control));
        });
        match begun {
            Ok(_) => Ok(job),
            Err(_) => Err(McpRefusal::busy()),
        }
    }

    /// Forgets a job whose answer was given at once.
    pub(crate) fn forget(&self, job: &Arc<McpJob>) {
        self.lock().jobs.retain(|known| !Arc::ptr_eq(known, job));
    }

    pub(crate) fn all(&self) -> Vec<Arc<McpJob>> {
        self.lock().jobs.iter().cloned().collect()
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<McpJob>> {
        self.lock().jobs.iter().find(|job| job.id == id).cloned()
    }

    pub(crate) fn are_running(&self) -> bool {
        self.lock().jobs.iter().any(|job| job.is_running())
    }

    /// Tells all of them to stop.
    pub(crate) fn stop_all(&self) {
        self.all().iter().for_each(|job| job.stop());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_goes_on_is_a_job_until_it_is_stopped() {
        let jobs = McpJobs::default();
        let job = jobs
            .start(("search", false), Control::default(), |control| {
                while !control.is_stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(json!({ "whole": false }))
            })
            .expect("a job");
        let asked = Control::default();
        assert!(job.wait(Duration::from_millis(1), &asked).is_none());
        assert_eq!(job.answer().state, JobStateAnswer::Running);
        assert_eq!(jobs.all().len(), 1);
        job.stop();
        while job.wait(Duration::from_secs(1), &asked).is_none() {}
        assert_eq!(job.answer().state, JobStateAnswer::Stopped);
        jobs.forget(&job);
        assert!(jobs.get("j1").is_none());
    }

    #[test]
    fn a_fault_ends_a_job() {
        let jobs = McpJobs::default();
        let job = jobs
            .start(("search", false), Control::default(), |_| panic!("a fault"))
            .expect("a job");
        let asked = Control::default();
        while job.wait(Duration::from_secs(1), &asked).is_none() {}
        assert_eq!(job.answer().state, JobStateAnswer::Failed);
    }

    #[test]
    fn no_more_than_so_many_run_at_once() {
        let jobs = McpJobs::default();
        let wait = |control: &Control| {
            while !control.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(Value::Null)
        };
        for _ in 0..RUNNING {
            jobs.start(("search", false), Control::default(), wait)
                .expect("a job");
        }
        let refused = jobs
            .start(("search", false), Control::default(), wait)
            .err();
        assert_eq!(refused.expect("refused").code(), "too-busy");
        jobs.stop_all();
    }

    #[test]
    fn what_is_long_leaves_room_for_the_rest() {
        let jobs = McpJobs::default();
        let wait = |control: &Control| {
            while !control.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(Value::Null)
        };
        for _ in 0..LONG {
            jobs.start(("analyse", true), Control::default(), wait)
                .expect("a job");
        }
        assert!(
            jobs.start(("analyse", true), Control::default(), wait)
                .is_err()
        );
        assert!(
            jobs.start(("search", false), Control::default(), wait)
                .is_ok()
        );
        jobs.stop_all();
    }
}
