//! Databases that are renewed from sites, at once and by a schedule: with the real program, and a stand-in for the site.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tabiya_server::{FetchProgram, ServerConfig};

use crate::logins::program;
use crate::server::Server;

const MARK: &str = "X-Tabiya: 1\r\n";

/// A site with the games of one account.
struct AccountSite {
    address: String,
    games: Arc<Mutex<String>>,
    requests: Arc<AtomicUsize>,
}

fn game(number: u32) -> String {
    format!(
        r#"{{"id":"game{number:04}","rated":true,"variant":"standard","speed":"blitz","perf":"blitz","createdAt":{},"lastMoveAt":{},"status":"resign","players":{{"white":{{"user":{{"name":"SampleRook","id":"samplerook"}},"rating":1500}},"black":{{"user":{{"name":"SampleKnight","id":"sampleknight"}},"rating":1510}}}},"winner":"white","moves":"e4 e5 Nf3","clock":{{"initial":180,"increment":2,"totalTime":260}}}}"#,
        1_600_000_000_000_u64 + u64::from(number) * 1_000_000,
        1_600_000_000_000_u64 + u64::from(number) * 1_000_000 + 200_000,
    ) + "\n"
}

fn site() -> AccountSite {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let site = AccountSite {
        address: format!("http://{}", listener.local_addr().expect("an address")),
        games: Arc::new(Mutex::new(game(1) + &game(2))),
        requests: Arc::default(),
    };
    let (games, requests) = (Arc::clone(&site.games), Arc::clone(&site.requests));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let mut first = String::new();
            let _ = reader.read_line(&mut first);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            requests.fetch_add(1, Ordering::SeqCst);
            let (status, text) = match first.contains("/api/games/user/samplerook") {
                true => ("200 OK", games.lock().expect("a lock").clone()),
                false => ("200 OK", String::new()),
            };
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
            let _ = (&stream).write_all(answer.as_bytes());
        }
    });
    site
}

impl AccountSite {
    /// How a server runs the program, which asks this site.
    fn config(&self, program: &Path, folder: &Path, read_only: bool) -> ServerConfig {
        ServerConfig {
            read_only,
            fetch: Some(FetchProgram {
                path: program.to_owned(),
                arguments: vec![
                    "--host".into(),
                    format!("lichess={}", self.address).into(),
                    "--tokens".into(),
                    folder.join("none.conf").into(),
                ],
            }),
            ..ServerConfig::default()
        }
    }
}

/// A server of a base that was fed from the stand-in.
fn fed(program: &Path, site: &AccountSite, read_only: bool) -> (Server, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let host = format!("lichess={}", site.address);
    let fetched = Command::new(program)
        .args(["--host", &host, "lichess", "SampleRook", "-o", "mine.pgn"])
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .output()
        .expect("the program runs");
    assert!(fetched.status.success(), "{fetched:?}");
    let config = site.config(program, folder.path(), read_only);
    let server = Server::with(folder, config);
    let base = base_of(&server);
    (server, base)
}

fn base_of(server: &Server) -> String {
    let bases = server.get("/api/v1/bases").json();
    let bases = bases["bases"].as_array().expect("bases").clone();
    let mine = bases.iter().find(|base| base["name"] == "mine.pgn");
    let id = mine.expect("a base")["id"].as_str().expect("an id");
    format!("/api/v1/bases/{id}")
}

fn count(server: &Server, base: &str) -> Value {
    server.get(&format!("{base}/rows")).json()["total"].clone()
}

#[test]
fn a_base_is_renewed_from_its_sources() {
    let Some(program) = program() else { return };
    let site = site();
    let (server, base) = fed(&program, &site, false);
    let sources = server.get(&format!("{base}/sources")).json();
    assert_eq!(
        sources,
        json!({
            "sources": [{"source": "lichess samplerook", "player": "samplerook"}],
            "hours": null, "last": null, "possible": true, "may_add": true
        })
    );
    assert_eq!(count(&server, &base), 2);
    site.games.lock().expect("a lock").push_str(&game(3));
    // Another page cannot begin it.
    assert_eq!(server.post(&format!("{base}/renew"), "", "").status, 403);
    let begun = server.post(&format!("{base}/renew"), MARK, "{}");
    assert_eq!(begun.status, 200);
    let job = begun.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(server.ended(&job), "done");
    let report = server.get(&format!("/api/v1/jobs/{job}/report")).json()["report"].clone();
    let found = &report["sources"][0];
    assert_eq!(found["added"], 1, "{report}");
    assert_eq!(found["source"], "lichess samplerook");
    assert_eq!(found["error"], Value::Null);
    assert_eq!(count(&server, &base), 3);
    assert!(server.get(&format!("{base}/sources")).json()["last"].is_u64());
    // The record by speed and month, and the player's mistakes.
    let record = server.get(&format!("{base}/player?name=SampleRook&full=true"));
    let record = record.json();
    let table = |name: &str| {
        let tables = record["statistics"].as_array().expect("tables");
        let table = tables.iter().find(|table| table["name"] == name);
        table.unwrap_or(&Value::Null)["rows"].clone()
    };
    assert_eq!(table("speeds")[0]["label"], "blitz");
    assert_eq!(table("speeds")[0]["wins"], 3);
    assert_eq!(table("months")[0]["label"], "2020.09");
    assert_eq!(table("months")[0]["games"], 3);
    let mistakes = server.get(&format!("{base}/mistakes?name=SampleRook"));
    assert_eq!(mistakes.status, 200);
    assert_eq!(mistakes.json()["without_evaluations"], 3);
    // Where the site is away, nothing is lost, and the reason is told.
    let sent = r#"{"error":"down"}"#;
    *site.games.lock().expect("a lock") = sent.to_owned();
    let job = server.post(&format!("{base}/renew"), MARK, "{}").json();
    let job = job["id"].as_str().expect("an id").to_owned();
    assert_eq!(server.ended(&job), "done");
    let report = server.get(&format!("/api/v1/jobs/{job}/report")).json()["report"].clone();
    assert!(report["sources"][0]["error"].is_string(), "{report}");
    assert_eq!(count(&server, &base), 3);
}

#[test]
fn games_of_an_account_come_into_a_base_that_had_none() {
    let Some(program) = program() else { return };
    let site = site();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.pgn");
    std::fs::write(&path, "[White \"Me\"]\n\n1. e4 *\n").expect("written");
    let config = site.config(&program, folder.path(), false);
    let server = Server::with(folder, config);
    let base = base_of(&server);
    let sources = || server.get(&format!("{base}/sources")).json();
    assert_eq!(sources()["possible"], false);
    assert_eq!(sources()["may_add"], true);
    let ask = |site: &str, name: &str| {
        let body = json!({"account": {"site": site, "name": name}}).to_string();
        server.post(&format!("{base}/renew"), MARK, &body)
    };
    // What is no name of an account is not handed to the program.
    let long = "a".repeat(51);
    for name in [
        "", "-o", "--tokens", "a b", "a/b", "../a", "é", "a\n", &long,
    ] {
        assert_eq!(
            ask("lichess", name).json()["code"],
            "bad-parameter",
            "{name:?}"
        );
    }
    assert_eq!(ask("fide", "SampleRook").status, 422);
    assert_eq!(site.requests.load(Ordering::SeqCst), 0);
    let job = ask("lichess", "SampleRook").json();
    let job = job["id"].as_str().expect("a job").to_owned();
    assert_eq!(server.ended(&job), "done");
    let report = server.get(&format!("/api/v1/jobs/{job}/report")).json()["report"].clone();
    assert_eq!(report["sources"][0]["added"], 2, "{report}");
    assert_eq!(count(&server, &base), 3);
    // From now on it is one of the sources.
    assert_eq!(
        sources()["sources"],
        json!([{"source": "lichess samplerook", "player": "samplerook"}])
    );
    assert_eq!(sources()["possible"], true);
}

#[test]
fn a_schedule_renews_a_base_while_the_server_runs() {
    let Some(program) = program() else { return };
    let site = site();
    let (server, base) = fed(&program, &site, false);
    site.games.lock().expect("a lock").push_str(&game(3));
    let set = |hours: u64| {
        let body = json!({ "hours": hours }).to_string();
        server.post(&format!("{base}/sources"), MARK, &body)
    };
    assert_eq!(set(1_000).status, 400);
    let answer = set(24);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["hours"], 24);
    // It has not been renewed here before, so it is due at once; afterwards in a day.
    while server.get(&format!("{base}/sources")).json()["last"].is_null() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(count(&server, &base), 3);
    let asked = site.requests.load(Ordering::SeqCst);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(site.requests.load(Ordering::SeqCst), asked);
    assert_eq!(set(0).json()["hours"], Value::Null);
    let kept = std::fs::read_to_string(server.data.path().join("renewals.json"));
    assert!(kept.expect("a file").contains("mine.pgn"));
}

#[test]
fn what_cannot_be_renewed_says_why() {
    let server = Server::start(false);
    let base = format!("/api/v1/bases/{}", server.base());
    let sources = server.get(&format!("{base}/sources")).json();
    assert_eq!(sources["possible"], false);
    assert_eq!(sources["sources"], json!([]));
    let refused = server.post(&format!("{base}/renew"), MARK, "{}");
    assert_eq!(refused.json()["code"], "no-fetch-program");
    let config = ServerConfig {
        fetch: Some(FetchProgram {
            path: PathBuf::from("/nowhere/tabiya-fetch"),
            arguments: Vec::new(),
        }),
        ..ServerConfig::default()
    };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.pgn"), "1. e4 *\n").expect("written");
    let server = Server::with(folder, config);
    let base = base_of(&server);
    let renew = || server.post(&format!("{base}/renew"), MARK, "{}");
    assert_eq!(renew().json()["code"], "nothing-fetched");
    let hours = server.post(&format!("{base}/sources"), MARK, r#"{"hours":1}"#);
    assert_eq!(hours.json()["code"], "nothing-fetched");
    // The program is not there.
    std::fs::write(
        server.folder.path().join("mine.pgn.fetch"),
        r#"{"schema":"tabiya-fetch-1","sources":[{"source":"lichess samplerook"}]}"#,
    )
    .expect("written");
    let job = renew().json()["id"].as_str().expect("a job").to_owned();
    assert_eq!(server.ended(&job), "failed");
    // A server that only shows renews nothing, and says so before it is asked.
    let Some(program) = program() else { return };
    let (server, base) = fed(&program, &site(), true);
    let sources = server.get(&format!("{base}/sources")).json();
    assert_eq!(sources["possible"], false);
    assert_eq!(sources["may_add"], false);
    assert_eq!(
        server.post(&format!("{base}/renew"), MARK, "{}").status,
        403
    );
    assert_eq!(
        server
            .post(&format!("{base}/sources"), MARK, r#"{"hours":1}"#)
            .status,
        403
    );
}
