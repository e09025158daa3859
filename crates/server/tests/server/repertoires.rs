//! Repertoires and their training: what is told is what the library finds, and what is answered stands in the log of reviews.

use serde_json::{Value, json};
use tabiya::repertoire::{self, RepertoireGapOptions};
use tabiya::{Opener, Selection};
use tabiya_answers::Answer;
use tabiya_model::Control;

use crate::server::Server;
use crate::server::judge::whole_body;

const MARK: &str = "X-Tabiya: 1\r\n";

/// Lines for White, with a transposition, a move that is marked bad and a position with two moves.
const LINES: &str = "[Event \"Mine\"]\n[Repertoire \"white\"]\n[Result \"*\"]\n\n1. e4 e5 (1... c5 2. Nf3 d6 (2... Nc6 3. d4) 3. d4 cxd4 4. Nxd4) (1... e6 2. d4 d5 3. Nc3 (3. Nd2)) 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 (4. Bxc6? dxc6) *\n\n";

/// Games that follow and leave them.
const GAMES: &str = "[Event \"Club\"]\n[Date \"2026.01.01\"]\n[White \"Me\"]\n[Black \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 1-0\n\n\
[Event \"Club\"]\n[Date \"2026.01.02\"]\n[White \"Me\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n1. e4 d5 2. exd5 0-1\n\n\
[Event \"Club\"]\n[Date \"2026.01.03\"]\n[White \"C\"]\n[Black \"Me\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n\n\
[Event \"Club\"]\n[Date \"2026.01.04\"]\n[White \"Me\"]\n[Black \"D\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 1-0\n\n";

/// A server with the lines and the games; answers with their ids.
fn served(read_only: bool) -> (Server, String, String) {
    let server = Server::start(read_only);
    let open = |name: &str, text: &str| {
        let path = server.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let body = json!({"path": path}).to_string();
        let opened = server.post("/api/v1/bases", MARK, &body).json();
        opened[0]["id"].as_str().expect("an id").to_owned()
    };
    let lines = open("white.pgn", LINES);
    let games = open("club.pgn", GAMES);
    (server, lines, games)
}

fn told(server: &Server, path: &str) -> Value {
    let reply = server.get(path);
    let told = reply.json();
    assert_eq!(reply.status, 200, "{path}: {told}");
    told
}

fn post(server: &Server, path: &str, body: &Value) -> Value {
    let reply = server.post(path, MARK, &body.to_string());
    let told = reply.json();
    assert_eq!(reply.status, 200, "{path}: {told}");
    told
}

/// The moves of a position of the tree, by the line to it and in the order of their names.
fn moves_after(tree: &Value, line: &str) -> Vec<String> {
    let nodes = tree["nodes"].as_array().expect("positions");
    let node = nodes.iter().find(|node| node["position"]["line"] == line);
    let moves = node.map(|node| node["position"]["moves"].as_array().expect("moves"));
    let names = moves.into_iter().flatten();
    let mut names: Vec<String> = names
        .map(|m| m["san"].as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn reports_are_what_the_library_finds() {
    let (server, lines, games) = served(true);
    let open = |name: &str| {
        let path = server.folder.path().join(name);
        Opener::default().open(&path).expect("it opens")
    };
    let control = Control::default();
    let made = repertoire::read(&open("white.pgn"), None, &control).expect("a repertoire");
    let all = Selection::of(&open("club.pgn")[..]);
    let reference = repertoire::reference(&made[0], &all, &control).expect("counted");
    let of = format!("/api/v1/bases/{lines}/repertoire");
    let compared = format!("reference={games}&min_games=1");

    let tree = told(&server, &format!("{of}?reference={games}"));
    assert_eq!(tree["color"], "white");
    assert_eq!(tree["recognised"], false);
    assert_eq!(tree["whole"], true);
    let wanted = repertoire::tree(&made[0], Some(&reference));
    let nodes = tree["nodes"].as_array().expect("positions");
    assert_eq!(nodes.len(), wanted.len());
    for node in wanted {
        let answer = node.answer(&made[0]).json();
        assert!(
            nodes.iter().any(|told| told["position"] == answer),
            "{answer}"
        );
    }
    // Of three games with 1.e4 the repertoire has the reply in two.
    let after = nodes.iter().find(|node| node["position"]["line"] == "1.e4");
    let answered = after.expect("known")["answered"].as_f64().expect("a share");
    assert!((answered - 200.0 / 3.0).abs() < 1e-9, "{answered}");

    let gaps = told(&server, &format!("{of}/gaps?{compared}"));
    let options = RepertoireGapOptions {
        games: 1,
        ..RepertoireGapOptions::default()
    };
    let wanted: Vec<Value> = repertoire::gaps(&made[0], &reference, options)
        .iter()
        .map(|gap| gap.answer(&made[0]).json())
        .collect();
    assert!(!wanted.is_empty());
    assert_eq!(gaps["gaps"], Value::from(wanted));
    assert_eq!(
        server.get(&format!("{of}/gaps")).status,
        400,
        "no reference"
    );

    let coverage = told(&server, &format!("{of}/coverage?reference={games}"));
    let counted = repertoire::coverage(&made[0], &all, &control).expect("counted");
    let wanted: Vec<Value> = counted
        .rows
        .iter()
        .map(|ply| ply.answer(&made[0]).json())
        .collect();
    assert!(wanted.len() > 4);
    assert_eq!(coverage["plies"], Value::from(wanted));
    assert_eq!(
        server.get(&format!("{of}/coverage")).status,
        400,
        "no reference"
    );

    let conflicts = told(&server, &format!("{of}/conflicts?{compared}"));
    let kinds: Vec<&str> = conflicts["conflicts"]
        .as_array()
        .expect("conflicts")
        .iter()
        .filter_map(|one| one["kind"].as_str())
        .collect();
    assert!(
        kinds.contains(&"several") && kinds.contains(&"bad"),
        "{kinds:?}"
    );
}

#[test]
fn damage_of_a_repertoire_and_of_its_reference_is_told() {
    let (server, lines, games) = served(true);
    let server = &server;
    let open = |name: &str, text: &str| {
        let path = server.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let body = json!({"path": path}).to_string();
        let opened = server.post("/api/v1/bases", MARK, &body).json();
        opened[0]["id"].as_str().expect("an id").to_owned()
    };
    let damaged = open(
        "damaged.pgn",
        "[Repertoire \"white\"]\n\n1. e4 e5 2. Zz9 {broken\n",
    );
    let of_repertoire =
        json!(["1 game of the repertoire is damaged; what could be read of it is used"]);
    let of_reference =
        json!(["1 game of the reference is damaged; what could be read of it counts"]);
    for (base, reference, notes) in [
        (&damaged, &games, &of_repertoire),
        (&lines, &damaged, &of_reference),
        (&lines, &games, &json!([])),
    ] {
        let of = format!("/api/v1/bases/{base}/repertoire");
        for path in ["", "/gaps", "/conflicts"] {
            let told = told(server, &format!("{of}{path}?reference={reference}"));
            assert_eq!(told["notes"], *notes, "{path}");
        }
    }
    let of = format!("/api/v1/bases/{damaged}/repertoire");
    let checked = told(server, &format!("{of}/check?of={games}"));
    assert_eq!(checked["notes"], of_repertoire);
    let found = told(
        server,
        &format!("{of}/check?of={games}&query=leaves:damaged.pgn"),
    );
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(2), "{found}");
}

#[test]
fn games_are_checked_the_last_ones_first() {
    let (server, lines, games) = served(true);
    let of = format!("/api/v1/bases/{lines}/repertoire/check?of={games}");
    let ends = |path: &str| -> Vec<(u64, String)> {
        let told = told(&server, path);
        let all = told["games"].as_array().expect("games").iter();
        all.map(|one| {
            let number = one["game"]["number"].as_u64().expect("a number");
            (number, one["end"].as_str().expect("an end").to_owned())
        })
        .collect()
    };
    let wanted = |all: &[(u64, &str)]| -> Vec<(u64, String)> {
        all.iter().map(|(n, end)| (*n, (*end).to_owned())).collect()
    };
    assert_eq!(
        ends(&of),
        wanted(&[(4, "line-end"), (3, "me"), (2, "opponent"), (1, "me")])
    );
    assert_eq!(ends(&format!("{of}&last=1")), wanted(&[(4, "line-end")]));
    // With a player, games with the other colour are none of the repertoire's.
    assert_eq!(
        ends(&format!("{of}&player=Me&last=2")),
        wanted(&[(4, "line-end"), (2, "opponent")])
    );
    assert_eq!(ends(&format!("{of}&games=3")), wanted(&[(3, "me")]));
    let all = told(&server, &format!("{of}&last=2"));
    assert_eq!((&all["count"], &all["whole"]), (&json!(2), &json!(false)));
    let first = told(&server, &format!("{of}&games=1"));
    assert_eq!(first["games"][0]["marked_bad"], true);
    assert_eq!(first["games"][0]["expected"], json!(["Ba4"]));
}

#[test]
fn lines_are_added_where_they_belong_and_taken_back() {
    let (server, lines, _) = served(false);
    let path = server.folder.path().join("white.pgn");
    let of = format!("/api/v1/bases/{lines}/repertoire");
    let add = |body: Value| post(&server, &format!("{of}/lines"), &body);
    // What is there changes nothing.
    let told_known = add(json!({"moves": ["e2e4", "e7e5", "g1f3"]}));
    assert_eq!(told_known["added"], 0);
    assert_eq!(told_known["baseVersion"], Value::Null);
    assert_eq!(std::fs::read_to_string(&path).expect("read"), LINES);
    // A variation in the middle.
    let told_new = add(json!({"moves": ["e2e4", "c7c5", "g1f3", "e7e6", "d2d4"]}));
    assert_eq!(
        (&told_new["added"], &told_new["game"]),
        (&json!(2), &json!(1))
    );
    let tree = told(&server, &of);
    assert_eq!(moves_after(&tree, "1.e4 c5 2.Nf3"), ["Nc6", "d6", "e6"]);
    // The same position by other moves: it goes on where it stands, and its own beginning is new.
    let transposed = add(json!({"moves": ["g1f3", "c7c5", "e2e4", "g7g6", "d2d4"]}));
    assert_eq!(transposed["added"], 5);
    let tree = told(&server, &of);
    assert_eq!(
        moves_after(&tree, "1.e4 c5 2.Nf3"),
        ["Nc6", "d6", "e6", "g6"]
    );
    // From a position on.
    let fen = "rnbqkbnr/pp1ppp1p/6p1/2p5/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 3";
    let behind = add(json!({"fen": fen, "moves": ["c5d4", "f3d4"]}));
    assert_eq!(behind["added"], 2);
    // A sign instead of another one.
    let signed = add(json!({"moves": ["e2e4", "e7e6", "d2d4", "d7d5", "b1d2"], "mark": "bad"}));
    assert_eq!(signed["added"], 0);
    // Lines of a file are broken anywhere.
    let words = || {
        let text = std::fs::read_to_string(&path).expect("read");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(words().contains("Nd2 $2"), "{}", words());
    let told_good = add(json!({"moves": ["e2e4", "e7e6", "d2d4", "d7d5", "b1d2"], "mark": "good"}));
    assert_eq!(told_good["added"], 0);
    assert!(words().contains("Nd2 $1"), "{}", words());
    // Everything can be taken back, to the byte.
    for _ in 0..5 {
        let undo = json!({"change": {"kind": "undo"}});
        post(&server, &format!("/api/v1/bases/{lines}/change"), &undo);
    }
    assert_eq!(std::fs::read_to_string(&path).expect("read"), LINES);
    // What breaks the rules, is no move, or is too much.
    for wrong in [
        json!({"moves": ["e2e5"]}),
        json!({"moves": []}),
        json!({"moves": ["0000"]}),
        json!({"moves": vec!["g1f3"; 301]}),
        json!({"fen": "nonsense", "moves": ["e2e4"]}),
    ] {
        let reply = server.post(&format!("{of}/lines"), MARK, &wrong.to_string());
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.json());
    }
    assert_eq!(std::fs::read_to_string(&path).expect("read"), LINES);
}

#[test]
fn moves_are_marked_to_be_trained_alone_and_to_be_skipped() {
    let (server, lines, _) = served(false);
    let of = format!("/api/v1/bases/{lines}/repertoire");
    let moves = ["e2e4", "e7e6", "d2d4", "d7d5", "b1d2"];
    let mark = |more: Value| {
        let mut body = json!({"moves": moves});
        let own = body.as_object_mut().expect("an object");
        own.extend(more.as_object().expect("an object").clone());
        post(&server, &format!("{of}/lines"), &body)
    };
    let marks = || {
        let tree = told(&server, &of);
        let nodes = tree["nodes"].as_array().expect("positions").clone();
        let node = nodes
            .iter()
            .find(|node| node["position"]["line"] == "1.e4 e6 2.d4 d5")
            .expect("a position");
        let all = node["position"]["moves"].as_array().expect("moves");
        let own = all.iter().find(|one| one["san"] == "Nd2").expect("a move");
        own["marks"].clone()
    };
    // A sign goes as it has come; where there is none, nothing is changed.
    mark(json!({"mark": "bad"}));
    assert_eq!(marks(), json!(["bad"]));
    mark(json!({"mark": "plain"}));
    assert_eq!(marks(), json!([]));
    assert_eq!(mark(json!({"mark": "plain"}))["baseVersion"], Value::Null);
    assert_eq!(mark(json!({"only": true}))["added"], 0);
    assert_eq!(marks(), json!(["only"]));
    assert_eq!(mark(json!({"only": true}))["baseVersion"], Value::Null);
    mark(json!({"only": false, "skip": true}));
    assert_eq!(marks(), json!(["skip"]));
    let path = server.folder.path().join("white.pgn");
    let text = std::fs::read_to_string(&path).expect("read");
    assert!(text.contains("[%rep skip]"), "{text}");
    mark(json!({"skip": false}));
    assert_eq!(marks(), json!([]));
    let text = std::fs::read_to_string(&path).expect("read");
    assert!(!text.contains("[%"), "{text}");
}

#[test]
fn a_new_repertoire_is_trained_from_its_first_line() {
    let server = Server::start(false);
    let made = post(&server, "/api/v1/repertoires", &json!({"color": "black"}));
    let id = made[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(made[0]["name"], "black-repertoire.pgn");
    let second = post(&server, "/api/v1/repertoires", &json!({"color": "black"}));
    assert_eq!(second[0]["name"], "black-repertoire-2.pgn");
    let of = format!("/api/v1/bases/{id}");
    let tree = told(&server, &format!("{of}/repertoire"));
    assert_eq!(
        (&tree["color"], &tree["count"]),
        (&json!("black"), &json!(1))
    );
    let line = json!({"moves": ["e2e4", "c7c5", "g1f3", "d7d6"]});
    assert_eq!(
        post(&server, &format!("{of}/repertoire/lines"), &line)["added"],
        4
    );
    let due = told(&server, &format!("{of}/repertoire/due"));
    assert_eq!(
        (&due["due"], &due["new"], &due["all"]),
        (&json!(0), &json!(2), &json!(2))
    );

    let begun = post(&server, &format!("{of}/trainings"), &json!({}));
    let training = format!("/api/v1/trainings/{}", begun["id"].as_str().expect("an id"));
    assert_eq!(begun["question"]["moves"], json!(["e2e4"]));
    assert_eq!(
        (&begun["left"], &begun["question"]["begins"]),
        (&json!(2), &json!(true))
    );
    let number = begun["question"]["number"].clone();
    let answer = |number: &Value, given: Value, rating: &str| {
        let body = json!({"number": number, "move": given, "rating": rating});
        post(&server, &format!("{training}/answer"), &body)
    };
    let wrong = answer(&number, json!("e5"), "good");
    assert_eq!(
        (&wrong["right"], &wrong["rating"]),
        (&json!(false), &json!("again"))
    );
    assert_eq!(wrong["moves"][0], json!({"san": "c5", "uci": "c7c5"}));
    assert_eq!(
        (&wrong["reply"]["san"], &wrong["line_ends"]),
        (&json!("Nf3"), &json!(false))
    );
    // The same answer once more counts for nothing.
    let body = json!({"number": number, "move": "c5"}).to_string();
    assert_eq!(
        server
            .post(&format!("{training}/answer"), MARK, &body)
            .status,
        409
    );
    let next = &wrong["next"];
    assert_eq!((&next["wrong"], &next["left"]), (&json!(1), &json!(2)));
    let right = answer(&next["question"]["number"], json!("d7d6"), "hard");
    assert_eq!(
        (&right["right"], &right["rating"]),
        (&json!(true), &json!("hard"))
    );
    assert_eq!(
        (&right["reply"], &right["line_ends"]),
        (&Value::Null, &json!(true))
    );
    // What was wrong is asked again; nothing is no move.
    let again = &right["next"];
    assert_eq!(again["question"]["moves"], json!(["e2e4"]));
    let body = json!({"number": again["question"]["number"], "move": "Ke7"}).to_string();
    assert_eq!(
        server
            .post(&format!("{training}/answer"), MARK, &body)
            .status,
        400
    );
    let known = answer(&again["question"]["number"], json!("c5"), "easy");
    assert_eq!(known["rating"], "easy");
    // The line goes on: a position that was known on the way is asked, and not written down again.
    let rest = answer(&known["next"]["question"]["number"], json!("d6"), "good");
    assert_eq!(
        (&rest["rating"], &rest["next"]["question"]),
        (&Value::Null, &Value::Null)
    );

    let log = std::fs::read_to_string(server.data.path().join("reviews.log")).expect("a log");
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0], ["# tabiya reviews 1"]);
    let reviews: Vec<(&str, &str, &str)> = lines[1..]
        .iter()
        .map(|line| (line[1], line[2], line[3]))
        .collect();
    let first = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    let later = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -";
    assert_eq!(
        reviews,
        [
            (first, "e7e5", "again"),
            (later, "d7d6", "hard"),
            (first, "c7c5", "easy")
        ]
    );
    let due = told(&server, &format!("{of}/repertoire/due"));
    assert_eq!((&due["due"], &due["new"]), (&json!(0), &json!(0)));
    assert!(due["next"].is_string());
    // Ahead of time, where it is wished.
    let none = post(&server, &format!("{of}/trainings"), &json!({}));
    assert_eq!((&none["all"], &none["question"]), (&json!(0), &Value::Null));
    let ahead = post(&server, &format!("{of}/trainings"), &json!({"ahead": true}));
    assert_eq!(ahead["all"], 2);
    let id = ahead["id"].as_str().expect("an id");
    let skip = json!({"number": ahead["question"]["number"]});
    let left = post(&server, &format!("/api/v1/trainings/{id}/skip"), &skip);
    assert_eq!(left["left"], 1);
    assert_eq!(told(&server, &format!("/api/v1/trainings/{id}"))["left"], 1);
    assert_eq!(server.get("/api/v1/trainings/t99").status, 404);
}

#[test]
fn nothing_is_written_on_a_server_that_is_read_only() {
    let (server, lines, _) = served(true);
    let of = format!("/api/v1/bases/{lines}");
    for (path, body) in [
        ("/api/v1/repertoires".to_owned(), json!({"color": "white"})),
        (format!("{of}/repertoire/lines"), json!({"moves": ["d2d4"]})),
        (format!("{of}/trainings"), json!({})),
        (
            "/api/v1/trainings/t1/answer".to_owned(),
            json!({"number": 1}),
        ),
        ("/api/v1/trainings/t1/skip".to_owned(), json!({"number": 1})),
    ] {
        let reply = server.post(&path, MARK, &body.to_string());
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (403, &json!("read-only-server")),
            "{path}"
        );
    }
    let due = told(&server, &format!("{of}/repertoire/due"));
    assert!(due["new"].as_u64().expect("a number") > 3);
    assert!(!server.data.path().join("reviews.log").exists());
    let files = std::fs::read_dir(server.data.path()).expect("a folder");
    assert!(
        !files
            .flatten()
            .any(|file| file.file_name() == "repertoires")
    );
}

#[test]
fn a_repertoire_without_a_folder_is_found_by_the_next_run() {
    let server = Server::start(false);
    let kept = server.data.path().join("repertoires");
    std::fs::create_dir(&kept).expect("a folder");
    std::fs::write(kept.join("white-repertoire.pgn"), LINES).expect("written");
    std::fs::write(kept.join("notes.txt"), "words").expect("written");
    let server = server.again(false);
    let all = told(&server, "/api/v1/bases");
    let bases = all["bases"].as_array().expect("bases");
    let mine = bases
        .iter()
        .find(|base| base["name"] == "white-repertoire.pgn");
    let id = mine.expect("it is shown")["id"].as_str().expect("an id");
    let line = json!({"moves": ["d2d4"]});
    assert_eq!(
        post(
            &server,
            &format!("/api/v1/bases/{id}/repertoire/lines"),
            &line
        )["added"],
        1
    );
}

#[test]
fn queries_name_repertoires_that_are_open_and_see_their_changes() {
    let (server, lines, games) = served(false);
    let found = |query: &str| -> Vec<u64> {
        let query = query.replace(':', "%3A").replace(' ', "%20");
        let path = format!("/api/v1/bases/{games}/search?query={query}");
        let reply = server.get(&path);
        let text = String::from_utf8_lossy(&whole_body(&reply).expect("all lines")).into_owned();
        assert_eq!(reply.status, 200, "{text}");
        let first: Value =
            serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        let view = first["view"].as_str().expect("a view");
        let told = told(&server, &format!("/api/v1/views/{view}/numbers"));
        let all = told["numbers"].as_array().expect("numbers").iter();
        all.filter_map(Value::as_u64).collect()
    };
    let by_opponent = format!("leaves[by%20opponent]:{lines}");
    assert_eq!(found(&by_opponent), [2]);
    assert_eq!(found("leaves[by%20me]:white.pgn"), [1, 3]);
    // The opponent's move has an answer now: the same words find other games.
    let line = json!({"moves": ["e2e4", "d7d5", "e4d5"]});
    post(
        &server,
        &format!("/api/v1/bases/{lines}/repertoire/lines"),
        &line,
    );
    assert_eq!(found(&by_opponent), Vec::<u64>::new());
    assert_eq!(found(&format!("repertoire:{lines}")), [2]);
    // No file is opened for a query.
    std::fs::write(server.folder.path().join("closed.pgn"), LINES).expect("written");
    let refused = server.get(&format!(
        "/api/v1/bases/{games}/search?query=leaves%3Aclosed.pgn"
    ));
    assert_eq!(refused.status, 422, "{}", refused.json());
}
