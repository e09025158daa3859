//! The clipboard base: games that are copied together from any base. It is kept when the server ends.

use std::path::Path;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use tabiya::edit::{self, EditOperation, EditOptions, LossPolicy};
use tabiya::report::change_losses_answer;
use tabiya_answers::server::{BaseAnswer, CopyAnswer};
use tabiya_formats::format::WriteOptions;
use tabiya_model::{Control, Game, GameNeeds};

use super::slow_work;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::{ServerState, library, limits};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CopyRequest {
    base: String,
    games: Vec<u64>,
}

fn may(shared: &ServerState) -> Result<&Path, Refusal> {
    shared.library.clipboard().ok_or_else(|| {
        Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::NO_FOLDER,
            "this machine has no folder to keep the clipboard in",
        )
    })
}

/// Adds games of a base, in the order of their numbers.
pub(super) async fn add(
    State(shared): State<ServerState>,
    Json(CopyRequest { base, mut games }): Json<CopyRequest>,
) -> RouteResult<CopyAnswer> {
    games.sort_unstable();
    games.dedup();
    if games.is_empty() || games.len() > limits::EXPORT_GAMES {
        return Err(Refusal::bad(
            &error_codes::TOO_MANY_AT_ONCE,
            "between 1 and 5,000 games can be copied at once",
        )
        .with("most", limits::EXPORT_GAMES));
    }
    slow_work(&shared, move |shared| {
        let path = may(shared)?;
        let base = shared.library.get(&base)?;
        let folder = path
            .parent()
            .ok_or_else(|| Refusal::bad(&error_codes::NO_FOLDER, "no folder"))?;
        private_folder(folder)?;
        let copied = read(&base, &games)?;
        // Two tabs that copy at once do so one after the other.
        let _turn = shared.library.turn();
        if !path.exists() {
            edit::make(path, None, WriteOptions::default())?;
            close_to_others(path)?;
        }
        let options = EditOptions {
            lossy: LossPolicy::Drop,
            ..EditOptions::of_user()?
        };
        let control = Control::default();
        let done = edit::edit_with(
            shared.library.opener(),
            path,
            &EditOperation::Add(copied),
            &options,
            &control,
            &mut |_| {},
        )?;
        let id = shared
            .library
            .show_clipboard(library::LibraryChange::Edited)?;
        Ok(Json(CopyAnswer {
            copied: done.games,
            losses: change_losses_answer(&done.losses),
            base: shared.library.describe(&id)?,
        }))
    })
    .await
}

/// Makes a folder of the app where it is not there yet; others do not see into it.
pub(super) fn private_folder(folder: &Path) -> Result<(), Refusal> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    made.map_err(|error| Refusal::of_file(folder, error))
}

/// Lets nobody else read a file: what is put into it may come from a base that nobody else can read.
fn close_to_others(path: &Path) -> Result<(), Refusal> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        let closed = std::fs::set_permissions(path, mode);
        closed.map_err(|error| Refusal::of_file(path, error))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// The games of some numbers, as they are.
fn read(base: &tabiya::Base, games: &[u64]) -> Result<Vec<Game>, Refusal> {
    let control = Control::default().with_time(limits::SEARCH);
    let mut all = Vec::new();
    let mut size = 0;
    for &number in games {
        let game = base.read(number, GameNeeds::ALL)?;
        size += game.tape.len() * 4 + game.tape.texts().bytes();
        if size > limits::EXPORT || control.is_stopped() {
            return Err(Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                &error_codes::TOO_LARGE,
                "these games are too large to be copied at once",
            ));
        }
        all.push(game);
    }
    Ok(all)
}

/// Empties it.
pub(super) async fn empty(State(shared): State<ServerState>) -> RouteResult<BaseAnswer> {
    slow_work(&shared, move |shared| {
        let path = may(shared)?;
        let _turn = shared.library.turn();
        let id = shared
            .library
            .show_clipboard(library::LibraryChange::Files)?;
        let games = shared
            .library
            .get(&id)?
            .database()
            .map_or(Ok(0), |base| base.len())?;
        if games > 0 {
            let all = 1..games.saturating_add(1);
            let change = EditOperation::Delete(all.into());
            edit::edit(shared.library.opener(), path, &change, &Control::default())?;
        }
        let id = shared
            .library
            .show_clipboard(library::LibraryChange::Edited)?;
        shared.library.describe(&id).map(Json)
    })
    .await
}
