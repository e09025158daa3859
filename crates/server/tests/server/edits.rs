//! Annotating through the server: what is saved, what is refused, and what outlives the server.

use serde_json::{Value, json};
use tabiya::Opener;
use tabiya::edit::{self, EditOperation};
use tabiya_model::diff::diff;
use tabiya_model::{Control, Game, GameNeeds};

use crate::server::{Reply, Server};

const MARK: &str = "X-Tabiya: 1\r\n";

/// A game that is annotated, as a page does it.
struct Page<'s> {
    server: &'s Server,
    id: String,
    version: u64,
    at: u64,
}

impl<'s> Page<'s> {
    fn begin(server: &'s Server, base: &str, number: u64) -> Page<'s> {
        let path = format!("/api/v1/bases/{base}/games/{number}/edit");
        let told = server.post(&path, MARK, "{}");
        assert_eq!(told.status, 200, "{}", String::from_utf8_lossy(&told.body));
        let told = told.json();
        Page {
            server,
            id: told["id"].as_str().expect("an id").to_owned(),
            version: told["version"].as_u64().expect("a version"),
            at: 0,
        }
    }

    fn try_wish(&self, wish: &Value) -> Reply {
        let wishes = json!([{"at": self.at, "wish": wish}]);
        let body = json!({"version": self.version, "wishes": wishes});
        let path = format!("/api/v1/edits/{}/wishes", self.id);
        self.server.post(&path, MARK, &body.to_string())
    }

    fn wish(&mut self, wish: Value) -> Value {
        let reply = self.try_wish(&wish);
        let told = reply.json();
        assert_eq!(reply.status, 200, "{wish}: {told}");
        self.version = told["version"].as_u64().expect("a version");
        self.at = told["at"].as_u64().expect("a place");
        told
    }

    fn save(&self, body: &Value) -> Reply {
        let path = format!("/api/v1/edits/{}/save", self.id);
        self.server.post(&path, MARK, &body.to_string())
    }
}

/// A game of a file, as the library reads it.
fn game_of(server: &Server, name: &str, number: u64) -> Game {
    let path = server.folder.path().join(name);
    let bases = Opener::default().open(&path).expect("it opens");
    bases[0].read(number, GameNeeds::ALL).expect("the game")
}

/// Every kind of change; the game then has seven moves.
fn annotate(page: &mut Page<'_>) {
    page.at = 0;
    for text in ["e4", "e5", "Nf3"] {
        page.wish(json!({"kind": "play", "move": text}));
    }
    page.at = 2;
    page.wish(json!({"kind": "play", "move": "f4"}));
    page.wish(json!({"kind": "play", "move": "exf4", "how": "main-line"}));
    page.wish(json!({"kind": "comment", "side": "after", "text": "the gambit"}));
    page.wish(json!({"kind": "nag", "nag": 1}));
    page.wish(json!({"kind": "nag", "nag": 14}));
    page.wish(json!({"kind": "mark", "colour": "green", "from": "f4", "to": "h2"}));
    page.wish(json!({"kind": "mark", "colour": "red", "from": "e1", "to": null}));
    page.at = 2;
    page.wish(json!({"kind": "play", "move": "Bc4", "how": "variation"}));
    page.wish(json!({"kind": "promote"}));
    page.wish(json!({"kind": "demote"}));
    page.wish(json!({"kind": "tag", "name": "White", "value": "Zukertort, J."}));
    page.wish(json!({"kind": "result", "result": "1-0"}));
}

#[test]
fn a_game_is_annotated_and_saved() {
    let server = Server::start(false);
    let base = server.base();
    let before = game_of(&server, "opera.pgn", 1);
    let mut page = Page::begin(&server, &base, 1);
    page.at = 1;
    page.wish(json!({"kind": "play", "move": "c5"}));
    let told = page.wish(json!({"kind": "comment", "side": "after", "text": "Sici"}));
    // What is typed in one go is one step.
    let again =
        page.wish(json!({"kind": "comment", "side": "after", "text": "Sicilian", "again": true}));
    assert_eq!(told["undo"], "comment");
    // What has changed is told, and no more than that.
    assert_eq!(
        again["difference"].to_string().matches("Sicilian").count(),
        1
    );
    assert!(again["game"].is_null() && again["difference"]["tags"].is_null());
    let here = server.get(&format!("/api/v1/edits/{}/here?at={}", page.id, page.at));
    assert_eq!(here.json()["after"], "Sicilian");
    page.wish(json!({"kind": "undo"}));
    let back = page.wish(json!({"kind": "undo"}));
    assert_eq!(back["undo"], Value::Null);
    page.wish(json!({"kind": "redo"}));
    page.wish(json!({"kind": "redo"}));
    // A wish that makes no sense is refused, with a sentence, and changes nothing.
    let refused = page.try_wish(&json!({"kind": "play", "move": "Kh8"}));
    assert_eq!(refused.status, 422);
    assert!(
        refused.json()["error"]
            .as_str()
            .is_some_and(|text| text.contains("Kh8"))
    );
    // Another tab has the same session; what was made for an older state is refused.
    let mut other = Page::begin(&server, &base, 1);
    assert_eq!(other.id, page.id);
    other.wish(json!({"kind": "nag", "nag": 5}));
    assert_eq!(page.try_wish(&json!({"kind": "nag", "nag": 1})).status, 409);
    let saved = other.save(&json!({}));
    assert_eq!(saved.status, 200);
    assert_eq!(saved.json()["changed"], false);
    let after = game_of(&server, "opera.pgn", 1);
    let found: Vec<String> = diff(&before, &after)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(!found.is_empty());
    let text = std::fs::read_to_string(server.folder.path().join("opera.pgn")).expect("a file");
    assert!(text.contains("c5") && text.contains("Sicilian"), "{text}");
    // What it was is a version, and comes back.
    let versions = server
        .get(&format!("/api/v1/bases/{base}/games/1/versions"))
        .json();
    assert_eq!(versions["versions"][0]["kind"], "game");
    let body = json!({"change": {"kind": "restore", "number": 1, "version": versions["versions"][0]["version"]}});
    let restored = server.post(
        &format!("/api/v1/bases/{base}/change"),
        MARK,
        &body.to_string(),
    );
    assert_eq!(restored.status, 200);
    assert_eq!(diff(&before, &game_of(&server, "opera.pgn", 1)), []);
    let history = server.get(&format!("/api/v1/bases/{base}/history")).json();
    assert_eq!(history["changes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn every_format_holds_what_is_saved_or_says_what_it_cannot() {
    let server = Server::start(false);
    for name in ["new.pgn", "new.ndjson", "new.si5", "new.si4", "new.cbf"] {
        let path = server.folder.path().join(name);
        let body = json!({"path": path}).to_string();
        let made = server.post("/api/v1/new", MARK, &body);
        let told = made.json();
        assert_eq!(made.status, 200, "{name}: {told}");
        let base = told[0]["id"].as_str().expect("an id").to_owned();
        let mut page = Page::begin(&server, &base, 0);
        annotate(&mut page);
        let mut saved = page.save(&json!({}));
        if saved.status == 422 {
            // It is said before anything is changed, and then chosen.
            let told = saved.json();
            assert!(
                told["losses"].as_array().is_some_and(|all| !all.is_empty()),
                "{name}: {told}"
            );
            saved = page.save(&json!({"lossy": "drop"}));
            assert_eq!(saved.json()["losses"], told["losses"], "{name}");
        }
        assert_eq!(saved.status, 200, "{name}: {}", saved.json());
        let told = saved.json();
        assert_eq!(
            (&told["number"], &told["changed"]),
            (&1.into(), &false.into())
        );
        let held = game_of(&server, name, 1);
        let text = server.get(&format!("/api/v1/edits/{}", page.id)).json()["game"].clone();
        let lost = told["losses"].as_array().is_some_and(|all| !all.is_empty());
        assert_eq!(held.tape.plies(), 3, "{name}");
        if !lost {
            let again = server.get(&format!("/api/v1/bases/{base}/games/1")).json();
            assert_eq!(again["moves"], text["moves"], "{name}");
        }
        // Saved once more, it takes the place of what was saved.
        page.wish(json!({"kind": "tag", "name": "Black", "value": "Anderssen, A."}));
        let second = page.save(&json!({"lossy": "drop"}));
        assert_eq!(
            (second.status, &second.json()["number"]),
            (200, &1.into()),
            "{name}"
        );
        assert_eq!(
            game_of(&server, name, 1).tags.value("Black"),
            "Anderssen, A."
        );
    }
}

#[test]
fn a_game_that_was_changed_meanwhile_is_not_overwritten() {
    let server = Server::start(false);
    let base = server.base();
    let mut page = Page::begin(&server, &base, 1);
    page.at = 2;
    page.wish(json!({"kind": "comment", "side": "after", "text": "mine"}));
    let file = server.folder.path().join("opera.pgn");
    let text = std::fs::read_to_string(&file).expect("a file");
    let theirs = text.replacen("Morphy", "Somebody", 1);
    std::fs::write(&file, &theirs).expect("written");
    let conflict = page.save(&json!({}));
    let told = conflict.json();
    assert_eq!(conflict.status, 409, "{told}");
    for list in ["mineChanged", "theirsChanged", "between"] {
        assert!(
            told[list].as_array().is_some_and(|all| !all.is_empty()),
            "{list}"
        );
    }
    assert!(told["theirs"].to_string().contains("Somebody"));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), theirs);
    // As a new game both stand there.
    let new = page.save(&json!({"new": true}));
    assert_eq!(new.json()["number"], 2);
    assert!(
        game_of(&server, "opera.pgn", 1)
            .tags
            .value("White")
            .contains("Somebody")
    );
    assert_eq!(
        game_of(&server, "opera.pgn", 2).tags.value("White"),
        "Morphy, Paul"
    );
}

#[test]
fn what_was_seen_may_be_overwritten() {
    let server = Server::start(false);
    let base = server.base();
    let mut page = Page::begin(&server, &base, 1);
    page.wish(json!({"kind": "comment", "side": "after", "text": "mine"}));
    let file = server.folder.path().join("opera.pgn");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text.replacen("Morphy", "Somebody", 1)).expect("written");
    assert_eq!(page.save(&json!({})).status, 409);
    let accepted = server.post(&format!("/api/v1/edits/{}/accept", page.id), MARK, "{}");
    assert_eq!(accepted.status, 200);
    assert_eq!(page.save(&json!({})).status, 200);
    assert_eq!(
        game_of(&server, "opera.pgn", 1).tags.value("White"),
        "Morphy, Paul"
    );
}

#[test]
fn drafts_outlive_the_server() {
    let server = Server::start(false);
    let base = server.base();
    let (id, shown) = {
        let mut page = Page::begin(&server, &base, 1);
        annotate(&mut page);
        page.wish(json!({"kind": "undo"}));
        let shown = server.get(&format!("/api/v1/edits/{}", page.id)).json();
        (page.id, shown)
    };
    let server = server.again(false);
    // A line that a crash cut off is no part of it.
    let file = server
        .data
        .path()
        .join("drafts")
        .join(format!("{id}.draft"));
    let mut bytes = std::fs::read(&file).expect("a draft");
    bytes.extend_from_slice(b"{\"wish\":\"play\",\"fr");
    std::fs::write(&file, bytes).expect("written");
    let drafts = server.get("/api/v1/edits").json();
    assert_eq!(drafts["drafts"][0]["id"], id.as_str());
    let mut page = Page::begin(&server, &base, 1);
    assert_eq!(page.id, id);
    let again = server.get(&format!("/api/v1/edits/{id}")).json();
    assert_eq!(again["game"]["moves"], shown["game"]["moves"]);
    assert_eq!(
        (&again["undo"], &again["redo"]),
        (&shown["undo"], &shown["redo"])
    );
    page.wish(json!({"kind": "redo"}));
    // A server that changes nothing shows it, and leaves it alone.
    let server = {
        drop(page);
        server.again(true)
    };
    assert_eq!(
        server.get("/api/v1/edits").json()["drafts"][0]["id"],
        id.as_str()
    );
    assert_eq!(
        server.delete(&format!("/api/v1/edits/{id}"), MARK).status,
        403
    );
    let server = server.again(false);
    assert_eq!(
        server.delete(&format!("/api/v1/edits/{id}"), MARK).status,
        200
    );
    assert_eq!(server.get("/api/v1/edits").json(), json!({"drafts": []}));
}

#[test]
fn hostile_drafts_harm_nobody() {
    let server = Server::start(false);
    let base = server.base();
    let id = {
        let mut page = Page::begin(&server, &base, 1);
        annotate(&mut page);
        page.id
    };
    let folder = server.data.path().join("drafts");
    let good = std::fs::read_to_string(folder.join(format!("{id}.draft"))).expect("a draft");
    let (head, rest) = good.split_once('\n').expect("lines");
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let elsewhere = head.replace("opera.pgn", "../../../../etc/passwd");
    for (name, text) in [
        ("empty", String::new()),
        ("rubbish", "\u{0}\u{1}rubbish".to_owned()),
        ("deep", format!("{deep}\n{deep}\n{deep}\n")),
        ("headless", rest.to_owned()),
        ("elsewhere", format!("{elsewhere}\n{rest}")),
        (
            "swollen",
            format!("{head}\n{rest}{}\n", "{\"wish\":\"undo\"}\n".repeat(50_000)),
        ),
        ("long", format!("{head}\n{rest}{}\n", "x".repeat(5 << 20))),
    ] {
        std::fs::write(folder.join(format!("{name}.draft")), text).expect("written");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.join("link.draft")).expect("a link");
    let server = server.again(false);
    let told = server.get("/api/v1/edits");
    assert_eq!(told.status, 200);
    let drafts = told.json();
    let listed = drafts["drafts"].as_array().expect("drafts");
    assert!(
        listed.iter().any(|one| one["id"] == id.as_str()),
        "{drafts}"
    );
    for name in [
        "empty",
        "rubbish",
        "deep",
        "headless",
        "elsewhere",
        "swollen",
        "long",
        "link",
        "..%2Fclipboard",
        "%2e%2e",
    ] {
        let reply = server.get(&format!("/api/v1/edits/{name}"));
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(!text.contains("root:"), "{name}: {text}");
        let saved = server.post(&format!("/api/v1/edits/{name}/save"), MARK, "{}");
        assert_ne!(
            saved.status,
            500,
            "{name}: {}",
            String::from_utf8_lossy(&saved.body)
        );
    }
    // The good one is there as it was.
    let kept = server.get(&format!("/api/v1/edits/{id}"));
    assert_eq!((kept.status, &kept.json()["changed"]), (200, &true.into()));
}

#[test]
fn a_thousand_random_wishes_are_undone() {
    let server = Server::start(false);
    let base = server.base();
    let mut page = Page::begin(&server, &base, 1);
    let first = server.get(&format!("/api/v1/edits/{}", page.id)).json();
    let mut seed = 7_u64;
    let mut next = |bound: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    let wishes = [
        json!({"kind": "promote"}),
        json!({"kind": "demote"}),
        json!({"kind": "remove"}),
        json!({"kind": "delete-after"}),
        json!({"kind": "play", "move": "--"}),
        json!({"kind": "play", "move": "a6"}),
        json!({"kind": "play", "move": "h3", "how": "overwrite"}),
        json!({"kind": "comment", "side": "before", "text": "}{"}),
        json!({"kind": "nag", "nag": 3}),
        json!({"kind": "tag", "name": "Event", "value": ""}),
    ];
    let mut granted = 0;
    let count = if std::env::var_os("TABIYA_FULL").is_some() {
        1_000
    } else {
        150
    };
    for _ in 0..count {
        page.at = next(40);
        let wish = &wishes[next(10) as usize];
        let reply = page.try_wish(wish);
        assert!(
            matches!(reply.status, 200 | 422),
            "{wish}: {}",
            reply.status
        );
        if reply.status == 200 {
            let told = reply.json();
            granted += u64::from(told["version"] != page.version);
            page.version = told["version"].as_u64().expect("a version");
        }
    }
    assert!(granted > 20, "{granted}");
    for _ in 0..granted {
        page.wish(json!({"kind": "undo"}));
    }
    assert_eq!(page.try_wish(&json!({"kind": "undo"})).status, 422);
    let last = server.get(&format!("/api/v1/edits/{}", page.id)).json();
    assert_eq!(last["game"], first["game"]);
}

#[test]
fn nothing_is_lost_where_two_write() {
    let server = Server::start(false);
    let base = server.base();
    let file = server.folder.path().join("opera.pgn");
    let count: u64 = match std::env::var_os("TABIYA_FULL") {
        Some(_) => 250,
        None => 12,
    };
    // Another program sets a tag of the same game, again and again.
    let (opener, path) = (Opener::default(), file.clone());
    let other = std::thread::spawn(move || {
        let mut done = 0;
        for round in 1..=count {
            let change = EditOperation::Set {
                games: (1..2).into(),
                tags: vec![("Round".to_owned(), round.to_string())],
            };
            let made = edit::edit(&opener, &path, &change, &Control::default());
            done += u64::from(made.is_ok_and(|made| made.games == 1));
        }
        done
    });
    let mut page = Page::begin(&server, &base, 1);
    let (mut saved, mut conflicts) = (0, 0);
    for round in 1..=count {
        page.at = 1;
        page.wish(json!({"kind": "comment", "side": "after", "text": format!("mine {round}")}));
        loop {
            let reply = page.save(&json!({}));
            match reply.status {
                200 => {
                    saved += 1;
                    break;
                }
                // What the other has done was shown, and is replaced knowingly.
                409 => {
                    conflicts += 1;
                    assert!(reply.json()["theirs"].is_object());
                    let accept = format!("/api/v1/edits/{}/accept", page.id);
                    assert_eq!(server.post(&accept, MARK, "{}").status, 200);
                }
                // The other program is at it: the base is locked.
                status => assert!((400..=503).contains(&status), "{status}"),
            }
        }
    }
    let others = other.join().expect("it ends");
    let history = server.get(&format!("/api/v1/bases/{base}/history")).json();
    let all = history["changes"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(all, (saved + others).min(500), "{conflicts} conflicts");
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains(&format!("mine {count}")), "{text}");
    assert_eq!(game_of(&server, "opera.pgn", 1).tape.plies(), 33);
}

#[test]
fn nothing_is_changed_where_nothing_may_be() {
    let server = Server::start(true);
    let base = server.base();
    let before = std::fs::read(server.folder.path().join("opera.pgn")).expect("a file");
    let change = |kind: Value| json!({"change": kind}).to_string();
    let path = server.folder.path().join("new.pgn");
    let base_path = format!("/api/v1/bases/{base}");
    for (path, body) in [
        (format!("{base_path}/games/1/edit"), "{}".to_owned()),
        (
            format!("{base_path}/change"),
            change(json!({"kind": "delete", "games": [1]})),
        ),
        (
            format!("{base_path}/change"),
            change(json!({"kind": "compact"})),
        ),
        ("/api/v1/new".to_owned(), json!({"path": path}).to_string()),
        ("/api/v1/edits/x/save".to_owned(), "{}".to_owned()),
        ("/api/v1/edits/x/accept".to_owned(), "{}".to_owned()),
        (
            "/api/v1/edits/x/wishes".to_owned(),
            json!({"version": 0, "wishes": [{"at": 0, "wish": {"kind": "undo"}}]}).to_string(),
        ),
    ] {
        assert_eq!(server.post(&path, MARK, &body).status, 403, "{path}");
        // Without the mark of our own page nobody gets that far.
        assert_eq!(server.post(&path, "", &body).status, 403, "{path}");
    }
    assert!(!path.exists());
    assert_eq!(
        std::fs::read(server.folder.path().join("opera.pgn")).expect("a file"),
        before
    );
}

#[test]
fn hostile_wishes_are_refused() {
    let server = Server::start(false);
    let base = server.base();
    let page = Page::begin(&server, &base, 1);
    let wishes = format!("/api/v1/edits/{}/wishes", page.id);
    for (body, status) in [
        ("{".to_owned(), 400),
        (
            r#"{"version": 0, "wishes": [{"at": 99999, "wish": {"kind": "nag", "nag": 1}}]}"#.to_owned(),
            422,
        ),
        ("[]".to_owned(), 422),
        (
            r#"{"version": 0, "wishes": [{"at": -1, "wish": {"kind": "undo"}}]}"#.to_owned(),
            422,
        ),
        (
            r#"{"version": 0, "wishes": [{"at": 0, "wish": {"kind": "explode"}}]}"#.to_owned(),
            422,
        ),
        (
            r#"{"version": 0, "wishes": [{"at": 0, "wish": {"kind": "strip", "what": ["x"]}}]}"#.to_owned(),
            422,
        ),
        (
            r#"{"version": 0, "wishes": [{"at": 0, "wish": {"kind": "mark", "colour": "green", "from": "z9"}}]}"#
                .to_owned(),
            422,
        ),
        (
            r#"{"version": 0, "wishes": [{"at": 0, "wish": {"kind": "start", "fen": "8/8"}}]}"#.to_owned(),
            422,
        ),
        (
            format!(
                r#"{{"version": 0, "wishes": [{{"at": 0, "wish": {{"kind": "play", "move": "{}"}}}}]}}"#,
                "x".repeat(100_000)
            ),
            422,
        ),
        ("x".repeat(5 << 20), 413),
    ] {
        let reply = server.post(&wishes, MARK, &body);
        let start: String = body.chars().take(90).collect();
        assert_eq!(reply.status, status, "{start}");
    }
    for id in ["..%2f..%2fx", "%00", "x.draft"] {
        assert_eq!(
            server.get(&format!("/api/v1/edits/{id}")).status,
            404,
            "{id}"
        );
        assert_eq!(
            server.delete(&format!("/api/v1/edits/{id}"), MARK).status,
            404,
            "{id}"
        );
    }
    // New databases are made in the folders that were named, and nothing that stands there goes.
    let make = |path: &str| {
        let body = json!({"path": path}).to_string();
        server.post("/api/v1/new", MARK, &body).status
    };
    let folder = server.folder.path().display().to_string();
    assert_eq!(make("/tmp/tabiya-test-elsewhere.pgn"), 403);
    assert_eq!(make(&format!("{folder}/../tabiya-test-elsewhere.pgn")), 403);
    assert!(matches!(make(&format!("{folder}/opera.pgn")), 400..=500));
    assert!(matches!(make(&format!("{folder}/x.unknown")), 400..=500));
    assert_eq!(
        game_of(&server, "opera.pgn", 1).tags.value("White"),
        "Morphy, Paul"
    );
    // A draft that somebody else has written is not believed.
    let drafts = server.data.path().join("drafts");
    std::fs::create_dir_all(&drafts).expect("a folder");
    let of = json!({"base": base, "name": "x", "path": "/etc/passwd", "number": 9, "title": "x"});
    let head = json!({"tabiya_draft": 1, "of": of});
    for (name, rest) in [("a", "nonsense\n"), ("b", "{}\n{}\n"), ("c", "")] {
        std::fs::write(
            drafts.join(format!("{name}.draft")),
            format!("{head}\n{rest}"),
        )
        .expect("written");
        let reply = server.get(&format!("/api/v1/edits/{name}"));
        assert!(
            (400..=500).contains(&reply.status),
            "{name}: {}",
            reply.status
        );
    }
    assert_eq!(server.get("/api/v1/bases").status, 200);
}

/// A wish with the name of its tab, as a page sends it.
fn named(tab: &str, seq: u64, at: u64, wish: Value) -> Value {
    json!({"tab": tab, "seq": seq, "at": at, "wish": wish})
}

#[test]
fn a_wish_that_comes_twice_is_granted_once() {
    let server = Server::start(false);
    let base = server.base();
    let id = Page::begin(&server, &base, 1).id;
    let path = format!("/api/v1/edits/{id}/wishes");
    let sent = |server: &Server, version: u64, wishes: &[Value]| {
        let body = json!({"version": version, "wishes": wishes});
        let reply = server.post(&path, MARK, &body.to_string());
        (reply.status, reply.json())
    };
    let sign = |seq: u64, nag: u32| named("t1", seq, 1, json!({"kind": "nag", "nag": nag}));
    let (status, told) = sent(&server, 0, &[sign(1, 1), sign(2, 14)]);
    assert_eq!((status, &told["granted"]), (200, &2.into()), "{told}");
    assert_eq!(told["heard"]["t1"], 2);
    let nags = |told: &Value| told["game"]["moves"][0]["nags"].clone();
    // The answer was lost: the same comes again, with one more behind it, for the version that the page knows of.
    let (status, told) = sent(&server, 0, &[sign(1, 1), sign(2, 14), sign(3, 132)]);
    assert_eq!((status, &told["granted"]), (200, &2.into()), "{told}");
    assert_eq!(nags(&told), json!([1, 14]));
    let version = told["version"].as_u64().expect("a version");
    let (status, told) = sent(&server, version, &[sign(3, 132)]);
    assert_eq!((status, &told["granted"]), (200, &1.into()), "{told}");
    // Another server, which has the draft alone, knows of them too.
    let server = server.again(false);
    let again = Page::begin(&server, &base, 1);
    assert_eq!(again.id, id);
    let (status, told) = sent(&server, 9, &[sign(2, 14), sign(3, 132)]);
    assert_eq!((status, &told["granted"]), (200, &2.into()), "{told}");
    assert_eq!(nags(&told), json!([1, 14, 132]));
    // Another tab counts for itself.
    let version = told["version"].as_u64().expect("a version");
    let other = named("t2", 1, 1, json!({"kind": "nag", "nag": 1}));
    let (status, told) = sent(&server, version, &[other]);
    assert_eq!((status, &told["granted"]), (200, &1.into()), "{told}");
    let long = named(&"x".repeat(41), 1, 1, json!({"kind": "undo"}));
    assert_eq!(sent(&server, version + 1, &[long]).0, 400);
    assert_eq!(sent(&server, version + 1, &[]).0, 400);
}

#[test]
fn wishes_are_granted_up_to_the_first_that_cannot_be() {
    let server = Server::start(false);
    let base = server.base();
    let page = Page::begin(&server, &base, 1);
    let path = format!("/api/v1/edits/{}/wishes", page.id);
    let sent = |version: u64, wishes: &[Value]| {
        let body = json!({"version": version, "wishes": wishes});
        let reply = server.post(&path, MARK, &body.to_string());
        (reply.status, reply.json())
    };
    let play = |at: u64, text: &str| json!({"at": at, "wish": {"kind": "play", "move": text}});
    let (status, told) = sent(0, &[play(1, "c5"), play(1, "Kh8"), play(1, "e6")]);
    assert_eq!((status, &told["granted"]), (200, &1.into()), "{told}");
    let version = told["version"].as_u64().expect("a version");
    let (status, told) = sent(version, &[play(1, "Kh8"), play(1, "e6")]);
    assert_eq!(status, 422, "{told}");
    // A move that is not the one that the page means is not touched.
    let sign = |of: &str, moves: u64| json!({"at": 1, "move": of, "moves": moves, "wish": {"kind": "nag", "nag": 1}});
    assert_eq!(sent(version, &[sign("d2d4", 41)]).0, 409);
    assert_eq!(sent(version, &[sign("e2e4", 40)]).0, 409);
    let (status, told) = sent(version, &[sign("e2e4", 41)]);
    assert_eq!(status, 200, "{told}");
}

#[test]
fn what_is_typed_on_one_side_takes_nothing_from_the_other() {
    let server = Server::start(false);
    let base = server.base();
    let mut page = Page::begin(&server, &base, 1);
    page.at = 1;
    let say = |side: &str, text: &str| json!({"kind": "comment", "side": side, "text": text, "again": true});
    page.wish(say("before", "before"));
    page.wish(say("after", "x"));
    page.wish(say("after", ""));
    page.wish(say("after", "y"));
    let told = server.get(&format!("/api/v1/edits/{}/here?at=1", page.id));
    let told = told.json();
    assert_eq!(
        (&told["before"], &told["after"]),
        (&"before".into(), &"y".into())
    );
}

/// A game of which a text says less than it holds: an extension, tags in an order of their own, a text that was not UTF-8.
const RICH: &str = r#"{"schema":"tabiya-game-1","number":1,"tags":[["Black","B"],["Annotator","Müller",{"charset":"windows-1252"}],["White","A"],["Event","?"],["Result","*"]],"result":"*","plies":2,"moves":[{"ply":1,"uci":"e2e4","san":"e4"},{"extension":"ca.folder","hex":"0102"},{"comment":"gut","charset":"windows-1252"},{"ply":2,"uci":"e7e5","san":"e5"}]}"#;

#[test]
fn a_game_goes_from_base_to_base_as_it_is_or_says_what_is_lost() {
    let server = Server::start(false);
    let file = server.folder.path().join("rich.ndjson");
    std::fs::write(&file, format!("{RICH}\n")).expect("written");
    let opened = server.post("/api/v1/bases", MARK, &json!({"path": file}).to_string());
    let rich = opened.json()[0]["id"].as_str().expect("an id").to_owned();
    let first = game_of(&server, "rich.ndjson", 1);
    assert!(!first.tape.extensions().is_empty());
    let mut page = Page::begin(&server, &rich, 1);
    page.at = 2;
    page.wish(json!({"kind": "nag", "nag": 1}));
    let saved = page.save(&json!({"new": true}));
    assert_eq!((saved.status, &saved.json()["number"]), (200, &2.into()));
    let second = game_of(&server, "rich.ndjson", 2);
    assert_eq!(second.tape.extensions(), first.tape.extensions());
    let names = |game: &Game| {
        game.tags
            .iter()
            .map(|tag| tag.name.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&second), names(&first));
    assert_eq!(
        second.tags.texts().charsets().collect::<Vec<_>>(),
        first.tags.texts().charsets().collect::<Vec<_>>()
    );
    // Where the other base has no place for it, that is told, in the words of the library.
    let pgn = server.base();
    let refused = page.save(&json!({"base": pgn}));
    let told = refused.json();
    let dropped = page.save(&json!({"base": pgn, "lossy": "drop"}));
    assert_eq!(dropped.status, 200, "{}", dropped.json());
    let lost = dropped.json()["losses"].clone();
    let kinds: Vec<&str> = lost
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["kind"].as_str())
        .collect();
    assert!(!kinds.is_empty(), "{lost}");
    assert_eq!((refused.status, &told["losses"]), (422, &lost));
    let copied = server.post(
        "/api/v1/clipboard",
        MARK,
        &json!({"base": rich, "games": [1, 2]}).to_string(),
    );
    let copied = copied.json();
    assert_eq!(copied["copied"], 2, "{copied}");
    let of_copy: Vec<&str> = copied["losses"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["kind"].as_str())
        .collect();
    assert_eq!(of_copy, kinds);
}

#[test]
fn a_game_that_is_saved_as_new_is_bound_to_its_own_number() {
    let server = Server::start(false);
    let base = server.base();
    let file = server.folder.path().join("opera.pgn");
    let count: u64 = match std::env::var_os("TABIYA_FULL") {
        Some(_) => 60,
        None => 10,
    };
    // Another program adds games of its own, again and again.
    let (opener, path) = (Opener::default(), file.clone());
    let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let end = std::sync::Arc::clone(&ends);
    let other = std::thread::spawn(move || {
        let mut added = Vec::new();
        while !end.load(std::sync::atomic::Ordering::Acquire) {
            let mut game = Game::default();
            game.tags.push("White", "Stranger");
            let change = EditOperation::Add(vec![game]);
            if let Ok(done) = edit::edit(&opener, &path, &change, &Control::default()) {
                assert_eq!(done.added.clone().count(), 1);
                added.push(done.added.start);
            }
        }
        added
    });
    let mut mine = Vec::new();
    for round in 0..count {
        let mut page = Page::begin(&server, &base, 0);
        page.wish(json!({"kind": "tag", "name": "White", "value": format!("Mine {round}")}));
        let number = loop {
            let saved = page.save(&json!({}));
            if saved.status == 200 {
                break saved.json()["number"].as_u64().expect("a number");
            }
        };
        page.wish(json!({"kind": "tag", "name": "Round", "value": round.to_string()}));
        // What is saved once more takes the place of that game, or is told as a conflict; nobody else's game is touched.
        loop {
            let saved = page.save(&json!({}));
            match saved.status {
                200 => break,
                409 => {
                    let accept = format!("/api/v1/edits/{}/accept", page.id);
                    assert_eq!(server.post(&accept, MARK, "{}").status, 200);
                }
                _ => {}
            }
        }
        mine.push((round, number));
    }
    ends.store(true, std::sync::atomic::Ordering::Release);
    let added = other.join().expect("it ends");
    assert!(!added.is_empty());
    for (round, number) in mine {
        let tags = game_of(&server, "opera.pgn", number).tags;
        let (white, number) = (format!("Mine {round}"), round.to_string());
        assert_eq!(
            (tags.value("White"), tags.value("Round")),
            (&*white, &*number)
        );
    }
    for number in added {
        assert_eq!(
            game_of(&server, "opera.pgn", number).tags.value("White"),
            "Stranger"
        );
    }
}
