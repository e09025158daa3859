//! Every change that is taken back, in every format that is edited: the games are those that were there, a check finds
//! nothing, a rescue finds no game that was taken back, and the files have the bytes that they had, where the format
//! allows it.

#![allow(clippy::print_stderr)] // What was tried is said aloud.
#![allow(clippy::single_range_in_vec_init)] // Lists of ranges, of which some hold one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tabiya::convert::{ConvertOptions, convert};
use tabiya::edit::{EditOperation, edit};
use tabiya::model::editor::StripOptions;
use tabiya::model::{Control, Severity};
use tabiya::{Opener, Target};

const GAMES: &str = "[Event \"Club\"]\n[Site \"?\"]\n[Date \"1999.??.??\"]\n[Round \"1\"]\n[White \"Adams\"]\n[Black \"Bird\"]\n[Result \"1-0\"]\n\n\
    1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 1-0\n\n\
    [Event \"Club\"]\n[Site \"?\"]\n[Date \"2001.??.??\"]\n[Round \"2\"]\n[White \"Cook\"]\n[Black \"Adams\"]\n[Result \"*\"]\n\n\
    1. d4 d5 *\n\n\
    [Event \"Club\"]\n[Site \"?\"]\n[Date \"2000.??.??\"]\n[Round \"3\"]\n[White \"Bird\"]\n[Black \"Cook\"]\n[Result \"0-1\"]\n\n\
    1. c4 $1 e5 {plain} 0-1\n\n";

const MORE: &str = "[Event \"Away\"]\n[Site \"?\"]\n[Date \"2003.??.??\"]\n[Round \"1\"]\n[White \"Dorn\"]\n[Black \"Evans\"]\n[Result \"1-0\"]\n\n\
    1. e4 c5 2. Nf3 d6 {a long way} 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 1-0\n\n\
    [Event \"Away\"]\n[Site \"?\"]\n[Date \"2003.??.??\"]\n[Round \"2\"]\n[White \"Evans\"]\n[Black \"Dorn\"]\n[Result \"1/2-1/2\"]\n\n\
    1. d4 Nf6 2. c4 e6 1/2-1/2\n\n";

/// The files of a folder with their bytes, without what is only kept about changes.
fn bytes_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = std::fs::read_dir(folder).expect("listed");
    files
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| !entry.file_name().to_string_lossy().contains("tabiya-"))
        .map(|entry| entry.path())
        .map(|path| (path.clone(), std::fs::read(&path).expect("read")))
        .collect()
}

/// The games of a database as PGN, and how many it has.
fn games_of(path: &Path, salvage: bool) -> (String, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let opener = Opener {
        salvage,
        ..Opener::default()
    };
    let copy = folder.path().join("copy.pgn");
    let target = Target::new(copy.clone(), None, Default::default()).expect("a target");
    let bases = opener.open(path).expect("opens");
    convert(
        &bases,
        &target,
        &ConvertOptions::default(),
        &Control::default(),
    )
    .expect("copied");
    let text = std::fs::read_to_string(copy).expect("read");
    let count = text.matches("[Event ").count();
    (text, count)
}

fn create(path: &Path, text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("games.pgn");
    std::fs::write(&source, text).expect("written");
    let target = Target::new(path.to_path_buf(), None, Default::default()).expect("a target");
    let bases = tabiya::open(&source).expect("opens");
    convert(
        &bases,
        &target,
        &ConvertOptions::default(),
        &Control::default(),
    )
    .expect("copied");
}

fn make(path: &Path, change: &EditOperation) {
    edit(&Opener::default(), path, change, &Control::default())
        .unwrap_or_else(|error| panic!("{}: {change:?}: {error}", path.display()));
}

fn is_sound(path: &Path) -> Vec<String> {
    let mut opener = Opener::default();
    opener.options.audit = true;
    let mut found = Vec::new();
    for base in opener.open(path).expect("opens") {
        let checked = tabiya::check::check(&base, 100, &Control::default()).expect("checked");
        let bad = checked
            .diagnostics
            .iter()
            .filter(|found| found.code.severity >= Severity::Warning);
        found.extend(bad.map(ToString::to_string));
    }
    found
}

fn set(numbers: std::ops::Range<u64>, tag: &str, value: &str) -> EditOperation {
    EditOperation::Set {
        games: numbers.into(),
        tags: vec![(tag.to_owned(), value.to_owned())],
    }
}

/// Chains of changes, each with its name. All of them are taken back.
fn chains(more: &Path) -> Vec<(&'static str, Vec<EditOperation>)> {
    let append = || EditOperation::Append(tabiya::open(more).expect("opens"));
    let strip = EditOperation::Strip {
        games: (1..4).into(),
        what: StripOptions {
            comments: true,
            ..StripOptions::default()
        },
    };
    vec![
        ("append", vec![append()]),
        ("append twice", vec![append(), append()]),
        ("set", vec![set(2..3, "White", "Newman")]),
        ("set all", vec![set(1..4, "Event", "Another")]),
        ("strip", vec![strip]),
        (
            "sort",
            vec![EditOperation::Sort("date".parse().expect("an order"))],
        ),
        ("delete", vec![EditOperation::Delete(vec![2..3].into())]),
        (
            "delete the last",
            vec![EditOperation::Delete(vec![3..4].into())],
        ),
        (
            "append, set one of them",
            vec![append(), set(5..6, "White", "Newman")],
        ),
        (
            "append, set all",
            vec![append(), set(1..6, "Event", "Elsewhere")],
        ),
        (
            "append, sort, set",
            vec![
                append(),
                EditOperation::Sort("-date".parse().expect("an order")),
                set(1..2, "Round", "9"),
            ],
        ),
        ("set, append", vec![set(3..4, "Black", "Nobody"), append()]),
    ]
}

#[test]
fn a_change_that_is_taken_back_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = folder.path().join("more.pgn");
    std::fs::write(&more, MORE).expect("written");
    let mut faults = Vec::new();
    let mut tried = 0;
    for extension in ["si5", "si4", "pgn", "ndjson", "cbf", "cdp", "sql"] {
        for (name, changes) in chains(&more) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(format!("base.{extension}"));
            create(&path, GAMES);
            let before = bytes_of(folder.path());
            let games = games_of(&path, false);
            for change in &changes {
                make(&path, change);
            }
            assert_ne!(games_of(&path, false).0, games.0, "{name}, {extension}");
            for _ in &changes {
                make(&path, &EditOperation::Undo);
            }
            let fault = |what: String| format!("{extension}, {name}: {what}");
            if games_of(&path, false) != games {
                faults.push(fault("other games".to_owned()));
            }
            let found = is_sound(&path);
            if !found.is_empty() {
                faults.push(fault(format!("{found:?}")));
            }
            if extension != "pgn" && extension != "ndjson" && extension != "sql" {
                let (_, count) = games_of(&path, true);
                if count != games.1 {
                    faults.push(fault(format!(
                        "a rescue finds {count} games of {}",
                        games.1
                    )));
                }
            }
            let after = bytes_of(folder.path());
            let other: Vec<_> = before
                .iter()
                .filter(|(file, bytes)| after.get(*file) != Some(bytes))
                .map(|(file, _)| {
                    file.extension()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned()
                })
                .collect();
            // jose's dumps keep the collection that was made for games that were added; it is empty.
            let keeps_bytes = extension != "sql";
            if (keeps_bytes && !other.is_empty()) || after.len() != before.len() {
                faults.push(fault(format!("other bytes in {other:?}")));
            }
            tried += 1;
        }
    }
    eprintln!("{tried} chains of changes");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
