//! The proxy before the scheduler: it only lets queries of this program in, and cancels those that nobody waits for any
//! more, or that have reached their time limit.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::protobuf::{
    CancelJobParams, CancelJobResult, CleanJobDataParams, CleanJobDataResult,
    CreateUpdateSessionParams, CreateUpdateSessionResult, ExecuteQueryParams, ExecuteQueryResult,
    ExecutorRegistration, ExecutorStoppedParams, ExecutorStoppedResult, FailedJob,
    GetJobMetricsParams, GetJobMetricsResult, GetJobStatusParams, GetJobStatusResult,
    HeartBeatParams, HeartBeatResult, JobStatus, PollWorkParams, PollWorkResult,
    RegisterExecutorParams, RegisterExecutorResult, RemoveSessionParams, RemoveSessionResult,
    UpdateTaskStatusParams, UpdateTaskStatusResult, execute_query_result, job_status,
};
use tonic::{Request, Response, Status};

use super::credential::{ClusterCredential, ClusterRole};
use super::executor_loss::{ClusterScheduler, PushStream};

/// How often it is looked for queries that are to be given up.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a client may say nothing. One that waits asks twenty times a second.
const SILENCE: Duration = Duration::from_secs(15);
/// How long no part of a query may be computed where none can be begun either.
const STANDSTILL: Duration = Duration::from_secs(30);

/// What a query may have that came in.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryQuota {
    /// How long a query is computed.
    pub(super) time: Option<Duration>,
    /// How many there are at once.
    pub(super) queries: usize,
}

/// A query that is waited for.
struct QueryActivity {
    begun: Instant,
    /// When somebody asked for it last.
    asked: Instant,
    /// When a part of it was computed last, or could be.
    moved: Instant,
    /// Why it was given up.
    over: Option<&'static str>,
}

impl QueryActivity {
    fn new(now: Instant) -> QueryActivity {
        QueryActivity {
            begun: now,
            asked: now,
            moved: now,
            over: None,
        }
    }

    /// Why it is to be given up now.
    fn verdict(
        &mut self,
        now: Instant,
        is_still: bool,
        allowed: &QueryQuota,
    ) -> Option<&'static str> {
        if !is_still {
            self.moved = now;
        }
        let is_over = |since: Instant, time: Duration| now.saturating_duration_since(since) > time;
        if is_over(self.asked, SILENCE) {
            Some(ALONE)
        } else if allowed.time.is_some_and(|time| is_over(self.begun, time)) {
            Some(LATE)
        } else if is_over(self.moved, STANDSTILL) {
            Some(STILL)
        } else {
            None
        }
    }
}

/// The scheduler, with what stands before it.
#[derive(Clone)]
pub(super) struct SchedulerProxy {
    scheduler: ClusterScheduler,
    pass: ClusterCredential,
    allowed: QueryQuota,
    waiting: Arc<Mutex<HashMap<String, QueryActivity>>>,
}

const LATE: &str = "the time limit of the cluster was reached (--timeout of its scheduler)";
const ALONE: &str = "the client no longer waits for the answer";
const STILL: &str = "the query is stuck in the engine of the cluster: no part of it is being computed, and none can be";

type GrpcResult<T> = Result<Response<T>, Status>;

impl SchedulerProxy {
    /// One before a scheduler.
    pub(super) fn new(
        scheduler: ClusterScheduler,
        pass: ClusterCredential,
        allowed: QueryQuota,
    ) -> SchedulerProxy {
        SchedulerProxy {
            scheduler,
            pass,
            allowed,
            waiting: Arc::default(),
        }
    }

    fn waiting<T>(&self, change: impl FnOnce(&mut HashMap<String, QueryActivity>) -> T) -> T {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives queries up for as long as the scheduler runs.
    pub(super) async fn watch(self) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let still = standing(&self.scheduler).await;
            let now = Instant::now();
            let given_up = self.waiting(|waiting| {
                // Whoever was told why, or has gone without asking, is forgotten.
                waiting.retain(|_, it| {
                    it.over.is_none() || now.duration_since(it.asked) < 4 * SILENCE
                });
                let mut given_up = Vec::new();
                for (job, it) in waiting.iter_mut().filter(|(_, it)| it.over.is_none()) {
                    it.over = it.verdict(now, still.contains(job), &self.allowed);
                    if it.over.is_some() {
                        given_up.push(job.clone());
                    }
                }
                given_up
            });
            for job in given_up {
                // One that has come to its end meanwhile needs no giving up.
                let _ = self.scheduler.give_up(job).await;
            }
        }
    }
}

/// The queries of a scheduler of which no part is computed, and none can be.
async fn standing(scheduler: &ClusterScheduler) -> BTreeSet<String> {
    let mut still = BTreeSet::new();
    for query in scheduler.running() {
        let query = query.read().await;
        let is_running = matches!(query.status().status, Some(job_status::Status::Running(_)));
        if is_running && query.available_tasks() == 0 && query.running_tasks().is_empty() {
            still.insert(query.job_id().as_str().to_owned());
        }
    }
    still
}

/// Whether a query has come to its end.
fn is_done(status: Option<&JobStatus>) -> bool {
    use job_status::Status;
    let status = status.and_then(|it| it.status.as_ref());
    matches!(status, Some(Status::Successful(_) | Status::Failed(_)))
}

/// Notes the address that an executor is seen at, where it names no other.
fn located(
    executor: &mut Option<ExecutorRegistration>,
    seen: Option<SocketAddr>,
) -> Result<(), Status> {
    let host = executor.as_mut().map(|it| &mut it.host);
    match (host, seen) {
        (Some(Some(_)), _) => Ok(()),
        (Some(host), Some(seen)) => {
            *host = Some(seen.ip().to_string());
            Ok(())
        }
        _ => Err(Status::invalid_argument("an executor without an address")),
    }
}

#[tonic::async_trait]
impl SchedulerGrpc for SchedulerProxy {
    type ExecuteQueryPushStream = PushStream;

    async fn execute_query(
        &self,
        request: Request<ExecuteQueryParams>,
    ) -> GrpcResult<ExecuteQueryResult> {
        if !matches!(request.get_ref().query, Some(Query::LogicalPlan(_))) {
            return Err(Status::invalid_argument(
                "this scheduler only answers queries of Tabiya",
            ));
        }
        let running =
            self.waiting(|waiting| waiting.values().filter(|it| it.over.is_none()).count());
        if running >= self.allowed.queries {
            return Err(Status::resource_exhausted(format!(
                "the cluster is answering {running} queries, which is the maximum (--queries of its scheduler)"
            )));
        }
        let answer = SchedulerGrpc::execute_query(&*self.scheduler.door, request).await?;
        if let Some(execute_query_result::Result::Success(found)) = &answer.get_ref().result {
            let now = Instant::now();
            self.waiting(|waiting| waiting.insert(found.job_id.clone(), QueryActivity::new(now)));
        }
        Ok(answer)
    }

    async fn get_job_status(
        &self,
        request: Request<GetJobStatusParams>,
    ) -> GrpcResult<GetJobStatusResult> {
        let is_client = self.pass.role(request.metadata()) == Some(ClusterRole::Client);
        let job_id = request.get_ref().job_id.clone();
        let over = self.waiting(|waiting| {
            let it = waiting.get_mut(&job_id)?;
            if is_client {
                it.asked = Instant::now();
            }
            it.over
        });
        let mut answer = SchedulerGrpc::get_job_status(&*self.scheduler.door, request).await?;
        if let Some(words) = over {
            answer.get_mut().status = Some(JobStatus {
                job_id,
                status: Some(job_status::Status::Failed(FailedJob {
                    error: words.to_owned(),
                    ..FailedJob::default()
                })),
                ..JobStatus::default()
            });
        } else if is_client && is_done(answer.get_ref().status.as_ref()) {
            self.waiting(|waiting| waiting.remove(&job_id));
        }
        Ok(answer)
    }

    async fn poll_work(&self, mut request: Request<PollWorkParams>) -> GrpcResult<PollWorkResult> {
        let seen = request.remote_addr();
        located(&mut request.get_mut().metadata, seen)?;
        SchedulerGrpc::poll_work(&*self.scheduler.door, request).await
    }

    async fn execute_query_push(
        &self,
        _: Request<ExecuteQueryParams>,
    ) -> GrpcResult<Self::ExecuteQueryPushStream> {
        Err(Status::unimplemented("queries are expected"))
    }

    async fn register_executor(
        &self,
        _: Request<RegisterExecutorParams>,
    ) -> GrpcResult<RegisterExecutorResult> {
        Err(Status::unimplemented("executors ask for work"))
    }

    async fn heart_beat_from_executor(
        &self,
        mut request: Request<HeartBeatParams>,
    ) -> GrpcResult<HeartBeatResult> {
        let seen = request.remote_addr();
        located(&mut request.get_mut().metadata, seen)?;
        SchedulerGrpc::heart_beat_from_executor(&*self.scheduler.door, request).await
    }

    async fn update_task_status(
        &self,
        request: Request<UpdateTaskStatusParams>,
    ) -> GrpcResult<UpdateTaskStatusResult> {
        SchedulerGrpc::update_task_status(&*self.scheduler.door, request).await
    }

    async fn create_update_session(
        &self,
        request: Request<CreateUpdateSessionParams>,
    ) -> GrpcResult<CreateUpdateSessionResult> {
        SchedulerGrpc::create_update_session(&*self.scheduler.door, request).await
    }

    async fn remove_session(
        &self,
        request: Request<RemoveSessionParams>,
    ) -> GrpcResult<RemoveSessionResult> {
        SchedulerGrpc::remove_session(&*self.scheduler.door, request).await
    }

    async fn get_job_metrics(
        &self,
        request: Request<GetJobMetricsParams>,
    ) -> GrpcResult<GetJobMetricsResult> {
        SchedulerGrpc::get_job_metrics(&*self.scheduler.door, request).await
    }

    async fn executor_stopped(
        &self,
        request: Request<ExecutorStoppedParams>,
    ) -> GrpcResult<ExecutorStoppedResult> {
        SchedulerGrpc::executor_stopped(&*self.scheduler.door, request).await
    }

    async fn cancel_job(&self, request: Request<CancelJobParams>) -> GrpcResult<CancelJobResult> {
        self.waiting(|waiting| waiting.remove(&request.get_ref().job_id));
        SchedulerGrpc::cancel_job(&*self.scheduler.door, request).await
    }

    async fn clean_job_data(
        &self,
        request: Request<CleanJobDataParams>,
    ) -> GrpcResult<CleanJobDataResult> {
        SchedulerGrpc::clean_job_data(&*self.scheduler.door, request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_given_up_that_nobody_waits_for_and_that_stand_still() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let free = QueryQuota {
            time: None,
            queries: 1,
        };
        let short = QueryQuota {
            time: Some(Duration::from_secs(3)),
            ..free
        };
        let mut query = QueryActivity::new(begun);
        assert_eq!(query.verdict(at(15), false, &free), None);
        assert_eq!(query.verdict(at(16), false, &free), Some(ALONE));
        query.asked = at(1_000);
        assert_eq!(query.verdict(at(1_000), false, &free), None);
        assert_eq!(query.verdict(at(1_010), false, &short), Some(LATE));
        // It moved ten seconds before.
        for (second, found) in [(1_011, None), (1_040, None), (1_041, Some(STILL))] {
            query.asked = at(second);
            assert_eq!(query.verdict(at(second), true, &free), found, "{second}");
        }
        assert_eq!(query.verdict(at(1_042), false, &free), None);
    }
}
