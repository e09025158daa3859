//! `tabiya player` beside a plain computation with python-chess, and as people call it.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{json, list, tabiya};

/// Our answer in the form of the plain one.
fn plainly(ours: &Value) -> Value {
    let mut tables = BTreeMap::new();
    for table in list(&ours["statistics"]) {
        let rows = list(&table["rows"]).iter().map(|row| {
            let scores = ["wins", "draws", "losses", "other"].map(|key| row[key].clone());
            let label = row["label"].as_str().expect("a label");
            (label.to_owned(), json!(scores))
        });
        let rows: serde_json::Map<String, Value> = rows.collect();
        assert_eq!(rows.len(), list(&table["rows"]).len(), "a label twice");
        if !rows.is_empty() {
            tables.insert(table["name"].as_str().expect("a name"), rows);
        }
    }
    let numbers = |games: &Value| -> Vec<Value> {
        let games = list(games).iter();
        games.map(|game| game["number"].clone()).collect()
    };
    let ratings = list(&ours["ratings"]).iter();
    let ratings = ratings.map(|rated| json!([rated["date"], rated["elo"], rated["games"]]));
    let series = list(&ours["series"]).iter().map(|series| {
        let [first, last] = ["first", "last"].map(|end| &series[end]["number"]);
        json!([series["name"], series["games"], first, last])
    });
    json!({
        "games": ours["games"],
        "tables": tables,
        "ratings": ratings.collect::<Vec<_>>(),
        "best": numbers(&ours["best_wins"]),
        "worst": numbers(&ours["worst_losses"]),
        "series": series.collect::<Vec<_>>(),
    })
}

/// Games of eight players who meet again and again, drawn from a seed.
fn games(mut seed: u64, count: usize) -> String {
    let mut draw = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let names = [
        "Tal, Mihail",
        "Tal, M",
        "Talent, Max",
        "Petrosian, Tigran",
        "Smyslov, Vasily",
        "Geller, Efim",
        "Keres, Paul",
        "",
    ];
    let results = ["1-0", "0-1", "1/2-1/2", "*"];
    let codes = ["", "B33", "E99", "C05", "A00"];
    let dates = ["????.??.??", "1960.??.??", "1960.04.??", "1961.05.03"];
    let rounds = ["1", "2.10", "2.9", "?", "10"];
    let mut text = String::new();
    for _ in 0..count {
        let mut pick = |list: &[&'static str]| {
            let place = usize::try_from(draw(list.len() as u64)).expect("small");
            list[place]
        };
        let result = pick(&results);
        let tags = [
            ("Event", pick(&["Match", "Open, A", "Cup"])),
            ("Site", "?"),
            ("Date", pick(&dates)),
            ("Round", pick(&rounds)),
            ("White", pick(&names)),
            ("Black", pick(&names)),
            ("Result", result),
            ("ECO", pick(&codes)),
            ("WhiteElo", pick(&["", "2400", "2499", "2500", "2700"])),
            ("BlackElo", pick(&["", "2400", "2510", "2600"])),
        ];
        for (name, value) in tags {
            if !value.is_empty() || matches!(name, "White" | "Black") {
                writeln!(text, "[{name} \"{value}\"]").expect("written");
            }
        }
        writeln!(text, "\n1. e4 {result}\n").expect("written");
    }
    text
}

/// What python-chess says of players, each by the names that count; nothing where it is not there.
fn plain(games: &Path, players: &[String]) -> Option<Vec<Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/player.py");
    let plain = tabiya_testing::python_with("chess.pgn")?
        .arg(script)
        .arg(games)
        .args(players)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&plain.stderr);
    assert!(plain.status.success(), "{error}");
    let plain = serde_json::from_slice(&plain.stdout).expect("JSON");
    Some(plain)
}

const ALL: [&str; 3] = ["--json", "--top", "1000000"];

#[test]
fn every_figure_is_that_of_a_plain_computation() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let seed = tabiya_testing::seed();
    std::fs::write(at.join("games.pgn"), games(seed, 600)).expect("written");
    let players = ["Tal, Mihail\nTal, M".to_owned()];
    let Some(plain) = plain(&at.join("games.pgn"), &players) else {
        return;
    };
    let plain = &plain[0];
    assert!(plain["games"].as_u64() > Some(100), "{plain}");
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    for name in ["Tal, Mihail", "Tal", "M. Tal"] {
        for base in ["games.pgn", "games.si5"] {
            let mut args = vec!["player", name, base];
            args.extend(ALL);
            let ours = plainly(&json(at, &args));
            assert_eq!(&ours, plain, "{name} in {base}, seed {seed}");
            // Games of a list keep their numbers.
            args.extend(["--query", "plies:0.."]);
            let listed = plainly(&json(at, &args));
            assert_eq!(&listed, plain, "{name} in {base} by a list, seed {seed}");
        }
    }
    assert!(tabiya(at, &["index", "games.pgn"]).status.success());
    let mut args = vec!["player", "Tal", "games.pgn"];
    args.extend(ALL);
    assert_eq!(&plainly(&json(at, &args)), plain, "index, seed {seed}");
}

#[test]
fn players_of_a_large_base_have_the_record_of_a_plain_computation() {
    if !tabiya_testing::is_full() {
        eprintln!("skipped: the records of players of a large base are long");
        return;
    }
    let Some(corpus) = tabiya_testing::shared("corpora/otb.pgn.zst") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let corpus = corpus.display().to_string();
    // Written anew, so that others see as many games.
    for target in ["games.pgn", "games.si5"] {
        tabiya(at, &["convert", &corpus, target]);
    }
    tabiya(at, &["index", "games.pgn"]);
    let sampled = json(
        at,
        &[
            "stats",
            "games.si5",
            "--only",
            "players",
            "--json",
            "--top",
            "100000",
        ],
    );
    let sampled = list(&sampled["statistics"][0]["rows"]).iter();
    let sampled = sampled.filter_map(|row| row["label"].as_str());
    // Famous ones, and some of all others.
    let sampled = sampled.filter(|name| !name.is_empty()).step_by(500);
    let famous = ["Kasparov, Garry", "Carlsen", "Polgar, J", "Steinitz"];
    let players: Vec<&str> = famous.into_iter().chain(sampled).collect();
    let records = |base: &str| -> Vec<Value> {
        let of = |player: &&str| {
            let mut args = vec!["player", player, base];
            args.extend(ALL);
            plainly(&json(at, &args))
        };
        players.iter().map(of).collect()
    };
    let ours = records("games.si5");
    let names = ours.iter().map(|record| {
        let names = record["tables"]["names"].as_object().expect("names");
        let names: Vec<&str> = names.keys().map(String::as_str).collect();
        names.join("\n")
    });
    let names: Vec<String> = names.collect();
    let Some(plain) = plain(&at.join("games.pgn"), &names) else {
        return;
    };
    eprintln!("{} players", players.len());
    for base in ["games.si5", "games.pgn"] {
        let ours = records(base);
        for ((ours, plain), player) in ours.iter().zip(&plain).zip(&players) {
            assert!(plain["games"].as_u64() > Some(0), "{player}: {plain}");
            assert_eq!(ours, plain, "{player} in {base}");
        }
    }
}

#[test]
fn against_another_only_their_games_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("games.pgn"), games(7, 400)).expect("written");
    let all = json(at, &["player", "Tal", "games.pgn", "--json"]);
    let keres = ["player", "Tal", "games.pgn", "--json", "--against", "Keres"];
    let some = json(at, &keres);
    let row = list(&all["statistics"])
        .iter()
        .find(|table| table["name"] == "opponents")
        .and_then(|table| {
            let mut rows = list(&table["rows"]).iter();
            rows.find(|row| row["label"] == "Keres, Paul")
        });
    let row = row.expect("they met");
    for key in ["games", "wins", "draws", "losses", "other"] {
        assert_eq!(row[key], some[key], "{key}");
    }
    let both = ["player", "Tal", "games.pgn", "games.pgn", "--json"];
    let twice = json(at, &both)["games"].as_u64();
    assert_eq!(twice, all["games"].as_u64().map(|games| 2 * games));
    let csv = tabiya(at, &["player", "Tal", "games.pgn", "--csv"]);
    let csv = String::from_utf8(csv.stdout).expect("UTF-8");
    assert!(csv.starts_with("statistic,depth,label,games,"), "{csv}");
    assert!(csv.contains("events,0,\"Open, A\","), "{csv}");
    let table = tabiya(at, &["player", "Tal", "games.pgn"]);
    let table = String::from_utf8(table.stdout).expect("UTF-8");
    for title in ["Opponents", "Rating", "Best wins", "Longest streaks"] {
        assert!(table.contains(&format!("\n{title}")), "{title}: {table}");
    }
}

#[test]
fn a_player_is_found_in_every_transliteration() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let names = [
        "Korchnoi, Viktor",
        "Kortschnoi, V",
        "Kortchnoi, Viktor",
        "Корчной, Виктор",
        "Tal, Mihail",
        "Таль, Михаил",
        "Thal, Gerd",
        "Korchnoi, Igor",
    ];
    let games: String = names
        .iter()
        .map(|name| format!("[White \"{name}\"]\n[Black \"X\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"))
        .collect();
    std::fs::write(at.join("games.pgn"), games).expect("written");
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    for (asked, found) in [
        ("Korchnoi, V", 4),
        ("Kortschnoi, Viktor", 4),
        ("Корчной", 5),
        ("Korchnoi", 5),
        ("Tal", 2),
        ("Таль, М", 2),
        ("Thal", 2),
    ] {
        for base in ["games.pgn", "games.si5"] {
            let told = json(at, &["player", asked, base, "--json"]);
            assert_eq!(told["games"], found, "{asked} in {base}: {told}");
        }
    }
}

#[test]
fn of_nobody_nothing_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("games.pgn"), games(1, 10)).expect("written");
    std::fs::write(at.join("empty.pgn"), "").expect("written");
    for base in ["games.pgn", "empty.pgn"] {
        let output = tabiya(at, &["player", "Nobody", base]);
        assert_eq!(output.status.code(), Some(1), "{base}");
        assert_eq!(output.stdout, b"Nobody: 0 games\n", "{base}");
    }
    for wrong in ["", "..."] {
        let output = tabiya(at, &["player", wrong, "games.pgn"]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_hundred_thousand_events_are_counted_and_few_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut games = String::new();
    for number in 0..100_000 {
        write!(
            games,
            "[Event \"{number}\"]\n[White \"A{number}\"]\n[Black \"Tal\"]\n[Result \"0-1\"]\n\n0-1\n\n"
        )
        .expect("written");
    }
    std::fs::write(at.join("games.pgn"), games).expect("written");
    let told = json(at, &["player", "Tal", "games.pgn", "--json", "--top", "2"]);
    assert_eq!(told["wins"], 100_000);
    for table in list(&told["statistics"]) {
        if table["name"] == "events" || table["name"] == "opponents" {
            assert_eq!(table["distinct"], 100_000);
            assert_eq!(list(&table["rows"]).len(), 2);
        }
    }
}

/// Games of one who plays 1.e4 twice as often as 1.d4, among others who play 1.c4.
fn openings() -> String {
    let mut text = String::new();
    let mut game = |white: &str, black: &str, moves: &str, result: &str, year: u32| {
        write!(
            text,
            "[Event \"<b>Open</b>\"]\n[Site \"?\"]\n[Date \"{year}.05.0{}\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
             [Result \"{result}\"]\n[WhiteElo \"2{}00\"]\n[BlackElo \"2500\"]\n\n{moves} {result}\n\n",
            year % 9 + 1,
            year % 7
        )
        .expect("written");
    };
    for year in 1990..2000 {
        game(
            "Hero, A",
            "Other, B",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
            "1-0",
            year,
        );
        game(
            "Hero, A",
            "Other, C",
            "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
            "1/2-1/2",
            year,
        );
        game("Hero, A", "Other, D", "1. d4 d5 2. c4 e6", "0-1", year);
        game("Other, B", "Hero, A", "1. e4 e6 2. d4 d5", "0-1", year);
        for _ in 0..4 {
            game("Other, C", "Other, D", "1. c4 e5 2. Nc3 Nf6", "1-0", year);
        }
    }
    text
}

#[test]
fn a_dossier_tells_what_is_played_and_where_the_way_of_others_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("games.pgn"), openings()).expect("written");
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    let read = |name: &str| std::fs::read_to_string(at.join(name)).expect("written");
    let mut pages = Vec::new();
    for base in ["games.pgn", "games.si5"] {
        for (file, force) in [("hero.md", true), ("hero.html", true)] {
            let mut args = vec!["player", "Hero", base, "--dossier", file];
            args.extend(force.then_some("--force"));
            let output = tabiya(at, &args);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(said.contains("preparation report from 40 games"), "{said}");
        }
        pages.push((read("hero.md"), read("hero.html")));
    }
    let [(text, page), (other_text, _)] = &pages[..] else {
        panic!("two bases");
    };
    // But for the name of the base, both say the same.
    assert_eq!(
        text.replace("games.pgn", "x"),
        other_text.replace("games.si5", "x")
    );
    for part in [
        "40 games in games.pgn: +20 =10 -10, 62 %",
        "* 1.e4: 20 games, 75 %",
        "  * 1...e5: 10 games, 100 %",
        "* 1.d4: 10 games, 0 %",
        "## With Black",
        "At the start: 1.e4 in 20 of 30 games, where most others play c4 (40 of 80)",
        "## Since 1998",
        "      a b c d e f g h",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        page.contains("<svg ") && page.contains("class=\"board\""),
        "{page}"
    );
    assert!(
        page.contains("&lt;b&gt;Open&lt;/b&gt;") && !page.contains("<b>Open"),
        "{page}"
    );
    assert!(
        !page.contains("<script") && !page.contains("href="),
        "it needs nothing else"
    );
    // Nothing is written over unasked, and of nobody nothing is written.
    let again = tabiya(at, &["player", "Hero", "games.pgn", "--dossier", "hero.md"]);
    assert_eq!(again.status.code(), Some(2));
    let nobody = tabiya(
        at,
        &["player", "Nobody", "games.pgn", "--dossier", "nobody.md"],
    );
    assert_eq!(nobody.status.code(), Some(1));
    assert!(!at.join("nobody.md").exists());
    let wrong = tabiya(
        at,
        &["player", "Hero", "games.pgn", "--dossier", "hero.pdf"],
    );
    assert_eq!(wrong.status.code(), Some(2));
}
