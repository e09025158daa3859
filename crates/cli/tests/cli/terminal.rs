//! What strangers can write to a terminal: nothing but text.
//!
//! Every command that shows something of a file is run at a terminal, over a database whose names, tags and comments hold control
//! characters, escape sequences and marks of direction, in a file with such a name.

// What was skipped is said aloud.
#![allow(clippy::print_stderr)]
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};

/// Orders to a terminal: clear, title, colour, one of the C1 set, a backspace, a bell, the direction turned round.
const ORDERS: &str =
    "\x1b[2J\x1b]0;owned\x07\x1b[31m\u{9b}2J\x08\x07\u{202e}\u{2066}\u{200f}\u{85}";

/// What the program itself may say to a terminal: colours, and lines drawn over.
const OWN: [&str; 8] = [
    "\x1b[1;31m",
    "\x1b[33m",
    "\x1b[1m",
    "\x1b[2m",
    "\x1b[0m",
    "\r\x1b[K",
    "\r\x1b[2K",
    "\r\n",
];

fn has_script() -> bool {
    let there = Command::new("script")
        .args(["-q", "-c", "true", "/dev/null"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        eprintln!("skipped: `script` is not here, so nothing is run at a terminal");
    }
    there
}

/// What a terminal gets of a command, without a pager.
fn at_terminal(folder: &Path, arguments: &[&str]) -> String {
    at_terminal_with(folder, arguments, "")
}

/// What a terminal gets of a command that shows long output in a pager.
fn at_terminal_with(folder: &Path, arguments: &[&str], pager: &str) -> String {
    let quoted: Vec<String> = arguments
        .iter()
        .map(|argument| format!("'{}'", argument.replace('\'', "'\\''")))
        .collect();
    let command = format!("'{}' {}", env!("CARGO_BIN_EXE_tabiya"), quoted.join(" "));
    let output = Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .current_dir(folder)
        .env("TABIYA_PAGER", pager)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .expect("starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The orders in a text that are none of the program's own.
fn orders(text: &str) -> Vec<char> {
    let mut rest = text.to_owned();
    for own in OWN {
        rest = rest.replace(own, "");
    }
    rest.chars()
        .filter(|c| {
            (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        })
        .collect()
}

#[test]
fn long_output_goes_through_a_pager_at_a_terminal_alone() {
    const PAGER: &str = "sed 's/^/PAGED /'";
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let game = "[White \"Kasparov, Garry\"]\n[Black \"Gelfand, Boris\"]\n\n1. e4 c5 *\n\n";
    std::fs::write(at.join("a.pgn"), game.repeat(3)).expect("a file");
    let paged = |words: &[&str], pager: &str| {
        let shown = at_terminal_with(at, words, pager);
        let games = shown.lines().filter(|line| line.contains("Kasparov"));
        let paged: Vec<bool> = games.map(|line| line.contains("PAGED")).collect();
        assert_eq!(paged.len(), 3, "{words:?}: {shown}");
        paged.iter().all(|is_paged| *is_paged)
    };
    assert!(paged(&["ls", "a.pgn"], PAGER));
    assert!(!paged(&["ls", "a.pgn", "--no-pager"], PAGER));
    assert!(!paged(&["ls", "a.pgn"], ""));
    assert!(!paged(&["ls", "a.pgn"], "cat"));
    // Notes come with the text, as do errors.
    let shown = at_terminal_with(at, &["search", "a.pgn", "Kasparov"], PAGER);
    assert!(shown.contains("PAGED 3 games"), "{shown}");
    let shown = at_terminal_with(at, &["ls", "missing.pgn"], PAGER);
    assert!(
        shown.contains("PAGED") && shown.contains("missing.pgn"),
        "{shown}"
    );
    // Who closes the pager early has seen enough.
    let shown = at_terminal_with(at, &["cat", "a.pgn"], "head -n 1");
    assert!(
        shown.contains("Event") && !shown.contains("error"),
        "{shown}"
    );
    // What is not written to a terminal is not paged.
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["ls", "a.pgn"])
        .current_dir(at)
        .env("TABIYA_PAGER", PAGER)
        .output()
        .expect("starts");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("PAGED"));
}

#[test]
fn no_text_of_a_file_gives_orders_to_a_terminal() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let evil = format!("evil{ORDERS}.pgn");
    let mut text = String::new();
    for (number, result) in [(1, "1-0"), (2, "0-1"), (2, "0-1")] {
        text.push_str(&format!(
            "[Event \"E{ORDERS}\"]\n[Site \"S{ORDERS}\"]\n[Date \"1999.01.0{number}\"]\n[Round \"{number}\"]\n[White \"W{ORDERS}, A\"]\n\
             [Black \"B{ORDERS}\"]\n[Result \"{result}\"]\n[Annotator \"N{ORDERS}\"]\n[ECO \"C20{ORDERS}\"]\n\n\
             1. e4 {{c{ORDERS}}} 1... e5 2. Nf3 {{}} Nc6 3. Zz9{ORDERS} {result}\n\n"
        ));
    }
    std::fs::write(folder.path().join(&evil), &text).expect("written");
    std::fs::write(folder.path().join("plain.pgn"), &text).expect("written");
    let query = format!("white:\"W{ORDERS}, A\"");
    let bad = format!("nonsense{ORDERS}:1");
    let flag = format!("--no-such{ORDERS}");
    let missing = format!("missing{ORDERS}.pgn");
    for name in [evil.as_str(), "plain.pgn"] {
        let commands: [&[&str]; 24] = [
            &["info", name],
            &["info", "--full", name],
            &["identify", name],
            &["ls", name],
            &["ls", "--csv", name],
            &["cat", name],
            &["cat", "--csv", name],
            &["check", name],
            &["search", name, &query],
            &["search", name, "e4", "--pgn"],
            &["search", name, &bad],
            &["explore", name],
            &["stats", name],
            &["stats", "--full", name],
            &["names", name],
            &["dedupe", name],
            &["player", "W", name],
            &["crosstable", name, "--game", "1"],
            &["novelty", name, "--reference", "plain.pgn"],
            &["eco", name],
            &["diff", name, "plain.pgn"],
            &["convert", name, "out.si4", "--force"],
            &["info", &missing],
            &["info", &flag],
        ];
        for command in commands {
            let shown = at_terminal(folder.path(), command);
            assert!(!shown.is_empty(), "{command:?} shows nothing");
            assert_eq!(orders(&shown), [], "{command:?}: {shown:?}");
        }
    }
}

#[test]
fn json_holds_no_orders_and_says_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pgn");
    std::fs::write(
        &path,
        format!("[White \"W{ORDERS}\"]\n[Result \"*\"]\n\n1. e4 *\n"),
    )
    .expect("written");
    for arguments in [
        &["ls", "--json"][..],
        &["cat", "--json"],
        &["info", "--json"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(arguments)
            .arg(&path)
            .output()
            .expect("starts");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(orders(&text), [], "{arguments:?}: {text:?}");
        for line in text.lines().take(1).filter(|_| arguments[0] != "info") {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(
                value.to_string().contains('\u{202e}'),
                "{arguments:?}: {value}"
            );
        }
    }
}
