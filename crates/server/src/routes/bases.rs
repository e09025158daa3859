//! The library: databases, their indexes, their checks.

use std::path::PathBuf;

use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use serde::Deserialize;
use tabiya::engine::settings::usual_path;
use tabiya::info::info;
use tabiya::report::severity_answer;
use tabiya::{index, pages};
use tabiya_answers::server::{
    BaseAnswer, BasesAnswer, ClosedAnswer, FindingPageAnswer, FindingsAnswer, FolderAnswer,
    InvitationAnswer, PlacesAnswer, RecentBaseAnswer, ServerJobAnswer, YearsAnswer,
};

use super::changes::changeable_base;
use super::{long_work, quick_work, slow_work, work};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::host_names::RequestOrigin;
use crate::library::{self, LibraryChange};
use crate::user_settings::settings_file;
use crate::{ServerState, limits};

pub(super) async fn list(State(shared): State<ServerState>) -> RouteResult<BasesAnswer> {
    let read_only = shared.guard.read_only;
    work(&shared, move |shared| {
        let ids = shared.library.ids();
        let bases = ids
            .iter()
            .filter_map(|id| shared.library.describe_or_trouble(id));
        Ok(Json(BasesAnswer {
            bases: bases.collect(),
            read_only,
        }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenRequest {
    path: String,
    /// Of an encrypted archive; it is only kept in memory.
    #[serde(default)]
    password: Option<String>,
}

pub(super) async fn open(
    State(shared): State<ServerState>,
    Json(OpenRequest { path, password }): Json<OpenRequest>,
) -> RouteResult<Vec<BaseAnswer>> {
    let is_long = |password: &String| password.len() > limits::PASSWORD;
    if password.as_ref().is_some_and(is_long) {
        return Err(Refusal::bad(
            &error_codes::BAD_PASSWORD_TEXT,
            "the password is too long",
        ));
    }
    let inner = shared.clone();
    let key = (path.clone(), password.clone());
    let opened = shared.openings.wait(key, move |control| async move {
        slow_work(&inner, move |shared| {
            let library = &shared.library;
            let ids = library.open_path(&path, password.as_deref(), &control)?;
            described(shared, &ids).map(|Json(told)| told)
        })
        .await
    });
    opened.await.map(Json)
}

/// The years of the games of a base. Where nothing tells them without reading its games, these are read, unless they are very many.
pub(super) async fn years(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<YearsAnswer> {
    long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let told = info(&base, false, control)?;
        let is_small = told.games.is_some_and(|games| games <= limits::SURVEYED);
        let found = match told.overview {
            None if is_small => info(&base, true, control)?,
            _ => told,
        };
        let found = library::years(&found);
        shared.library.keep_years(&id, &found);
        Ok(Json(YearsAnswer { years: found }))
    })
    .await
}

/// Where everything lies that is set and remembered: it is shown and not set here.
pub(super) async fn places(State(shared): State<ServerState>) -> RouteResult<PlacesAnswer> {
    work(&shared, |shared| {
        let text = |path: Option<PathBuf>| path.map(|path| path.to_string_lossy().into_owned());
        let folders = shared.library.roots().iter();
        let folders = folders.map(|path| path.to_string_lossy().into_owned());
        Ok(Json(PlacesAnswer {
            settings: text(settings_file()),
            engines: text(usual_path()),
            data: text(shared.data.clone()),
            folders: folders.collect(),
        }))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct FolderParameters {
    /// The folder; those that the server was given without it.
    path: Option<String>,
}

/// What a folder holds for somebody who looks for a database.
pub(super) async fn folder(
    State(shared): State<ServerState>,
    Query(asked): Query<FolderParameters>,
) -> RouteResult<FolderAnswer> {
    quick_work(&shared, move |shared, control| {
        let path = asked.path.filter(|path| !path.trim().is_empty());
        shared.library.folder(path.as_deref(), control).map(Json)
    })
    .await
}

/// An address that lets one more browser in.
pub(super) async fn invite(
    State(shared): State<ServerState>,
    Extension(visit): Extension<RequestOrigin>,
) -> RouteResult<InvitationAnswer> {
    Ok(Json(InvitationAnswer {
        url: shared.guard.invite(&visit)?,
    }))
}

/// The databases that were opened last, whether they are open now or not.
pub(super) async fn recent(
    State(shared): State<ServerState>,
) -> RouteResult<Vec<RecentBaseAnswer>> {
    work(&shared, move |shared| {
        let library = &shared.library;
        let paths = library.recent.paths();
        let there = paths.iter().filter(|path| path.exists());
        let all = there.map(|path| RecentBaseAnswer {
            name: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            path: path.to_string_lossy().into_owned(),
            base: library.at(path),
        });
        Ok(Json(all.collect()))
    })
    .await
}

/// What is told of some databases.
pub(super) fn described(shared: &ServerState, ids: &[String]) -> RouteResult<Vec<BaseAnswer>> {
    let all = ids.iter().map(|id| shared.library.describe(id));
    all.collect::<Result<_, _>>().map(Json)
}

pub(super) async fn one(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<BaseAnswer> {
    work(&shared, move |shared| {
        shared.library.describe(&id).map(Json)
    })
    .await
}

/// Closes a database, which changes nothing on disk.
pub(super) async fn close(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<ClosedAnswer> {
    work(&shared, move |shared| {
        shared.library.close(&id)?;
        Ok(Json(ClosedAnswer { closed: id }))
    })
    .await
}

pub(super) async fn index(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<ServerJobAnswer> {
    let base = changeable_base(&shared, &id)?;
    index::path(&base)?;
    let inner = shared.clone();
    let name = id.clone();
    let job = shared.jobs.start("index", &id, "", move |control| {
        index::make(&base, false, control)?;
        let ended = control.completion();
        // The next answer is given with the index.
        let _ = inner.library.renew(&name, LibraryChange::Index);
        Ok((ended, None))
    });
    Ok(Json(job.ok_or_else(Refusal::busy)?.answer()))
}

pub(super) async fn check(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<FindingsAnswer> {
    long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let checked = tabiya::check::check(&base, limits::FINDINGS as u64, control)?;
        let counts = checked.diagnostics.counts();
        let all: u64 = counts.iter().map(|(_, number)| *number).sum();
        let findings: Vec<FindingPageAnswer> = checked
            .diagnostics
            .iter()
            .take(limits::FINDINGS)
            .map(|found| {
                let page = pages::find(found.code.name);
                FindingPageAnswer {
                    code: found.code.name,
                    severity: severity_answer(found.code.severity),
                    summary: found.code.summary,
                    place: found.place.to_string(),
                    message: found.message.clone(),
                    game: found.place.game,
                    ply: found.place.ply,
                    page: page.first().map(|page| page.text()),
                }
            })
            .collect();
        let more = all.saturating_sub(findings.len() as u64);
        Ok(Json(FindingsAnswer {
            findings,
            more,
            whole: checked.ended.is_whole(),
        }))
    })
    .await
}
