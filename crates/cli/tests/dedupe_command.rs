//! `tabiya dedupe` as people and programs call it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const GAME: &str = "[Event \"E\"]\n[Site \"S\"]\n[Date \"1999.01.01\"]\n[Round \"1\"]\n[White \"Abel, Anna\"]\n[Black \"Bern, Bo\"]\n\
    [Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0\n\n";

fn tabiya(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("it runs")
}

#[test]
fn pairs_are_told_and_nothing_is_changed_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pgn");
    let text = GAME.repeat(2) + &GAME.replace("Abel", "Adler");
    fs::write(&path, &text).expect("written");
    let shown = tabiya(folder.path(), &["dedupe", "a.pgn"]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&shown.stdout).starts_with("keep 1\tAbel, Anna - Bern, Bo"));
    let json = tabiya(
        folder.path(),
        &["dedupe", "--json", "--keep", "newest", "a.pgn"],
    );
    let lines: Vec<Value> = String::from_utf8_lossy(&json.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (&lines[0]["keep"]["number"], &lines[0]["drop"]["number"]),
        (&2.into(), &1.into())
    );
    assert_eq!(lines[0]["kind"], "same");
    assert_eq!(fs::read_to_string(&path).expect("read"), text);
    let none = tabiya(
        folder.path(),
        &["dedupe", "--count", "--query", "white:Adler", "a.pgn"],
    );
    assert_eq!((none.status.code(), &*none.stdout), (Some(1), &b"0\n"[..]));
}

#[test]
fn doubles_go_into_no_new_base_and_marks_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pgn");
    let text = GAME.repeat(3);
    fs::write(&path, &text).expect("written");
    let copy = tabiya(folder.path(), &["dedupe", "a.pgn", "-o", "b.pgn"]);
    assert_eq!(copy.status.code(), Some(0), "{copy:?}");
    assert_eq!(
        fs::read_to_string(folder.path().join("b.pgn"))
            .expect("read")
            .matches("[Event ")
            .count(),
        1
    );
    let marked = tabiya(folder.path(), &["dedupe", "a.pgn", "--mark"]);
    assert_eq!(marked.status.code(), Some(0), "{marked:?}");
    assert_eq!(
        fs::read_to_string(&path)
            .expect("read")
            .matches("[ScidFlags \"D\"]")
            .count(),
        2
    );
    let undone = tabiya(folder.path(), &["dedupe", "a.pgn", "--undo"]);
    assert_eq!(undone.status.code(), Some(0), "{undone:?}");
    assert_eq!(fs::read_to_string(&path).expect("read"), text);
    let merge = tabiya(folder.path(), &["dedupe", "a.pgn", "--merge"]);
    assert_eq!(merge.status.code(), Some(2));
}
