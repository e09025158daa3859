//! Games: pages of the list in the order of their numbers, and single ones.

use std::ops::ControlFlow;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tabiya::Base;
use tabiya::list::{GameListRow, list};
use tabiya::numbers::GameNumbers;
use tabiya::show::{GameFormat, show};
use tabiya_answers::server::{GameRowsAnswer, ListRowAnswer};
use tabiya_formats::pgn::PgnStyle;
use tabiya_model::{Control, GameNeeds, JobCompletion};

use super::selection::rising;
use super::{long_work, quick_work};
use crate::answer::Refusal;
use crate::error_codes;
use crate::{ServerState, limits};

#[derive(Deserialize)]
pub(super) struct GamePageRequest {
    #[serde(default)]
    from: u64,
    #[serde(default = "some")]
    count: u64,
}

fn some() -> u64 {
    100
}

impl GamePageRequest {
    /// The place of the first row, from 0, and how many are wanted at most.
    pub(super) fn bounds(&self) -> (u64, u64) {
        (self.from, self.count.min(limits::ROWS))
    }

    /// The same where numbers alone are wanted.
    pub(super) fn numbers(&self) -> (u64, u64) {
        (self.from, self.count.min(limits::NUMBERS))
    }
}

/// A row as the page shows it.
fn row(entry: &GameListRow) -> ListRowAnswer {
    ListRowAnswer {
        number: entry.number,
        white: cut(&entry.white).to_owned(),
        black: cut(&entry.black).to_owned(),
        white_elo: entry.white_elo.parse().ok(),
        black_elo: entry.black_elo.parse().ok(),
        result: entry.result.as_pgn(),
        date: cut(&entry.date).to_owned(),
        event: cut(&entry.event).to_owned(),
        site: cut(&entry.site).to_owned(),
        round: cut(&entry.round).to_owned(),
        eco: cut(&entry.eco).to_owned(),
        deleted: entry.deleted,
        plies: entry.plies,
        ply: None,
    }
}

/// Letters of a text in a list.
const LONGEST_TEXT: usize = 200;

/// A text as long as a list can show it: names in hostile files are megabytes long.
fn cut(text: &str) -> &str {
    if text.len() <= LONGEST_TEXT {
        return text;
    }
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// The rows of some numbers, in their order, and whether these are all.
pub(super) fn rows_of(
    base: &Base,
    wanted: GameNumbers,
    control: &Control,
) -> Result<(Vec<ListRowAnswer>, JobCompletion), Refusal> {
    let mut rows = Vec::new();
    let listed = list(base, &wanted.into(), false, control, |entry| {
        rows.push(row(&entry));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((rows, listed.ended))
}

pub(super) async fn rows(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(page): Query<GamePageRequest>,
) -> Result<Response, Refusal> {
    let text = quick_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let (from, count) = page.bounds();
        if from == 0 {
            shared.library.used(&id);
        }
        let total = match base.database() {
            Some(database) => database.len()?,
            None => 0,
        };
        let first = from.saturating_add(1);
        let end = first.saturating_add(count).min(total.saturating_add(1));
        let (rows, ended) = rows_of(&base, (first..end).into(), control)?;
        let answer = GameRowsAnswer {
            total,
            from,
            rows,
            whole: ended.is_whole(),
        };
        Ok(answer.text())
    })
    .await?;
    Ok(of_kind("application/json", text))
}

/// An answer of a kind.
pub(super) fn of_kind(kind: &'static str, text: Vec<u8>) -> Response {
    let kind = HeaderValue::from_static(kind);
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn text(
    shared: ServerState,
    id: String,
    number: u64,
    mut form: GameFormat,
    kind: &'static str,
) -> Result<Response, Refusal> {
    let text = quick_work(&shared, move |shared, _| {
        let base = shared.library.get(&id)?;
        let game = base.read(number, GameNeeds::ALL)?;
        let mut text = Vec::new();
        form.write(&game, &mut text);
        Ok(text)
    })
    .await?;
    Ok(of_kind(kind, text))
}

pub(super) async fn game(
    State(shared): State<ServerState>,
    Path((id, number)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    text(shared, id, number, GameFormat::json(), "application/json").await
}

pub(super) async fn pgn(
    State(shared): State<ServerState>,
    Path((id, number)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    let form = GameFormat::pgn(PgnStyle::default());
    text(
        shared,
        id,
        number,
        form,
        "application/x-chess-pgn; charset=utf-8",
    )
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameNumbersRequest {
    games: Vec<u64>,
}

/// Several games as one text, in the order of their numbers.
pub(super) async fn several(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(GameNumbersRequest { games }): Json<GameNumbersRequest>,
) -> Result<Response, Refusal> {
    if games.is_empty() || games.len() > limits::EXPORT_GAMES {
        return Err(Refusal::bad(
            &error_codes::TOO_MANY_AT_ONCE,
            "between 1 and 5,000 games can be saved at once",
        )
        .with("most", limits::EXPORT_GAMES));
    }
    let text = long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let wanted = rising(games).into();
        let mut text = Vec::new();
        let mut form = GameFormat::pgn(PgnStyle::default());
        let mut whole = true;
        let shown = show(&base, &wanted, &mut form, control, |_, one| {
            whole = text.len() + one.len() <= limits::EXPORT;
            if !whole {
                return Ok(ControlFlow::Break(()));
            }
            text.extend_from_slice(one);
            Ok(ControlFlow::Continue(()))
        })?;
        if !whole || !shown.ended.is_whole() {
            return Err(Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                &error_codes::TOO_LARGE,
                "these games are too large to be saved at once",
            ));
        }
        Ok(text)
    })
    .await?;
    Ok(of_kind("application/x-chess-pgn; charset=utf-8", text))
}
