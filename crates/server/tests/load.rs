//! Hostile and honest clients at once for as long as is wanted: in the end the server holds what it held at the start.
//!
//! `TABIYA_LOAD_SECONDS` says how long; ten seconds unless said. What it holds is printed with `--nocapture`, every ten minutes too.
//!
//! What is allocated and what the system has given are two things: the first is counted byte by byte and shows a leak, the second
//! is that and what the allocator keeps for later.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "it tells what it has measured")]

#[path = "server/server.rs"]
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod server;

use std::alloc::System;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cap::Cap;
use serde_json::json;
use server::Server;
use tabiya_testing::TestRandom;

#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

const MARK: &str = "X-Tabiya: 1\r\n";

/// How much more memory than before it may hold: what an allocator keeps differs from run to run, and does not grow with time.
const MEMORY: u64 = 64 << 20;

/// How much more may be allocated: lists of what was found and told are as long as the last ones were.
const ALLOCATED_MORE: usize = 4 << 20;

/// How often it is told what is held, in seconds.
const TELL: u64 = 600;

/// What this process holds.
#[derive(Debug)]
struct Held {
    memory: u64,
    /// What of it is no file: the heap and the stacks.
    own: u64,
    allocated: usize,
    descriptors: BTreeSet<String>,
    count: usize,
    threads: usize,
    files: BTreeSet<String>,
}

fn files(folder: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        all.insert(entry.path().display().to_string());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files(&entry.path(), all);
        }
    }
}

impl Held {
    fn now(server: &Server) -> Held {
        let status = std::fs::read_to_string("/proc/self/status").expect("told");
        let number = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let word = line.and_then(|line| line.split_whitespace().next());
            word.and_then(|word| word.parse().ok()).expect("a number")
        };
        let open: Vec<String> = std::fs::read_dir("/proc/self/fd")
            .expect("listed")
            .flatten()
            .filter_map(|entry| std::fs::read_link(entry.path()).ok())
            .map(|link| link.display().to_string())
            .collect();
        let mut all = BTreeSet::new();
        files(server.folder.path(), &mut all);
        files(server.data.path(), &mut all);
        // The rooms of this process alone, by what it has open in them.
        let locks = open.iter().filter(|path| path.contains("/tabiya-run-"));
        for room in locks.filter_map(|lock| Path::new(lock).parent()) {
            files(room, &mut all);
        }
        Held {
            memory: number("VmRSS:") << 10,
            own: number("RssAnon:") << 10,
            allocated: ALLOCATED.allocated(),
            threads: usize::try_from(number("Threads:")).expect("few"),
            count: open.len(),
            descriptors: open.into_iter().collect(),
            files: all,
        }
    }

    fn tell(&self, when: &str) {
        println!(
            "{when}: memory {} MB ({} MB of it no files), allocated {} kB, descriptors {}, threads {}, files {}",
            self.memory >> 20,
            self.own >> 20,
            self.allocated >> 10,
            self.count,
            self.threads,
            self.files.len()
        );
    }

    /// The same once nothing is under way any more: what was begun ends, and threads that have nothing to do go.
    fn at_rest(server: &Server, wanted: Option<&Held>) -> Held {
        let mut held = Held::now(server);
        for _ in 0..600 {
            std::thread::sleep(Duration::from_millis(100));
            let next = Held::now(server);
            let is_still = next.count == held.count && next.threads == held.threads;
            let is_wanted = wanted
                .is_none_or(|wanted| next.count <= wanted.count && next.threads <= wanted.threads);
            held = next;
            // Threads that wait for work go after ten seconds.
            if is_still && is_wanted && held.threads <= QUIET {
                break;
            }
        }
        held
    }
}

/// Threads of the server, the runtime and the test where nobody asks.
const QUIET: usize = 6;

fn ask(server: &Server, request: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(server.address()).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .ok()?;
    stream
        .set_write_timeout(Some(Duration::from_secs(20)))
        .ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    Some(stream)
}

/// One who uses the app. What it asks is answered, or it is told that too much is going on.
fn honest(server: &Server, bases: &[String], chance: &mut TestRandom, refused: &AtomicU64) {
    let base = chance.pick(bases);
    let game = chance.below(20) + 1;
    let get = |path: String| {
        let status = server.get(&path).status;
        assert!(matches!(status, 200 | 503 | 400 | 404), "{path}: {status}");
        refused.fetch_add(u64::from(status == 503), Ordering::Relaxed);
    };
    match chance.below(10) {
        0 => get(format!("/api/v1/bases/{base}/rows?from={game}&count=50")),
        1 => get(format!("/api/v1/bases/{base}/games/{game}")),
        2 => get(format!(
            "/api/v1/bases/{base}/search?query=white%3AMorphy%20or%20eco%3AC4{}",
            game % 10
        )),
        3 => get(format!("/api/v1/explore?base={base}&play=e2e4")),
        4 => get(format!("/api/v1/bases/{base}/statistics")),
        5 => get("/api/v1/bases".to_owned()),
        6 => get(format!("/api/v1/bases/{base}/complete?tag=White&start=P")),
        7 => {
            let body = json!({"sources": [base], "path": "x.pgn", "download": true, "dry": true});
            server.post("/api/v1/conversions", MARK, &body.to_string());
        }
        8 => {
            let file = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"copy.pgn\"\r\n\r\n[White \"A\"]\n\n1. e4 *\n\r\n--x--\r\n";
            let head = format!(
                "POST /api/v1/uploads HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Content-Type: multipart/form-data; boundary=x\r\n\
                 Content-Length: {}\r\n\r\n{file}",
                server.address(),
                server.cookie,
                file.len()
            );
            let reply = server.ask(&head);
            if reply.status == 200 {
                let told = reply.json();
                let all = told.as_array().or(told["bases"].as_array()).expect("bases");
                for base in all {
                    let id = base["id"].as_str().expect("an id");
                    let closed = server.delete(&format!("/api/v1/bases/{id}"), MARK).status;
                    assert_eq!(closed, 200);
                }
            }
        }
        _ => get("/".to_owned()),
    }
}

/// One who means no good, and often leaves in the midst.
fn hostile(server: &Server, bases: &[String], chance: &mut TestRandom) {
    let base = chance.pick(bases);
    let ours = format!(
        "Host: {}\r\nCookie: {}\r\n",
        server.address(),
        server.cookie
    );
    let request = match chance.below(14) {
        0 => {
            let query = "some[x]:\"(* or -)\" (some[y]:\"(* or -)\" men:\"(A attacks (* attacked-by -))\">=65)";
            let query: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
            format!("GET /api/v1/bases/{base}/search?query={query} HTTP/1.1\r\n{ours}\r\n")
        }
        1 => "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
        2 => format!("GET /{} HTTP/1.1\r\n{ours}\r\n", "a".repeat(100_000)),
        3 => "\u{16}\u{3}\u{1}\u{0}".to_owned(),
        4 => format!("POST /api/v1/bases HTTP/1.1\r\n{ours}{MARK}Content-Length: 60000\r\n\r\n{{"),
        5 => String::new(),
        6 => format!(
            "GET /?token={} HTTP/1.1\r\nHost: {}\r\n\r\n",
            chance.below(1 << 30),
            server.address()
        ),
        7 => format!(
            "GET /api/v1/live HTTP/1.1\r\n{ours}Origin: http://{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{7f}\u{7f}",
            server.address()
        ),
        8 => format!(
            "POST /api/v1/uploads HTTP/1.1\r\n{ours}{MARK}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 90000000\r\n\r\n\
             --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"half.pgn\"\r\n\r\n{}",
            "x".repeat(50_000)
        ),
        9 => format!("GET /api/v1/bases/{base}%00/..%2f..%2fetc/passwd HTTP/1.1\r\n{ours}\r\n"),
        10 => format!(
            "GET /api/v1/explore?fen={} HTTP/1.1\r\n{ours}\r\n",
            "%ff".repeat(500)
        ),
        11 => format!(
            "POST /api/v1/new HTTP/1.1\r\n{ours}{MARK}Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{{\"path\": \"/etc/tabiya/x.pgn\"}}"
        ),
        12 => format!("GET /api/v1/bases/{base}/statistics?full=true HTTP/1.1\r\n{ours}\r\n"),
        _ => format!("GET /api/v1/bases/{base}/doubles HTTP/1.1\r\n{ours}\r\n"),
    };
    let Some(mut stream) = ask(server, &request) else {
        return;
    };
    match chance.below(4) {
        0 => {}
        1 => {
            let _ = stream.shutdown(Shutdown::Write);
            let _ = stream.read(&mut [0; 100]);
        }
        2 => std::thread::sleep(Duration::from_millis(chance.below(200) as u64)),
        _ => {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
            let _ = stream.read(&mut [0; 1000]);
        }
    }
}

/// How many clients of each kind there are.
const CLIENTS: u64 = 4;

fn load(server: &Server, bases: &[String], time: Duration, seed: u64) -> (u64, u64, u64) {
    let over = AtomicBool::new(false);
    let (asked, attacked, refused) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (over, asked, attacked, refused) = (&over, &asked, &attacked, &refused);
            scope.spawn(move || {
                let mut chance = TestRandom::new(seed + client);
                while !over.load(Ordering::Acquire) {
                    honest(server, bases, &mut chance, refused);
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
            scope.spawn(move || {
                let mut chance = TestRandom::new(seed + 1_000 + client);
                while !over.load(Ordering::Acquire) {
                    hostile(server, bases, &mut chance);
                    attacked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut slept = 0;
        while slept < time.as_secs() {
            let next = TELL.min(time.as_secs() - slept);
            std::thread::sleep(Duration::from_secs(next));
            slept += next;
            Held::now(server).tell(&format!("after {slept} s, under load"));
        }
        over.store(true, Ordering::Release);
    });
    (
        asked.into_inner(),
        attacked.into_inner(),
        refused.into_inner(),
    )
}

#[test]
fn the_server_holds_in_the_end_what_it_held_at_the_start() {
    let seconds = tabiya_testing::number_of("TABIYA_LOAD_SECONDS", 10);
    let folder = tempfile::tempdir().expect("a folder");
    let opera = server::corpus().join("opera.pgn");
    std::fs::copy(&opera, folder.path().join("opera.pgn")).expect("copied");
    let one = std::fs::read_to_string(&opera).expect("read");
    std::fs::write(
        folder.path().join("many.pgn"),
        format!("{one}\n\n").repeat(500),
    )
    .expect("written");
    let mut long = "[White \"Long\"]\n\n".to_owned();
    for at in 1..=10_000 {
        write!(long, "{at}. {} ", ["Ng1 Ng8", "Nf3 Nf6"][at % 2]).expect("written");
    }
    std::fs::write(folder.path().join("long.pgn"), long + "*\n").expect("written");
    let server = Server::of(folder, false);
    let bases: Vec<String> = server.get("/api/v1/bases").json()["bases"]
        .as_array()
        .expect("bases")
        .iter()
        .map(|base| base["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(bases.len(), 3);
    // What is remembered up to a bound (results, jobs, places) is there afterwards.
    let began = Instant::now();
    load(
        &server,
        &bases,
        Duration::from_secs((seconds / 10).clamp(5, 60)),
        1,
    );
    let before = Held::at_rest(&server, None);
    before.tell("at rest before");
    let (asked, attacked, refused) = load(&server, &bases, Duration::from_secs(seconds), 2);
    let after = Held::at_rest(&server, Some(&before));
    println!(
        "{seconds} s, {:?} with all: {asked} honest requests ({refused} told that too much goes on), {attacked} hostile ones",
        began.elapsed(),
    );
    after.tell("at rest afterwards");
    assert!(asked > 0 && attacked > 0);
    assert!(
        after.count <= before.count,
        "more is open: {:?}",
        after
            .descriptors
            .difference(&before.descriptors)
            .collect::<Vec<_>>()
    );
    assert!(
        after.threads <= before.threads,
        "{} threads, not {}",
        after.threads,
        before.threads
    );
    assert_eq!(after.files, before.files);
    assert!(
        after.memory <= before.memory + MEMORY,
        "{} bytes more",
        after.memory - before.memory
    );
    assert!(
        after.allocated <= before.allocated + ALLOCATED_MORE,
        "{} bytes more are allocated",
        after.allocated - before.allocated
    );
    assert_eq!(server.get("/api/v1/bases").status, 200);
}
