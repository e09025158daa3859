//! A second start of the program: it finds the app that runs, whose files it opens, and which ends when nobody looks at it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tabiya_server::ServerConfig;
use tabiya_server::running_app::{HandedOver, hand_over};
use tempfile::TempDir;

use crate::server::{Server, corpus};

const MARK: &str = "X-Tabiya: 1\r\n";

/// How long an app without tabs goes on: long enough for what a test does before.
const STAY: Duration = Duration::from_secs(4);

/// An app that later starts can find, and two databases in a folder that it does not serve.
struct RunningServer {
    server: Server,
    own: TempDir,
    elsewhere: TempDir,
}

impl RunningServer {
    fn start(stay: Option<Duration>) -> RunningServer {
        let own = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        for name in ["mine.pgn", "beside.pgn"] {
            std::fs::copy(corpus().join("opera.pgn"), elsewhere.path().join(name))
                .expect("a sample");
        }
        let served = tempfile::tempdir().expect("a folder");
        let config = ServerConfig {
            running: Some(own.path().join("app/running.json")),
            stay,
            ..ServerConfig::default()
        };
        RunningServer {
            server: Server::with(served, config),
            own,
            elsewhere,
        }
    }

    fn file(&self) -> PathBuf {
        self.own.path().join("app/running.json")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.elsewhere.path().join(name)
    }

    fn hand_over(&self, paths: &[PathBuf]) -> HandedOver {
        let handed = hand_over(&self.file(), paths).expect("it can be asked");
        handed.expect("one runs")
    }

    /// Opens a path as the app's own page would.
    fn open(&self, path: &Path) -> (u16, Value) {
        let body = json!({ "path": path }).to_string();
        let reply = self.server.post("/api/v1/bases", MARK, &body);
        (reply.status, reply.json())
    }

    fn delete_first(&self, base: &str) -> u16 {
        let body = json!({"change": {"kind": "delete", "games": [1]}}).to_string();
        let path = format!("/api/v1/bases/{base}/change");
        self.server.post(&path, MARK, &body).status
    }
}

/// Where a browser is led that comes with an address.
fn follow(server: &Server, url: &str, cookie: &str) -> Option<String> {
    let path = url
        .split_once(&server.address().to_string())
        .expect("its address")
        .1;
    let reply = server.ask(&format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\n{cookie}\r\n",
        server.address()
    ));
    reply.header("location").map(str::to_owned)
}

#[test]
fn a_second_start_opens_its_file_in_the_first() {
    let running = RunningServer::start(None);
    let (mine, beside) = (running.path("mine.pgn"), running.path("beside.pgn"));
    assert_eq!(running.open(&mine).0, 403, "nobody has named it yet");
    let handed = running.hand_over(std::slice::from_ref(&mine));
    assert_eq!(handed.failed, Vec::<String>::new());
    // A browser that was in already is led there as one is that was not, each once.
    let again = running.hand_over(std::slice::from_ref(&mine));
    let cookie = format!("Cookie: {}\r\n", running.server.cookie);
    let page = follow(&running.server, &handed.url, &cookie).expect("a page");
    assert_eq!(
        follow(&running.server, &again.url, "").as_ref(),
        Some(&page)
    );
    assert_eq!(follow(&running.server, &again.url, ""), None);
    let base = page.strip_prefix("/base/").expect("the page of a database");
    // What lies beside it is opened, and not changed; what was opened itself is.
    let (status, opened) = running.open(&beside);
    assert_eq!(status, 200, "{opened}");
    let other = opened[0]["id"].as_str().expect("an id");
    assert_eq!(opened[0]["editable"], false);
    let rows = format!("/api/v1/bases/{other}/rows");
    assert_eq!(running.server.get(&rows).status, 200);
    assert_eq!(running.delete_first(other), 403);
    let index = format!("/api/v1/bases/{other}/index");
    assert_eq!(running.server.post(&index, MARK, "{}").status, 403);
    assert_eq!(running.delete_first(base), 200);
    // Nothing is made in that folder.
    let new = json!({"path": running.path("new.pgn")}).to_string();
    assert_eq!(running.server.post("/api/v1/new", MARK, &new).status, 403);
    // It was looked at, and is no more than that afterwards.
    assert_eq!(running.delete_first(other), 403);
}

#[test]
fn what_a_second_start_cannot_open_is_told() {
    let running = RunningServer::start(None);
    let (missing, odd) = (running.path("missing.pgn"), running.path("odd.si5"));
    std::fs::write(&odd, "no database").expect("written");
    let handed = running.hand_over(&[missing, running.path("mine.pgn"), odd]);
    assert_eq!(handed.failed.len(), 2, "{:?}", handed.failed);
    assert!(
        handed.failed[0].contains("missing.pgn"),
        "{:?}",
        handed.failed
    );
    assert!(handed.failed[1].contains("odd.si5"), "{:?}", handed.failed);
    let page = follow(&running.server, &handed.url, "").expect("a page");
    assert!(page.starts_with("/base/"), "{page}");
    // Without files it is the app as it is.
    let handed = running.hand_over(&[]);
    assert_eq!(
        follow(&running.server, &handed.url, "").as_deref(),
        Some("/")
    );
}

#[test]
fn a_stranger_hands_nothing_over() {
    let running = RunningServer::start(None);
    let text = std::fs::read_to_string(running.file()).expect("a file");
    let known: Value = serde_json::from_str(&text).expect("JSON");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = std::fs::metadata(running.file()).expect("a file");
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }
    let port = u16::try_from(known["port"].as_u64().expect("a port")).expect("a port");
    let paths = json!([running.path("mine.pgn")]);
    let long = "x".repeat(1 << 20);
    for said in [
        json!({"start": known["run"], "paths": paths}).to_string(),
        json!({"start": "", "paths": paths}).to_string(),
        json!({"paths": paths}).to_string(),
        "GET / HTTP/1.1".to_owned(),
        long,
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
        let _ = stream
            .write_all(said.as_bytes())
            .and_then(|()| stream.write_all(b"\n"));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"", "{said:.80}");
    }
    assert_eq!(running.open(&running.path("mine.pgn")).0, 403);
}

#[test]
fn whoever_listens_there_later_leads_no_browser() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("running.json");
    let nobody = hand_over(&file, &[]).expect("no file is no failure");
    assert_eq!(nobody, None);
    let stranger = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = stranger.local_addr().expect("an address").port();
    let known = json!({"port": port, "start": "one", "run": "two"}).to_string();
    std::fs::write(&file, known).expect("written");
    let answers = std::thread::spawn(move || {
        for answer in [
            json!({"run": "one", "url": "http://example.org/", "failed": []}).to_string(),
            "x".repeat(1 << 20),
            String::new(),
        ] {
            let (mut stream, _) = stranger.accept().expect("somebody comes");
            let _ = stream
                .write_all(answer.as_bytes())
                .and_then(|()| stream.write_all(b"\n"));
        }
    });
    for _ in 0..3 {
        assert_eq!(hand_over(&file, &[]).expect("no failure"), None);
    }
    answers.join().expect("it ends");
    // Nobody listens there any more.
    assert_eq!(hand_over(&file, &[]).expect("no failure"), None);
    for broken in ["", "{", "[1]", "{\"port\": 99999}"] {
        std::fs::write(&file, broken).expect("written");
        assert_eq!(hand_over(&file, &[]).expect("no failure"), None);
    }
}

/// Whether somebody listens at its address.
fn is_there(server: &Server) -> bool {
    TcpStream::connect(server.address()).is_ok()
}

#[test]
fn an_app_without_tabs_ends_and_one_with_a_draft_stays() {
    let mut running = RunningServer::start(Some(STAY));
    while is_there(&running.server) {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.server.wait();
    assert!(!running.file().exists());

    let mut running = RunningServer::start(Some(STAY));
    let handed = running.hand_over(&[running.path("mine.pgn")]);
    let page = follow(&running.server, &handed.url, "").expect("a page");
    let base = page.strip_prefix("/base/").expect("the page of a database");
    let path = format!("/api/v1/bases/{base}/games/1/edit");
    let begun = running.server.post(&path, MARK, "{}").json();
    let wish = json!({"kind": "comment", "side": "after", "text": "mine"});
    let body = json!({"version": begun["version"], "wishes": [{"at": 0, "wish": wish}]});
    let edit = begun["id"].as_str().expect("an id");
    let path = format!("/api/v1/edits/{edit}/wishes");
    let told = running.server.post(&path, MARK, &body.to_string());
    assert_eq!(told.status, 200, "{}", String::from_utf8_lossy(&told.body));
    std::thread::sleep(STAY + STAY / 2);
    assert!(is_there(&running.server), "an annotation is not saved");
    let path = format!("/api/v1/edits/{edit}");
    assert_eq!(running.server.delete(&path, MARK).status, 200);
    while is_there(&running.server) {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.server.wait();
    assert!(!running.file().exists());
}
