//! Work that goes on without the page that has requested it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tabiya::TemporaryFolder;
use tabiya_answers::server::{JobFoundAnswer, JobStateAnswer, RefusalAnswer, ServerJobAnswer};
use tabiya_model::{Control, JobCompletion, Result, error_codes};

use crate::answer::Refusal;
use crate::limits;

/// Files that a job has made for the browser; they go with it.
#[derive(Debug)]
pub(crate) struct JobFiles {
    _folder: Arc<TemporaryFolder>,
    all: Vec<PathBuf>,
}

impl JobFiles {
    /// Keeps a folder with some files.
    pub(crate) fn keep(folder: Arc<TemporaryFolder>, all: Vec<PathBuf>) -> Option<JobFiles> {
        (!all.is_empty()).then_some(JobFiles {
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
pub(crate) struct JobResult {
    ended: JobCompletion,
    pub(crate) report: Option<JobFoundAnswer>,
    pub(crate) files: Option<JobFiles>,
}

impl From<(JobCompletion, Option<JobFoundAnswer>)> for JobResult {
    fn from((ended, report): (JobCompletion, Option<JobFoundAnswer>)) -> JobResult {
        JobResult {
            ended,
            report,
            files: None,
        }
    }
}

/// How a job stands.
#[derive(Clone, Debug)]
enum JobState {
    Running,
    Ended(JobCompletion),
    Failed(Box<RefusalAnswer>),
}

/// A job under way, or one that has ended.
pub(crate) struct ServerJob {
    id: String,
    kind: &'static str,
    base: String,
    /// What it makes, where that is more than its kind says.
    what: String,
    control: Control,
    began: Instant,
    /// How long it took, when it has ended.
    took: OnceLock<Duration>,
    state: Mutex<JobState>,
    /// What it has found, when it has ended.
    report: Mutex<Option<JobFoundAnswer>>,
    files: OnceLock<JobFiles>,
}

impl ServerJob {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> JobState {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What it has found; nothing as long as it goes on, and where there is nothing to tell.
    pub(crate) fn report(&self) -> Option<JobFoundAnswer> {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.clone()
    }

    /// Where a file lies that it has made for the browser.
    pub(crate) fn file(&self, number: usize) -> Option<PathBuf> {
        self.files.get()?.all.get(number).cloned()
    }

    /// What is told of it.
    pub(crate) fn answer(&self) -> ServerJobAnswer {
        let progress = self.control.progress();
        let took = self
            .took
            .get()
            .copied()
            .unwrap_or_else(|| self.began.elapsed());
        let (state, message, refusal) = match self.state() {
            JobState::Running => (JobStateAnswer::Running, None, None),
            JobState::Ended(JobCompletion::Whole) => (JobStateAnswer::Done, None, None),
            JobState::Ended(_) => (JobStateAnswer::Stopped, self.control.reason(), None),
            JobState::Failed(refusal) => {
                let message = refusal.error.clone();
                (JobStateAnswer::Failed, Some(message), Some(refusal))
            }
        };
        ServerJobAnswer {
            id: self.id.clone(),
            kind: self.kind,
            base: self.base.clone(),
            what: self.what.clone(),
            state,
            games: progress.games,
            done: progress.done,
            total: progress.total,
            seconds: took.as_secs(),
            message,
            refusal,
        }
    }

    pub(crate) fn stop(&self) {
        self.control.stop();
    }
}

/// Whatever becomes of a job's thread, the job does not stay under way.
struct JobEndGuard(Arc<ServerJob>);

impl Drop for JobEndGuard {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, JobState::Running) {
            let refusal = Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                &error_codes::INTERNAL,
                "an internal error ended this job",
            );
            *state = JobState::Failed(refusal.answer);
        }
    }
}

/// The jobs of this run, the newest last.
#[derive(Default)]
pub(crate) struct ServerJobs(Mutex<(u64, VecDeque<Arc<ServerJob>>)>);

impl ServerJobs {
    fn lock(&self) -> std::sync::MutexGuard<'_, (u64, VecDeque<Arc<ServerJob>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a job; the one under way where the same is asked for again. `None` where too many run.
    pub(crate) fn start<F: Into<JobResult>>(
        &self,
        kind: &'static str,
        base: &str,
        what: &str,
        work: impl FnOnce(&Control) -> Result<F> + Send + 'static,
    ) -> Option<Arc<ServerJob>> {
        let mut jobs = self.lock();
        let is_running = |job: &Arc<ServerJob>| matches!(job.state(), JobState::Running);
        let same = |job: &&Arc<ServerJob>| {
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
        let job = Arc::new(ServerJob {
            id: format!("j{}", jobs.0),
            kind,
            base: base.to_owned(),
            what: what.to_owned(),
            control: Control::default(),
            began: Instant::now(),
            took: OnceLock::new(),
            state: Mutex::new(JobState::Running),
            report: Mutex::default(),
            files: OnceLock::new(),
        });
        jobs.1.push_back(Arc::clone(&job));
        drop(jobs);
        let ending = JobEndGuard(Arc::clone(&job));
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
                    JobState::Ended(found.ended)
                }
                Err(error) => JobState::Failed(Refusal::from(error).answer),
            };
            let _ = running.took.set(running.began.elapsed());
            *running.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        });
        Some(job)
    }

    pub(crate) fn all(&self) -> Vec<Arc<ServerJob>> {
        self.lock().1.iter().cloned().collect()
    }

    /// Whether one of them is under way.
    pub(crate) fn are_running(&self) -> bool {
        let is_running = |job: &Arc<ServerJob>| matches!(job.state(), JobState::Running);
        self.all().iter().any(is_running)
    }

    /// Tells all of them to stop, because the server ends.
    pub(crate) fn stop_all(&self) {
        for job in self.all() {
            job.stop();
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<ServerJob>> {
        self.lock().1.iter().find(|job| job.id == id).cloned()
    }
}
