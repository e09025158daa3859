//! Unfinished games, chosen by every route that takes a choice: what it answers is what it answers of a base with these games
//! alone.

use serde_json::{Value, json};

use crate::making::convert;
use crate::server::Server;
use crate::server::judge::whole_body;

const MARK: &str = "X-Tabiya: 1\r\n";

/// A blunder of White's, with evaluations.
const BLUNDER: &str =
    "1. e4 {[%eval 0.2]} c5 {[%eval 4.2]} 2. Nf3 {[%eval -3.1]} d6 {[%eval -3.0]}";

fn game(round: usize, [white, black]: [&str; 2], moves: &str, result: &str) -> String {
    format!(
        "[Event \"Open\"]\n[Site \"Bonn\"]\n[Date \"2001.02.0{round}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n\
         [Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
    )
}

/// A base of its own; its id.
fn served(server: &Server, name: &str, games: &str) -> String {
    let path = server.folder.path().join(name);
    std::fs::write(&path, games).expect("written");
    let body = json!({"path": path}).to_string();
    let opened = server.post("/api/v1/bases", MARK, &body).json();
    opened[0]["id"].as_str().expect("an id").to_owned()
}

/// All games, those of them without a result, which have the same numbers in both, and a repertoire.
fn three_bases(server: &Server) -> [String; 3] {
    let berg = ["Berg, Bo", "Abel, Anna"];
    let spanish = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6";
    let unfinished = [
        game(1, berg, spanish, "*"),
        game(1, berg, spanish, "*"),
        game(2, ["Berg, B", "Cohn, Carl"], BLUNDER, "*"),
    ]
    .concat();
    let finished = [
        game(3, berg, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"),
        game(3, berg, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"),
        game(4, ["Berg, Bo", "Cohn, Karl"], BLUNDER, "0-1"),
        game(5, berg, "1. e4 e6 2. d4 d5", "1/2-1/2"),
        game(6, berg, spanish, "0-1"),
    ]
    .concat();
    let lines = "[Repertoire \"white\"]\n[Result \"*\"]\n\n1. e4 e5 (1... c5 2. Nc3) 2. Nf3 Nc6 3. Bb5 (3. Bc4) *\n\n";
    [
        served(server, "all.pgn", &format!("{unfinished}{finished}")),
        served(server, "few.pgn", &unfinished),
        served(server, "white.pgn", lines),
    ]
}

#[test]
fn unfinished_games_are_chosen_by_every_route() {
    let server = Server::start(false);
    let [all, few, white] = three_bases(&server);
    let of_white = format!("/api/v1/bases/{white}/repertoire");
    for route in [
        "/api/v1/bases/BASE/statistics?full=true".to_owned(),
        "/api/v1/bases/BASE/player?name=Berg".to_owned(),
        "/api/v1/bases/BASE/mistakes?name=Berg".to_owned(),
        "/api/v1/bases/BASE/events?game=1".to_owned(),
        "/api/v1/bases/BASE/doubles?".to_owned(),
        "/api/v1/bases/BASE/names?".to_owned(),
        format!("/api/v1/bases/BASE/novelties?reference={few}"),
        "/api/v1/bases/BASE/dossier?name=Berg&form=markdown".to_owned(),
        "/api/v1/bases/BASE/search?".to_owned(),
        "/api/v1/bases/BASE/search?sort=-round".to_owned(),
        "/api/v1/explore?base=BASE".to_owned(),
        format!("{of_white}?color=white&reference=BASE"),
        format!("{of_white}/gaps?color=white&reference=BASE&min_games=1"),
        format!("{of_white}/conflicts?color=white&reference=BASE&min_games=1"),
        format!("{of_white}/coverage?color=white&reference=BASE"),
        format!("{of_white}/check?color=white&of=BASE"),
    ] {
        let ask = |[id, name]: [&str; 2], choice: &str| {
            let path = route.replace("BASE", id) + choice;
            let reply = server.get(&path);
            let body = whole_body(&reply).expect("all of it");
            let text = String::from_utf8(body).expect("UTF-8");
            assert_eq!(reply.status, 200, "{path}: {text}");
            // A search names the view that it fills, and sends rows in as many parts as the time gives.
            let lines = text.replace(id, "ID").replace(name, "NAME");
            let lines = lines.replace("]}\n{\"kind\":\"rows\",\"rows\":[", ",");
            let lines: Vec<&str> = lines
                .lines()
                .filter(|line| !line.contains("\"view\""))
                .collect();
            lines.join("\n")
        };
        let alone = ask([&few, "few.pgn"], "");
        let chosen = ask([&all, "all.pgn"], "&unfinished=true");
        assert_eq!(chosen, alone, "{route}");
        let whole = ask([&all, "all.pgn"], "");
        assert_ne!(whole, alone, "{route}: the choice makes no difference");
        assert_eq!(
            ask([&all, "all.pgn"], "&unfinished=false"),
            whole,
            "{route}"
        );
    }
}

#[test]
fn unfinished_games_alone_are_copied() {
    let server = Server::start(false);
    let [all, few, _] = three_bases(&server);
    let copy = |name: &str, wish: Value| {
        let path = server.folder.path().join(name);
        let mut body = json!({"path": path});
        for (field, value) in wish.as_object().expect("fields") {
            body[field] = value.clone();
        }
        let done = convert(&server, &body);
        assert_eq!(done["job"]["state"], "done", "{done}");
        std::fs::read_to_string(&path).expect("read")
    };
    let chosen = copy("one.pgn", json!({"sources": [all], "unfinished": true}));
    assert_eq!(chosen, copy("two.pgn", json!({"sources": [few]})));
    assert_eq!(chosen.matches("[Event ").count(), 3);
    // With other choices: a number, a query.
    let wish = json!({"sources": [all], "unfinished": true, "games": "3-", "query": "player:Berg"});
    assert_eq!(copy("three.pgn", wish).matches("[Event ").count(), 1);
}
