//! Games split into files: safe names, few handles, and nothing under a final name before all is whole.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeMap;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use tabiya_testing::{is_full, shared};

use crate::program::tabiya;

fn game(white: &str, black: &str, round: usize) -> String {
    let escape = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "[Event \"E\"]\n[Site \"?\"]\n[Date \"2024.01.02\"]\n[Round \"{round}\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n",
        escape(white),
        escape(black)
    )
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn no_name_escapes_or_covers_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "x".repeat(4096);
    let players = [
        "../../../evil",
        "CON",
        "nul.txt",
        "a/b",
        "a\\b",
        &long,
        "Nunn",
        "NUNN",
        "nunn",
        "",
        "..",
        ".",
        "-rf",
        "é:?*\"<>|",
        "A\u{301}",
        "\u{c1}",
    ];
    let text: String = players
        .iter()
        .enumerate()
        .map(|(at, name)| game(name, "Other, One", at))
        .collect();
    std::fs::write(folder.path().join("games.pgn"), text).expect("a file");
    let output = tabiya(
        folder.path(),
        &["convert", "games.pgn", "players", "--split-by", "player"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(names(folder.path()), ["games.pgn", "players"]);
    let files = names(&folder.path().join("players"));
    // As file systems compare names that do not tell cases apart.
    let mut folded: Vec<String> = files.iter().map(|name| name.to_lowercase()).collect();
    folded.sort();
    folded.dedup();
    assert_eq!(folded.len(), players.len() + 1, "{files:?}");
    for file in &files {
        assert!(file.len() < 200 && !file.starts_with(['.', '-']), "{file}");
        assert!(
            !file.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|']),
            "{file}"
        );
        let stem = file.split('.').next().unwrap_or("").to_lowercase();
        assert!(
            !["con", "nul", "prn", "aux"].contains(&stem.as_str()),
            "{file}"
        );
    }
    // A second run covers nothing.
    let output = tabiya(
        folder.path(),
        &[
            "convert",
            "games.pgn",
            "players",
            "--split-by",
            "player",
            "--force",
        ],
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(names(&folder.path().join("players")), files);
}

#[test]
fn each_game_is_in_the_files_that_it_belongs_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: String = (0..60)
        .map(|at| game(&format!("P{}", at % 7), &format!("P{}", at % 5), at))
        .collect();
    std::fs::write(folder.path().join("games.pgn"), text).expect("a file");
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..60 {
        let (white, black) = (at % 7, at % 5);
        *expected.entry(format!("P{white}.pgn")).or_default() += 1;
        if white != black {
            *expected.entry(format!("P{black}.pgn")).or_default() += 1;
        }
    }
    let output = tabiya(
        folder.path(),
        &["convert", "games.pgn", "players", "--split-by", "player"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for (name, count) in &expected {
        let text =
            std::fs::read_to_string(folder.path().join("players").join(name)).expect("a file");
        assert_eq!(text.matches("[Event ").count(), *count, "{name}");
    }
    assert_eq!(names(&folder.path().join("players")).len(), expected.len());
    let output = tabiya(
        folder.path(),
        &[
            "convert",
            "games.pgn",
            "parts",
            "--split-by",
            "25",
            "--to",
            "si4",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(names(&folder.path().join("parts")).len(), 9);
}

#[cfg(unix)]
#[test]
fn few_handles_are_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: String = (0..500)
        .map(|at| game(&format!("Player {at}"), "Other", at))
        .collect();
    std::fs::write(folder.path().join("games.pgn"), text).expect("a file");
    let output = Command::new("sh")
        .arg("-c")
        .arg("ulimit -n 32; exec \"$0\" convert games.pgn players --split-by player")
        .arg(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(names(&folder.path().join("players")).len(), 501);
}

#[cfg(unix)]
#[test]
fn who_interrupts_finds_nothing_half_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: String = (0..20_000)
        .map(|at| game(&format!("Player {at}"), &format!("Other {at}"), at))
        .collect();
    std::fs::write(folder.path().join("games.pgn"), text).expect("a file");
    let mut stopped = 0;
    for (signal, wait) in [("INT", 150), ("INT", 400), ("TERM", 700), ("KILL", 500)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(["convert", "games.pgn", "players", "--split-by", "player"])
            .current_dir(folder.path())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        // It may have ended by itself.
        tabiya_testing::send_signal(child.id(), signal);
        let code = child.wait().expect("it ends").code();
        let left = names(folder.path());
        if code == Some(0) {
            // It was quicker than we: then everything is there.
            assert_eq!(names(&folder.path().join("players")).len(), 40_000);
            std::fs::remove_dir_all(folder.path().join("players")).expect("it goes");
            continue;
        }
        stopped += 1;
        if signal == "KILL" {
            // Nobody cleans up after a kill, but nothing has the final name.
            assert!(!left.contains(&"players".to_owned()), "{left:?}");
        } else {
            assert_eq!(left, ["games.pgn"], "after {signal}");
        }
    }
    eprintln!("{stopped} of 4 runs were stopped on their way");
}

#[test]
fn the_whole_corpus_by_player() {
    if !is_full() {
        eprintln!("skipped: TABIYA_FULL is not set");
        return;
    }
    let Some(corpus) = shared("corpora/otb.pgn.zst") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = corpus.to_str().expect("text");
    let output = tabiya(
        folder.path(),
        &["convert", path, "players", "--split-by", "player"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let files = names(&folder.path().join("players"));
    let games: usize = files
        .iter()
        .map(|name| {
            let bytes = std::fs::read(folder.path().join("players").join(name)).expect("a file");
            bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| line.starts_with(b"[Event "))
                .count()
        })
        .sum();
    eprintln!("{games} games in {} files", files.len());
    assert!((28_000..30_000).contains(&files.len()), "{}", files.len());
    // Both players of each, but for games of somebody against a player of the same name.
    assert!((571_500..=572_080).contains(&games), "{games}");
}
