//! Queries over several machines: a scheduler that plans, executors that compute, both of them this program.
//!
//! The engine is Ballista. Executors ask the scheduler for work, and open one port, from which others fetch their results.
//! Every request has the name and a digest of the secret of the cluster, and is refused without. Nothing is encrypted,
//! which is why programs listen only on this machine by default.

mod codec;
mod credential;
mod engine;
mod executor_loss;
mod job;
mod scheduler_proxy;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::{BALLISTA_CLIENT_PULL, TaskSchedulingPolicy};
use ballista_core::error::BallistaError;
use ballista_core::extension::{
    BallistaConfigGrpcEndpoint, EndpointOverrideFn, SessionConfigExt, SessionStateExt,
};
use ballista_core::flight_proxy_service::BallistaFlightProxyService;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::create_scheduler;
use clap::{Args, Subcommand};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use tonic::Code;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;

use self::codec::ClusterCodec;
use self::credential::{ClusterCredential, ClusterRole};
use self::engine::ClusterEngine;
use self::executor_loss::{ClusterExecutors, ClusterScheduler};
pub(crate) use self::job::ClusterJob;
use self::scheduler_proxy::{QueryQuota, SchedulerProxy};
use crate::cluster_member::{ClusterMember, MemberArgs, SchedulerAddress};
use crate::file_tables::FileTables;
use crate::functions::FunctionSet;
use crate::messages::say;
use crate::quantities::{seconds, size};
use crate::roots::AllowedRoots;
use crate::session_environment::{SessionLimits, environment, teach};
use crate::threads::runtime;
use crate::{interrupt, memory};

/// Where a scheduler listens, and executors from the next one on.
const PORT: u16 = 50_050;
/// The largest plan that is sent.
const MESSAGE: u32 = 64 << 20;
/// Seconds after which an executor that says nothing is given up.
const SILENCE: u64 = 60;
/// Seconds for which an executor waits for its scheduler.
const PATIENCE: u16 = 30;
/// The command that serves.
const COMMAND: &str = "cluster";
/// Queries that a scheduler answers at once.
const QUERIES: u16 = 64;

/// Arguments of `tabiya cluster`.
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Subcommand, Debug)]
enum ClusterCommand {
    /// Plan queries and distribute their parts to executors
    Scheduler(SchedulerArgs),
    /// Compute parts of queries
    Executor(ExecutorArgs),
}

#[derive(Args, Debug)]
struct SchedulerArgs {
    /// Address to listen on; whoever reaches it may send queries
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050", value_parser = address)]
    listen: SocketAddr,
    /// Another folder whose files queries may read; the working folder always is one
    #[arg(long, value_name = "FOLDER")]
    allow: Vec<PathBuf>,
    /// Seconds after which a silent executor is given up
    #[arg(long, value_name = "SECONDS", default_value_t = SILENCE, value_parser = clap::value_parser!(u64).range(10..))]
    silence: u64,
    /// Seconds after which a query is cancelled
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Memory for planning queries, such as 512M or 4G
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "2G")]
    memory: usize,
    /// Maximum number of queries at once; more are refused
    #[arg(long, value_name = "N", default_value_t = QUERIES, value_parser = clap::value_parser!(u16).range(1..))]
    queries: u16,
    #[command(flatten)]
    member: MemberArgs,
}

#[derive(Args, Debug)]
struct ExecutorArgs {
    /// Address of the scheduler
    #[arg(long, value_name = "HOST", value_parser = scheduler)]
    scheduler: (String, u16),
    /// Address from which others fetch results
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051", value_parser = address)]
    listen: SocketAddr,
    /// Name by which others reach this machine, instead of the address that the scheduler sees
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Another folder whose files queries may read; the working folder always is one
    #[arg(long, value_name = "FOLDER")]
    allow: Vec<PathBuf>,
    /// Number of parts computed at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    cores: Option<u16>,
    /// Memory for data that grows with queries, such as 512M or 4G; more goes to disk
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "2G")]
    memory: usize,
    /// Folder for results and spilled data, instead of the folder for temporary files
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    #[command(flatten)]
    member: MemberArgs,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "an address with a port, such as 127.0.0.1:50050".into())
}

/// A host, and the port behind it if there is one.
fn scheduler(text: &str) -> Result<(String, u16), String> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (
            host,
            port.parse()
                .map_err(|_| format!("{port:?} is not a port"))?,
        ),
        _ => (text, PORT),
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.:[]".contains(c);
    if host.is_empty() || !host.chars().all(is_word) {
        return Err("a host, such as 127.0.0.1 or db.example.org:50050".into());
    }
    Ok((host.to_owned(), port))
}

/// Does what was asked.
pub(crate) fn run(args: ClusterArgs) -> Result<()> {
    match args.command {
        ClusterCommand::Scheduler(args) => run_scheduler(&args),
        ClusterCommand::Executor(args) => run_executor(args),
    }
}

/// The pass of a machine that listens. What others reach needs a secret, and what it means is said aloud.
fn pass(member: &ClusterMember, ip: IpAddr) -> Result<ClusterCredential> {
    if !ip.is_loopback() {
        if member.secret.is_none() {
            bail!(
                "only a cluster that has a secret may listen on an address that others reach: --cluster-secret FILE, or \
                 TABIYA_CLUSTER_SECRET"
            );
        }
        say(
            "everybody who reaches this port and has the secret may read every file that queries may read, and nothing is \
             encrypted: only use it in a private network (docs/cluster.md)",
        );
    }
    Ok(ClusterCredential::new(member))
}

/// A configuration of sessions that shows a pass with whatever it asks of others.
fn shown(config: SessionConfig, show: &EndpointOverrideFn) -> SessionConfig {
    config.with_ballista_override_create_grpc_client_endpoint(Arc::clone(show))
}

/// A configuration of sessions without what the engine gets wrong, whatever those say who ask.
///
/// Filters that joins make while they run do not reach other machines, and forbid the engine to change the sides of a join: it notes that as
/// an error which nobody hears, and the query waits without end. Plans that are not looked at again while they are computed lose rows
/// of full joins.
fn sound(config: SessionConfig) -> SessionConfig {
    let mut config = config.with_ballista_adaptive_query_planner(true);
    let optimizer = &mut config.options_mut().optimizer;
    optimizer.enable_dynamic_filter_pushdown = false;
    optimizer.enable_join_dynamic_filter_pushdown = false;
    optimizer.enable_topk_dynamic_filter_pushdown = false;
    optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    config
}

fn run_scheduler(args: &SchedulerArgs) -> Result<()> {
    let roots = AllowedRoots::new(&args.allow)?;
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let runtime = runtime(threads)?;
    let pass = pass(&args.member.member()?, args.listen.ip())?;
    let show = pass.shown(ClusterRole::Scheduler);
    memory::watch(args.memory, || {
        interrupt::fail(
            COMMAND,
            "the scheduler needs more memory than allowed (--memory)",
        )
    })?;
    // What is planned spills nothing.
    let limits = SessionLimits {
        memory: args.memory,
        threads,
        spill: std::env::temp_dir(),
    };
    let codec = codec(&roots);
    let configure = Arc::clone(&show);
    let config = SchedulerConfig {
        bind_host: args.listen.ip().to_string(),
        bind_port: args.listen.port(),
        external_host: args.listen.ip().to_string(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        // Clients reach one port: what executors have computed comes through it.
        enable_embedded_flight_proxy: true,
        executor_timeout_seconds: args.silence,
        expire_dead_executor_interval_seconds: (args.silence / 2).max(1),
        no_executors_grace_period_seconds: args.silence,
        stage_max_failures: executor_loss::MOST_FAILURES,
        grpc_server_max_decoding_message_size: MESSAGE,
        grpc_server_max_encoding_message_size: MESSAGE,
        grpc_client_max_message_size: MESSAGE,
        override_create_grpc_client_endpoint: Some(Arc::clone(&show)),
        override_config_producer: Some(Arc::new(move || {
            shown(SessionConfig::new_with_ballista(), &configure)
        })),
        override_session_builder: Some(Arc::new(move |config| {
            let mut state = SessionStateBuilder::new()
                .with_config(sound(config))
                .with_runtime_env(environment(roots.clone(), &limits)?)
                .with_default_features()
                .build();
            teach(&mut state, FunctionSet::new(limits.memory))?;
            Ok(state)
        })),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..SchedulerConfig::default()
    };
    free(args.listen)?;
    say(&format!("a scheduler listens on {}", args.listen));
    runtime.block_on(async {
        let cluster = BallistaCluster::new_from_config(&config).await?;
        let (cluster, executors) = ClusterExecutors::watch(&cluster);
        let scheduler = create_scheduler(cluster, Arc::new(config)).await?;
        let scheduler = ClusterScheduler::new(scheduler);
        executors.serve(scheduler.clone());
        let allowed = QueryQuota {
            time: args.timeout,
            queries: usize::from(args.queries),
        };
        let door = SchedulerProxy::new(scheduler, pass.clone(), allowed);
        tokio::spawn(door.clone().watch());
        let size = MESSAGE as usize;
        let endpoint = Some(Arc::new(BallistaConfigGrpcEndpoint::new(show)));
        let results = BallistaFlightProxyService::new(size, size, false, endpoint);
        let door = SchedulerGrpcServer::new(door)
            .max_decoding_message_size(size)
            .max_encoding_message_size(size);
        let results = FlightServiceServer::new(results)
            .max_decoding_message_size(size)
            .max_encoding_message_size(size);
        let server = Server::builder()
            .tcp_nodelay(true)
            .add_service(InterceptedService::new(door, pass.door()))
            .add_service(InterceptedService::new(results, pass.door()));
        tokio::select! {
            ended = server.serve(args.listen) => ended?,
            _ = tokio::signal::ctrl_c() => {}
        }
        anyhow::Ok(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

fn run_executor(args: ExecutorArgs) -> Result<()> {
    let roots = AllowedRoots::new(&args.allow)?;
    let available = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let cores = args.cores.map_or(available, usize::from);
    let mut work = tempfile::Builder::new();
    work.prefix("tabiya-executor-");
    let work = match &args.work {
        Some(folder) => work
            .tempdir_in(folder)
            .with_context(|| folder.display().to_string())?,
        None => work.tempdir()?,
    };
    let Some(folder) = work.path().to_str().map(str::to_owned) else {
        bail!("{}: a name that is not UTF-8", work.path().display());
    };
    let limits = SessionLimits {
        memory: args.memory,
        threads: cores,
        spill: work.path().to_owned(),
    };
    let codec = codec(&roots);
    let registry = registry(limits.memory);
    let (host, port) = &args.scheduler;
    let pass = pass(&args.member.member()?, args.listen.ip())?;
    let show = pass.shown(ClusterRole::Executor);
    memory::watch(args.memory, || {
        interrupt::fail(
            COMMAND,
            "the executor needs more memory than allowed (--memory)",
        )
    })?;
    let runtime = runtime(available)?;
    let url = format!("http://{host}:{port}");
    runtime.block_on(belongs(&pass, &url))?;
    let engine = ClusterEngine::new(runtime.handle(), url, pass.clone());
    let configure = Arc::clone(&show);
    let config = ExecutorProcessConfig {
        bind_host: args.listen.ip().to_string(),
        port: args.listen.port(),
        external_host: args.host.clone(),
        scheduler_host: host.clone(),
        scheduler_port: *port,
        scheduler_connect_timeout_seconds: PATIENCE,
        vcores: cores,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(folder),
        memory_pool_size: Some(args.memory as u64),
        grpc_max_decoding_message_size: MESSAGE,
        grpc_max_encoding_message_size: MESSAGE,
        override_function_registry: Some(Arc::new(registry)),
        override_create_grpc_client_endpoint: Some(show),
        override_arrow_flight_service: Some(results_of(&pass)),
        override_config_producer: Some(Arc::new(move || {
            shown(SessionConfig::new_with_ballista(), &configure)
        })),
        override_runtime_producer: Some(Arc::new(move |_| environment(roots.clone(), &limits))),
        override_execution_engine: Some(Arc::new(engine)),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..ExecutorProcessConfig::default()
    };
    free(args.listen)?;
    say(&format!(
        "an executor with {cores} {} asks {host}:{port} for work, results are fetched from {}",
        if cores == 1 { "core" } else { "cores" },
        args.listen
    ));
    let ended = runtime.block_on(start_executor_process(Arc::new(config)));
    runtime.shutdown_background();
    drop(work);
    ended.with_context(|| format!("the executor of {host}:{port}"))
}

/// What executors know: by their own registry they know fewer functions than those who plan.
fn registry(memory: usize) -> BallistaFunctionRegistry {
    let known = FunctionSet::new(memory);
    let mut registry = BallistaFunctionRegistry::default();
    for function in known.scalar {
        let functions = &mut registry.scalar_functions;
        functions.insert(function.name().to_owned(), function);
    }
    for function in known.aggregate {
        let functions = &mut registry.aggregate_functions;
        functions.insert(function.name().to_owned(), function);
    }
    for function in known.window {
        let functions = &mut registry.window_functions;
        functions.insert(function.name().to_owned(), function);
    }
    registry
}

/// Finds out whether a scheduler takes this machine for one of its cluster. One that is not there yet is waited for.
async fn belongs(pass: &ClusterCredential, url: &str) -> Result<()> {
    let began = std::time::Instant::now();
    let mut client = loop {
        match pass.connect(ClusterRole::Executor, url).await {
            Ok(client) => break client,
            Err(_) if began.elapsed() < Duration::from_secs(u64::from(PATIENCE)) => {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err(error) => bail!("no scheduler answers at {url}: {error}"),
        }
    };
    let nothing = GetJobStatusParams {
        job_id: String::new(),
    };
    match client.get_job_status(nothing).await {
        Err(status) if status.code() == Code::Unauthenticated => {
            bail!("{url}: {}", status.message())
        }
        Err(status) if status.code() == Code::Unimplemented => {
            bail!("{url}: no scheduler answers there")
        }
        _ => Ok(()),
    }
}

/// Hands out what an executor has computed, to whoever has the pass.
fn results_of(pass: &ClusterCredential) -> Arc<ArrowFlightServerProvider> {
    let pass = pass.clone();
    Arc::new(move |folder, address, mut shutdown, config| {
        let results = FlightServiceServer::new(BallistaFlightService::new(folder))
            .max_decoding_message_size(MESSAGE as usize)
            .max_encoding_message_size(MESSAGE as usize);
        let server =
            create_grpc_server(&config).add_service(InterceptedService::new(results, pass.door()));
        tokio::spawn(async move {
            let ended = server.serve_with_shutdown(address, async move { shutdown.recv().await });
            ended.await.map_err(BallistaError::TonicError)
        })
    })
}

/// Finds out at once whether somebody else listens there.
fn free(address: SocketAddr) -> Result<()> {
    std::net::TcpListener::bind(address)
        .map(drop)
        .with_context(|| address.to_string())
}

fn codec(roots: &AllowedRoots) -> Arc<ClusterCodec> {
    Arc::new(ClusterCodec::new(Arc::new(FileTables::new(
        roots.clone(),
        false,
    ))))
}

/// The state of a session whose queries are answered by a cluster.
pub(crate) fn client(
    state: SessionState,
    roots: &AllowedRoots,
    place: &SchedulerAddress,
) -> datafusion::common::Result<SessionState> {
    let refuse = |words: String| crate::roots::refuse(words);
    let (host, port) = scheduler(&place.address).map_err(refuse)?;
    let show = ClusterCredential::new(&place.member).shown(ClusterRole::Client);
    // What cannot be reached is told before anything is planned.
    let found = (host.trim_matches(['[', ']']), port)
        .to_socket_addrs()
        .map_err(|error| refuse(format!("{host}: {error}")))?;
    let reach = |address| std::net::TcpStream::connect_timeout(&address, Duration::from_secs(5));
    let mut reached = found.map(reach).peekable();
    if reached.peek().is_none() || reached.all(|it| it.is_err()) {
        return Err(refuse(format!(
            "{host}:{port}: no scheduler answers there (tabiya cluster scheduler)"
        )));
    }
    let config = sound(shown(state.config().clone(), &show))
        .with_ballista_logical_extension_codec(codec(roots))
        .with_ballista_grpc_client_max_message_size(MESSAGE as usize)
        // Only so is the number of a query known while it runs, by which it is given up.
        .set_bool(BALLISTA_CLIENT_PULL, true);
    SessionStateBuilder::new_from_existing(state)
        .with_config(config)
        .build()
        .upgrade_for_ballista(format!("http://{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use datafusion::execution::FunctionRegistry;

    use super::*;

    #[test]
    fn executors_know_what_sessions_know() {
        let mut state = SessionStateBuilder::new().with_default_features().build();
        teach(&mut state, FunctionSet::new(1 << 30)).expect("functions");
        let registry = registry(1 << 30);
        let sorted = |names: HashSet<String>| names.into_iter().collect::<BTreeSet<_>>();
        let mut count = 0;
        for name in sorted(state.udfs()) {
            let function = state.udf(&name).expect("it is there");
            assert!(registry.udf(function.name()).is_ok(), "{name}");
            count += 1;
        }
        for name in sorted(state.udafs()) {
            let function = state.udaf(&name).expect("it is there");
            assert!(registry.udaf(function.name()).is_ok(), "{name}");
            count += 1;
        }
        for name in sorted(state.udwfs()) {
            let function = state.udwf(&name).expect("it is there");
            assert!(registry.udwf(function.name()).is_ok(), "{name}");
            count += 1;
        }
        for name in sorted(state.higher_order_function_names()) {
            let function = state.higher_order_function(&name).expect("it is there");
            let known = registry.higher_order_function(function.name());
            assert!(known.is_ok(), "{name}");
            count += 1;
        }
        assert!(count > 200, "{count}");
    }
}
