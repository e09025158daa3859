//! Every route answers what `openapi.json` describes.

use std::sync::PoisonError;

use serde_json::{Value, json};

use crate::server::judge::{DESCRIBED, SEEN, whole_body};
use crate::server::{Reply, Server};

const MARK: &str = "X-Tabiya: 1\r\n";

/// Asks, and wants an answer that is no refusal.
fn ask(server: &Server, method: &str, path: &str, body: &Value) -> Reply {
    let reply = match method {
        "GET" => server.get(path),
        "DELETE" => server.delete(path, MARK),
        _ => server.post(path, MARK, &body.to_string()),
    };
    let told = String::from_utf8_lossy(&reply.body).into_owned();
    assert_eq!(reply.status, 200, "{method} {path}: {told}");
    reply
}

#[test]
fn every_route_answers_as_described() {
    let server = Server::start(false);
    let base = server.base();
    let get = |path: &str| ask(&server, "GET", path, &Value::Null);
    let post = |path: &str, body: Value| ask(&server, "POST", path, &body);
    let of_base = format!("/api/v1/bases/{base}");
    for path in [
        "/api/v1/bases",
        "/api/v1/places",
        "/api/v1/recent",
        "/api/v1/engines",
        "/api/v1/formats",
        "/api/v1/edits",
        "/api/v1/explore",
        "/api/v1/folders",
        "/api/v1/jobs",
        "/api/v1/login",
        "/api/v1/openapi.json",
        "/api/v1/works/w1",
        "/lichess",
        "/masters",
        "/player?player=Morphy&color=white",
    ] {
        get(path);
    }
    for path in [
        "",
        "/years",
        "/rows",
        "/games/1",
        "/history",
        "/games/1/versions",
        "/statistics",
        "/player?name=Morphy",
        "/mistakes?name=Morphy",
        "/sources",
        "/events?game=1",
        "/doubles",
        "/names",
        "/novelties",
        "/complete?tag=White&start=M",
    ] {
        get(&format!("{of_base}{path}"));
    }
    ask(&server, "DELETE", "/api/v1/login", &Value::Null);
    post(&format!("{of_base}/sources"), json!({"hours": 0}));
    post("/api/v1/invitations", json!({}));
    post("/api/v1/sample", json!({}));
    post(&format!("{of_base}/check"), json!({}));
    post("/api/v1/clipboard", json!({"base": base, "games": [1]}));
    ask(&server, "DELETE", "/api/v1/clipboard", &Value::Null);
    // A search and its pages.
    let lines = get(&format!("{of_base}/search?query=white%3AMorphy"));
    let text = String::from_utf8_lossy(&whole_body(&lines).expect("all lines")).into_owned();
    let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    let view = first["view"].as_str().expect("a view");
    get(&format!("/api/v1/views/{view}/rows"));
    get(&format!("/api/v1/views/{view}/numbers"));
    // A game that is annotated and saved.
    let draft = post(&format!("{of_base}/games/1/edit"), json!({})).json();
    let edit = format!("/api/v1/edits/{}", draft["id"].as_str().expect("an id"));
    let wish = json!([{"at": 1, "wish": {"kind": "comment", "side": "after", "text": "first"}}]);
    post(
        &format!("{edit}/wishes"),
        json!({"version": draft["version"], "wishes": wish}),
    );
    get(&edit);
    get(&format!("{edit}/here?at=1"));
    post(&format!("{edit}/save"), json!({"dry": true}));
    post(&format!("{edit}/save"), json!({}));
    post(&format!("{edit}/accept"), json!({}));
    ask(&server, "DELETE", &edit, &Value::Null);
    // Changes, and what they leave.
    post(
        &format!("{of_base}/change"),
        json!({"change": {"kind": "flags", "games": [1], "set": "D", "clear": ""}}),
    );
    get(&format!("{of_base}/history"));
    get(&format!("{of_base}/games/1/versions"));
    post(
        &format!("{of_base}/change"),
        json!({"change": {"kind": "undo"}}),
    );
    let names = json!([{"kind": "players", "keep": "Morphy, Paul", "variants": ["Nobody"]}]);
    post(
        &format!("{of_base}/names"),
        json!({"names": names, "dry": true}),
    );
    let new = server.folder.path().join("new.pgn");
    let made = post("/api/v1/new", json!({"path": new})).json();
    post("/api/v1/bases", json!({"path": new}));
    let made = format!("/api/v1/bases/{}", made[0]["id"].as_str().expect("an id"));
    ask(&server, "DELETE", &made, &Value::Null);
    // A repertoire, and its training.
    let made = post("/api/v1/repertoires", json!({"color": "white"})).json();
    let made = format!("/api/v1/bases/{}", made[0]["id"].as_str().expect("an id"));
    post(
        &format!("{made}/repertoire/lines"),
        json!({"moves": ["e2e4", "e7e5", "g1f3"]}),
    );
    let compared = format!("reference={base}");
    get(&format!("{made}/repertoire?{compared}"));
    get(&format!("{made}/repertoire/coverage?{compared}"));
    get(&format!("{made}/repertoire/gaps?{compared}&min_games=1"));
    get(&format!("{made}/repertoire/conflicts?{compared}"));
    get(&format!("{made}/repertoire/check?of={base}"));
    get(&format!("{made}/repertoire/due"));
    let begun = post(&format!("{made}/trainings"), json!({})).json();
    let training = format!("/api/v1/trainings/{}", begun["id"].as_str().expect("an id"));
    get(&training);
    post(
        &format!("{training}/answer"),
        json!({"number": 1, "move": "e2e4"}),
    );
    post(&format!("{training}/skip"), json!({"number": 2}));
    // Jobs.
    post(&format!("{of_base}/index"), json!({}));
    let job = post(
        "/api/v1/conversions",
        json!({"sources": [base], "path": "copy.si4", "dry": true}),
    )
    .json();
    let job = job["id"].as_str().expect("an id").to_owned();
    assert_eq!(server.ended(&job), "done");
    get(&format!("/api/v1/jobs/{job}/report"));
    get("/api/v1/jobs");
    ask(
        &server,
        "DELETE",
        &format!("/api/v1/jobs/{job}"),
        &Value::Null,
    );

    // Files and texts are no JSON; the socket, uploads, engines and sites have tests of their own, whose answers are judged there.
    let elsewhere = [
        ("GET", "/api/v1/live"),
        ("POST", "/api/v1/uploads"),
        ("GET", "/api/v1/engine"),
        ("POST", "/api/v1/bases/{base}/analyse"),
        ("POST", "/api/v1/bases/{base}/puzzles"),
        ("POST", "/api/v1/bases/{base}/renew"),
        ("POST", "/api/v1/login"),
    ];
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let unanswered = DESCRIBED
        .routes
        .iter()
        .filter(|((method, path), described)| {
            let content = described["200"]["content"].as_object();
            let is_json =
                content.is_some_and(|kinds| kinds.keys().any(|kind| kind.ends_with("json")));
            let is_elsewhere = elsewhere.contains(&(method.as_str(), path.as_str()));
            is_json && !is_elsewhere && !seen.contains(&(method.clone(), path.clone()))
        });
    let unanswered: Vec<_> = unanswered.map(|(route, _)| route).collect();
    assert!(unanswered.is_empty(), "{unanswered:?}");
}

/// What is wrong is told by the parameter of the address, and never by an option of the command line.
#[test]
fn a_parameter_that_is_wrong_is_named_as_the_address_names_it() {
    let server = Server::start(false);
    let base = server.base();
    for (asked, parameter, fault) in [
        ("explore?since=abc", "since", None),
        ("explore?until=abc", "until", None),
        ("explore?elo=x", "elo", None),
        ("explore?fen=zz", "fen", None),
        ("explore?play=e9e9", "play", None),
        ("explore?query=white%3A", "query", Some((6, 6))),
        ("BASE/statistics?query=%C3%A9%20white%3A(", "query", None),
        ("BASE/doubles?query=nothing%3A1", "query", Some((0, 7))),
        ("BASE/novelties?query=nothing%3A1", "query", Some((0, 7))),
    ] {
        let path = asked.replace("BASE", &format!("bases/{base}"));
        let told = server.get(&format!("/api/v1/{path}")).json();
        let error = told["error"].as_str().expect("why");
        assert!(!error.contains("--"), "{asked}: {error}");
        assert_eq!(told["parameter"], parameter, "{asked}: {told}");
        assert_eq!(told["kind"], "usage", "{asked}: {told}");
        if let Some((start, end)) = fault {
            let place = (
                told["fault"]["start"].as_u64(),
                told["fault"]["end"].as_u64(),
            );
            assert_eq!(place, (Some(start), Some(end)), "{asked}: {told}");
        }
        assert_eq!(
            told["fault"].is_object(),
            parameter == "query",
            "{asked}: {told}"
        );
    }
}
