//! Statistics: of a base or a search's result, of a player, of events. The library counts; this module shows.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tabiya::crosstable::{self, crosstable};
use tabiya::mistakes;
use tabiya::player::{self, player};
use tabiya::stats::{self, PlotFormat, stats};
use tabiya_answers::{GameNumbersAnswer, MistakeGamesAnswer, MistakePlaceAnswer, MistakesAnswer};
use tabiya_model::{Control, JobCompletion, csv_cells};

use super::long_work;
use super::selection::SelectionParameters;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::{ServerState, limits};

/// What an answer is wanted as.
#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum StatsFormat {
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
    file(
        "text/csv; charset=utf-8",
        csv_cells::guarded(text.as_bytes()),
    )
}

/// Refuses what is not whole, and says why.
pub(super) fn whole(ended: JobCompletion, control: &Control) -> Result<(), Refusal> {
    match ended {
        JobCompletion::Whole => Ok(()),
        JobCompletion::Stopped => Err(Refusal::busy()),
        JobCompletion::TimeOver | JobCompletion::StepsSpent => {
            let reason = control.reason().unwrap_or_default();
            Err(Refusal::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                &error_codes::BAD_PARAMETER,
                reason,
            ))
        }
    }
}

pub(super) fn text(value: Option<String>) -> Option<String> {
    value.filter(|text| !text.trim().is_empty())
}

#[derive(Deserialize)]
pub(super) struct StatsRequest {
    #[serde(default)]
    full: bool,
    #[serde(default)]
    form: StatsFormat,
}

pub(super) async fn base(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<StatsRequest>,
    Query(games): Query<SelectionParameters>,
) -> Result<Response, Refusal> {
    long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let options = stats::StatsOptions {
            full: asked.full,
            ..stats::StatsOptions::default()
        };
        let counts = stats(&games, &options, control)?;
        whole(counts.ended, control)?;
        Ok(match asked.form {
            StatsFormat::Json => Json(counts.answer()).into_response(),
            StatsFormat::Csv => csv(&counts.csv()),
            StatsFormat::Svg => file("image/svg+xml", counts.picture(PlotFormat::Svg)?),
            StatsFormat::Png => file("image/png", counts.picture(PlotFormat::Png)?),
        })
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct PlayerRequest {
    name: String,
    against: Option<String>,
    #[serde(default)]
    full: bool,
    #[serde(default)]
    form: StatsFormat,
}

pub(super) async fn of_player(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<PlayerRequest>,
    Query(games): Query<SelectionParameters>,
) -> Result<Response, Refusal> {
    long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let options = player::PlayerOptions {
            against: text(asked.against),
            full: asked.full,
            ..player::PlayerOptions::new(asked.name)
        };
        let answer = player(&games, &options, control)?;
        whole(answer.ended, control)?;
        Ok(match asked.form {
            StatsFormat::Csv => csv(&answer.csv()),
            _ => Json(answer.answer()).into_response(),
        })
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct MistakesRequest {
    name: String,
}

/// Leaves as many games as a query can name.
fn shorten(games: &mut MistakeGamesAnswer) {
    let MistakeGamesAnswer {
        moves,
        inaccuracies,
        mistakes,
        blunders,
        others,
    } = games;
    let all = [moves, inaccuracies, mistakes, blunders, others];
    all.into_iter().flatten().for_each(shorten_numbers);
}

fn shorten_numbers(games: &mut GameNumbersAnswer) {
    let Some(start) = games.numbers.get(..limits::QUERY_NUMBERS) else {
        return;
    };
    let end = start.rfind(',').unwrap_or(0);
    games.numbers.truncate(end);
    games.whole = false;
}

/// Where a player makes mistakes, with no more than some games for each row.
pub(super) async fn mistakes(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<MistakesRequest>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<MistakesAnswer> {
    long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let options = mistakes::MistakesOptions {
            name: asked.name,
            top: limits::MISTAKE_ROWS,
        };
        let found = mistakes::mistakes(&games, &options, control)?;
        whole(found.ended, control)?;
        let mut answer = found.answer();
        for row in answer.groups.iter_mut().flat_map(|group| &mut group.rows) {
            // The worst come first, so that they are among those that are shown.
            let weight = |place: &MistakePlaceAnswer| match &place.judgement[..] {
                "blunder" => 0,
                "mistake" => 1,
                _ => 2,
            };
            row.places.sort_by_key(weight);
            row.places.truncate(limits::FOUND);
            shorten(&mut row.in_games);
        }
        shorten(&mut answer.in_games);
        let evaluated = &mut answer.games_by_evaluations;
        for games in evaluated.with.iter_mut().chain(&mut evaluated.without) {
            shorten_numbers(games);
        }
        Ok(Json(answer))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct CrosstableRequest {
    /// The event of this game.
    game: Option<u64>,
    event: Option<String>,
    #[serde(default)]
    form: StatsFormat,
}

pub(super) async fn event(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<CrosstableRequest>,
    Query(games): Query<SelectionParameters>,
) -> Result<Response, Refusal> {
    long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let options = crosstable::CrosstableOptions {
            game: asked.game,
            event: text(asked.event),
            ..crosstable::CrosstableOptions::default()
        };
        let answer = crosstable(&games, &options, control)?;
        whole(answer.ended, control)?;
        Ok(match asked.form {
            StatsFormat::Csv => csv(&answer.csv()),
            _ => Json(answer.answer()).into_response(),
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_a_query_cannot_name_are_left_out() {
        let games = |count: u64| {
            let numbers: Vec<String> = (0..count)
                .map(|at| (100_000 + 2 * at).to_string())
                .collect();
            GameNumbersAnswer {
                base: "a.pgn".to_owned(),
                numbers: numbers.join(","),
                whole: true,
            }
        };
        let mut few = games(100);
        shorten_numbers(&mut few);
        assert_eq!((few.numbers.len(), few.whole), (699, true));
        let mut many = games(5_000);
        shorten_numbers(&mut many);
        assert!(!many.whole);
        assert!(many.numbers.len() <= limits::QUERY_NUMBERS);
        assert!(many.numbers.starts_with("100000,100002,"));
        let last = many.numbers.rsplit(',').next().expect("a number");
        assert_eq!(last.len(), 6);
    }
}
