//! Parquet files as tables: which files a path stands for, and the sums that are compared while their columns are read.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl, PartitionedFile,
};
use datafusion::datasource::physical_plan::{
    FileScanConfig, FileScanConfigBuilder, ParquetFileReaderFactory, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use tabiya::formats::lake::{Manifest, manifest};
use tabiya_columns::{Error, Table};
use url::Url;

use crate::roots::{Roots, refuse};
use crate::table::failed;

/// How deep folders of Parquet files are looked into.
const DEPTH: usize = 8;
/// How many files a folder may hold as one table.
const MOST_FILES: usize = 100_000;

/// The Parquet files that a path stands for, if that is what it holds.
pub(crate) fn files(roots: &Roots, real: &Path) -> Result<Option<Vec<PathBuf>>> {
    if !real.is_dir() {
        return Ok(is_parquet(real).then(|| vec![real.to_owned()]));
    }
    let files = match listed(roots, real)? {
        Some(files) => files,
        None => {
            let mut files = Vec::new();
            collect(roots, real, 0, &mut files)?;
            files.sort();
            files
        }
    };
    Ok((!files.is_empty()).then_some(files))
}

fn is_parquet(path: &Path) -> bool {
    let mut head = [0; 4];
    std::fs::File::open(path)
        .and_then(|mut file| file.read_exact(&mut head))
        .is_ok_and(|()| &head == tabiya_columns::MAGIC)
}

/// The files of a lake, or of a folder within one, as its manifest lists them: what else lies there does not exist. The lake itself
/// stands for its games, since its other tables have columns of their own.
fn listed(roots: &Roots, real: &Path) -> Result<Option<Vec<PathBuf>>> {
    for lake in real.ancestors().take(DEPTH) {
        if roots.resolve(lake).is_err() {
            break;
        }
        let Some(manifest) = Manifest::of_folder(lake).map_err(failed)? else {
            continue;
        };
        let wanted = if lake == real {
            lake.join(manifest::GAMES)
        } else {
            real.to_owned()
        };
        let entries = manifest.tables.values().flatten();
        let paths = entries.map(|entry| entry.path_in(lake));
        return paths
            .filter(|path| path.starts_with(&wanted))
            .map(|path| roots.resolve(&path))
            .collect::<Result<_>>()
            .map(Some);
    }
    Ok(None)
}

fn collect(roots: &Roots, folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
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
    files: &[PathBuf],
) -> Result<Arc<dyn TableProvider>> {
    let mut sums = HashMap::new();
    let mut urls = Vec::with_capacity(files.len());
    let mut doubt = None;
    for file in files {
        let url = url_of(file)?;
        let name = file.display().to_string();
        match Table::of_file(file) {
            Ok(table) if table.has_sums() => {
                sums.insert(url.prefix().to_string(), Arc::new(Summed { name, table }));
            }
            Ok(_) => {}
            Err(error @ Error::Changed { .. }) => return Err(refuse(format!("{name}: {error}"))),
            // What we do not read others may.
            Err(error) => {
                doubt.get_or_insert(format!("{name}: {error}"));
            }
        }
        urls.push(url);
    }
    let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
    let first = urls
        .first()
        .cloned()
        .ok_or_else(|| DataFusionError::Internal("no file".into()))?;
    let schema = options.infer_schema(state, &first).await;
    let schema = schema.map_err(|error| doubted(doubt.as_ref(), error))?;
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(schema);
    let files = ListingTable::try_new(config)?;
    Ok(Arc::new(ParquetTable {
        files,
        sums: Arc::new(sums),
        doubt,
    }))
}

/// What is told where a file is not read: what our own reader found in it, which names it.
fn doubted(doubt: Option<&String>, error: DataFusionError) -> DataFusionError {
    match doubt {
        Some(words) => refuse(words),
        None => error,
    }
}

/// A file whose columns have sums.
#[derive(Debug)]
struct Summed {
    name: String,
    table: Table,
}

/// Parquet files of one table.
#[derive(Debug)]
struct ParquetTable {
    files: ListingTable,
    /// Those that have sums, by their paths as the store of objects writes them.
    sums: Arc<HashMap<String, Arc<Summed>>>,
    /// What our own reader has against a file.
    doubt: Option<String>,
}

impl ParquetTable {
    /// The same scan with columns compared with their sums; `None` where it reads no Parquet file.
    fn checked(&self, plan: &dyn ExecutionPlan) -> Option<Arc<dyn ExecutionPlan>> {
        let source = plan.downcast_ref::<DataSourceExec>()?.data_source();
        let config = source.downcast_ref::<FileScanConfig>()?;
        let source = config.file_source().downcast_ref::<ParquetSource>()?;
        let reader = Arc::new(CheckedFiles {
            inner: Arc::clone(source.parquet_file_reader_factory()?),
            sums: Arc::clone(&self.sums),
        });
        // Where pages begin is told outside of columns and footer, and has no sum.
        let source = source
            .clone()
            .with_enable_page_index(false)
            .with_parquet_file_reader_factory(reader);
        let config = FileScanConfigBuilder::from(config.clone()).with_source(Arc::new(source));
        Some(DataSourceExec::from_data_source(config.build()))
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
        self.files.supports_filters_pushdown(filters)
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
        if self.sums.is_empty() {
            return Ok(plan);
        }
        let plan = plan.transform_up(|part| {
            Ok(match self.checked(part.as_ref()) {
                Some(checked) => Transformed::yes(checked),
                None => Transformed::no(part),
            })
        })?;
        Ok(plan.data)
    }
}

/// Opens files for reading with their sums.
#[derive(Debug)]
struct CheckedFiles {
    inner: Arc<dyn ParquetFileReaderFactory>,
    sums: Arc<HashMap<String, Arc<Summed>>>,
}

impl ParquetFileReaderFactory for CheckedFiles {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        hint: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let summed = self.sums.get(file.object_meta.location.as_ref()).cloned();
        let inner = self.inner.create_reader(partition, file, hint, metrics)?;
        Ok(match summed {
            Some(summed) => Box::new(CheckedFile { inner, summed }),
            None => inner,
        })
    }
}

/// A file whose columns are compared with their sums before they are read.
struct CheckedFile {
    inner: Box<dyn AsyncFileReader + Send>,
    summed: Arc<Summed>,
}

impl CheckedFile {
    fn check(&self, range: &Range<u64>) -> ParquetResult<()> {
        self.summed.table.check_range(range).map_err(|error| {
            let words = format!("{}: {error}", self.summed.name);
            ParquetError::External(Box::new(DataFusionError::Execution(words)))
        })
    }
}

impl AsyncFileReader for CheckedFile {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        match self.check(&range) {
            Ok(()) => self.inner.get_bytes(range),
            Err(error) => async { Err(error) }.boxed(),
        }
    }

    fn get_byte_ranges(
        &mut self,
        ranges: Vec<Range<u64>>,
    ) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        match ranges.iter().try_for_each(|range| self.check(range)) {
            Ok(()) => self.inner.get_byte_ranges(ranges),
            Err(error) => async { Err(error) }.boxed(),
        }
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        self.inner.get_metadata(options)
    }
}
