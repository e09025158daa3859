//! `tabiya names`: planted variants are found and told apart, and names are put right in copies and in place.

#![allow(clippy::print_stderr, reason = "what was compared is said")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{json, list, tabiya};

/// Games of `white, black, event, site, round, date, white's elo`.
fn games(rows: &[[&str; 7]]) -> String {
    let mut text = String::new();
    for [white, black, event, site, round, date, elo] in rows {
        write!(
            text,
            "[Event \"{event}\"]\n[Site \"{site}\"]\n[Date \"{date}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n\
             [Black \"{black}\"]\n[Result \"1-0\"]\n[WhiteElo \"{elo}\"]\n\n1. e4 {{ one }} e5 1-0\n\n"
        )
        .expect("written");
    }
    text
}

/// A row of a player in an event of his own.
fn row<'a>(white: &'a str, event: &'a str, date: &'a str, elo: &'a str) -> [&'a str; 7] {
    [white, "Somebody, Else", event, "Oslo", "1", date, elo]
}

/// What is found: for each name that may be another spelling, the one that stays, how, and whether others are told.
fn found(answer: &Value) -> BTreeMap<String, (String, String, bool)> {
    let mut found = BTreeMap::new();
    for group in list(&answer["groups"]) {
        let keep = group["keep"]["name"].as_str().expect("a name");
        for variant in list(&group["variants"]) {
            let name = variant["name"].as_str().expect("a name");
            let how = variant["how"].as_str().expect("how");
            let is_open = !list(&variant["or"]).is_empty();
            found.insert(name.to_owned(), (keep.to_owned(), how.to_owned(), is_open));
        }
    }
    found
}

#[test]
fn planted_variants_are_found_and_others_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let rows = [
        row("Kortschnoj, Viktor", "A", "1980.01.01", "2600"),
        row("Kortschnoj, Viktor", "B", "1981.01.01", "2610"),
        // Spelling, accents, transliteration, Cyrillic.
        row("Korchnoi, Viktor", "C", "1981.02.01", "2620"),
        row("KORTSCHNOJ, VIKTOR", "D", "1981.03.01", "2600"),
        row("Müller, Karsten", "E", "1999.01.01", ""),
        row("Mueller, Karsten", "F", "1999.02.01", ""),
        row("Ivanchuk, Vassily", "G", "1999.01.01", ""),
        row("Иванчук, Василий", "H", "1999.01.01", ""),
        // Swapped, title, initials, a letter.
        row("Viktor, Kortschnoj", "I", "1980.05.01", ""),
        row("GM Kortschnoj, Viktor", "J", "1980.06.01", ""),
        row("Kortschnoj, V", "K", "1980.07.01", ""),
        row("Kortschnij, Viktor", "L", "1980.08.01", ""),
        // Two players of one family: nobody knows who the short one is.
        row("Polgar, Susan", "M", "1990.01.01", ""),
        row("Polgar, Judit", "N", "1990.01.01", ""),
        row("Polgar", "O", "1990.01.01", ""),
        // They met, they sat in one event, their ratings do not fit, they never lived at one time: others.
        [
            "Adams, Michael",
            "Adams, M",
            "P",
            "Oslo",
            "1",
            "1990.01.01",
            "",
        ],
        row("Smith, John", "Q", "1990.01.01", ""),
        [
            "Smith, J",
            "Another, One",
            "Q",
            "Oslo",
            "2",
            "1990.01.02",
            "",
        ],
        row("Jones, Peter", "R", "1990.01.01", "2500"),
        row("Jones, P", "S", "1990.02.01", "1900"),
        row("Brown, Carl", "T", "1870.01.01", ""),
        row("Brown, C", "U", "1990.01.01", ""),
    ];
    std::fs::write(at.join("games.pgn"), games(&rows)).expect("written");
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    for base in ["games.pgn", "games.si5"] {
        let found = found(&json(at, &["names", base, "--of", "players", "--json"]));
        for (name, how) in [
            ("Korchnoi, Viktor", "spelling"),
            ("KORTSCHNOJ, VIKTOR", "spelling"),
            ("Viktor, Kortschnoj", "swapped"),
            ("GM Kortschnoj, Viktor", "title"),
            ("Kortschnoj, V", "short"),
            ("Kortschnij, Viktor", "misspelt"),
        ] {
            let expected = ("Kortschnoj, Viktor".to_owned(), how.to_owned(), false);
            assert_eq!(
                found.get(name),
                Some(&expected),
                "{name} in {base}: {found:?}"
            );
        }
        let either = |one: &str, other: &str| found.contains_key(one) || found.contains_key(other);
        assert!(either("Müller, Karsten", "Mueller, Karsten"), "{found:?}");
        assert!(either("Ivanchuk, Vassily", "Иванчук, Василий"), "{found:?}");
        assert!(found["Polgar"].2, "told to be several: {found:?}");
        for other in [
            "Adams, M",
            "Smith, J",
            "Jones, P",
            "Brown, C",
            "Polgar, Judit",
        ] {
            assert!(!found.contains_key(other), "{other} in {base}: {found:?}");
        }
    }
}

#[test]
fn events_sites_and_rounds_are_found_by_their_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let rows = [
        [
            "A",
            "B",
            "Hoogovens",
            "Wijk aan Zee NED",
            "1",
            "1980.01.01",
            "",
        ],
        [
            "C",
            "D",
            "Hoogovens",
            "Wijk aan Zee NED",
            "2",
            "1980.01.02",
            "",
        ],
        [
            "E",
            "F",
            "HOOGOVENS",
            "Wijk aan Zee",
            "Round 2",
            "1981.01.01",
            "",
        ],
        [
            "G",
            "H",
            "Hoogovens A",
            "Wijk-aan-Zee NED",
            "02",
            "1982.01.01",
            "",
        ],
        ["I", "J", "Open", "London ENG", "1", "1982.01.01", ""],
        ["K", "L", "Open", "London CAN", "1", "1982.01.01", ""],
        ["M", "N", "Open", "London", "1", "1982.01.01", ""],
    ];
    std::fs::write(at.join("games.pgn"), games(&rows)).expect("written");
    let of = |kinds: &str| found(&json(at, &["names", "games.pgn", "--json", "--of", kinds]));
    let events = of("events");
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events["HOOGOVENS"].0, "Hoogovens");
    let sites = of("sites");
    assert_eq!(sites["Wijk aan Zee"].1, "country");
    assert_eq!(sites["Wijk-aan-Zee NED"].0, "Wijk aan Zee NED");
    // There are two places of that name.
    assert!(!sites.contains_key("London"), "{sites:?}");
    let rounds = of("rounds");
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    let all = of("players,events,sites,rounds");
    assert_eq!(all.len(), events.len() + sites.len() + rounds.len());
}

const SPELLING: &str = "@PLAYER \", .-\"\nKasparov, Garry  #gm  URS-RUS [2851] 1963.04.13\n= Kasparow, G\n= Weinstein, Garik\n\
    %Elo 1990:2800,2805\n%FIDEID 4100018\n@SITE\nOslo NOR\n= Kristiania\n@ROUND\n%Prefix \"Round \" \"\"\n";

const LIST: &str = "<playerslist><player><fideid>5</fideid><name>Else, Somebody</name><country>NOR</country><title>IM</title>\
    <rating>2400</rating></player></playerslist>";

fn tags(folder: &Path, base: &str) -> Vec<BTreeMap<String, String>> {
    let output = tabiya(folder, &["cat", base]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut games = Vec::new();
    for game in text.split("[Event ").skip(1) {
        let game = format!("[Event {game}");
        assert!(game.contains("one"), "the moves stay: {game}");
        let lines = game.lines().filter_map(|line| {
            let (name, value) = line.strip_prefix('[')?.split_once(" \"")?;
            Some((name.to_owned(), value.trim_end_matches("\"]").to_owned()))
        });
        games.push(lines.collect());
    }
    games
}

#[test]
fn names_are_put_right_in_copies_and_in_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let rows = [
        [
            "Kasparow, G",
            "Else, Somebody",
            "A",
            "Kristiania",
            "Round 3",
            "1990.08.01",
            "",
        ],
        [
            "Weinstein Garik",
            "Nobody, N",
            "B",
            "Oslo NOR",
            "3",
            "1990.??.??",
            "2700",
        ],
        [
            "Karpov, A",
            "Nobody, N",
            "C",
            "Moscow",
            "3",
            "1990.08.01",
            "",
        ],
    ];
    std::fs::write(at.join("games.pgn"), games(&rows)).expect("written");
    std::fs::write(at.join("names.ssp"), SPELLING).expect("written");
    std::fs::write(at.join("list.xml"), LIST).expect("written");
    let fill = [
        "--fill",
        "title,federation,elo,id",
        "--ratings",
        "list.xml",
        "--ratings-of",
        "1990.08",
    ];
    let check = |base: &str| {
        let games = tags(at, base);
        let value = |game: usize, tag: &str| games[game].get(tag).map(String::as_str);
        assert_eq!(value(0, "White"), Some("Kasparov, Garry"), "{base}");
        assert_eq!(
            (value(0, "Site"), value(0, "Round")),
            (Some("Oslo NOR"), Some("3"))
        );
        assert_eq!(value(0, "WhiteElo"), Some("2805"), "{base}");
        assert_eq!(value(0, "WhiteTitle"), Some("GM"));
        assert_eq!(value(0, "WhiteFederation"), Some("RUS"));
        assert_eq!(value(0, "WhiteFideId"), Some("4100018"));
        assert_eq!(
            (value(0, "BlackElo"), value(0, "BlackTitle")),
            (Some("2400"), Some("IM"))
        );
        // What is there stays, and nobody knows the rating of a year.
        assert_eq!(
            (value(1, "White"), value(1, "WhiteElo")),
            (Some("Kasparov, Garry"), Some("2700"))
        );
        assert_eq!(
            (value(2, "White"), value(2, "WhiteTitle")),
            (Some("Karpov, A"), None)
        );
    };
    for target in ["copy.pgn", "copy.si5", "copy.ndjson"] {
        let mut args = vec!["names", "games.pgn", "--apply", "names.ssp", "-o", target];
        args.extend(fill);
        let output = tabiya(at, &args);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let told = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(
            told.contains("players\tKasparow, G\t->\tKasparov, Garry\t1 game"),
            "{told}"
        );
        check(target);
    }
    for base in ["games.pgn", "base.si5"] {
        if base != "games.pgn" {
            tabiya(at, &["convert", "again.pgn", base]);
        }
        let before = tabiya(at, &["cat", base]).stdout;
        if base == "games.pgn" {
            std::fs::write(at.join("again.pgn"), &before).expect("written");
        }
        let mut args = vec!["names", base, "--apply", "names.ssp"];
        args.extend(fill);
        let mut dry = args.clone();
        dry.push("--dry-run");
        let output = tabiya(at, &dry);
        assert_eq!(output.status.code(), Some(0));
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("change 1\t"),
            "{base}"
        );
        assert_eq!(
            tabiya(at, &["cat", base]).stdout,
            before,
            "{base}: a dry run changes nothing"
        );
        assert_eq!(tabiya(at, &args).status.code(), Some(0), "{base}");
        check(base);
        assert_eq!(
            tabiya(at, &args).status.code(),
            Some(1),
            "{base}: nothing is left to do"
        );
        assert_eq!(tabiya(at, &["edit", base, "undo"]).status.code(), Some(0));
        assert_eq!(
            tabiya(at, &["cat", base]).stdout,
            before,
            "{base}: taken back"
        );
    }
}

/// A spelling file with every kind of line, and names that it puts right.
const SCIDS: &str = "# made for this test\n@PLAYER \", .-\"\nKasparov, Garry  #gm   URS-RUS [2851] 1963.04.13\n= Kasparow, G # spelling\n\
    = Weinstein, Garik\n%Bio He played.\n%Elo 1995:2800,2790\nTal, Mihail #gm LAT 1936.11.09--1992.06.28\n= Tal M\n\
    @SITE\n%Suffix \" Netherlands\" \" NED\"\n%Suffix \" NED\" \" none\"\nWijk aan Zee NED\n= Wijk\n= Hoogovens place\n\
    @EVENT \" \"\n%Prefix \"II \" \"2. \"\n%Prefix \"2. \" \"none \"\n%Infix \"3rd \" \"3. \"\n%Infix \"Tourn.\" \"Tournament\"\n\
    %Suffix \"(Italy)\" \"ITA\"\nGreat Open\n= GreatOpn\n@ROUND\n%Prefix \"Round \" \"\"\n%Prefix \"R\" \"\"\n";

const SCID_SAYS: &str = "
proc ::progressCallBack {args} {}
set base [sc_base open [lindex $argv 0]]
sc_base switch $base
sc_name read [lindex $argv 1]
foreach kind {player event site round} {
  puts \"== ${kind}s\"
  puts [sc_name spellcheck -max 1000 -ambiguous 0 -surnames 1 $kind]
}
exit
";

#[test]
fn what_scid_puts_right_is_put_right_alike() {
    let Some(tkscid) = tabiya_testing::tkscid() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let players = [
        "Garry Kasparov",
        "Kasparow G.",
        "Kasparow, G",
        "Garik Weinstein",
        "Kasparov, Garry",
        "Tal-M",
        "M Tal",
        "Karpov, A",
        "Nobody",
        "A",
    ];
    let events = [
        "II champ 3rd II 3rd (Italy) (Italy)",
        "II 2. x",
        "Great Opn",
        "Great Open",
        "Tourn. of Tourn. masters",
    ];
    let sites = [
        "Leiden Netherlands",
        "Wijk aan Zee Netherlands",
        "Wijk",
        "Hoogovens place",
        "Oslo NOR",
    ];
    let rounds = ["Round 5", "R5", "5", "Round R5", "x"];
    let rows: Vec<[&str; 7]> = (0..5)
        .map(|at| {
            [
                players[2 * at],
                players[2 * at + 1],
                events[at],
                sites[at],
                rounds[at],
                "1995.08.01",
                "",
            ]
        })
        .collect();
    std::fs::write(at.join("games.pgn"), games(&rows)).expect("written");
    std::fs::write(at.join("names.ssp"), SCIDS).expect("written");
    std::fs::write(at.join("script.tcl"), SCID_SAYS).expect("written");
    tabiya(at, &["convert", "games.pgn", "games.si4"]);
    let output = Command::new(tkscid)
        .args(["script.tcl", "games", "names.ssp"])
        .current_dir(at)
        .env("HOME", at)
        .env_remove("DISPLAY")
        .output()
        .expect("Scid runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut theirs = std::collections::BTreeSet::new();
    let mut kind = "";
    for line in told.lines() {
        kind = line.strip_prefix("== ").unwrap_or(kind);
        // `"Old Name" >> "New Name" (1)`
        let parts: Vec<&str> = line.split('"').collect();
        if let ["", old, arrow, new, ..] = parts[..]
            && arrow.trim() == ">>"
        {
            theirs.insert((kind.to_owned(), old.to_owned(), new.to_owned()));
        }
    }
    let apply = [
        "names",
        "games.si4",
        "--apply",
        "names.ssp",
        "-o",
        "new.pgn",
        "--json",
    ];
    let ours = json(at, &apply);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let ours = list(&ours["names"])
        .iter()
        .map(|one| (text(&one["kind"]), text(&one["old"]), text(&one["new"])));
    assert_eq!(
        ours.collect::<std::collections::BTreeSet<_>>(),
        theirs,
        "{told}"
    );
    assert!(theirs.len() > 10, "{told}");
}

#[test]
fn what_was_found_can_be_put_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let rows = [
        row("Tal, Mihail", "A", "1960.01.01", ""),
        row("Tal, Mihail", "B", "1961.01.01", ""),
        row("Tal, M", "C", "1962.01.01", ""),
        row("TAL, MIHAIL", "D", "1963.01.01", ""),
    ];
    std::fs::write(at.join("games.pgn"), games(&rows)).expect("written");
    let find = ["names", "games.pgn", "--corrections", "names.ssp"];
    assert_eq!(tabiya(at, &find).status.code(), Some(0));
    // It is not written over.
    assert_eq!(tabiya(at, &find).status.code(), Some(2));
    let apply = ["names", "games.pgn", "--apply", "names.ssp"];
    assert_eq!(tabiya(at, &apply).status.code(), Some(0));
    assert_eq!(
        tabiya(at, &["names", "games.pgn"]).status.code(),
        Some(1),
        "all is right"
    );
    for args in [
        &[
            "search",
            "games.pgn",
            "--count",
            "--aliases",
            "names.ssp",
            "white:\"Tal, Mihail\"",
        ][..],
        &[
            "player",
            "Tal, Mihail",
            "games.pgn",
            "--aliases",
            "names.ssp",
        ],
    ] {
        let told = tabiya(at, args).stdout;
        assert!(String::from_utf8_lossy(&told).contains('4'), "{args:?}");
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(
        at.join("games.pgn"),
        games(&[row("A, B", "C", "1960.01.01", "")]),
    )
    .expect("written");
    std::fs::write(at.join("empty.pgn"), "").expect("written");
    std::fs::write(at.join("bad.ssp"), "Tal, Mihail\n").expect("written");
    std::fs::write(at.join("good.ssp"), "@PLAYER\nTal, Mihail\n").expect("written");
    std::fs::write(
        at.join("bomb.xml"),
        "<!DOCTYPE a [<!ENTITY b \"c\">]><playerslist/>",
    )
    .expect("written");
    assert_eq!(tabiya(at, &["names", "empty.pgn"]).status.code(), Some(1));
    for args in [
        &["names", "games.pgn", "--apply", "bad.ssp"][..],
        &["names", "games.pgn", "--apply", "missing.ssp"],
        &[
            "names",
            "games.pgn",
            "--apply",
            "good.ssp",
            "--fill",
            "elo",
            "--ratings",
            "bomb.xml",
        ],
        &[
            "names",
            "games.pgn",
            "--apply",
            "good.ssp",
            "--fill",
            "elo",
            "--ratings",
            "bad.ssp",
        ],
        &["names", "games.pgn", "empty.pgn", "--apply", "good.ssp"],
        &["names", "games.pgn", "--fill", "elo"],
    ] {
        let output = tabiya(at, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_crowd_of_one_name_is_no_trap() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut text = String::new();
    for number in 0..20_000 {
        write!(
            text,
            "[White \"Wang, X{number}\"]\n[Black \"Li, {number}\"]\n[Result \"0-1\"]\n\n0-1\n\n"
        )
        .expect("written");
    }
    std::fs::write(at.join("games.pgn"), text).expect("written");
    let output = tabiya(at, &["names", "games.pgn", "--of", "players"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("names share `vang`"), "{told}");
}

#[test]
fn every_figure_and_every_plain_pair_is_that_of_a_plain_computation() {
    let Some(corpus) = tabiya_testing::shared("corpora/otb.pgn.zst") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let only = tabiya_testing::run_of_games(10_000, 270_000);
    let corpus = corpus.display().to_string();
    tabiya(at, &["convert", &corpus, "games.pgn", "--only", &only]);
    tabiya(at, &["convert", "games.pgn", "games.si5"]);
    for base in ["games.pgn", "games.si5"] {
        let told = tabiya(at, &["names", base, "--of", "players", "--json"]).stdout;
        std::fs::write(at.join("names.json"), told).expect("written");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/names.py");
        let Some(mut plain) = tabiya_testing::python_with("json") else {
            return;
        };
        let plain = plain.arg(script).args(["games.pgn", "names.json"]);
        let plain = plain.current_dir(at).output().expect("it runs");
        let error = String::from_utf8_lossy(&plain.stderr);
        assert!(plain.status.success(), "{base}, games {only}: {error}");
        eprintln!("{base}: {}", String::from_utf8_lossy(&plain.stdout));
    }
}
