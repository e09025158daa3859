//! Jobs: which are running, and stopping them.

use axum::Json;
use axum::extract::{Path, State};
use tabiya_answers::server::{ServerJobAnswer, WorkProgressAnswer};

use crate::ServerState;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;

pub(super) async fn list(State(shared): State<ServerState>) -> Json<Vec<ServerJobAnswer>> {
    let jobs = shared.jobs.all();
    Json(jobs.iter().map(|job| job.answer()).collect())
}

/// How far a request of the same tab has come that is not answered yet. Nothing is done of one that waits for its place, that tells nothing,
/// or that has just been answered: a page that asks meanwhile is not at fault.
pub(super) async fn work(
    State(shared): State<ServerState>,
    Path(name): Path<String>,
) -> Json<WorkProgressAnswer> {
    let control = shared.progress.find(&name);
    let progress = control.map(|control| control.progress());
    Json(WorkProgressAnswer {
        games: progress.map_or(0, |progress| progress.games),
        done: progress.map_or(0, |progress| progress.done),
        total: progress.and_then(|progress| progress.total),
    })
}

pub(super) async fn stop(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<ServerJobAnswer> {
    let job = shared
        .jobs
        .get(&id)
        .ok_or_else(|| Refusal::missing(&error_codes::NO_SUCH_JOB, "there is no such job"))?;
    job.stop();
    Ok(Json(job.answer()))
}
