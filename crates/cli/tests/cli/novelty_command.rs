//! `tabiya novelty` beside a plain computation with python-chess.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::program::tabiya;

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

/// What `deepest` told: how far each game went, and its number.
fn followed(output: &Output) -> Vec<(u64, u64)> {
    let number = |value: &Value| value.as_u64().expect("a number");
    let told = lines(&output.stdout);
    let told = told.iter();
    told.map(|line| (number(&line["known"]), number(&line["game"]["number"])))
        .collect()
}

/// The same of games that were found, those that went on longest first, without those that were played before as a whole.
fn longest(found: &Found) -> Vec<(u64, u64)> {
    let left = found.iter();
    let mut left: Vec<(u64, u64)> = left
        .filter_map(|(number, (ply, ..))| Some(((*ply)? - 1, *number)))
        .collect();
    left.sort_by_key(|(known, number)| (std::cmp::Reverse(*known), *number));
    left
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

/// What python-chess says of a file, or of one with moves in the long form; nothing where it is not there.
fn plain(folder: &Path, file: &str, is_long: bool) -> Option<Found> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/novelty.py");
    let plain = tabiya_testing::python_with("chess.pgn")?
        .arg(script)
        .arg(folder.join(file))
        .args(is_long.then_some("long"))
        .output()
        .expect("it runs");
    assert!(
        plain.status.success(),
        "{}",
        String::from_utf8_lossy(&plain.stderr)
    );
    Some(theirs(&plain.stdout))
}

fn compare(folder: &Path, file: &str) -> usize {
    let Some(expected) = plain(folder, file, false) else {
        return 0;
    };
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
    let first = tabiya_testing::seed() % 100_000 * 7919 % 100_000 + 1;
    let only = format!("{first}-{}", first + 299);
    let otb = otb.display().to_string();
    let args = ["convert", &otb, "games.pgn", "--only", &only];
    let copied = tabiya(folder.path(), &args);
    assert!(matches!(copied.status.code(), Some(0 | 3)), "{copied:?}");
    eprintln!("games {only}");
    compare(folder.path(), "games.pgn");
}

#[test]
fn novelties_of_a_whole_corpus_are_those_of_a_plain_computation() {
    if !tabiya_testing::is_full() {
        eprintln!("skipped: the novelties of a whole corpus take long");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let (Some(otb), Some(extract)) = (
        tabiya_testing::shared("corpora/otb.pgn.zst"),
        tabiya_testing::pgn_extract(),
    ) else {
        return;
    };
    let otb = otb.display().to_string();
    // pgn-extract leaves out whole games of which it does not know the rules; all others have its numbers.
    let known = "--query=not tag[Variant]:crazyhouse";
    tabiya(at, &["convert", &otb, "games.pgn", known]);
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    let mut long = Command::new(extract);
    long.args(["-s", "--keepbroken", "-Wuci", "-olong.pgn", "games.pgn"]);
    assert!(long.current_dir(at).status().expect("it runs").success());
    let Some(expected) = plain(at, "long.pgn", true) else {
        return;
    };
    let found = tabiya(at, &["novelty", "--json", "games.si5"]);
    same(&ours(&found), &expected, "the corpus");
    eprintln!("{} games", expected.len());
    let deepest = longest(&expected);
    let told = tabiya(at, &["deepest", "--top", "500", "--json", "games.si5"]);
    assert_eq!(followed(&told), deepest[..500]);
}

/// Games in which each side moves its pawns one step, in an order drawn from a seed: they meet again and again.
fn pawn_games(mut seed: u64, count: usize) -> String {
    let mut draw = move |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("small") % below
    };
    let mut text = String::new();
    for _ in 0..count {
        let date = format!(
            "{}.{:02}.{:02}",
            1900 + draw(100),
            1 + draw(12),
            1 + draw(28)
        );
        let mut files = [0, 1].map(|_| ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
        for side in &mut files {
            for at in (1..8).rev() {
                side.swap(at, draw(at + 1));
            }
        }
        let mut moves = String::new();
        for number in 1..=3 + draw(6) {
            let [white, black] = files.map(|side| side[number - 1]);
            moves.push_str(&format!("{number}. {white}3 {black}6 "));
        }
        text.push_str(&format!(
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"{date}\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n{moves}*\n\n"
        ));
    }
    text
}

#[test]
fn of_very_many_games_is_told_what_is_told_of_few() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let seed = tabiya_testing::seed();
    fs::write(at.join("games.pgn"), pawn_games(seed, 40_000)).expect("written");
    assert!(
        tabiya(at, &["convert", "games.pgn", "games.si5"])
            .status
            .success()
    );
    let told = |args: &[&str]| {
        ours(&tabiya(
            at,
            &[&["novelty", "--json", "games.si5"], args].concat(),
        ))
    };
    let all = told(&[]);
    let mut parts = told(&["--query", "date:..1949"]);
    parts.extend(told(&["--query", "date:1950.."]));
    assert_eq!(parts.len(), 40_000);
    same(&all, &parts, &format!("seed {seed}"));
    assert!(all.values().filter(|(ply, ..)| *ply > Some(6)).count() > 1_000);
    // The base beside a copy of it, where games do not stand in the reference themselves, but their doubles do.
    assert!(
        tabiya(at, &["convert", "games.pgn", "copy.si5"])
            .status
            .success()
    );
    same(
        &told(&["--reference", "copy.si5"]),
        &parts,
        &format!("a copy, seed {seed}"),
    );
    // Those that followed others longest are the first of all of them.
    let longest = longest(&all);
    let told = tabiya(at, &["deepest", "--top", "300", "--json", "games.si5"]);
    assert_eq!(followed(&told), longest[..300]);
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
