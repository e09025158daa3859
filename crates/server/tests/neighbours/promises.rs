//! Promises of `docs/app.md` whose attacks stand nowhere else.

use std::io::{Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::path::Path;

use serde_json::json;
use tabiya_server::ServerConfig;

use crate::server::{Server, corpus};
use crate::{MARK, connect};

/// A server of one game with a token that lasts.
fn with_token(token: &str) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(corpus().join("opera.pgn"), folder.path().join("opera.pgn")).expect("copied");
    let config = ServerConfig {
        token: Some(token.to_owned()),
        ..ServerConfig::default()
    };
    Server::with(folder, config)
}

/// It listens on this machine alone: at its other addresses nobody answers.
#[cfg(target_os = "linux")]
#[test]
fn nobody_answers_at_other_addresses() {
    let server = Server::start(false);
    assert!(server.address().ip().is_loopback());
    let mut others = vec!["127.0.0.2".to_owned(), "::1".to_owned()];
    // What the machine is called outside, where it has such an address.
    let names = std::process::Command::new("hostname").arg("-I").output();
    let names = names.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    others.extend(
        names
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned),
    );
    for other in others {
        let address: std::net::IpAddr = other.parse().expect("an address");
        let stream = TcpStream::connect((address, server.address().port()));
        assert!(stream.is_err(), "{other}");
    }
}

#[test]
fn an_invitation_is_good_once_and_wrong_tokens_wait() {
    let server = Server::start(false);
    let invite = || {
        let told = server.post("/api/v1/invitations", MARK, "{}").json();
        let url = told["url"].as_str().expect("an address").to_owned();
        url.split_once("token=").expect("a token").1.to_owned()
    };
    let come = |token: &str| {
        let host = server.address();
        server
            .ask(&format!(
                "GET /?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n"
            ))
            .status
    };
    let token = invite();
    assert_eq!((come(&token), come(&token)), (303, 401));
    // Another route, another method, and half of it bring nobody in, and leave it as it is.
    let token = invite();
    let host = server.address();
    for request in [
        format!("GET /api/v1/bases?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("POST /?token={token} HTTP/1.1\r\nHost: {host}\r\n{MARK}Content-Length: 0\r\n\r\n"),
        format!(
            "GET /?token={} HTTP/1.1\r\nHost: {host}\r\n\r\n",
            &token[..token.len() - 1]
        ),
        format!("GET /?token={token}0 HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("GET /?token=&x={token} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ] {
        assert_eq!(server.ask(&request).status, 401, "{request}");
    }
    // Nobody who has the right one waits for those who guess.
    let guesses: Vec<TcpStream> = (0..20)
        .map(|at| {
            let mut stream = connect(&server);
            let guess = format!("GET /?token=guess{at} HTTP/1.1\r\nHost: {host}\r\n\r\n");
            stream.write_all(guess.as_bytes()).expect("sent");
            stream
        })
        .collect();
    assert_eq!(come(&token), 303);
    assert_eq!(server.get("/api/v1/bases").status, 200);
    // One after the other: the last ones are not told yet.
    let told = guesses.iter().filter(|stream| {
        stream.set_nonblocking(true).expect("set");
        stream.peek(&mut [0; 8]).is_ok_and(|read| read > 0)
    });
    assert!(told.count() < 20);
}

/// The token of a file is for programs on three routes, and for nothing else.
#[test]
fn a_bearer_gets_the_explorer_and_nothing_else() {
    let token = "a-token-that-was-chosen";
    let server = with_token(token);
    let base = server.base();
    let ask = |path: &str, token: &str| {
        let host = server.address();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n");
        server.ask(&head).status
    };
    for path in ["/lichess", "/masters"] {
        assert_eq!(ask(path, token), 200, "{path}");
        assert_eq!(ask(path, "a-token-that-was-guessed"), 401, "{path}");
        assert_eq!(ask(path, ""), 401, "{path}");
    }
    for path in [
        "/api/v1/bases".to_owned(),
        format!("/api/v1/bases/{base}/rows"),
        format!("/api/v1/bases/{base}/games/1"),
        "/api/v1/live".to_owned(),
        "/".to_owned(),
    ] {
        assert_eq!(ask(&path, token), 401, "{path}");
    }
    // Where no token was chosen there is none for programs.
    let other = Server::start(false);
    let once = other.ready.url.split_once("token=").expect("a token").1;
    let host = other.address();
    let head =
        format!("GET /lichess HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {once}\r\n\r\n");
    assert_eq!(other.ask(&head).status, 401);
}

/// Whatever is answered, no page may run, load or frame anything else.
#[test]
fn every_answer_forbids_other_scripts() {
    let server = Server::start(false);
    let base = server.base();
    let host = server.address();
    let mut replies: Vec<_> = [
        "/".to_owned(),
        "/base/x".to_owned(),
        "/api/v1/bases".to_owned(),
        format!("/api/v1/bases/{base}/games/1/pgn"),
        format!("/api/v1/bases/{base}/statistics?form=csv"),
        "/api/v1/nothing".to_owned(),
        "/assets/nothing".to_owned(),
        "/lichess".to_owned(),
    ]
    .into_iter()
    .map(|path| (server.get(&path), path))
    .collect();
    for (head, name) in [
        (format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"), "401"),
        (
            "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            "421",
        ),
    ] {
        replies.push((server.ask(&head), name.to_owned()));
    }
    for (reply, path) in replies {
        let policy = reply.header("content-security-policy").unwrap_or("");
        for part in [
            "default-src 'none'",
            "script-src 'self';",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        for unwanted in [
            "unsafe-eval",
            "script-src 'self' 'unsafe-inline'",
            "*",
            "http:",
        ] {
            assert!(!policy.contains(unwanted), "{path}: {policy}");
        }
        for (name, wanted) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(reply.header(name), Some(wanted), "{path}");
        }
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
    }
}

/// Everything below a folder with its content.
#[cfg(unix)]
pub(crate) fn contents(folder: &Path, all: &mut Vec<(std::path::PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            contents(&entry.path(), all);
        } else if let Ok(bytes) = std::fs::read(entry.path()) {
            all.push((entry.path(), bytes));
        }
    }
}

/// A password is kept in memory alone, and what is annotated is seen by nobody else.
#[cfg(unix)]
#[test]
fn what_is_remembered_tells_nobody_anything() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start(false);
    let archive = corpus().join("../../cbh/ok/hidden.cbz");
    let own = server.folder.path().join("hidden.cbz");
    std::fs::copy(archive, &own).expect("copied");
    let password = "no password of this archive";
    let wish = json!({"path": own, "password": password}).to_string();
    let refused = server.post("/api/v1/bases", MARK, &wish);
    assert!((400..500).contains(&refused.status), "{}", refused.status);
    assert!(!String::from_utf8_lossy(&refused.body).contains(password));
    // A draft of a game.
    let base = server.base();
    let edit = server.post(&format!("/api/v1/bases/{base}/games/1/edit"), MARK, "{}");
    assert_eq!(edit.status, 200);
    let edit = edit.json();
    let wish = json!({"kind": "tag", "name": "Annotator", "value": "A Secret"});
    let wishes = json!({"version": edit["version"], "wishes": [{"at": 0, "wish": wish}]});
    let path = format!(
        "/api/v1/edits/{}/wishes",
        edit["id"].as_str().expect("an id")
    );
    let granted = server.post(&path, MARK, &wishes.to_string());
    assert_eq!(
        granted.status,
        200,
        "{}",
        String::from_utf8_lossy(&granted.body)
    );
    let mut all = Vec::new();
    contents(server.data.path(), &mut all);
    contents(server.folder.path(), &mut all);
    let has = |bytes: &[u8], text: &str| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(all.iter().all(|(_, bytes)| !has(bytes, password)));
    let drafts: Vec<_> = all
        .iter()
        .filter(|(_, bytes)| has(bytes, "A Secret"))
        .collect();
    assert!(!drafts.is_empty(), "the draft is there");
    for (path, _) in drafts {
        let mode = std::fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

/// Names that a spreadsheet would take for formulas, in the tables that the app makes.
#[test]
fn tables_of_the_app_hold_no_formulas() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = "[Event \"@SUM(A1)\"]\n[White \"=cmd|'/c calc'!A0\"]\n[Black \"+1+1\"]\n[Result \"1-0\"]\n[WhiteElo \"2000\"]\n\n1. e4 {-2+3} e5 1-0\n";
    std::fs::write(folder.path().join("f.pgn"), game).expect("written");
    let server = Server::of(folder, false);
    let base = server.base();
    let is_safe = |table: &str| {
        for line in table.lines() {
            for cell in line.split(',') {
                let cell = cell.trim_start_matches('"');
                let is_number = cell.parse::<f64>().is_ok();
                assert!(
                    is_number || !cell.starts_with(['=', '+', '-', '@']),
                    "{line}"
                );
            }
        }
    };
    let counted = server.get(&format!("/api/v1/bases/{base}/statistics?form=csv"));
    assert_eq!(counted.status, 200);
    let counted = String::from_utf8_lossy(&counted.body).into_owned();
    assert!(counted.contains("'=cmd"), "{counted}");
    is_safe(&counted);
    let made = |name: &str, settings: serde_json::Value| {
        let path = server.folder.path().join(name);
        let wish = json!({"sources": [base], "path": path, "settings": settings});
        let job = server.post("/api/v1/conversions", MARK, &wish.to_string());
        assert_eq!(job.status, 200, "{}", String::from_utf8_lossy(&job.body));
        let job = job.json()["id"].as_str().expect("an id").to_owned();
        assert_eq!(server.ended(&job), "done");
        std::fs::read_to_string(&path).expect("made")
    };
    let guarded = made("a.csv", json!({}));
    assert!(guarded.contains(",'=cmd|'/c calc'!A0,"), "{guarded}");
    is_safe(&guarded);
    // Who wants them as they are says so.
    let table = made("plain.csv", json!({"cells": "plain"}));
    assert!(table.contains(",=cmd|'/c calc'!A0,"), "{table}");
}

/// What swells is told by the name that its owner knows, and not by that of our copy.
#[test]
fn a_bomb_is_told_by_its_own_name() {
    let server = Server::start(false);
    // Blocks that stand by themselves, again and again: 1.3 GB of spaces.
    let mut packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
    let mut piece = Vec::with_capacity(1 << 20);
    let spaces = vec![b' '; 32 << 20];
    let done = deflate.compress_vec(&spaces, &mut piece, flate2::FlushCompress::Full);
    done.expect("packed");
    for _ in 0..40 {
        packed.extend_from_slice(&piece);
    }
    let mut body =
        b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"swells.pgn.gz\"\r\n\r\n"
            .to_vec();
    body.extend_from_slice(&packed);
    body.extend_from_slice(b"\r\n--x--\r\n");
    let mut stream = connect(&server);
    let head = format!(
        "POST /api/v1/uploads HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Connection: close\r\nContent-Type: multipart/form-data; \
         boundary=x\r\nContent-Length: {}\r\n\r\n",
        server.address(),
        server.cookie,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&body).expect("sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let said = answer.to_ascii_lowercase();
    assert!(said.starts_with("http/1.1 422"), "{answer}");
    assert!(
        said.contains("swells.pgn.gz") && said.contains("decompression bomb"),
        "{answer}"
    );
    assert!(!said.contains("tabiya-run-"), "{answer}");
}
