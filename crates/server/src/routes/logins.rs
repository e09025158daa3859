//! Logging in at Lichess in the browser.

use axum::extract::State;
use axum::{Extension, Json};
use tabiya_answers::server::SiteLoginAnswer;

use super::work;
use crate::ServerState;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::host_names::RequestOrigin;

/// Begins a login; an earlier one ends.
pub(super) async fn begin(
    State(shared): State<ServerState>,
    Extension(visit): Extension<RequestOrigin>,
) -> RouteResult<SiteLoginAnswer> {
    if !visit.is_here() {
        return Err(Refusal::bad(
            &error_codes::LOGIN_ELSEWHERE,
            "log in on the machine where Tabiya runs: the site sends the browser back to that machine",
        ));
    }
    work(&shared, |shared| shared.logins.begin().map(Json)).await
}

/// How the login is.
pub(super) async fn state(State(shared): State<ServerState>) -> RouteResult<SiteLoginAnswer> {
    work(&shared, |shared| Ok(Json(shared.logins.state()))).await
}

/// Ends the login.
pub(super) async fn stop(State(shared): State<ServerState>) -> RouteResult<SiteLoginAnswer> {
    work(&shared, |shared| Ok(Json(shared.logins.stop()))).await
}
