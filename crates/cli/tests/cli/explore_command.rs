//! `tabiya explore`, `index` and `eco` as people call them.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::process::Command;

use serde_json::Value;

use crate::program::{json, tabiya, text};

const GAMES: &str = r#"[Event "A"]
[White "Anderssen, Adolf"]
[Black "Blackburne, Joseph"]
[Result "1-0"]
[Date "1870.05.??"]
[WhiteElo "2600"]
[BlackElo "2500"]
[ECO "B90"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 1-0

[Event "B"]
[White "Blackburne, Joseph"]
[Black "Chigorin, Mikhail"]
[Result "0-1"]
[Date "1890.??.??"]
[WhiteElo "2550"]
[BlackElo "2650"]
[ECO "A00"]

1. e4 c5 2. Nc3 a6 3. Nf3 d6 4. d4 cxd4 5. Nxd4 Nf6 6. Bg5 0-1

[Event "C"]
[White "Chigorin, Mikhail"]
[Black "Anderssen, Adolf"]
[Result "1/2-1/2"]
[Date "1875.01.02"]

1. e4 (1. d4 d5) 1... c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5 1/2-1/2

[Event "D"]
[White "Anderssen, Adolf"]
[Black "Chigorin, Mikhail"]
[Result "*"]

1. e4 e5 *
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
    folder
}

const NAJDORF: &str = "1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6";

#[test]
fn json_has_the_shape_of_lichess_with_and_without_an_index() {
    let folder = folder();
    let args = [
        "explore",
        "games.pgn",
        "--line",
        NAJDORF,
        "--json",
        "lichess",
    ];
    let without = json(folder.path(), &args);
    assert_eq!(
        tabiya(folder.path(), &["index", "games.pgn"]).status.code(),
        Some(0)
    );
    assert!(folder.path().join("games.pgn.tabiya-index").exists());
    assert_eq!(json(folder.path(), &args), without);
    assert_eq!(without["opening"]["eco"], "B90");
    assert_eq!(
        (&without["white"], &without["draws"], &without["black"]),
        (&1.into(), &1.into(), &1.into())
    );
    let moves = without["moves"].as_array().expect("moves");
    // The first game ends there and has no move.
    assert_eq!(moves.len(), 2);
    let played = moves
        .iter()
        .find(|entry| entry["uci"] == "c1g5")
        .expect("played");
    assert_eq!(played["san"], "Bg5");
    assert_eq!(played["averageRating"], 2550);
    assert_eq!(played["averageOpponentRating"], 2650);
    assert_eq!(played["performance"], 2650 - 800);
    assert_eq!(played["lastPlayed"], "1890.??.??");
    assert_eq!(played["game"]["id"], "2");
    assert_eq!(
        without["topGames"][0]["white"]["name"],
        "Blackburne, Joseph"
    );
    assert_eq!(without["recentGames"][0]["winner"], "black");
    assert_eq!(without["recentGames"][1]["month"], "1875-01");
    let masters = json(folder.path(), &["explore", "games.pgn", "--json"]);
    assert!(masters.get("recentGames").is_none());
    assert_eq!(masters["games"], 4);
    let player = [
        "explore",
        "games.pgn",
        "--json",
        "player",
        "--player",
        "chigorin",
        "--side",
        "white",
    ];
    let player = json(folder.path(), &player);
    assert_eq!((&player["games"], &player["draws"]), (&1.into(), &1.into()));
}

/// What is asked of the type of a field.
type Is = fn(&Value) -> bool;

/// Fields that Lichess always has in an object, and with which type.
fn has(value: &Value, fields: &[(&str, Is)]) {
    for (field, is_right) in fields {
        let found = value
            .get(field)
            .unwrap_or_else(|| panic!("no {field} in {value}"));
        assert!(is_right(found), "{field} in {value}");
    }
}

#[test]
fn every_field_of_lichess_is_there_with_its_type() {
    let folder = tempfile::tempdir().expect("a folder");
    // No ratings, no year, castling on both wings.
    let games = "[White \"A\"]\n[Black \"B\"]\n\n1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O *\n\n\
                 [White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n\n1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O 1-0\n";
    std::fs::write(folder.path().join("games.pgn"), games).expect("written");
    let is_text: Is = Value::is_string;
    let is_number: Is = Value::is_u64;
    let is_list: Is = Value::is_array;
    let is_name: fn(&Value) -> bool =
        |value| value.is_null() || value["eco"].is_string() && value["name"].is_string();
    let is_side: fn(&Value) -> bool =
        |value| value.is_null() || value == "white" || value == "black";
    let is_month: Is = |value| value.is_null() || value.is_string();
    let is_player: fn(&Value) -> bool =
        |value| value["name"].is_string() && value["rating"].is_u64();
    for (shape, more, lists) in [
        ("masters", &[][..], &["topGames"][..]),
        ("lichess", &[], &["topGames", "recentGames"]),
        ("player", &["--player", "a"], &["recentGames"]),
    ] {
        for (line, castling) in [
            ("Nf3 Nf6 g3 g6 Bg2 Bg7", "e1h1"),
            ("d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7", "e1a1"),
        ] {
            let args: Vec<&str> = ["explore", "games.pgn", "--json", shape, "--line", line]
                .iter()
                .chain(more)
                .copied()
                .collect();
            let answer = json(folder.path(), &args);
            let counts = [
                ("white", is_number),
                ("draws", is_number),
                ("black", is_number),
            ];
            has(&answer, &counts);
            has(&answer, &[("moves", is_list), ("opening", is_name)]);
            for list in ["topGames", "recentGames"] {
                assert_eq!(answer.get(list).is_some(), lists.contains(&list), "{shape}");
            }
            if shape == "player" && castling == "e1a1" {
                assert_eq!(answer["moves"].as_array().map(Vec::len), Some(0));
                has(&answer, &[("queuePosition", is_number)]);
                continue;
            }
            let entry = &answer["moves"][0];
            has(entry, &counts);
            has(
                entry,
                &[("uci", is_text), ("san", is_text), ("opening", is_name)],
            );
            assert_eq!(entry["uci"], castling);
            for mean in ["averageRating", "averageOpponentRating", "performance"] {
                assert!(entry.get(mean).is_none(), "nobody has a rating");
            }
            for game in lists
                .iter()
                .map(|list| &answer[list][0])
                .chain([&entry["game"]])
            {
                has(
                    game,
                    &[("id", is_text), ("winner", is_side), ("month", is_month)],
                );
                has(
                    game,
                    &[
                        ("white", is_player),
                        ("black", is_player),
                        ("year", is_number),
                    ],
                );
                assert_eq!(game.get("speed").is_some(), shape != "masters");
                assert_eq!(game.get("mode").is_some(), shape != "masters");
            }
        }
    }
}

#[test]
fn filters_choose_games() {
    let folder = folder();
    let games = |more: &[&str]| {
        let args: Vec<&str> = ["explore", "games.pgn", "--json"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        json(folder.path(), &args)["games"].as_u64()
    };
    for _ in 0..2 {
        assert_eq!(games(&[]), Some(4));
        assert_eq!(games(&["--player", "anderssen"]), Some(3));
        assert_eq!(
            games(&["--player", "Anderssen, A", "--side", "white"]),
            Some(2)
        );
        assert_eq!(games(&["--player", "A. Anderssen"]), Some(3));
        assert_eq!(games(&["--player", "anders"]), Some(0));
        assert_eq!(games(&["--elo", "2500-2600"]), Some(1));
        assert_eq!(games(&["--elo", "2500-"]), Some(2));
        assert_eq!(games(&["--since", "1875"]), Some(2));
        assert_eq!(games(&["--since", "1875-01-01"]), Some(2));
        assert_eq!(games(&["--until", "1875.01"]), Some(2));
        assert_eq!(games(&["--games", "2-3"]), Some(2));
        assert_eq!(games(&["--query", "white:Anderssen"]), Some(2));
        assert_eq!(games(&["--query", "result:draw or result:0-1"]), Some(2));
        assert_eq!(
            games(&["--query", "white:Anderssen", "--games", "2-"]),
            Some(1)
        );
        assert_eq!(
            games(&["--query", "white:Anderssen", "--elo", "2500-"]),
            Some(1)
        );
        assert_eq!(games(&["--query", "white:Nobody"]), Some(0));
        assert_eq!(games(&["--line", "d4"]), Some(0));
        assert_eq!(games(&["--line", "d4", "--variations"]), Some(1));
        tabiya(folder.path(), &["index", "games.pgn"]);
    }
    let nobody = tabiya(
        folder.path(),
        &["explore", "games.pgn", "--player", "anders"],
    );
    let said = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(said.contains("similar names: Anderssen"), "{said}");
    for bad in [
        &["--elo", "high"][..],
        &["--since", "spring"],
        &["--query", "colour:green"],
        &["--line", "1.e4 Ke2"],
        &["--fen", "x"],
    ] {
        let args: Vec<&str> = ["explore", "games.pgn"]
            .iter()
            .chain(bad)
            .copied()
            .collect();
        let output = tabiya(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn stale_and_damaged_indexes_are_named_and_not_used() {
    let folder = folder();
    tabiya(folder.path(), &["index", "games.pgn"]);
    let verify = ["index", "--verify", "games.pgn"];
    assert_eq!(tabiya(folder.path(), &verify).status.code(), Some(0));
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, GAMES.to_owned() + "\n[Event \"E\"]\n\n1. e4 c5 *\n").expect("written");
    let output = tabiya(
        folder.path(),
        &["explore", "games.pgn", "--line", "e4 c5", "--json"],
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("older"));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["games"], 4);
    assert_eq!(tabiya(folder.path(), &verify).status.code(), Some(1));
    let output = tabiya(folder.path(), &["index", "games.pgn"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 added"));
    assert_eq!(tabiya(folder.path(), &verify).status.code(), Some(0));
    let index = folder.path().join("games.pgn.tabiya-index");
    let mut bytes = std::fs::read(&index).expect("read");
    bytes.pop();
    std::fs::write(&index, bytes).expect("written");
    let output = tabiya(folder.path(), &["explore", "games.pgn", "--json"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("damaged"));
    assert_eq!(
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["games"],
        5
    );
    assert_eq!(
        tabiya(folder.path(), &["index", "--remove", "games.pgn"])
            .status
            .code(),
        Some(0)
    );
    assert!(!index.exists());
}

#[test]
fn an_index_of_another_format_is_not_used() {
    let folder = folder();
    for args in [
        ["convert", "games.pgn", "games.sql"],
        ["index", "games.sql", "-j1"],
    ] {
        assert_eq!(tabiya(folder.path(), &args).status.code(), Some(0));
    }
    let search = |more: &[&str]| {
        let mut args = vec![
            "search",
            "--count",
            "--from",
            "pgn",
            "games.sql",
            "number>0",
        ];
        args.extend(more);
        let output = tabiya(folder.path(), &args);
        (output.status.code(), output.stdout)
    };
    assert_eq!(search(&[]), search(&["--no-index"]));
}

#[test]
fn damage_that_shows_while_an_index_is_asked_is_told() {
    let folder = folder();
    let path = folder.path().join("games.pgn.tabiya-index");
    tabiya(folder.path(), &["index", "games.pgn"]);
    let search = || {
        let args = ["search", "--count", "games.pgn", "white:Anderssen"];
        let output = tabiya(folder.path(), &args);
        let notes = String::from_utf8_lossy(&output.stderr).into_owned();
        (text(&output), notes)
    };
    assert_eq!(search(), ("2\n".to_owned(), String::new()));
    let mut bytes = std::fs::read(&path).expect("read");
    let name = b"Anderssen";
    let at = bytes.windows(name.len()).position(|part| part == name);
    bytes[at.expect("the names of the rows")] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let (count, notes) = search();
    assert_eq!(count, "2\n");
    assert!(notes.contains("the games were read instead"), "{notes}");
}

#[test]
fn searches_ask_the_index_too_where_it_is_sound() {
    let folder = folder();
    let search = |more: &[&str]| {
        let mut args = vec![
            "search",
            "games.pgn",
            "position:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"",
            "--csv",
        ];
        args.extend(more);
        let output = tabiya(folder.path(), &args);
        (
            output.stdout,
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (hits, code, number) = search(&[]);
    assert_eq!(code, Some(0));
    assert!(number.ends_with(" games\n"), "{number}");
    tabiya(folder.path(), &["index", "games.pgn"]);
    assert_eq!(search(&[]), (hits.clone(), code, number.clone()));
    assert_eq!(
        search(&["--no-index"]),
        (hits.clone(), code, number.clone())
    );
    let index = folder.path().join("games.pgn.tabiya-index");
    let mut bytes = std::fs::read(&index).expect("read");
    bytes.pop();
    std::fs::write(&index, bytes).expect("written");
    let (damaged, _, note) = search(&[]);
    assert!(note.contains("damaged") && damaged == hits, "{note}");
    tabiya(folder.path(), &["index", "--rebuild", "games.pgn"]);
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, "[Event \"E\"]\n\n1. e4 c5 *\n").expect("written");
    let (stale, _, note) = search(&[]);
    assert!(note.contains("older"), "{note}");
    assert_eq!(String::from_utf8_lossy(&stale).lines().count(), 2);
}

#[test]
fn a_tree_in_every_form() {
    let folder = folder();
    let tree = |form: &str| {
        text(&tabiya(
            folder.path(),
            &[
                "explore",
                "games.pgn",
                "--tree",
                form,
                "--depth",
                "20",
                "--min-games",
                "1",
            ],
        ))
    };
    let lines = tree("text");
    assert!(lines.starts_with("1.e4  4 "), "{lines}");
    // Two ways lead to the Najdorf; what follows it stands once.
    assert_eq!(lines.matches("6.Bg5").count(), 1);
    let value: Value = serde_json::from_str(&tree("json")).expect("JSON");
    assert_eq!(value["moves"][0]["moves"][0]["san"], "c5");
    assert_eq!(tree("json").matches("\"transposes\":true").count(), 1);
    std::fs::write(folder.path().join("tree.pgn"), tree("pgn")).expect("written");
    assert_eq!(
        tabiya(folder.path(), &["check", "tree.pgn"]).status.code(),
        Some(0)
    );
}

#[test]
fn a_polyglot_book_gives_the_same_moves_to_another_reader() {
    let folder = folder();
    let output = tabiya(
        folder.path(),
        &[
            "explore",
            "games.pgn",
            "--tree",
            "polyglot",
            "--depth",
            "20",
            "--min-games",
            "1",
            "-o",
            "book.bin",
        ],
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let script = r#"
import chess, chess.polyglot
board = chess.Board()
with chess.polyglot.open_reader("book.bin") as book:
    while True:
        moves = sorted((e.move.uci(), e.weight) for e in book.find_all(board))
        print(moves)
        if not moves or board.ply() == 10: break
        board.push_uci({0:"e2e4",1:"c7c5",2:"g1f3",3:"d7d6",4:"d2d4",5:"c5d4",6:"f3d4",7:"g8f6",8:"b1c3",9:"a7a6"}[board.ply()])
"#;
    let python = Command::new("python3")
        .args(["-c", script])
        .current_dir(folder.path())
        .output();
    match python {
        Ok(output) if output.status.success() => {
            let lines: Vec<String> = text(&output).lines().map(str::to_owned).collect();
            assert_eq!(lines.first().map(String::as_str), Some("[('e2e4', 4)]"));
            assert_eq!(
                lines.get(1).map(String::as_str),
                Some("[('c7c5', 3), ('e7e5', 1)]")
            );
            assert_eq!(lines.last().map(String::as_str), Some("[('f1e2', 1)]"));
        }
        _ => eprintln!("skipped: python-chess is not there"),
    }
    // Polyglot itself, wherever Debian keeps it.
    if let Some(polyglot) = tabiya_testing::polyglot() {
        let dumped = Command::new(polyglot)
            .args(["dump-book", "-bin", "book.bin", "-color", "white"])
            .args(["-out", "book.txt"])
            .current_dir(folder.path())
            .output();
        dumped.expect("it runs");
        let lines = std::fs::read_to_string(folder.path().join("book.txt")).expect("dumped");
        // The way over 2. Nc3 lost.
        let way = "1. e4{100%} c5 2. Nf3{100%} d6 3. d4{100%} cxd4 4. Nxd4{100%} Nf6 5. Nc3{100%} a6 6. Be2{100%}";
        assert!(lines.contains(way), "{lines}");
    }
}

#[test]
fn eco_is_that_of_the_position() {
    let folder = folder();
    let output = tabiya(folder.path(), &["eco", "games.pgn", "--json"]);
    let codes: Vec<String> = text(&output)
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["eco"]
                .as_str()
                .unwrap_or("")
                .to_owned()
        })
        .collect();
    assert_eq!(codes[0], "B90");
    assert!(codes[1].starts_with("B9"), "{codes:?}");
    assert_eq!(codes[3], "C20");
    assert_eq!(
        tabiya(folder.path(), &["eco", "games.pgn", "--compare"])
            .status
            .code(),
        Some(1)
    );
    let output = tabiya(
        folder.path(),
        &["eco", "games.pgn", "-o", "filled.pgn", "--names"],
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let filled = std::fs::read_to_string(folder.path().join("filled.pgn")).expect("read");
    assert!(filled.contains("[ECO \"C20\"]") && filled.contains("[ECO \"A00\"]"));
    assert!(filled.contains("[Opening \"King's Pawn Game\"]"));
}
