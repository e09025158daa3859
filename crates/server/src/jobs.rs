//! Work that goes on without the page that has asked for it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tabiya::Temporary;
use tabiya_model::{Control, Ended, Result};

use crate::limits;

/// Files that a job has made for the browser; they go with it.
#[derive(Debug)]
pub(crate) struct Files {
    _folder: Arc<Temporary>,
    all: Vec<PathBuf>,
}

impl Files {
    /// Keeps a folder with some files.
    pub(crate) fn keep(folder: Arc<Temporary>, all: Vec<PathBuf>) -> Option<Files> {
        (!all.is_empty()).then_some(Files {
            _folder: folder,
            all,
        })
    }

    /// What they are called.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.all.iter().filter_map(|path| path.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }
}

/// What a job has found.
#[derive(Debug)]
pub(crate) struct Found {
    ended: Ended,
    pub(crate) report: Value,
    pub(crate) files: Option<Files>,
}

impl From<(Ended, Value)> for Found {
    fn from((ended, report): (Ended, Value)) -> Found {
        Found {
            ended,
            report,
            files: None,
        }
    }
}

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
    /// What it makes, where that is more than its kind says.
    what: String,
    control: Control,
    began: Instant,
    /// How long it took, when it has ended.
    took: OnceLock<Duration>,
    state: Mutex<State>,
    /// What it has found, when it has ended.
    report: Mutex<Value>,
    files: OnceLock<Files>,
}

impl Job {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> State {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What it has found; null as long as it goes on, and where there is nothing to tell.
    pub(crate) fn report(&self) -> Value {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.clone()
    }

    /// Where a file lies that it has made for the browser.
    pub(crate) fn file(&self, number: usize) -> Option<PathBuf> {
        self.files.get()?.all.get(number).cloned()
    }

    pub(crate) fn json(&self) -> Value {
        let progress = self.control.progress();
        let took = self
            .took
            .get()
            .copied()
            .unwrap_or_else(|| self.began.elapsed());
        let (state, message) = match self.state() {
            State::Running => ("running", None),
            State::Ended(Ended::Whole) => ("done", None),
            State::Ended(Ended::Stopped) => ("stopped", self.control.reason()),
            State::Failed(message) => ("failed", Some(message)),
        };
        json!({
            "id": self.id,
            "kind": self.kind,
            "base": self.base,
            "what": self.what,
            "state": state,
            "games": progress.games,
            "done": progress.done,
            "total": progress.total,
            "seconds": took.as_secs(),
            "message": message,
        })
    }

    pub(crate) fn stop(&self) {
        self.control.stop();
    }
}

/// Whatever becomes of a job's thread, the job does not stay under way.
struct Ending(Arc<Job>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Running) {
            *state = State::Failed("this job met a fault of the program".to_owned());
        }
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
    pub(crate) fn start<F: Into<Found>>(
        &self,
        kind: &'static str,
        base: &str,
        what: &str,
        work: impl FnOnce(&Control) -> Result<F> + Send + 'static,
    ) -> Option<Arc<Job>> {
        let mut jobs = self.lock();
        let is_running = |job: &Arc<Job>| matches!(job.state(), State::Running);
        let same = |job: &&Arc<Job>| {
            job.kind == kind && job.base == base && job.what == what && is_running(job)
        };
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
            what: what.to_owned(),
            control: Control::default(),
            began: Instant::now(),
            took: OnceLock::new(),
            state: Mutex::new(State::Running),
            report: Mutex::default(),
            files: OnceLock::new(),
        });
        jobs.1.push_back(Arc::clone(&job));
        drop(jobs);
        let ending = Ending(Arc::clone(&job));
        std::thread::spawn(move || {
            let running = &ending.0;
            let state = match work(&running.control).map(F::into) {
                Ok(found) => {
                    *running
                        .report
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = found.report;
                    if let Some(files) = found.files {
                        let _ = running.files.set(files);
                    }
                    State::Ended(found.ended)
                }
                Err(error) => State::Failed(error.to_string()),
            };
            let _ = running.took.set(running.began.elapsed());
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
