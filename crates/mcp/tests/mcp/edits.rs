//! Edits of all kinds: what they do, and that undoing them leaves the bytes that were there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya::Target;
use tabiya::convert::{ConvertOptions, convert};
use tabiya_model::Control;

use super::{GAMES, Tools, folder_with};

/// The files of a folder with their bytes, without what is only kept about changes.
fn bytes_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = std::fs::read_dir(folder).expect("listed");
    files
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| !entry.file_name().to_string_lossy().contains("tabiya-"))
        .map(|entry| entry.path())
        .map(|path| (path.clone(), std::fs::read(&path).expect("read")))
        .collect()
}

/// A folder with the games in one format.
fn folder_of(extension: &str) -> tempfile::TempDir {
    let source = folder_with("source.pgn", GAMES);
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join(format!("club.{extension}"));
    let target = Target::new(target, None, Default::default()).expect("a target");
    let bases = tabiya::open(source.path().join("source.pgn")).expect("opened");
    convert(
        &bases,
        &target,
        &ConvertOptions::default(),
        &Control::default(),
    )
    .expect("copied");
    folder
}

/// The id of the first node with a move.
fn node(tools: &Tools, game: u64, san: &str) -> String {
    let told = tools.call("game", json!({ "game": game })).expect("a game");
    let nodes = told["nodes"].as_array().expect("nodes");
    let found = nodes.iter().find(|node| node["san"] == san);
    found.expect(san)["id"].as_str().expect("an id").to_owned()
}

/// Every kind of change, each as one call about a game.
fn changes(tools: &Tools) -> Vec<Value> {
    let (e4, e5, c5, c3) = (
        node(tools, 1, "e4"),
        node(tools, 1, "e5"),
        node(tools, 1, "c5"),
        node(tools, 1, "c3"),
    );
    let of =
        |game: u64, changes: Value| json!({ "game": game, "changes": changes, "losses": "drop" });
    vec![
        of(
            1,
            json!([{ "kind": "line", "at": e4, "moves": "e6 d4 d5" }]),
        ),
        of(
            1,
            json!([{ "kind": "line", "at": "start", "moves": "1.d4 d5", "place": "main" }]),
        ),
        of(
            1,
            json!([{ "kind": "comment", "at": e5, "text": "as usual" }]),
        ),
        of(1, json!([{ "kind": "comment", "at": c3, "text": "" }])),
        of(
            1,
            json!([{ "kind": "comment", "at": "start", "text": "A game." }]),
        ),
        of(
            1,
            json!([{ "kind": "comment", "at": c5, "text": "else", "side": "before" }]),
        ),
        of(
            1,
            json!([{ "kind": "nag", "at": e4, "nag": "!?" }, { "kind": "nag", "at": e4, "nag": "$14" }]),
        ),
        of(
            1,
            json!([{ "kind": "nag", "at": e5, "nag": "!", "remove": true }]),
        ),
        of(
            1,
            json!([{ "kind": "arrow", "at": e5, "from": "g1", "to": "f3", "color": "blue" }]),
        ),
        of(
            1,
            json!([{ "kind": "arrow", "at": e4, "from": "e2", "to": "e4", "remove": true }]),
        ),
        of(1, json!([{ "kind": "square", "at": e5, "square": "e4" }])),
        of(
            1,
            json!([{ "kind": "tag", "name": "White", "value": "Adams, Michael" }, { "kind": "tag", "name": "Annotator", "value": "Me" }]),
        ),
        of(1, json!([{ "kind": "result", "result": "1/2-1/2" }])),
        of(1, json!([{ "kind": "promote", "at": c5 }])),
        of(1, json!([{ "kind": "delete_variation", "at": c5 }])),
        of(1, json!([{ "kind": "delete_after", "at": e5 }])),
        of(2, json!([{ "kind": "delete_game" }])),
        json!({ "losses": "drop", "changes": [{ "kind": "tag", "name": "White", "value": "New" }, { "kind": "line", "at": "start", "moves": "e4 c5" }] }),
    ]
}

#[test]
fn edits_of_all_kinds_are_undone_byte_for_byte() {
    for extension in ["pgn", "si5", "si4", "cbf", "ndjson"] {
        let folder = folder_of(extension);
        let tools = Tools::of(folder.path(), true);
        let before = bytes_of(folder.path());
        let all = changes(&tools);
        assert_eq!(all.len(), 18);
        let mut changed = 0;
        for call in &all {
            let preview = {
                let mut tried = call.clone();
                tried["preview"] = json!(true);
                tools
                    .call("edit", tried)
                    .unwrap_or_else(|why| panic!("{extension}: {call}: {why}"))
            };
            assert_eq!(preview["changed"], false);
            assert_eq!(
                bytes_of(folder.path()),
                before,
                "{extension}: a preview of {call}"
            );
            let told = tools
                .call("edit", call.clone())
                .unwrap_or_else(|why| panic!("{extension}: {call}: {why}"));
            if told["changed"] != true {
                // What a format cannot hold is dropped, and then nothing is left to change.
                assert!(
                    extension == "cbf" || extension == "si4",
                    "{extension}: {call}: {told}"
                );
                continue;
            }
            changed += 1;
            assert_ne!(bytes_of(folder.path()), before, "{extension}: {call}");
            let undone = tools
                .call("undo", json!({}))
                .unwrap_or_else(|why| panic!("{extension}: {call}: {why}"));
            assert_eq!(undone["whole"], true);
            assert_eq!(bytes_of(folder.path()), before, "{extension}: {call}");
        }
        assert!(changed > 12, "{extension}: {changed}");
        // And all of them, one after another.
        let mut made = 0;
        for call in all.iter().take(9) {
            made += usize::from(
                tools
                    .call("edit", call.clone())
                    .is_ok_and(|told| told["changed"] == true),
            );
        }
        let history = tools.call("history", json!({})).expect("a history");
        assert!(
            history["changes"]
                .as_array()
                .is_some_and(|changes| changes.len() > made)
        );
        for _ in 0..made {
            tools.call("undo", json!({})).expect("undone");
        }
        assert_eq!(bytes_of(folder.path()), before, "{extension}: all of them");
        let refusal = tools.call("undo", json!({})).expect_err("nothing is left");
        assert!(refusal["code"].is_string());
    }
}

#[test]
fn adding_twice_adds_once_and_the_same_moves_have_the_same_id() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), true);
    let line =
        json!({ "game": 1, "changes": [{ "kind": "line", "at": "start", "moves": "e4 e6 d4" }] });
    let first = tools.call("edit", line.clone()).expect("added");
    assert_eq!(first["changed"], true);
    let after = std::fs::read(folder.path().join("club.pgn")).expect("read");
    let second = tools.call("edit", line).expect("joined");
    assert_eq!(second["changed"], false);
    assert_eq!(first["nodes"], second["nodes"]);
    assert_eq!(
        std::fs::read(folder.path().join("club.pgn")).expect("read"),
        after
    );
    // The id says which moves lead there, in whatever game.
    let added = first["nodes"][0].as_str().expect("an id");
    let told = tools.call("game", json!({ "game": 1 })).expect("a game");
    let nodes = told["nodes"].as_array().expect("nodes");
    let node = nodes
        .iter()
        .find(|node| node["id"] == added)
        .expect("the node");
    assert_eq!(
        (node["san"].as_str(), node["ply"].as_u64()),
        (Some("d4"), Some(3))
    );
    assert_eq!(node["main"], false);
    let described = tools
        .call("position", json!({ "game": 1, "node": added }))
        .expect("described");
    assert_eq!(described["line"], json!(["e4", "e6", "d4"]));
    assert_eq!(described["opening"]["eco"], "C00");
}

#[test]
fn a_refused_change_leaves_everything_as_it_was() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), true);
    let before = bytes_of(folder.path());
    for (changes, code, place) in [
        (
            json!([{ "kind": "tag", "name": "White", "value": "x" }, { "kind": "line", "at": "start", "moves": "e5" }]),
            "illegal-move",
            1,
        ),
        (
            json!([{ "kind": "line", "at": "nowhere", "moves": "e4" }]),
            "no-such-node",
            0,
        ),
        (
            json!([{ "kind": "line", "at": "start", "moves": "e4 (d4) e5" }]),
            "bad-line",
            0,
        ),
        (
            json!([{ "kind": "line", "at": "start", "moves": "e2e4" }]),
            "illegal-move",
            0,
        ),
        (
            json!([{ "kind": "nag", "at": "start", "nag": "splendid" }]),
            "bad-nag",
            0,
        ),
        (
            json!([{ "kind": "arrow", "at": "start", "from": "z9", "to": "e4" }]),
            "bad-square",
            0,
        ),
        (
            json!([{ "kind": "tag", "name": "no good name", "value": "x" }]),
            "edit-bad-tag-name",
            0,
        ),
        (
            json!([{ "kind": "promote", "at": "start" }]),
            "edit-not-in-variation",
            0,
        ),
    ] {
        let refusal = tools
            .call("edit", json!({ "game": 1, "changes": changes }))
            .expect_err("refused");
        assert_eq!(
            (refusal["code"].as_str(), refusal["change"].as_u64()),
            (Some(code), Some(place)),
            "{refusal}"
        );
        assert_eq!(bytes_of(folder.path()), before);
    }
    let refusal = tools
        .call(
            "edit",
            json!({ "game": 77, "changes": [{ "kind": "result", "result": "*" }] }),
        )
        .expect_err("refused");
    assert_eq!(refusal["code"], "no-such-game");
    for wrong in [
        json!({ "game": 1, "changes": [] }),
        json!({ "game": 1, "changes": [{ "kind": "explode" }] }),
        json!({ "game": 1, "changes": [{ "kind": "line", "moves": "e4" }] }),
        json!({ "game": 1, "changes": [{ "kind": "result", "result": "2-0" }] }),
        json!({ "game": 1, "changes": [{ "kind": "delete_game" }, { "kind": "result", "result": "*" }] }),
    ] {
        let refusal = tools.call("edit", wrong).expect_err("refused");
        assert_eq!(refusal["code"], "bad-arguments");
    }
    assert_eq!(bytes_of(folder.path()), before);
}

#[test]
fn a_game_is_told_as_a_tree() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let told = tools.call("game", json!({ "game": 1 })).expect("a game");
    let nodes = told["nodes"].as_array().expect("nodes");
    let sans: Vec<&str> = nodes
        .iter()
        .filter_map(|node| node["san"].as_str())
        .collect();
    assert_eq!(sans, ["e4", "e5", "c5", "Nf3", "c3", "d6", "Nf3", "Nc6"]);
    let of = |san: &str| nodes.iter().find(|node| node["san"] == san).expect(san);
    assert_eq!(of("e4")["comment"], "good");
    assert_eq!(of("e4")["evaluation"]["centipawns"], 30);
    assert_eq!(of("e4")["evaluation"]["seen_from"], "White");
    assert_eq!(of("e4")["marks"][0]["to"], "e4");
    assert_eq!(of("e5")["nags"][0]["meaning"], "good move");
    assert_eq!(of("c5")["parent"], of("e4")["id"]);
    assert_eq!(of("c3")["comment"], "slow");
    assert_eq!(of("d6")["parent"], of("Nf3")["id"]);
    assert_eq!(of("Nc6")["main"], true);
    assert_eq!(of("c5")["main"], false);
    assert_eq!(nodes[0]["id"], "start");
}
