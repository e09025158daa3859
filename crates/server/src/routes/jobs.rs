//! Jobs: which are running, and stopping them.

use axum::Json;
use axum::extract::{Path, State};
use tabiya_answers::server::ServerJobAnswer;

use crate::ServerState;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;

pub(super) async fn list(State(shared): State<ServerState>) -> Json<Vec<ServerJobAnswer>> {
    let jobs = shared.jobs.all();
    Json(jobs.iter().map(|job| job.answer()).collect())
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
