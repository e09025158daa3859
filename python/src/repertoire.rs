//! Repertoires, and comparing games with them.

use std::ops::ControlFlow;
use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::Value;
use shakmaty::Color;
use tabiya::answers::Answer;
use tabiya::model::{Control, Result};
use tabiya::query::{Query, QueryContext};
use tabiya::repertoire::{
    self, Repertoire, RepertoireConflictOptions, RepertoireGapOptions, RepertoireReference,
};
use tabiya::{Base, Selection};

use crate::database::PythonBase;
use crate::failure::refused;
use crate::game::PythonGame;
use crate::job::{self, JobKind};
use crate::reports::json_of;
use crate::selection::PythonSelection;

/// The repertoires in databases: one for each side.
#[pyclass(frozen, module = "tabiya._tabiya", name = "RepertoireSides")]
pub(crate) struct PythonRepertoire(Arc<Vec<Repertoire>>);

/// A side by its name.
fn color_of(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Color>> {
    match name {
        None => Ok(None),
        Some("white") => Ok(Some(Color::White)),
        Some("black") => Ok(Some(Color::Black)),
        Some(_) => Err(refused(py, "UsageError", "color: give white or black")),
    }
}

/// A share in per cent.
fn percent(py: Python<'_>, name: &str, value: f64) -> PyResult<f64> {
    match (0.0..=100.0).contains(&value) {
        true => Ok(value),
        false => {
            let message = format!("{name}: give per cent, from 0 to 100");
            Err(refused(py, "UsageError", &message))
        }
    }
}

/// Reads the repertoires of databases.
#[pyfunction]
#[pyo3(signature = (bases, color=None, threads=None, progress=None))]
pub(crate) fn read_repertoire(
    py: Python<'_>,
    bases: Vec<Py<PythonBase>>,
    color: Option<&str>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PythonRepertoire> {
    let color = color_of(py, color)?;
    let bases: PyResult<Vec<Base>> = bases.iter().map(|base| base.get().current(py)).collect();
    let bases = bases?;
    let control = job::control(threads);
    let read = job::run(py, JobKind::Read, &control, progress, move |control| {
        repertoire::read(&bases, color, control)
    })?;
    Ok(PythonRepertoire(Arc::new(read)))
}

/// The games in which a player has the side of a repertoire.
fn of_player(games: &Selection, player: Option<&str>, color: Color) -> Result<Selection> {
    let Some(player) = player else {
        return Ok(games.clone());
    };
    let field = color.fold_wb("white", "black");
    let name = player.replace('\\', "\\\\").replace('"', "\\\"");
    let query = Query::parse(&format!("{field}:\"{name}\""), QueryContext::default())?;
    Ok(games.clone().matching(query))
}

impl PythonRepertoire {
    /// Runs a job on every side, and gives what it tells as a list of JSON.
    fn ask(
        &self,
        py: Python<'_>,
        games: Option<&PythonSelection>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
        job: impl Fn(&Repertoire, Option<&Selection>, &Control, &mut Vec<Value>) -> Result<()>
        + Send
        + 'static,
    ) -> PyResult<String> {
        let games = games.map(|games| games.games(py)).transpose()?;
        let (sides, control) = (Arc::clone(&self.0), job::control(threads));
        let told = job::run(py, JobKind::Read, &control, progress, move |control| {
            let mut told = Vec::new();
            for side in sides.iter() {
                let games = games.as_ref().map(|(games, _)| games);
                job(side, games, control, &mut told)?;
            }
            Ok(told)
        })?;
        json_of(py, &told)
    }
}

/// The moves that games play in the positions of a repertoire, if there are games.
fn reference_of(
    side: &Repertoire,
    games: Option<&Selection>,
    control: &Control,
) -> Result<Option<RepertoireReference>> {
    games
        .map(|games| repertoire::reference(side, games, control))
        .transpose()
}

#[pymethods]
impl PythonRepertoire {
    /// The sides, each with the number of its positions.
    fn sides(&self) -> Vec<(&'static str, usize)> {
        let sides = self.0.iter();
        sides
            .map(|side| {
                let color = side.color().fold_wb("white", "black");
                (color, side.positions().len())
            })
            .collect()
    }

    /// The repertoires as games, one for each side and start.
    fn games(&self) -> Vec<PythonGame> {
        let games = self.0.iter();
        games
            .flat_map(|side| repertoire::repertoire_game(side, &[]))
            .map(|game| PythonGame::new(game, None))
            .collect()
    }

    /// Where games leave the repertoires: of each game, and the positions in which they do.
    #[pyo3(signature = (games, player=None, most=None, threads=None, progress=None))]
    fn check(
        &self,
        py: Python<'_>,
        games: &PythonSelection,
        player: Option<String>,
        most: Option<usize>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String, u64, u64)> {
        let (games, _) = games.games(py)?;
        let (sides, control) = (Arc::clone(&self.0), job::control(threads));
        let most = most.unwrap_or(usize::MAX);
        let told = job::run(py, JobKind::Read, &control, progress, move |control| {
            let (mut found, mut lines): (Vec<Value>, Vec<Value>) = Default::default();
            let (mut seen, mut damaged) = (0, 0);
            for side in sides.iter() {
                let games = of_player(&games, player.as_deref(), side.color())?;
                let mut left = most;
                let report =
                    repertoire::check(side, &games, false, control, &mut |at, _, game| {
                        if left > 0 {
                            left -= 1;
                            let base = games.bases.get(at).map_or("", Base::name);
                            found.push(game.answer(side, base).json());
                        }
                        Ok(ControlFlow::Continue(()))
                    })?;
                let sorted = report.lines.sorted();
                lines.extend(sorted.iter().map(|line| line.answer(side).json()));
                seen += report.games;
                damaged += report.damaged;
            }
            Ok((found, lines, seen, damaged))
        })?;
        let (found, lines, seen, damaged) = told;
        Ok((json_of(py, &found)?, json_of(py, &lines)?, seen, damaged))
    }

    /// Moves of the opponent that games play and the repertoires do not answer.
    #[pyo3(signature = (games, share=5.0, min_games=5, threads=None, progress=None))]
    fn gaps(
        &self,
        py: Python<'_>,
        games: &PythonSelection,
        share: f64,
        min_games: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let options = RepertoireGapOptions {
            share: percent(py, "share", share)?,
            games: min_games,
        };
        self.ask(
            py,
            Some(games),
            threads,
            progress,
            move |side, games, control, told| {
                if let Some(reference) = reference_of(side, games, control)? {
                    let gaps = repertoire::gaps(side, &reference, options);
                    told.extend(gaps.iter().map(|gap| gap.answer(side).json()));
                }
                Ok(())
            },
        )
    }

    /// Where the repertoires contradict themselves.
    #[pyo3(signature = (games=None, often=30.0, min_games=5, points=10.0, centipawns=50, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn conflicts(
        &self,
        py: Python<'_>,
        games: Option<&PythonSelection>,
        often: f64,
        min_games: u64,
        points: f64,
        centipawns: i64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let options = RepertoireConflictOptions {
            often: percent(py, "often", often)?,
            games: min_games,
            points: percent(py, "points", points)?,
            centipawns,
        };
        self.ask(
            py,
            games,
            threads,
            progress,
            move |side, games, control, told| {
                let reference = reference_of(side, games, control)?;
                let found = repertoire::conflicts(side, reference.as_ref(), options);
                told.extend(found.iter().map(|conflict| conflict.answer(side).json()));
                Ok(())
            },
        )
    }

    /// How many games are inside the repertoires at each ply.
    #[pyo3(signature = (games, threads=None, progress=None))]
    fn coverage(
        &self,
        py: Python<'_>,
        games: &PythonSelection,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        self.ask(
            py,
            Some(games),
            threads,
            progress,
            |side, games, control, told| {
                if let Some(games) = games {
                    let report = repertoire::coverage(side, games, control)?;
                    told.extend(report.rows.iter().map(|row| row.answer(side).json()));
                }
                Ok(())
            },
        )
    }

    /// The positions of the repertoires with their moves.
    #[pyo3(signature = (games=None, threads=None, progress=None))]
    fn show(
        &self,
        py: Python<'_>,
        games: Option<&PythonSelection>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        self.ask(
            py,
            games,
            threads,
            progress,
            |side, games, control, told| {
                let reference = reference_of(side, games, control)?;
                let tree = repertoire::tree(side, reference.as_ref());
                told.extend(tree.iter().map(|position| position.answer(side).json()));
                Ok(())
            },
        )
    }
}
