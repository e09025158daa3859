//! Annotating games of a base with an engine, as a job: a journal keeps the results, so that the same request resumes where
//! it was stopped, or where the server was.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use tabiya::analyse::{AnalyseEvent, AnalyseOptions, ExistingEvaluations, analyse_in_place};
use tabiya::engine::driver::{EngineSpec, SearchLimits};
use tabiya_answers::server::{JobFoundAnswer, ServerJobAnswer};

use super::changes::changeable_base;
use super::clipboard::private_folder;
use super::engine::engine;
use super::selection::{SelectionParameters, nothing_else};
use super::work;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::library::LibraryChange;
use crate::{ServerState, limits};

/// Positions for each move where nothing is said.
const NODES: u64 = 200_000;

#[derive(Deserialize)]
pub(super) struct AnalyseRequest {
    /// If there are numbers, the query is ignored.
    #[serde(flatten)]
    games: SelectionParameters,
    engine: Option<String>,
    nodes: Option<u64>,
    /// Existing evaluations are replaced.
    #[serde(default)]
    redo: bool,
    #[serde(flatten, deserialize_with = "nothing_else")]
    _rest: (),
}

pub(super) async fn start(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(mut wished): Json<AnalyseRequest>,
) -> RouteResult<ServerJobAnswer> {
    if wished.games.has_numbers() {
        wished.games.query.clear();
    }
    work(&shared, move |shared| {
        let base = changeable_base(shared, &id)?;
        if base.format().edit.is_none() {
            return Err(Refusal::bad(
                &error_codes::NOT_CHANGEABLE,
                format!(
                    "games of the format {} cannot be changed; convert the database first",
                    base.format().title
                ),
            ));
        }
        let games = wished.games.of(shared, [base.clone()])?;
        let place = Arc::clone(&shared.engines)
            .try_acquire_owned()
            .map_err(|_| Refusal::busy())?;
        let spec = engine(wished.engine.as_deref())?;
        let nodes = wished
            .nodes
            .unwrap_or(NODES)
            .clamp(*limits::NODES.start(), *limits::NODES.end());
        let go = SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        };
        let journal = journal(shared, &id, &spec, nodes)?;
        let mut options = AnalyseOptions::new(spec, go);
        options.journal = journal;
        options.style.redo = wished.redo;
        if wished.redo {
            options.existing = ExistingEvaluations::Redo;
        }
        let what = format!("{} {:.200}", base.name(), wished.games.in_words());
        let (inner, name) = (shared.clone(), id.clone());
        let job = shared
            .jobs
            .start("analyse", &id, what.trim_end(), move |control| {
                let _place = place;
                let mut found = Vec::new();
                let report = analyse_in_place(&games, &options, control, &mut |event| {
                    if let AnalyseEvent::Game(game) = event
                        && found.len() < limits::FOUND
                    {
                        found.push(game.clone());
                    }
                })?;
                if report.ended.is_whole() {
                    let _ = inner.library.renew(&name, LibraryChange::Edited);
                }
                let answer = JobFoundAnswer::Analysis(Box::new(report.answer(&found)));
                Ok((report.ended, Some(answer)))
            });
        Ok(Json(job.ok_or_else(Refusal::busy)?.answer()))
    })
    .await
}

/// Where what was found is kept until it stands in the base.
fn journal(
    shared: &ServerState,
    base: &str,
    spec: &EngineSpec,
    nodes: u64,
) -> Result<Option<PathBuf>, Refusal> {
    let Some(data) = &shared.data else {
        return Ok(None);
    };
    let folder = data.join("analyses");
    private_folder(&folder)?;
    let mut hasher = DefaultHasher::new();
    (base, &spec.name, &spec.program, &spec.options, nodes).hash(&mut hasher);
    Ok(Some(
        folder.join(format!("{:016x}.journal", hasher.finish())),
    ))
}
