//! `tabiya crosstable` beside a plain computation with python-chess, beside Scid, and as people call it.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{json, list, tabiya};

/// An event of `players` in `rounds`, with pairs and results drawn from a seed.
fn event(mut seed: u64, players: u64, rounds: u64) -> String {
    let mut draw = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let elos: Vec<u64> = (0..players)
        .map(|_| match draw(5) {
            0 => 0,
            _ => 1900 + draw(900),
        })
        .collect();
    // Before and after the limit of differences fell.
    let month = ["2001.05", "2025.10"][usize::try_from(draw(2)).expect("small")];
    let mut text = String::new();
    for round in 1..=rounds {
        let mut order: Vec<u64> = (0..players).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, usize::try_from(draw(at as u64 + 1)).expect("small"));
        }
        for pair in order.chunks_exact(2) {
            let result = ["1-0", "0-1", "1/2-1/2", "*"][usize::try_from(draw(4)).expect("small")];
            let elo = |player: u64| elos[usize::try_from(player).expect("small")];
            write!(
                text,
                "[Event \"Open\"]\n[Site \"Here\"]\n[Date \"{month}.{round:02}\"]\n[Round \"{round}\"]\n\
                 [White \"P{}\"]\n[Black \"P{}\"]\n[Result \"{result}\"]\n",
                pair[0], pair[1]
            )
            .expect("written");
            for (side, player) in [("White", pair[0]), ("Black", pair[1])] {
                if elo(player) > 0 {
                    writeln!(text, "[{side}Elo \"{}\"]", elo(player)).expect("written");
                }
            }
            write!(text, "\n1. e4 {result}\n\n").expect("written");
        }
    }
    text
}

/// What a plain computation says: a table for each event, under the number of its first game; nothing where it cannot be done.
fn plain(games: &Path) -> Option<BTreeMap<u64, Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/crosstable.py");
    let plain = tabiya_testing::python_with("json")?
        .arg(script)
        .arg(games)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&plain.stderr);
    assert!(plain.status.success(), "{error}");
    Some(serde_json::from_slice(&plain.stdout).expect("JSON"))
}

/// Looks at every figure of every table, and says how many there are.
fn same(told: &Value, plain: &BTreeMap<u64, Value>, what: &str) -> usize {
    let mut figures = 0;
    let mut seen = 0;
    for event in list(&told["events"]) {
        let rows = list(&event["players"]);
        let results = rows.iter().flat_map(|row| list(&row["results"]));
        let Some(first) = results.filter_map(|game| game["number"].as_u64()).min() else {
            continue;
        };
        let what = format!("{what}: {}, with game {first}", event["event"]);
        let plain = plain
            .get(&first)
            .unwrap_or_else(|| panic!("{what}: they have no such event"));
        let plain = plain.as_object().expect("players");
        assert_eq!(rows.len(), plain.len(), "{what}: players");
        for row in rows {
            let name = row["name"].as_str().expect("a name");
            let theirs = plain.get(name).and_then(Value::as_object);
            for (key, theirs) in theirs.expect("they know the player") {
                let ours = &row[key];
                let is_same = match (ours.as_f64(), theirs.as_f64()) {
                    (Some(one), Some(two)) => (one - two).abs() < 0.006,
                    (one, two) => one.is_none() && two.is_none(),
                };
                assert!(is_same, "{what}: {name}, {key}: {ours} and {theirs}");
                figures += 1;
            }
        }
        seen += 1;
    }
    assert_eq!(seen, plain.len(), "{what}: events");
    figures
}

#[test]
fn every_figure_is_that_of_a_plain_computation() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let seed = tabiya_testing::seed();
    for (players, rounds) in [(2, 6), (7, 9), (10, 9), (31, 9)] {
        std::fs::write(at.join("games.pgn"), event(seed, players, rounds)).expect("written");
        let Some(plain) = plain(&at.join("games.pgn")) else {
            return;
        };
        assert_eq!(plain.len(), 1);
        tabiya(at, &["convert", "--force", "games.pgn", "games.si5"]);
        for base in ["games.pgn", "games.si5"] {
            let told = json(at, &["crosstable", base, "--json"]);
            assert!(same(&told, &plain, &format!("{base}, seed {seed}")) > 10);
        }
    }
}

#[test]
fn every_event_of_a_corpus_has_the_figures_of_a_plain_computation() {
    let Some(corpus) = tabiya_testing::shared("corpora/otb.pgn.zst") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let only = tabiya_testing::run_of_games(10_000, 270_000);
    let corpus = corpus.display().to_string();
    tabiya(at, &["convert", &corpus, "games.pgn", "--only", &only]);
    let Some(plain) = plain(&at.join("games.pgn")) else {
        return;
    };
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    let compare = |what: &str, base: &str| {
        let told = json(at, &["crosstable", base, "--json"]);
        let figures = same(&told, &plain, &format!("{what}, games {only}"));
        eprintln!("{what}: {} events, {figures} figures", plain.len());
        assert!(figures > 1_000, "{figures}");
    };
    compare("PGN", "games.pgn");
    compare("Scid", "games.si5");
    // Three where a game of the corpus cannot be read to its end.
    let indexed = tabiya(at, &["index", "games.pgn"]).status.code();
    assert!(matches!(indexed, Some(0 | 3)), "{indexed:?}");
    compare("PGN with an index", "games.pgn");
}

/// One event of each kind from the corpus: a query that finds it, and its kind.
const EVENTS: [(&str, &str); 6] = [
    ("event:\"Corus A\" site:Wijk date:2008", "all-play-all"),
    ("event:\"VI World Blitz\" date:2010", "all-play-all"),
    ("event:\"World Cup\" site:Khanty date:2009", "knock-out"),
    ("event:\"FIDE World Blitz 2014\" date:2014", "swiss"),
    ("event:Klompendans date:2001", "teams"),
    ("event:\"Carlsen-Tang Bullet\" date:2021", "match"),
];

const SCRIPT: &str = "
proc ::progressCallBack {args} {}
set b [sc_base open [lindex $argv 0]]
sc_base switch $b
foreach number [lrange $argv 1 end] {
  sc_game load $number
  puts [sc_game crosstable plain score swiss -colors -countries -ages +ratings -titles -breaks]
  puts END
}
exit
";

/// Signs of a name that are compared: Scid cuts long ones.
const WIDTH: usize = 20;

/// Scores and games by the beginnings of names, as Scid's table shows them: ` 1: Anand, Viswanathan  2799   8.5 / 13 …`.
fn scores_of_scid(text: &str) -> BTreeMap<String, (f64, u64)> {
    let mut scores = BTreeMap::new();
    for line in text.lines() {
        let Some((rank, rest)) = line.split_once(": ") else {
            continue;
        };
        let Some((before, after)) = rest.split_once(" /") else {
            continue;
        };
        if rank.trim().parse::<u32>().is_err() {
            continue;
        }
        let (front, points) = before.trim_end().rsplit_once(' ').expect("a score");
        // Behind the name stands the rating, where there is one.
        let front = front.trim_end();
        let name = match front.rsplit_once(' ') {
            Some((name, elo)) if elo.parse::<u16>().is_ok() => name,
            _ => front,
        };
        let name: String = name.trim().chars().take(WIDTH).collect();
        let games = after.split_whitespace().next().expect("games");
        scores.insert(
            name.trim().to_owned(),
            (
                points.parse().expect("points"),
                games.parse().expect("games"),
            ),
        );
    }
    scores
}

#[test]
fn scores_are_those_of_scid() {
    let (Some(tkscid), Some(corpus)) = (
        tabiya_testing::tkscid(),
        tabiya_testing::shared("corpora/otb.pgn.zst"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let any: Vec<String> = EVENTS
        .iter()
        .map(|(query, _)| format!("({query})"))
        .collect();
    let corpus = corpus.display().to_string();
    let found = tabiya(
        at,
        &["search", &corpus, &any.join(" or "), "-o", "events.si4"],
    );
    assert!(
        found.status.success(),
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    std::fs::write(at.join("script.tcl"), SCRIPT).expect("written");
    let told = json(at, &["crosstable", "events.si4", "--json"]);
    let mut first = Vec::new();
    for (_, kind) in EVENTS {
        let events = list(&told["events"]).iter();
        let events = events.filter(|event| event["kind"] == kind);
        for event in events {
            let games = list(&event["players"])
                .iter()
                .flat_map(|one| list(&one["results"]));
            let number = games.filter_map(|game| game["number"].as_u64()).min();
            first.push((event, number.expect("a game").to_string()));
        }
    }
    first.sort_by_key(|(_, number)| number.clone());
    first.dedup_by_key(|(_, number)| number.clone());
    assert_eq!(first.len(), EVENTS.len(), "the kinds are recognised");
    let output = Command::new(tkscid)
        .args(["script.tcl", "events"])
        .args(first.iter().map(|(_, number)| number))
        .current_dir(at)
        .env("HOME", at)
        .env_remove("DISPLAY")
        .output()
        .expect("Scid runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    for ((event, _), table) in first.iter().zip(text.split("END\n")) {
        let theirs = scores_of_scid(table);
        let players = list(&event["players"]);
        assert_eq!(players.len(), theirs.len(), "{}: {table}", event["event"]);
        for player in players {
            let name = player["name"].as_str().expect("a name");
            let name: String = name.chars().take(WIDTH).collect();
            let (points, games) = theirs.get(name.trim()).copied().unwrap_or_default();
            let ours = player["points"].as_f64().expect("points");
            assert!(
                (ours - points).abs() < 0.001,
                "{name}: {ours} and {points}: {table}"
            );
            let unfinished = list(&player["results"])
                .iter()
                .filter(|game| game["points"].is_null());
            let ours = player["games"]
                .as_u64()
                .map(|games| games + unfinished.count() as u64);
            assert_eq!(ours, Some(games), "{name}: {table}");
        }
    }
}

#[test]
fn of_nothing_nothing_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("empty.pgn"), "").expect("written");
    std::fs::write(at.join("games.pgn"), event(3, 8, 5)).expect("written");
    std::fs::write(
        at.join("odd.pgn"),
        "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n\n\
         [Event \"One\"]\n[Date \"????.??.??\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n\n",
    )
    .expect("written");
    for args in [
        &["crosstable", "empty.pgn"][..],
        &["crosstable", "games.pgn", "--event", "Nowhere"],
        &["crosstable", "games.pgn", "--min-games", "1000"],
        &["crosstable", "games.pgn", "--query", "player:Nobody"],
    ] {
        let output = tabiya(at, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    for args in [
        &["crosstable", "games.pgn", "--game", "0"][..],
        &["crosstable", "games.pgn", "--game", "999"],
        &["crosstable", "games.pgn", "--kind", "league"],
    ] {
        assert_eq!(tabiya(at, args).status.code(), Some(2), "{args:?}");
    }
    // An event of one game on no date; a game of no event is of none.
    let told = json(at, &["crosstable", "odd.pgn", "--json"]);
    let [one] = list(&told["events"]) else {
        panic!("one event: {told}");
    };
    assert_eq!((&one["event"], &one["games"]), (&"One".into(), &1.into()));
    assert_eq!(one["first"], Value::Null);
}

#[test]
fn each_form_shows_the_same_players() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("games.pgn"), event(5, 12, 6)).expect("written");
    let shown = |args: &[&str]| {
        let mut all = vec!["crosstable", "games.pgn"];
        all.extend(args);
        let output = tabiya(at, &all);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let (text, html, csv) = (shown(&[]), shown(&["--html"]), shown(&["--csv"]));
    assert!(
        csv.starts_with("event,site,first,last,kind,rank,player,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 13);
    for player in 0..12 {
        let name = format!("P{player}");
        assert!(
            text.contains(&name) && csv.contains(&format!(",{name},")),
            "{name}"
        );
        assert!(html.contains(&format!("<td>{name}</td>")), "{name}");
    }
    assert!(shown(&["--list"]).contains("\t12 players\t36 games"));
    let game = json(at, &["crosstable", "games.pgn", "--json", "--game", "7"]);
    assert_eq!(list(&game["events"]).len(), 1);
    let teams = shown(&["--kind", "all-play-all", "--tie-break", "wins,buchholz"]);
    assert!(teams.contains("won") && teams.contains("■"), "{teams}");
}

#[test]
fn a_hundred_thousand_events_are_told_apart() {
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
    // One of them is large: nobody asks for each pair of its players.
    for number in 0..20_000 {
        write!(
            games,
            "[Event \"large\"]\n[Round \"1\"]\n[White \"A{number}\"]\n[Black \"B{number}\"]\n[Result \"0-1\"]\n\n0-1\n\n"
        )
        .expect("written");
    }
    std::fs::write(at.join("games.pgn"), games).expect("written");
    let output = tabiya(at, &["crosstable", "games.pgn", "--list"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().count(),
        100_001
    );
    let large = [
        "crosstable",
        "games.pgn",
        "--csv",
        "--event",
        "large",
        "--kind",
        "all-play-all",
    ];
    let output = tabiya(at, &large);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().count(),
        40_001
    );
}
