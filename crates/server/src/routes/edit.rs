//! Annotating a game: sessions, their edits, and saving.

use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;
use tabiya::Base;
use tabiya::edit::{self, EditOperation, EditOptions, EditReport};
use tabiya::report::change_losses_answer;
use tabiya::show::GameFormat;
use tabiya_answers::server::{
    DiscardedAnswer, DraftAnswer, DraftDetailsAnswer, DraftsAnswer, SaveLossesAnswer,
};
use tabiya_model::diff::diff;
use tabiya_model::{Control, Error, Game, GameNeeds};

use super::changes::{LossPolicyParameter, changeable_base};
use super::work;
use crate::answer::{Refusal, RouteResult};
use crate::drafts::{DraftOutcome, DraftRequest, DraftSession, DraftSubject, DraftUpdate, hold};
use crate::error_codes;
use crate::library::LibraryChange;
use crate::{ServerState, limits};

fn session(shared: &ServerState, id: &str) -> Result<Arc<Mutex<DraftSession>>, Refusal> {
    let found = shared.drafts.get(id)?;
    found.ok_or_else(|| {
        Refusal::missing(
            &error_codes::NOT_ANNOTATED,
            "this game is no longer being annotated",
        )
    })
}

/// Games with changes that no base holds yet.
pub(super) async fn list(State(shared): State<ServerState>) -> RouteResult<DraftsAnswer> {
    work(&shared, |shared| {
        Ok(Json(DraftsAnswer {
            drafts: shared.drafts.list(),
        }))
    })
    .await
}

/// Begins to annotate a game, or goes on; number 0 is a new game.
pub(super) async fn begin(
    State(shared): State<ServerState>,
    Path((id, number)): Path<(String, u64)>,
) -> RouteResult<DraftAnswer> {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let game = match number {
            0 => Game::default(),
            number => base.read(number, GameNeeds::ALL)?,
        };
        let of = of(id, &base, number, &game);
        let begun = shared.drafts.begin(&of, game)?;
        let session = begun.ok_or_else(Refusal::busy)?;
        let told = hold(&session).answer(DraftUpdate::Game)?;
        Ok(Json(told))
    })
    .await
}

fn of(id: String, base: &Base, number: u64, game: &Game) -> DraftSubject {
    DraftSubject {
        base: id,
        name: base.name().to_owned(),
        path: base.path().to_owned(),
        number,
        title: edit::title(game).chars().take(200).collect(),
    }
}

pub(super) async fn one(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<DraftAnswer> {
    work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let told = hold(&session).answer(DraftUpdate::Game)?;
        Ok(Json(told))
    })
    .await
}

pub(super) async fn discard(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<DiscardedAnswer> {
    work(&shared, move |shared| match shared.drafts.discard(&id) {
        true => Ok(Json(DiscardedAnswer { discarded: id })),
        false => Err(Refusal::missing(
            &error_codes::NOT_ANNOTATED,
            "this game is no longer being annotated",
        )),
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct PositionParameter {
    #[serde(default)]
    at: usize,
}

/// What can be changed at a move.
pub(super) async fn here(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(PositionParameter { at }): Query<PositionParameter>,
) -> RouteResult<DraftDetailsAnswer> {
    work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let told = hold(&session).details_at(at)?;
        Ok(Json(told))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DraftRequests {
    /// The version that the page shows.
    version: u64,
    /// The edits since then, one after another.
    wishes: Vec<DraftRequest>,
}

pub(super) async fn wish(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(DraftRequests {
        version,
        mut wishes,
    }): Json<DraftRequests>,
) -> RouteResult<DraftAnswer> {
    if wishes.is_empty() || wishes.len() > limits::WISHES {
        return Err(Refusal::bad(
            &error_codes::TOO_MANY_AT_ONCE,
            "between 1 and 1,000 edits can be made at once",
        )
        .with("most", limits::WISHES));
    }
    if !wishes.iter().all(DraftRequest::is_sound) {
        return Err(Refusal::bad(
            &error_codes::BAD_PARAMETER,
            "`tab` must be a name of up to 40 letters and digits",
        ));
    }
    work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let mut session = hold(&session);
        match session.apply_requests(shared.drafts.folder(), version, &mut wishes) {
            DraftOutcome::Yes(count, telling) => {
                let mut told = session.answer(telling)?;
                told.granted = Some(count as u64);
                Ok(Json(told))
            }
            DraftOutcome::Outdated => Err(Refusal::new(
                StatusCode::CONFLICT,
                &error_codes::DRAFT_CHANGED,
                "this game was annotated in another tab in the meantime; its current state is shown",
            )),
            DraftOutcome::No(error) => Err(Refusal {
                status: StatusCode::UNPROCESSABLE_ENTITY,
                ..Refusal::from(Error::from(error))
            }),
        }
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveRequest {
    /// Another base than that of the game.
    base: Option<String>,
    /// As a new game.
    #[serde(default)]
    new: bool,
    #[serde(default)]
    lossy: LossPolicyParameter,
    /// Only report what would be lost.
    #[serde(default)]
    dry: bool,
}

pub(super) async fn save(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(saving): Json<SaveRequest>,
) -> Result<Response, Refusal> {
    work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let mut session = hold(&session);
        let target = saving
            .base
            .clone()
            .unwrap_or_else(|| session.of.base.clone());
        let is_new = saving.new || session.of.number == 0 || target != session.of.base;
        if shared.library.is_copy(&target) {
            return Err(Refusal::bad(
                &error_codes::COPY_NOT_CHANGED,
                "this database is a temporary copy of the server: save the game into another one",
            ));
        }
        let base = changeable_base(shared, &target)?;
        let options = EditOptions {
            lossy: saving.lossy.into(),
            dry_run: saving.dry,
            ..EditOptions::of_user()?
        };
        let done = match is_new {
            true => append(shared, &base, &session, &options),
            false => replace(shared, &base, &session, &options),
        };
        let done = done.map_err(|error| refusal(shared, &base, &session, is_new, error))?;
        if saving.dry {
            let losses = change_losses_answer(&done.losses);
            return Ok(Json(SaveLossesAnswer { losses }).into_response());
        }
        if is_new && done.added.is_empty() {
            return Err(Refusal::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                &error_codes::WOULD_LOSE,
                "this database cannot hold the game; nothing was changed",
            ));
        }
        let (base, version) = shared.library.changed(&target, LibraryChange::Edited)?;
        let number = match is_new {
            true => done.added.start,
            false => session.of.number,
        };
        // What is read now is what was written, where nobody has been at it since; else the next save asks whose it is.
        let held = base.read(number, GameNeeds::ALL);
        let is_ours = edit::state_of(&base).is_ok_and(|state| Some(state) == done.state);
        let held = match held {
            Ok(held) if is_ours || done.state.is_none() => held,
            _ => session.game(),
        };
        let of = of(target, &base, number, &held);
        session.is_saved(of, held, shared.drafts.folder());
        let mut told = session.answer(DraftUpdate::Nothing)?;
        told.notes = Some(done.notes);
        told.losses = Some(change_losses_answer(&done.losses));
        told.base_version = Some(version);
        Ok(Json(told).into_response())
    })
    .await
}

fn edit_base(
    shared: &ServerState,
    base: &Base,
    change: &EditOperation,
    options: &EditOptions,
) -> tabiya_model::Result<EditReport> {
    let control = Control::default();
    edit::edit_with(
        shared.library.opener(),
        base.path(),
        change,
        options,
        &control,
        &mut |_| {},
    )
}

fn replace(
    shared: &ServerState,
    base: &Base,
    session: &DraftSession,
    options: &EditOptions,
) -> tabiya_model::Result<EditReport> {
    let change = EditOperation::Replace {
        number: session.of.number,
        game: Box::new(session.game()),
        was: Some(Box::new(session.saved_game().clone())),
    };
    edit_base(shared, base, &change, options)
}

/// Adds the game at the end.
fn append(
    shared: &ServerState,
    base: &Base,
    session: &DraftSession,
    options: &EditOptions,
) -> tabiya_model::Result<EditReport> {
    edit_base(
        shared,
        base,
        &EditOperation::Add(vec![session.game()]),
        options,
    )
}

/// Why it was not saved, with what there is to choose.
fn refusal(
    shared: &ServerState,
    base: &Base,
    session: &DraftSession,
    is_new: bool,
    error: Error,
) -> Refusal {
    if edit::is_conflict(&error) {
        return conflict(base, session, error);
    }
    if *error.code == error_codes::WOULD_LOSE && base.format().edit.is_some() {
        let options = EditOptions {
            lossy: edit::LossPolicy::Drop,
            dry_run: true,
            ..EditOptions::default()
        };
        let tried = match is_new {
            true => append(shared, base, session, &options),
            false => replace(shared, base, session, &options),
        };
        if let Ok(tried) = tried {
            let mut refusal = Refusal::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                &error_codes::WOULD_LOSE,
                error.to_string(),
            );
            refusal.answer.losses = Some(change_losses_answer(&tried.losses));
            refusal.answer.comments = Some(base.format().capabilities.comments);
            return refusal;
        }
    }
    error.into()
}

/// Both games, with what is different in them from what they were.
fn conflict(base: &Base, session: &DraftSession, error: Error) -> Refusal {
    let theirs = match base
        .reopen()
        .and_then(|base| base.read(session.of.number, GameNeeds::ALL))
    {
        Ok(theirs) => theirs,
        Err(gone) => {
            return Refusal::new(
                StatusCode::CONFLICT,
                &error_codes::GAME_CHANGED,
                format!("{error}; {gone}"),
            );
        }
    };
    let mine = session.game();
    let told = |a: &Game, b: &Game| {
        let all = diff(a, b);
        let first = all.iter().take(limits::DIFFERENCES);
        Some(first.map(ToString::to_string).collect())
    };
    let mut refusal = Refusal::new(
        StatusCode::CONFLICT,
        &error_codes::GAME_CHANGED,
        error.to_string(),
    );
    refusal.answer.theirs = Some(json_of(&theirs));
    refusal.answer.mine_changed = told(session.saved_game(), &mine);
    refusal.answer.theirs_changed = told(session.saved_game(), &theirs);
    refusal.answer.between = told(&mine, &theirs);
    refusal
}

pub(super) fn json_of(game: &Game) -> Value {
    let mut text = Vec::new();
    GameFormat::json().write(game, &mut text);
    // A game that nests too deeply for a value is shown by what differs alone.
    serde_json::from_slice(&text).unwrap_or(Value::Null)
}

/// What the base holds now is what the next save may replace: the user has seen it.
pub(super) async fn accept(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<DraftAnswer> {
    work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let mut session = hold(&session);
        let base = shared.library.get(&session.of.base)?;
        let held = base.read(session.of.number, GameNeeds::ALL)?;
        session.accept(held, shared.drafts.folder());
        Ok(Json(session.answer(DraftUpdate::Nothing)?))
    })
    .await
}
