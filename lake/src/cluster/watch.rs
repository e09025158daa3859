//! What stands before the scheduler: it lets the queries of this program in and nothing else, and gives up those that nobody waits
//! for any more, or that have had their time.

use std::collections::HashMap;
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

use super::loss::Scheduler;
use super::pass::{Pass, Role};

/// How often it is looked for queries that are to be given up.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a client may say nothing. One that waits asks twenty times a second.
const SILENCE: Duration = Duration::from_secs(15);

/// What a query may have that came in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// How long a query is computed.
    pub(super) time: Option<Duration>,
    /// How many there are at once.
    pub(super) queries: usize,
}

/// A query that is waited for.
struct Waiting {
    begun: Instant,
    /// When somebody asked for it last.
    asked: Instant,
    /// Why it was given up.
    over: Option<&'static str>,
}

/// The scheduler, with what stands before it.
#[derive(Clone)]
pub(super) struct Door {
    scheduler: Scheduler,
    pass: Pass,
    allowed: Allowed,
    waiting: Arc<Mutex<HashMap<String, Waiting>>>,
}

const LATE: &str = "the time limit of the cluster is over (--timeout of its scheduler)";
const ALONE: &str = "nobody waits for the answer";

type Answer<T> = Result<Response<T>, Status>;

impl Door {
    /// One before a scheduler.
    pub(super) fn new(scheduler: Scheduler, pass: Pass, allowed: Allowed) -> Door {
        Door {
            scheduler,
            pass,
            allowed,
            waiting: Arc::default(),
        }
    }

    fn waiting<T>(&self, change: impl FnOnce(&mut HashMap<String, Waiting>) -> T) -> T {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives queries up for as long as the scheduler runs.
    pub(super) async fn watch(self) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = Instant::now();
            let given_up = self.waiting(|waiting| {
                // Whoever was told why, or has gone without asking, is forgotten.
                waiting.retain(|_, it| {
                    it.over.is_none() || now.duration_since(it.asked) < 4 * SILENCE
                });
                let mut given_up = Vec::new();
                for (job, it) in waiting.iter_mut().filter(|(_, it)| it.over.is_none()) {
                    let time = self.allowed.time;
                    if now.duration_since(it.asked) > SILENCE {
                        it.over = Some(ALONE);
                    } else if time.is_some_and(|time| now.duration_since(it.begun) > time) {
                        it.over = Some(LATE);
                    } else {
                        continue;
                    }
                    given_up.push(job.clone());
                }
                given_up
            });
            for job in given_up {
                // One that has come to its end meanwhile needs no giving up.
                let _ = self.scheduler.cancel_job(job.into()).await;
            }
        }
    }
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
impl SchedulerGrpc for Door {
    type ExecuteQueryPushStream = <Scheduler as SchedulerGrpc>::ExecuteQueryPushStream;

    async fn execute_query(
        &self,
        request: Request<ExecuteQueryParams>,
    ) -> Answer<ExecuteQueryResult> {
        if !matches!(request.get_ref().query, Some(Query::LogicalPlan(_))) {
            return Err(Status::invalid_argument(
                "this scheduler answers the queries of Tabiya",
            ));
        }
        let running =
            self.waiting(|waiting| waiting.values().filter(|it| it.over.is_none()).count());
        if running >= self.allowed.queries {
            return Err(Status::resource_exhausted(format!(
                "the cluster answers {running} queries already, and no more at once (--queries of its scheduler)"
            )));
        }
        let answer = SchedulerGrpc::execute_query(&self.scheduler, request).await?;
        if let Some(execute_query_result::Result::Success(found)) = &answer.get_ref().result {
            let now = Instant::now();
            let query = Waiting {
                begun: now,
                asked: now,
                over: None,
            };
            self.waiting(|waiting| waiting.insert(found.job_id.clone(), query));
        }
        Ok(answer)
    }

    async fn get_job_status(
        &self,
        request: Request<GetJobStatusParams>,
    ) -> Answer<GetJobStatusResult> {
        let is_client = self.pass.role(request.metadata()) == Some(Role::Client);
        let job_id = request.get_ref().job_id.clone();
        let over = self.waiting(|waiting| {
            let it = waiting.get_mut(&job_id)?;
            if is_client {
                it.asked = Instant::now();
            }
            it.over
        });
        let mut answer = SchedulerGrpc::get_job_status(&self.scheduler, request).await?;
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

    async fn poll_work(&self, mut request: Request<PollWorkParams>) -> Answer<PollWorkResult> {
        let seen = request.remote_addr();
        located(&mut request.get_mut().metadata, seen)?;
        SchedulerGrpc::poll_work(&self.scheduler, request).await
    }

    async fn execute_query_push(
        &self,
        _: Request<ExecuteQueryParams>,
    ) -> Answer<Self::ExecuteQueryPushStream> {
        Err(Status::unimplemented("queries are asked for"))
    }

    async fn register_executor(
        &self,
        _: Request<RegisterExecutorParams>,
    ) -> Answer<RegisterExecutorResult> {
        Err(Status::unimplemented("executors ask for work"))
    }

    async fn heart_beat_from_executor(
        &self,
        mut request: Request<HeartBeatParams>,
    ) -> Answer<HeartBeatResult> {
        let seen = request.remote_addr();
        located(&mut request.get_mut().metadata, seen)?;
        SchedulerGrpc::heart_beat_from_executor(&self.scheduler, request).await
    }

    async fn update_task_status(
        &self,
        request: Request<UpdateTaskStatusParams>,
    ) -> Answer<UpdateTaskStatusResult> {
        SchedulerGrpc::update_task_status(&self.scheduler, request).await
    }

    async fn create_update_session(
        &self,
        request: Request<CreateUpdateSessionParams>,
    ) -> Answer<CreateUpdateSessionResult> {
        SchedulerGrpc::create_update_session(&self.scheduler, request).await
    }

    async fn remove_session(
        &self,
        request: Request<RemoveSessionParams>,
    ) -> Answer<RemoveSessionResult> {
        SchedulerGrpc::remove_session(&self.scheduler, request).await
    }

    async fn get_job_metrics(
        &self,
        request: Request<GetJobMetricsParams>,
    ) -> Answer<GetJobMetricsResult> {
        SchedulerGrpc::get_job_metrics(&self.scheduler, request).await
    }

    async fn executor_stopped(
        &self,
        request: Request<ExecutorStoppedParams>,
    ) -> Answer<ExecutorStoppedResult> {
        SchedulerGrpc::executor_stopped(&self.scheduler, request).await
    }

    async fn cancel_job(&self, request: Request<CancelJobParams>) -> Answer<CancelJobResult> {
        self.waiting(|waiting| waiting.remove(&request.get_ref().job_id));
        SchedulerGrpc::cancel_job(&self.scheduler, request).await
    }

    async fn clean_job_data(
        &self,
        request: Request<CleanJobDataParams>,
    ) -> Answer<CleanJobDataResult> {
        SchedulerGrpc::clean_job_data(&self.scheduler, request).await
    }
}
