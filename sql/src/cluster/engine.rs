//! Parts of queries end when nobody waits for the answer any more: because the client is gone, or because another part has failed.
//!
//! Executors that ask for work learn nothing else. So they ask for that too, once a second for each of their queries.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::serde::protobuf::{
    GetJobStatusParams, RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats,
    WindowStateReport, job_status,
};
use ballista_executor::execution_engine::{
    DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor,
};
use datafusion::common::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::prelude::SessionConfig;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::credential::{ClusterCredential, ClusterRole};
use crate::query_end::{self, QueryEndFlag};

/// How often it is asked whether a query is still waited for.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs parts of queries for as long as their queries run.
pub(super) struct ClusterEngine {
    inner: DefaultExecutionEngine,
    jobs: Arc<StageRegistry>,
}

impl ClusterEngine {
    /// An engine that asks the scheduler at an address.
    pub(super) fn new(
        runtime: &Handle,
        scheduler: String,
        pass: ClusterCredential,
    ) -> ClusterEngine {
        let jobs = Arc::new(StageRegistry::default());
        runtime.spawn(watch(Arc::clone(&jobs), scheduler, pass));
        ClusterEngine {
            inner: DefaultExecutionEngine::new(),
            jobs,
        }
    }
}

impl ExecutionEngine for ClusterEngine {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        global_output_partition_ids: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let part = self.jobs.add(job_id.as_str());
        let plan = query_end::guarded_plan(plan, &part.over, &|_| Arc::default())?;
        let inner = self.inner.create_query_stage_exec(
            job_id,
            stage_id,
            task_id,
            global_output_partition_ids,
            plan,
            work_dir,
            config,
        )?;
        Ok(Arc::new(WatchedStage { inner, part }))
    }
}

/// A part of a query, which ends with it.
#[derive(Debug)]
struct WatchedStage {
    inner: Arc<dyn QueryStageExecutor>,
    part: Arc<StageSignal>,
}

impl fmt::Display for WatchedStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

#[async_trait]
impl QueryStageExecutor for WatchedStage {
    async fn execute_query_stage(
        &self,
        task_id: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        tokio::select! {
            done = self.inner.execute_query_stage(task_id, context) => done,
            () = self.part.told.notified() => Err(query_end::refusal()),
        }
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        self.inner.collect_plan_metrics()
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.inner.collect_runtime_stats_reports()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.inner.collect_window_state_reports()
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.inner.collect_column_stats()
    }
}

/// What a part hears of its query.
#[derive(Debug, Default)]
struct StageSignal {
    /// For executors.
    over: Arc<QueryEndFlag>,
    /// For waiting clients: a silent executor is not waited for longer than its query.
    told: Notify,
}

/// The queries of which parts run here.
#[derive(Debug, Default)]
struct StageRegistry(Mutex<BTreeMap<String, Vec<Weak<StageSignal>>>>);

impl StageRegistry {
    /// A new part of a query.
    fn add(&self, job: &str) -> Arc<StageSignal> {
        let part = Arc::new(StageSignal::default());
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = jobs.entry(job.to_owned()).or_default();
        parts.push(Arc::downgrade(&part));
        part
    }

    /// The queries of which parts still run.
    fn running(&self) -> Vec<String> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.retain(|_, parts| {
            parts.retain(|part| part.strong_count() > 0);
            !parts.is_empty()
        });
        jobs.keys().cloned().collect()
    }

    /// Ends the parts of a query.
    fn end(&self, job: &str) {
        let parts = {
            let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            jobs.remove(job).unwrap_or_default()
        };
        for part in parts.iter().filter_map(Weak::upgrade) {
            part.over.set();
            part.told.notify_one();
        }
    }
}

/// Asks for as long as the program runs.
async fn watch(jobs: Arc<StageRegistry>, scheduler: String, pass: ClusterCredential) {
    loop {
        tokio::time::sleep(PAUSE).await;
        let running = jobs.running();
        if running.is_empty() {
            continue;
        }
        // A scheduler that does not answer may do so later.
        let asked = async {
            let mut client = pass.connect(ClusterRole::Executor, &scheduler).await.ok()?;
            for job in running {
                let job_id = job.clone();
                let answer = client.get_job_status(GetJobStatusParams { job_id }).await;
                if is_over(answer.ok()?.into_inner().status.and_then(|it| it.status)) {
                    jobs.end(&job);
                }
            }
            Some(())
        };
        let _ = tokio::time::timeout(PATIENCE, asked).await;
    }
}

/// Whether nobody computes a query any more; one that the scheduler does not know is of another one before it.
fn is_over(status: Option<job_status::Status>) -> bool {
    use job_status::Status;
    !matches!(status, Some(Status::Queued(_) | Status::Running(_)))
}
