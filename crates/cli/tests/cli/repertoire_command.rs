//! `tabiya repertoire` and the queries about repertoires, by hand and beside a plain computation with python-chess.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tabiya_model::Board;

use crate::program::{tabiya, text};

fn lines(output: &std::process::Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{output:?}")))
        .collect()
}

const WHITE: &str = r#"[Event "Lines"]
[Repertoire "white"]
[Result "*"]

1. d4 d5 (1... Nf6 2. c4 e6 3. Nc3 (3. Nf3?! d5) 3... Bb4) (1... f5 {[%rep skip]} 2. g3) 2. c4 e6 (2... c6 3. Nf3 (3. Nc3))
(2... dxc4 3. -- b5 4. e4) 3. Nc3 Nf6 4. Bg5 $1 (4. Bf4) *

"#;

const GAMES: &str = r#"[White "Inside"]
[Black "A"]
[Result "1-0"]

1. c4 e6 2. Nc3 d5 3. d4 1-0

[White "Comes back"]
[Black "B"]
[Result "0-1"]

1. d4 d5 2. c4 e6 3. Nf3 Nf6 4. Ng1 Ng8 5. Nc3 Nf6 0-1

[White "Marked bad"]
[Black "C"]
[Result "0-1"]

1. d4 Nf6 2. c4 e6 3. Nf3 b6 0-1

[White "Opponent left"]
[Black "D"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 e5 3. dxe5 d4 1/2-1/2

[White "Line ended"]
[Black "E"]
[Result "1-0"]

1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 1-0

[White "Elsewhere"]
[Black "F"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[Result "*"]

1. e4 *

[White "Not mine"]
[Black "G"]
[Result "1-0"]

1. e4 e5 1-0

[White "Null"]
[Black "H"]
[Result "1-0"]

1. d4 d5 2. c4 dxc4 3. e3 1-0

"#;

/// A folder with the repertoire and the games.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("white.pgn"), WHITE).expect("written");
    fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
    folder
}

#[test]
fn a_game_leaves_after_the_last_position_that_the_repertoire_has() {
    let folder = folder();
    let found = tabiya(
        folder.path(),
        &[
            "repertoire",
            "check",
            "games.pgn",
            "--with",
            "white.pgn",
            "--json",
        ],
    );
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let told: Vec<Value> = lines(&found)
        .iter()
        .map(|line| {
            json!([
                line["game"]["white"],
                line["end"],
                line["ply"],
                line["expected"],
                line["played"],
                line["marked_bad"]
            ])
        })
        .collect();
    let expected = [
        // By transposition: 1.d4 d5 2.c4 e6 3.Nc3.
        json!(["Inside", "inside", 5, ["Nf6"], null, false]),
        // It comes back to the repertoire, and ends there.
        json!(["Comes back", "inside", 10, ["Bg5", "Bf4"], null, false]),
        json!(["Marked bad", "me", 4, ["Nc3"], "Nf3", true]),
        json!([
            "Opponent left",
            "opponent",
            3,
            ["e6", "c6", "dxc4"],
            "e5",
            false
        ]),
        json!(["Line ended", "line-end", 6, [], "e3", false]),
        json!(["Elsewhere", "elsewhere", null, [], null, false]),
        json!(["Not mine", "me", 0, ["d4"], "e4", false]),
        // What follows a null move is no part of it.
        json!(["Null", "line-end", 4, [], "e3", false]),
    ];
    for (told, expected) in told.iter().zip(&expected) {
        assert_eq!(told, expected);
    }
    assert_eq!(told.len(), expected.len());
}

#[test]
fn queries_find_who_left_and_where() {
    let folder = folder();
    let at = folder.path();
    let converted = tabiya(at, &["convert", "games.pgn", "games.si5"]);
    assert_eq!(converted.status.code(), Some(0), "{converted:?}");
    for base in ["games.pgn", "games.si5"] {
        for (query, expected) in [
            ("repertoire:white.pgn", &[1, 2][..]),
            ("not repertoire:white.pgn", &[3, 4, 5, 6, 7, 8]),
            ("repertoire[until 4]:white.pgn", &[1, 2, 3, 5, 8]),
            ("leaves:white.pgn", &[3, 4, 7]),
            ("leaves[by me]:white.pgn", &[3, 7]),
            ("leaves[by opponent]:\"white.pgn\"", &[4]),
            ("leaves[by nobody]:white.pgn", &[5, 8]),
            ("leaves[by me, after 4]:white.pgn", &[3]),
            ("leaves[by me] : white.pgn result:1-0", &[7]),
            ("leaves[by me, as black]:untagged.pgn", &[]),
            ("leaves[by me]:white.pgn or white:Inside", &[1, 3, 7]),
        ] {
            let query = query.replace("untagged.pgn", "games.pgn");
            let found = tabiya(at, &["search", base, &query, "--json"]);
            let numbers: Vec<u64> = lines(&found)
                .iter()
                .map(|line| line["number"].as_u64().expect("a number"))
                .collect();
            if query.contains("as black") {
                // Games as a repertoire for Black: what is played in them by both.
                assert!(
                    found.status.code().is_some_and(|code| code < 2),
                    "{found:?}"
                );
                continue;
            }
            assert_eq!(numbers, expected, "{base}: {query}: {found:?}");
        }
        // The place of a hit is where the game leaves.
        let found = tabiya(
            at,
            &["search", base, "leaves[by me, after 4]:white.pgn", "--json"],
        );
        assert_eq!(lines(&found)[0]["ply"], 4, "{base}");
    }
    let wrong = |query: &str, part: &str| {
        let found = tabiya(at, &["search", "games.pgn", query]);
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(2), "{query}: {said}");
        assert!(said.contains(part), "{query}: {said}");
    };
    wrong("leaves[by them]:white.pgn", "by opponent");
    wrong("leaves[until 3]:white.pgn", "its options are");
    wrong("repertoire[until x]:white.pgn", "number of plies");
    wrong("leaves:nothing.pgn", "nothing.pgn");
    fs::write(
        at.join("both.pgn"),
        format!("{WHITE}{}", WHITE.replace("white", "black")),
    )
    .expect("written");
    wrong("leaves:both.pgn", "as black");
    fs::write(at.join("one line.pgn"), "1. e4 e5 *\n").expect("written");
    wrong("leaves:\"one line.pgn\"", "as white");
    fs::write(at.join("empty.pgn"), "").expect("written");
    wrong("leaves:empty.pgn", "empty.pgn");
}

#[test]
fn a_repertoire_says_for_which_side_it_is() {
    let folder = folder();
    let at = folder.path();
    let untagged = WHITE
        .replace("[Repertoire \"white\"]\n", "")
        .replace(" (4. Bf4)", "");
    fs::write(at.join("untagged.pgn"), &untagged).expect("written");
    let found = tabiya(
        at,
        &[
            "repertoire",
            "check",
            "games.pgn",
            "--with",
            "untagged.pgn",
            "--json",
        ],
    );
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    assert_eq!(lines(&found)[0]["color"], "white");
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(
        said.contains("recognised as a repertoire for White"),
        "{said}"
    );
    let asked = |file: &str, args: &[&str], part: &str| {
        let words = [&["repertoire", "check", "games.pgn", "--with", file], args].concat();
        let found = tabiya(at, &words);
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(2), "{file}: {said}");
        assert!(said.contains(part), "{file}: {said}");
    };
    asked("white.pgn", &["--side", "black"], "other side");
    fs::write(at.join("one.pgn"), "1. e4 e5 *\n").expect("written");
    asked("one.pgn", &[], "--side");
    fs::write(at.join("bad.pgn"), "[Repertoire \"both\"]\n\n1. e4 e5 *\n").expect("written");
    asked("bad.pgn", &[], "must be `white` or `black`");
    asked("missing.pgn", &[], "missing.pgn");
    // Games for both sides are two repertoires.
    let both = format!("{WHITE}{}", WHITE.replace("white", "black"));
    fs::write(at.join("both.pgn"), both).expect("written");
    let found = tabiya(
        at,
        &[
            "repertoire",
            "check",
            "games.pgn",
            "--with",
            "both.pgn",
            "--json",
        ],
    );
    assert_eq!(lines(&found).len(), 16);
    let args = [
        "repertoire",
        "check",
        "games.pgn",
        "--with",
        "both.pgn",
        "--player",
        "D",
        "--json",
    ];
    let of_player: Vec<Value> = lines(&tabiya(at, &args))
        .iter()
        .map(|line| json!([line["game"]["number"], line["color"]]))
        .collect();
    assert_eq!(of_player, [json!([4, "black"])]);
}

#[test]
fn what_pgn_is_printed_is_read_again() {
    let folder = folder();
    let at = folder.path();
    let marked = tabiya(
        at,
        &[
            "repertoire",
            "check",
            "games.pgn",
            "--with",
            "white.pgn",
            "--pgn",
        ],
    );
    let marked = text(&marked);
    let marked: Vec<&str> = marked.split_whitespace().collect();
    let marked = marked.join(" ");
    for part in [
        "2. c4 e6 {Repertoire: I leave it here: it has Nc3} 3. Nf3 b6",
        "{Repertoire: I leave it here: it has d4} 1. e4 e5",
        "2. c4 {Repertoire: the opponent leaves it here: it has e6, c6, dxc4} 2... e5",
        "d4 {Repertoire: the game stays inside} 1-0",
        "Bb4 {Repertoire: the line ends here} 4. e3",
    ] {
        assert!(marked.contains(part), "{part}: {marked}");
    }
    let shown = tabiya(at, &["repertoire", "show", "white.pgn", "--pgn"]);
    // What follows a move that is marked bad is there too.
    assert!(text(&shown).contains("3. Nf3 $6 d5"), "{}", text(&shown));
    fs::write(at.join("again.pgn"), &shown.stdout).expect("written");
    let rows = |file: &str| {
        let found = tabiya(at, &["repertoire", "show", file, "--json"]);
        let rows = lines(&found).into_iter();
        rows.map(|row| (row["fen"].to_string(), row["moves"].clone()))
            .map(|(fen, moves)| {
                let sans = moves.as_array().expect("moves").iter();
                let sans: BTreeSet<String> = sans
                    .map(|m| format!("{} {}", m["san"], m["marks"]))
                    .collect();
                (fen, sans)
            })
            .collect::<BTreeMap<_, _>>()
    };
    let (once, again) = (rows("white.pgn"), rows("again.pgn"));
    assert!(once.len() > 10);
    assert_eq!(once, again);
}

/// The pieces and the side to move.
fn place(fen: &str) -> String {
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// Whether moves in words lead to a position.
fn leads(line: &str, fen: &str) -> bool {
    let mut board = Board::standard();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let san = word.rsplit('.').next().unwrap_or_default();
        let Some((Ok(m), _)) = board.read_san(san.as_bytes()) else {
            return false;
        };
        board.play(m);
    }
    place(&board.to_fen()) == place(fen)
}

fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs()).max(1e-3)
}

/// What python-chess says; nothing where it is not there.
fn plain(folder: &Path, repertoire: &str, games: &str, side: Option<&str>) -> Option<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/repertoire.py");
    let plain = tabiya_testing::python_with("chess.pgn")?
        .arg(script)
        .arg(folder.join(repertoire))
        .arg(folder.join(games))
        .args(side)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&plain.stderr);
    assert!(plain.status.success(), "{repertoire}: {said}");
    Some(serde_json::from_slice(&plain.stdout).expect("JSON"))
}

fn key(value: &Value) -> String {
    let turn = if value[1] == json!(true) { "w" } else { "b" };
    format!("{} {turn}", value[0].as_str().expect("a position"))
}

/// Compares all reports about a repertoire with the plain computation; says how many gaps there are.
fn compare(at: &Path, file: &str, side: Option<&str>, expected: &Value) -> usize {
    let sides: Vec<&str> = side.map_or_else(Vec::new, |side| vec!["--side", side]);
    let run = |words: &[&str]| lines(&tabiya(at, &[&["repertoire"], words, &sides].concat()));
    let games = run(&["check", "games.pgn", "--with", file, "--json"]);
    let plain = expected["games"].as_array().expect("games");
    assert_eq!(games.len(), plain.len(), "{file}");
    for (ours, plain) in games.iter().zip(plain) {
        let mut has: Vec<&str> = ours["expected"]
            .as_array()
            .expect("moves")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        has.sort_unstable();
        let ours = json!({
            "number": ours["game"]["number"], "end": ours["end"], "ply": ours["ply"],
            "expected": has, "played": ours["played"],
        });
        assert_eq!(&ours, plain, "{file}");
    }
    let all = ["--limit", "1000000", "--json"];
    let gaps = run(&[&["gaps", file, "--reference", "games.si5"], &all[..]].concat());
    let plain: BTreeMap<String, &Value> = expected["gaps"]
        .as_array()
        .expect("gaps")
        .iter()
        .map(|gap| {
            (
                format!("{} {}", key(gap), gap[2].as_str().expect("a move")),
                gap,
            )
        })
        .collect();
    assert_eq!(gaps.len(), plain.len(), "{file}");
    let mut before = f64::INFINITY;
    for gap in &gaps {
        let (fen, line) = (
            gap["fen"].as_str().expect("FEN"),
            gap["line"].as_str().expect("moves"),
        );
        let name = format!("{} {}", place(fen), gap["san"].as_str().expect("a move"));
        let plain = plain.get(&name).unwrap_or_else(|| panic!("{file}: {name}"));
        assert_eq!(
            (&gap["games"], &gap["of"], &gap["end_of_line"]),
            (&plain[3], &plain[4], &plain[6]),
            "{file}: {name}"
        );
        let number = |value: &Value| value.as_f64().unwrap_or(-1.0);
        let frequency = number(&gap["frequency"]);
        assert!(
            near(frequency, number(&plain[5])),
            "{file}: {name}: {gap} {plain}"
        );
        assert!(
            near(number(&gap["score"]), number(&plain[7])),
            "{file}: {name}"
        );
        assert!(leads(line, fen), "{file}: {line} {fen}");
        assert!(frequency <= before, "{file}: they are in order");
        before = frequency;
    }
    let told = |kind: &str, place: String, moves: Vec<String>, games: &Value| {
        format!("{kind} {place} {} {games}", moves.join(" "))
    };
    let conflicts = run(&["conflicts", file, "--reference", "games.pgn", "--json"]);
    let ours: BTreeSet<String> = conflicts
        .iter()
        .map(|conflict| {
            let kind = conflict["kind"].as_str().expect("a kind");
            let moves = conflict["moves"].as_array().expect("moves");
            let mut sans: Vec<String> = moves
                .iter()
                .map(|m| m["san"].as_str().expect("a move").to_owned())
                .collect();
            match kind {
                "several" => sans.sort_unstable(),
                "stops" => sans.clear(),
                // The better one is beside it.
                _ => sans.truncate(1),
            }
            let games = match kind {
                "stops" => &moves[0]["games"],
                _ => &Value::Null,
            };
            told(
                kind,
                place(conflict["fen"].as_str().expect("FEN")),
                sans,
                games,
            )
        })
        .collect();
    let plain: BTreeSet<String> = expected["conflicts"]
        .as_array()
        .expect("conflicts")
        .iter()
        .map(|conflict| {
            let here = json!([conflict[1], conflict[2]]);
            let sans = conflict[3].as_array().expect("moves").iter();
            let sans = sans.map(|san| san.as_str().expect("a move").to_owned());
            let kind = conflict[0].as_str().expect("a kind");
            told(kind, key(&here), sans.collect(), &conflict[4])
        })
        .collect();
    assert_eq!(ours, plain, "{file}");
    assert_eq!(conflicts.len(), ours.len(), "{file}: none is told twice");
    let coverage: Vec<Value> = run(&["coverage", file, "--reference", "games.si5", "--json"])
        .iter()
        .map(|row| {
            json!([
                row["ply"],
                row["games"],
                row["inside"],
                row["me"],
                row["opponent"],
                row["line_end"]
            ])
        })
        .collect();
    assert_eq!(json!(coverage), expected["coverage"], "{file}");
    // Queries say the same as the report, on both ways to the moves.
    let option = format!("as {}", expected["side"].as_str().expect("a side"));
    for (query, end) in [
        (format!("repertoire[{option}]:{file}"), "inside"),
        (format!("leaves[by me, {option}]:{file}"), "me"),
        (format!("leaves[by opponent, {option}]:{file}"), "opponent"),
        (format!("leaves[by nobody, {option}]:{file}"), "line-end"),
    ] {
        let plain: Vec<&Value> = expected["games"]
            .as_array()
            .expect("games")
            .iter()
            .filter(|game| game["end"] == end)
            .map(|game| &game["number"])
            .collect();
        for base in ["games.pgn", "games.si5"] {
            let found = lines(&tabiya(at, &["search", base, &query, "--json"]));
            let numbers: Vec<&Value> = found.iter().map(|line| &line["number"]).collect();
            assert_eq!(numbers, plain, "{base}: {query}");
        }
    }
    gaps.len()
}

#[test]
fn reports_of_annotated_games_are_those_of_a_plain_computation() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let (Some(otb), Some(annotated)) = (
        tabiya_testing::shared("corpora/otb.pgn.zst"),
        tabiya_testing::shared("corpora/annotated-human.pgn.zst"),
    ) else {
        return;
    };
    let (files, games) = match tabiya_testing::is_full() {
        true => (20, 5_000),
        false => (2, 400),
    };
    let first = tabiya_testing::seed() % 100_000 * 7919 % 100_000 + 1;
    let otb = otb.display().to_string();
    let only = format!("{first}-{}", first + games - 1);
    tabiya(
        at,
        &[
            "convert",
            &otb,
            "games.pgn",
            "--only",
            &only,
            "--query",
            "not has:damage",
        ],
    );
    let converted = tabiya(at, &["convert", "games.pgn", "games.si5"]);
    assert!(
        matches!(converted.status.code(), Some(0 | 3)),
        "{converted:?}"
    );
    let annotated = annotated.display().to_string();
    let mut gaps = 0;
    for number in 0..files {
        let first = (tabiya_testing::seed() / 7 + number * 131) % 2_600 + 1;
        let only = format!("{first}-{}", first + 59);
        let file = format!("file{number}.pgn");
        tabiya(
            at,
            &[
                "convert",
                &annotated,
                &file,
                "--only",
                &only,
                "--query",
                "not has:damage",
            ],
        );
        eprintln!("games {only}");
        let side = ["white", "black"][usize::try_from(number).unwrap_or(0) % 2];
        let Some(expected) = plain(at, &file, "games.pgn", Some(side)) else {
            return;
        };
        gaps += compare(at, &file, Some(side), &expected);
    }
    assert!(gaps > 10, "{gaps}");
}

#[test]
fn reports_of_made_repertoires_are_those_of_a_plain_computation() {
    let folder = folder();
    let at = folder.path();
    let marked = WHITE
        .replace("4. Bg5 $1", "4. Bg5 {[%eval 0.10] prc:60}")
        .replace(
            "(4. Bf4)",
            "(4. Bf4 {[%eval -0.75] prc:20} Be7) (4. cxd5 $2 exd5)",
        )
        .replace("2... c6", "2... c6 {prc:50}");
    // Three knights that go and come back, and a start of their own.
    let circles = "[Repertoire \"white\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. e4 c5 *\n\n\
        [Repertoire \"white\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. Kd2 (1. e4 Kd7) *\n\n\
        [Repertoire \"white\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
        [FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n9. O-O c4 (9... Nd7) *\n\n";
    fs::write(at.join("made.pgn"), format!("{marked}{circles}")).expect("written");
    let more = "[Result \"1-0\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 1-0\n\n\
        [Result \"0-1\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bf4 Be7 5. e3 0-1\n\n\
        [Result \"1-0\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 1-0\n\n";
    let games = format!("{GAMES}{}", more.repeat(6));
    fs::write(at.join("games.pgn"), games).expect("written");
    assert!(
        tabiya(at, &["convert", "games.pgn", "games.si5"])
            .status
            .success()
    );
    let Some(expected) = plain(at, "made.pgn", "games.pgn", None) else {
        return;
    };
    let kinds: BTreeSet<&str> = expected["conflicts"]
        .as_array()
        .expect("conflicts")
        .iter()
        .filter_map(|conflict| conflict[0].as_str())
        .collect();
    assert_eq!(kinds.len(), 5, "{kinds:?}");
    assert!(compare(at, "made.pgn", None, &expected) > 0);
}

#[test]
fn hostile_repertoires_end_in_one_sentence() {
    let folder = folder();
    let at = folder.path();
    let deep = format!(
        "[Repertoire \"white\"]\n\n{}*\n",
        "1. e4 ( 1. d4 ".repeat(3_000)
    );
    let long: String = (1..3_000).map(|n| format!("{n}. Nf3 Nf6 ")).collect();
    for (name, text) in [
        ("deep.pgn", deep),
        ("long.pgn", format!("[Repertoire \"white\"]\n\n{long}*\n")),
        ("cut.pgn", WHITE.get(..200).expect("a part").to_owned()),
        (
            "raw.pgn",
            "[Repertoire \"white\"]\n\n1. e4 Qh9 2. ??? (( {[%rep only".to_owned(),
        ),
        (
            "king.pgn",
            "[Repertoire \"white\"]\n[SetUp \"1\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n"
                .to_owned(),
        ),
    ] {
        fs::write(at.join(name), text).expect("written");
        for words in [
            &["check", "games.pgn", "--with", name][..],
            &["gaps", name, "--reference", "games.pgn"],
            &["conflicts", name, "--reference", "games.pgn"],
            &["coverage", name, "--reference", "games.pgn"],
            &["show", name],
            &["show", name, "--pgn"],
        ] {
            let found = tabiya(at, &[&["repertoire"], words].concat());
            let said = String::from_utf8_lossy(&found.stderr);
            assert!(
                matches!(found.status.code(), Some(0..=3)),
                "{words:?}: {found:?}"
            );
            assert!(!said.contains("panicked"), "{words:?}: {said}");
        }
    }
}

/// Runs a training with what is typed.
fn train(at: &Path, args: &[&str], typed: &str) -> std::process::Output {
    let mut running = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["repertoire", "train"])
        .args(args)
        .current_dir(at)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = running.stdin.take().expect("piped");
    // It may have ended before everything is read.
    let _ = input.write_all(typed.as_bytes());
    drop(input);
    running.wait_with_output().expect("it ends")
}

#[test]
fn a_training_asks_what_is_due_and_logs_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let line = "[Repertoire \"white\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n";
    fs::write(at.join("line.pgn"), line).expect("written");
    let first = [
        "line.pgn",
        "--log",
        "a.log",
        "--device",
        "desk",
        "--at",
        "2026-11-01T12:00:00Z",
    ];
    let trained = train(at, &first, "e4\nNf9\nNf3 easy\nBc4\nBb5\n");
    assert_eq!(trained.status.code(), Some(0), "{trained:?}");
    let said = text(&trained);
    for part in [
        "1.e4 e5 2.Nf3 Nc6",
        "not a legal move here",
        "the repertoire plays Bb5",
        "2  ♙ ♙ ♙ ♙ · ♙ ♙ ♙",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let log = fs::read_to_string(at.join("a.log")).expect("a log");
    let answers: Vec<Vec<&str>> = log
        .lines()
        .skip(1)
        .map(|line| line.split('\t').skip(2).collect())
        .collect();
    assert_eq!(
        answers,
        [
            ["e2e4", "good", "desk"],
            ["g1f3", "easy", "desk"],
            ["f1c4", "again", "desk"],
            ["f1b5", "good", "desk"]
        ]
    );
    assert!(
        log.starts_with("# tabiya reviews 1\n2026-11-01T12:00:00Z\trnbqkbnr/"),
        "{log}"
    );
    let due = |logs: &[&str], at_time: &str, all: bool| {
        let mut words = vec!["repertoire", "due", "line.pgn", "--json", "--at", at_time];
        logs.iter().for_each(|log| words.extend(["--log", log]));
        words.extend(all.then_some("--all"));
        lines(&tabiya(at, &words))
    };
    let nothing = tabiya(
        at,
        &[
            "repertoire",
            "due",
            "line.pgn",
            "--log",
            "a.log",
            "--at",
            "2026-11-01T12:00:00Z",
        ],
    );
    assert_eq!(nothing.status.code(), Some(1), "{nothing:?}");
    let all = due(&["a.log"], "2026-11-01T12:00:00Z", true);
    assert_eq!(all.len(), 3);
    assert!(
        all.iter()
            .all(|card| card["is_new"] == false && card["is_due"] == false)
    );
    let later = due(&["a.log"], "2026-11-04T12:00:00Z", false);
    let known: Vec<&Value> = later.iter().map(|card| &card["moves"]).collect();
    // The one that was easy is not due yet.
    assert_eq!(known, [&json!(["Bb5"]), &json!(["e4"])]);
    // Another device has trained it meanwhile: both logs together say so, in any order, and a line that was cut off does no harm.
    let second = [
        "line.pgn",
        "--log",
        "b.log",
        "--device",
        "phone",
        "--at",
        "2026-11-02T12:00:00Z",
    ];
    train(at, &second, "e4\nNf3\nBb5\n");
    let cut = format!(
        "{}2026-11-03T",
        fs::read_to_string(at.join("b.log")).expect("a log")
    );
    fs::write(at.join("b.log"), cut).expect("written");
    let (ab, ba) = (
        due(&["a.log", "b.log"], "2026-11-20T12:00:00Z", true),
        due(&["b.log", "a.log"], "2026-11-20T12:00:00Z", true),
    );
    assert_eq!(ab, ba);
    assert_eq!(
        ab.iter()
            .map(|card| card["reviews"].as_u64())
            .sum::<Option<u64>>(),
        Some(7)
    );
    let anki = tabiya(
        at,
        &[
            "repertoire",
            "due",
            "line.pgn",
            "--all",
            "--anki",
            "--log",
            "a.log",
        ],
    );
    let table = text(&anki);
    assert!(table.starts_with("#separator:tab\n"), "{table}");
    assert!(table.contains("1.e4 e5 2.Nf3 Nc6\tr1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\tBb5\n"), "{table}");
    // What is typed may end at any place.
    let ended = train(
        at,
        &["line.pgn", "--log", "c.log", "--seed", "1"],
        "e4\nquit\n",
    );
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(
        fs::read_to_string(at.join("c.log"))
            .expect("a log")
            .lines()
            .count(),
        2
    );
}

/// The moves of each position of a repertoire, by the line to it.
fn tree(at: &Path, file: &str) -> BTreeMap<String, BTreeSet<String>> {
    lines(&tabiya(at, &["repertoire", "show", file, "--json"]))
        .iter()
        .map(|row| {
            let moves = row["moves"].as_array().expect("moves").iter();
            let sans = moves.map(|m| m["san"].as_str().expect("a move").to_owned());
            (
                row["line"].as_str().expect("a line").to_owned(),
                sans.collect(),
            )
        })
        .collect()
}

#[test]
fn repertoires_are_made_of_others_and_of_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let write = |name: &str, text: &str| fs::write(at.join(name), text).expect("written");
    write(
        "a.pgn",
        "{Before} 1. e4 {King} e5 2. Nf3 $1 Nc6 3. d4 ({Quiet} 3. Bb5) *\n",
    );
    write(
        "b.pgn",
        "1. e4 {King} {best} c5 (1... e5 2. Nc3 (2. -- d5) 2... Nc6 3. Nf3) *\n",
    );
    let made = |words: &[&str], expected: i32| {
        let output = tabiya(at, &[&["repertoire"], words].concat());
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{words:?}: {output:?}"
        );
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let set = |sans: &[&str]| {
        sans.iter()
            .map(|san| (*san).to_owned())
            .collect::<BTreeSet<_>>()
    };
    // A null move is left out, and said to be.
    let said = made(
        &[
            "merge",
            "a.pgn",
            "b.pgn",
            "--side",
            "white",
            "-o",
            "merged.pgn",
        ],
        3,
    );
    assert!(said.contains("2 moves left out"), "{said}");
    let text = fs::read_to_string(at.join("merged.pgn")).expect("written");
    for (part, times) in [
        ("Before", 1),
        ("King", 1),
        ("best", 1),
        ("Quiet", 1),
        ("$1", 1),
    ] {
        assert_eq!(text.matches(part).count(), times, "{part}: {text}");
    }
    let merged = tree(at, "merged.pgn");
    assert_eq!(merged["1.e4"], set(&["e5", "c5"]));
    assert_eq!(merged["1.e4 e5"], set(&["Nf3", "Nc3"]));
    assert_eq!(merged["1.e4 e5 2.Nf3 Nc6"], set(&["d4", "Bb5"]));
    // Once more, it stays what it is.
    made(&["merge", "merged.pgn", "-o", "again.pgn"], 0);
    assert_eq!(
        text,
        fs::read_to_string(at.join("again.pgn")).expect("written")
    );
    made(
        &["merge", "a.pgn", "--side", "white", "-o", "merged.pgn"],
        2,
    );
    let game = |white: &str, result: &str, moves: &str| {
        format!("[White \"{white}\"]\n[Black \"X\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    let games = [
        game("Me, I", "0-1", "1. e4 c5 2. Nf3 d6").repeat(3),
        game("Me, I", "1-0", "1. d4 d5 2. c4 e6").repeat(2),
        game("You", "1-0", "1. e4 e5 2. f4 exf4").repeat(5),
        game("Me, I", "1-0", "1. e4 g6 2. d4"),
    ];
    write("games.pgn", &games.concat());
    let extract = [
        "extract",
        "games.pgn",
        "--side",
        "white",
        "--player",
        "Me",
        "--min-games",
        "2",
    ];
    made(&[&extract[..], &["-o", "mine.pgn"]].concat(), 0);
    let mine = tree(at, "mine.pgn");
    assert_eq!(mine[""], set(&["e4"]));
    assert_eq!(mine["1.e4"], set(&["c5"]));
    assert_eq!(mine["1.e4 c5"], set(&["Nf3"]));
    assert_eq!(mine.len(), 4);
    made(
        &[&extract[..], &["--by-score", "-o", "best.pgn"]].concat(),
        0,
    );
    assert_eq!(tree(at, "best.pgn")[""], set(&["d4"]));
    let said = made(
        &[
            "extract",
            "games.pgn",
            "--side",
            "black",
            "--min-games",
            "99",
            "-o",
            "x.pgn",
        ],
        2,
    );
    assert!(
        said.contains("that many games") && !at.join("x.pgn").exists(),
        "{said}"
    );
    let add = [
        "add",
        "games.pgn",
        "--with",
        "a.pgn",
        "--side",
        "white",
        "--plies",
        "3",
    ];
    made(
        &[&add[..], &["--query", "white:You", "-o", "added.pgn"]].concat(),
        0,
    );
    let added = tree(at, "added.pgn");
    assert_eq!(added["1.e4 e5"], set(&["Nf3", "f4"]));
    assert!(!added.contains_key("1.e4 e5 2.f4"));
}
