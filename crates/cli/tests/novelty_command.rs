//! `tabiya novelty` beside a plain computation with python-chess.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn tabiya(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("it runs")
}

fn lines(output: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A game by its number: the new half-move, its name, and what was played before.
type Found = BTreeMap<u64, (Option<u64>, Option<String>, BTreeMap<String, u64>)>;

fn ours(output: &Output) -> Found {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    lines(&output.stdout)
        .iter()
        .map(|line| {
            let before = line["before"].as_array().expect("a list");
            let before = before
                .iter()
                .map(|one| {
                    (
                        text(&one["san"]).unwrap_or_default(),
                        one["games"].as_u64().expect("a number"),
                    )
                })
                .collect();
            let number = line["game"]["number"].as_u64().expect("a number");
            (number, (line["ply"].as_u64(), text(&line["san"]), before))
        })
        .collect()
}

fn theirs(output: &[u8]) -> Found {
    lines(output)
        .iter()
        .map(|line| {
            let before = line["before"].as_object().expect("an object");
            let before = before
                .iter()
                .map(|(san, games)| (san.clone(), games.as_u64().expect("a number")))
                .collect();
            let number = line["number"].as_u64().expect("a number");
            let san = line["san"].as_str().map(str::to_owned);
            (number, (line["ply"].as_u64(), san, before))
        })
        .collect()
}

fn same(ours: &Found, plain: &Found, what: &str) {
    assert_eq!(ours.len(), plain.len(), "{what}");
    for (number, found) in plain {
        assert_eq!(ours.get(number), Some(found), "{what}: game {number}");
    }
}

fn compare(folder: &Path, file: &str) -> usize {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/novelty.py");
    let Some(mut python) = tabiya_testing::python_with("chess.pgn") else {
        eprintln!("skipped: python-chess is not there");
        return 0;
    };
    let plain = python
        .arg(script)
        .arg(folder.join(file))
        .output()
        .expect("it runs");
    assert!(
        plain.status.success(),
        "{}",
        String::from_utf8_lossy(&plain.stderr)
    );
    let expected = theirs(&plain.stdout);
    let found = tabiya(folder, &["novelty", "--json", file]);
    same(&ours(&found), &expected, file);
    let base = format!("{file}.si5");
    assert!(tabiya(folder, &["convert", file, &base]).status.success());
    same(
        &ours(&tabiya(folder, &["novelty", "--json", &base])),
        &expected,
        &base,
    );
    expected
        .values()
        .filter(|(ply, _, _)| ply.is_some())
        .count()
}

#[test]
fn novelties_of_master_games_are_those_of_a_plain_computation() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(otb) = tabiya_testing::shared("corpora/otb.pgn.zst") else {
        return;
    };
    // A run of games with whole tournaments in it; where it begins is told when the test fails.
    let first = u64::from(std::process::id()) * 7919 % 100_000 + 1;
    let only = format!("{first}-{}", first + 299);
    let otb = otb.display().to_string();
    let args = ["convert", &otb, "games.pgn", "--only", &only];
    let copied = tabiya(folder.path(), &args);
    assert!(matches!(copied.status.code(), Some(0 | 3)), "{copied:?}");
    eprintln!("games {only}");
    compare(folder.path(), "games.pgn");
}

const LINES: [(&str, &str); 7] = [
    ("1990.01.01", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"),
    ("1990.??.??", "1. e4 e5 2. Nf3 Nc6 3. Bc4"),
    ("1990.06.01", "1. e4 e5 2. Nf3 d6"),
    // By another order of moves to a known position.
    ("1991.01.01", "1. Nf3 Nc6 2. e4 e5 3. Bc4 Bc5"),
    ("1991.??.??", "1. e4 e5 2. Nf3"),
    ("????.??.??", "1. d4"),
    ("1992.02.??", "1. d4 d5"),
];

#[test]
fn dates_and_orders_of_moves_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::new();
    for (date, moves) in LINES {
        text.push_str(&format!(
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"{date}\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n{moves} *\n\n"
        ));
    }
    fs::write(folder.path().join("lines.pgn"), text).expect("written");
    compare(folder.path(), "lines.pgn");
    let found = ours(&tabiya(folder.path(), &["novelty", "--json", "lines.pgn"]));
    assert_eq!(found.len(), 6);
    let ply = |number: u64| found.get(&number).map(|found| found.0);
    assert_eq!(ply(1), Some(Some(1)));
    assert_eq!(ply(3), Some(Some(4)));
    // Bc4 was played in 1990, by another order.
    assert_eq!(ply(4), Some(Some(6)));
    assert_eq!(ply(5), Some(None));
    assert_eq!(ply(7), Some(Some(1)));
    let deepest = tabiya(
        folder.path(),
        &["deepest", "--top", "1", "--json", "lines.pgn"],
    );
    assert_eq!(lines(&deepest.stdout)[0]["known"], 5);
    let none = tabiya(
        folder.path(),
        &["novelty", "--query", "white:Nobody", "lines.pgn"],
    );
    assert_eq!(none.status.code(), Some(1));
    let strong = ours(&tabiya(
        folder.path(),
        &["novelty", "--json", "--since", "1991", "lines.pgn"],
    ));
    assert_eq!(strong.get(&3).map(|found| found.0), Some(Some(1)));
}
