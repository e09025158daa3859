//! Conversion and statistics through the server.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use tabiya_server::limits;

use crate::making::convert;
use crate::server::Server;

const MARK: &str = "X-Tabiya: 1\r\n";

#[test]
fn databases_are_converted_with_a_report() {
    let server = Server::start(false);
    let base = server.base();
    let path = server.folder.path().join("copy.cbf");
    // What would be lost is said before, and nothing stands there then.
    let rehearsed = convert(
        &server,
        &json!({"sources": [base], "path": path, "dry": true}),
    );
    assert_eq!(rehearsed["job"]["state"], "done", "{rehearsed}");
    assert!(!path.exists());
    let done = convert(
        &server,
        &json!({"sources": [base], "path": path, "verify": true}),
    );
    assert_eq!(done["job"]["state"], "done", "{done}");
    assert!(path.exists());
    assert_eq!(done["report"]["games"], 1);
    assert_eq!(
        rehearsed["report"]["sources"][0]["losses"],
        done["report"]["sources"][0]["losses"]
    );
    assert_eq!(
        done["report"]["sources"][0]["unreported_differences"],
        json!([])
    );
    // It is shown then.
    let bases = server.get("/api/v1/bases").json();
    assert_eq!(bases["bases"].as_array().map(Vec::len), Some(2));
    // What stands there already stays.
    let before = std::fs::read(&path).expect("a file");
    let again = convert(&server, &json!({"sources": [base], "path": path}));
    assert_eq!(again["job"]["state"], "failed", "{again}");
    assert_eq!(again["job"]["refusal"]["code"], "target-exists", "{again}");
    assert_eq!(again["job"]["refusal"]["error"], again["job"]["message"]);
    assert!(done["job"].get("refusal").is_none(), "{done}");
    assert_eq!(std::fs::read(&path).expect("a file"), before);
    let status = |path: &str, sources: Value| {
        let body = json!({"sources": sources, "path": path}).to_string();
        server.post("/api/v1/conversions", MARK, &body).status
    };
    assert_eq!(status("/tmp/tabiya-test-copy.pgn", json!([base])), 403);
    let inside = server.folder.path().join("x.pgn").display().to_string();
    assert_eq!(status(&inside, json!([])), 400);
    assert_eq!(status(&inside, json!(["nobody"])), 404);
    let formats = server.get("/api/v1/formats").json();
    assert!(formats.as_array().is_some_and(|all| all.len() > 3));
}

#[test]
fn nothing_is_converted_where_nothing_may_be_changed() {
    let server = Server::start(true);
    let base = server.base();
    let path = server.folder.path().join("copy.si5");
    let body = json!({"sources": [base], "path": path}).to_string();
    assert_eq!(server.post("/api/v1/conversions", MARK, &body).status, 403);
    assert!(!path.exists());
    let dry = convert(
        &server,
        &json!({"sources": [base], "path": path, "dry": true}),
    );
    assert_eq!(dry["job"]["state"], "done");
}

#[test]
fn an_engine_thinks_as_long_as_somebody_reads() {
    let server = Server::start(true);
    let engines = server.get("/api/v1/engines").json();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201";
    assert_eq!(server.get("/api/v1/engine?fen=nonsense").status, 400);
    let unknown = format!("/api/v1/engine?engine=..%2Fbin%2Fsh&fen={start}");
    assert_eq!(server.get(&unknown).status, 404);
    if engines.as_array().is_none_or(Vec::is_empty) {
        println!("skipped: no engine is installed");
        return;
    }
    // Where no move is left there is nothing to think about.
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR%20w%20KQkq%20-%201%203";
    assert_eq!(
        server.get(&format!("/api/v1/engine?fen={mated}")).status,
        400
    );
    // It has no end of its own: it is read until it has found something.
    let mut stream = TcpStream::connect(server.address()).expect("connected");
    let request = format!(
        "GET /api/v1/engine?fen={start}&lines=2 HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
        server.address(),
        server.cookie
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let (mut text, mut part) = (String::new(), [0; 4096]);
    while !text.contains("\"moves\":[\"") {
        let read = stream.read(&mut part).expect("more");
        assert!(read > 0 && text.len() < 1 << 20, "{text}");
        text.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    assert!(text.contains("\"state\":\"searching\""), "{text}");
}

/// Four engines think at once and no more, and each of them leaves its place when nobody reads any more.
#[test]
fn engines_have_places_of_their_own() {
    let server = Server::start(true);
    let engines = server.get("/api/v1/engines").json();
    if engines.as_array().is_none_or(Vec::is_empty) {
        println!("skipped: no engine is installed");
        return;
    }
    let think = || {
        let stream = TcpStream::connect(server.address()).expect("connected");
        let limit = stream.set_read_timeout(Some(std::time::Duration::from_secs(60)));
        limit.expect("a time limit");
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201";
        let request = format!(
            "GET /api/v1/engine?fen={start}&threads=1&hash=1 HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
            server.address(),
            server.cookie
        );
        (&stream).write_all(request.as_bytes()).expect("sent");
        let mut head = [0; 12];
        (&stream).read_exact(&mut head).expect("answered");
        (stream, String::from_utf8_lossy(&head).into_owned())
    };
    let mut thinking: Vec<TcpStream> = (0..limits::ENGINES)
        .map(|at| {
            let (stream, head) = think();
            assert_eq!(head, "HTTP/1.1 200", "{at}");
            stream
        })
        .collect();
    assert_eq!(think().1, "HTTP/1.1 503");
    // What needs no engine is answered all the same.
    assert_eq!(server.get("/api/v1/bases").status, 200);
    drop(thinking.pop());
    // Its place is free as soon as it has ended.
    while think().1 != "HTTP/1.1 200" {}
}

#[test]
fn statistics_are_told() {
    let server = Server::start(true);
    let base = server.base();
    let counted = server
        .get(&format!("/api/v1/bases/{base}/statistics"))
        .json();
    assert_eq!(counted["games"], 1);
    assert_eq!(counted["statistics"][0]["rows"][0]["games"], 1, "{counted}");
    let none = server.get(&format!(
        "/api/v1/bases/{base}/statistics?query=white%3ANobody"
    ));
    assert_eq!(none.json()["games"], 0);
    let svg = server.get(&format!("/api/v1/bases/{base}/statistics?form=svg"));
    assert!(svg.body.starts_with(b"<svg") || svg.body.starts_with(b"<?xml"));
    let csv = server.get(&format!("/api/v1/bases/{base}/statistics?form=csv"));
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    let wrong = server.get(&format!(
        "/api/v1/bases/{base}/statistics?query=nonsense%3A%3A"
    ));
    assert_eq!(wrong.status, 422);
    assert!(wrong.json()["fault"]["message"].is_string());
    let morphy = server.get(&format!("/api/v1/bases/{base}/player?name=Morphy"));
    assert_eq!(morphy.status, 200);
    assert_eq!(morphy.json()["player"], "Morphy");
    assert_eq!(
        server
            .get(&format!("/api/v1/bases/{base}/player?name="))
            .status,
        400
    );
    let event = server
        .get(&format!("/api/v1/bases/{base}/events?game=1"))
        .json();
    assert_eq!(event["events"].as_array().map(Vec::len), Some(1), "{event}");
}
