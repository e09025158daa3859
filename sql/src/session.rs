//! A session: what queries may do, with how much memory, and their chess functions.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, Result};
use datafusion::dataframe::DataFrame;
use datafusion::datasource::source_as_provider;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};

use crate::cluster_member::SchedulerAddress;
use crate::failure_words::{CATALOG, SCHEMA};
use crate::file_tables::FileTables;
use crate::functions::FunctionSet;
use crate::parquet::ParquetTable;
use crate::read_games::{self, ReadGamesFunction};
use crate::roots::{AllowedRoots, refuse};
use crate::row_buffer::RowBuffer;
use crate::series::{SeriesFunction, SeriesTable};
use crate::session_environment::{SessionLimits, environment, teach};
use crate::table::DatabaseTable;
use crate::{cluster, statement_check};

/// The part of its memory that the first rows of a query take at most, while they wait.
const HELD: usize = 16;

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
                    "a cluster does not answer recursive queries (WITH RECURSIVE): run it without --cluster",
                ));
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if is_here && is_there {
        return Err(refuse(
            "a cluster does not answer queries about both its own tables and files: run it without --cluster",
        ));
    }
    Ok(is_here)
}

/// Whether a plan has no rows, whatever stands in files.
fn is_empty(state: &SessionState, plan: &LogicalPlan) -> Result<bool> {
    let is_explained = matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
    Ok(!is_explained && matches!(state.optimize(plan)?, LogicalPlan::EmptyRelation(_)))
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
