//! A session: what queries may do, with how much memory, and what they know of chess.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, DataFusionError, Result};
use datafusion::dataframe::DataFrame;
use datafusion::datasource::source_as_provider;
use datafusion::execution::FunctionRegistry;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};

use crate::cluster_member::SchedulerAddress;
use crate::file_tables::FileTables;
use crate::functions::FunctionSet;
use crate::parquet::ParquetTable;
use crate::read_games::{self, ReadGamesFunction};
use crate::roots::{AllowedRoots, refuse};
use crate::row_buffer::RowBuffer;
use crate::series::{SeriesFunction, SeriesTable};
use crate::store::{ObjectStores, SentenceError};
use crate::table::DatabaseTable;
use crate::{cluster, statement_check};

const CATALOG: &str = "tabiya";
const SCHEMA: &str = "files";
/// How much of its memory limit a session writes to disk at most, in times of it.
const DISK: u64 = 64;
/// The part of its memory that the first rows of a query take at most, while they wait.
const HELD: usize = 16;

/// What a session is given.
#[derive(Clone, Debug)]
pub(crate) struct SessionLimits {
    /// Bytes of memory for what grows with a query.
    pub(crate) memory: usize,
    /// Threads.
    pub(crate) threads: usize,
    /// Where it spills to.
    pub(crate) spill: PathBuf,
}

/// Answers queries.
pub(crate) struct SqlSession {
    pub(crate) context: SessionContext,
    files: Arc<FileTables>,
    /// What this program plans itself.
    own: SessionState,
    /// The scheduler that answers.
    cluster: Option<SchedulerAddress>,
    limits: SessionLimits,
}

impl SqlSession {
    /// The scheduler that answers, where it is not this program.
    pub(crate) fn cluster(&self) -> Option<&SchedulerAddress> {
        self.cluster.as_ref()
    }

    /// The memory that a query may have.
    pub(crate) fn memory(&self) -> usize {
        self.limits.memory
    }

    /// Holds rows with some columns until they are let go.
    pub(crate) fn held(&self, schema: &SchemaRef) -> RowBuffer {
        let SessionLimits { memory, spill, .. } = &self.limits;
        RowBuffer::new(Arc::clone(schema), memory / HELD, spill.clone())
    }

    /// A session over the files that `roots` opens.
    ///
    /// Where `cluster` tells of a scheduler, it plans and its executors compute.
    pub(crate) fn new(
        roots: AllowedRoots,
        limits: SessionLimits,
        cluster: Option<SchedulerAddress>,
    ) -> Result<SqlSession> {
        let files = Arc::new(FileTables::new(roots.clone(), cluster.is_none()));
        let state = SessionStateBuilder::new()
            .with_config(config(&limits))
            .with_runtime_env(environment(roots.clone(), &limits)?)
            .with_default_features()
            .build();
        let mut own = state.clone();
        let mut state = match &cluster {
            Some(place) => cluster::client(state, &roots, place)?,
            None => state,
        };
        for state in [&mut own, &mut state] {
            teach(state, FunctionSet::new(limits.memory))?;
        }
        let context = SessionContext::new_with_state(state);
        let inner = context.state_ref();
        let inner = Arc::downgrade(&inner);
        let fallback = context.state();
        files.ask(Arc::new(move || {
            inner
                .upgrade()
                .map_or_else(|| fallback.clone(), |state| state.read().clone())
        }));
        let catalog = MemoryCatalogProvider::new();
        catalog.register_schema(SCHEMA, Arc::clone(&files) as _)?;
        context.register_catalog(CATALOG, Arc::new(catalog));
        context.register_udtf(
            read_games::NAME,
            Arc::new(ReadGamesFunction(Arc::clone(&files))),
        );
        for series in SeriesFunction::ALL {
            context.register_udtf(series.name(), Arc::new(series));
        }
        Ok(SqlSession {
            context,
            files,
            own,
            cluster,
            limits,
        })
    }

    /// The answer of a query, which is computed while it is taken.
    pub(crate) async fn query(&self, text: &str) -> Result<DataFrame> {
        self.files.forget();
        let state = self.context.state();
        let mut statement = statement_check::read(&state, text)?;
        if self.cluster.is_some() {
            statement_check::spell_out(&mut statement)?;
        }
        let plan = state.statement_to_plan(statement).await?;
        // What is refused by its words already is refused by its plan as well.
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&plan)?;
        if matches!(plan, LogicalPlan::DescribeTable(_)) {
            // Columns are told here, whoever computes.
            return Ok(DataFrame::new(self.own.clone(), plan));
        }
        let plan = match self.cluster {
            Some(_) if is_of_here(&plan)? => return Ok(DataFrame::new(self.own.clone(), plan)),
            // An answer without rows, of which a cluster would not know the columns.
            Some(_) if is_empty(&state, &plan)? => {
                return Ok(DataFrame::new(self.own.clone(), plan));
            }
            Some(_) => named(plan)?,
            None => plan,
        };
        self.context.execute_logical_plan(plan).await
    }
}

/// Whether a plan asks about nothing but what this program knows itself, such as the names of columns. What asks about that and about
/// files at once is no question for a cluster, and no recursive one is.
fn is_of_here(plan: &LogicalPlan) -> Result<bool> {
    let (mut is_here, mut is_there) = (false, false);
    plan.apply_with_subqueries(|part| {
        match part {
            LogicalPlan::TableScan(scan) => {
                let provider = source_as_provider(&scan.source)?;
                let is_sent = provider.is::<DatabaseTable>()
                    || provider.is::<ParquetTable>()
                    || provider.is::<SeriesTable>();
                *(if is_sent { &mut is_there } else { &mut is_here }) = true;
            }
            LogicalPlan::RecursiveQuery(_) => {
                return Err(refuse(
                    "a cluster does not answer recursive queries (WITH RECURSIVE): ask without --cluster",
                ));
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if is_here && is_there {
        return Err(refuse(
            "a cluster does not answer what asks about its tables and about files at once: ask without --cluster",
        ));
    }
    Ok(is_here)
}

/// Whether a plan has no rows, whatever stands in files.
fn is_empty(state: &SessionState, plan: &LogicalPlan) -> Result<bool> {
    let is_explained = matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
    Ok(!is_explained && matches!(state.optimize(plan)?, LogicalPlan::EmptyRelation(_)))
}

/// Lets a state know functions.
pub(crate) fn teach(state: &mut SessionState, known: FunctionSet) -> Result<()> {
    for function in known.scalar {
        state.register_udf(function)?;
    }
    for function in known.aggregate {
        state.register_udaf(function)?;
    }
    for function in known.window {
        state.register_udwf(function)?;
    }
    Ok(())
}

/// A plan whose columns are called as they are where this program computes itself.
fn named(plan: LogicalPlan) -> Result<LogicalPlan> {
    let columns = plan.schema().columns();
    let is_spelt = |column: &Column| statement_check::spelt(&column.name) != column.name;
    if matches!(plan, LogicalPlan::Explain(_)) || !columns.iter().any(is_spelt) {
        return Ok(plan);
    }
    let named = columns.into_iter().map(|column| {
        let name = statement_check::spelt(&column.name);
        Expr::Column(column).alias(name)
    });
    let named: Vec<Expr> = named.collect();
    LogicalPlanBuilder::from(plan).project(named)?.build()
}

/// Memory, disk and files of what computes.
pub(crate) fn environment(roots: AllowedRoots, limits: &SessionLimits) -> Result<Arc<RuntimeEnv>> {
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(limits.memory)))
        .with_disk_manager_builder(
            DiskManagerBuilder::default()
                .with_mode(DiskManagerMode::Directories(vec![limits.spill.clone()]))
                .with_max_temp_directory_size((limits.memory as u64).saturating_mul(DISK)),
        )
        .with_object_store_registry(Arc::new(ObjectStores::new(roots)))
        .build_arc()
}

/// The most that a sort keeps free for merging what it has spilled.
const MERGE: usize = 10 << 20;

fn config(limits: &SessionLimits) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_target_partitions(limits.threads)
        .with_default_catalog_and_schema(CATALOG, SCHEMA)
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(true);
    let options = config.options_mut();
    options.execution.sort_spill_reservation_bytes = MERGE.min(limits.memory / 16 / limits.threads);
    options.execution.parquet.pushdown_filters = true;
    options.execution.parquet.reorder_filters = true;
    config
}

/// What went wrong, in a sentence for people.
pub(crate) fn words(error: &DataFusionError) -> String {
    if let Some(words) = said(error) {
        return words;
    }
    if is_full(error) {
        return "there is no room left where the query spills what does not fit into its memory: it may have more (--memory), or \
                TMPDIR may name another folder"
            .into();
    }
    match error.find_root() {
        DataFusionError::Plan(words) => missing(words).unwrap_or_else(|| words.clone()),
        DataFusionError::Execution(words) => cluster::sentence(words),
        DataFusionError::NotImplemented(words) | DataFusionError::Configuration(words) => {
            words.clone()
        }
        DataFusionError::ResourcesExhausted(words) => {
            let words = words.lines().next().unwrap_or_default();
            format!("the query needs more memory or disk than it may have (--memory): {words}")
        }
        DataFusionError::SQL(error, _) => format!("the query cannot be read: {error}"),
        DataFusionError::External(error) => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(inner) = cause {
                let more = inner.to_string();
                if !text.contains(&more) {
                    text.push_str(": ");
                    text.push_str(&more);
                }
                cause = inner.source();
            }
            text
        }
        DataFusionError::ParquetError(error) => error.to_string(),
        // The columns that there are come behind it, on a line as long as there are many.
        other => {
            let words = other.strip_backtrace();
            let first = words.lines().next().unwrap_or_default();
            first.trim_start_matches("Schema error: ").to_owned()
        }
    }
}

/// Whether a disk has no room left.
fn is_full(error: &DataFusionError) -> bool {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        let io = match error.downcast_ref() {
            Some(ArrowError::IoError(_, io)) => Some(io),
            _ => error.downcast_ref::<io::Error>(),
        };
        if io.is_some_and(|io| io.kind() == io::ErrorKind::StorageFull) {
            return true;
        }
        next = error.source();
    }
    false
}

/// A sentence that somewhere below was meant for people.
fn said(error: &DataFusionError) -> Option<String> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(SentenceError(words)) = error.downcast_ref::<SentenceError>() {
            return Some(words.clone());
        }
        next = error.source();
    }
    None
}

/// What is said where a table is not there.
fn missing(words: &str) -> Option<String> {
    let name = words
        .strip_prefix(&format!("table '{CATALOG}.{SCHEMA}."))?
        .strip_suffix("' not found")?;
    Some(format!(
        "there is no table {name}: files stand in quotes, as in FROM 'games.si5'"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_as_one() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let arrow = ArrowError::IoError("IO error".into(), full());
        for error in [
            DataFusionError::from(arrow),
            DataFusionError::from(full()),
            DataFusionError::External(Box::new(full())).context("while sorting"),
        ] {
            assert!(words(&error).contains("no room left"), "{}", words(&error));
        }
        let other = DataFusionError::from(io::Error::from(io::ErrorKind::NotFound));
        assert!(!words(&other).contains("no room left"));
    }
}
