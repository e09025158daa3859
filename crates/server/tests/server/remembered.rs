//! What outlives the server: the databases opened last, and the clipboard base.

use crate::server::Server;

const MARK: &str = "X-Tabiya: 1\r\n";

#[test]
fn games_are_copied_into_the_clipboard() {
    let server = Server::start(false);
    let base = server.base();
    let body = format!(r#"{{"base": "{base}", "games": [1]}}"#);
    assert_eq!(server.post("/api/v1/clipboard", "", &body).status, 403);
    let first = server.post("/api/v1/clipboard", MARK, &body).json();
    assert_eq!(
        (&first["copied"], &first["base"]["games"]),
        (&1.into(), &1.into())
    );
    assert_eq!(first["base"]["clipboard"], true);
    let second = server.post("/api/v1/clipboard", MARK, &body).json();
    assert_eq!(second["base"]["games"], 2);
    assert_eq!(second["base"]["id"], first["base"]["id"]);
    let id = first["base"]["id"].as_str().expect("an id");
    for number in [1, 2] {
        let copy = server.get(&format!("/api/v1/bases/{id}/games/{number}/pgn"));
        let original = server.get(&format!("/api/v1/bases/{base}/games/1/pgn"));
        assert_eq!(copy.body, original.body);
    }
    // It is a file that the next server finds.
    let text = std::fs::read_to_string(server.data.path().join("clipboard.pgn")).expect("a file");
    assert_eq!(text.matches("[Event ").count(), 2);
    for body in [
        format!(r#"{{"base": "{base}", "games": []}}"#),
        format!(r#"{{"base": "{base}", "games": [7]}}"#),
        r#"{"base": "x", "games": [1]}"#.to_owned(),
    ] {
        let status = server.post("/api/v1/clipboard", MARK, &body).status;
        assert!((400..=422).contains(&status), "{body}: {status}");
    }
    let empty = server.delete("/api/v1/clipboard", MARK);
    assert_eq!((empty.status, &empty.json()["games"]), (200, &0.into()));
    let third = server.post("/api/v1/clipboard", MARK, &body).json();
    assert_eq!(third["base"]["games"], 1);
    // A clipboard may be copied into itself.
    let own = format!(r#"{{"base": "{id}", "games": [1]}}"#);
    let fourth = server.post("/api/v1/clipboard", MARK, &own).json();
    assert_eq!(fourth["base"]["games"], 2);
}

#[test]
fn opened_databases_are_remembered() {
    let server = Server::start(false);
    assert_eq!(server.get("/api/v1/recent").json(), serde_json::json!([]));
    let base = server.base();
    server.get(&format!("/api/v1/bases/{base}/rows"));
    let recent = server.get("/api/v1/recent").json();
    assert_eq!(recent[0]["name"], "opera.pgn");
    assert_eq!(recent[0]["base"], base.as_str());
    std::fs::remove_file(server.folder.path().join("opera.pgn")).expect("removed");
    assert_eq!(server.get("/api/v1/recent").json(), serde_json::json!([]));
}

#[test]
fn a_server_that_changes_nothing_remembers_nothing() {
    let server = Server::start(true);
    let base = server.base();
    server.get(&format!("/api/v1/bases/{base}/rows"));
    let body = format!(r#"{{"base": "{base}", "games": [1]}}"#);
    assert_eq!(server.post("/api/v1/clipboard", MARK, &body).status, 403);
    let kept = std::fs::read_dir(server.data.path()).expect("a folder");
    assert_eq!(kept.count(), 0);
}
