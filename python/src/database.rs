//! An open database.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use tabiya::formats::registry;
use tabiya::index::IndexOutcome;
use tabiya::model::GameNeeds;
use tabiya::model::charset::Charset;
use tabiya::report::finding_answer;
use tabiya::{Base, Opener, Password};

use crate::failure::{raised, refused};
use crate::game::PythonGame;
use crate::job::{self, JobKind};
use crate::reports::json_of;
use crate::text_readings::charset_of;

/// A database, as `tabiya/_database.py` uses it.
#[derive(Debug)]
#[pyclass(frozen, module = "tabiya._tabiya", name = "Base")]
pub(crate) struct PythonBase {
    base: Mutex<Option<Base>>,
    closed: Arc<AtomicBool>,
}

/// Opens everything that a path holds.
#[pyfunction]
#[pyo3(signature = (path, format=None, encoding=None, salvage=false, password=None, audit=false))]
pub(crate) fn open_bases(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    encoding: Option<&str>,
    salvage: bool,
    password: Option<Vec<u8>>,
    audit: bool,
) -> PyResult<Vec<PythonBase>> {
    let format = match format {
        None => None,
        Some(name) => Some(
            registry::by_name(name)
                .ok_or_else(|| refused(py, "UsageError", &format!("there is no format {name}")))?,
        ),
    };
    let encoding: Option<Charset> = encoding.map(|name| charset_of(py, name)).transpose()?;
    let mut opener = Opener {
        format,
        salvage,
        // Whoever keeps a database for long may see its files cut short by others.
        lasting: true,
        password: password.map(|bytes| Password::new(&bytes)),
        ..Opener::default()
    };
    opener.options.encoding = encoding;
    opener.options.audit = audit;
    let bases = job::run(py, JobKind::Read, &job::control(None), None, move |_| {
        opener.open(&path)
    })?;
    Ok(bases.into_iter().map(PythonBase::new).collect())
}

impl PythonBase {
    fn new(base: Base) -> PythonBase {
        PythonBase {
            base: Mutex::new(Some(base)),
            closed: Arc::default(),
        }
    }

    /// The database, unless it was closed.
    pub(crate) fn base(&self, py: Python<'_>) -> PyResult<Base> {
        let base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        base.clone()
            .ok_or_else(|| refused(py, "ClosedError", "the database is closed"))
    }

    /// The same while its files are unchanged.
    pub(crate) fn current(&self, py: Python<'_>) -> PyResult<Base> {
        let base = self.base(py)?;
        match py.detach(|| base.is_current()) {
            true => Ok(base),
            false => Err(changed(py, &base)),
        }
    }

    /// The token that shows that it was closed.
    pub(crate) fn closed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.closed)
    }
}

/// Reports that somebody else has changed a database.
pub(crate) fn changed(py: Python<'_>, base: &Base) -> PyErr {
    let message = format!(
        "{}: the files have changed since they were opened; reload() opens them again",
        base.name()
    );
    refused(py, "ChangedError", &message)
}

#[pymethods]
impl PythonBase {
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.base(py)?.name().to_owned())
    }

    #[getter]
    fn format(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.base(py)?.format().name)
    }

    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<PathBuf> {
        Ok(self.base(py)?.path().to_owned())
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn is_current(&self, py: Python<'_>) -> PyResult<bool> {
        let base = self.base(py)?;
        Ok(py.detach(|| base.is_current()))
    }

    /// Closes the database.
    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let base = self
            .base
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(base);
    }

    /// The same database in the current state of its files.
    fn reopened(&self, py: Python<'_>) -> PyResult<PythonBase> {
        let base = self.base(py)?;
        let base = job::run(py, JobKind::Read, &job::control(None), None, move |_| {
            base.reopen()
        })?;
        Ok(PythonBase::new(base))
    }

    /// The number of games.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        let base = self.current(py)?;
        if let Some(games) = base.info().games {
            return Ok(games);
        }
        job::run(
            py,
            JobKind::Read,
            &job::control(None),
            None,
            move |control| match base.database() {
                // Where the games stand is learned from the index, if there is one.
                Some(database) => {
                    let _ = base.finds_games();
                    database.len()
                }
                None => {
                    let mut games = 0;
                    base.for_each(GameNeeds::TAGS, control, |_| {
                        games += 1;
                        Ok(std::ops::ControlFlow::Continue(()))
                    })?;
                    Ok(games)
                }
            },
        )
    }

    /// One game by its number, from 1.
    fn read(&self, py: Python<'_>, number: u64, needs: &str) -> PyResult<PythonGame> {
        let needs = crate::game_stream::needs_of(py, needs)?;
        let base = self.current(py)?;
        let read = move || base.read(number, needs);
        let game = match self.base(py)?.finds_games() {
            true => py.detach(read).map_err(|error| raised(py, &error))?,
            // It may take a walk over a long file.
            false => job::run(py, JobKind::Read, &job::control(None), None, move |_| {
                read()
            })?,
        };
        Ok(PythonGame::new(game, None))
    }

    /// What is known of the database.
    #[pyo3(signature = (full=false, threads=None, progress=None))]
    fn info(
        &self,
        py: Python<'_>,
        full: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let (base, control) = (self.current(py)?, job::control(threads));
        let told = job::run(py, JobKind::Read, &control, progress, move |control| {
            Ok(tabiya::info::info(&base, full, control)?.answer())
        })?;
        json_of(py, &told)
    }

    /// Reads everything and reports what is wrong with it: games, damaged ones, and the findings.
    #[pyo3(signature = (most=1000, threads=None, progress=None))]
    fn check(
        &self,
        py: Python<'_>,
        most: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64, String)> {
        let (base, control) = (self.current(py)?, job::control(threads));
        let report = job::run(py, JobKind::Read, &control, progress, move |control| {
            tabiya::check::check(&base, most, control)
        })?;
        let found: Vec<_> = report.diagnostics.iter().map(finding_answer).collect();
        Ok((report.games, report.damaged, json_of(py, &found)?))
    }

    /// Makes the index beside the database: fresh, anew, extended or stopped.
    #[pyo3(signature = (rebuild=false, threads=None, progress=None))]
    fn index(
        &self,
        py: Python<'_>,
        rebuild: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<&'static str> {
        let (base, control) = (self.current(py)?, job::control(threads));
        let outcome = job::run(py, JobKind::Write, &control, progress, move |control| {
            tabiya::index::make(&base, rebuild, control)
        })?;
        Ok(match outcome {
            IndexOutcome::Fresh => "fresh",
            IndexOutcome::Anew(_) => "anew",
            IndexOutcome::Extended(_) => "extended",
            IndexOutcome::Stopped => "stopped",
        })
    }

    /// Removes the index beside the database; returns whether there was one.
    fn remove_index(&self, py: Python<'_>) -> PyResult<bool> {
        let base = self.base(py)?;
        py.detach(|| tabiya::index::remove(&base))
            .map_err(|error| raised(py, &error))
    }

    /// The findings about the database so far.
    fn diagnostics(&self, py: Python<'_>) -> PyResult<String> {
        let base = self.base(py)?;
        let found = py.detach(|| base.known_diagnostics());
        let found: Vec<_> = found.iter().map(finding_answer).collect();
        json_of(py, &found)
    }
}
