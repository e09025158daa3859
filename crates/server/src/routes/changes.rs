//! Changes of whole databases, and their history.

use std::ops::Range;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tabiya::edit::{self, Change, Lossy, Options, What};
use tabiya::history::Was;
use tabiya::{Base, Target};
use tabiya_formats::edit::Description;
use tabiya_formats::format::WriteOptions;
use tabiya_model::diff::diff;
use tabiya_model::{Control, LossReport, Want};

use super::bases::described;
use super::convert::{Settings, check_name, place, told};
use super::edit::json_of;
use super::{slow_work, work};
use crate::answer::{Answer, Refusal};
use crate::library::Change as Why;
use crate::{Shared, limits};

/// What becomes of what a database cannot hold.
#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Keeping {
    #[default]
    Refuse,
    Comment,
    Drop,
}

impl From<Keeping> for Lossy {
    fn from(keeping: Keeping) -> Lossy {
        match keeping {
            Keeping::Refuse => Lossy::Refuse,
            Keeping::Comment => Lossy::Comment,
            Keeping::Drop => Lossy::Drop,
        }
    }
}

/// What is lost, by kind, in the words of the command line.
pub(super) fn losses(report: &LossReport) -> Value {
    let kinds = report.kinds().filter(|(kind, ..)| !kind.is_layout());
    let all = kinds.map(|(kind, count, examples)| {
        json!({
            "kind": kind.name,
            "aspect": kind.aspect.name(),
            "summary": kind.summary,
            "count": count,
            "examples": examples.iter().take(5).map(|loss| loss.detail.clone()).collect::<Vec<_>>(),
        })
    });
    all.collect::<Vec<_>>().into()
}

/// A change as a page sends it.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Wished {
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
pub(super) struct Changing {
    change: Wished,
    #[serde(default)]
    lossy: Keeping,
    /// It is only told what would be done.
    #[serde(default)]
    dry: bool,
}

/// Numbers as ranges, which is what the library takes.
fn ranges(mut games: Vec<u64>) -> Vec<Range<u64>> {
    games.sort_unstable();
    games.dedup();
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for number in games {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end = number.saturating_add(1),
            _ => ranges.push(number..number.saturating_add(1)),
        }
    }
    ranges
}

impl From<Wished> for Change {
    fn from(wished: Wished) -> Change {
        match wished {
            Wished::Undo {} => Change::Undo,
            Wished::Delete { games } => Change::Delete(ranges(games)),
            Wished::Undelete { games } => Change::Flags {
                games: ranges(games),
                set: String::new(),
                clear: "D".to_owned(),
            },
            Wished::Flags { games, set, clear } => Change::Flags {
                games: ranges(games),
                set,
                clear,
            },
            Wished::Sort { keys } => Change::Sort(keys),
            Wished::Compact {} => Change::Compact,
            Wished::Describe { description } => Change::Describe(Description {
                description: Some(description),
                ..Description::default()
            }),
            Wished::Restore { number, version } => Change::Restore { number, version },
        }
    }
}

pub(super) fn own(shared: &Shared, id: &str) -> Result<Base, Refusal> {
    if shared.library.is_copy(id) {
        return Err(Refusal::bad(
            "this database is a copy that goes with the server: it is not changed",
        ));
    }
    shared.library.get(id)
}

pub(super) async fn change(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Json(Changing { change, lossy, dry }): Json<Changing>,
) -> Answer {
    slow_work(&shared, move |shared| {
        let base = own(shared, &id)?;
        let options = Options {
            lossy: lossy.into(),
            dry_run: dry,
            ..Options::of_user()?
        };
        let control = Control::default().with_time(limits::SEARCH);
        let mut steps = Vec::new();
        let done = edit::edit_with(
            shared.library.opener(),
            base.path(),
            &change.into(),
            &options,
            &control,
            &mut |step| {
                if steps.len() < limits::DIFFERENCES {
                    steps.push(json!({"number": step.number, "game": step.game, "what": words(&step.what)}));
                }
            },
        )?;
        let version = match !dry && done.ended.is_whole() {
            true => Some(shared.library.changed(&id, Why::Edited)?.1),
            false => None,
        };
        Ok(Json(json!({
            "games": done.games,
            "refused": done.refused,
            "removed": done.removed,
            "wish": done.wish,
            "notes": done.notes,
            "losses": losses(&done.losses),
            "steps": steps,
            "whole": done.ended.is_whole(),
            "baseVersion": version,
        })))
    })
    .await
}

fn words(what: &What<'_>) -> Value {
    match what {
        What::Added => json!({"kind": "added"}),
        What::Replaced(how) => json!({"kind": "replaced", "how": how.differences()}),
        What::Flags(from, to) => json!({"kind": "flags", "from": from, "to": to}),
        What::Moved(to) => json!({"kind": "moved", "to": to}),
        What::Removed => json!({"kind": "removed"}),
        What::Described => json!({"kind": "described"}),
    }
}

/// The changes of a base, the newest first.
pub(super) async fn history(State(shared): State<Shared>, Path(id): Path<String>) -> Answer {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let history = edit::history(shared.library.opener(), base.path())?;
        let changes = history.changes().iter().rev().take(limits::FINDINGS);
        let changes: Vec<Value> = changes
            .map(|head| json!({"id": head.id, "when": head.when(), "wish": head.wish, "undoes": head.undoes}))
            .collect();
        Ok(Json(json!({
            "changes": changes,
            "damaged": history.is_damaged(),
            "overtaken": history.is_overtaken(),
        })))
    })
    .await
}

/// What a game was before each change of it, the newest first, and how it differs from what it is now.
pub(super) async fn versions(
    State(shared): State<Shared>,
    Path((id, number)): Path<(String, u64)>,
) -> Answer {
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let now = base.read(number, Want::ALL)?;
        let history = edit::history(shared.library.opener(), base.path())?;
        let count = base.database().map_or(Ok(0), |database| database.len())?;
        let mut all = Vec::new();
        for version in history
            .versions(number, count)?
            .iter()
            .take(limits::VERSIONS)
        {
            let mut told = json!({
                "version": version.change.id,
                "when": version.change.when(),
                "wish": version.change.wish,
            });
            let (kind, game) = match &version.was {
                Was::Game(kept) => ("game", kept.game().transpose()?),
                Was::Flags(_) => ("flags", None),
                Was::New => ("new", None),
            };
            if let Some(map) = told.as_object_mut() {
                map.insert("kind".into(), kind.into());
                if let Some(game) = game {
                    let differences = diff(&game, &now);
                    let words = differences.iter().take(limits::DIFFERENCES);
                    let words: Vec<String> = words.map(ToString::to_string).collect();
                    map.insert("differences".into(), words.into());
                    map.insert("game".into(), json_of(&game));
                }
            }
            all.push(told);
        }
        Ok(Json(json!({"versions": all})))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Making {
    path: String,
    /// What the format is told.
    #[serde(default)]
    settings: Settings,
}

/// Makes a new, empty database; its name says of which format.
pub(super) async fn make(
    State(shared): State<Shared>,
    Json(Making { path, settings }): Json<Making>,
) -> Answer {
    slow_work(&shared, move |shared| {
        let path = place(shared, &path)?;
        let format = Target::new(&path, None, WriteOptions::default())?.format;
        check_name(&path, format)?;
        edit::make(&path, Some(format), told(format, &settings)?)?;
        let ids = shared
            .library
            .open_path(&path.to_string_lossy(), None, &Control::default())?;
        described(shared, &ids)
    })
    .await
}
