//! The routes, by subject; `openapi.json` describes them.

mod bases;
mod explore;
mod games;
mod jobs;
mod search;
mod uploads;

use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::{delete, get, post};
use axum::{Router, middleware};
use tokio::task::spawn_blocking;

use crate::answer::Refusal;
use crate::{Shared, assets, guard, limits};

/// What the interface is, for programs and for the test that holds the routes to it.
pub(crate) const OPENAPI: &str = include_str!("openapi.json");

/// All routes behind the door.
pub(crate) fn router(shared: Shared) -> Router {
    let api = Router::new()
        .route("/bases", get(bases::list).post(bases::open))
        .route("/bases/{base}", get(bases::one))
        .route("/bases/{base}/index", post(bases::index))
        .route("/bases/{base}/check", post(bases::check))
        .route("/bases/{base}/rows", get(games::rows))
        .route("/bases/{base}/games/{number}", get(games::game))
        .route("/bases/{base}/games/{number}/pgn", get(games::pgn))
        .route("/bases/{base}/pgn", post(games::several))
        .route("/bases/{base}/search", get(search::search))
        .route("/views/{view}/rows", get(search::rows))
        .route("/explore", get(explore::explore))
        .route("/jobs", get(jobs::list))
        .route("/jobs/{job}", delete(jobs::stop))
        .route(
            "/uploads",
            post(uploads::take).layer(DefaultBodyLimit::disable()),
        )
        .route("/openapi.json", get(openapi))
        .fallback(|| async { Refusal::missing("there is no such route") });
    Router::new()
        .nest("/api/v1", api)
        .route("/assets/{file}", get(assets::file))
        .route("/lichess", get(explore::lichess))
        .route("/masters", get(explore::masters))
        .route("/player", get(explore::player))
        .fallback(get(assets::page))
        .layer(DefaultBodyLimit::max(limits::BODY))
        .layer(middleware::from_fn_with_state(shared.clone(), guard::watch))
        .with_state(shared)
}

async fn openapi() -> impl IntoResponse {
    (
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        OPENAPI,
    )
}

/// Does work that reads files on a thread of its own, when there is a place for it.
pub(crate) async fn work<T: Send + 'static>(
    shared: &Shared,
    job: impl FnOnce(&Shared) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let places = std::sync::Arc::clone(&shared.work);
    let waited = tokio::time::timeout(limits::PATIENCE, places.acquire_owned()).await;
    let Ok(Ok(place)) = waited else {
        return Err(Refusal::busy());
    };
    let shared = shared.clone();
    spawn_blocking(move || {
        let done = job(&shared);
        drop(place);
        done
    })
    .await
    .unwrap_or_else(|_| {
        Err(Refusal::new(
            axum::http::StatusCode::INTERNAL_SERVER_ERROR,
            "this request met a fault of the program",
        ))
    })
}
