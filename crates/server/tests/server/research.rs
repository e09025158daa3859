//! Looking through a base, and having it annotated: what is told is what the library finds, and what is chosen is done.

use std::io::Write;
use std::ops::ControlFlow;

use serde_json::{Value, json};
use tabiya::dedupe::dedupe;
use tabiya::{Opener, Selection, names};
use tabiya_answers::Answer;
use tabiya_model::Control;

use crate::server::Server;

const MARK: &str = "X-Tabiya: 1\r\n";

/// Some games with doubles, and with a player who is written in two ways.
const GAMES: &str = "[Event \"Open\"]\n[Site \"Riga\"]\n[Date \"1960.01.02\"]\n[Round \"1\"]\n[White \"Tal, Mikhail\"]\n[Black \"Ivanov, Ivan\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 9. Rb1 Qa3 10. f5 Nc6 11. fxe6 fxe6 12. Nxc6 bxc6 1-0\n\n\
[Event \"Open\"]\n[Site \"Riga\"]\n[Date \"1960.01.02\"]\n[Round \"1\"]\n[White \"Tal, Mikhail\"]\n[Black \"Ivanov, Ivan\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 9. Rb1 Qa3 10. f5 Nc6 11. fxe6 fxe6 1-0\n\n\
[Event \"Open\"]\n[Site \"Riga\"]\n[Date \"1961.01.02\"]\n[Round \"2\"]\n[White \"Tal, Mikhail\"]\n[Black \"Petrov, Petr\"]\n[Result \"0-1\"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 g6 0-1\n\n\
[Event \"Match\"]\n[Site \"Riga\"]\n[Date \"1961.01.03\"]\n[Round \"3\"]\n[White \"Tal, M\"]\n[Black \"Popov, P\"]\n[Result \"1-0\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 1-0\n\n";

/// A server with these games in a base of their own; answers with its id.
fn served(read_only: bool) -> (Server, String) {
    let server = Server::start(read_only);
    let path = server.folder.path().join("some.pgn");
    let mut file = std::fs::File::create(&path).expect("a file");
    file.write_all(GAMES.as_bytes()).expect("written");
    drop(file);
    let body = json!({"path": path}).to_string();
    let opened = server.post("/api/v1/bases", MARK, &body).json();
    let id = opened[0]["id"].as_str().expect("an id").to_owned();
    (server, id)
}

fn told(server: &Server, path: &str) -> Value {
    let reply = server.get(path);
    let told = reply.json();
    assert_eq!(reply.status, 200, "{path}: {told}");
    told
}

#[test]
fn what_is_found_is_what_the_library_finds() {
    let (server, id) = served(false);
    let path = server.folder.path().join("some.pgn");
    let bases = Opener::default().open(&path).expect("it opens");
    let control = Control::default();
    let mut pairs = Vec::new();
    dedupe(
        &Selection::of(&bases[..]),
        &tabiya::dedupe::DedupeOptions::default(),
        &control,
        &mut |pair| {
            pairs.push(pair.answer().json());
            Ok(ControlFlow::Continue(()))
        },
    )
    .expect("doubles");
    let same = |told: &Value, wanted: &[Value]| {
        // The server has the same base under the same path.
        assert_eq!(told, &Value::from(wanted.to_vec()));
        assert!(!wanted.is_empty());
    };
    let doubles = told(&server, &format!("/api/v1/bases/{id}/doubles"));
    same(&doubles["pairs"], &pairs);
    assert_eq!(doubles["count"], pairs.len());
    let found = names::find(
        &Selection::of(&bases[..]),
        &names::NamesOptions::default(),
        &control,
    )
    .expect("names");
    let groups: Vec<Value> = found
        .groups
        .iter()
        .map(|group| group.answer().json())
        .collect();
    let names = told(&server, &format!("/api/v1/bases/{id}/names"));
    same(&names["groups"], &groups);
    let novelties = told(&server, &format!("/api/v1/bases/{id}/novelties"));
    assert_eq!(novelties["novelties"][0]["san"], "g6", "{novelties}");
    assert_eq!(novelties["novelties"][0]["ply"], 10);
    for wrong in ["doubles", "names", "novelties"] {
        let path = format!("/api/v1/bases/{id}/{wrong}?query=nonsense%3A%3A");
        // As everywhere, it is told where the fault is.
        let refused = server.get(&path);
        assert_eq!(refused.status, 422, "{wrong}");
        assert!(refused.json()["fault"]["message"].is_string(), "{wrong}");
    }
    let missing = format!("/api/v1/bases/{id}/novelties?reference=nobody");
    assert_eq!(server.get(&missing).status, 404);
}

#[test]
fn a_dossier_is_a_file_and_never_a_page() {
    let (server, id) = served(true);
    let path = |rest: &str| format!("/api/v1/bases/{id}/dossier?{rest}");
    let html = server.get(&path("name=Tal"));
    assert_eq!(html.status, 200);
    assert!(String::from_utf8_lossy(&html.body).contains("Tal"));
    assert_eq!(
        html.header("content-disposition"),
        Some("attachment; filename=\"dossier.html\"")
    );
    assert!(html.header("content-security-policy").is_some());
    let text = server.get(&path("name=Tal&form=markdown"));
    assert!(text.body.starts_with(b"#"));
    assert_eq!(server.get(&path("name=Nobody")).status, 404);
    assert_eq!(server.get(&path("name=")).status, 400);
}

#[test]
fn chosen_names_are_put_right_and_taken_back() {
    let (server, id) = served(false);
    let path = server.folder.path().join("some.pgn");
    let route = format!("/api/v1/bases/{id}/names");
    let wish =
        json!({"names": [{"kind": "players", "keep": "Tal, Mikhail", "variants": ["Tal, M"]}]});
    let mut dry = wish.clone();
    dry["dry"] = true.into();
    let rehearsed = server.post(&route, MARK, &dry.to_string()).json();
    assert_eq!(rehearsed["games"], 1, "{rehearsed}");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), GAMES);
    let done = server.post(&route, MARK, &wish.to_string()).json();
    assert_eq!(done["games"], 1, "{done}");
    let text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text, GAMES.replace("\"Tal, M\"", "\"Tal, Mikhail\""));
    let undo = json!({"change": {"kind": "undo"}}).to_string();
    let undone = server.post(&format!("/api/v1/bases/{id}/change"), MARK, &undo);
    assert_eq!(undone.status, 200);
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), GAMES);
    // Names that would be lines of another meaning, and what is none.
    for (kind, keep, variant) in [
        ("players", "Tal\n@SITE\nRiga", "Tal, M"),
        ("players", "@SITE", "Tal, M"),
        ("players", "Tal, Mikhail", "%Prefix \"T\" \"\""),
        ("players", "", "Tal, M"),
        ("towns", "Riga", "Rīga"),
    ] {
        let body = json!({"names": [{"kind": kind, "keep": keep, "variants": [variant]}]});
        assert_eq!(
            server.post(&route, MARK, &body.to_string()).status,
            400,
            "{body}"
        );
    }
    assert_eq!(server.post(&route, MARK, "{\"names\":[]}").status, 400);
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), GAMES);
}

#[test]
fn a_server_that_changes_nothing_corrects_and_annotates_nothing() {
    let (server, id) = served(true);
    let wish =
        json!({"names": [{"kind": "players", "keep": "Tal, Mikhail", "variants": ["Tal, M"]}]});
    let names = format!("/api/v1/bases/{id}/names");
    assert_eq!(server.post(&names, MARK, &wish.to_string()).status, 403);
    let analyse = format!("/api/v1/bases/{id}/analyse");
    assert_eq!(server.post(&analyse, MARK, "{}").status, 403);
}

#[test]
fn games_are_annotated_as_a_job() {
    let (server, id) = served(false);
    let route = format!("/api/v1/bases/{id}/analyse");
    let ask = |body: &Value| server.post(&route, MARK, &body.to_string());
    let unknown = ask(&json!({"engine": "../bin/sh"}));
    assert_eq!(unknown.status, 404);
    assert_eq!(ask(&json!({"query": "nonsense::"})).status, 422);
    let engines = server.get("/api/v1/engines").json();
    if engines.as_array().is_none_or(Vec::is_empty) {
        println!("skipped: no engine is installed");
        return;
    }
    let job = ask(&json!({"games": [4], "nodes": 2_000}));
    assert_eq!(job.status, 200, "{}", job.json());
    let job = job.json()["id"].as_str().expect("an id").to_owned();
    let mut now = Value::Null;
    for _ in 0..1_200 {
        now = told(&server, &format!("/api/v1/jobs/{job}/report"));
        if now["job"]["state"] != "running" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(now["job"]["state"], "done", "{now}");
    assert_eq!(now["report"]["changed"], 1, "{now}");
    assert_eq!(now["job"]["done"], now["job"]["total"]);
    let path = server.folder.path().join("some.pgn");
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains("[%eval"), "{text}");
    let first: String = text.split("\n\n[Event").take(3).collect();
    assert!(!first.contains("[%eval"), "only the chosen game: {text}");
    // Nothing is left of the journal.
    let journals = std::fs::read_dir(server.data.path().join("analyses")).expect("a folder");
    assert_eq!(journals.count(), 0);
}
