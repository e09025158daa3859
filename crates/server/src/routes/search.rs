//! Searches: hits come in lines while the search goes on, and are kept as a view for the pages of the list.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query as Parameters, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use tabiya::search::{Options, search as find};
use tabiya::{Base, sort::Order};
use tabiya_model::{Control, Want};
use tabiya_query::{Context, Query};

use super::games::{Page, row, rows_of};
use super::work;
use crate::answer::{Answer, Refusal};
use crate::stream::{Lines, lines};
use crate::views::{Hit, View};
use crate::{Shared, limits};

/// How often a search says how far it has come.
const TELL: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    query: String,
    #[serde(default)]
    sort: String,
}

pub(super) async fn search(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Parameters(asked): Parameters<Asked>,
) -> Result<Response, Refusal> {
    if asked.query.len() > limits::QUERY {
        return Err(Refusal::bad("the query is too long"));
    }
    let query = Query::parse(&asked.query, Context::default())
        .map_err(|error| Refusal::query(&asked.query, &error))?;
    let sort = match asked.sort.as_str() {
        "" => None,
        text => Some(text.parse::<Order>().map_err(Refusal::from)?),
    };
    let place =
        tokio::time::timeout(limits::PATIENCE, Arc::clone(&shared.work).acquire_owned()).await;
    let Ok(Ok(place)) = place else {
        return Err(Refusal::busy());
    };
    let base = {
        let shared = shared.clone();
        tokio::task::spawn_blocking(move || shared.library.get(&id))
            .await
            .unwrap_or_else(|_| Err(Refusal::busy()))?
    };
    let control = Control::default().with_time(limits::SEARCH);
    let (lines, response) = lines(&control);
    let (view_id, view) = shared.views.begin(base.clone());
    tokio::task::spawn_blocking(move || {
        if lines.send(&json!({"kind": "view", "view": view_id})) {
            run(&base, &query, sort, &view, &lines, &control);
        }
        drop(place);
    });
    Ok(response)
}

/// Searches to the end, or until nobody reads the lines any more.
fn run(
    base: &Base,
    query: &Query,
    sort: Option<Order>,
    view: &View,
    lines: &Lines,
    control: &Control,
) {
    let options = Options {
        sort,
        ..Options::default()
    };
    let mut told = Instant::now();
    let mut shown = 0;
    let mut waiting: Vec<Hit> = Vec::new();
    // The first hit is shown at once, the next ones in growing handfuls.
    let mut handful = 1;
    let found = find(
        std::slice::from_ref(base),
        query,
        &options,
        control,
        &mut |_, found| {
            let hit = Hit {
                number: found.hit.number,
                ply: found.hit.ply,
            };
            let count = view.push(hit);
            if shown + waiting.len() < limits::FIRST_ROWS {
                waiting.push(hit);
            }
            let mut open = true;
            if waiting.len() >= handful
                || (!waiting.is_empty() && shown + waiting.len() == limits::FIRST_ROWS)
            {
                shown += waiting.len();
                handful = (handful * 4).min(limits::FIRST_ROWS);
                open = send_rows(base, &mut waiting, lines, control);
            }
            if told.elapsed() >= TELL {
                told = Instant::now();
                open &= lines.send(&json!({
                    "kind": "found",
                    "found": count,
                    "asked": found.hit.number,
                    "total": base.database().and_then(|database| database.len().ok()),
                }));
            }
            Ok(if open {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        },
    );
    let line = match found {
        Ok(search) => {
            if !waiting.is_empty() && !send_rows(base, &mut waiting, lines, control) {
                return;
            }
            let notes: Vec<String> = search
                .bases
                .into_iter()
                .flat_map(|searched| searched.notes)
                .collect();
            json!({
                "kind": "done",
                "found": view.len(),
                "whole": search.ended.is_whole(),
                "notes": notes,
            })
        }
        Err(error) => json!({
            "kind": "done",
            "found": view.len(),
            "whole": false,
            "notes": [error.to_string()],
        }),
    };
    lines.send(&line);
}

fn send_rows(base: &Base, waiting: &mut Vec<Hit>, lines: &Lines, control: &Control) -> bool {
    match rows_of_hits(base, waiting, control) {
        Ok(rows) => {
            waiting.clear();
            lines.send(&json!({"kind": "rows", "rows": rows}))
        }
        Err(_) => false,
    }
}

/// The rows of hits, with the half-moves where the query holds.
fn rows_of_hits(base: &Base, hits: &[Hit], control: &Control) -> Result<Vec<Value>, Refusal> {
    if base.database().is_none() {
        return Err(Refusal::bad(
            "games of this base can be had only one after another",
        ));
    }
    let mut rows = Vec::with_capacity(hits.len());
    if base.finds_games() {
        let wanted: Vec<_> = hits.iter().map(|hit| hit.number..hit.number + 1).collect();
        rows = rows_of(base, &wanted, control)?;
    } else {
        for hit in hits {
            let game = base.read(hit.number, Want::TAGS)?;
            rows.push(row(&tabiya::list::Entry::of_game(&game, false)));
        }
    }
    for (row, hit) in rows.iter_mut().zip(hits) {
        if let Some(map) = row.as_object_mut() {
            map.insert("ply".into(), hit.ply.into());
        }
    }
    Ok(rows)
}

pub(super) async fn rows(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Parameters(page): Parameters<Page>,
) -> Answer {
    work(&shared, move |shared| {
        let view = shared
            .views
            .get(&id)
            .ok_or_else(|| Refusal::missing("this search is forgotten; search again"))?;
        let (from, count) = page.bounds();
        let control = Control::default().with_time(limits::SEARCH);
        let rows = rows_of_hits(&view.base, &view.page(from, count), &control)?;
        Ok(Json(
            json!({"total": view.len(), "from": from, "rows": rows}),
        ))
    })
    .await
}
