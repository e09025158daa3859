//! Annotating a game: sessions, their wishes, and saving.

use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tabiya::Base;
use tabiya::edit::{self, Change, Edited, Options};
use tabiya::show::Form;
use tabiya_model::diff::diff;
use tabiya_model::{Control, Error, ErrorKind, Game, Want};

use super::changes::{Keeping, losses};
use super::work;
use crate::answer::{Answer, Refusal};
use crate::drafts::{Granted, Of, Session, Telling, Wish, hold};
use crate::library::Change as Why;
use crate::{Shared, limits};

/// An answer that is JSON already.
fn ready(text: String) -> Response {
    (
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        text,
    )
        .into_response()
}

fn session(shared: &Shared, id: &str) -> Result<Arc<Mutex<Session>>, Refusal> {
    let found = shared.drafts.get(id)?;
    found.ok_or_else(|| Refusal::missing("this game is not annotated any more"))
}

/// Games with changes that no base holds yet.
pub(super) async fn list(State(shared): State<Shared>) -> Answer {
    work(&shared, |shared| {
        Ok(Json(json!({"drafts": shared.drafts.list()})))
    })
    .await
}

/// Begins to annotate a game, or goes on; number 0 is a new game.
pub(super) async fn begin(
    State(shared): State<Shared>,
    Path((id, number)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    if shared.guard.read_only {
        return Err(Refusal::read_only());
    }
    let text = work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let game = match number {
            0 => Game::default(),
            number => base.read(number, Want::ALL)?,
        };
        let of = of(id, &base, number, &game);
        let begun = shared.drafts.begin(&of, game)?;
        let session = begun.ok_or_else(Refusal::busy)?;
        let text = hold(&session).json(&Telling::Game);
        Ok(text)
    })
    .await?;
    Ok(ready(text))
}

fn of(id: String, base: &Base, number: u64, game: &Game) -> Of {
    Of {
        base: id,
        name: base.name().to_owned(),
        path: base.path().to_owned(),
        number,
        title: edit::title(game).chars().take(200).collect(),
    }
}

pub(super) async fn one(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let text = work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let text = hold(&session).json(&Telling::Game);
        Ok(text)
    })
    .await?;
    Ok(ready(text))
}

pub(super) async fn discard(State(shared): State<Shared>, Path(id): Path<String>) -> Answer {
    if shared.guard.read_only {
        return Err(Refusal::read_only());
    }
    work(&shared, move |shared| match shared.drafts.discard(&id) {
        true => Ok(Json(json!({"discarded": id}))),
        false => Err(Refusal::missing("this game is not annotated any more")),
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct At {
    #[serde(default)]
    at: usize,
}

/// What can be changed at a move.
pub(super) async fn here(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(At { at }): Query<At>,
) -> Answer {
    work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let told = hold(&session).here(at)?;
        Ok(Json(told))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wished {
    /// The move where it is wished, by its number in reading order; 0 is the start.
    at: usize,
    /// The version that the page shows.
    version: u64,
    wish: Wish,
}

pub(super) async fn wish(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Json(Wished { at, version, wish }): Json<Wished>,
) -> Result<Response, Refusal> {
    if shared.guard.read_only {
        return Err(Refusal::read_only());
    }
    let text = work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let mut session = hold(&session);
        match session.grant(shared.drafts.folder(), at, version, &wish) {
            Granted::Yes(telling) => Ok(session.json(&telling)),
            Granted::Outdated => Err(Refusal::new(
                StatusCode::CONFLICT,
                "this game was annotated in another tab meanwhile; it is shown as it is now",
            )),
            Granted::No(error) => Err(Refusal::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                error.to_string(),
            )),
        }
    })
    .await?;
    Ok(ready(text))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saving {
    /// Another base than the one that the game comes from.
    base: Option<String>,
    /// As a new game.
    #[serde(default)]
    new: bool,
    #[serde(default)]
    lossy: Keeping,
    /// It is only told what would be lost.
    #[serde(default)]
    dry: bool,
}

pub(super) async fn save(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Json(saving): Json<Saving>,
) -> Result<Response, Refusal> {
    if shared.guard.read_only {
        return Err(Refusal::read_only());
    }
    let text = work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let mut session = hold(&session);
        let target = saving
            .base
            .clone()
            .unwrap_or_else(|| session.of.base.clone());
        let is_new = saving.new || session.of.number == 0 || target != session.of.base;
        if shared.library.is_copy(&target) {
            return Err(Refusal::bad(
                "this database is a copy that goes with the server: save the game into another one",
            ));
        }
        let base = shared.library.get(&target)?;
        let options = Options {
            lossy: saving.lossy.into(),
            dry_run: saving.dry,
            ..Options::of_user()?
        };
        let done = match is_new {
            true => append(shared, &base, &session, &options),
            false => replace(shared, &base, &session, &options),
        };
        let done = done.map_err(|error| refusal(shared, &base, &session, is_new, error))?;
        if saving.dry {
            return Ok(json!({"losses": losses(&done.losses)}).to_string());
        }
        let base = shared.library.renew(&target, Why::Edited)?;
        let number = match (is_new, base.database()) {
            (true, Some(database)) => database.len()?,
            _ => session.of.number,
        };
        let held = base.read(number, Want::ALL)?;
        let of = of(target, &base, number, &held);
        session.is_saved(of, held, shared.drafts.folder());
        let mut text = session.json(&Telling::Nothing);
        text.pop();
        let notes = json!({"notes": done.notes, "losses": losses(&done.losses)}).to_string();
        text.push(',');
        text.push_str(notes.trim_start_matches('{'));
        Ok(text)
    })
    .await?;
    Ok(ready(text))
}

fn edit_base(
    shared: &Shared,
    base: &Base,
    change: &Change,
    options: &Options,
) -> tabiya_model::Result<Edited> {
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
    shared: &Shared,
    base: &Base,
    session: &Session,
    options: &Options,
) -> tabiya_model::Result<Edited> {
    let change = Change::Replace {
        number: session.of.number,
        game: Box::new(session.game()),
        was: Some(Box::new(session.was().clone())),
    };
    edit_base(shared, base, &change, options)
}

/// Adds the game at the end, by way of a text, which holds all that any format holds.
fn append(
    shared: &Shared,
    base: &Base,
    session: &Session,
    options: &Options,
) -> tabiya_model::Result<Edited> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("game.pgn");
    std::fs::write(&path, edit::text_of(&session.game()))?;
    let sources = shared.library.opener().open(&path)?;
    edit_base(shared, base, &Change::Append(sources), options)
}

/// Why it was not saved, with what there is to choose.
fn refusal(shared: &Shared, base: &Base, session: &Session, is_new: bool, error: Error) -> Refusal {
    if edit::is_conflict(&error) {
        return conflict(base, session, error);
    }
    if error.kind == ErrorKind::Unsupported && base.format().edit.is_some() {
        let options = Options {
            lossy: edit::Lossy::Drop,
            dry_run: true,
            ..Options::default()
        };
        let tried = match is_new {
            true => append(shared, base, session, &options),
            false => replace(shared, base, session, &options),
        };
        if let Ok(tried) = tried {
            return Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
                .with("losses", losses(&tried.losses))
                .with("comments", base.format().capabilities.comments.into());
        }
    }
    error.into()
}

/// Both games, with what is different in them from what they were.
fn conflict(base: &Base, session: &Session, error: Error) -> Refusal {
    let theirs = match base
        .reopen()
        .and_then(|base| base.read(session.of.number, Want::ALL))
    {
        Ok(theirs) => theirs,
        Err(gone) => return Refusal::new(StatusCode::CONFLICT, format!("{error}; {gone}")),
    };
    let mine = session.game();
    let told = |a: &Game, b: &Game| {
        let all = diff(a, b);
        let first = all.iter().take(limits::DIFFERENCES);
        Value::from(first.map(ToString::to_string).collect::<Vec<_>>())
    };
    Refusal::new(StatusCode::CONFLICT, error.to_string())
        .with("theirs", json_of(&theirs))
        .with("mineChanged", told(session.was(), &mine))
        .with("theirsChanged", told(session.was(), &theirs))
        .with("between", told(&mine, &theirs))
}

pub(super) fn json_of(game: &Game) -> Value {
    let mut text = Vec::new();
    Form::json().write(game, &mut text);
    // A game that nests too deeply for a value is shown by what differs alone.
    serde_json::from_slice(&text).unwrap_or(Value::Null)
}

/// What the base holds now is what the next save may replace: the user has seen it.
pub(super) async fn accept(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    if shared.guard.read_only {
        return Err(Refusal::read_only());
    }
    let text = work(&shared, move |shared| {
        let session = session(shared, &id)?;
        let mut session = hold(&session);
        let base = shared.library.get(&session.of.base)?;
        let held = base.read(session.of.number, Want::ALL)?;
        session.accept(held, shared.drafts.folder());
        Ok(session.json(&Telling::Nothing))
    })
    .await?;
    Ok(ready(text))
}
