//! Tabiya in a browser: a web server for one user on one machine, with the app inside.
//!
//! The server has no state of its own: a route parses its request, calls a job of the library and shows the result.
//! Requests of other pages are refused ([`guard`]), and the number, size and duration of requests are bounded ([`limits`]).

mod answer;
mod assets;
mod clock;
mod connection_slots;
mod connections;
mod database_openings;
mod drafts;
mod error_codes;
mod event_broadcast;
mod fetch_program;
pub mod guard;
mod host_names;
mod jobs;
mod library;
pub mod limits;
mod mcp_bases;
mod recent_databases;
mod repertoires;
mod routes;
pub mod running_app;
mod search_views;
mod site_logins;
mod site_renewals;
mod stream;
pub mod user_settings;
mod work_progress;
mod work_slots;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tabiya::Opener;
use tabiya::repertoire::RepertoireCache;
use tabiya_mcp::{McpConfig, McpServer};
use tabiya_model::{Control, Error, JobCompletion, Result};
use tokio::sync::Semaphore;

use crate::database_openings::DatabaseOpenings;
use crate::drafts::Drafts;
use crate::event_broadcast::EventBroadcast;
use crate::guard::RequestGuard;
use crate::host_names::HostNames;
use crate::jobs::ServerJobs;
use crate::library::Library;
use crate::mcp_bases::LibraryBases;
use crate::repertoires::{RepertoireStore, Trainings};
use crate::running_app::RunningApp;
use crate::search_views::SearchViews;
use crate::site_logins::SiteLogins;
use crate::site_renewals::SiteRenewals;
use crate::work_progress::WorkProgress;
use crate::work_slots::WorkSlots;

pub use crate::fetch_program::FetchProgram;

/// How the server is started.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Where it listens; the loopback address by default.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Names and addresses that it answers for besides its own, with ports if they differ from its own (`name:port`).
    pub hosts: Vec<String>,
    /// The address of a TLS proxy, whose `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted.
    pub proxy: Option<IpAddr>,
    /// Databases that are shown, and folders in which databases may be opened.
    pub paths: Vec<PathBuf>,
    /// Nothing is changed on disk.
    pub read_only: bool,
    /// How databases are opened.
    pub opener: Opener,
    /// The first database is shown at once, instead of the list of all.
    pub show: bool,
    /// The databases opened last are shown too.
    pub last: bool,
    /// The folder of the app's data; without it nothing is remembered.
    pub data: Option<PathBuf>,
    /// A token that may be used any number of times, by programs too; without it one is made for a single use.
    pub token: Option<String>,
    /// The maximum number of steps of a query in one game.
    pub steps: u64,
    /// How tools for language models are offered, to clients with the token; they change nothing on a read-only server.
    pub tools: McpConfig,
    /// The file by which later starts of the program find this one; without it each start is a server of its own.
    pub running: Option<PathBuf>,
    /// The program by which users log in at sites and renew databases from them; without it they cannot.
    pub fetch: Option<FetchProgram>,
    /// How long the server stays when no tab is open any more, no job runs, no language model asks, and no annotation waits
    /// to be saved; forever by default.
    pub stay: Option<Duration>,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            hosts: Vec::new(),
            proxy: None,
            paths: Vec::new(),
            read_only: false,
            opener: Opener::default(),
            show: false,
            last: false,
            data: None,
            token: None,
            steps: limits::STEPS,
            tools: McpConfig::default(),
            running: None,
            fetch: None,
            stay: None,
        }
    }
}

/// A listening server.
#[derive(Clone, Debug)]
pub struct ListeningServer {
    /// The address where it listens.
    pub address: SocketAddr,
    /// The address for the browser, with the token of this run.
    pub url: String,
    /// The addresses for browsers elsewhere, by the given names.
    pub others: Vec<String>,
    /// What could not be opened, with the reason.
    pub failed: Vec<String>,
    /// Whether the token has let a browser in.
    pub used: Arc<AtomicBool>,
}

/// What all routes share.
#[derive(Clone)]
pub(crate) struct ServerState(Arc<ServerStateInner>);

pub(crate) struct ServerStateInner {
    pub(crate) guard: RequestGuard,
    /// The page that is shown first.
    pub(crate) start: String,
    pub(crate) library: Library,
    pub(crate) views: SearchViews,
    pub(crate) jobs: ServerJobs,
    pub(crate) drafts: Drafts,
    pub(crate) openings: DatabaseOpenings,
    pub(crate) repertoires: RepertoireStore,
    /// Repertoires as they were read.
    pub(crate) named_repertoires: RepertoireCache,
    pub(crate) trainings: Trainings,
    pub(crate) live: EventBroadcast,
    /// Where the app keeps what it remembers.
    pub(crate) data: Option<PathBuf>,
    /// Steps that a query may take in one game.
    pub(crate) steps: u64,
    /// Places for work that reads games for long.
    pub(crate) work: WorkSlots,
    /// How far work has come for whose answer somebody waits.
    pub(crate) progress: WorkProgress,
    /// Places for what is answered soon.
    pub(crate) quick: WorkSlots,
    /// Places for the explorer.
    pub(crate) explorers: WorkSlots,
    pub(crate) logins: SiteLogins,
    pub(crate) renewals: SiteRenewals,
    /// Places for engines that think.
    pub(crate) engines: Arc<Semaphore>,
}

impl std::ops::Deref for ServerState {
    type Target = ServerStateInner;

    fn deref(&self) -> &ServerStateInner {
        &self.0
    }
}

impl ServerState {
    fn new(
        config: &ServerConfig,
        guard: RequestGuard,
        start: String,
        library: Library,
        live: EventBroadcast,
    ) -> ServerState {
        ServerState(Arc::new(ServerStateInner {
            guard,
            start,
            library,
            views: SearchViews::default(),
            jobs: ServerJobs::default(),
            drafts: Drafts::of(config.data.as_deref()),
            openings: DatabaseOpenings::default(),
            repertoires: RepertoireStore::default(),
            named_repertoires: RepertoireCache::default(),
            trainings: Trainings::default(),
            live,
            data: config.data.clone(),
            steps: config.steps,
            work: WorkSlots::new(limits::ALL_WORKERS, limits::WORKERS),
            progress: WorkProgress::default(),
            quick: WorkSlots::new(limits::ALL_QUICK, limits::QUICK),
            explorers: WorkSlots::new(limits::ALL_EXPLORERS, limits::EXPLORERS),
            logins: SiteLogins::new(config.fetch.clone()),
            renewals: SiteRenewals::new(config.fetch.clone(), config.data.as_deref()),
            engines: Arc::new(Semaphore::new(limits::ENGINES)),
        }))
    }

    /// What routes share where no server listens.
    #[cfg(test)]
    fn of_tests(config: &ServerConfig) -> ServerState {
        let address = SocketAddr::new(config.address, 1);
        let names = HostNames::new(address, &[], None).expect("names");
        let guard = RequestGuard::new(names, None, config.read_only).expect("a guard");
        let live = EventBroadcast::default();
        let (library, _) = Library::open(config, live.clone());
        ServerState::new(config, guard, "/".to_owned(), library, live)
    }
}

/// Waits until nobody has looked at the app for so long, and nothing is left to do; for ever without a time.
async fn until_left(shared: &ServerState, tools: &McpServer, stay: Option<Duration>) {
    let Some(stay) = stay else {
        return std::future::pending().await;
    };
    let mut last = tokio::time::Instant::now();
    let mut messages = 0;
    loop {
        tokio::time::sleep(limits::LEAVING_LOOK).await;
        let asked = std::mem::replace(&mut messages, tools.messages());
        let is_used = shared.live.is_heard() || messages != asked;
        if is_used || shared.jobs.are_running() || tools.is_busy() {
            last = tokio::time::Instant::now();
        }
        if last.elapsed() < stay {
            continue;
        }
        let inner = shared.clone();
        let waits = tokio::task::spawn_blocking(move || !inner.drafts.list().is_empty());
        if waits.await.unwrap_or(true) {
            last = tokio::time::Instant::now();
        } else {
            return;
        }
    }
}

/// Serves until the control is stopped, or no client is left. `ready` is called once the server listens.
pub fn serve(
    config: ServerConfig,
    control: &Control,
    ready: impl FnOnce(&ListeningServer),
) -> Result<JobCompletion> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(limits::THREADS)
        .enable_io()
        .enable_time()
        .build()?;
    let ended = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((config.address, config.port))
            .await
            .map_err(|error| {
                let whole = SocketAddr::new(config.address, config.port);
                Error::new(
                    &error_codes::CANNOT_LISTEN,
                    format!("cannot listen at {whole}: {error}"),
                )
            })?;
        let address = listener.local_addr()?;
        let names = HostNames::new(address, &config.hosts, config.proxy)?;
        let guard = RequestGuard::new(names, config.token.clone(), config.read_only)?;
        let live = EventBroadcast::default();
        let (library, failed) = Library::open(&config, live.clone());
        let start = match library.first() {
            Some(id) if config.show => format!("/base/{id}"),
            _ => "/".to_owned(),
        };
        let told = ListeningServer {
            address,
            url: guard.url(),
            others: guard.others(),
            failed,
            used: guard.used(),
        };
        let shared = ServerState::new(&config, guard, start, library, live);
        let jobs = shared.clone();
        let tools = McpConfig {
            edits: config.tools.edits && !config.read_only,
            ..config.tools.clone()
        };
        let tools = McpServer::new(Arc::new(LibraryBases(shared.clone())), tools);
        tokio::spawn(event_broadcast::watch(shared.clone()));
        tokio::spawn(routes::renewals::watch(shared.clone()));
        let mut running = match &config.running {
            Some(file) => Some(RunningApp::begin(file).await?),
            None => None,
        };
        if let Some(running) = &mut running {
            running.listen(&shared);
        }
        ready(&told);
        tokio::select! {
            () = connections::until_stopped(listener, routes::router(shared.clone(), tools.clone()), control) => {}
            () = until_left(&shared, &tools, config.stay) => {}
        }
        // Later starts find nobody from here on.
        drop(running);
        jobs.jobs.stop_all();
        tools.stop();
        Ok::<JobCompletion, Error>(JobCompletion::Whole)
    });
    // Work that is under way looks at the control and ends by itself.
    runtime.shutdown_timeout(limits::FAREWELL);
    ended
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};

    use tabiya_mcp::{McpBase, McpBases, McpRefusal};

    use super::*;

    /// Databases that are looked for until the test has seen enough.
    struct SlowBases(Mutex<Receiver<()>>);

    impl McpBases for SlowBases {
        fn all(&self, _: bool) -> (Vec<McpBase>, Vec<String>) {
            // It ends when the other end goes.
            let _ = self.0.lock().expect("a receiver").recv();
            (Vec::new(), Vec::new())
        }

        fn opener(&self) -> Opener {
            Opener::default()
        }

        fn changed(&self, _: &str) {}

        fn target(&self, name: &str) -> std::result::Result<PathBuf, McpRefusal> {
            Err(McpRefusal::new("outside-folders", name))
        }

        fn added(&self, _: &Path) -> Option<String> {
            None
        }

        fn folders(&self) -> Vec<PathBuf> {
            Vec::new()
        }
    }

    #[test]
    fn the_app_does_not_end_while_a_tool_works() {
        let (release, held) = channel();
        let bases = Arc::new(SlowBases(Mutex::new(held)));
        let tools = McpServer::new(bases, McpConfig::default());
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bases","arguments":{}}}"#;
        let told = tools.answer(call.as_bytes(), None, &Control::default());
        let told = told.body.expect("an answer");
        assert!(told.contains("running"), "{told}");
        let shared = ServerState::of_tests(&ServerConfig::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let leaving = until_left(&shared, &tools, Some(Duration::from_millis(1)));
            tokio::pin!(leaving);
            let waited = tokio::time::timeout(limits::LEAVING_LOOK * 4, &mut leaving).await;
            assert!(waited.is_err(), "a job runs");
            assert!(tools.is_busy());
            drop(release);
            leaving.await;
        });
        assert!(!tools.is_busy());
    }
}
