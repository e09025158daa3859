//! One rule for the exit codes of all commands (`docs/cli.md`), over formats and kinds of damage.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tabiya_formats::format::{Format, FormatSupport};
use tabiya_formats::registry::FORMATS;
use tabiya_testing::TestRandom;
use tempfile::TempDir;

const GOOD: &str = "[Event \"One\"]\n[Site \"?\"]\n[Date \"2024.01.02\"]\n[Round \"1\"]\n[White \"Adams\"]\n[Black \"Baker\"]\n\
    [Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n";
const DAMAGED: &str = "[Event \"Two\"]\n[White \"Clark\"]\n[Black \"Davis\"]\n[Result \"*\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n";

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        place.put("good.pgn", GOOD.as_bytes());
        place.put("damaged.pgn", format!("{GOOD}{DAMAGED}").as_bytes());
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("written");
    }

    fn run(&self, args: &[&str]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(self.0.path())
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        Run {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            output,
        }
    }
}

struct Run {
    args: Vec<String>,
    output: Output,
}

impl Run {
    fn code(&self) -> i32 {
        self.output.status.code().expect("no signal")
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn out(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    #[track_caller]
    fn ends(&self, code: i32) {
        assert_eq!(
            self.code(),
            code,
            "{:?}\nstdout: {}\nstderr: {}",
            self.args,
            self.out(),
            self.err()
        );
    }

    /// What a command says agrees with its code.
    #[track_caller]
    fn keeps_the_rule(&self) {
        let (err, out) = (self.err(), self.out());
        let context = || {
            format!(
                "{:?} ended with {}\nstdout: {out}\nstderr: {err}",
                self.args,
                self.code()
            )
        };
        // What --strict asks for is a loss that is told, and no failure.
        let fails = err
            .lines()
            .any(|line| line.starts_with("error:") && !line.ends_with("(--strict)"));
        // Nobody who reads "nothing lost" has to look for damage or another code.
        let is_damaged = err.contains("damage: ") || err.contains("damaged: everything");
        assert!(
            !err.contains("nothing lost") || (self.code() == 0 && !is_damaged),
            "{}",
            context()
        );
        match self.code() {
            0 => assert!(
                !fails && !err.contains(" lost: ") && !is_damaged,
                "{}",
                context()
            ),
            1 => assert!(!fails, "{}", context()),
            2 => assert!(fails, "{}", context()),
            3 => {
                let said = format!("{out}{err}");
                let says = ["damage", "lost: ", "could not be decoded", "(--strict)"];
                assert!(
                    !fails && says.iter().any(|word| said.contains(word)),
                    "{}",
                    context()
                );
            }
            _ => panic!("{}", context()),
        }
    }
}

/// Commands that read one database, named `{}`; those that write make `{}.out.pgn`.
const READING: &[&[&str]] = &[
    &["info", "{}"],
    &["info", "--full", "{}"],
    &["info", "--json", "{}"],
    &["ls", "{}"],
    &["ls", "--csv", "{}"],
    &["cat", "{}"],
    &["cat", "--json", "{}"],
    &["check", "{}"],
    &["check", "--json", "{}"],
    &["search", "{}", "plies>=0"],
    &["search", "--count", "{}", "plies>=0"],
    &["search", "--pgn", "{}", "result:1-0"],
    &["search", "--force", "-o", "out.pgn", "{}", "plies>=0"],
    &["explore", "{}"],
    &["explore", "--json", "masters", "{}"],
    &["explore", "--tree", "pgn", "--min-games", "1", "{}"],
    &["eco", "{}"],
    &["eco", "--force", "{}", "-o", "out.pgn"],
    &["convert", "--force", "{}", "out.pgn"],
    &["convert", "--force", "--verify", "{}", "out.si5"],
    &["convert", "--force", "--strict", "{}", "out.ndjson"],
    &["repair", "--force", "{}", "out.pgn"],
    &["diff", "{}", "{}"],
    &["diff", "--json", "{}", "good.pgn"],
    &["identify", "{}"],
    &["jose", "encode", "{}"],
    &["edit", "--dry-run", "{}", "flag", "1", "--set", "W"],
    &["edit", "{}", "history"],
    &["explore", "--player", "Adams", "{}"],
];

/// Commands that change a database, each of which gets one of its own.
const CHANGING: &[&[&str]] = &[
    &["edit", "{}", "append", "good.pgn"],
    &["edit", "{}", "append", "damaged.pgn"],
    &["edit", "{}", "delete", "1"],
    &["edit", "{}", "flag", "1", "--set", "W"],
    &["edit", "{}", "replace", "1", "good.pgn"],
    &["edit", "{}", "sort", "white"],
    &["edit", "{}", "compact"],
    &["edit", "{}", "undelete", "1"],
    &["edit", "{}", "set", "White=Somebody"],
    &["edit", "{}", "strip", "comments"],
    &["edit", "{}", "undo"],
    &["edit", "{}", "restore", "1", "--version", "1"],
    &["edit", "{}", "describe", "--description", "of a test"],
    &["index", "{}"],
    &["index", "--verify", "{}"],
    &["index", "--remove", "{}"],
];

fn with(args: &[&str], name: &str) -> Vec<String> {
    args.iter().map(|arg| arg.replace("{}", name)).collect()
}

fn run(place: &Place, args: &[&str], name: &str) -> Run {
    let args = with(args, name);
    place.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Formats of games that are read and written, so that a small base can be made.
fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().copied().filter(|format| {
        format.capabilities.read != FormatSupport::None
            && format.create.is_some()
            && format.capabilities.comments
    })
}

/// Bytes that look like nothing.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut random = TestRandom::new(seed);
    (0..length).map(|_| random.number() as u8).collect()
}

/// The files of a database, which may be a folder of files.
fn files_of(place: &Place, stem: &str) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        std::fs::read_dir(folder)
            .expect("listed")
            .map(|entry| entry.expect("an entry").path())
            .collect::<Vec<PathBuf>>()
    };
    let mut left = entries(place.0.path());
    left.retain(|path| path.file_stem().is_some_and(|name| name == stem));
    let mut files = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(entries(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Lets every command read a database, and sees to it that it keeps the rule.
fn all_keep_the_rule(place: &Place, name: &str) {
    for args in READING {
        run(place, args, name).keeps_the_rule();
    }
}

#[test]
fn every_command_keeps_the_rule_whatever_the_format_and_the_damage() {
    let place = Place::new();
    let mut bases = 0;
    for format in formats() {
        let extension = format.extensions[0];
        let name = format!("base.{extension}");
        place
            .run(&["convert", "--force", "good.pgn", &name])
            .keeps_the_rule();
        all_keep_the_rule(&place, &name);
        // Each file of it cut, emptied, spoilt and gone.
        for file in files_of(&place, "base") {
            let whole = std::fs::read(&file).expect("read");
            let mut spoilt = whole.clone();
            if let Some(byte) = spoilt.get_mut(whole.len() / 2) {
                *byte ^= 0x55;
            }
            for damage in [&whole[..whole.len() / 2], b"", &spoilt] {
                std::fs::write(&file, damage).expect("written");
                for args in READING.iter().step_by(2) {
                    run(&place, args, &name).keeps_the_rule();
                }
            }
            std::fs::remove_file(&file).expect("removed");
            for args in READING.iter().skip(1).step_by(4) {
                run(&place, args, &name).keeps_the_rule();
            }
            std::fs::write(&file, &whole).expect("written");
        }
        for file in files_of(&place, "base") {
            std::fs::remove_file(file).expect("removed");
        }
        bases += 1;
    }
    assert!(bases >= 6);
}

#[test]
fn what_changes_a_base_keeps_the_rule_whatever_the_format_and_the_damage() {
    for format in formats() {
        let place = Place::new();
        let name = format!("base.{}", format.extensions[0]);
        place
            .run(&["convert", "--force", "good.pgn", &name])
            .keeps_the_rule();
        let files = files_of(&place, "base");
        let whole: Vec<Vec<u8>> = (files.iter())
            .map(|file| std::fs::read(file).expect("read"))
            .collect();
        let restore = || {
            for file in files_of(&place, "base") {
                std::fs::remove_file(file).expect("removed");
            }
            for (file, bytes) in files.iter().zip(&whole) {
                std::fs::write(file, bytes).expect("written");
            }
        };
        for args in CHANGING {
            run(&place, args, &name).keeps_the_rule();
            restore();
        }
        for (damaged, bytes) in files.iter().zip(&whole) {
            for (args, length) in CHANGING.iter().zip([bytes.len() / 2, 0].iter().cycle()) {
                std::fs::write(damaged, &bytes[..*length]).expect("written");
                run(&place, args, &name).keeps_the_rule();
                restore();
            }
        }
    }
}

/// Commands that answer from a database, named `{}`, whether they read its games or ask what is known about them.
const ASKING: &[&[&str]] = &[
    &["info", "{}"],
    &["ls", "{}"],
    &["ls", "--json", "{}"],
    &["cat", "{}"],
    &["search", "{}", "white:Adams"],
    &["search", "--count", "{}", "white:Adams"],
    &["search", "--count", "{}", "move:Nf3"],
    &["search", "--group-by", "players", "{}", "white:Adams"],
    &["stats", "{}"],
    &["stats", "--full", "{}"],
    &["player", "Adams", "{}"],
    &["explore", "{}"],
    &["names", "{}"],
    &["crosstable", "{}"],
    &["dedupe", "{}"],
    &["novelty", "{}"],
    &["deepest", "{}"],
    &["eco", "{}"],
    &["diff", "{}", "{}"],
    &["check", "{}"],
    &["convert", "--force", "{}", "out.pgn"],
    &["convert", "--force", "--only", "2-999", "{}", "out.pgn"],
    &["search", "--force", "-o", "out.pgn", "{}", "white:Adams"],
    &["dedupe", "--force", "-o", "out.pgn", "{}"],
    &["eco", "--force", "{}", "-o", "out.pgn"],
];

#[test]
fn games_that_are_missing_are_told_by_every_command() {
    let place = Place::new();
    let games: String = (1..=500)
        .map(|number: u64| {
            // What is compressed has to have something in it.
            let sign: String = (noise(40, number).iter())
                .map(|byte| char::from(b'a' + byte % 26))
                .collect();
            GOOD.replace("One", &sign).replace("Baker", &sign)
        })
        .collect();
    place.put("many.pgn", games.as_bytes());
    for (name, code) in [
        ("cut.si5", "scid-partial-entry"),
        ("cut.pgn.zst", "pgn-cut-input"),
        ("cut.pgn.gz", "pgn-cut-input"),
        ("cut.ndjson.zst", "ndjson-cut-input"),
    ] {
        place.run(&["convert", "many.pgn", name]).ends(0);
        let whole = std::fs::read(place.path(name)).expect("read");
        place.put(name, &whole[..whole.len() * 2 / 3 + 1]);
        let tells = |run: &Run| {
            let said = format!("{}{}", run.out(), run.err());
            assert!(
                matches!(run.code(), 1 | 3) && said.contains(code),
                "{:?} ended with {}: {said}",
                run.args,
                run.code()
            );
        };
        for args in ASKING {
            let run = run(&place, args, name);
            run.keeps_the_rule();
            tells(&run);
        }
        // What an index beside it knows is no more than what was there.
        run(&place, &["index", "{}"], name);
        for args in ASKING {
            tells(&run(&place, args, name));
        }
    }
    // The same through a pipe, which can be read only once.
    let input = std::fs::File::open(place.path("cut.pgn.gz")).expect("open");
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["search", "--count", "-", "white:Adams"])
        .stdin(input)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("pgn-cut-input"), "{said}");
}

#[test]
fn noise_is_no_database_whatever_its_name() {
    let place = Place::new();
    let names = [
        "pgn", "epd", "fen", "cbf", "si3", "si4", "si5", "cbh", "cdp", "sql", "jose", "ndjson",
        "json", "fbk", "bin", "zip", "tar", "gz", "cbv", "mystery",
    ];
    for (seed, extension) in (1..).zip(names) {
        let name = format!("noise.{extension}");
        place.put(&name, &noise(3000, seed * 77));
        for command in ["info", "check", "convert", "ls"] {
            let mut args = vec![command, &name];
            if command == "convert" {
                args.extend(["--force", "out.pgn"]);
                args.swap(1, 2);
            }
            place.run(&args).ends(2);
        }
    }
    // A base of several files, all of them noise.
    for stems in [
        &["cbf", "cbi"][..],
        &["si4", "sg4", "sn4"],
        &["cdp", "emb", "d00", "a02", "d02"],
        &["cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs"],
    ] {
        for (seed, extension) in (1..).zip(stems) {
            place.put(&format!("all.{extension}"), &noise(3000, seed * 99));
        }
        let name = format!("all.{}", stems[0]);
        place.run(&["info", "--full", &name]).ends(2);
    }
}

#[test]
fn damaged_games_are_told_by_every_command_that_read_them() {
    let place = Place::new();
    all_keep_the_rule(&place, "damaged.pgn");
    for (args, code) in [
        (&["cat", "damaged.pgn"][..], 3),
        (&["cat", "damaged.pgn", "1"], 0),
        (&["cat", "damaged.pgn", "2"], 3),
        (&["cat", "--json", "damaged.pgn", "last"], 3),
        (&["ls", "--json", "damaged.pgn"], 3),
        (&["check", "damaged.pgn"], 3),
        (&["info", "--full", "damaged.pgn"], 3),
        (&["convert", "--force", "damaged.pgn", "out.pgn"], 3),
        (
            &["convert", "--force", "--strict", "damaged.pgn", "out.pgn"],
            3,
        ),
        (&["search", "damaged.pgn", "white:Nobody"], 1),
        (&["explore", "damaged.pgn"], 3),
        (&["explore", "damaged.pgn", "--line", "h4"], 1),
        (&["explore", "damaged.pgn", "--player", "Adams"], 0),
        (&["explore", "damaged.pgn", "--player", "Clark"], 3),
        (&["jose", "encode", "damaged.pgn"], 3),
        (&["jose", "encode", "good.pgn"], 0),
        (&["jose", "decode", "FF"], 0),
        (&["jose", "decode", "13"], 3),
        (&["jose", "decode", "no hex"], 2),
        (&["diff", "damaged.pgn", "damaged.pgn"], 0),
        (&["diff", "damaged.pgn", "good.pgn"], 1),
    ] {
        place.run(args).ends(code);
    }
    // An index knows which games are damaged, and asks as before whether they count.
    place.run(&["index", "damaged.pgn"]).ends(3);
    for (args, code) in [
        (&["explore", "damaged.pgn"][..], 3),
        (&["explore", "damaged.pgn", "--player", "Adams"], 0),
        (&["explore", "damaged.pgn", "--player", "Clark"], 3),
        (&["explore", "damaged.pgn", "--line", "h4"], 1),
        (&["explore", "damaged.pgn", "--query", "result:1-0"], 0),
        (&["index", "damaged.pgn"], 0),
        (&["index", "--verify", "damaged.pgn"], 0),
    ] {
        place.run(args).ends(code);
    }
}

#[test]
fn what_is_no_database_fails() {
    let place = Place::new();
    let mut named = Vec::new();
    for format in formats() {
        named.push(format.extensions[0]);
    }
    for (seed, extension) in (1..).zip(named) {
        let name = format!("noise.{extension}");
        place.put(&name, &noise(4000, seed));
        for args in READING.iter().filter(|args| args[0] != "repair") {
            let ended = run(&place, args, &name);
            ended.keeps_the_rule();
        }
    }
    for seed in 0..300_u64 {
        let length = 16 + usize::try_from(seed).expect("small") * 7;
        place.put("random.pgn", &noise(length, seed));
        place.run(&["info", "--full", "random.pgn"]).ends(2);
    }
    all_keep_the_rule(&place, "missing.pgn");
    place.put("picture.si4", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
    let run = place.run(&["info", "picture.si4"]);
    run.ends(2);
    assert!(run.err().contains("JPEG"), "{}", run.err());
}

#[test]
fn one_bad_base_does_not_stop_the_others() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).expect("made");
    place.put("folder/a.pgn", GOOD.as_bytes());
    place.put("folder/b.cbf", b"\0");
    place.put("folder/b.cbi", b"\0");
    place.put("folder/c.pgn", GOOD.as_bytes());
    place.put("bad.si4", b"Scid.si\0");
    for args in [
        &["check", "good.pgn", "bad.si4", "damaged.pgn"][..],
        &["info", "good.pgn", "bad.si4", "damaged.pgn"],
    ] {
        let run = place.run(args);
        run.ends(2);
        assert!(
            run.out().contains("good.pgn") && run.out().contains("damaged.pgn"),
            "{}",
            run.out()
        );
        assert!(run.err().contains("bad.si4"), "{}", run.err());
    }
    let run = place.run(&[
        "convert",
        "good.pgn",
        "bad.si4",
        "damaged.pgn",
        "merged.pgn",
    ]);
    run.ends(2);
    assert!(
        run.err().contains("3 games read, 3 written"),
        "{}",
        run.err()
    );
    place.run(&["ls", "merged.pgn", "3"]).ends(0);
    place
        .run(&["convert", "--strict", "good.pgn", "bad.si4", "strict.pgn"])
        .ends(2);
    assert!(!place.path("strict.pgn").exists());
    place.run(&["convert", "bad.si4", "alone.pgn"]).ends(2);
    assert!(!place.path("alone.pgn").exists());
    let run = place.run(&["info", "folder"]);
    assert!(
        run.out().contains("a.pgn") && run.out().contains("c.pgn"),
        "{}",
        run.out()
    );
    let run = place.run(&["identify", "folder"]);
    run.ends(0);
    assert!(run.out().lines().count() >= 3, "{}", run.out());
    place
        .run(&["identify", "--json", "good.pgn", "missing.pgn"])
        .ends(2);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    let many = GOOD.repeat(5000);
    place.put("many.pgn", many.as_bytes());
    let arguments: &[&[&str]] = &[
        &["ls", "many.pgn"],
        &["ls", "--json", "many.pgn"],
        &["cat", "many.pgn"],
        &["search", "many.pgn", "plies>=0"],
        &["search", "--csv", "many.pgn", "plies>=0"],
        &["search", "--pgn", "many.pgn", "plies>=0"],
        &["convert", "many.pgn", "-"],
        &["eco", "many.pgn"],
        &["eco", "--json", "many.pgn"],
        &["check", "--explain", "all"],
        &["diff", "--json", "many.pgn", "good.pgn"],
    ];
    for args in arguments {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(place.0.path())
            .args(*args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
    }
}

#[test]
fn long_quotes_are_cut_for_people_and_whole_in_json() {
    let place = Place::new();
    let moves = "Zz9 Nf3 ".repeat(500);
    let game = GOOD.replace("1. e4 e5 2. Nf3", &format!("1. e4 e5 2. {moves}"));
    place.put("long.pgn", game.as_bytes());
    let run = place.run(&["convert", "long.pgn", "long.si5"]);
    run.ends(3);
    let longest = run.err().lines().map(|line| line.chars().count()).max();
    assert!(longest < Some(500), "{}", run.err());
    assert!(run.err().contains("more characters)"), "{}", run.err());
    let run = place.run(&["convert", "long.pgn", "again.si5", "--json"]);
    assert!(run.out().contains(moves.trim()), "{}", run.out());
}
