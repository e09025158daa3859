//! Logging in at Lichess from the app: with the real program, and a stand-in for the site.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tabiya_server::{FetchProgram, ServerConfig};

use crate::server::Server;

const MARK: &str = "X-Tabiya: 1\r\n";
const TOKEN: &str = "lio_secret_token";

/// The program beside this test's, if it was built.
pub(crate) fn program() -> Option<PathBuf> {
    let own = std::env::current_exe().expect("a program");
    let name = format!("tabiya-fetch{}", std::env::consts::EXE_SUFFIX);
    let program = own.parent()?.parent()?.join(name);
    if !program.is_file() {
        eprintln!("skipped: {} is not there", program.display());
        return None;
    }
    Some(program)
}

/// A site that gives a token for the code `good`.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                let lower = line.to_ascii_lowercase();
                if let Some(said) = lower.strip_prefix("content-length:") {
                    length = said.trim().parse().expect("a number");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let is_good = String::from_utf8_lossy(&body).contains("&code=good&");
            let (status, text) = match is_good {
                true => (
                    "200 OK",
                    format!(r#"{{"token_type":"Bearer","access_token":"{TOKEN}"}}"#),
                ),
                false => ("400 Bad", "{}".to_owned()),
            };
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
            let _ = (&stream).write_all(answer.as_bytes());
        }
    });
    address
}

/// A server that logs in at the stand-in, and the file for tokens.
fn server(program: &Path, folder: &Path) -> (Server, PathBuf) {
    let tokens = folder.join("tokens.conf");
    let config = ServerConfig {
        fetch: Some(FetchProgram {
            path: program.to_owned(),
            arguments: vec![
                "--host".into(),
                format!("lichess={}", site()).into(),
                "--tokens".into(),
                tokens.clone().into(),
            ],
        }),
        ..ServerConfig::default()
    };
    let served = tempfile::tempdir().expect("a folder");
    (Server::with(served, config), tokens)
}

/// The state once it is no longer waiting.
fn ended(server: &Server) -> Value {
    loop {
        let login = server.get("/api/v1/login").json();
        if login["state"] != "waiting" {
            return login;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The browser comes back with a code.
fn come_back(address: &str, code: &str, state: Option<&str>) -> String {
    let value = |name: &str| {
        let (_, query) = address.split_once('?').expect("a query");
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(known, _)| *known == name).expect("a value");
        found.1.replace("%3A", ":").replace("%2F", "/")
    };
    let redirect = value("redirect_uri");
    let host = redirect.trim_start_matches("http://").trim_end_matches('/');
    let state = state.map_or_else(|| value("state"), str::to_owned);
    let mut stream = TcpStream::connect(host).expect("it listens");
    let request = format!("GET /?code={code}&state={state} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn a_login_from_the_app_ends_with_a_token_that_no_page_sees() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (server, tokens) = server(&program, folder.path());
    assert_eq!(server.get("/api/v1/login").json()["state"], "none");
    // Another page cannot begin one.
    assert_eq!(server.post("/api/v1/login", "", "{}").status, 403);
    let begun = server.post("/api/v1/login", MARK, "{}");
    assert_eq!(begun.status, 200);
    let address = begun.json()["address"]
        .as_str()
        .expect("an address")
        .to_owned();
    assert_eq!(begun.json()["state"], "waiting");
    // A wrong state changes nothing, and a second look shows the same login.
    come_back(&address, "good", Some("guessed"));
    let waiting = server.get("/api/v1/login").json();
    assert_eq!(waiting["state"], "waiting");
    assert_eq!(waiting["address"], address.as_str());
    assert!(come_back(&address, "good", None).contains("is logged in."));
    let login = ended(&server);
    assert_eq!(login["state"], "done", "{login}");
    assert!(!login.to_string().contains(TOKEN));
    let kept = std::fs::read_to_string(&tokens).expect("a file");
    assert!(kept.ends_with(&format!(" {TOKEN}\n")), "{kept}");
    // What the app remembers and serves does not have it.
    for data in [server.data.path(), server.folder.path()] {
        for entry in std::fs::read_dir(data).expect("a folder").flatten() {
            let text = std::fs::read(entry.path()).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&text).contains(TOKEN));
        }
    }
}

#[test]
fn a_login_that_fails_or_is_stopped_is_said_to_be() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (server, tokens) = server(&program, folder.path());
    let begin = || {
        let begun = server.post("/api/v1/login", MARK, "{}").json();
        begun["address"].as_str().expect("an address").to_owned()
    };
    let address = begin();
    assert!(come_back(&address, "bad", None).contains("is not logged in."));
    let login = ended(&server);
    assert_eq!(login["state"], "failed");
    let message = login["message"].as_str().expect("a reason");
    assert!(message.contains("did not accept the login"), "{message}");
    // A new one ends the one before.
    let (first, second) = (begin(), begin());
    assert_ne!(first, second);
    let stopped = server.delete("/api/v1/login", MARK).json();
    assert_eq!(stopped["state"], "none");
    for address in [first, second] {
        let port = address.split("127.0.0.1%3A").nth(1).expect("a port");
        let port = port.split("%2F").next().expect("a port");
        assert!(TcpStream::connect(format!("127.0.0.1:{port}")).is_err());
    }
    assert!(!tokens.exists());
}

#[test]
fn without_the_program_or_on_a_server_that_only_shows_nobody_logs_in() {
    let server = Server::start(false);
    let refused = server.post("/api/v1/login", MARK, "{}");
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["code"], "no-fetch-program");
    let read_only = Server::start(true);
    assert_eq!(read_only.post("/api/v1/login", MARK, "{}").status, 403);
    let config = ServerConfig {
        fetch: Some(FetchProgram {
            path: PathBuf::from("/nowhere/tabiya-fetch"),
            arguments: Vec::new(),
        }),
        ..ServerConfig::default()
    };
    let nowhere = Server::with(tempfile::tempdir().expect("a folder"), config);
    assert!(nowhere.post("/api/v1/login", MARK, "{}").status >= 400);
    assert_eq!(nowhere.get("/api/v1/login").json()["state"], "none");
}
