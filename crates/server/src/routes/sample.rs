//! A few games to begin with, as an ordinary database in the folder of the app's data.

use std::io::Write;

use axum::extract::State;
use axum::http::StatusCode;
use tabiya_answers::server::BaseAnswer;

use super::bases::described;
use super::clipboard::private_folder;
use super::slow_work;
use crate::ServerState;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;

/// The games.
const GAMES: &str = include_str!("sample.pgn");

/// Shows them; what the user has changed in them stays.
pub(super) async fn show(State(shared): State<ServerState>) -> RouteResult<Vec<BaseAnswer>> {
    slow_work(&shared, move |shared| {
        let folder = shared.data.as_ref().ok_or_else(|| {
            Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::NO_FOLDER,
                "this machine has no folder to keep the games in",
            )
        })?;
        private_folder(folder)?;
        let path = folder.join("sample.pgn");
        if !path.exists() {
            let failed = |error| Refusal::of_file(&path, error);
            let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
            file.write_all(GAMES.as_bytes()).map_err(failed)?;
            // Where another tab was faster, its file stays.
            let _ = file.persist_noclobber(&path);
        }
        let id = shared.library.show(&path)?;
        described(shared, &[id])
    })
    .await
}
