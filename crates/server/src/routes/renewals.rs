//! Renewing databases from the sites that they are fed from, at once or by a schedule.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use tabiya_answers::server::{JobFoundAnswer, ServerJobAnswer, SourcesAnswer};
use tokio::task::spawn_blocking;

use super::changes::changeable_base;
use super::work;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::jobs::ServerJob;
use crate::library::LibraryChange;
use crate::site_logins::no_program;
use crate::site_renewals::SiteAccount;
use crate::{ServerState, limits, site_renewals};

/// What a database is fed from.
pub(super) async fn sources(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<SourcesAnswer> {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let may_change = !shared.guard.read_only && changeable_base(shared, &id).is_ok();
        Ok(Json(shared.renewals.answer(base.path(), may_change)))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RenewalHours {
    /// The hours after which the database is renewed; 0 for never.
    hours: u64,
}

/// Sets how often a database is renewed.
pub(super) async fn schedule(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(asked): Json<RenewalHours>,
) -> RouteResult<SourcesAnswer> {
    if asked.hours > limits::RENEWAL_HOURS {
        return Err(Refusal::bad(
            &error_codes::BAD_PARAMETER,
            "a database can be renewed every 1 to 744 hours",
        ));
    }
    work(&shared, move |shared| {
        let base = changeable_base(shared, &id)?;
        if asked.hours > 0 && !shared.renewals.answer(base.path(), true).possible {
            return Err(nothing_to_renew(shared));
        }
        shared.renewals.set_hours(base.path(), asked.hours);
        Ok(Json(shared.renewals.answer(base.path(), true)))
    })
    .await
}

/// From what a database is renewed.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RenewalSource {
    /// One more account; without it, all sources that it has.
    account: Option<SiteAccount>,
}

/// Renews a database now.
pub(super) async fn renew(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    asked: Option<Json<RenewalSource>>,
) -> RouteResult<ServerJobAnswer> {
    let account = asked.and_then(|Json(asked)| asked.account);
    if account.as_ref().is_some_and(|account| !account.is_name()) {
        return Err(Refusal::bad(
            &error_codes::BAD_PARAMETER,
            "the name of an account has letters, digits, `_` and `-`",
        ));
    }
    work(&shared, move |shared| {
        begin(shared, &id, account).map(|job| Json(job.answer()))
    })
    .await
}

fn nothing_to_renew(shared: &ServerState) -> Refusal {
    match shared.renewals.program() {
        None => no_program(),
        Some(_) => Refusal::bad(
            &error_codes::NOTHING_FETCHED,
            "nothing has been fetched into this database yet: begin with `tabiya fetch`",
        ),
    }
}

/// Begins to renew a database from its sources, or from one more account.
fn begin(
    shared: &ServerState,
    id: &str,
    account: Option<SiteAccount>,
) -> Result<Arc<ServerJob>, Refusal> {
    let path = changeable_base(shared, id)?.path().to_owned();
    let program = shared.renewals.program().cloned();
    let program =
        program.filter(|_| account.is_some() || shared.renewals.answer(&path, true).possible);
    let program = program.ok_or_else(|| nothing_to_renew(shared))?;
    let (inner, name) = (shared.clone(), id.to_owned());
    let job = shared.jobs.start("renew", id, "", move |control| {
        let renewed = site_renewals::renew(&program, &path, account.as_ref(), control);
        let is_done = renewed.as_ref().is_ok_and(|(ended, found)| {
            ended.is_whole() && found.sources.iter().all(|one| one.error.is_none())
        });
        inner.renewals.ended(&path, is_done);
        let _ = inner.library.renew(&name, LibraryChange::Edited);
        let (ended, found) = renewed?;
        Ok((ended, Some(JobFoundAnswer::Renewal(Box::new(found)))))
    });
    job.ok_or_else(Refusal::busy)
}

/// Renews the open databases that have a schedule, as long as the server lives.
pub(crate) async fn watch(shared: ServerState) {
    if shared.guard.read_only || shared.renewals.program().is_none() {
        return;
    }
    loop {
        tokio::time::sleep(limits::RENEWAL_LOOK).await;
        let inner = shared.clone();
        let _ = spawn_blocking(move || {
            for id in inner.library.ids() {
                let path = inner.library.path_of(&id);
                if path.is_some_and(|path| inner.renewals.is_due(&path)) {
                    // One that cannot be renewed now is tried again.
                    let _ = begin(&inner, &id, None);
                }
            }
        })
        .await;
    }
}
