//! Copies of databases into others.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde::Serialize;
use tabiya::answers::{ConversionAnswer, SourceAnswer};
use tabiya::convert::ConvertOptions;
use tabiya::formats::format::WriteOptions;
use tabiya::formats::registry;
use tabiya::model::{Control, DatabaseMetadata, Result};
use tabiya::report::SourceReport;
use tabiya::search::{self, SearchOptions};
use tabiya::{Selection, Target};

use crate::database::PythonBase;
use crate::failure::{raised, refused};
use crate::game::PythonGame;
use crate::job::{self, JobKind};
use crate::reports::json_of;
use crate::selection::PythonSelection;
use crate::text_readings::{charset_of, settings_of};

/// What is said of a target.
#[derive(FromPyObject)]
pub(crate) struct TargetArguments {
    path: PathBuf,
    format: Option<String>,
    force: bool,
    encoding: Option<String>,
    description: Option<String>,
    options: Vec<(String, Option<String>)>,
}

impl TargetArguments {
    fn target(self, py: Python<'_>) -> PyResult<Target> {
        let format =
            match &self.format {
                None => None,
                Some(name) => Some(registry::by_name(name).ok_or_else(|| {
                    refused(py, "UsageError", &format!("there is no format {name}"))
                })?),
            };
        let encoding = self.encoding.as_deref();
        let options = WriteOptions {
            force: self.force,
            encoding: encoding.map(|name| charset_of(py, name)).transpose()?,
            description: self.description,
            ..WriteOptions::default()
        };
        let mut target =
            Target::new(self.path, format, options).map_err(|error| raised(py, &error))?;
        target.options.settings = settings_of(py, target.format.write_options, &self.options)?;
        Ok(target)
    }
}

/// What has become of a copy of games that were chosen.
#[derive(Serialize)]
struct ChosenAnswer {
    target: String,
    format: &'static str,
    games: u64,
    bytes: u64,
    files: Vec<String>,
    notes: Vec<String>,
    sources: Vec<SourceAnswer>,
    failed: Vec<()>,
    whole: bool,
}

impl ChosenAnswer {
    fn new(
        target: &Target,
        summary: Option<tabiya::model::WriteSummary>,
        sources: &[SourceReport],
        whole: bool,
    ) -> ChosenAnswer {
        let summary = summary.unwrap_or_default();
        let files = summary.files.iter().map(|file| file.display().to_string());
        ChosenAnswer {
            target: target.path.display().to_string(),
            format: target.format.name,
            games: summary.games,
            bytes: summary.bytes,
            files: files.collect(),
            notes: summary.notes,
            sources: sources.iter().map(SourceReport::answer).collect(),
            failed: Vec::new(),
            whole,
        }
    }
}

/// Copies databases, or games that are chosen, into a new one: the report, whether everything is there, and why nothing was written.
#[pyfunction]
#[pyo3(signature = (sources, chosen, target, strict=false, verify=false, sort=None, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn convert(
    py: Python<'_>,
    sources: Vec<Py<PythonBase>>,
    chosen: Option<Py<PythonSelection>>,
    target: TargetArguments,
    strict: bool,
    verify: bool,
    sort: Option<&str>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, bool, Option<String>)> {
    let target = target.target(py)?;
    let control = job::control(threads);
    if let Some(chosen) = chosen {
        let sort = sort.map(str::parse).transpose();
        let options = SearchOptions {
            sort: sort.map_err(|error| raised(py, &error))?,
            ..SearchOptions::default()
        };
        let (games, _) = chosen.get().games(py)?;
        let job = move |control: &Control| -> Result<(ChosenAnswer, bool)> {
            let copied = search::copy(&games, &options, &target, control)?;
            let is_complete = copied.sources.iter().all(SourceReport::is_complete);
            let whole = copied.search.ended.is_whole();
            let answer = ChosenAnswer::new(&target, copied.summary, &copied.sources, whole);
            Ok((answer, is_complete))
        };
        let (answer, is_complete) = job::run(py, JobKind::Write, &control, progress, job)?;
        return Ok((json_of(py, &answer)?, is_complete, None));
    }
    let mut bases = Vec::new();
    for source in &sources {
        bases.push(source.get().current(py)?);
    }
    let options = ConvertOptions { strict, verify };
    let job = move |control: &Control| -> Result<(ConversionAnswer, bool, Option<String>)> {
        let done = tabiya::convert::convert(&bases, &target, &options, control)?;
        Ok((done.answer(&target), done.is_complete(), done.fault))
    };
    let (answer, is_complete, fault) = job::run(py, JobKind::Write, &control, progress, job)?;
    Ok((json_of(py, &answer)?, is_complete, fault))
}

/// Writes games into a new database.
#[pyfunction]
#[pyo3(signature = (games, target, threads=None))]
pub(crate) fn write_games(
    py: Python<'_>,
    games: Vec<Py<PythonGame>>,
    target: TargetArguments,
    threads: Option<usize>,
) -> PyResult<(String, bool)> {
    let target = target.target(py)?;
    let games: Vec<_> = games
        .iter()
        .map(|game| std::sync::Arc::clone(&game.get().game))
        .collect();
    let control = job::control(threads);
    let job = move |control: &Control| -> Result<(ChosenAnswer, bool)> {
        let mut writing = target.begin(&Selection::default().bases)?;
        let mut feed = writing.feed(DatabaseMetadata::default(), SourceReport::default());
        let mut singles = feed.singles(control.threads());
        for (number, game) in (1..).zip(&games) {
            if control.is_stopped() {
                break;
            }
            let mut game = tabiya::model::Game::clone(game);
            game.origin.number = number;
            singles.push(game)?;
        }
        singles.finish()?;
        let report = feed.report;
        let is_complete = report.is_complete();
        let summary = match control.is_stopped() {
            true => None,
            false => Some(writing.finish()?),
        };
        let whole = summary.is_some();
        let answer = ChosenAnswer::new(&target, summary, &[report], whole);
        Ok((answer, is_complete))
    };
    let (answer, is_complete) = job::run(py, JobKind::Write, &control, None, job)?;
    Ok((json_of(py, &answer)?, is_complete))
}
