//! A session: what queries may do, with how much memory, and what they know of chess.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::dataframe::DataFrame;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::parquet::errors::ParquetError;
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};

use crate::files::Files;
use crate::read_games::{self, ReadGames};
use crate::roots::Roots;
use crate::{functions, guard};

const CATALOG: &str = "tabiya";
const SCHEMA: &str = "files";
/// How much of its memory limit a session writes to disk at most, in times of it.
const DISK: u64 = 64;

/// What a session is given.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Bytes of memory for what grows with a query.
    pub(crate) memory: usize,
    /// Threads.
    pub(crate) threads: usize,
    /// Where it spills to.
    pub(crate) spill: PathBuf,
}

/// Answers queries.
pub(crate) struct Session {
    pub(crate) context: SessionContext,
    files: Arc<Files>,
}

impl Session {
    /// A session over the files that `roots` opens.
    pub(crate) fn new(roots: Roots, limits: &Limits) -> Result<Session> {
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(FairSpillPool::new(limits.memory)))
            .with_disk_manager_builder(
                DiskManagerBuilder::default()
                    .with_mode(DiskManagerMode::Directories(vec![limits.spill.clone()]))
                    .with_max_temp_directory_size((limits.memory as u64).saturating_mul(DISK)),
            )
            .build_arc()?;
        let state = SessionStateBuilder::new()
            .with_config(config(limits))
            .with_runtime_env(runtime)
            .with_default_features()
            .build();
        let context = SessionContext::new_with_state(state);
        let files = Arc::new(Files::new(roots));
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
        for function in functions::all() {
            context.register_udf(function);
        }
        context.register_udtf(read_games::NAME, Arc::new(ReadGames(Arc::clone(&files))));
        Ok(Session { context, files })
    }

    /// The answer of a query, which is computed while it is taken.
    pub(crate) async fn query(&self, text: &str) -> Result<DataFrame> {
        self.files.forget();
        let state = self.context.state();
        let statement = guard::read(&state, text)?;
        let plan = state.statement_to_plan(statement).await?;
        // What is refused by its words already is refused by its plan as well.
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&plan)?;
        self.context.execute_logical_plan(plan).await
    }
}

/// The most that a sort keeps free for merging what it has spilled.
const MERGE: usize = 10 << 20;

fn config(limits: &Limits) -> SessionConfig {
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
    match error.find_root() {
        DataFusionError::Plan(words) => missing(words).unwrap_or_else(|| words.clone()),
        DataFusionError::Execution(words)
        | DataFusionError::NotImplemented(words)
        | DataFusionError::Configuration(words) => words.clone(),
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
        DataFusionError::ParquetError(error) => match error.as_ref() {
            ParquetError::External(error) => match error.downcast_ref::<DataFusionError>() {
                Some(error) => words(error),
                None => error.to_string(),
            },
            error => error.to_string(),
        },
        // The columns that there are come behind it, on a line as long as there are many.
        other => {
            let words = other.strip_backtrace();
            let first = words.lines().next().unwrap_or_default();
            first.trim_start_matches("Schema error: ").to_owned()
        }
    }
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
