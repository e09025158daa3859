//! A small server: lists the games that a query finds, shows a game as PGN, and explores a position.
//!
//! ```sh
//! cargo run --example server -- games.si5
//! curl 'http://127.0.0.1:8080/games?query=player:Tal&first=20&offset=40'
//! curl http://127.0.0.1:8080/games/17
//! curl 'http://127.0.0.1:8080/explore?play=1.e4+c5'
//! ```
//!
//! It serves everybody who can reach it; `tabiya serve` has a token, limits and an app.

#![allow(clippy::print_stdout)] // A program prints, other than the library.

use std::env::args;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query as Parameters, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use tabiya::answers::Answer;
use tabiya::explorer::{
    ExploreFilter, ExploreLimits, ExploreLine, Explorer, LichessEndpoint, answer,
};
use tabiya::list::GameListRow;
use tabiya::model::{Control, Error, ErrorKind, GameNeeds, Result};
use tabiya::query::{Query, QueryContext};
use tabiya::search::{SearchOptions, search};
use tabiya::show::{GameFormat, show};
use tabiya::{Base, Selection};

/// A base is cheap to clone, and threads share it.
type Bases = Arc<Vec<Base>>;

#[derive(Deserialize)]
struct Page {
    query: Option<String>,
    first: Option<u64>,
    #[serde(default)]
    offset: u64,
}

#[derive(Deserialize)]
struct Position {
    fen: Option<String>,
    #[serde(default)]
    play: String,
}

/// Ends a job when the answer that wants it is dropped: its client has gone.
struct StopOnDrop(Control);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Runs a job beside the ones that answer, for ten seconds at most.
async fn run<T: Send + 'static>(
    job: impl FnOnce(&Control) -> Result<T> + Send + 'static,
) -> std::result::Result<T, Response> {
    let control = Control::default().with_time(Duration::from_secs(10));
    let _stop = StopOnDrop(control.clone());
    match tokio::task::spawn_blocking(move || job(&control)).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(refusal(&error)),
        Err(_) => Err(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
    }
}

/// Errors are data: a kind for the status, a code for programs, a sentence for people.
fn refusal(error: &Error) -> Response {
    let status = match error.kind {
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Usage => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, format!("{}: {error}\n", error.code.name)).into_response()
}

async fn games(
    State(bases): State<Bases>,
    Parameters(page): Parameters<Page>,
) -> std::result::Result<Response, Response> {
    let text = run(move |control| {
        let mut games = Selection::of(bases.to_vec());
        if let Some(text) = &page.query {
            games = games.matching(Query::parse(text, QueryContext::default())?);
        }
        let options = SearchOptions {
            keep: Some(GameNeeds::TAGS),
            first: Some(page.first.unwrap_or(50)),
            offset: page.offset,
            total: true,
            ..SearchOptions::default()
        };
        let mut lines = String::new();
        let found = search(&games, &options, control, &mut |base, found| {
            if let Some(game) = &found.game {
                let row = GameListRow::of_game(game, false);
                lines += &row.base_answer(games.bases[base].name()).json().to_string();
                lines.push('\n');
            }
            Ok(ControlFlow::Continue(()))
        })?;
        // What was broken off has no total, and says so.
        Ok(format!(
            "{lines}{{\"total\":{}}}\n",
            found.total.map_or("null".into(), |it| it.to_string())
        ))
    });
    Ok(text.await?.into_response())
}

async fn game(
    State(bases): State<Bases>,
    Path(number): Path<u64>,
) -> std::result::Result<Response, Response> {
    let text = run(move |control| {
        let mut text = String::new();
        let mut form = GameFormat::pgn(Default::default());
        let numbers = (number..number.saturating_add(1)).into();
        show(&bases[0], &numbers, &mut form, control, |_, pgn| {
            text += &String::from_utf8_lossy(pgn);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(text)
    });
    Ok(text.await?.into_response())
}

async fn explore(
    State(bases): State<Bases>,
    Parameters(position): Parameters<Position>,
) -> std::result::Result<Response, Response> {
    let json = run(move |control| {
        let games = Selection::of(bases.to_vec());
        let explorer = Explorer::new(games, &ExploreFilter::default(), control)?;
        let line = ExploreLine::read(position.fen.as_deref(), &position.play)?;
        let found = explorer.ask(&line, control)?;
        let limits = ExploreLimits {
            moves: 12,
            top: 4,
            recent: 4,
        };
        // The answer says by `whole` whether the ten seconds were enough.
        Ok(
            answer(&explorer, &line, &found, &limits, LichessEndpoint::Lichess)?
                .json()
                .to_string(),
        )
    });
    Ok(json.await?.into_response())
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let path = args().nth(1).ok_or("give a database")?;
    let bases: Bases = Arc::new(tabiya::open(path)?);
    let app = Router::new()
        .route("/games", get(games))
        .route("/games/{number}", get(game))
        .route("/explore", get(explore))
        .with_state(bases);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}
