//! Jobs: what goes on, and stopping it.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::Value;

use crate::ServerState;
use crate::answer::{Refusal, RouteResult};

pub(super) async fn list(State(shared): State<ServerState>) -> Json<Value> {
    let jobs: Vec<Value> = shared.jobs.all().iter().map(|job| job.json()).collect();
    Json(jobs.into())
}

pub(super) async fn stop(State(shared): State<ServerState>, Path(id): Path<String>) -> RouteResult {
    let job = shared
        .jobs
        .get(&id)
        .ok_or_else(|| Refusal::missing("there is no such job"))?;
    job.stop();
    Ok(Json(job.json()))
}
