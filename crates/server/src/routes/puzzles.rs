//! Puzzles from the games of a base, found by an engine as a job, to be solved on the page.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use tabiya::engine::tactics::PuzzleOptions;
use tabiya::tactics::{self, TacticsOptions, tactics};
use tabiya_answers::server::{JobFoundAnswer, PuzzlesAnswer, ServerJobAnswer};

use super::engine::engine;
use super::selection::{SelectionParameters, nothing_else};
use super::work;
use crate::answer::{Refusal, RouteResult};
use crate::{ServerState, limits};

#[derive(Deserialize)]
pub(super) struct PuzzlesRequest {
    #[serde(flatten)]
    games: SelectionParameters,
    engine: Option<String>,
    /// Positions of the first search; ten times as many to verify a solution.
    nodes: Option<u64>,
    /// It ends after this number of puzzles.
    first: Option<usize>,
    /// Only chances that the player missed.
    #[serde(default)]
    missed: bool,
    #[serde(flatten, deserialize_with = "nothing_else")]
    _rest: (),
}

/// Nothing on disk is changed by it: a server that changes nothing looks for puzzles too.
pub(super) async fn start(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(wished): Json<PuzzlesRequest>,
) -> RouteResult<ServerJobAnswer> {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let games = wished.games.of(shared, [base.clone()])?;
        let place = Arc::clone(&shared.engines)
            .try_acquire_owned()
            .map_err(|_| Refusal::busy())?;
        let mut options = TacticsOptions::new(engine(wished.engine.as_deref())?);
        let look = wished.nodes.unwrap_or(PuzzleOptions::default().look);
        let look = look.clamp(*limits::NODES.start(), *limits::NODES.end() / 10);
        options.missed = wished.missed;
        options.find = PuzzleOptions {
            look,
            verify: look * 10,
            ..PuzzleOptions::default()
        };
        let most = wished
            .first
            .unwrap_or(limits::PUZZLES)
            .clamp(1, limits::PUZZLES);
        let what = format!("{} {:.200}", base.name(), wished.games.in_words());
        let job = shared
            .jobs
            .start("puzzles", &id, what.trim_end(), move |control| {
                let _place = place;
                let mut found = Vec::new();
                let report = tactics(&games, &options, control, &mut |game, puzzles| {
                    for puzzle in puzzles {
                        if found.len() < most {
                            found.push(tactics::puzzle_answer(base.name(), game, puzzle));
                        }
                    }
                    Ok(found.len() < most)
                })?;
                let answer = PuzzlesAnswer {
                    engine: report.engine,
                    games: report.games,
                    failed: report.failed,
                    notes: report.notes,
                    whole: report.ended.is_whole() && found.len() < most,
                    puzzles: found,
                };
                Ok((
                    report.ended,
                    Some(JobFoundAnswer::Puzzles(Box::new(answer))),
                ))
            });
        Ok(Json(job.ok_or_else(Refusal::busy)?.answer()))
    })
    .await
}
