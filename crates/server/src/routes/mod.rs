//! The routes, by subject; `openapi.json` describes them.

mod analyse;
mod bases;
mod changes;
mod clipboard;
mod completion;
mod convert;
mod edit;
mod engine;
mod explore;
mod games;
mod jobs;
mod logins;
mod mcp;
mod multipart;
mod puzzles;
pub(crate) mod renewals;
mod repertoires;
mod request_body;
mod research;
mod sample;
mod search;
pub(crate) mod selection;
mod socket;
mod statistics;
mod training;
mod uploads;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Extension, Router, middleware};
use tabiya_mcp::McpServer;
use tabiya_model::Control;
use tokio::task::spawn_blocking;

pub(crate) use self::convert::place as target_place;
use crate::answer::Refusal;
use crate::error_codes;
use crate::work_slots::{WorkSlot, WorkSlots};
use crate::{ServerState, assets, guard, limits};

/// What the interface is, for programs and for the test that holds the routes to it.
pub(crate) const OPENAPI: &str = include_str!("openapi.json");

/// All routes behind the door.
pub(crate) fn router(shared: ServerState, tools: McpServer) -> Router {
    let api = Router::new()
        .route("/bases", get(bases::list).post(bases::open))
        .route("/recent", get(bases::recent))
        .route("/places", get(bases::places))
        .route("/folders", get(bases::folder))
        .route("/invitations", post(bases::invite))
        .route(
            "/login",
            get(logins::state).post(logins::begin).delete(logins::stop),
        )
        .route("/clipboard", post(clipboard::add).delete(clipboard::empty))
        .route("/bases/{base}", get(bases::one).delete(bases::close))
        .route("/bases/{base}/years", get(bases::years))
        .route("/bases/{base}/index", post(bases::index))
        .route("/bases/{base}/check", post(bases::check))
        .route("/bases/{base}/rows", get(games::rows))
        .route("/bases/{base}/games/{number}", get(games::game))
        .route("/bases/{base}/games/{number}/pgn", get(games::pgn))
        .route("/bases/{base}/pgn", post(games::several))
        .route("/bases/{base}/change", post(changes::change))
        .route("/bases/{base}/history", get(changes::history))
        .route(
            "/bases/{base}/games/{number}/versions",
            get(changes::versions),
        )
        .route("/bases/{base}/games/{number}/edit", post(edit::begin))
        .route("/new", post(changes::make))
        .route("/bases/{base}/statistics", get(statistics::base))
        .route("/bases/{base}/player", get(statistics::of_player))
        .route("/bases/{base}/mistakes", get(statistics::mistakes))
        .route("/bases/{base}/events", get(statistics::event))
        .route("/bases/{base}/doubles", get(research::duplicates))
        .route(
            "/bases/{base}/names",
            get(research::names).post(research::correct),
        )
        .route("/bases/{base}/novelties", get(research::novelties))
        .route("/bases/{base}/dossier", get(research::dossier))
        .route("/repertoires", post(repertoires::make))
        .route("/bases/{base}/repertoire", get(repertoires::tree))
        .route("/bases/{base}/repertoire/gaps", get(repertoires::gaps))
        .route(
            "/bases/{base}/repertoire/conflicts",
            get(repertoires::conflicts),
        )
        .route(
            "/bases/{base}/repertoire/coverage",
            get(repertoires::coverage),
        )
        .route("/bases/{base}/repertoire/check", get(repertoires::check))
        .route("/bases/{base}/repertoire/lines", post(repertoires::add))
        .route("/bases/{base}/repertoire/due", get(training::counts))
        .route("/bases/{base}/trainings", post(training::begin))
        .route("/trainings/{training}", get(training::one))
        .route("/trainings/{training}/answer", post(training::answer))
        .route("/trainings/{training}/skip", post(training::skip))
        .route("/bases/{base}/analyse", post(analyse::start))
        .route(
            "/bases/{base}/sources",
            get(renewals::sources).post(renewals::schedule),
        )
        .route("/bases/{base}/renew", post(renewals::renew))
        .route("/bases/{base}/complete", get(completion::names))
        .route("/bases/{base}/puzzles", post(puzzles::start))
        .route("/sample", post(sample::show))
        .route("/engines", get(engine::list))
        .route("/engine", get(engine::think))
        .route("/formats", get(convert::formats))
        .route("/conversions", post(convert::start))
        .route("/jobs/{job}/report", get(convert::report))
        .route("/jobs/{job}/files/{number}", get(convert::download))
        .route("/edits", get(edit::list))
        .route("/edits/{edit}", get(edit::one).delete(edit::discard))
        .route("/edits/{edit}/here", get(edit::here))
        .route("/edits/{edit}/save", post(edit::save))
        .route("/edits/{edit}/accept", post(edit::accept))
        .route("/bases/{base}/search", get(search::search))
        .route("/views/{view}/rows", get(search::rows))
        .route("/views/{view}/numbers", get(search::numbers))
        .route("/explore", get(explore::explore))
        .route("/live", get(socket::socket))
        .route("/works/{work}", get(jobs::work))
        .route("/jobs", get(jobs::list))
        .route("/jobs/{job}", delete(jobs::stop))
        .route("/openapi.json", get(openapi))
        .fallback(|| async {
            Refusal::missing(&error_codes::NO_SUCH_PAGE, "there is no such route")
        })
        .layer(middleware::from_fn_with_state(
            limits::BODY,
            request_body::whole,
        ));
    // These take more.
    let wishes = Router::new()
        .route("/edits/{edit}/wishes", post(edit::wish))
        .layer(middleware::from_fn_with_state(
            limits::WISH,
            request_body::whole,
        ))
        .layer(DefaultBodyLimit::max(limits::WISH));
    let uploads = Router::new()
        .route("/uploads", post(uploads::take))
        .layer(DefaultBodyLimit::disable());
    let api = api.merge(wishes).merge(uploads);
    let api = api.route_layer(middleware::from_fn_with_state(shared.clone(), writable));
    // The tools change nothing unless the server was started so that they may.
    let tools = Router::new()
        .route("/mcp", post(mcp::answer))
        .layer(middleware::from_fn_with_state(
            limits::BODY,
            request_body::whole,
        ))
        .layer(Extension(tools));
    Router::new()
        .nest("/api/v1", api)
        .merge(tools)
        .route("/assets/{file}", get(assets::file))
        .route("/lichess", get(explore::lichess))
        .route("/masters", get(explore::masters))
        .route("/player", get(explore::player))
        .route("/", get(assets::page))
        .route("/ui", get(assets::page))
        .route("/base/{*place}", get(assets::page))
        .fallback(|| async {
            Refusal::missing(&error_codes::NO_SUCH_PAGE, "there is no such page")
        })
        .layer(DefaultBodyLimit::max(limits::BODY))
        .layer(middleware::from_fn_with_state(
            shared.clone(),
            guard::check_request,
        ))
        .with_state(shared)
}

/// What is no `GET` and changes nothing all the same, and what decides for itself. Everything else is refused where nothing may be
/// changed: a route that is new is closed until it is named here.
const HARMLESS: [(Method, &str); 7] = [
    (Method::POST, "/api/v1/bases"),
    (Method::POST, "/api/v1/bases/{base}/check"),
    (Method::POST, "/api/v1/bases/{base}/pgn"),
    (Method::POST, "/api/v1/bases/{base}/puzzles"),
    // A copy for the browser alone is made all the same.
    (Method::POST, "/api/v1/conversions"),
    (Method::POST, "/api/v1/uploads"),
    (Method::DELETE, "/api/v1/jobs/{job}"),
];

/// Lets nothing through that changes something where nothing may be changed.
async fn writable(State(shared): State<ServerState>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("", MatchedPath::as_str);
    let method = request.method();
    let is_harmless = matches!(*method, Method::GET | Method::HEAD)
        || HARMLESS
            .iter()
            .any(|known| (&known.0, known.1) == (method, route));
    if shared.guard.read_only && !is_harmless {
        return Refusal::read_only().into();
    }
    next.run(request).await
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

/// Ends work when nobody waits for its answer any more.
struct CancelGuard(Control);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Does long work, as `work` does, and ends it with the connection of who has asked: a tab that is closed holds no place.
pub(crate) async fn long_work<T: Send + 'static>(
    shared: &ServerState,
    job: impl FnOnce(&ServerState, &Control) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    cancellable_work(shared, &shared.work, search_control(shared), job).await
}

/// The control of what reads many games.
pub(crate) fn search_control(shared: &ServerState) -> Control {
    Control::default()
        .with_time(limits::SEARCH)
        .with_steps(shared.steps)
        .with_threads(limits::search_threads())
}

/// Does what is answered soon, which waits for no search; it ends with the connection of who has asked.
pub(crate) async fn quick_work<T: Send + 'static>(
    shared: &ServerState,
    job: impl FnOnce(&ServerState, &Control) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let control = Control::default().with_time(limits::SEARCH);
    cancellable_work(shared, &shared.quick, control, job).await
}

/// Does work in a place of some, and ends it with the connection of who has asked.
pub(crate) async fn cancellable_work<T: Send + 'static>(
    shared: &ServerState,
    places: &WorkSlots,
    control: Control,
    job: impl FnOnce(&ServerState, &Control) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let waiting = CancelGuard(control.clone());
    let _told = shared.progress.tell(&control);
    let done = in_place(shared, places, move |shared| job(shared, &control)).await;
    drop(waiting);
    done
}

/// Waits for a place, for a while.
pub(crate) async fn place(places: &WorkSlots) -> Result<WorkSlot, Refusal> {
    let waited = tokio::time::timeout(limits::PATIENCE, places.acquire()).await;
    waited.ok().flatten().ok_or_else(Refusal::busy)
}

/// Does work that reads files and is done soon.
pub(crate) async fn work<T: Send + 'static>(
    shared: &ServerState,
    job: impl FnOnce(&ServerState) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    in_place(shared, &shared.quick, job).await
}

/// Does work that may take long and is done to its end, whoever waits for it: a change above all.
pub(crate) async fn slow_work<T: Send + 'static>(
    shared: &ServerState,
    job: impl FnOnce(&ServerState) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    in_place(shared, &shared.work, job).await
}

/// Does work on a thread of its own, when there is a place for it.
async fn in_place<T: Send + 'static>(
    shared: &ServerState,
    places: &WorkSlots,
    job: impl FnOnce(&ServerState) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let place = place(places).await?;
    let shared = shared.clone();
    spawn_blocking(move || {
        let done = job(&shared);
        drop(place);
        done
    })
    .await
    .unwrap_or_else(|error| {
        // Work that waits for its thread is not begun any more once the program ends.
        Err(match error.is_cancelled() {
            true => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                &tabiya_model::error_codes::INTERRUPTED,
                "the program is ending",
            ),
            false => Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                &tabiya_model::error_codes::INTERNAL,
                "an internal error of the program",
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::ServerConfig;

    #[test]
    fn long_work_ends_with_who_has_asked() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .expect("a runtime");
        let shared = ServerState::of_tests(&ServerConfig::default());
        let (began, begins) = mpsc::channel();
        let inner = shared.clone();
        let asking = runtime.spawn(async move {
            long_work(&inner, move |_, control| {
                began.send(()).expect("somebody waits");
                while !control.is_stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            })
            .await
        });
        begins.recv().expect("it has begun");
        assert_eq!(shared.work.free(), limits::ALL_WORKERS - 1);
        // The connection goes, and what was asked goes with it.
        asking.abort();
        while shared.work.free() < limits::ALL_WORKERS {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
