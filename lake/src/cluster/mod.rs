//! Queries over several machines: a scheduler that plans, executors that compute, both of them this program.
//!
//! The engine is Ballista. Executors ask the scheduler for work, and open one port, from which others fetch what they have computed.
//! Nobody is asked for a password: whoever reaches a port may ask what queries may ask, which is why programs listen on this
//! machine alone unless they are told otherwise.

mod codec;
mod engine;
mod job;
mod loss;
mod words;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use ballista_core::config::{BALLISTA_CLIENT_PULL, TaskSchedulingPolicy};
use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service};
use clap::{Args, Subcommand};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;

use self::codec::Codec;
use self::engine::Engine;
pub(crate) use self::job::{Job, cancel};
use self::loss::Executors;
pub(crate) use self::words::{is_lost, sentence};
use crate::files::Files;
use crate::output::say;
use crate::roots::Roots;
use crate::session::{self, Limits};
use crate::{functions, run};

/// Where a scheduler listens, and executors from the next one on.
const PORT: u16 = 50_050;
/// The largest plan that is sent.
const MESSAGE: u32 = 64 << 20;
/// Seconds after which an executor that says nothing is given up.
const SILENCE: u64 = 60;
/// Seconds for which an executor waits for its scheduler.
const PATIENCE: u16 = 30;

/// What `tabiya cluster` is told.
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Plans queries and hands their parts to executors
    Scheduler(SchedulerArgs),
    /// Computes parts of queries
    Executor(ExecutorArgs),
}

#[derive(Args, Debug)]
struct SchedulerArgs {
    /// Where to listen; whoever reaches it may ask
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050", value_parser = address)]
    listen: SocketAddr,
    /// A further folder whose files queries may read; the working folder is one
    #[arg(long, value_name = "FOLDER")]
    allow: Vec<PathBuf>,
    /// Seconds after which an executor that says nothing is given up
    #[arg(long, value_name = "SECONDS", default_value_t = SILENCE, value_parser = clap::value_parser!(u64).range(10..))]
    silence: u64,
}

#[derive(Args, Debug)]
struct ExecutorArgs {
    /// The machine of the scheduler
    #[arg(long, value_name = "HOST", value_parser = scheduler)]
    scheduler: (String, u16),
    /// Where others fetch what was computed
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051", value_parser = address)]
    listen: SocketAddr,
    /// The name under which others reach this machine, in place of the address that the scheduler sees
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// A further folder whose files queries may read; the working folder is one
    #[arg(long, value_name = "FOLDER")]
    allow: Vec<PathBuf>,
    /// How many parts are computed at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    cores: Option<u16>,
    /// Memory for what grows with queries, such as 512M or 4G; more goes to disk
    #[arg(long, value_name = "SIZE", value_parser = run::size, default_value = "2G")]
    memory: usize,
    /// Where results wait and queries spill, in place of the folder for temporary files
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
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
            port.parse().map_err(|_| format!("{port:?} is no port"))?,
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
        Command::Scheduler(args) => run_scheduler(&args),
        Command::Executor(args) => run_executor(args),
    }
}

/// Says aloud what an open port means.
fn warn_if_open(ip: IpAddr) {
    if !ip.is_loopback() {
        say(
            "whoever reaches this port may read every file that queries may read, and nobody is asked for a password: \
             keep it within a network of your own (docs/cluster.md)",
        );
    }
}

fn run_scheduler(args: &SchedulerArgs) -> Result<()> {
    let roots = Roots::new(&args.allow)?;
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let runtime = run::runtime(threads)?;
    // What is planned spills nothing.
    let limits = Limits {
        memory: run::MEMORY,
        threads,
        spill: std::env::temp_dir(),
    };
    let codec = codec(&roots);
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
        stage_max_failures: loss::MOST_FAILURES,
        grpc_server_max_decoding_message_size: MESSAGE,
        grpc_server_max_encoding_message_size: MESSAGE,
        grpc_client_max_message_size: MESSAGE,
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        override_session_builder: Some(Arc::new(move |config| {
            Ok(SessionStateBuilder::new()
                .with_config(config)
                .with_runtime_env(session::environment(roots.clone(), &limits)?)
                .with_default_features()
                .build())
        })),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..SchedulerConfig::default()
    };
    warn_if_open(args.listen.ip());
    free(args.listen)?;
    say(&format!("a scheduler listens on {}", args.listen));
    runtime.block_on(async {
        let cluster = BallistaCluster::new_from_config(&config).await?;
        let (cluster, executors) = Executors::watch(&cluster);
        let scheduler = create_scheduler(cluster, Arc::new(config)).await?;
        executors.serve(scheduler.clone());
        tokio::select! {
            ended = start_grpc_service(args.listen, scheduler) => ended?,
            _ = tokio::signal::ctrl_c() => {}
        }
        anyhow::Ok(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

fn run_executor(args: ExecutorArgs) -> Result<()> {
    let roots = Roots::new(&args.allow)?;
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
    let limits = Limits {
        memory: args.memory,
        threads: cores,
        spill: work.path().to_owned(),
    };
    let codec = codec(&roots);
    let mut registry = BallistaFunctionRegistry::default();
    for function in functions::all() {
        registry
            .scalar_functions
            .insert(function.name().to_owned(), Arc::new(function));
    }
    let (host, port) = &args.scheduler;
    let runtime = run::runtime(available)?;
    let engine = Engine::new(runtime.handle(), format!("http://{host}:{port}"));
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
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        override_runtime_producer: Some(Arc::new(move |_| {
            session::environment(roots.clone(), &limits)
        })),
        override_execution_engine: Some(Arc::new(engine)),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..ExecutorProcessConfig::default()
    };
    warn_if_open(args.listen.ip());
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

/// Finds out at once whether somebody else listens there.
fn free(address: SocketAddr) -> Result<()> {
    std::net::TcpListener::bind(address)
        .map(drop)
        .with_context(|| address.to_string())
}

fn codec(roots: &Roots) -> Arc<Codec> {
    Arc::new(Codec::new(Arc::new(Files::new(roots.clone(), false))))
}

/// The state of a session whose queries are answered by a cluster.
pub(crate) fn client(
    state: SessionState,
    roots: &Roots,
    address: &str,
) -> datafusion::common::Result<SessionState> {
    let refuse = |words: String| crate::roots::refuse(words);
    let (host, port) = scheduler(address).map_err(refuse)?;
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
    let config = state
        .config()
        .clone()
        .with_ballista_logical_extension_codec(codec(roots))
        .with_ballista_grpc_client_max_message_size(MESSAGE as usize)
        // Only so is the number of a query known while it runs, by which it is given up.
        .set_bool(BALLISTA_CLIENT_PULL, true);
    SessionStateBuilder::new_from_existing(state)
        .with_config(config)
        .build()
        .upgrade_for_ballista(format!("http://{host}:{port}"))
}
