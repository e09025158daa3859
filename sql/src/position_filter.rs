//! Conditions on positions, which a lake's table of positions answers before moves are read.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::ParquetRowSelection;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Expr;
use datafusion::parquet::arrow::arrow_reader::RowSelection;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use object_store::path::Path as Location;
use shakmaty::Color;
use tabiya::lake::LakePositionIndex;
use tabiya::model::positions::PiecePlacement;
use tabiya::openings::position_key::PositionKey;

use crate::functions::{HAS_POSITION, position};
use crate::table::failed;

/// Games of a lake, and in which of them a position stands.
pub(crate) struct LakePositionFilter {
    positions: LakePositionIndex,
    /// Each file, and the numbers of its games.
    files: Vec<(Location, Range<u64>)>,
}

impl std::fmt::Debug for LakePositionFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Games")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl LakePositionFilter {
    /// The games in some files of a lake, where it has a table of their positions.
    pub(crate) fn open(
        lake: &Path,
        files: &[PathBuf],
        numbers: &[Range<u64>],
    ) -> Result<Option<LakePositionFilter>> {
        let Some(positions) = LakePositionIndex::open(lake).map_err(failed)? else {
            return Ok(None);
        };
        let files = files.iter().zip(numbers).filter_map(|(file, numbers)| {
            let location = Location::from_absolute_path(file).ok()?;
            Some((location, numbers.clone()))
        });
        Ok(Some(LakePositionFilter {
            positions,
            files: files.collect(),
        }))
    }

    /// The same plan for reading the files, with none but the rows for which conditions about positions hold.
    pub(crate) fn narrow(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        filters: &[Expr],
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(games) = self.found(filters)? else {
            return Ok(plan);
        };
        if plan.is::<EmptyExec>() {
            return Ok(plan);
        }
        let source = plan.downcast_ref::<DataSourceExec>();
        let scan = source.and_then(|it| it.data_source().downcast_ref::<FileScanConfig>());
        let scan = scan.ok_or_else(|| unknown(plan.name()))?;
        let mut groups = Vec::new();
        for group in &scan.file_groups {
            let files = group.iter().map(|file| self.file_of(file, &games));
            let files: Result<Vec<_>> = files.filter_map(Result::transpose).collect();
            groups.push(FileGroup::new(files?));
        }
        groups.retain(|group| !group.is_empty());
        if groups.is_empty() {
            return Ok(Arc::new(EmptyExec::new(plan.schema())));
        }
        // What is known of all rows of the files is not true of these.
        let scan = FileScanConfigBuilder::from(scan.clone())
            .with_statistics(Statistics::new_unknown(scan.file_schema()))
            .with_file_groups(groups);
        Ok(DataSourceExec::from_data_source(scan.build()))
    }

    /// The numbers, rising, of the games in which all positions stand that conditions ask for.
    fn found(&self, filters: &[Expr]) -> Result<Option<Vec<u64>>> {
        let mut found: Option<Vec<u64>> = None;
        for fen in filters.iter().filter_map(asked) {
            let (board, turn) = position::read(&fen)?;
            let turns = Color::ALL
                .into_iter()
                .filter(|it| turn.is_none_or(|turn| turn == *it));
            let mut games = Vec::new();
            for turn in turns {
                let key = PositionKey::of_pieces(&PiecePlacement::of(&board), turn);
                games.extend(self.positions.find(key).map_err(failed)?);
            }
            games.sort_unstable();
            games.dedup();
            if let Some(found) = &found {
                games.retain(|game| found.binary_search(game).is_ok());
            }
            found = Some(games);
        }
        Ok(found)
    }

    /// A file with those of its rows that hold one of the games; `None` where it has none of them.
    fn file_of(&self, file: &PartitionedFile, games: &[u64]) -> Result<Option<PartitionedFile>> {
        let location = &file.object_meta.location;
        let known = self.files.iter().find(|(other, _)| other == location);
        let (_, numbers) = known.ok_or_else(|| unknown(location.as_ref()))?;
        let from = games.partition_point(|game| *game < numbers.start);
        let to = games.partition_point(|game| *game < numbers.end);
        let games = games.get(from..to).unwrap_or_default();
        if games.is_empty() {
            return Ok(None);
        }
        let row = |game: u64| usize::try_from(game - numbers.start).unwrap_or(usize::MAX);
        let rows = games.iter().map(|game| row(*game)..row(*game) + 1);
        let selection = RowSelection::from_consecutive_ranges(rows, row(numbers.end));
        let file = PartitionedFile {
            statistics: None,
            ..file.clone()
        };
        Ok(Some(
            file.with_extension(ParquetRowSelection::new(selection)),
        ))
    }
}

/// A part of a plan that was not meant to come here.
fn unknown(name: &str) -> DataFusionError {
    DataFusionError::Internal(format!("{name} does not read games of a lake"))
}

/// The position that a condition asks of the games as they are.
pub(crate) fn asked(filter: &Expr) -> Option<String> {
    let Expr::ScalarFunction(call) = filter else {
        return None;
    };
    let is_column = |it: &Expr, name: &str| matches!(it, Expr::Column(it) if it.name == name);
    let (moves, fen) = match &call.args[..] {
        [moves, fen] => (moves, fen),
        [moves, fen, start] if is_column(start, "fen") => (moves, fen),
        _ => return None,
    };
    let is_it = call.name() == HAS_POSITION && is_column(moves, "moves");
    let Expr::Literal(fen, _) = fen else {
        return None;
    };
    let fen = fen.try_as_str().flatten().filter(|_| is_it);
    fen.map(str::to_owned)
}
