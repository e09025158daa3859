//! Repertoires, and games beside them, that are damaged: every command reads as far as it can, says so, and ends with its own code.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::program::tabiya;

/// The comment of the second game is not closed.
const DAMAGED: &str = "[Repertoire \"white\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Repertoire \"white\"]\n\n1. e4 c5 2. Zz9 {broken\n";
const SOUND: &str =
    "[Repertoire \"white\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Repertoire \"white\"]\n\n1. e4 c5 *\n";
const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n[White \"C\"]\n[Black \"D\"]\n\
    [Result \"0-1\"]\n\n1. e4 e5 2. Nc3 Nf6 0-1\n";
const DAMAGED_GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n[White \"C\"]\n[Black \"D\"]\n\
    [Result \"0-1\"]\n\n1. e4 e5 2. Zz9 {broken\n";

/// A folder with a repertoire and games, sound and damaged.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, pgn) in [
        ("damaged.pgn", DAMAGED),
        ("sound.pgn", SOUND),
        ("games.pgn", GAMES),
        ("damaged-games.pgn", DAMAGED_GAMES),
    ] {
        fs::write(folder.path().join(name), pgn).expect("written");
    }
    folder
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command says and ends with.
fn run(at: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = tabiya(at, &[&["repertoire"], words].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said(&output), text)
}

#[test]
fn a_damaged_repertoire_is_told_by_every_command() {
    let folder = folder();
    let at = folder.path();
    let commands = |file: &'static str| -> Vec<Vec<&'static str>> {
        vec![
            vec!["check", "games.pgn", "--with", file],
            vec!["gaps", file, "--reference", "games.pgn", "--min-games", "1"],
            vec!["coverage", file, "--reference", "games.pgn"],
            vec!["show", file],
            vec!["show", file, "--pgn"],
            vec!["show", file, "--json"],
            vec!["due", file, "--log", "none.log", "--all"],
            vec!["train", file, "--log", "none.log", "--seed", "1"],
            vec!["merge", file, "-o", "merged.pgn", "--force"],
            vec![
                "add",
                "games.pgn",
                "--with",
                file,
                "-o",
                "added.pgn",
                "--force",
            ],
            vec![
                "extract",
                file,
                "--side",
                "white",
                "--min-games",
                "1",
                "-o",
                "his.pgn",
                "--force",
            ],
        ]
    };
    for (damaged, sound) in commands("damaged.pgn").iter().zip(&commands("sound.pgn")) {
        let (code, said, text) = run(at, damaged);
        assert_eq!(code, Some(3), "{damaged:?}: {said}");
        let told = said.lines().filter(|line| line.contains("damaged;"));
        assert_eq!(told.count(), 1, "{damaged:?}: {said}");
        assert!(said.contains("1 game"), "{damaged:?}: {said}");
        // What could be read is the whole of the sound file: the moves before the damage.
        let (code, said, expected) = run(at, sound);
        assert_eq!(code, Some(0), "{sound:?}: {said}");
        assert!(!said.contains("damaged"), "{sound:?}: {said}");
        assert_eq!(text, expected, "{damaged:?}");
    }
    // There is no conflict, which counts more than damage.
    let (code, said, _) = run(at, &["conflicts", "damaged.pgn"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("1 game of the repertoire is damaged"),
        "{said}"
    );
    for (file, code) in [("damaged.pgn", 3), ("sound.pgn", 0)] {
        let parts = format!("parts-of-{file}");
        let (ended, said, _) = run(at, &["split", file, "-o", &parts]);
        assert_eq!(ended, Some(code), "{said}");
        assert_eq!(
            said.contains("1 game of the repertoire is damaged"),
            code == 3,
            "{said}"
        );
    }
}

#[test]
fn damaged_games_beside_a_repertoire_are_told() {
    let folder = folder();
    let at = folder.path();
    for words in [
        &["check", "GAMES", "--with", "sound.pgn"][..],
        &[
            "gaps",
            "sound.pgn",
            "--reference",
            "GAMES",
            "--min-games",
            "1",
        ],
        &["coverage", "sound.pgn", "--reference", "GAMES"],
        &["show", "sound.pgn", "--reference", "GAMES"],
        &[
            "due",
            "sound.pgn",
            "--reference",
            "GAMES",
            "--log",
            "none.log",
            "--all",
        ],
        &[
            "add",
            "GAMES",
            "--with",
            "sound.pgn",
            "-o",
            "added.pgn",
            "--force",
        ],
        &[
            "extract",
            "GAMES",
            "--side",
            "white",
            "--min-games",
            "1",
            "-o",
            "his.pgn",
            "--force",
        ],
    ] {
        for (name, code) in [("damaged-games.pgn", 3), ("games.pgn", 0)] {
            let words: Vec<&str> = words
                .iter()
                .map(|word| if *word == "GAMES" { name } else { *word })
                .collect();
            let (ended, said, _) = run(at, &words);
            assert_eq!(ended, Some(code), "{words:?}: {said}");
            let told = said.contains("1 game is damaged");
            assert_eq!(told, code == 3, "{words:?}: {said}");
        }
    }
}

#[test]
fn a_query_that_names_a_damaged_repertoire_says_so() {
    let folder = folder();
    let at = folder.path();
    for command in [
        &["search", "games.pgn", "leaves:damaged.pgn"][..],
        &[
            "search",
            "--count",
            "games.pgn",
            "not repertoire:damaged.pgn",
        ],
        &["stats", "games.pgn", "--query", "leaves:damaged.pgn"],
        &["query", "leaves:damaged.pgn"],
    ] {
        let found = tabiya(at, command);
        let said = said(&found);
        assert_eq!(found.status.code(), Some(3), "{command:?}: {said}");
        assert_eq!(
            said.matches("damaged.pgn: 1 game of the repertoire is damaged")
                .count(),
            1,
            "{command:?}: {said}"
        );
        let sound: Vec<String> = command
            .iter()
            .map(|word| word.replace("damaged.pgn", "sound.pgn"))
            .collect();
        let sound: Vec<&str> = sound.iter().map(String::as_str).collect();
        let expected = tabiya(at, &sound);
        assert_eq!(expected.status.code(), Some(0), "{sound:?}: {expected:?}");
        assert_eq!(found.stdout, expected.stdout, "{command:?}");
    }
    // Nothing that matches is told as ever.
    let found = tabiya(at, &["search", "games.pgn", "leaves[after 9]:damaged.pgn"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
}

#[test]
fn a_packed_repertoire_that_is_cut_off_is_told() {
    let folder = folder();
    let at = folder.path();
    let lines: String = (0..4_000)
        .map(|at| format!("[Repertoire \"white\"]\n[Round \"{at}\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n"))
        .collect();
    fs::write(at.join("many.pgn"), lines).expect("written");
    let packed = tabiya(at, &["convert", "many.pgn", "many.pgn.gz"]);
    assert_eq!(packed.status.code(), Some(0), "{packed:?}");
    let bytes = fs::read(at.join("many.pgn.gz")).expect("read");
    fs::write(at.join("cut.pgn.gz"), &bytes[..bytes.len() * 2 / 3]).expect("written");
    for words in [
        &["show", "cut.pgn.gz"][..],
        &["check", "games.pgn", "--with", "cut.pgn.gz"],
        &["merge", "cut.pgn.gz", "-o", "merged.pgn", "--force"],
        &[
            "add",
            "games.pgn",
            "--with",
            "cut.pgn.gz",
            "-o",
            "added.pgn",
            "--force",
        ],
        &["split", "cut.pgn.gz", "-o", "parts"],
    ] {
        let (code, said, _) = run(at, words);
        assert_eq!(code, Some(3), "{words:?}: {said}");
        let told = said
            .lines()
            .filter(|line| line.starts_with("cut.pgn.gz: damage"));
        assert_eq!(told.count(), 1, "{words:?}: {said}");
    }
}

#[test]
fn a_repertoire_that_is_not_there_is_told_in_a_sentence() {
    let folder = folder();
    let found = tabiya(folder.path(), &["search", "games.pgn", "leaves:nofile"]);
    let said = said(&found);
    assert_eq!(found.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no file or folder nofile"), "{said}");
    assert!(!said.contains("os error"), "{said}");
}
