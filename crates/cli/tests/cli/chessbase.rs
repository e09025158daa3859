//! ChessBase's databases and archives from outside: conversions that are verified, and passwords.

#![allow(clippy::print_stderr)] // What is skipped for want of test data is said aloud.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tabiya_testing::shared;

/// Runs the program without a terminal: its exit code, and what it says on both streams.
fn run(args: &[&Path]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.code().expect("an exit code"), said)
}

/// The header files in a folder and in those below it.
fn databases(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "damaged") {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == "cbh") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn conversions_lose_nothing_in_silence() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/cbh/ok");
    let mut all = databases(&samples);
    if let Some(folder) = shared("oracles/cbh") {
        all.extend(databases(&folder));
    }
    assert!(all.len() >= 3, "{all:?}");
    for database in all {
        for extension in ["pgn", "si5"] {
            let folder = tempfile::tempdir().expect("a folder");
            let target = folder.path().join("target").with_extension(extension);
            let args = ["convert", "--verify"].map(Path::new);
            let (code, said) = run(&[args[0], args[1], &database, &target]);
            let place = format!("{} to {extension}: {said}", database.display());
            assert!(matches!(code, 0 | 3), "{place}");
            assert!(
                said.contains("verified, no unreported difference"),
                "{place}"
            );
        }
    }
}

#[test]
fn an_enciphered_archive_wants_its_password() {
    let Some(folder) = shared("oracles/cbh/small") else {
        return;
    };
    let keys = tempfile::tempdir().expect("a folder");
    let key = |name: &str, password: &str| {
        let path = keys.path().join(name);
        std::fs::write(&path, password).expect("written");
        path
    };
    let info = Path::new("info");
    let option = Path::new("--password-file");
    for (name, password) in [
        ("small.cbz", "password\n"),
        ("small2.cbz", "pass"),
        ("small3.cbz", "my long password\r\n"),
    ] {
        let archive = folder.join(name);
        let (code, said) = run(&[info, &archive, option, &key("right", password)]);
        assert_eq!(code, 0, "{name}: {said}");
        assert!(said.contains("small.cbh"), "{name}: {said}");
        let (code, said) = run(&[info, &archive, option, &key("wrong", "something")]);
        assert_eq!(code, 2, "{name}: {said}");
        assert!(said.contains("the password is wrong"), "{name}: {said}");
        // Without a file and without a terminal nobody is asked.
        let (code, said) = run(&[info, &archive]);
        assert_eq!(code, 2, "{name}: {said}");
        assert!(said.contains("--password-file FILE"), "{name}: {said}");
    }
    let (code, said) = run(&[info, &folder.join("small.cbz"), option, &key("empty", "\n")]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("the file is empty"), "{said}");
}

/// What comes out of the sample's archives, plain and in cipher, is what its files give.
#[test]
fn archives_give_what_their_files_give() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/cbh/ok");
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, "password\n").expect("written");
    let texts = ["modern.cbh", "packed.cbv", "hidden.cbz"].map(|name| {
        let target = folder.path().join(name).with_extension("pgn");
        let convert = ["convert", "--password-file"].map(Path::new);
        let (code, said) = run(&[convert[0], convert[1], &key, &samples.join(name), &target]);
        assert!(matches!(code, 0 | 3), "{name}: {said}");
        std::fs::read_to_string(&target).expect("read")
    });
    assert!(texts[0].matches("[Event ").count() >= 9);
    assert!(texts.iter().all(|text| *text == texts[0]));
}

/// An archive is written, verified and read like its database, and a database is changed with undo.
#[test]
fn archives_are_written_and_databases_changed() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/cbh/ok");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (plain, archive) = (at("plain.cbh"), at("packed.cbv"));
    for target in [&plain, &archive] {
        let convert = ["convert", "--verify"].map(Path::new);
        let (code, said) = run(&[convert[0], convert[1], &samples.join("modern.cbh"), target]);
        assert!(matches!(code, 0 | 3), "{said}");
        assert!(
            said.contains("verified, no unreported difference"),
            "{said}"
        );
    }
    let (code, said) = run(&[Path::new("diff"), &plain, &archive]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(&[
        Path::new("edit"),
        &archive,
        Path::new("delete"),
        Path::new("1"),
    ]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("archive"), "{said}");
    let before = std::fs::read(plain.with_extension("cbg")).expect("read");
    let edit = |words: &[&str]| {
        let words = words.iter().map(Path::new);
        let args: Vec<&Path> = [Path::new("edit"), &plain]
            .into_iter()
            .chain(words)
            .collect();
        let (code, said) = run(&args);
        assert!(matches!(code, 0 | 3), "{args:?}: {said}");
        said
    };
    let other = at("one.pgn");
    std::fs::write(&other, "[White \"New\"]\n\n1. e4 e5 2. Nf3 *\n").expect("written");
    edit(&["append", other.to_str().expect("a name")]);
    edit(&["delete", "1"]);
    edit(&["replace", "2", other.to_str().expect("a name")]);
    let (code, said) = run(&[Path::new("diff"), &plain, &archive]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(
        edit(&["history"])
            .lines()
            .filter(|line| !line.is_empty())
            .count(),
        3
    );
    for _ in 0..3 {
        edit(&["undo"]);
    }
    let (code, said) = run(&[Path::new("diff"), &plain, &archive]);
    assert_eq!(code, 0, "{said}");
    assert!(std::fs::read(plain.with_extension("cbg")).expect("read") == before);
}
