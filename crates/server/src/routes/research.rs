//! Searches through a whole base: duplicates, names in several spellings, novelties, the preparation report of a player.
//! The library finds; the page offers what to do.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::Deserialize;
use tabiya::dedupe::{self, dedupe};
use tabiya::edit::EditOptions;
use tabiya::names::spelling_file::{self, SpellingCorrection, SpellingFile, SpellingFileEntry};
use tabiya::names::{self, NamesCorrection, TABLES};
use tabiya::novelty;
use tabiya::{Selection, player};
use tabiya_answers::server::{
    DuplicatesAnswer, NameCorrectionsAnswer, NoveltiesAnswer, SpellingsAnswer,
};
use tabiya_model::Error;

use super::changes::changeable_base;
use super::selection::SelectionParameters;
use super::statistics::{file, text, whole};
use super::{long_work, slow_work};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::library::LibraryChange;
use crate::{ServerState, limits};

/// Pairs of games that are the same game, with the reasons and which of them stays.
pub(super) async fn duplicates(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<DuplicatesAnswer> {
    long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let options = dedupe::DedupeOptions::default();
        let mut pairs = Vec::new();
        let found = dedupe(&games, &options, control, &mut |pair| {
            pairs.push(pair.answer());
            Ok(match pairs.len() < limits::FOUND {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        whole(found.ended, control)?;
        Ok(Json(DuplicatesAnswer {
            games: found.games,
            count: found.pairs,
            whole: pairs.len() < limits::FOUND,
            pairs,
            damaged: found.damaged,
            notes: found.notes,
        }))
    })
    .await
}

/// Names that are written in several ways.
pub(super) async fn names(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<SpellingsAnswer> {
    long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let found = names::find(&games, &names::NamesOptions::default(), control)?;
        whole(found.ended, control)?;
        let groups = found.groups.iter().take(limits::FOUND);
        Ok(Json(SpellingsAnswer {
            names: found.names,
            damaged: found.damaged,
            count: found.groups.len() as u64,
            whole: found.groups.len() <= limits::FOUND,
            groups: groups.map(names::NamesCluster::answer).collect(),
            notes: games.note().into_iter().chain(found.notes).collect(),
        }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameCorrection {
    /// players, events, sites or rounds
    kind: String,
    /// The name that is kept.
    keep: String,
    /// Those that become it.
    variants: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamesCorrectionRequest {
    names: Vec<NameCorrection>,
    /// Only report what would be done.
    #[serde(default)]
    dry: bool,
}

/// Puts names right, as one change that can be undone.
pub(super) async fn correct(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(asked): Json<NamesCorrectionRequest>,
) -> RouteResult<NameCorrectionsAnswer> {
    let count: usize = asked.names.iter().map(|one| one.variants.len()).sum();
    if count == 0 || count > limits::NAMES {
        return Err(Refusal::bad(
            &error_codes::TOO_MANY_AT_ONCE,
            "between 1 and 2,000 names can be corrected at once",
        )
        .with("most", limits::NAMES));
    }
    // What has begun is done to its end: it is a change, and stops for no tab.
    slow_work(&shared, move |shared| {
        let base = changeable_base(shared, &id)?;
        let correcting = Arc::new(NamesCorrection::of(spelling(&asked.names)?));
        let options = EditOptions {
            dry_run: asked.dry,
            ..EditOptions::of_user()?
        };
        let control = tabiya_model::Control::default().with_time(limits::SEARCH);
        let done = names::in_place(
            shared.library.opener(),
            base.path(),
            Arc::clone(&correcting),
            &options,
            &mut |_| {},
            &control,
        )?;
        whole(done.ended, &control)?;
        if !asked.dry {
            shared.library.renew(&id, LibraryChange::Edited)?;
        }
        Ok(Json(NameCorrectionsAnswer {
            games: done.games,
            wish: done.wish,
            notes: done.notes,
            refused: done.refused,
            report: correcting.report().answer(),
            whole: done.ended.is_whole(),
        }))
    })
    .await
}

fn spelling(wanted: &[NameCorrection]) -> Result<SpellingFile, Refusal> {
    let mut corrected = Vec::with_capacity(wanted.len());
    for one in wanted {
        let table = TABLES.iter().find(|(name, _)| *name == one.kind);
        let (_, table) = table.ok_or_else(|| {
            Refusal::bad(
                &error_codes::BAD_PARAMETER,
                format!("there are no names of {:.40}", one.kind),
            )
        })?;
        let all = std::iter::once(&one.keep).chain(&one.variants);
        for name in all {
            // Else the line of a spelling file would mean something else.
            let is_plain = !name.trim().is_empty()
                && !name.contains(['\n', '\r', '#'])
                && !name.starts_with(['@', '%', '=', '>']);
            if !is_plain {
                return Err(Refusal::bad(
                    &error_codes::BAD_PARAMETER,
                    format!(
                        "{name:.80}: a name like this cannot be corrected here, only with `tabiya edit`"
                    ),
                ));
            }
        }
        corrected.push(SpellingFileEntry {
            table: *table,
            keep: &one.keep,
            spellings: one.variants.iter().map(plain).collect(),
        });
    }
    Ok(SpellingFile::parse(&spelling_file::text(&corrected))?)
}

fn plain(name: &String) -> SpellingCorrection<'_> {
    SpellingCorrection {
        name,
        remark: String::new(),
    }
}

#[derive(Deserialize)]
pub(super) struct NoveltyRequest {
    /// The base to compare the games with; by default, the base itself.
    reference: Option<String>,
}

/// Where games leave what was played before them, those that followed it longest first.
pub(super) async fn novelties(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<NoveltyRequest>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<NoveltiesAnswer> {
    long_work(&shared, move |shared, control| {
        let base = shared.library.get(&id)?;
        let reference = match text(asked.reference) {
            Some(id) => shared.library.get(&id)?,
            None => base.clone(),
        };
        let name = base.name().to_owned();
        let (games, reference) = (games.of(shared, [base])?, Selection::of([reference]));
        let (best, report) = novelty::deepest(&games, &reference, limits::FOUND, control)?;
        whole(report.ended, control)?;
        Ok(Json(NoveltiesAnswer {
            games: report.games,
            undated: report.undated,
            novelties: best.iter().map(|(_, one)| one.answer(&name)).collect(),
            notes: report.notes,
            whole: report.ended.is_whole(),
        }))
    })
    .await
}

#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum DossierFormat {
    #[default]
    Html,
    Markdown,
}

#[derive(Deserialize)]
pub(super) struct DossierRequest {
    name: String,
    #[serde(default)]
    form: DossierFormat,
}

/// The dossier of a player, as a file to be saved: it is never a page of this server.
pub(super) async fn dossier(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<DossierRequest>,
    Query(games): Query<SelectionParameters>,
) -> Result<Response, Refusal> {
    let (bytes, kind, name) = long_work(&shared, move |shared, control| {
        let games = games.of(shared, [shared.library.get(&id)?])?;
        let options = player::PlayerOptions::new(asked.name);
        let made = tabiya::dossier::dossier(&games, &options, control)?;
        whole(made.ended, control)?;
        if made.record.is_none() {
            return Err(Error::new(
                &error_codes::NOTHING_FOUND,
                format!("{}: no games found", options.name),
            )
            .into());
        }
        Ok(match asked.form {
            DossierFormat::Html => (made.html(), "text/html; charset=utf-8", "dossier.html"),
            DossierFormat::Markdown => (
                made.markdown(),
                "text/markdown; charset=utf-8",
                "dossier.md",
            ),
        })
    })
    .await?;
    let mut response = file(kind, bytes.into_bytes());
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response
            .headers_mut()
            .insert(header::CONTENT_DISPOSITION, value);
    }
    Ok(response)
}
