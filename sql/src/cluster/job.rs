//! The query that a cluster is answering for this program: when the program stops, so does the cluster.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::serde::protobuf::CancelJobParams;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::protobuf::LogicalPlanNode;

use super::credential::{ClusterCredential, ClusterRole};
use crate::cluster_member::SchedulerAddress;
use crate::interrupt;

/// For how long the program waits until the scheduler has heard of it.
const FAREWELL: Duration = Duration::from_millis(500);

/// What is being answered, by whom.
static RUNNING: Mutex<Option<(SchedulerAddress, Arc<dyn ExecutionPlan>)>> = Mutex::new(None);

/// A query that is given up when this is dropped before it was answered.
#[must_use]
pub(crate) struct ClusterJob(());

impl ClusterJob {
    /// Notes which query is answered by a scheduler.
    pub(crate) fn new(
        plan: &Arc<dyn ExecutionPlan>,
        place: Option<&SchedulerAddress>,
    ) -> ClusterJob {
        if let Some(place) = place {
            interrupt::do_at_end(cancel);
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            *running = Some((place.clone(), Arc::clone(plan)));
        }
        ClusterJob(())
    }

    /// Notes that it was answered.
    pub(crate) fn finish(self) {
        RUNNING
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }
}

impl Drop for ClusterJob {
    fn drop(&mut self) {
        cancel();
    }
}

/// Tells the scheduler that nobody waits for the answer any more.
fn cancel() {
    let running = RUNNING
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let Some((place, plan)) = running else {
        return;
    };
    let Some(job) = number(&plan) else {
        return;
    };
    let (done, waits) = mpsc::channel();
    // A thread of its own: this one may belong to those that are busy.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let (Ok(runtime), Ok((host, port))) = (runtime, super::scheduler(&place.address)) {
            runtime.block_on(async {
                let url = format!("http://{host}:{port}");
                let pass = ClusterCredential::new(&place.member);
                if let Ok(mut scheduler) = pass.connect(ClusterRole::Client, &url).await {
                    // A scheduler that is gone computes nothing.
                    let _ = scheduler.cancel_job(CancelJobParams { job_id: job }).await;
                }
            });
        }
        let _ = done.send(());
    });
    let _ = waits.recv_timeout(FAREWELL);
}

/// How the scheduler calls the query of a plan.
fn number(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    match plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>() {
        Some(query) => query.job_id().map(Into::into),
        None => plan.children().into_iter().find_map(number),
    }
}
