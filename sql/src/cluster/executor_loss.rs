//! Lost executors: a query that they worked on is given up as a whole, and the client runs it again.
//!
//! The engine would repair such a query in place, and does it wrong: kept results of the last step are returned a second
//! time, or a step waits for another one that nobody computes any more. A query returns nothing before all of it has been
//! computed, so that running it again costs time and no answer.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::{BallistaError, Result};
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::protobuf::{CancelJobParams, ExecutorHeartbeat, task_status};
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::{
    BallistaCluster, BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot,
};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::execution_graph::{ExecutionGraph, ExecutionGraphBox};
use ballista_scheduler::state::task_manager::{JobInfoCache, TaskManager};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::sync::RwLock;
use tonic::Request;

/// The engine's own scheduler.
pub(super) type BallistaServer = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;
/// What it would push to those who ask.
pub(super) type PushStream = <BallistaServer as SchedulerGrpc>::ExecuteQueryPushStream;
/// A query that runs.
pub(super) type ActiveQuery = Arc<RwLock<ExecutionGraphBox>>;

/// The scheduler as it is used here. Its own type is so deep that it takes a compiler minutes to see that threads may share it, wherever
/// it has to see that.
#[derive(Clone)]
pub(super) struct ClusterScheduler {
    /// What it answers.
    pub(super) door: Arc<dyn SchedulerGrpc<ExecuteQueryPushStream = PushStream>>,
    tasks: Arc<dyn ActiveQueries>,
}

/// What knows the queries that run.
trait ActiveQueries: Send + Sync {
    fn running(&self) -> Vec<ActiveQuery>;
}

impl ActiveQueries for TaskManager<LogicalPlanNode, PhysicalPlanNode> {
    fn running(&self) -> Vec<ActiveQuery> {
        let running = self.get_running_job_cache();
        let queries = running.values().map(|it| Arc::clone(&it.execution_graph));
        queries.collect()
    }
}

impl ClusterScheduler {
    /// The engine's own one.
    pub(super) fn new(server: BallistaServer) -> ClusterScheduler {
        ClusterScheduler {
            tasks: Arc::new(server.state.task_manager.clone()),
            door: Arc::new(server),
        }
    }

    /// Gives a query up.
    pub(super) async fn give_up(&self, job_id: String) -> Result<()> {
        let given_up = self
            .door
            .cancel_job(Request::new(CancelJobParams { job_id }));
        let given_up = given_up.await.map(drop);
        given_up.map_err(|status| BallistaError::General(status.message().to_owned()))
    }

    /// The queries that run.
    pub(super) fn running(&self) -> Vec<ActiveQuery> {
        self.tasks.running()
    }
}

/// How often the attempts of one step may fail because results of another were lost: the first time ends the query.
pub(super) const MOST_FAILURES: usize = 1;

/// The executors of a cluster. Before one of them is removed, the queries that it worked on are given up.
pub(super) struct ClusterExecutors {
    inner: Arc<dyn ClusterState>,
    scheduler: OnceLock<ClusterScheduler>,
}

impl ClusterExecutors {
    /// A cluster like the given one, and those who watch over its executors.
    pub(super) fn watch(cluster: &BallistaCluster) -> (BallistaCluster, Arc<ClusterExecutors>) {
        let executors = Arc::new(ClusterExecutors {
            inner: cluster.cluster_state(),
            scheduler: OnceLock::new(),
        });
        let watched = BallistaCluster::new(Arc::clone(&executors) as _, cluster.job_state());
        (watched, executors)
    }

    /// Says whose queries are given up.
    pub(super) fn serve(&self, scheduler: ClusterScheduler) {
        // There is one scheduler in a process.
        let _ = self.scheduler.set(scheduler);
    }

    /// Gives up every query that has something from an executor, or waits for something.
    async fn give_up_queries_of(&self, executor: &str) -> Result<()> {
        let Some(scheduler) = self.scheduler.get() else {
            return Ok(());
        };
        let mut given_up = Vec::new();
        for query in scheduler.running() {
            let query = query.read().await;
            if works_on(&**query, executor) {
                given_up.push(query.job_id().as_str().to_owned());
            }
        }
        for job in given_up {
            scheduler.give_up(job).await?;
        }
        Ok(())
    }
}

/// Whether an executor computes a part of a query, or has done so.
fn works_on(query: &(dyn ExecutionGraph + Send + Sync), executor: &str) -> bool {
    let tasks = query.stages().values().flat_map(|stage| stage.task_infos());
    tasks.flatten().any(|task| match &task.task_status {
        task_status::Status::Running(it) => it.executor_id == executor,
        task_status::Status::Successful(it) => it.executor_id == executor,
        task_status::Status::Failed(_) => false,
    })
}

#[async_trait]
impl ClusterState for ClusterExecutors {
    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        // What is given up here is so before the engine hears of the loss and mends.
        let given_up = self.give_up_queries_of(executor_id).await;
        self.inner.remove_executor(executor_id).await?;
        given_up
    }

    async fn init(&self) -> Result<()> {
        self.inner.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        self.inner
            .bind_schedulable_tasks(distribution, active_jobs, executors)
            .await
    }

    async fn unbind_tasks(&self, executor_slots: Vec<ExecutorSlot>) -> Result<()> {
        self.inner.unbind_tasks(executor_slots).await
    }

    async fn register_executor(
        &self,
        metadata: ExecutorMetadata,
        spec: ExecutorData,
    ) -> Result<()> {
        self.inner.register_executor(metadata, spec).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.inner.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor_id: &str) -> Result<ExecutorMetadata> {
        self.inner.get_executor_metadata(executor_id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.inner.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.inner.save_executor_heartbeat(heartbeat).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.inner.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor_id: &str) -> Option<ExecutorHeartbeat> {
        self.inner.get_executor_heartbeat(executor_id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.inner.cluster_state_events().await
    }
}
