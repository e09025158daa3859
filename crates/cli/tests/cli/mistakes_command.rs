//! `tabiya mistakes` beside a computation with pandas, and as people call it.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};
use tabiya_testing::TestRandom;

use crate::program::{json as answer, list, tabiya, text};

/// Games with evaluations and clocks at random, of moves that were played.
fn games(random: &mut TestRandom, count: usize) -> String {
    const LINES: [&str; 4] = [
        "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4 exd4 Nxd4 c5 Nb3 Qxd1 Rxd1 Bg4 f3 Be6 Nc3 Bd6 Be3 b6 a4 O-O-O a5 Kb7",
        "d4 d5 c4 dxc4 e4 e5 dxe5 Qxd1+ Kxd1 Be6 Nf3 Nc6 Bd2 O-O-O Kc2 Nge7 Nc3 Ng6 h4 h5 Re1 Bb4 Bg5 Rde8 Bxc4 Bxc4",
        "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3 e5 Nb3 Be6 f3 Be7 Qd2 O-O O-O-O Nbd7 g4 b5 g5 b4 Ne2 Ne8",
        "f3 e5 g4 Qh4#",
    ];
    let names = ["Rook, A", "Knight, B", "Bishop, C"];
    let mut out = String::new();
    for _ in 0..count {
        let white = *random.pick(&names);
        let black = *random.pick(&names);
        for (tag, value) in [("White", white), ("Black", black)] {
            writeln!(out, "[{tag} \"{value}\"]").expect("written");
        }
        for side in ["White", "Black"] {
            if random.chance(85) {
                writeln!(out, "[{side}Elo \"{}\"]", 1300 + random.below(500)).expect("written");
            }
        }
        let eco = *random.pick(&["B33", "C68", "", "D20"]);
        writeln!(out, "[ECO \"{eco}\"]\n[Result \"*\"]\n").expect("written");
        let has_any = random.chance(85);
        let mut value: i64 = 20;
        let (mut clocks, mut said) = ([900_u64, 900], String::new());
        for (ply, word) in random.pick(&LINES).split(' ').enumerate() {
            if ply % 2 == 0 {
                write!(said, "{}. ", ply / 2 + 1).expect("written");
            }
            write!(said, "{word} ").expect("written");
            let mut comment = String::new();
            if has_any && random.chance(95) && word != "Qh4#" {
                value += random.below(400) as i64 - 200;
                match random.below(12) {
                    0 => write!(comment, "[%eval #{}]", random.below(9) as i64 - 4),
                    _ => write!(
                        comment,
                        "[%eval {}{}.{:02}]",
                        if value < 0 { "-" } else { "" },
                        value.abs() / 100,
                        value.abs() % 100
                    ),
                }
                .expect("written");
            }
            if random.chance(90) {
                clocks[ply % 2] = clocks[ply % 2].saturating_sub(random.below(120) as u64);
                let left = clocks[ply % 2];
                let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
                write!(comment, "[%clk {hours}:{minutes:02}:{seconds:02}]").expect("written");
            }
            if !comment.is_empty() {
                write!(said, "{{ {comment} }} ").expect("written");
            }
        }
        writeln!(out, "{said}*\n").expect("written");
    }
    out
}

/// The numbers of games in the form of the term `number:`.
fn numbers(games: &Value) -> Vec<u64> {
    let mut all = Vec::new();
    for games in list(games) {
        let runs = games["numbers"].as_str().expect("a text").split(',');
        for run in runs {
            let (first, last) = run.split_once("..").unwrap_or((run, run));
            let number = |text: &str| text.parse::<u64>().expect("a number");
            all.extend(number(first)..=number(last));
        }
    }
    all
}

/// Whether no games are missing.
fn is_whole(games: &Value) -> bool {
    list(games).iter().all(|games| games["whole"] == true)
}

/// The games of counts, all of them; of others no more than a thousand are named.
fn named(games: &Value) -> Value {
    let mut all = Map::new();
    for name in ["moves", "inaccuracies", "mistakes", "blunders", "others"] {
        all.insert(name.to_owned(), numbers(&games[name]).into());
        assert!(name == "others" || is_whole(&games[name]));
    }
    all.insert("others_whole".to_owned(), is_whole(&games["others"]).into());
    all.into()
}

/// Our answer in the shape of the other one.
fn plainly(ours: &Value) -> Value {
    let mut groups = Map::new();
    for group in list(&ours["groups"]) {
        let mut rows = Map::new();
        for row in list(&group["rows"]) {
            let places: Vec<Value> = list(&row["places"])
                .iter()
                .map(|place| json!([place["number"], place["ply"], place["judgement"]]))
                .collect();
            let told = json!({
                "own": row["own"],
                "others": row["others"],
                "in_games": named(&row["in_games"]),
                "places": places,
            });
            rows.insert(row["value"].as_str().expect("a text").to_owned(), told);
        }
        groups.insert(
            group["by"].as_str().expect("a text").to_owned(),
            rows.into(),
        );
    }
    json!({
        "games": ours["games"],
        "without_evaluations": ours["without_evaluations"],
        "with": numbers(&ours["games_by_evaluations"]["with"]),
        "without": numbers(&ours["games_by_evaluations"]["without"]),
        "rating": ours["rating"],
        "all": ours["all"],
        "others": ours["others"],
        "in_games": named(&ours["in_games"]),
        "groups": groups,
    })
}

fn judge(games: &Path, player: &str) -> Option<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/mistakes.py");
    tabiya_testing::python_with("pandas")?;
    let output = tabiya_testing::python_with("chess.pgn")?
        .arg(script)
        .arg(games)
        .arg(player)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn every_figure_is_that_of_pandas() {
    let count = if tabiya_testing::is_full() {
        3_000
    } else {
        300
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let seed = tabiya_testing::seed();
    let written = games(&mut TestRandom::new(seed), count);
    std::fs::write(at.join("games.pgn"), written).expect("written");
    let Some(plain) = judge(&at.join("games.pgn"), "Rook, A") else {
        return;
    };
    assert!(plain["all"]["moves"].as_u64() > Some(100), "{plain}");
    assert!(plain["others"]["moves"].as_u64() > Some(100), "{plain}");
    assert!(
        tabiya(at, &["convert", "games.pgn", "games.si5"])
            .status
            .success()
    );
    for base in ["games.pgn", "games.si5"] {
        let all = [
            "mistakes", base, "--player", "Rook, A", "--json", "-n", "1000",
        ];
        let ours = plainly(&answer(at, &all));
        assert_eq!(ours, plain, "{base}, seed {seed}");
        let mut listed = all.to_vec();
        listed.extend(["--query", "plies:0.."]);
        assert_eq!(
            plainly(&answer(at, &listed)),
            plain,
            "{base} by a list, seed {seed}"
        );
    }
}

#[test]
fn it_is_told_to_people_and_to_spreadsheets() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let written = games(&mut TestRandom::new(7), 40);
    std::fs::write(at.join("games.pgn"), written).expect("written");
    let told = tabiya(at, &["mistakes", "games.pgn", "--player", "Rook, A"]);
    assert_eq!(told.status.code(), Some(0), "{told:?}");
    let page = text(&told);
    for heading in ["opening", "phase", "clock", "piece", "kind", "motif"] {
        assert!(page.contains(&format!("\n{heading} ")), "{page}");
    }
    assert!(String::from_utf8_lossy(&told.stderr).contains("no evaluations"));
    let rows = text(&tabiya(
        at,
        &["mistakes", "games.pgn", "--player", "Rook, A", "--csv"],
    ));
    assert!(rows.starts_with("by,row_value,row_own_moves,"), "{rows}");
    assert!(rows.lines().count() > 10, "{rows}");
    let nobody = tabiya(at, &["mistakes", "games.pgn", "--player", "Nobody"]);
    assert_eq!(nobody.status.code(), Some(1));
}

/// A motif, how often it was missed, and the games and plies.
type MotifRow<'a> = (&'a str, u64, Vec<(u64, u64)>);

#[test]
fn motifs_are_those_of_the_better_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    // A missed fork, with a second variation that does not count; a missed mate on the back rank; a better line without a
    // motif; one move without a line; and a good move with one, which does not count.
    let games = r#"[White "Rook, A"]
[Black "B"]
[SetUp "1"]
[FEN "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1"]
[Result "*"]

{ [%eval 5.00] } 1. Kd1 { [%eval -3.00] } ( 1. Nc7+ Kd7 2. Nxa8 ) ( 1. Nd6+ ) 1... Ke7 { [%eval -3.00] } *

[White "Rook, A"]
[Black "B"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"]
[Result "*"]

{ [%eval #1] } 1. Kf1 { [%eval 0.00] } ( 1. Ra8# ) 1... g6 { [%eval 0.00] } 2. Ke1 { [%eval 0.00] } ( 2. Ra8+ ) *

[White "Rook, A"]
[Black "B"]
[Result "*"]

1. e4 { [%eval 0.20] } 1... e5 { [%eval 0.20] } 2. Qh5 { [%eval -4.00] } 2... Nf6 { [%eval -4.00] } 3. Qxe5+ { [%eval -9.00] } ( 3. Qd1 Nxe4 ) *
"#;
    std::fs::write(at.join("games.pgn"), games).expect("written");
    for base in ["games.pgn", "games.si5"] {
        if base != "games.pgn" {
            assert!(tabiya(at, &["convert", "games.pgn", base]).status.success());
        }
        let found = answer(at, &["mistakes", base, "--player", "Rook, A", "--json"]);
        let group = list(&found["groups"])
            .iter()
            .find(|group| group["by"] == "motif")
            .expect("a group");
        let rows: Vec<MotifRow> = list(&group["rows"])
            .iter()
            .map(|row| {
                let places = list(&row["places"]).iter().map(|place| {
                    let number = |name: &str| place[name].as_u64().expect("a number");
                    (number("number"), number("ply"))
                });
                (
                    row["value"].as_str().expect("a text"),
                    row["own"]["moves"].as_u64().expect("a number"),
                    places.collect(),
                )
            })
            .collect();
        let row = |name: &str| rows.iter().find(|row| row.0 == name);
        assert_eq!(row("fork"), Some(&("fork", 1, vec![(1, 1)])), "{rows:?}");
        assert_eq!(row("back-rank"), Some(&("back-rank", 1, vec![(2, 1)])));
        assert_eq!(row("mate"), Some(&("mate", 1, vec![(2, 1)])));
        assert_eq!(row("unknown"), Some(&("unknown", 1, vec![(3, 3)])));
        assert_eq!(row("quiet-move"), Some(&("quiet-move", 1, vec![(3, 5)])));
        assert!(
            rows.iter().all(|row| !row.0.contains("endgame")),
            "{rows:?}"
        );
    }
}
