//! The explorer: for the app, and in the three shapes of the Lichess explorer for its clients.

use axum::Json;
use axum::extract::{Query as Parameters, State};
use serde::Deserialize;
use shakmaty::Color;
use tabiya::explorer::{
    self, ExploreFilter, ExploreLimits, ExploreLine, Explorer, LichessEndpoint,
};
use tabiya_answers::ExplorerAnswer;
use tabiya_model::Control;
use tabiya_model::time_class::TimeClass;
use tabiya_query::{Query, QueryContext};

use super::selection::SelectionParameters;
use super::{cancellable_work, search_control};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::{ServerState, limits};

/// The parameters of a request, in their order.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct ExploreParameters(Vec<(String, String)>);

impl ExploreParameters {
    fn get(&self, name: &str) -> Option<String> {
        self.all(name).next().map(str::to_owned)
    }

    fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        self.0
            .iter()
            .filter(move |(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str, otherwise: usize) -> usize {
        self.get(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(otherwise)
            .min(100)
    }
}

/// What the clients of Lichess ask of games besides what all routes take.
fn choice(parameters: &ExploreParameters) -> Result<(ExploreFilter, Option<Query>), Refusal> {
    let color = match parameters.get("color").as_deref() {
        None | Some("both") => None,
        Some("white") => Some(Color::White),
        Some("black") => Some(Color::Black),
        Some(_) => {
            return Err(Refusal::bad(
                &error_codes::BAD_PARAMETER,
                "color must be white or black",
            ));
        }
    };
    if let Some(variant) = parameters.get("variant")
        && !["standard", "fromPosition", "chess960"].contains(&variant.as_str())
    {
        return Err(Refusal::bad(
            &error_codes::BAD_PARAMETER,
            format!("there are no games of {variant} here"),
        ));
    }
    // Games of Chess960 have other starts, but may come to the same positions.
    let variant = parameters.get("variant").as_deref() == Some("chess960");
    let variant = variant.then(|| {
        r"tag[Variant]:/^\W*(chess\W*960|fischer?\W*random|freestyle|960|frc)/".to_owned()
    });
    // The clients of Lichess write dates with hyphens.
    let date = |name: &str| parameters.get(name).map(|date| date.replace('-', "."));
    let parts = [
        variant,
        parameters
            .get("speeds")
            .map(|of| speeds(&of))
            .transpose()?
            .flatten(),
        parameters
            .get("ratings")
            .map(|of| ratings(&of))
            .transpose()?,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let query = match parts.is_empty() {
        true => None,
        false => Some(format!("({})", parts.join(") ("))),
    };
    let query = query.map(|text| Query::parse(&text, QueryContext::default()));
    let filter = ExploreFilter {
        player: parameters.get("player"),
        color,
        elo: parameters.get("elo"),
        since: date("since"),
        until: date("until"),
        ..ExploreFilter::default()
    };
    let query = query.transpose();
    Ok((filter, query.map_err(|error| Refusal::query(&error))?))
}

/// The speeds of Lichess as a query; none where all of them are wanted. A game of which nothing says how fast it was, as in
/// most bases of games over the board, counts for any speed.
fn speeds(wanted: &str) -> Result<Option<String>, Refusal> {
    let mut known = Vec::new();
    for name in wanted.split(',') {
        let name = if name == "ultraBullet" {
            "bullet"
        } else {
            name
        };
        let speed = TimeClass::ALL
            .into_iter()
            .find(|speed| speed.name() == name);
        let speed = speed.ok_or_else(|| {
            Refusal::bad(
                &error_codes::BAD_PARAMETER,
                format!("{name} is not a speed"),
            )
        })?;
        if !known.contains(&speed) {
            known.push(speed);
        }
    }
    if known.len() == TimeClass::ALL.len() {
        return Ok(None);
    }
    let terms = known.iter().map(|speed| format!("speed:{}", speed.name()));
    let terms: Vec<String> = terms.chain(["speed:unknown".to_owned()]).collect();
    Ok(Some(terms.join(" or ")))
}

/// Where the groups of ratings of Lichess begin.
const GROUPS: [u32; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];

/// The groups of mean ratings of Lichess as a query.
fn ratings(wanted: &str) -> Result<String, Refusal> {
    let terms: Result<Vec<String>, Refusal> = wanted
        .split(',')
        .map(|group| {
            let from = group
                .parse()
                .ok()
                .map(|from| if from == 400 { 0 } else { from });
            let at = from.and_then(|from: u32| GROUPS.iter().position(|known| *known == from));
            let at = at.ok_or_else(|| {
                Refusal::bad(
                    &error_codes::BAD_PARAMETER,
                    format!("{group} is not a rating group"),
                )
            })?;
            let least = GROUPS.get(at).copied().unwrap_or(0);
            Ok(match GROUPS.get(at + 1) {
                Some(end) => format!("(average-elo>={least} average-elo<{end})"),
                None => format!("average-elo>={least}"),
            })
        })
        .collect();
    Ok(terms?.join(" or "))
}

/// Asks the bases that are named, or all.
fn ask(
    shared: &ServerState,
    parameters: &ExploreParameters,
    games: &SelectionParameters,
    shape: LichessEndpoint,
    most: ExploreLimits,
    control: &Control,
) -> RouteResult<ExplorerAnswer> {
    let mut ids: Vec<String> = parameters.all("base").map(str::to_owned).collect();
    let is_named = !ids.is_empty();
    if !is_named {
        ids = shared.library.ids();
    }
    // Of all that are open, one that cannot be read any more is told and left out.
    let mut notes = Vec::new();
    let mut bases = Vec::new();
    for id in &ids {
        match shared.library.get(id) {
            Ok(base) => bases.push(base),
            Err(refusal) if is_named => return Err(refusal),
            Err(refusal) => notes.push(refusal.answer.error),
        }
    }
    let is_short = !notes.is_empty();
    let fen = parameters.get("fen");
    // As in the Lichess explorer: `play` are moves by their squares.
    let moves = parameters
        .get("play")
        .map(|moves| moves.replace(',', " "))
        .unwrap_or_default();
    let line = ExploreLine::read(fen.as_deref(), &moves)?;
    let (filter, also) = choice(parameters)?;
    // A book is asked for its moves: its lines are no games.
    let (bases, books) = explorer::split_books(bases);
    let mut games = games.of(shared, bases)?;
    if let Some(query) = also {
        games = games.matching(query);
    }
    notes.extend(games.note());
    let explorer = Explorer::new(games, &filter, control)?;
    let found = explorer.ask(&line, control)?;
    let mut told = explorer::answer(&explorer, &line, &found, &most, shape)?;
    if !books.is_empty() {
        told.books = Some(explorer::ask_books(&books, line.board()));
    }
    let failed = explorer.failed();
    notes.extend(explorer.notes());
    notes.extend(failed.iter().map(|failure| failure.error.to_string()));
    told.whole &= failed.is_empty() && !is_short;
    notes.extend(control.reason());
    told.notes = Some(notes);
    Ok(Json(told))
}

/// What is asked, and of which games.
type ExploreRequest = (ExploreParameters, SelectionParameters);

async fn answer(
    shared: ServerState,
    (parameters, games): ExploreRequest,
    shape: LichessEndpoint,
    most: fn(&ExploreParameters) -> ExploreLimits,
) -> RouteResult<ExplorerAnswer> {
    let control = search_control(&shared).with_time(limits::EXPLORE);
    cancellable_work(
        &shared,
        &shared.explorers,
        control,
        move |shared, control| {
            let most = most(&parameters);
            ask(shared, &parameters, &games, shape, most, control)
        },
    )
    .await
}

pub(super) async fn explore(
    State(shared): State<ServerState>,
    Parameters(parameters): Parameters<ExploreParameters>,
    Parameters(games): Parameters<SelectionParameters>,
) -> RouteResult<ExplorerAnswer> {
    answer(
        shared,
        (parameters, games),
        LichessEndpoint::Lichess,
        |_| ExploreLimits {
            moves: 40,
            top: 8,
            recent: 8,
        },
    )
    .await
}

pub(super) async fn lichess(
    State(shared): State<ServerState>,
    Parameters(parameters): Parameters<ExploreParameters>,
    Parameters(games): Parameters<SelectionParameters>,
) -> RouteResult<ExplorerAnswer> {
    answer(
        shared,
        (parameters, games),
        LichessEndpoint::Lichess,
        |asked| ExploreLimits {
            moves: asked.number("moves", 12),
            top: asked.number("topGames", 4),
            recent: asked.number("recentGames", 4),
        },
    )
    .await
}

pub(super) async fn masters(
    State(shared): State<ServerState>,
    Parameters(parameters): Parameters<ExploreParameters>,
    Parameters(games): Parameters<SelectionParameters>,
) -> RouteResult<ExplorerAnswer> {
    answer(
        shared,
        (parameters, games),
        LichessEndpoint::Masters,
        |asked| ExploreLimits {
            moves: asked.number("moves", 12),
            top: asked.number("topGames", 15),
            recent: 0,
        },
    )
    .await
}

pub(super) async fn player(
    State(shared): State<ServerState>,
    Parameters(parameters): Parameters<ExploreParameters>,
    Parameters(games): Parameters<SelectionParameters>,
) -> RouteResult<ExplorerAnswer> {
    answer(
        shared,
        (parameters, games),
        LichessEndpoint::Player,
        |asked| ExploreLimits {
            moves: asked.number("moves", 12),
            top: 0,
            recent: asked.number("recentGames", 8),
        },
    )
    .await
}
