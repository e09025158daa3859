//! Selected games, with searches and reports.

use std::ops::ControlFlow;
use std::sync::Arc;

use pyo3::prelude::*;
use tabiya::answers::{Answer, DuplicatePairAnswer};
use tabiya::crosstable::{CrosstableOptions, crosstable};
use tabiya::dedupe::{DedupeOptions, KeepCriterion, dedupe};
use tabiya::explorer::{
    ExploreFilter, ExploreLimits, ExploreLine, Explorer, LichessEndpoint, answer,
};
use tabiya::model::{Control, GameNeeds};
use tabiya::names::NamesOptions;
use tabiya::player::{PlayerOptions, player};
use tabiya::search::{self, SearchOptions};
use tabiya::stats::{StatsOptions, stats};
use tabiya::{Base, DeletedGames, GameNumbers, Selection};

use crate::database::PythonBase;
use crate::failure::{raised, refused};
use crate::game_stream::{PythonGameStream, PythonHeaderStream, StreamSource, needs_of};
use crate::job::{self, JobKind};
use crate::reports::json_of;
use crate::tables::{PythonTable, TableKind};
use crate::tensors::PythonTensorStream;
use crate::text_readings::query_of;

/// Games of a database, as `tabiya/_database.py` uses them.
#[derive(Debug)]
#[pyclass(frozen, module = "tabiya._tabiya", name = "Selection")]
pub(crate) struct PythonSelection {
    base: Py<PythonBase>,
    query: Option<Arc<tabiya::query::Query>>,
    numbers: GameNumbers,
    deleted: DeletedGames,
    unfinished: bool,
    index: bool,
}

impl PythonSelection {
    /// The games, in the current state of the database; fails if it is closed or was changed.
    pub(crate) fn games(&self, py: Python<'_>) -> PyResult<(Selection, Base)> {
        let base = self.base.get().current(py)?;
        let games = Selection {
            query: self.query.clone(),
            numbers: self.numbers.clone(),
            deleted: self.deleted,
            unfinished: self.unfinished,
            index: self.index,
            ..Selection::of([base.clone()])
        };
        Ok((games, base))
    }

    fn stream_source(
        &self,
        py: Python<'_>,
        options: SearchOptions,
        sort: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<StreamSource> {
        let sort = sort.map(str::parse).transpose();
        let sort = sort.map_err(|error| raised(py, &error))?;
        let (games, base) = self.games(py)?;
        Ok(StreamSource {
            games,
            base,
            needs: options.keep.unwrap_or(GameNeeds::ALL),
            options: SearchOptions { sort, ..options },
            threads,
            closed: self.base.get().closed(),
        })
    }

    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
        job: impl FnOnce(Selection, &Control) -> tabiya::model::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (games, _) = self.games(py)?;
        let control = job::control(threads);
        job::run(py, JobKind::Read, &control, progress, move |control| {
            job(games, control)
        })
    }
}

#[pymethods]
impl PythonSelection {
    #[new]
    #[pyo3(signature = (base, query=None, ranges=None, deleted="included", unfinished=false, index=true))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        base: Py<PythonBase>,
        query: Option<&str>,
        ranges: Option<Vec<(u64, u64)>>,
        deleted: &str,
        unfinished: bool,
        index: bool,
    ) -> PyResult<PythonSelection> {
        // Whether it is open is told now, and not when something is asked.
        base.get().base(py)?;
        let numbers = match ranges {
            None => GameNumbers::ALL,
            Some(ranges) => GameNumbers::from(
                ranges
                    .into_iter()
                    .map(|(start, end)| start..end)
                    .collect::<Vec<_>>(),
            ),
        };
        Ok(PythonSelection {
            base,
            query: query
                .map(|text| query_of(py, text).map(Arc::new))
                .transpose()?,
            numbers,
            deleted: match deleted {
                "included" => DeletedGames::Included,
                "left-out" => DeletedGames::LeftOut,
                "only" => DeletedGames::Only,
                _ => {
                    let message = format!("{deleted}: give included, left-out or only");
                    return Err(refused(py, "UsageError", &message));
                }
            },
            unfinished,
            index,
        })
    }

    /// How the query is understood, if that is not obvious.
    #[getter]
    fn note(&self) -> Option<String> {
        self.query.as_deref().and_then(tabiya::query::Query::note)
    }

    #[pyo3(signature = (threads=None, progress=None))]
    fn count(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<u64> {
        self.ask(py, threads, progress, |games, control| {
            let options = SearchOptions {
                plies: false,
                ..SearchOptions::default()
            };
            Ok(search::count(&games, &options, control)?.hits())
        })
    }

    /// The numbers of the games, rising.
    #[pyo3(signature = (threads=None))]
    fn numbers(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<Vec<u64>> {
        let base = self.base.get().base(py)?;
        self.ask(py, threads, None, move |games, control| {
            match games.numbers_in(&base, control)? {
                Some(numbers) => Ok(numbers),
                None => {
                    let last = base
                        .database()
                        .map_or(Ok(0), tabiya::model::Database::len)?;
                    Ok((1..last.saturating_add(1)).collect())
                }
            }
        })
    }

    /// The games, one after another.
    #[pyo3(signature = (needs="all", sort=None, first=None, offset=0, sample=None, threads=None))]
    #[allow(clippy::too_many_arguments)]
    fn stream(
        &self,
        py: Python<'_>,
        needs: &str,
        sort: Option<&str>,
        first: Option<u64>,
        offset: u64,
        sample: Option<(u64, u64)>,
        threads: Option<usize>,
    ) -> PyResult<PythonGameStream> {
        let options = SearchOptions {
            keep: Some(needs_of(py, needs)?),
            first,
            offset,
            sample,
            ..SearchOptions::default()
        };
        let source = self.stream_source(py, options, sort, threads)?;
        Ok(PythonGameStream::new(source))
    }

    /// The tags of the games, one game after another.
    #[pyo3(signature = (sort=None, first=None, offset=0, sample=None, threads=None))]
    fn headers(
        &self,
        py: Python<'_>,
        sort: Option<&str>,
        first: Option<u64>,
        offset: u64,
        sample: Option<(u64, u64)>,
        threads: Option<usize>,
    ) -> PyResult<PythonHeaderStream> {
        let options = SearchOptions {
            keep: Some(GameNeeds::TAGS),
            plies: false,
            first,
            offset,
            sample,
            ..SearchOptions::default()
        };
        let source = self.stream_source(py, options, sort, threads)?;
        Ok(PythonHeaderStream::new(source))
    }

    /// A table of the games, of their moves or of their positions.
    #[pyo3(signature = (kind, columns=None, threads=None))]
    fn table(
        slf: &Bound<'_, Self>,
        kind: &str,
        columns: Option<Vec<String>>,
        threads: Option<usize>,
    ) -> PyResult<PythonTable> {
        let py = slf.py();
        let kind = TableKind::of(kind)
            .ok_or_else(|| refused(py, "UsageError", "give games, moves or positions"))?;
        let games = slf.clone().unbind();
        let games = Box::new(move |py: Python<'_>| Ok(games.get().games(py)?.0));
        PythonTable::new(games, py, kind, columns, threads)
    }

    /// Flat arrays of positions and moves, block by block.
    #[pyo3(signature = (annotations=true, verify=true, threads=None))]
    fn tensors(
        &self,
        py: Python<'_>,
        annotations: bool,
        verify: bool,
        threads: Option<usize>,
    ) -> PyResult<PythonTensorStream> {
        let (games, _) = self.games(py)?;
        let closed = self.base.get().closed();
        Ok(PythonTensorStream::new(
            games,
            annotations,
            verify,
            threads,
            closed,
        ))
    }

    /// What was played in a position: the answer of the explorer.
    #[pyo3(signature = (fen=None, line="", player=None, color=None, elo=None, since=None, until=None,
        variations=false, moves=usize::MAX, games=4, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn explore(
        &self,
        py: Python<'_>,
        fen: Option<String>,
        line: &str,
        player: Option<String>,
        color: Option<&str>,
        elo: Option<String>,
        since: Option<String>,
        until: Option<String>,
        variations: bool,
        moves: usize,
        games: usize,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let line = ExploreLine::read(fen.as_deref(), line).map_err(|error| raised(py, &error))?;
        let color = match color {
            None => None,
            Some("white") => Some(shakmaty::Color::White),
            Some("black") => Some(shakmaty::Color::Black),
            Some(_) => return Err(refused(py, "UsageError", "color: give white or black")),
        };
        let filter = ExploreFilter {
            player,
            color,
            elo,
            since,
            until,
            variations,
        };
        let limits = ExploreLimits {
            moves,
            top: games,
            recent: games,
        };
        let told = self.ask(py, threads, progress, move |games, control| {
            let explorer = Explorer::new(games, &filter, control)?;
            let found = explorer.ask(&line, control)?;
            let told = answer(&explorer, &line, &found, &limits, LichessEndpoint::Lichess)?;
            Ok(told.json())
        })?;
        json_of(py, &told)
    }

    /// Statistics.
    #[pyo3(signature = (only, full=false, top=20, threads=None, progress=None))]
    fn stats(
        &self,
        py: Python<'_>,
        only: Vec<String>,
        full: bool,
        top: usize,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let options = StatsOptions { only, full, top };
        let told = self.ask(py, threads, progress, move |games, control| {
            Ok(stats(&games, &options, control)?.answer())
        })?;
        json_of(py, &told)
    }

    /// The record of a player.
    #[pyo3(signature = (name, against=None, top=None, threads=None, progress=None))]
    fn player(
        &self,
        py: Python<'_>,
        name: String,
        against: Option<String>,
        top: Option<usize>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let mut options = PlayerOptions::new(name);
        options.against = against;
        options.top = top.unwrap_or(options.top);
        let told = self.ask(py, threads, progress, move |games, control| {
            Ok(player(&games, &options, control)?.answer())
        })?;
        json_of(py, &told)
    }

    /// The tables of events.
    #[pyo3(signature = (game=None, event=None, threads=None, progress=None))]
    fn crosstable(
        &self,
        py: Python<'_>,
        game: Option<u64>,
        event: Option<String>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let options = CrosstableOptions {
            game,
            event,
            ..CrosstableOptions::default()
        };
        let told = self.ask(py, threads, progress, move |games, control| {
            Ok(crosstable(&games, &options, control)?.answer())
        })?;
        json_of(py, &told)
    }

    /// Pairs of duplicate games.
    #[pyo3(signature = (keep="moves", swapped=false, misspelt=false, threads=None, progress=None))]
    fn dedupe(
        &self,
        py: Python<'_>,
        keep: &str,
        swapped: bool,
        misspelt: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, u64, Vec<u64>)> {
        let keep = match keep {
            "moves" => KeepCriterion::Moves,
            "annotations" => KeepCriterion::Annotations,
            "elo" => KeepCriterion::Elo,
            "newest" => KeepCriterion::Newest,
            "first" => KeepCriterion::First,
            _ => {
                let message = "keep: give moves, annotations, elo, newest or first";
                return Err(refused(py, "UsageError", message));
            }
        };
        let options = DedupeOptions {
            keep,
            swapped,
            misspelt,
        };
        let (pairs, report) = self.ask(py, threads, progress, move |games, control| {
            let mut pairs: Vec<serde_json::Value> = Vec::new();
            let report = dedupe(&games, &options, control, &mut |pair| {
                let pair: DuplicatePairAnswer = pair.answer();
                pairs.push(pair.json());
                Ok(ControlFlow::Continue(()))
            })?;
            Ok((pairs, report))
        })?;
        let drops = report.drops.into_iter().flatten().collect();
        Ok((json_of(py, &pairs)?, report.games, drops))
    }

    /// Names that are spelt in several ways, and the spelling file that corrects them.
    #[pyo3(signature = (misspelt=None, threads=None, progress=None))]
    fn names(
        &self,
        py: Python<'_>,
        misspelt: Option<bool>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let mut options = NamesOptions::default();
        options.misspelt = misspelt.unwrap_or(options.misspelt);
        let found = self.ask(py, threads, progress, move |games, control| {
            tabiya::names::find(&games, &options, control)
        })?;
        Ok((json_of(py, &found.answer())?, found.spelling_file()))
    }
}
