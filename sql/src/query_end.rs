//! Queries that nobody waits for any more: their running parts end at the next batch.
//!
//! Dropping a stream is not enough: operators have tasks of their own, and a join can make batches for hours without a pause.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

/// Whether a query, or a part of one, is over.
#[derive(Debug, Default)]
pub(crate) struct QueryEndFlag(AtomicBool);

impl QueryEndFlag {
    /// Says that it is.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Which parts of a join have given something: what a join keeps in memory it has gathered by then.
type JoinProgress = Arc<[AtomicBool]>;

/// A query is over when this is dropped.
#[derive(Default)]
pub(crate) struct QueryGuard {
    over: Arc<QueryEndFlag>,
    joins: Mutex<Vec<JoinProgress>>,
}

impl QueryGuard {
    /// The plan of the query.
    pub(crate) fn of(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        guarded_plan(plan, &self.over, &|parts| {
            let begun: JoinProgress = (0..parts).map(|_| AtomicBool::new(false)).collect();
            let mut joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
            joins.push(Arc::clone(&begun));
            begun
        })
    }

    /// Whether every join has gathered what it keeps.
    pub(crate) fn have_started(&self) -> bool {
        let joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parts = joins.iter().flat_map(|parts| parts.iter());
        parts.all(|part| part.load(Ordering::Relaxed))
    }
}

impl Drop for QueryGuard {
    fn drop(&mut self) {
        self.over.set();
    }
}

/// What is said to operators; nobody else hears it.
pub(crate) fn refusal() -> DataFusionError {
    DataFusionError::Execution("the client no longer waits for the answer".into())
}

/// A plan that ends when it is over. Joins alone make much of little: what takes their batches is told. `begun` is asked where it is noted
/// which of the parts of a join have begun.
pub(crate) fn guarded_plan(
    plan: Arc<dyn ExecutionPlan>,
    over: &Arc<QueryEndFlag>,
    begun: &dyn Fn(usize) -> JoinProgress,
) -> Result<Arc<dyn ExecutionPlan>> {
    let wrap = |node: Arc<dyn ExecutionPlan>| {
        Ok(if node.name().contains("Join") {
            let begun = begun(node.properties().partitioning.partition_count());
            let over = Arc::clone(over);
            Transformed::yes(Arc::new(GuardedJoin {
                inner: node,
                over,
                begun,
            }) as _)
        } else {
            Transformed::no(node)
        })
    };
    Ok(plan.transform_up(wrap)?.data)
}

/// A join whose batches come until it is over.
#[derive(Debug)]
struct GuardedJoin {
    inner: Arc<dyn ExecutionPlan>,
    over: Arc<QueryEndFlag>,
    begun: JoinProgress,
}

impl DisplayAs for GuardedJoin {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ExecutionPlan for GuardedJoin {
    fn name(&self) -> &'static str {
        "Ending"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.inner]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.into_iter().next() {
            Some(inner) => Ok(Arc::new(GuardedJoin {
                inner,
                over: Arc::clone(&self.over),
                begun: Arc::clone(&self.begun),
            })),
            None => Ok(self),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let (over, begun) = (Arc::clone(&self.over), Arc::clone(&self.begun));
        let stream = self.inner.execute(partition, context)?;
        let schema = stream.schema();
        // The end of the rows is a beginning too.
        let stream = stream.map(Some).chain(futures::stream::iter([None]));
        let stream = stream.filter_map(move |batch| {
            if let Some(begun) = begun.get(partition)
                && !matches!(batch, Some(Err(_)))
            {
                begun.store(true, Ordering::Relaxed);
            }
            let batch = match batch {
                Some(_) if over.is_set() => Some(Err(refusal())),
                batch => batch,
            };
            std::future::ready(batch)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
    }
}
