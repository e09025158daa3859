//! The library: databases, their indexes, their checks.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tabiya::{index, pages};
use tabiya_model::{Control, Ended, Severity};

use super::work;
use crate::answer::{Answer, Refusal};
use crate::{Shared, limits};

pub(super) async fn list(State(shared): State<Shared>) -> Answer {
    let read_only = shared.guard.read_only;
    work(&shared, move |shared| {
        let bases: Vec<Value> = shared
            .library
            .ids()
            .iter()
            .filter_map(|id| shared.library.describe(id).ok())
            .collect();
        Ok(Json(json!({"bases": bases, "readOnly": read_only})))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening {
    path: String,
}

pub(super) async fn open(
    State(shared): State<Shared>,
    Json(Opening { path }): Json<Opening>,
) -> Answer {
    work(&shared, move |shared| {
        let ids = shared.library.open_path(&path)?;
        described(shared, &ids)
    })
    .await
}

/// What is told of some databases.
pub(super) fn described(shared: &Shared, ids: &[String]) -> Answer {
    let all: Result<Vec<Value>, Refusal> =
        ids.iter().map(|id| shared.library.describe(id)).collect();
    Ok(Json(all?.into()))
}

pub(super) async fn one(State(shared): State<Shared>, Path(id): Path<String>) -> Answer {
    work(&shared, move |shared| {
        shared.library.describe(&id).map(Json)
    })
    .await
}

pub(super) async fn index(State(shared): State<Shared>, Path(id): Path<String>) -> Answer {
    if shared.guard.read_only {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "the server was started with --read-only: nothing is changed",
        ));
    }
    let base = shared.library.get(&id)?;
    index::path(&base)?;
    let inner = shared.clone();
    let name = id.clone();
    let job = shared.jobs.start("index", &id, move |control| {
        control.expect(base.database().and_then(|database| database.len().ok()));
        index::make(&base, false, control)?;
        let ended = control.ended();
        // The next answer is given with the index.
        let _ = inner.library.renew(&name);
        Ok(ended)
    });
    Ok(Json(job.ok_or_else(Refusal::busy)?.json()))
}

pub(super) async fn check(State(shared): State<Shared>, Path(id): Path<String>) -> Answer {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let control = Control::default().with_time(limits::SEARCH);
        let checked = tabiya::check::check(&base, limits::FINDINGS as u64, &control)?;
        let counts = checked.diagnostics.counts();
        let all: u64 = counts.iter().map(|(_, number)| *number).sum();
        let findings: Vec<Value> = checked
            .diagnostics
            .iter()
            .take(limits::FINDINGS)
            .map(|found| {
                let page = pages::find(found.code.name);
                json!({
                    "code": found.code.name,
                    "severity": match found.code.severity {
                        Severity::Note => "note",
                        Severity::Warning => "warning",
                        Severity::Damage => "damage",
                    },
                    "message": found.to_string(),
                    "game": found.place.game,
                    "ply": found.place.ply,
                    "page": page.first().map(|page| page.text()),
                })
            })
            .collect();
        let more = all.saturating_sub(findings.len() as u64);
        Ok(Json(json!({
            "findings": findings,
            "more": more,
            "whole": checked.ended == Ended::Whole,
        })))
    })
    .await
}
