//! Changes of databases in place.

use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde::Serialize;
use tabiya::edit::{EditOperation, EditOptions, EditReport, LossPolicy, edit_with};
use tabiya::model::editor::StripOptions;
use tabiya::model::{Control, Error, Game, Result};
use tabiya::report::losses_answer;
use tabiya::{GameNumbers, Opener, Selection};

use crate::database::PythonBase;
use crate::failure::{raised, refused};
use crate::game::PythonGame;
use crate::job::{self, JobKind};
use crate::reports::json_of;
use crate::text_readings::query_of;

/// The result of one change.
#[derive(Serialize)]
struct EditChangeAnswer {
    games: u64,
    refused: u64,
    removed: u64,
    added: Vec<u64>,
    losses: Vec<tabiya::answers::LossKindAnswer>,
    notes: Vec<String>,
    wish: String,
}

impl EditChangeAnswer {
    fn new(report: EditReport) -> EditChangeAnswer {
        EditChangeAnswer {
            games: report.games,
            refused: report.refused,
            removed: report.removed,
            added: report.added.collect(),
            losses: losses_answer(&report.losses),
            notes: report.notes,
            wish: report.wish,
        }
    }
}

/// Games by a query or by ranges of their numbers.
#[derive(FromPyObject)]
enum ChosenGames {
    Query(String),
    Ranges(Vec<(u64, u64)>),
}

impl ChosenGames {
    fn selection(self, py: Python<'_>) -> PyResult<Selection> {
        Ok(match self {
            ChosenGames::Query(text) => Selection::default().matching(query_of(py, &text)?),
            ChosenGames::Ranges(ranges) => {
                let ranges = ranges.into_iter().map(|(start, end)| start..end);
                Selection::from(GameNumbers::from(ranges.collect::<Vec<_>>()))
            }
        })
    }
}

/// One change, from `tabiya/_edit.py`.
fn operation_of(py: Python<'_>, told: &Bound<'_, PyTuple>) -> PyResult<EditOperation> {
    let word: String = told.get_item(0)?.extract()?;
    let item = |at: usize| told.get_item(at);
    let games =
        |at: usize| -> PyResult<Selection> { item(at)?.extract::<ChosenGames>()?.selection(py) };
    let game = |game: &Py<PythonGame>| Game::clone(&game.get().game);
    Ok(match word.as_str() {
        "add" => {
            let added: Vec<Py<PythonGame>> = item(1)?.extract()?;
            EditOperation::Add(added.iter().map(game).collect())
        }
        "append" => {
            let bases: Vec<Py<PythonBase>> = item(1)?.extract()?;
            let bases: PyResult<Vec<_>> = bases.iter().map(|base| base.get().current(py)).collect();
            EditOperation::Append(bases?)
        }
        "replace" => {
            let was: Option<Py<PythonGame>> = item(3)?.extract()?;
            EditOperation::Replace {
                number: item(1)?.extract()?,
                game: Box::new(game(&item(2)?.extract()?)),
                was: was.as_ref().map(|was| Box::new(game(was))),
            }
        }
        "delete" => EditOperation::Delete(games(1)?),
        "flags" => EditOperation::Flags {
            games: games(1)?,
            set: item(2)?.extract()?,
            clear: item(3)?.extract()?,
        },
        "set" => EditOperation::Set {
            games: games(1)?,
            tags: item(2)?.extract()?,
        },
        "strip" => {
            let what: Vec<String> = item(2)?.extract()?;
            let mut strip = StripOptions::default();
            for name in &what {
                match name.as_str() {
                    "comments" => strip.comments = true,
                    "variations" => strip.variations = true,
                    "nags" => strip.nags = true,
                    "clocks" => strip.clocks = true,
                    "evaluations" => strip.evaluations = true,
                    "marks" => strip.marks = true,
                    "flags" => strip.flags = true,
                    _ => {
                        let message = format!(
                            "{name}: give comments, variations, nags, clocks, evaluations, marks or flags"
                        );
                        return Err(refused(py, "UsageError", &message));
                    }
                }
            }
            EditOperation::Strip {
                games: games(1)?,
                what: strip,
            }
        }
        "sort" => {
            let order: String = item(1)?.extract()?;
            EditOperation::Sort(order.parse().map_err(|error| raised(py, &error))?)
        }
        "compact" => EditOperation::Compact,
        "undo" => EditOperation::Undo,
        _ => return Err(refused(py, "UsageError", "not a change")),
    })
}

/// Makes changes one after another; if one fails, those before it are undone.
#[pyfunction]
#[pyo3(signature = (base, changes, lossy="refuse", progress=None))]
pub(crate) fn edit(
    py: Python<'_>,
    base: &PythonBase,
    changes: Vec<Bound<'_, PyTuple>>,
    lossy: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let base = base.current(py)?;
    let told: PyResult<Vec<EditOperation>> =
        changes.iter().map(|told| operation_of(py, told)).collect();
    let told = told?;
    let mut options = EditOptions::of_user().map_err(|error| raised(py, &error))?;
    options.lossy = match lossy {
        "refuse" => LossPolicy::Refuse,
        "comment" => LossPolicy::Comment,
        "drop" => LossPolicy::Drop,
        _ => {
            let message = "lossy: give refuse, comment or drop";
            return Err(refused(py, "UsageError", message));
        }
    };
    let opener = Opener {
        options: base.options().clone(),
        format: Some(base.format()),
        ..Opener::default()
    };
    let path = base.path().to_owned();
    let control = job::control(None);
    let done = job::run(py, JobKind::Write, &control, progress, move |control| {
        make(&opener, &path, &told, &options, control)
    })?;
    json_of(py, &done)
}

fn make(
    opener: &Opener,
    path: &Path,
    changes: &[EditOperation],
    options: &EditOptions,
    control: &Control,
) -> Result<Vec<EditChangeAnswer>> {
    let mut done = Vec::new();
    let mut made = 0;
    for change in changes {
        let report = edit_with(opener, path, change, options, control, &mut |_| {});
        let failure: Option<Error> = match report {
            Ok(report) if report.ended.is_whole() => {
                made += u64::from(report.state.is_some());
                done.push(EditChangeAnswer::new(report));
                continue;
            }
            Ok(_) => None,
            Err(error) => Some(error),
        };
        // All or nothing: what was made before is taken back, whoever has stopped the job.
        for _ in 0..made {
            let undo = EditOperation::Undo;
            edit_with(
                opener,
                path,
                &undo,
                options,
                &Control::default(),
                &mut |_| {},
            )?;
        }
        return match failure {
            Some(error) => Err(error),
            None => Ok(Vec::new()),
        };
    }
    Ok(done)
}
