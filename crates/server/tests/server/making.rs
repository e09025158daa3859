//! Databases that are made: split, merged, grown, repaired, downloaded, with what their formats are told.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::server::{Server, corpus};

const MARK: &str = "X-Tabiya: 1\r\n";

/// Starts a conversion and waits for its report.
pub(crate) fn convert(server: &Server, body: &Value) -> Value {
    let job = server.post("/api/v1/conversions", MARK, &body.to_string());
    assert_eq!(job.status, 200, "{}", job.json());
    let id = job.json()["id"].as_str().expect("an id").to_owned();
    for _ in 0..600 {
        let told = server.get(&format!("/api/v1/jobs/{id}/report")).json();
        if told["job"]["state"] != "running" {
            return told;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the job does not end");
}

fn refused(server: &Server, body: &Value) -> u16 {
    let reply = server.post("/api/v1/conversions", MARK, &body.to_string());
    reply.status
}

/// Another database in the folder of the server; its id.
fn also(server: &Server, name: &str) -> String {
    let path = server.folder.path().join(name);
    std::fs::copy(corpus().join(name), &path).expect("a sample");
    opened(server, &path)
}

fn opened(server: &Server, path: &Path) -> String {
    let reply = server.post("/api/v1/bases", MARK, &json!({"path": path}).to_string());
    assert_eq!(reply.status, 200, "{}", reply.json());
    let told = reply.json();
    told[0]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn databases_are_merged_and_each_game_is_taken_once() {
    let server = Server::start(false);
    let (base, twice) = (server.base(), also(&server, "twice.pgn"));
    let path = server.folder.path().join("all.pgn");
    let body = json!({"sources": [base, twice, base], "path": path, "unique": "moves"});
    let done = convert(&server, &body);
    assert_eq!(done["job"]["state"], "done", "{done}");
    let games = done["report"]["games"].as_u64().expect("games");
    let double = done["report"]["double"].as_u64().expect("doubles");
    let sources = done["report"]["sources"].as_array().expect("sources");
    let read: u64 = sources.iter().filter_map(|one| one["games"].as_u64()).sum();
    assert_eq!(games + double, read, "{done}");
    assert!(double > 0, "{done}");
    // It grows by what is added, as one change that stands in its history.
    let grown = convert(
        &server,
        &json!({"sources": [base], "path": path, "append": true}),
    );
    assert_eq!(grown["job"]["state"], "done", "{grown}");
    let id = opened(&server, &path);
    let told = server.get(&format!("/api/v1/bases/{id}")).json();
    assert_eq!(told["games"].as_u64(), Some(games + 1), "{told}");
    let history = server.get(&format!("/api/v1/bases/{id}/history")).json();
    assert_eq!(history["changes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_database_is_split_into_a_folder() {
    let server = Server::start(false);
    let twice = also(&server, "twice.pgn");
    let folder = server.folder.path().join("parts");
    let body = json!({"sources": [twice], "path": folder, "split": "white", "format": "pgn"});
    let done = convert(&server, &body);
    assert_eq!(done["job"]["state"], "done", "{done}");
    let files = std::fs::read_dir(&folder).expect("a folder").count();
    assert!(files > 0, "{done}");
    assert_eq!(
        refused(
            &server,
            &json!({"sources": [twice], "path": folder, "split": "colour"})
        ),
        400
    );
    assert_eq!(
        refused(
            &server,
            &json!({"sources": [twice], "path": "x", "split": "white", "download": true})
        ),
        400
    );
}

#[test]
fn a_format_is_told_what_it_knows() {
    let server = Server::start(false);
    let base = server.base();
    let formats = server.get("/api/v1/formats").json();
    let formats = formats.as_array().expect("formats");
    let pgn = formats
        .iter()
        .find(|one| one["name"] == "pgn")
        .expect("PGN");
    let options = pgn["options"].as_array().expect("options");
    assert!(
        options
            .iter()
            .all(|one| one["help"].as_str().is_some_and(|help| !help.is_empty()))
    );
    let path = server.folder.path().join("german.pgn");
    let settings = json!({"pieces": "german", "no-checks": ""});
    let done = convert(
        &server,
        &json!({"sources": [base], "path": path, "settings": settings}),
    );
    assert_eq!(done["job"]["state"], "done", "{done}");
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.contains("Sf3") && !text.contains('+'), "{text}");
    for settings in [
        json!({"nonsense": ""}),
        json!({"width": "wide"}),
        json!({"moves": "short"}),
    ] {
        let body = json!({"sources": [base], "path": server.folder.path().join("x.pgn"), "settings": settings});
        assert_eq!(refused(&server, &body), 400, "{settings}");
    }
}

#[test]
fn a_copy_is_downloaded_and_leaves_nothing() {
    // Even where nothing may be changed: the copy lies in no folder of the user's.
    let server = Server::start(true);
    let base = server.base();
    let before = listed(server.folder.path());
    let done = convert(
        &server,
        &json!({"sources": [base], "path": "copy.si5", "download": true}),
    );
    assert_eq!(done["job"]["state"], "done", "{done}");
    let files = done["report"]["downloads"]
        .as_array()
        .expect("files")
        .clone();
    assert!(
        files.len() > 1 && files.contains(&json!("copy.si5")),
        "{done}"
    );
    let id = done["job"]["id"].as_str().expect("an id");
    for at in 0..files.len() {
        let reply = server.get(&format!("/api/v1/jobs/{id}/files/{at}"));
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-disposition"), Some("attachment"));
        let length = reply
            .header("content-length")
            .and_then(|text| text.parse().ok());
        assert_eq!(length, Some(reply.body.len()));
    }
    for wrong in [
        format!("{id}/files/99"),
        format!("{id}/files/-1"),
        "j99/files/0".to_owned(),
        format!("{id}/files/..%2F..%2Fetc%2Fpasswd"),
    ] {
        let status = server.get(&format!("/api/v1/jobs/{wrong}")).status;
        assert!([400, 404].contains(&status), "{wrong}: {status}");
    }
    assert_eq!(listed(server.folder.path()), before);
}

#[test]
fn what_is_left_of_a_damaged_database_is_told_and_written() {
    let server = Server::start(false);
    let base = server.base();
    // A database in several files, of which one is cut short.
    let whole = server.folder.path().join("whole.si4");
    let sources: Vec<Value> = (0..20).map(|_| base.clone().into()).collect();
    let done = convert(&server, &json!({"sources": sources, "path": whole}));
    assert_eq!(done["job"]["state"], "done", "{done}");
    let games = server.folder.path().join("whole.sg4");
    let bytes = std::fs::read(&games).expect("a file");
    std::fs::write(&games, &bytes[..bytes.len() / 2]).expect("written");
    let copy = server.folder.path().join("sound.pgn");
    let examined = convert(
        &server,
        &json!({"damaged": whole, "path": copy, "repair": true, "dry": true}),
    );
    assert_eq!(examined["job"]["kind"], "examination");
    assert!(!copy.exists());
    let repaired = convert(
        &server,
        &json!({"damaged": whole, "path": copy, "repair": true}),
    );
    assert_eq!(repaired["job"]["state"], "done", "{repaired}");
    let told = &repaired["report"]["sources"][0];
    assert_eq!(
        told["diagnostics"],
        examined["report"]["sources"][0]["diagnostics"]
    );
    let found = told["diagnostics"].as_array().expect("findings");
    assert!(
        found.iter().any(|one| one["severity"] == "damage"),
        "{repaired}"
    );
    let (read, damaged) = (told["games"].as_u64(), told["damaged_games"].as_u64());
    assert_eq!(read, Some(20), "{repaired}");
    assert!(
        damaged.is_some_and(|games| games > 0 && games < 20),
        "{repaired}"
    );
    // The damaged one stays as it is.
    assert_eq!(
        std::fs::read(&games).expect("a file").len(),
        bytes.len() / 2
    );
    for (damaged, status) in [("/etc/passwd", 403), ("passwd", 400), ("", 400)] {
        let body = json!({"damaged": damaged, "path": copy, "repair": true, "dry": true});
        assert_eq!(refused(&server, &body), status, "{damaged}");
    }
    #[cfg(unix)]
    {
        let link = server.folder.path().join("link.pgn");
        std::os::unix::fs::symlink(corpus().join("opera.pgn"), &link).expect("a link");
        let body = json!({"damaged": link, "path": copy, "repair": true, "dry": true});
        assert_eq!(refused(&server, &body), 404);
    }
}

#[test]
fn names_of_the_database_are_offered() {
    let server = Server::start(true);
    let base = server.base();
    let names = |query: &str| {
        let reply = server.get(&format!("/api/v1/bases/{base}/complete?{query}"));
        (reply.status, reply.json()["names"].clone())
    };
    assert_eq!(names("tag=White&start=mor"), (200, json!(["Morphy, Paul"])));
    // Who played White once may play Black another time.
    assert_eq!(
        names("tag=Black&start=paul"),
        (200, json!(["Morphy, Paul"]))
    );
    assert_eq!(names("tag=White&start=nobody"), (200, json!([])));
    assert_eq!(names("tag=FEN&start=").0, 400);
    assert_eq!(
        names(&format!("tag=White&start={}", "a".repeat(20_000))).0,
        400
    );
}

#[test]
fn games_to_begin_with_are_shown_and_may_be_changed() {
    let server = Server::start(false);
    let shown = server.post("/api/v1/sample", MARK, "{}").json();
    assert_eq!(
        (&shown[0]["games"], &shown[0]["editable"]),
        (&json!(5), &json!(true)),
        "{shown}"
    );
    let path = server.data.path().join("sample.pgn");
    std::fs::write(&path, "[Event \"mine\"]\n\n1. e4 *\n").expect("written");
    // What the user has made of them stays.
    let again = server.post("/api/v1/sample", MARK, "{}").json();
    assert_eq!(again[0]["games"], 1, "{again}");
}

/// Every file below a folder with its bytes.
fn listed(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => all.push((path.clone(), std::fs::read(&path).expect("a file"))),
            }
        }
    }
    all.sort();
    all
}

/// What may be asked of a server that changes nothing: it opens, looks, copies to the browser, and ends jobs.
const HARMLESS: [(&str, &str); 7] = [
    ("post", "/api/v1/bases"),
    ("delete", "/api/v1/bases/{base}"),
    ("post", "/api/v1/bases/{base}/check"),
    ("post", "/api/v1/bases/{base}/pgn"),
    ("post", "/api/v1/bases/{base}/puzzles"),
    ("post", "/api/v1/uploads"),
    ("delete", "/api/v1/jobs/{job}"),
];

/// A body that every route which changes something takes.
fn body_of(path: &str, folder: &Path, base: &str) -> Value {
    let new = folder.join("new.pgn");
    match path {
        "/api/v1/bases/{base}/change" => json!({"change": {"kind": "delete", "games": [1]}}),
        "/api/v1/bases/{base}/names" => {
            json!({"names": [{"kind": "players", "keep": "A", "variants": ["Morphy, Paul"]}]})
        }
        "/api/v1/new" => json!({"path": new}),
        "/api/v1/conversions" => json!({"sources": [base], "path": new}),
        "/api/v1/clipboard" => json!({"base": base, "games": [1]}),
        "/api/v1/edits/{edit}/wishes" => {
            json!({"version": 0, "wishes": [{"at": 0, "wish": {"kind": "nag", "nag": 1}}]})
        }
        _ => json!({}),
    }
}

#[test]
fn every_route_that_changes_something_refuses_where_nothing_may_be_changed() {
    let server = Server::start(true);
    let base = server.base();
    let (folder, data) = (listed(server.folder.path()), listed(server.data.path()));
    let described = server.get("/api/v1/openapi.json").json();
    let mut refusals = 0;
    for (path, methods) in described["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            if method == "get" || HARMLESS.contains(&(method.as_str(), path.as_str())) {
                continue;
            }
            let body = body_of(path, server.folder.path(), &base).to_string();
            let at = path
                .replace("{base}", &base)
                .replace("{number}", "1")
                .replace("{edit}", "e1");
            let reply = match method.as_str() {
                "post" => server.post(&at, MARK, &body),
                "delete" => server.delete(&at, MARK),
                other => panic!("{other}: a test of this method is wanted"),
            };
            let told = String::from_utf8_lossy(&reply.body).into_owned();
            assert_eq!(reply.status, 403, "{method} {path}: {told}");
            assert!(told.contains("--read-only"), "{method} {path}: {told}");
            refusals += 1;
        }
    }
    assert!(refusals >= 13, "{refusals}");
    assert_eq!(listed(server.folder.path()), folder);
    assert_eq!(listed(server.data.path()), data);
}
