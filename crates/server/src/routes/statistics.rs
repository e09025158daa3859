//! Statistics: of a base or a search's result, of a player, of events. The library counts; here it is shown.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tabiya::crosstable::{self, crosstable};
use tabiya::player::{self, player};
use tabiya::stats::{self, Picture, stats};
use tabiya_model::{Control, Ended, cells};

use super::long_work;
use crate::Shared;
use crate::answer::Refusal;

/// What an answer is wanted as.
#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum Form {
    #[default]
    Json,
    Csv,
    Svg,
    Png,
}

pub(super) fn file(kind: &'static str, bytes: Vec<u8>) -> Response {
    (
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind))],
        bytes,
    )
        .into_response()
}

/// Values that a spreadsheet is to open: no text of them is a formula.
fn csv(text: &str) -> Response {
    file("text/csv; charset=utf-8", cells::guarded(text.as_bytes()))
}

/// Refuses what is not whole, and says why.
pub(super) fn whole(ended: Ended, control: &Control) -> Result<(), Refusal> {
    match (ended.is_whole(), control.reason()) {
        (true, _) => Ok(()),
        (false, Some(reason)) => Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, reason)),
        (false, None) => Err(Refusal::busy()),
    }
}

pub(super) fn text(value: Option<String>) -> Option<String> {
    value.filter(|text| !text.trim().is_empty())
}

#[derive(Deserialize)]
pub(super) struct Counted {
    query: Option<String>,
    #[serde(default)]
    full: bool,
    #[serde(default)]
    form: Form,
}

pub(super) async fn base(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(asked): Query<Counted>,
) -> Result<Response, Refusal> {
    long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let options = stats::Options {
            query: text(asked.query),
            full: asked.full,
            ..stats::Options::default()
        };
        let counts = stats(&[base], &options, control)?;
        whole(counts.ended, control)?;
        Ok(match asked.form {
            Form::Json => Json(counts.json()).into_response(),
            Form::Csv => csv(&counts.csv()),
            Form::Svg => file("image/svg+xml", counts.picture(Picture::Svg)?),
            Form::Png => file("image/png", counts.picture(Picture::Png)?),
        })
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Played {
    name: String,
    against: Option<String>,
    query: Option<String>,
    #[serde(default)]
    form: Form,
}

pub(super) async fn of_player(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(asked): Query<Played>,
) -> Result<Response, Refusal> {
    long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let options = player::Options {
            against: text(asked.against),
            query: text(asked.query),
            ..player::Options::new(asked.name)
        };
        let answer = player(&[base], &options, control)?;
        whole(answer.ended, control)?;
        Ok(match asked.form {
            Form::Csv => csv(&answer.csv()),
            _ => Json(answer.json()).into_response(),
        })
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Event {
    /// The event of this game.
    game: Option<u64>,
    event: Option<String>,
    #[serde(default)]
    form: Form,
}

pub(super) async fn event(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(asked): Query<Event>,
) -> Result<Response, Refusal> {
    long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let options = crosstable::Options {
            game: asked.game,
            event: text(asked.event),
            ..crosstable::Options::default()
        };
        let answer = crosstable(&[base], &options, control)?;
        whole(answer.ended, control)?;
        Ok(match asked.form {
            Form::Csv => csv(&answer.csv()),
            _ => Json(answer.json()).into_response(),
        })
    })
    .await
}
