//! Changes of whole databases, and their history.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use tabiya::edit::{self, EditAction, EditOperation, EditOptions, LossPolicy};
use tabiya::history::GameVersionContent;
use tabiya::report::change_losses_answer;
use tabiya::{Base, Target};
use tabiya_answers::server::{
    BaseAnswer, ChangeActionAnswer, ChangeAnswer, ChangeStepAnswer, GameVersionAnswer,
    GameVersionKindAnswer, HistoryAnswer, HistoryChangeAnswer, VersionsAnswer,
};
use tabiya_formats::edit::DescriptionChange;
use tabiya_formats::format::WriteOptions;
use tabiya_model::diff::diff;
use tabiya_model::{Control, GameNeeds};

use super::bases::described;
use super::convert::{FormatOptionValues, check_name, place, write_options};
use super::edit::json_of;
use super::selection::rising;
use super::{slow_work, work};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::library::LibraryChange;
use crate::{ServerState, limits};

/// What becomes of what a database cannot hold.
#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LossPolicyParameter {
    #[default]
    Refuse,
    Comment,
    Drop,
}

impl From<LossPolicyParameter> for LossPolicy {
    fn from(keeping: LossPolicyParameter) -> LossPolicy {
        match keeping {
            LossPolicyParameter::Refuse => LossPolicy::Refuse,
            LossPolicyParameter::Comment => LossPolicy::Comment,
            LossPolicyParameter::Drop => LossPolicy::Drop,
        }
    }
}

/// A change as a page sends it.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum ChangeOperation {
    Undo {},
    Delete {
        games: Vec<u64>,
    },
    Undelete {
        games: Vec<u64>,
    },
    Flags {
        games: Vec<u64>,
        set: String,
        clear: String,
    },
    Sort {
        keys: Vec<String>,
    },
    Compact {},
    Describe {
        description: String,
    },
    Restore {
        number: Option<u64>,
        version: u64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeRequest {
    change: ChangeOperation,
    #[serde(default)]
    lossy: LossPolicyParameter,
    /// Only report what would be done.
    #[serde(default)]
    dry: bool,
}

impl ChangeOperation {
    fn operation(self) -> Result<EditOperation, Refusal> {
        Ok(match self {
            ChangeOperation::Undo {} => EditOperation::Undo,
            ChangeOperation::Delete { games } => EditOperation::Delete(rising(games).into()),
            ChangeOperation::Undelete { games } => EditOperation::Flags {
                games: rising(games).into(),
                set: String::new(),
                clear: "D".to_owned(),
            },
            ChangeOperation::Flags { games, set, clear } => EditOperation::Flags {
                games: rising(games).into(),
                set,
                clear,
            },
            ChangeOperation::Sort { keys } => EditOperation::Sort(keys.join(",").parse()?),
            ChangeOperation::Compact {} => EditOperation::Compact,
            ChangeOperation::Describe { description } => {
                EditOperation::Describe(DescriptionChange {
                    description: Some(description),
                    ..DescriptionChange::default()
                })
            }
            ChangeOperation::Restore { number, version } => {
                EditOperation::Restore { number, version }
            }
        })
    }
}

pub(super) fn changeable_base(shared: &ServerState, id: &str) -> Result<Base, Refusal> {
    if shared.library.is_copy(id) {
        return Err(Refusal::bad(
            &error_codes::COPY_NOT_CHANGED,
            "this database is a temporary copy of the server: it cannot be changed",
        ));
    }
    let base = shared.library.get(id)?;
    if !shared.library.may_change(&base) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::NEIGHBOUR_NOT_CHANGED,
            "this database is beside one that was opened with Tabiya: open it itself to change it",
        ));
    }
    Ok(base)
}

pub(super) async fn change(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(ChangeRequest { change, lossy, dry }): Json<ChangeRequest>,
) -> RouteResult<ChangeAnswer> {
    slow_work(&shared, move |shared| {
        let base = changeable_base(shared, &id)?;
        let options = EditOptions {
            lossy: lossy.into(),
            dry_run: dry,
            ..EditOptions::of_user()?
        };
        let control = Control::default().with_time(limits::SEARCH);
        let mut steps = Vec::new();
        let done = edit::edit_with(
            shared.library.opener(),
            base.path(),
            &change.operation()?,
            &options,
            &control,
            &mut |step| {
                if steps.len() < limits::DIFFERENCES {
                    steps.push(ChangeStepAnswer {
                        number: step.number,
                        game: step.game.to_owned(),
                        what: action(&step.what),
                    });
                }
            },
        )?;
        let version = match !dry && done.ended.is_whole() {
            true => Some(shared.library.changed(&id, LibraryChange::Edited)?.1),
            false => None,
        };
        Ok(Json(ChangeAnswer {
            games: done.games,
            refused: done.refused,
            removed: done.removed,
            wish: done.wish,
            notes: done.notes,
            losses: change_losses_answer(&done.losses),
            steps,
            whole: done.ended.is_whole(),
            base_version: version,
        }))
    })
    .await
}

fn action(what: &EditAction<'_>) -> ChangeActionAnswer {
    match what {
        EditAction::Added => ChangeActionAnswer::Added,
        EditAction::Replaced(how) => ChangeActionAnswer::Replaced {
            how: how.differences(),
        },
        EditAction::Flags(from, to) => ChangeActionAnswer::Flags {
            from: from.clone(),
            to: to.clone(),
        },
        EditAction::Moved(to) => ChangeActionAnswer::Moved { to: *to },
        EditAction::Removed => ChangeActionAnswer::Removed,
        EditAction::Described => ChangeActionAnswer::Described,
    }
}

/// The changes of a base, the newest first.
pub(super) async fn history(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<HistoryAnswer> {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let history = edit::history(shared.library.opener(), base.path())?;
        let changes = history.changes().iter().rev().take(limits::FINDINGS);
        let changes = changes.map(|head| HistoryChangeAnswer {
            id: head.id,
            when: head.utc_time(),
            wish: head.wish.clone(),
            undoes: head.undoes,
        });
        Ok(Json(HistoryAnswer {
            changes: changes.collect(),
            damaged: history.is_damaged(),
            overtaken: history.is_outdated(),
        }))
    })
    .await
}

/// What a game was before each change of it, the newest first, and how it differs from what it is now.
pub(super) async fn versions(
    State(shared): State<ServerState>,
    Path((id, number)): Path<(String, u64)>,
) -> RouteResult<VersionsAnswer> {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let now = base.read(number, GameNeeds::ALL)?;
        let history = edit::history(shared.library.opener(), base.path())?;
        let count = base.database().map_or(Ok(0), |database| database.len())?;
        let mut all = Vec::new();
        for version in history
            .versions(number, count)?
            .iter()
            .take(limits::VERSIONS)
        {
            let (kind, game) = match &version.was {
                GameVersionContent::Game(kept) => {
                    (GameVersionKindAnswer::Game, kept.game().transpose()?)
                }
                GameVersionContent::Flags(_) => (GameVersionKindAnswer::Flags, None),
                GameVersionContent::New => (GameVersionKindAnswer::New, None),
            };
            let differences = game.as_ref().map(|game| {
                let differences = diff(game, &now);
                let words = differences.iter().take(limits::DIFFERENCES);
                words.map(ToString::to_string).collect()
            });
            all.push(GameVersionAnswer {
                version: version.change.id,
                when: version.change.utc_time(),
                wish: version.change.wish.clone(),
                kind,
                differences,
                game: game.as_ref().map(json_of),
            });
        }
        Ok(Json(VersionsAnswer { versions: all }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewDatabaseRequest {
    path: String,
    /// Options of the format.
    #[serde(default)]
    settings: FormatOptionValues,
}

/// Makes a new, empty database; its name says of which format.
pub(super) async fn make(
    State(shared): State<ServerState>,
    Json(NewDatabaseRequest { path, settings }): Json<NewDatabaseRequest>,
) -> RouteResult<Vec<BaseAnswer>> {
    slow_work(&shared, move |shared| {
        let path = place(shared, &path)?;
        let format = Target::new(&path, None, WriteOptions::default())?.format;
        check_name(&path, format)?;
        edit::make(&path, Some(format), write_options(format, &settings)?)?;
        let ids = shared.library.open_path(&path, None, &Control::default())?;
        described(shared, &ids)
    })
    .await
}
