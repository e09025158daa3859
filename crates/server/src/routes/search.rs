//! Searches: hits are sent in lines while the search goes on, and kept as a view for the pages of the list.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query as Parameters, State};
use axum::response::Response;
use serde::Deserialize;
use tabiya::fact_sort::sorted_numbers;
use tabiya::game_order::GameOrder;
use tabiya::numbers::GameNumbers;
use tabiya::search::{SearchOptions, hint, search as find};
use tabiya::{Base, Selection};
use tabiya_answers::server::{
    GameRowsAnswer, ListRowAnswer, NumbersAnswer, SearchEndAnswer, SearchLineAnswer,
};
use tabiya_model::{Control, JobCompletion};

use super::games::{GamePageRequest, of_kind, rows_of};
use super::selection::SelectionParameters;
use super::{place, quick_work, search_control, work};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::search_views::{SearchView, ViewKey, ViewMatch};
use crate::stream::{LineSender, lines};
use crate::{ServerState, limits};

/// How often a search says how far it has come.
const TELL: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
pub(super) struct SearchRequest {
    #[serde(default)]
    sort: String,
}

pub(super) async fn search(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Parameters(asked): Parameters<SearchRequest>,
    Parameters(games): Parameters<SelectionParameters>,
) -> Result<Response, Refusal> {
    // What makes no sense is said before a place is waited for.
    let (games, mut chosen, state) = work(&shared, move |shared| {
        let chosen = games.of(shared, [])?;
        let state = games.names_repertoire().then(|| shared.library.state());
        Ok((games, chosen, state))
    })
    .await?;
    let sort = match asked.sort.as_str() {
        "" => None,
        text => Some(text.parse::<GameOrder>().map_err(Refusal::from)?),
    };
    let place = place(&shared.work).await?;
    let of = ViewKey {
        base: id.clone(),
        games,
        sort: asked.sort.clone(),
        state,
    };
    let base = {
        let shared = shared.clone();
        tokio::task::spawn_blocking(move || shared.library.get(&id))
            .await
            .unwrap_or_else(|_| Err(Refusal::busy()))?
    };
    let control = search_control(&shared);
    let (lines, response) = lines(&control);
    let (view_id, view) = shared.views.begin(base.clone(), of);
    chosen.bases.push(base.clone());
    tokio::task::spawn_blocking(move || {
        if lines.send(&SearchLineAnswer::View { view: view_id }) {
            let asked = SearchTask {
                base: &base,
                games: &chosen,
                is_shown_at_once: sort.is_none(),
                view: &view,
                lines: &lines,
                control: &control,
            };
            asked.run(sort);
        }
        drop(place);
    });
    Ok(response)
}

/// One search under way.
struct SearchTask<'a> {
    base: &'a Base,
    games: &'a Selection,
    /// Whether hits are sent as they are found: no order waits for all of them.
    is_shown_at_once: bool,
    view: &'a SearchView,
    lines: &'a LineSender,
    control: &'a Control,
}

impl SearchTask<'_> {
    /// Searches to the end, or until nobody reads the lines any more.
    fn run(&self, sort: Option<GameOrder>) {
        let answered = match self.view.notes() {
            Some(notes) => Ok((notes.to_vec(), true)),
            None => match &sort {
                Some(order) => self.sorted(order),
                None => self.found(None),
            },
        };
        // What came one after another was sent as it came.
        if self.view.notes().is_some() || sort.is_some() {
            let rows = self.view.page(0, limits::FIRST_ROWS as u64);
            if !self.send_rows(&rows) {
                return;
            }
        }
        let (mut notes, whole) = answered.unwrap_or_else(|error| (vec![error.answer.error], false));
        if !whole {
            notes.extend(self.control.reason());
        }
        if whole {
            self.view.finish(notes.clone());
        }
        self.lines.send(&SearchLineAnswer::Done(SearchEndAnswer {
            found: self.view.len() as u64,
            whole,
            notes,
        }));
    }

    /// Hits in an order: of facts alone where they tell it, else the search reads what it sorts by.
    fn sorted(&self, order: &GameOrder) -> Result<(Vec<String>, bool), Refusal> {
        if self.games.is_all() {
            return match sorted_numbers(self.base, order, None, self.control)? {
                Some(numbers) => {
                    let hit = |number| ViewMatch { number, ply: None };
                    self.view.fill(numbers.into_iter().map(hit).collect());
                    Ok((Vec::new(), true))
                }
                None => self.found(Some(order.clone())),
            };
        }
        // One game tells whether facts know the order at all.
        if sorted_numbers(self.base, order, Some(&[]), self.control)?.is_none() {
            return self.found(Some(order.clone()));
        }
        let said = self.found(None)?;
        let hits = self.view.page(0, u64::MAX);
        let numbers: Vec<u64> = hits.iter().map(|hit| hit.number).collect();
        let Some(ordered) = sorted_numbers(self.base, order, Some(&numbers), self.control)? else {
            return Ok((said.0, false));
        };
        // Hits come in the order of their numbers.
        let ply = |number: u64| {
            let at = hits.binary_search_by_key(&number, |hit| hit.number).ok()?;
            hits.get(at)?.ply
        };
        let hit = |number| ViewMatch {
            number,
            ply: ply(number),
        };
        self.view.fill(ordered.into_iter().map(hit).collect());
        Ok(said)
    }

    /// Searches; what is shown as it comes is sent. Says what is to be said, and whether all was looked at.
    fn found(&self, order: Option<GameOrder>) -> Result<(Vec<String>, bool), Refusal> {
        let is_shown = self.is_shown_at_once;
        let options = SearchOptions {
            sort: order,
            ..SearchOptions::default()
        };
        let mut told = Instant::now();
        let mut shown = 0;
        let mut waiting: Vec<ViewMatch> = Vec::new();
        // The first hit is shown at once, the next ones in growing handfuls.
        let mut handful = 1;
        let search = find(self.games, &options, self.control, &mut |_, found| {
            let hit = ViewMatch {
                number: found.hit.number,
                ply: found.hit.ply,
            };
            let count = self.view.push(hit);
            let mut open = true;
            if is_shown && shown + waiting.len() < limits::FIRST_ROWS {
                waiting.push(hit);
                if waiting.len() >= handful || shown + waiting.len() == limits::FIRST_ROWS {
                    shown += waiting.len();
                    handful = (handful * 4).min(limits::FIRST_ROWS);
                    open = self.send_rows(&waiting);
                    waiting.clear();
                }
            }
            if told.elapsed() >= TELL {
                told = Instant::now();
                let database = self.base.database();
                open &= self.lines.send(&SearchLineAnswer::Found {
                    found: count as u64,
                    asked: found.hit.number,
                    total: database.and_then(|database| database.len().ok()),
                });
            }
            Ok(if open {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        if !waiting.is_empty() {
            self.send_rows(&waiting);
        }
        let whole = search.ended.is_whole();
        let of_bases = search.bases.into_iter().flat_map(|searched| searched.notes);
        let mut notes: Vec<String> = self.games.note().into_iter().chain(of_bases).collect();
        if self.view.len() == 0 && whole {
            notes.extend(hint(self.games, self.control));
        }
        Ok((notes, whole))
    }

    fn send_rows(&self, hits: &[ViewMatch]) -> bool {
        match rows_of_hits(self.base, hits, self.control) {
            Ok((rows, _)) => self.lines.send(&SearchLineAnswer::Rows { rows }),
            Err(_) => false,
        }
    }
}

/// The rows of hits, with the plies where the query holds.
fn rows_of_hits(
    base: &Base,
    hits: &[ViewMatch],
    control: &Control,
) -> Result<(Vec<ListRowAnswer>, JobCompletion), Refusal> {
    if base.database().is_none() {
        return Err(Refusal::bad(
            &error_codes::ONE_AFTER_ANOTHER,
            "the games of this database can only be read in order",
        ));
    }
    let wanted: GameNumbers = hits.iter().map(|hit| hit.number).collect();
    let (mut rows, ended) = rows_of(base, wanted, control)?;
    for (row, hit) in rows.iter_mut().zip(hits) {
        row.ply = Some(hit.ply);
    }
    Ok((rows, ended))
}

/// The numbers of the games alone, for selections that are larger than what a page shows.
pub(super) async fn numbers(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Parameters(page): Parameters<GamePageRequest>,
) -> RouteResult<NumbersAnswer> {
    let view = shared.views.get(&id).ok_or_else(|| {
        Refusal::missing(
            &error_codes::SEARCH_FORGOTTEN,
            "this search has expired; search again",
        )
    })?;
    let (from, count) = page.numbers();
    let hits = view.page(from, count);
    Ok(Json(NumbersAnswer {
        total: view.len() as u64,
        from,
        numbers: hits.iter().map(|hit| hit.number).collect(),
    }))
}

pub(super) async fn rows(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Parameters(page): Parameters<GamePageRequest>,
) -> Result<Response, Refusal> {
    let text = quick_work(&shared, move |shared, control| {
        let view = shared.views.get(&id).ok_or_else(|| {
            Refusal::missing(
                &error_codes::SEARCH_FORGOTTEN,
                "this search has expired; search again",
            )
        })?;
        let (from, count) = page.bounds();
        let (rows, ended) = rows_of_hits(&view.base, &view.page(from, count), control)?;
        let answer = GameRowsAnswer {
            total: view.len() as u64,
            from,
            rows,
            whole: ended.is_whole(),
        };
        Ok(answer.text())
    })
    .await?;
    Ok(of_kind("application/json", text))
}
