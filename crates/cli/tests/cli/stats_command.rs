//! `tabiya stats` beside a plain computation with python-chess, and as people call it.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{json, tabiya, text};

/// The scores of every row of every statistic by their labels. Rows without a label of one table are the same row.
type Tables = BTreeMap<String, BTreeMap<String, [u64; 4]>>;

fn ours(value: &Value) -> Tables {
    let mut tables = Tables::new();
    for table in value["statistics"].as_array().expect("a list") {
        let name = table["name"].as_str().expect("a name").to_owned();
        let rows = tables.entry(name).or_default();
        for row in table["rows"].as_array().expect("a list") {
            let label = row["label"].as_str().expect("a label").to_owned();
            let scores = ["wins", "draws", "losses", "other"]
                .map(|key| row[key].as_u64().expect("a number"));
            assert_eq!(row["games"].as_u64(), Some(scores.iter().sum()));
            assert!(rows.insert(label, scores).is_none(), "a label twice");
        }
    }
    tables
}

fn theirs(script_output: &[u8]) -> Tables {
    let value: Value = serde_json::from_slice(script_output).expect("JSON");
    serde_json::from_value(value["tables"].clone()).expect("tables")
}

/// What a plain count with python-chess says of a file, of bare games without it; `None` where it is not there.
fn plain(games: &Path, are_bare: bool) -> Option<Tables> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/stats.py");
    let output = tabiya_testing::python_with("chess.pgn")?
        .arg(script)
        .arg(games)
        .args(are_bare.then_some("bare"))
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Some(theirs(&output.stdout))
}

/// Some games of a packed corpus, as they stand there.
fn games_of(corpus: &Path, first: usize, games: usize) -> Option<String> {
    let mut unpacking = Command::new("zstd")
        .args(["-dcq"])
        .arg(corpus)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut at = 0;
    let mut text = String::new();
    for line in BufReader::new(unpacking.stdout.take()?).split(b'\n') {
        // What is not UTF-8 is made so, for programs that guess in other ways.
        let line = line.expect("a line");
        let line = String::from_utf8_lossy(&line);
        at += usize::from(line.starts_with("[Event "));
        if at >= first + games {
            break;
        }
        if at >= first {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    // It may still be writing what nobody reads any more.
    let _ = unpacking.kill();
    let _ = unpacking.wait();
    Some(text)
}

/// Looks at every figure, and tells of one that differs.
fn same(ours: &Tables, plain: &Tables, what: &str) {
    let names = |tables: &Tables| tables.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(ours), names(plain), "{what}");
    for (name, rows) in ours {
        let theirs = &plain[name];
        for (label, score) in rows {
            let theirs = theirs.get(label);
            assert_eq!(Some(score), theirs, "{what}: {label:?} of {name}");
        }
        assert_eq!(rows.len(), theirs.len(), "{what}: rows of {name}");
    }
}

const ALL: [&str; 4] = ["--full", "--json", "--top", "1000000"];

#[test]
fn every_figure_is_that_of_a_plain_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    // Games from anywhere in the corpora: the seed says from where.
    let seed = usize::try_from(tabiya_testing::seed()).expect("a small seed");
    let (games, first, are_bare) = match tabiya_testing::is_full() {
        true => (usize::MAX / 2, 1, true),
        false => (1_500, seed * 7919 % 280_000 + 1, false),
    };
    for (name, games, first, are_bare) in [
        ("otb.pgn.zst", games, first, are_bare),
        ("lichess.pgn.zst", 300, seed * 104_729 % 2_000 + 1, false),
    ] {
        let Some(corpus) = tabiya_testing::shared(Path::new("corpora").join(name)) else {
            continue;
        };
        let Some(some) = games_of(&corpus, first, games) else {
            eprintln!("skipped: zstd is not there");
            return;
        };
        let range = format!("{games} games from {first} on");
        std::fs::write(at.join("games.pgn"), some).expect("written");
        // Others see two games where a result stands twice: they get the games written anew.
        tabiya(at, &["convert", "games.pgn", "plain.pgn", "--force"]);
        let Some(plain) = plain(&at.join("plain.pgn"), are_bare) else {
            return;
        };
        let stats = |base: &str| {
            let mut args = vec!["stats", base];
            args.extend(ALL);
            ours(&json(at, &args))
        };
        same(
            &stats("games.pgn"),
            &plain,
            &format!("PGN, {name}, {range}"),
        );
        tabiya(at, &["convert", "games.pgn", "games.si5", "--force"]);
        same(
            &stats("games.si5"),
            &plain,
            &format!("Scid, {name}, {range}"),
        );
        // Three where a game of the corpus cannot be read to its end.
        let indexed = tabiya(at, &["index", "games.pgn"]).status.code();
        assert!(matches!(indexed, Some(0 | 3)), "{indexed:?}");
        same(
            &stats("games.pgn"),
            &plain,
            &format!("with an index, {name}, {range}"),
        );
    }
}

const GAMES: &str = r#"[Event "A, \"B\""]
[Site "London"]
[Date "1883.??.??"]
[Round "1"]
[White "Zukertort, Johannes"]
[Black "Steinitz, William"]
[Result "1-0"]
[ECO "A13/02"]
[TimeControl "15/3600"]

1. c4 e6 2. e3 1-0

[Event "C"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Steinitz, William"]
[Black "Zukertort, Johannes"]
[Result "0-1"]
[WhiteElo "2600"]
[BlackElo "2701"]
[BlackTitle "GM"]

0-1

[Event "C"]
[Site "?"]
[Date "1884.??.??"]
[White ""]
[Black "Steinitz, William"]
[Result "*"]

1. e4 *
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
    folder
}

/// The event, or the mode, may say that the time control is that of a correspondence game.
#[test]
fn correspondence_games_are_told_by_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let games: String = [
        ("Rated Correspondence game", "-", "", "1-0"),
        ("Club Championship", "180+2", "OTB", "0-1"),
        ("Rated Correspondence game", "", "", "1/2-1/2"),
        ("WORLD CORRESPONDENCE CUP", "", "", "1-0"),
        ("Club Championship", "600", "em", "1-0"),
        ("Club Championship", "60+1", "", "1-0"),
    ]
    .into_iter()
    .map(|(event, time, mode, result)| {
        let tag = |name: &str, value: &str| match value {
            "" => String::new(),
            value => format!("[{name} \"{value}\"]\n"),
        };
        let tags = [
            tag("Event", event),
            tag("Result", result),
            tag("TimeControl", time),
            tag("Mode", mode),
        ]
        .concat();
        format!("{tags}\n1. e4 {result}\n\n")
    })
    .collect();
    std::fs::write(at.join("games.pgn"), games).expect("written");
    for format in ["si4", "si5"] {
        let to = format!("games.{format}");
        tabiya(at, &["convert", "games.pgn", &to]);
    }
    std::fs::copy(at.join("games.pgn"), at.join("indexed.pgn")).expect("copied");
    assert!(tabiya(at, &["index", "indexed.pgn"]).status.success());
    for base in ["games.pgn", "indexed.pgn", "games.si4", "games.si5"] {
        let told = json(at, &["stats", base, "--only", "time-controls", "--json"]);
        let times = &ours(&told)["time-controls"];
        assert_eq!(times["correspondence"], [3, 1, 0, 0], "{base}");
        assert_eq!(times["blitz"], [0, 0, 1, 0], "{base}");
        assert_eq!(times["bullet"], [1, 0, 0, 0], "{base}");
        assert_eq!(times.len(), 7, "{base}: {times:?}");
    }
}

#[test]
fn one_question_has_the_same_answer_in_every_form_and_from_several_bases() {
    let folder = folder();
    let at = folder.path();
    assert!(
        tabiya(at, &["convert", "games.pgn", "games.si5"])
            .status
            .code()
            .is_some()
    );
    let one = json(at, &["stats", "games.pgn", "--full", "--json"]);
    assert_eq!(one["games"], 3);
    let tables = ours(&one);
    assert_eq!(tables["players"]["Steinitz, William"], [0, 0, 2, 1]);
    assert_eq!(tables["players"]["Zukertort, Johannes"], [2, 0, 0, 0]);
    assert_eq!(tables["openings"]["A13"], [1, 0, 0, 0]);
    assert_eq!(tables["openings"]["A10-A19"], [1, 0, 0, 0]);
    assert_eq!(tables["ratings"]["2600-2699"], [0, 0, 1, 0]);
    assert_eq!(tables["years"][""], [0, 0, 1, 0]);
    assert_eq!(tables["lengths"]["0"], [0, 0, 1, 0]);
    assert_eq!(tables["titles"]["GM"], [1, 0, 0, 0]);
    assert_eq!(tables["time-controls"]["15/3600"], [1, 0, 0, 0]);
    // Two bases together are what each of them says twice.
    let two = json(at, &["stats", "games.pgn", "games.si5", "--full", "--json"]);
    let doubled: Tables = tables
        .iter()
        .map(|(name, rows)| {
            let rows = rows.iter();
            let rows = rows.map(|(label, score)| (label.clone(), score.map(|games| 2 * games)));
            (name.clone(), rows.collect())
        })
        .collect();
    assert_eq!(ours(&two), doubled);
    // A pipe has no index and is read once.
    let csv = text(&tabiya(
        at,
        &["stats", "games.pgn", "--csv", "--only", "events"],
    ));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines,
        [
            "statistic,depth,label,games,wins,draws,losses,other",
            "events,0,C,2,0,0,1,1",
            "events,0,\"A, \"\"B\"\"\",1,1,0,0,0",
        ]
    );
    let chosen = json(
        at,
        &[
            "stats",
            "games.si5",
            "--json",
            "--query",
            "white:Zukertort",
            "--only",
            "results",
        ],
    );
    assert_eq!(ours(&chosen)["results"]["all"], [1, 0, 0, 0]);
    let table = text(&tabiya(
        at,
        &["stats", "games.pgn", "--only", "players", "--top", "1"],
    ));
    assert!(table.contains("Most frequent players (1 of 3)"), "{table}");
}

#[test]
fn where_nothing_is_counted_the_exit_code_says_so() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("empty.pgn"), "").expect("written");
    let empty = tabiya(at, &["stats", "empty.pgn", "--full"]);
    assert_eq!(
        (empty.status.code(), text(&empty)),
        (Some(1), "0 games\n".into())
    );
    let nobody = ["stats", "games.pgn", "--query", "player:Nobody", "--json"];
    let output = tabiya(at, &nobody);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(at, &nobody)["games"], 0);
    for wrong in [
        ["stats", "games.pgn", "--only", "weather"],
        ["stats", "games.pgn", "--query", "player:"],
        ["stats", "games.pgn", "--plot", "games.jpg"],
    ] {
        assert_eq!(tabiya(at, &wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn pictures_are_drawn_and_replace_nothing_unasked() {
    let folder = folder();
    let at = folder.path();
    for name in ["a.svg", "a.png"] {
        let draw = ["stats", "games.pgn", "--full", "--plot", name];
        assert_eq!(tabiya(at, &draw).status.code(), Some(0), "{name}");
        assert_eq!(tabiya(at, &draw).status.code(), Some(2), "{name} is there");
    }
    let svg = std::fs::read_to_string(at.join("a.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(
        svg.contains("Steinitz, William") && svg.contains("&quot;B&quot;"),
        "{svg}"
    );
    let png = std::fs::read(at.join("a.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(png.ends_with(b"IEND\xaeB\x60\x82"));
}

#[test]
fn a_hundred_thousand_events_are_counted_and_few_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut games = String::new();
    for number in 0..100_000_u32 {
        games.push_str(&format!(
            "[Event \"{}\"]\n[White \"{}\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n\n",
            number.max(2),
            number % 3
        ));
    }
    std::fs::write(at.join("games.pgn"), games).expect("written");
    let counted = json(
        at,
        &[
            "stats",
            "games.pgn",
            "--only",
            "events,players",
            "--top",
            "2",
            "--json",
        ],
    );
    let [events, players] = [0, 1].map(|place| &counted["statistics"][place]);
    assert_eq!(
        (&events["distinct"], &players["distinct"]),
        (&99_998.into(), &4.into())
    );
    assert_eq!(events["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&events["rows"][0]["label"], &events["rows"][0]["games"]),
        (&"2".into(), &3.into())
    );
    assert_eq!(events["rows"][1]["games"], 1);
    assert_eq!(
        (&players["rows"][0]["label"], &players["rows"][0]["losses"]),
        (&"B".into(), &100_000.into())
    );
}

#[test]
fn a_search_counts_what_it_finds_as_statistics_of_a_query_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = |white: &str, result: &str| {
        format!(
            "[Event \"?\"]\n[White \"{white}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n1. e4 e5 2. Qh5 Nc6 {result}\n\n"
        )
    };
    let games = [game("A", "1-0"), game("A", "0-1"), game("C", "1-0")].concat();
    std::fs::write(folder.path().join("games.pgn"), games).expect("written");
    let query = "move:\"Qh5\" result:1-0";
    let grouped = [
        "search",
        "games.pgn",
        query,
        "--group-by",
        "players,results",
        "--json",
    ];
    let counted = [
        "stats",
        "games.pgn",
        "--query",
        query,
        "--only",
        "players,results",
        "--json",
    ];
    let grouped = json(folder.path(), &grouped);
    assert_eq!(grouped, json(folder.path(), &counted));
    assert_eq!(grouped["games"], 2);
    let told = tabiya(
        folder.path(),
        &["search", "games.pgn", query, "--explain", "--count"],
    );
    let errors = String::from_utf8(told.stderr.clone()).expect("UTF-8");
    assert_eq!(text(&told), "2\n");
    for line in [
        "move:\"Qh5\": answered from the moves, without a board",
        "result:1-0: answered from facts",
        "3 games",
    ] {
        assert!(errors.contains(line), "{line}: {errors}");
    }
}
