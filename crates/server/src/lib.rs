//! Tabiya in a browser: a web server for one user on one machine, with the app inside.
//!
//! The server holds no truth of its own: a route takes apart what it is asked, calls a job of the library and shows what
//! it says. What strangers could send is kept out at the door ([`guard`]), and everything that is asked at once, how much
//! and for how long is bounded ([`limits`]).

mod answer;
mod assets;
mod drafts;
pub mod guard;
mod jobs;
mod library;
pub mod limits;
mod listen;
mod live;
mod names;
mod openings;
pub mod places;
mod recent;
mod routes;
mod seats;
mod stream;
mod turns;
mod views;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tabiya::Opener;
use tabiya_model::{Control, Ended, Error, Result};
use tokio::sync::Semaphore;

use crate::drafts::Drafts;
use crate::guard::Guard;
use crate::jobs::Jobs;
use crate::library::Library;
use crate::live::Live;
use crate::names::Names;
use crate::openings::Openings;
use crate::turns::Turns;
use crate::views::Views;

/// How the server is started.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens; the loopback address unless said.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Names and addresses that it answers for besides its own, with ports where they are not its own (`name:port`).
    pub hosts: Vec<String>,
    /// The address of a proxy in front that speaks TLS, whose `X-Forwarded-Proto` and `X-Forwarded-Host` are believed.
    pub proxy: Option<IpAddr>,
    /// Databases that are shown, and folders in which databases may be opened.
    pub paths: Vec<PathBuf>,
    /// Nothing is changed on disk.
    pub read_only: bool,
    /// How databases are opened.
    pub opener: Opener,
    /// The first database is shown at once, in place of the list of all.
    pub show: bool,
    /// The databases opened last are shown too.
    pub last: bool,
    /// Where the app keeps what it remembers; without it nothing is remembered.
    pub data: Option<PathBuf>,
    /// A token that may be used as often as is wanted, by programs too; without it one is made for one use.
    pub token: Option<String>,
    /// Steps that a query may take in one game.
    pub steps: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
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
        }
    }
}

/// A server that listens.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Where it listens.
    pub address: SocketAddr,
    /// The address for the browser, with the token of this run.
    pub url: String,
    /// The addresses for browsers elsewhere, by the names that were told.
    pub others: Vec<String>,
    /// What could not be opened, with the reason.
    pub failed: Vec<String>,
    /// Whether the token has let a browser in.
    pub used: Arc<AtomicBool>,
}

/// What all routes share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<State>);

pub(crate) struct State {
    pub(crate) guard: Guard,
    /// The page that is shown first.
    pub(crate) start: String,
    pub(crate) library: Library,
    pub(crate) views: Views,
    pub(crate) jobs: Jobs,
    pub(crate) drafts: Drafts,
    pub(crate) openings: Openings,
    pub(crate) live: Live,
    /// Where the app keeps what it remembers.
    pub(crate) data: Option<PathBuf>,
    /// Steps that a query may take in one game.
    pub(crate) steps: u64,
    /// Places for work that reads games for long.
    pub(crate) work: Turns,
    /// Places for what is answered soon.
    pub(crate) quick: Turns,
    /// Places for the explorer.
    pub(crate) explorers: Turns,
    /// Places for engines that think.
    pub(crate) engines: Arc<Semaphore>,
}

impl std::ops::Deref for Shared {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl Shared {
    fn new(config: &Config, guard: Guard, start: String, library: Library, live: Live) -> Shared {
        Shared(Arc::new(State {
            guard,
            start,
            library,
            views: Views::default(),
            jobs: Jobs::default(),
            drafts: Drafts::of(config.data.as_deref()),
            openings: Openings::default(),
            live,
            data: config.data.clone(),
            steps: config.steps,
            work: Turns::new(limits::ALL_WORKERS, limits::WORKERS),
            quick: Turns::new(limits::ALL_QUICK, limits::QUICK),
            explorers: Turns::new(limits::ALL_EXPLORERS, limits::EXPLORERS),
            engines: Arc::new(Semaphore::new(limits::ENGINES)),
        }))
    }

    /// What routes share where no server listens.
    #[cfg(test)]
    fn of_tests(config: &Config) -> Shared {
        let address = SocketAddr::new(config.address, 1);
        let names = Names::new(address, &[], None).expect("names");
        let guard = Guard::new(names, None, config.read_only).expect("a guard");
        let live = Live::default();
        let (library, _) = Library::open(config, live.clone());
        Shared::new(config, guard, "/".to_owned(), library, live)
    }
}

/// Serves until the control is stopped. `ready` is called once the server listens.
pub fn serve(config: Config, control: &Control, ready: impl FnOnce(&Ready)) -> Result<Ended> {
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
                Error::usage(format!("{whole} cannot be listened at: {error}"))
            })?;
        let address = listener.local_addr()?;
        let names = Names::new(address, &config.hosts, config.proxy)?;
        let guard = Guard::new(names, config.token.clone(), config.read_only)?;
        let live = Live::default();
        let (library, failed) = Library::open(&config, live.clone());
        let start = match library.first() {
            Some(id) if config.show => format!("/base/{id}"),
            _ => "/".to_owned(),
        };
        let told = Ready {
            address,
            url: guard.url(),
            others: guard.others(),
            failed,
            used: guard.used(),
        };
        let shared = Shared::new(&config, guard, start, library, live);
        let jobs = shared.clone();
        tokio::spawn(live::watch(shared.clone()));
        ready(&told);
        listen::until_stopped(listener, routes::router(shared), control).await;
        jobs.jobs.stop_all();
        Ok::<Ended, Error>(Ended::Whole)
    });
    // Work that is under way looks at the control and ends by itself.
    runtime.shutdown_timeout(limits::FAREWELL);
    ended
}
