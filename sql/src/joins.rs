//! Joins that spill to disk. A hash join keeps one side in memory, and cannot spill; one that sorts both sides can.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DataFusionError, JoinType, Result};
use datafusion::dataframe::DataFrame;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};

use crate::file_tables::is_stdin;
use crate::table::DatabaseScan;

/// Memory for each of the parts that are computed at once.
const PART: usize = 32 << 20;
/// Into how many pieces memory is cut for the rows of a batch: of as many bytes as a row may have, and of the batches that there are at once.
const PIECES: usize = 1 << 16;
/// The fewest rows of a batch.
const LEAST_ROWS: usize = 128;

/// Whether some step of a plan is of a kind.
fn holds(plan: &Arc<dyn ExecutionPlan>, is_it: &dyn Fn(&dyn ExecutionPlan) -> bool) -> bool {
    is_it(&**plan) || plan.children().iter().any(|child| holds(child, is_it))
}

/// Whether a plan has joins that keep one side in memory.
pub(crate) fn are_in_memory(plan: &Arc<dyn ExecutionPlan>) -> bool {
    holds(plan, &|step| {
        step.is::<HashJoinExec>() || step.is::<CrossJoinExec>()
    })
}

/// Whether a plan reads what can be read only once, so that it is not begun anew.
pub(crate) fn are_of_stdin(plan: &Arc<dyn ExecutionPlan>) -> bool {
    holds(plan, &|step| {
        step.downcast_ref::<DatabaseScan>()
            .is_some_and(|scan| is_stdin(scan.table().name()))
    })
}

/// Whether a query was given up because its memory did not suffice.
pub(crate) fn is_exhausted(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

/// The same query with joins that sort both sides, in so much memory.
pub(crate) fn sorted(query: DataFrame, memory: usize) -> DataFrame {
    let (state, plan) = query.into_parts();
    let mut config = state.config().clone();
    // Joins are sorted where there are two parts at least. Each part has sorts of its own, each of which keeps a batch of every piece
    // that it has put on disk.
    let parts = config.target_partitions().min(memory / PART).max(2);
    let rows = (memory / PIECES).clamp(LEAST_ROWS, config.batch_size().max(LEAST_ROWS));
    config = config.with_batch_size(rows).with_target_partitions(parts);
    config.options_mut().optimizer.prefer_hash_join = false;
    let state = SessionStateBuilder::new_from_existing(state)
        .with_config(config)
        .build();
    DataFrame::new(state, plan)
}

/// The same plan without joins of everything with everything that keep one side in memory.
pub(crate) fn spilling(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = plan.transform_up(|step| {
        let Some(join) = step.downcast_ref::<CrossJoinExec>() else {
            return Ok(Transformed::no(step));
        };
        let (left, right) = (Arc::clone(join.left()), Arc::clone(join.right()));
        let join = NestedLoopJoinExec::try_new(left, right, None, &JoinType::Inner, None)?;
        Ok(Transformed::yes(Arc::new(join) as _))
    });
    Ok(plan?.data)
}
