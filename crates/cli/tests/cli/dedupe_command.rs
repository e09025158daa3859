//! `tabiya dedupe` as people and programs call it.

use std::fs;

use serde_json::Value;

use crate::program::tabiya;

const GAME: &str = "[Event \"E\"]\n[Site \"S\"]\n[Date \"1999.01.01\"]\n[Round \"1\"]\n[White \"Abel, Anna\"]\n[Black \"Bern, Bo\"]\n\
    [Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0\n\n";

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

#[test]
fn what_doubles_have_more_is_merged_where_they_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let one = GAME.replace("3. Bb5 a6", "3. Bb5 {the Spanish} 3... a6");
    let two = GAME.replace("Be7 1-0", "Be7 (5... Nxe4 6. d4) 1-0");
    let text = format!("{one}{two}");
    fs::write(at.join("a.pgn"), &text).expect("written");
    tabiya(at, &["convert", "a.pgn", "b.si5"]);
    for base in ["a.pgn", "b.si5"] {
        let before = tabiya(at, &["cat", base]).stdout;
        let done = tabiya(at, &["dedupe", base, "--merge", "--mark"]);
        assert_eq!(done.status.code(), Some(0), "{base}: {done:?}");
        let shown = String::from_utf8_lossy(&tabiya(at, &["cat", base]).stdout).into_owned();
        let (kept, gone): (Vec<&str>, Vec<&str>) = shown
            .split("[Event ")
            .skip(1)
            .partition(|game| !game.contains("[ScidFlags \"D\"]"));
        assert_eq!((kept.len(), gone.len()), (1, 1), "{base}: {shown}");
        assert!(
            kept[0].contains("the Spanish") && kept[0].contains("Nxe4"),
            "{base}: {shown}"
        );
        // The marks are one change, what was merged another.
        assert_eq!(
            tabiya(at, &["dedupe", base, "--undo"]).status.code(),
            Some(0)
        );
        assert_eq!(tabiya(at, &["edit", base, "undo"]).status.code(), Some(0));
        assert_eq!(tabiya(at, &["cat", base]).stdout, before, "{base}");
    }
    assert_eq!(fs::read_to_string(at.join("a.pgn")).expect("read"), text);
}
