//! Parquet files as tables: the files of a path, and how they are read.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::config::TableParquetOptions;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use tabiya::formats::lake::{LakeManifest, manifest};
use tabiya_columns::{Error, ParquetReader};
use url::Url;

use crate::position_filter::{self, LakePositionFilter};
use crate::roots::{AllowedRoots, refuse};
use crate::table::failed;

/// How deep folders of Parquet files are looked into.
pub(crate) const DEPTH: usize = 8;
/// How many files a folder may hold as one table.
pub(crate) const MOST_FILES: usize = 100_000;

/// Parquet files that a path stands for.
#[derive(Debug, Default)]
pub(crate) struct ParquetFileSet {
    files: Vec<PathBuf>,
    /// The lake whose games they hold, and the numbers of those in each file.
    games: Option<(PathBuf, Vec<Range<u64>>)>,
}

/// The Parquet files that a path stands for, if that is what it holds.
pub(crate) fn files(roots: &AllowedRoots, real: &Path) -> Result<Option<ParquetFileSet>> {
    let mut found = ParquetFileSet::default();
    if !real.is_dir() {
        found
            .files
            .extend(is_parquet(real).then(|| real.to_owned()));
    } else if let Some(listed) = listed(roots, real)? {
        found = listed;
    } else {
        collect(roots, real, 0, &mut found.files)?;
        found.files.sort();
    }
    Ok((!found.files.is_empty()).then_some(found))
}

fn is_parquet(path: &Path) -> bool {
    let mut head = [0; 4];
    std::fs::File::open(path)
        .and_then(|mut file| file.read_exact(&mut head))
        .is_ok_and(|()| &head == tabiya_columns::MAGIC)
}

/// The files of a lake, or of a folder within one, as its manifest lists them: what else lies there does not exist. The lake itself
/// stands for its games, since its other tables have columns of their own.
fn listed(roots: &AllowedRoots, real: &Path) -> Result<Option<ParquetFileSet>> {
    for lake in real.ancestors().take(DEPTH) {
        if roots.resolve(lake).is_err() {
            break;
        }
        let Some(manifest) = LakeManifest::of_folder(lake).map_err(failed)? else {
            continue;
        };
        let games = lake.join(manifest::GAMES);
        let wanted = if lake == real { &games } else { real };
        let entries = manifest.tables.values().flatten();
        let (mut files, mut numbers) = (Vec::new(), Vec::new());
        for entry in entries {
            let path = entry.path_in(lake);
            if path.starts_with(wanted) {
                files.push(roots.resolve(&path)?);
                numbers.push(entry.games.0..entry.games.1);
            }
        }
        let is_games = wanted.starts_with(&games);
        return Ok(Some(ParquetFileSet {
            files,
            games: is_games.then(|| (lake.to_owned(), numbers)),
        }));
    }
    Ok(None)
}

fn collect(
    roots: &AllowedRoots,
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What others have not finished begins so.
        if name.starts_with(['.', '_']) {
            continue;
        }
        let is_named = path.extension().is_some_and(|it| it == "parquet");
        if path.is_dir() && !path.is_symlink() && depth < DEPTH {
            collect(roots, &path, depth + 1, files)?;
        } else if is_named && path.is_file() {
            files.push(roots.resolve(&path)?);
            if files.len() > MOST_FILES {
                return Err(refuse("a folder has too many Parquet files"));
            }
        }
    }
    Ok(())
}

fn url_of(file: &Path) -> Result<ListingTableUrl> {
    // The path is one that was resolved, and no pattern.
    let url = Url::from_file_path(file)
        .map_err(|()| refuse(format!("{}: not a path of a file", file.display())))?;
    ListingTableUrl::try_new(url, None)
}

/// The table of some Parquet files.
pub(crate) async fn table(
    state: &dyn Session,
    found: &ParquetFileSet,
    is_near: bool,
) -> Result<Arc<dyn TableProvider>> {
    let mut urls = Vec::with_capacity(found.files.len());
    let (mut has_sums, mut doubt) = (false, None);
    for file in &found.files {
        let name = file.display().to_string();
        match ParquetReader::of_file(file) {
            Ok(table) => has_sums |= table.has_sums(),
            Err(error @ Error::Changed { .. }) => return Err(refuse(format!("{name}: {error}"))),
            // What we do not read others may.
            Err(error) => {
                doubt.get_or_insert(format!("{name}: {error}"));
            }
        }
        urls.push(url_of(file)?);
    }
    let table = ParquetTable::open(state, urls, has_sums).await;
    let table = table.map_err(|error| doubted(doubt.as_ref(), error))?;
    let games = match &found.games {
        Some((lake, numbers)) if is_near => LakePositionFilter::open(lake, &found.files, numbers)?,
        _ => None,
    };
    Ok(Arc::new(ParquetTable {
        doubt,
        games,
        ..table
    }))
}

/// How files are read.
fn options(has_sums: bool) -> ListingOptions {
    let mut options = TableParquetOptions::default();
    options.global.pushdown_filters = true;
    options.global.reorder_filters = true;
    // Where pages begin is told outside of columns and footer, and has no sum; and what stands before a footer is not read with it,
    // since that would be a column that nobody asked for.
    options.global.enable_page_index = !has_sums;
    if has_sums {
        options.global.metadata_size_hint = None;
    }
    let format = ParquetFormat::default().with_options(options);
    ListingOptions::new(Arc::new(format)).with_file_extension("")
}

/// What is told where a file is not read: what our own reader found in it, which names it.
fn doubted(doubt: Option<&String>, error: DataFusionError) -> DataFusionError {
    match doubt {
        Some(words) => refuse(words),
        None => error,
    }
}

/// Parquet files of one table.
#[derive(Debug)]
pub(crate) struct ParquetTable {
    files: ListingTable,
    /// Whether columns have sums, which the store compares.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "clusters send it")
    )]
    has_sums: bool,
    /// What our own reader has against a file.
    doubt: Option<String>,
    /// In which of its games a position is, if that is known.
    games: Option<LakePositionFilter>,
}

impl ParquetTable {
    /// The files at some addresses, of which the first tells the columns.
    pub(crate) async fn open(
        state: &dyn Session,
        urls: Vec<ListingTableUrl>,
        has_sums: bool,
    ) -> Result<ParquetTable> {
        let first = urls
            .first()
            .ok_or_else(|| DataFusionError::Internal("no file".into()))?;
        let schema = options(has_sums).infer_schema(state, first).await?;
        ParquetTable::new(urls, schema, has_sums)
    }

    /// The files at some addresses, with columns that are known.
    pub(crate) fn new(
        urls: Vec<ListingTableUrl>,
        schema: SchemaRef,
        has_sums: bool,
    ) -> Result<ParquetTable> {
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(options(has_sums))
            .with_schema(schema);
        Ok(ParquetTable {
            files: ListingTable::try_new(config)?,
            has_sums,
            doubt: None,
            games: None,
        })
    }

    /// The addresses of its files.
    #[cfg(feature = "cluster")]
    pub(crate) fn urls(&self) -> Vec<String> {
        let urls = self.files.table_paths().iter();
        urls.map(|url| url.as_str().to_owned()).collect()
    }

    /// Whether its columns have sums.
    #[cfg(feature = "cluster")]
    pub(crate) fn has_sums(&self) -> bool {
        self.has_sums
    }
}

#[async_trait]
impl TableProvider for ParquetTable {
    fn schema(&self) -> SchemaRef {
        self.files.schema()
    }

    fn table_type(&self) -> TableType {
        self.files.table_type()
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let mut supported = self.files.supports_filters_pushdown(filters)?;
        if self.games.is_some() {
            for (filter, supported) in filters.iter().zip(&mut supported) {
                if position_filter::asked(filter).is_some() {
                    *supported = TableProviderFilterPushDown::Exact;
                }
            }
        }
        Ok(supported)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.files.scan(state, projection, filters, limit).await;
        let plan = plan.map_err(|error| doubted(self.doubt.as_ref(), error))?;
        match &self.games {
            Some(games) => games.narrow(plan, filters),
            None => Ok(plan),
        }
    }
}
