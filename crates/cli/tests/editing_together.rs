//! Several programs change one base at the same time: what they were told is what the base holds.

// How many changes met one another is said aloud.
#![allow(clippy::print_stderr)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

/// Programs that write at once.
const WRITERS: usize = 8;
/// Appends of each writer, and as many marks; and how often all of it is done with Scid's bases.
fn size() -> (usize, usize) {
    match tabiya_testing::is_full() {
        true => (25, 10),
        false => (8, 1),
    }
}

fn each() -> usize {
    size().0
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(folder)
        .env("LC_ALL", "C")
        .args(args)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn game(white: &str) -> String {
    format!(
        "[Event \"E\"]\n[Site \"S\"]\n[Date \"1990.01.01\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"B\"]\n\
         [Result \"1-0\"]\n\n1. e4 {{by {white}}} 1... e5 1-0\n\n"
    )
}

/// Every game as White's name and its flags, read by the program itself.
fn content(folder: &Path, base: &str) -> Vec<(String, String)> {
    let output = run(folder, &["cat", base, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
        .lines()
        .map(|line| {
            let game: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let tags = game["tags"].as_array().expect("tags");
            let value = |name: &str| {
                tags.iter()
                    .find(|tag| tag[0] == name)
                    .and_then(|tag| tag[1].as_str())
                    .unwrap_or_default()
                    .to_owned()
            };
            (value("White"), value("ScidFlags"))
        })
        .collect()
}

/// What one writer did: the names that it was told are in, in order, and the games that it was told have their flag.
#[derive(Default)]
struct Told {
    appended: Vec<String>,
    flagged: BTreeSet<usize>,
    refused: usize,
}

fn refused(output: &Output) -> bool {
    // With 3 it was done, and something was lost.
    if matches!(output.status.code(), Some(0 | 3)) {
        return false;
    }
    let message = text(&output.stderr);
    // The only thing that may stand in the way of a change is another one, and it is named.
    assert!(
        message.contains("is being changed by"),
        "a false message: {message}"
    );
    true
}

fn write(folder: &Path, base: &str, writer: usize) -> Told {
    let mut told = Told::default();
    for turn in 0..each() {
        let name = format!("w{writer}g{turn}");
        let file = format!("{name}.pgn");
        std::fs::write(folder.join(&file), game(&name)).expect("written");
        if refused(&run(
            folder,
            &["edit", base, "append", &file, "--lossy=drop"],
        )) {
            told.refused += 1;
        } else {
            told.appended.push(name);
        }
        let number = writer * each() + turn + 1;
        let (number, mark) = (number.to_string(), format!("White=marked{number}"));
        let mark = match base.contains(".si") {
            true => ["edit", base, "flag", &number, "--set", "W"],
            false => ["edit", base, "set", "--games", &number, &mark],
        };
        let number = number.parse().expect("a number");
        if refused(&run(folder, &mark)) {
            told.refused += 1;
        } else {
            told.flagged.insert(number);
        }
    }
    told
}

fn one_round(extension: &str) {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let base = format!("base.{extension}");
    let start: String = (1..=WRITERS * each())
        .map(|number| game(&format!("start{number}")))
        .collect();
    std::fs::write(folder.join("start.pgn"), start).expect("written");
    let made = run(folder, &["convert", "start.pgn", &base]);
    assert!(
        matches!(made.status.code(), Some(0 | 3)),
        "{}",
        text(&made.stderr)
    );

    let done = AtomicBool::new(false);
    let (told, looks) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn({
                    let base = &base;
                    move || write(folder, base, writer)
                })
            })
            .collect();
        // Somebody reads all the while, and never sees anything but a whole base.
        let reader = scope.spawn(|| {
            let (mut looks, mut last) = (0, 0);
            while !done.load(Ordering::Relaxed) {
                let found = content(folder, &base);
                assert!(found.len() >= last, "games went away");
                last = found.len();
                looks += 1;
            }
            looks
        });
        let told: Vec<Told> = writers
            .into_iter()
            .map(|writer| writer.join().expect("no panic"))
            .collect();
        done.store(true, Ordering::Relaxed);
        (told, reader.join().expect("no panic"))
    });

    let games = content(folder, &base);
    let (old, new) = games.split_at(WRITERS * each());
    let flagged: BTreeSet<usize> = (1..)
        .zip(old)
        .filter(|(_, (white, flags))| flags == "W" || white.starts_with("marked"))
        .map(|(number, _)| number)
        .collect();
    let expected: BTreeSet<usize> = told.iter().flat_map(|told| told.flagged.clone()).collect();
    assert_eq!(flagged, expected, "{extension}: flags");
    for (writer, told) in told.iter().enumerate() {
        let prefix = format!("w{writer}g");
        let found: Vec<&str> = new
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| name.starts_with(&prefix))
            .collect();
        assert_eq!(
            found, told.appended,
            "{extension}: games of writer {writer}"
        );
    }
    let appended: usize = told.iter().map(|told| told.appended.len()).sum();
    assert_eq!(new.len(), appended, "{extension}: games in all");
    let check = run(folder, &["check", &base]);
    assert!(check.status.success(), "{}", text(&check.stdout));
    let left: Vec<String> = std::fs::read_dir(folder)
        .expect("listed")
        .map(|entry| text(entry.expect("an entry").file_name().as_encoded_bytes()))
        .filter(|name| name.contains(".tabiya-") && !name.ends_with(".tabiya-history"))
        .collect();
    assert_eq!(left.len(), 0, "{left:?}");
    let refused: usize = told.iter().map(|told| told.refused).sum();
    eprintln!(
        "{extension}: {} changes made, {refused} refused, {looks} looks",
        appended + expected.len()
    );
}

#[test]
fn what_eight_programs_were_told_is_what_an_si4_base_holds() {
    (0..size().1).for_each(|_| one_round("si4"));
}

#[test]
fn what_eight_programs_were_told_is_what_an_si5_base_holds() {
    (0..size().1).for_each(|_| one_round("si5"));
}

#[test]
fn what_eight_programs_were_told_is_what_a_pgn_holds() {
    one_round("pgn");
}

#[test]
fn what_eight_programs_were_told_is_what_an_ndjson_file_holds() {
    one_round("ndjson");
}

#[test]
fn what_eight_programs_were_told_is_what_a_chessbase_database_for_dos_holds() {
    one_round("cbf");
}

#[test]
fn what_eight_programs_were_told_is_what_a_dump_of_jose_holds() {
    one_round("sql");
}

#[test]
fn what_eight_programs_were_told_is_what_a_chess_assistant_database_holds() {
    one_round("cdp");
}
