//! Work that goes on without the page that has asked for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tabiya_model::{Control, Ended, Result};

use crate::limits;

/// How a job stands.
#[derive(Clone, Debug)]
enum State {
    Running,
    Ended(Ended),
    Failed(String),
}

/// A job under way, or one that has ended.
pub(crate) struct Job {
    id: String,
    kind: &'static str,
    base: String,
    control: Control,
    state: Mutex<State>,
}

impl Job {
    fn state(&self) -> State {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn json(&self) -> Value {
        let progress = self.control.progress();
        let (state, message) = match self.state() {
            State::Running => ("running", None),
            State::Ended(Ended::Whole) => ("done", None),
            State::Ended(Ended::Stopped) => ("stopped", None),
            State::Failed(message) => ("failed", Some(message)),
        };
        json!({
            "id": self.id,
            "kind": self.kind,
            "base": self.base,
            "state": state,
            "games": progress.games,
            "total": progress.total,
            "message": message,
        })
    }

    pub(crate) fn stop(&self) {
        self.control.stop();
    }
}

/// The jobs of this run, the newest last.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<(u64, VecDeque<Arc<Job>>)>);

impl Jobs {
    fn lock(&self) -> std::sync::MutexGuard<'_, (u64, VecDeque<Arc<Job>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a job; the one under way where the same is asked for again. `None` where too many run.
    pub(crate) fn start(
        &self,
        kind: &'static str,
        base: &str,
        work: impl FnOnce(&Control) -> Result<Ended> + Send + 'static,
    ) -> Option<Arc<Job>> {
        let mut jobs = self.lock();
        let is_running = |job: &Arc<Job>| matches!(job.state(), State::Running);
        let same = |job: &&Arc<Job>| job.kind == kind && job.base == base && is_running(job);
        if let Some(job) = jobs.1.iter().find(same) {
            return Some(Arc::clone(job));
        }
        if jobs.1.iter().filter(|job| is_running(job)).count() >= limits::WORKERS {
            return None;
        }
        while jobs.1.len() >= limits::JOBS {
            let ended = jobs.1.iter().position(|job| !is_running(job))?;
            jobs.1.remove(ended);
        }
        jobs.0 += 1;
        let job = Arc::new(Job {
            id: format!("j{}", jobs.0),
            kind,
            base: base.to_owned(),
            control: Control::default(),
            state: Mutex::new(State::Running),
        });
        jobs.1.push_back(Arc::clone(&job));
        drop(jobs);
        let running = Arc::clone(&job);
        std::thread::spawn(move || {
            let state = match work(&running.control) {
                Ok(ended) => State::Ended(ended),
                Err(error) => State::Failed(error.to_string()),
            };
            *running.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        });
        Some(job)
    }

    pub(crate) fn all(&self) -> Vec<Arc<Job>> {
        self.lock().1.iter().cloned().collect()
    }

    /// Tells all of them to stop, because the server ends.
    pub(crate) fn stop_all(&self) {
        for job in self.all() {
            job.stop();
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<Job>> {
        self.lock().1.iter().find(|job| job.id == id).cloned()
    }
}
