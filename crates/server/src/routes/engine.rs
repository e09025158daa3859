//! Live analysis of a position by an engine, line by line as long as somebody reads. The user's settings file defines the
//! engines; a page names one of them, and never a program.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use tabiya::engine::driver::{EngineSpec, EngineTimeouts, uci};
use tabiya::engine::engine_line::{EngineLine, EvaluationBound};
use tabiya::engine::live::{LiveCache, LiveEngines, LiveQuestion, LiveState, LiveUpdate};
use tabiya::engine::settings::EngineSettings;
use tabiya::explorer::ExploreLine;
use tabiya_answers::server::{
    EngineAnswer, EngineLineAnswer, EngineStateAnswer, EngineUpdateAnswer, EvaluationAnswer,
};
use tabiya_model::board::CastlingStyle;
use tabiya_model::command::Evaluation;
use tabiya_model::{Board, Control};

use super::work;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::stream::{LineSender, lines};
use crate::{ServerState, limits};

/// Plies of a line that are told.
const SHOWN: usize = 24;

/// Those of the settings; the usual one where there are none.
fn engines() -> Result<Vec<EngineSpec>, Refusal> {
    let settings = EngineSettings::read(None)
        .map_err(|error| Refusal::bad(&error_codes::BAD_SETTINGS_FILE, error.to_string()))?;
    if settings.engines.is_empty() {
        return Ok(settings.choose(None).into_iter().collect());
    }
    let names = settings.engines.iter().map(|spec| spec.name.as_str());
    Ok(names
        .filter_map(|name| settings.choose(Some(name)))
        .collect())
}

/// The engine of a name, which is one of the settings; the first of them without one.
pub(super) fn engine(name: Option<&str>) -> Result<EngineSpec, Refusal> {
    let mut all = engines()?.into_iter();
    let spec = match name.filter(|name| !name.is_empty()) {
        Some(name) => all.find(|spec| spec.name == *name),
        None => all.next(),
    };
    spec.ok_or_else(|| {
        Refusal::missing(&error_codes::NO_SUCH_ENGINE, "there is no such engine here: install one, such as Stockfish, or add it to engines.conf")
    })
}

/// The engines that there are, with their programs, which are shown and not set here.
pub(super) async fn list(State(shared): State<ServerState>) -> RouteResult<Vec<EngineAnswer>> {
    work(&shared, |_| {
        let all = engines()?;
        let all = all.iter().map(|spec| EngineAnswer {
            name: spec.name.clone(),
            program: spec.program.to_string_lossy().into_owned(),
            threads: limits::engine_threads() as u64,
            hash: limits::ENGINE_HASH,
        });
        Ok(Json(all.collect()))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct EngineRequest {
    fen: String,
    engine: Option<String>,
    lines: Option<u32>,
    /// Threads and megabytes, within bounds; else those of the settings file.
    threads: Option<usize>,
    hash: Option<u32>,
    #[serde(default)]
    threat: bool,
}

pub(super) async fn think(
    State(shared): State<ServerState>,
    Query(asked): Query<EngineRequest>,
) -> Result<Response, Refusal> {
    // An engine whose page asks anew, with other settings, ends a moment after that.
    let place = Arc::clone(&shared.engines).acquire_owned();
    let Ok(Ok(place)) = tokio::time::timeout(limits::ENGINE_PLACE, place).await else {
        return Err(Refusal::busy());
    };
    let (ask, spec) = work(&shared, move |_| {
        let line = ExploreLine::read(Some(&asked.fen), "")?;
        let count = asked.lines.unwrap_or(1).clamp(1, limits::ENGINE_LINES);
        let ask = match asked.threat {
            true => LiveQuestion::threat(line.start(), line.moves(), count),
            false => LiveQuestion::best(line.start(), line.moves(), count),
        };
        let ask =
            ask.map_err(|error| Refusal::bad(&error_codes::BAD_SETTINGS_FILE, error.to_string()))?;
        let mut spec = engine(asked.engine.as_deref())?;
        if let Some(threads) = asked.threads {
            let threads = threads.clamp(1, limits::engine_threads());
            spec = spec.with("Threads", &threads.to_string());
        }
        if let Some(hash) = asked.hash {
            spec = spec.with("Hash", &hash.clamp(1, limits::ENGINE_HASH).to_string());
        }
        Ok((ask, spec))
    })
    .await?;
    let control = Control::default().with_time(limits::ENGINE);
    let (lines, response) = lines(&control);
    std::thread::spawn(move || {
        listen(&ask, spec, &lines, &control);
        drop(place);
    });
    Ok(response)
}

/// Tells what comes, until it has ended or nobody reads any more. The engine goes with it.
fn listen(ask: &LiveQuestion, spec: EngineSpec, lines: &LineSender, control: &Control) {
    let (sender, updates) = channel();
    let sender = Mutex::new(sender);
    let live = LiveEngines::start(
        vec![spec],
        EngineTimeouts::default(),
        LiveCache::default(),
        move |update| {
            let sender = sender.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody has to listen.
            let _ = sender.send(update);
        },
    );
    live.show(ask);
    while !control.is_stopped() {
        match updates.recv_timeout(Duration::from_millis(50)) {
            Ok(update) => {
                let is_over = matches!(update.state, LiveState::Done | LiveState::Failed(_));
                if !lines.send(&told(ask.board(), &update)) || is_over {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

fn told(board: &Board, update: &LiveUpdate) -> EngineUpdateAnswer {
    let (state, message) = match &update.state {
        LiveState::Starting => (EngineStateAnswer::Starting, None),
        LiveState::Searching => (EngineStateAnswer::Searching, None),
        LiveState::Done => (EngineStateAnswer::Done, None),
        LiveState::Failed(why) => (EngineStateAnswer::Failed, Some(why.clone())),
    };
    EngineUpdateAnswer {
        engine: update.name.clone(),
        state,
        message,
        depth: update.depth(),
        nodes: update.nodes,
        speed: update.speed,
        lines: update.lines.iter().map(|info| line(board, info)).collect(),
    }
}

fn line(board: &Board, info: &EngineLine) -> EngineLineAnswer {
    let mut board = board.clone();
    let style = CastlingStyle::KingMoves;
    let first = info.line.first().map(|m| uci(&board, *m, style));
    let moves = info.line.iter().take(SHOWN).map(|m| {
        let mut san = Vec::new();
        board.play_san(*m, &mut san);
        String::from_utf8_lossy(&san).into_owned()
    });
    EngineLineAnswer {
        score: info.score.map(|score| match score {
            Evaluation::Centipawns(cp) => EvaluationAnswer::Pawns { cp },
            Evaluation::Mate(mate) => EvaluationAnswer::Mate { mate },
        }),
        exact: info.bound == EvaluationBound::Exact,
        depth: info.depth,
        moves: moves.collect(),
        first,
    }
}
