//! The scan of a table, as a step of a plan.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::{filter_record_batch, prep_null_mask_filter};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DataFusionError, Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, create_physical_expr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use tabiya::Selection;
use tabiya::model::Control;

use super::columns::{ColumnNeed, columns, schema};
use super::facts::{FactColumns, failed, is_of_facts};
use super::{DatabaseTable, reader};

/// Rows of a batch.
pub(super) const BATCH: usize = 8192;

/// What rows have to be, decided by facts.
#[derive(Clone, Debug, Default)]
struct ScanFilter {
    /// As it was said.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "clusters send it")
    )]
    words: Vec<Expr>,
    /// The columns that are asked.
    columns: Vec<usize>,
    /// What has to hold for them, by their places among these columns.
    tests: Vec<Arc<dyn PhysicalExpr>>,
}

impl ScanFilter {
    fn new(words: &[Expr]) -> Result<ScanFilter> {
        let mut columns: Vec<usize> = words.iter().flat_map(super::asked).collect();
        columns.sort_unstable();
        columns.dedup();
        let seen = DFSchema::try_from(schema().project(&columns)?)?;
        let (props, context) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        let tests: Result<Vec<_>> = words
            .iter()
            .map(|filter| create_physical_expr(filter, &seen, &props, &context))
            .collect();
        Ok(ScanFilter {
            words: words.to_vec(),
            tests: tests?,
            columns,
        })
    }
}

/// A share of the games.
#[derive(Clone, Debug)]
enum ScanShare {
    /// Games of an indexed base: this part of so many of them, which are all or those that a search finds.
    Indexed { part: usize, turn: u64, of: u64 },
    /// A base that is read through.
    Whole { part: usize },
}

/// Reads games as rows.
#[derive(Debug)]
pub(crate) struct DatabaseScan {
    table: DatabaseTable,
    wanted: Vec<usize>,
    filter: ScanFilter,
    limit: Option<usize>,
    /// How many parts were asked for.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "clusters send it")
    )]
    partitions: usize,
    shares: Vec<ScanShare>,
    properties: Arc<PlanProperties>,
    output: SchemaRef,
}

impl DatabaseScan {
    pub(crate) fn new(
        table: &DatabaseTable,
        wanted: Vec<usize>,
        filters: &[Expr],
        limit: Option<usize>,
        partitions: usize,
    ) -> Result<DatabaseScan> {
        let output = Arc::new(schema().project(&wanted)?);
        let filter = ScanFilter::new(filters)?;
        let mut shares = Vec::new();
        for (part, base) in table.parts.iter().enumerate() {
            match base.indexed() {
                Some(indexed) => {
                    let most = indexed.games().div_ceil(BATCH as u64).max(1);
                    let of = most.min(partitions as u64).max(1);
                    shares.extend((0..of).map(|turn| ScanShare::Indexed { part, turn, of }));
                }
                None => shares.push(ScanShare::Whole { part }),
            }
        }
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&output)),
            Partitioning::UnknownPartitioning(shares.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Ok(DatabaseScan {
            table: table.clone(),
            wanted,
            filter,
            limit,
            shares,
            partitions,
            properties,
            output,
        })
    }

    /// The table that is read.
    pub(crate) fn table(&self) -> &DatabaseTable {
        &self.table
    }

    /// What else it was made of, in the order of [`DatabaseScan::new`].
    #[cfg(feature = "cluster")]
    pub(crate) fn told(&self) -> (&[usize], &[Expr], Option<usize>, usize) {
        let filters = &self.filter.words;
        (&self.wanted, filters, self.limit, self.partitions)
    }

    /// Columns that games are read for.
    fn of_games(&self) -> impl Iterator<Item = usize> + '_ {
        let is_indexed = self.table.is_indexed();
        self.wanted
            .iter()
            .copied()
            .filter(move |&at| !is_indexed || !is_of_facts(at))
    }
}

fn list(places: impl Iterator<Item = usize>) -> String {
    let names: Vec<&str> = places
        .filter_map(|at| columns().get(at))
        .map(|column| column.name)
        .collect();
    names.join(", ")
}

impl DisplayAs for DatabaseScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_indexed = self.table.is_indexed();
        write!(f, "BaseScan: {}", self.table.name)?;
        let of_facts = self
            .wanted
            .iter()
            .copied()
            .filter(|&at| is_indexed && is_of_facts(at));
        let mut of_facts: Vec<usize> = of_facts.collect();
        of_facts.extend(
            self.filter
                .columns
                .iter()
                .copied()
                .filter(|at| !self.wanted.contains(at)),
        );
        if is_indexed {
            write!(f, ", from facts=[{}]", list(of_facts.into_iter()))?;
        }
        let read: Vec<usize> = self.of_games().collect();
        if read.is_empty() && is_indexed {
            f.write_str(", no game read")?;
        } else {
            let needs = read
                .iter()
                .filter_map(|&at| columns().get(at))
                .map(|column| column.need);
            let deepest = needs.max_by_key(|need| match need {
                ColumnNeed::Facts(_) => 0,
                ColumnNeed::Tags => 1,
                ColumnNeed::Moves => 2,
                ColumnNeed::Whole => 3,
            });
            let word = deepest.map_or("tags", |need| match need {
                ColumnNeed::Facts(_) => ColumnNeed::Tags.word(),
                need => need.word(),
            });
            write!(f, ", read {word} for=[{}]", list(read.into_iter()))?;
        }
        if !self.filter.tests.is_empty() {
            let tests: Vec<String> = self.filter.tests.iter().map(|it| it.to_string()).collect();
            write!(f, ", filter={}", tests.join(" AND "))?;
        }
        for search in &self.table.searches {
            write!(f, ", query={:?}", search.text)?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        write!(f, ", partitions={}", self.shares.len())
    }
}

impl ExecutionPlan for DatabaseScan {
    fn name(&self) -> &'static str {
        "BaseScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        datafusion::physical_plan::execution_plan::apply_expression_roots(&self.filter.tests, f)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn partition_statistics(&self, partition: Option<usize>) -> Result<Arc<Statistics>> {
        let statistics = Statistics::new_unknown(&self.output);
        let rows = match partition {
            None if self.filter.tests.is_empty() => self.table.games(),
            _ => None,
        };
        let rows = rows.and_then(|rows| usize::try_from(rows).ok());
        Ok(Arc::new(match (rows, self.limit) {
            (Some(rows), None) => statistics.with_num_rows(Precision::Exact(rows)),
            (Some(rows), Some(limit)) => {
                statistics.with_num_rows(Precision::Inexact(rows.min(limit)))
            }
            (None, _) => statistics,
        }))
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let share = self
            .shares
            .get(partition)
            .cloned()
            .ok_or_else(|| DataFusionError::Internal("no such partition".into()))?;
        let schema = Arc::clone(&self.output);
        match share {
            ScanShare::Whole { part } => {
                let table = self.table.clone();
                reader::stream(table, part, self.wanted.clone(), schema)
            }
            ScanShare::Indexed { part, turn, of } => {
                let batches = ScanBatches {
                    table: self.table.clone(),
                    part,
                    turn,
                    of,
                    plan: BatchPlan::new(&self.wanted, &self.filter, Arc::clone(&schema))?,
                    left: None,
                    rows: self.limit.unwrap_or(usize::MAX),
                };
                let stream = futures::stream::iter(batches);
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
            }
        }
    }
}

/// In which order the columns of a batch come to be.
struct BatchPlan {
    /// Columns from facts: those of the filter first.
    early: Vec<usize>,
    /// How many of them the filter asks for.
    tested: usize,
    /// Columns that games are read for.
    late: Vec<usize>,
    /// Where each column of the output stands among both.
    places: Vec<usize>,
    tests: Vec<Arc<dyn PhysicalExpr>>,
    tested_schema: SchemaRef,
    schema: SchemaRef,
}

impl BatchPlan {
    fn new(wanted: &[usize], filter: &ScanFilter, schema: SchemaRef) -> Result<BatchPlan> {
        let tested_schema = Arc::new(super::schema().project(&filter.columns)?);
        let mut early = filter.columns.clone();
        let mut late = Vec::new();
        for &at in wanted {
            if !is_of_facts(at) {
                late.push(at);
            } else if !early.contains(&at) {
                early.push(at);
            }
        }
        late.sort_unstable();
        late.dedup();
        let both = || early.iter().chain(&late);
        let places = wanted
            .iter()
            .map(|at| both().position(|it| it == at).unwrap_or_default())
            .collect();
        Ok(BatchPlan {
            tested: filter.columns.len(),
            early: early.clone(),
            late: late.clone(),
            places,
            tests: filter.tests.clone(),
            tested_schema,
            schema,
        })
    }

    /// The rows of some games that pass.
    fn batch(&self, base: &FactColumns<'_>, numbers: Vec<u64>) -> Result<RecordBatch> {
        let (tested, rest) = self.early.split_at(self.tested);
        let mut numbers = numbers;
        let mut arrays: Vec<ArrayRef> = Vec::new();
        if !self.tests.is_empty() {
            let columns = base.columns(&numbers, tested)?;
            let options = RecordBatchOptions::new().with_row_count(Some(numbers.len()));
            let mut batch = RecordBatch::try_new_with_options(
                Arc::clone(&self.tested_schema),
                columns,
                &options,
            )?;
            for test in &self.tests {
                let verdict = test.evaluate(&batch)?.into_array(batch.num_rows())?;
                let verdict = match verdict.as_boolean() {
                    // What is unknown does not hold.
                    verdict if verdict.null_count() > 0 => prep_null_mask_filter(verdict),
                    verdict => verdict.clone(),
                };
                batch = filter_record_batch(&batch, &verdict)?;
                numbers = numbers
                    .into_iter()
                    .zip(verdict.values().iter())
                    .filter_map(|(number, stays)| stays.then_some(number))
                    .collect();
            }
            arrays.extend(batch.columns().iter().cloned());
        }
        arrays.extend(base.columns(&numbers, rest)?);
        if !self.late.is_empty() {
            arrays.extend(base.read(&numbers, &self.late)?);
        }
        let columns = self
            .places
            .iter()
            .filter_map(|&at| arrays.get(at).cloned())
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(numbers.len()));
        Ok(RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            columns,
            &options,
        )?)
    }
}

/// The batches of a share of an indexed base.
struct ScanBatches {
    table: DatabaseTable,
    part: usize,
    turn: u64,
    of: u64,
    plan: BatchPlan,
    /// The places of the games that are left, once they are known.
    left: Option<Range<u64>>,
    /// Rows that may still come.
    rows: usize,
}

impl ScanBatches {
    fn step(&mut self) -> Result<Option<RecordBatch>> {
        let parts = Arc::clone(&self.table.parts);
        let Some(base) = parts.get(self.part) else {
            return Ok(None);
        };
        let indexed = base
            .indexed()
            .ok_or_else(|| DataFusionError::Internal("an index is missing".into()))?;
        let found = if self.table.searches.is_empty() {
            None
        } else {
            let cell = self
                .table
                .found
                .get(self.part)
                .ok_or_else(|| DataFusionError::Internal("no such base".into()))?;
            let numbers = cell
                .get_or_init(|| found(&self.table, &base.base).map_err(|error| error.to_string()));
            match numbers {
                Ok(numbers) => Some(numbers),
                Err(words) => return Err(DataFusionError::Execution(words.clone())),
            }
        };
        let all = found.map_or(indexed.games(), |numbers| numbers.len() as u64);
        let left = self.left.get_or_insert_with(|| {
            let at = |turn: u64| {
                let place = u128::from(all) * u128::from(turn) / u128::from(self.of.max(1));
                u64::try_from(place).unwrap_or(all)
            };
            at(self.turn)..at(self.turn + 1)
        });
        while self.rows > 0 && !left.is_empty() {
            let end = left.end.min(left.start.saturating_add(BATCH as u64));
            let numbers: Vec<u64> = match found {
                None => (left.start + 1..end + 1).collect(),
                Some(numbers) => {
                    let range = left.start as usize..end as usize;
                    numbers.get(range).unwrap_or_default().to_vec()
                }
            };
            left.start = end;
            let batch = self.plan.batch(&indexed, numbers)?;
            let rows = batch.num_rows().min(self.rows);
            if rows > 0 {
                self.rows -= rows;
                return Ok(Some(batch.slice(0, rows)));
            }
        }
        Ok(None)
    }
}

impl Iterator for ScanBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        self.step().transpose()
    }
}

/// The numbers of the games of a base that all searches of a table find.
fn found(table: &DatabaseTable, base: &tabiya::Base) -> Result<Vec<u64>> {
    let control = Control::default();
    let mut all: Option<Vec<u64>> = None;
    for search in &table.searches {
        let games = Selection {
            query: Some(Arc::clone(&search.query)),
            ..Selection::of([base.clone()])
        };
        // Where a query chooses, the games are always listed.
        let numbers = games.numbers_in(base, &control).map_err(failed)?;
        let numbers = numbers.unwrap_or_default();
        all = Some(match all {
            None => numbers,
            Some(mut kept) => {
                kept.retain(|number| numbers.binary_search(number).is_ok());
                kept
            }
        });
    }
    Ok(all.unwrap_or_default())
}
