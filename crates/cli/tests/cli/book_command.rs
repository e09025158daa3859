//! `tabiya book` beside polyglot and a plain computation with python-chess, and books in `tabiya explore`.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::program::{json, list, tabiya, text};

/// A folder with master games from somewhere in a corpus, as PGN without annotations.
fn master_games(count: u64) -> Option<tempfile::TempDir> {
    let otb = tabiya_testing::shared("corpora/otb.pgn.zst")?;
    let folder = tempfile::tempdir().expect("a folder");
    let games = tabiya_testing::run_of_games(count, 100_000);
    let otb = otb.to_str().expect("a path");
    let args = ["convert", otb, "-o", "games.pgn", "--games", &games];
    let more = [
        "--query",
        "not has:setup",
        "--strip",
        "comments,nags,variations",
    ];
    let made = tabiya(folder.path(), &[&args[..], &more[..]].concat());
    assert!(matches!(made.status.code(), Some(0 | 3)), "{made:?}");
    Some(folder)
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let output = tabiya(folder, args);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {told}");
    output
}

/// The entries of a Polyglot book: position, move and weight, sorted.
fn entries(path: PathBuf) -> Vec<(u64, u16, u16)> {
    let bytes = fs::read(path).expect("readable");
    assert!(bytes.len().is_multiple_of(16));
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let small = |bytes: &[u8]| u16::try_from(number(bytes)).expect("two bytes");
    let entry = |entry: &[u8]| {
        assert_eq!(number(&entry[12..16]), 0, "no learning data");
        (
            number(&entry[..8]),
            small(&entry[8..10]),
            small(&entry[10..12]),
        )
    };
    let mut entries: Vec<_> = bytes.chunks(16).map(entry).collect();
    entries.sort_unstable();
    entries
}

#[test]
fn polyglot_makes_the_same_books() {
    let Some(program) = tabiya_testing::polyglot() else {
        return;
    };
    let Some(folder) = master_games(tabiya_testing::by_form(1_000, 1_500, 3_000)) else {
        return;
    };
    let folder = folder.path();
    let mut sizes = Vec::new();
    for (ours, theirs) in [
        ("", "-max-ply 60"),
        ("--depth 24 --min-games 1", "-max-ply 24 -min-game 1"),
        ("--depth 30 --min-games 5", "-max-ply 30 -min-game 5"),
        ("--min-score 50", "-max-ply 60 -min-score 50"),
        (
            "--min-score 62.5 --min-games 2",
            "-max-ply 60 -min-score 62.5 -min-game 2",
        ),
        ("--side white", "-max-ply 60 -only-white"),
        ("--side black --depth 17", "-max-ply 17 -only-black"),
        ("--weights uniform", "-max-ply 60 -uniform"),
    ] {
        let args = [
            "book",
            "games.pgn",
            "-o",
            "ours.bin",
            "--force",
            "--jobs",
            "2",
        ];
        let args = args.into_iter().chain(ours.split_whitespace());
        run(folder, &args.collect::<Vec<_>>());
        let status = Command::new(&program)
            .current_dir(folder)
            .args(["make-book", "-pgn", "games.pgn", "-bin", "theirs.bin"])
            .args(theirs.split_whitespace())
            .stdout(Stdio::null())
            .status()
            .expect("run");
        assert!(status.success(), "{theirs}");
        let (found, expected) = (
            entries(folder.join("ours.bin")),
            entries(folder.join("theirs.bin")),
        );
        assert_eq!(found.len(), expected.len(), "{ours}");
        for (ours_entry, theirs_entry) in found.iter().zip(&expected) {
            assert_eq!(ours_entry, theirs_entry, "{ours}");
        }
        sizes.push(found.len());
    }
    assert!(sizes.iter().all(|size| *size > 300), "{sizes:?}");
    eprintln!("entries of the books: {sizes:?}");
}

#[test]
fn books_hold_what_a_plain_computation_finds() {
    let Some(folder) = master_games(tabiya_testing::by_form(200, 300, 600)) else {
        return;
    };
    let folder = folder.path();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/books.py");
    for (depth, least, rule, side) in [
        ("20", "1", "points", None),
        ("40", "3", "points", None),
        ("30", "2", "games", None),
        ("12", "2", "score", None),
        ("16", "2", "points", Some("white")),
        ("16", "3", "uniform", Some("black")),
    ] {
        let Some(mut python) = tabiya_testing::python_with("chess.polyglot") else {
            return;
        };
        let mut books = Vec::new();
        for book in ["book.bin", "book.abk"] {
            let args = [
                "book",
                "games.pgn",
                "-o",
                book,
                "--force",
                "--json",
                "--depth",
                depth,
            ];
            let more = ["--min-games", least, "--weights", rule];
            let side = side.map(|side| ["--side", side]).into_iter().flatten();
            let args: Vec<&str> = args.into_iter().chain(more).chain(side).collect();
            books.push(text(&run(folder, &args)));
        }
        let output = python
            .current_dir(folder)
            .args([
                script,
                "games.pgn",
                "book.bin",
                "book.abk",
                depth,
                least,
                rule,
            ])
            .args(side)
            .output()
            .expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{depth} {least} {rule} {side:?}: {told}"
        );
        let counted = text(&output);
        let counted: Vec<u64> = counted
            .split_whitespace()
            .map(|it| it.parse().expect("a number"))
            .collect();
        for (report, moves) in books.iter().zip(counted) {
            let report: Value = serde_json::from_str(report).expect("JSON");
            assert_eq!(report["moves"].as_u64(), Some(moves), "{report}");
            assert!(moves > 50, "{report}");
        }
    }
}

const GAMES: &str = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[White \"B\"]\n[Result \"1/2-1/2\"]\n\n1. e4 c5 1/2-1/2\n\n\
    [White \"C\"]\n[Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 1-0\n\n\
    [White \"D\"]\n[Result \"0-1\"]\n\n1. Nf3 Nf6 2. g3 0-1\n\n[White \"E\"]\n[Result \"*\"]\n\n1. g3 Nf6 2. Nf3 *\n";

/// A folder with these games, and the sample of a book of ChessBase.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/ctg/ok/small.ctg");
    fs::copy(sample, folder.path().join("small.ctg")).expect("copied");
    folder
}

#[test]
fn a_report_says_what_is_in_the_book() {
    let folder = folder();
    let args = [
        "book",
        "games.pgn",
        "-o",
        "a.bin",
        "--min-games",
        "1",
        "--json",
    ];
    let told = json(folder.path(), &args);
    for (field, value) in [
        ("games", 4),
        ("skipped", 1),
        ("positions", 6),
        ("moves", 7),
        ("left_out", 3),
    ] {
        assert_eq!(told[field].as_u64(), Some(value), "{field}: {told}");
    }
    assert_eq!(
        (&told["format"], &told["whole"]),
        (&"polyglot".into(), &true.into())
    );
    // Only games of a query, and a book that would be empty.
    let args = [
        "book",
        "games.pgn",
        "-o",
        "b.abk",
        "--min-games",
        "1",
        "--query",
        "white:A",
    ];
    run(folder.path(), &args);
    let output = tabiya(folder.path(), &["book", "games.pgn", "-o", "c.bin"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--min-games"));
}

#[test]
fn what_cannot_be_a_book_is_refused() {
    let folder = folder();
    for (args, said) in [
        (
            &["book", "small.ctg", "-o", "a.bin"][..],
            "convert it instead",
        ),
        (&["book", "games.pgn", "-o", "a.pgn"], ".abk"),
        (&["book", "games.pgn", "-o", "small.ctg", "--force"], ".abk"),
        (
            &[
                "book",
                "games.pgn",
                "-o",
                "games.pgn",
                "--to",
                "polyglot",
                "--force",
            ],
            "games.pgn",
        ),
        (
            &["book", "games.pgn", "-o", "a.bin", "--min-score", "101"],
            "0 to 100",
        ),
    ] {
        let output = tabiya(folder.path(), args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(said), "{args:?}: {told}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("games.pgn")).expect("there"),
        GAMES
    );
    assert!(!folder.path().join("a.bin").exists());
}

#[test]
fn a_pipe_is_read_once() {
    let folder = folder();
    for (target, code) in [("a.bin", 0), ("a.abk", 2)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(["book", "-", "-o", target, "--min-games", "1"])
            .current_dir(folder.path())
            .stdin(fs::File::open(folder.path().join("games.pgn")).expect("opened"))
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        assert_eq!(
            child.wait().expect("it ends").code(),
            Some(code),
            "{target}"
        );
    }
    let args = ["book", "games.pgn", "-o", "b.bin", "--min-games", "1"];
    run(folder.path(), &args);
    let bytes = ["a.bin", "b.bin"].map(|name| fs::read(folder.path().join(name)).expect("there"));
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn explore_asks_books_beside_bases() {
    let folder = folder();
    let told = json(
        folder.path(),
        &[
            "explore",
            "games.pgn",
            "small.ctg",
            "--json",
            "--line",
            "1.e4",
        ],
    );
    assert_eq!(told["games"], 2, "the lines of a book are no games");
    let books = list(&told["books"]);
    assert_eq!(
        (books.len(), &books[0]["name"], &books[0]["format"]),
        (1, &"small.ctg".into(), &"ctg".into())
    );
    let moves = list(&books[0]["moves"]);
    let e5 = &moves[0];
    for (field, value) in [
        ("san", "e5".into()),
        ("weight", 12.into()),
        ("games", 12.into()),
        // White is to move in the position, and won 5, lost 4 and drew 3 of its games.
        ("white", 5.into()),
        ("draws", 3.into()),
        ("black", 4.into()),
        ("averageRating", 2500.into()),
    ] {
        assert_eq!(e5[field], Value::clone(&value), "{field}: {e5}");
    }
    assert_eq!(
        (&moves[1]["san"], &moves[1]["nag"]),
        (&"c5".into(), &5.into())
    );
    // The first position, with a recommendation, and as text.
    let output = run(folder.path(), &["explore", "small.ctg"]);
    let shown = text(&output);
    let row = |word: &str| {
        shown
            .lines()
            .find(|line| line.starts_with(word))
            .unwrap_or_default()
    };
    assert!(row("e4!").contains("[play]"), "{shown}");
    assert!(row("g4?").contains("[avoid]"), "{shown}");
    assert!(
        shown.contains("Book small.ctg") && !shown.contains("0 games"),
        "{shown}"
    );
    // A position that nothing knows.
    let args = ["explore", "games.pgn", "small.ctg", "--line", "1.a3"];
    let output = tabiya(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("no moves for this position"));
    // Books of all formats that were made from the same games say the same.
    for book in ["b.bin", "b.abk"] {
        let args = [
            "book",
            "games.pgn",
            "-o",
            book,
            "--min-games",
            "1",
            "--weights",
            "games",
        ];
        run(folder.path(), &args);
    }
    let told = json(folder.path(), &["explore", "b.bin", "b.abk", "--json"]);
    let books = list(&told["books"]);
    let weights = |book: &Value| -> Vec<(Value, Value)> {
        let moves = list(&book["moves"]).iter();
        moves
            .map(|one| (one["san"].clone(), one["weight"].clone()))
            .collect()
    };
    assert_eq!(
        weights(&books[0]),
        [("e4".into(), 2.into()), ("g3".into(), 1.into())]
    );
    assert_eq!(weights(&books[0]), weights(&books[1]));
}

#[test]
fn conversions_tell_what_the_target_cannot_hold() {
    let folder = folder();
    let lost = |args: &[&str]| -> Vec<String> {
        let output = tabiya(folder.path(), args);
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let kinds = ["book-game", "book-numbers", "book-advice", "book-symbol"];
        let kinds = kinds
            .into_iter()
            .filter(|kind| told.contains(&format!("[{kind}]")));
        kinds.map(str::to_owned).collect()
    };
    let all = ["book-game", "book-numbers", "book-advice", "book-symbol"];
    assert_eq!(lost(&["convert", "small.ctg", "a.bin"]), all);
    // Ratings, recommendations and symbols; games and results are kept.
    assert_eq!(lost(&["convert", "small.ctg", "a.abk"]), all);
    assert_eq!(
        lost(&["convert", "a.abk", "b.bin"]),
        ["book-game", "book-numbers", "book-advice"]
    );
    assert_eq!(lost(&["convert", "a.bin", "b.abk"]), ["book-game"]);
    // The same moves and weights, whatever the way.
    assert_eq!(
        entries(folder.path().join("a.bin")),
        entries(folder.path().join("b.bin"))
    );
    run(folder.path(), &["convert", "small.ctg", "a.pgn"]);
    let pgn = fs::read_to_string(folder.path().join("a.pgn")).expect("there");
    assert!(
        pgn.contains("[%weight 20]") && pgn.contains("[%book play]"),
        "{pgn}"
    );
    assert_eq!(lost(&["convert", "a.pgn", "c.bin"]), all);
    assert_eq!(
        entries(folder.path().join("a.bin")),
        entries(folder.path().join("c.bin"))
    );
}
