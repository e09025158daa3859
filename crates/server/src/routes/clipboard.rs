//! The clipboard base: games that are copied together from any base. It outlives the server.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tabiya::edit::{self, Change};
use tabiya::show::{Form, show};
use tabiya_formats::pgn::PgnStyle;
use tabiya_model::Control;

use super::slow_work;
use crate::answer::{Answer, Refusal};
use crate::{Shared, library, limits};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Copied {
    base: String,
    games: Vec<u64>,
}

fn may(shared: &Shared) -> Result<&Path, Refusal> {
    if shared.guard.read_only {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "the server was started with --read-only: nothing is changed",
        ));
    }
    shared.library.clipboard().ok_or_else(|| {
        Refusal::new(
            StatusCode::FORBIDDEN,
            "this machine has no folder where the clipboard could be kept",
        )
    })
}

/// Adds games of a base, in the order of their numbers.
pub(super) async fn add(
    State(shared): State<Shared>,
    Json(Copied { base, mut games }): Json<Copied>,
) -> Answer {
    games.sort_unstable();
    games.dedup();
    if games.is_empty() || games.len() > limits::EXPORT_GAMES {
        return Err(Refusal::bad("from one game to 5,000 can be copied at once"));
    }
    slow_work(&shared, move |shared| {
        let path = may(shared)?;
        let base = shared.library.get(&base)?;
        let folder = path.parent().ok_or_else(|| Refusal::bad("no folder"))?;
        private_folder(folder)?;
        let passing = tempfile::tempdir_in(folder);
        let passing = passing.map_err(|error| Refusal::of_file(folder, error))?;
        let copied = passing.path().join("copied.pgn");
        private_file(&copied, &text_of(&base, &games)?)?;
        // Two tabs that copy at once do so one after the other.
        let _turn = shared.library.turn();
        if path.exists() {
            let sources = shared.library.opener().open(&copied)?;
            let change = Change::Append(sources);
            edit::edit(shared.library.opener(), path, &change, &Control::default())?;
        } else {
            std::fs::rename(&copied, path).map_err(|error| Refusal::of_file(path, error))?;
        }
        let id = shared.library.show_clipboard(library::Change::Edited)?;
        Ok(Json(
            json!({"copied": games.len(), "base": shared.library.describe(&id)?}),
        ))
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

/// Makes a file of the app, which nobody else can read: what is in it may come from a base that nobody else can read.
fn private_file(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| Refusal::of_file(path, error))
}

/// Games as PGN text, which holds all that any format holds.
fn text_of(base: &tabiya::Base, games: &[u64]) -> Result<Vec<u8>, Refusal> {
    let wanted: Vec<_> = games.iter().map(|&n| n..n.saturating_add(1)).collect();
    let control = Control::default().with_time(limits::SEARCH);
    let mut text = Vec::new();
    let mut form = Form::pgn(PgnStyle::default());
    let mut count = 0;
    let shown = show(base, &wanted, &mut form, &control, |_, one| {
        count += 1;
        text.extend_from_slice(one);
        Ok(if text.len() <= limits::EXPORT {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    if text.len() > limits::EXPORT || !shown.ended.is_whole() {
        return Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "these games are too large to be copied at once",
        ));
    }
    if count < games.len() {
        return Err(Refusal::bad("some of these games are not in this database"));
    }
    Ok(text)
}

/// Empties it.
pub(super) async fn empty(State(shared): State<Shared>) -> Answer {
    slow_work(&shared, move |shared| {
        let path = may(shared)?;
        let _turn = shared.library.turn();
        let id = shared.library.show_clipboard(library::Change::Files)?;
        let games = shared
            .library
            .get(&id)?
            .database()
            .map_or(Ok(0), |base| base.len())?;
        if games > 0 {
            let all = 1..games.saturating_add(1);
            let change = Change::Delete(vec![all]);
            edit::edit(shared.library.opener(), path, &change, &Control::default())?;
        }
        let id = shared.library.show_clipboard(library::Change::Edited)?;
        shared.library.describe(&id).map(Json)
    })
    .await
}
