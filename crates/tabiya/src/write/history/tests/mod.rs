//! Histories through the one road that changes bases: followed, undone, cut off, damaged.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tabiya_formats::format::WriteOptions;
use tabiya_formats::registry;
use tabiya_model::editor::draft::game_line;
use tabiya_model::{Control, Game, GameNeeds, Result};

mod faults;
mod texts;

use super::*;
use crate::open::opener::Opener;
use crate::write::edit::{EditOperation, EditOptions, EditReport, LossPolicy, edit_with};
use crate::write::target::Target;

/// Every format that is edited, with the name of a database.
fn names() -> Vec<String> {
    let formats = registry::FORMATS.iter().filter(|it| it.edit.is_some());
    let mut names: Vec<String> = formats
        .map(|format| format!("base.{}", format.extensions[0]))
        .collect();
    names.retain(|name| name != "base.si3");
    names.sort();
    names.dedup();
    assert!(names.len() >= 7, "{names:?}");
    names
}

fn text(names: &[&str]) -> String {
    let game = |name: &&str| {
        format!(
            "[Event \"E\"]\n[Site \"S\"]\n[Date \"1950.02.03\"]\n[Round \"1\"]\n[White \"{name}\"]\n[Black \"B\"]\n\
             [Result \"1-0\"]\n\n1. e4 {{by {name}}} e5 (1... c5) 1-0\n\n"
        )
    };
    names.iter().map(game).collect()
}

fn source(folder: &Path, games: &[&str]) -> Vec<crate::Base> {
    let path = folder.join(format!("source-{}.pgn", games.join("-")));
    std::fs::write(&path, text(games)).expect("written");
    Opener::default().open(&path).expect("opens")
}

fn options() -> EditOptions {
    EditOptions {
        lossy: LossPolicy::Drop,
        ..EditOptions::default()
    }
}

fn change(path: &Path, change: &EditOperation) -> Result<EditReport> {
    with(path, change, &options())
}

fn with(path: &Path, change: &EditOperation, options: &EditOptions) -> Result<EditReport> {
    let opener = Opener::default();
    edit_with(
        &opener,
        path,
        change,
        options,
        &Control::default(),
        &mut |_| {},
    )
}

/// Makes a base with some games in a folder.
fn base(folder: &Path, name: &str, games: &[&str]) -> PathBuf {
    let path = folder.join(name);
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let target = Target::new(&path, None, options).expect("a target");
    target.begin(&[]).expect("begins").finish().expect("made");
    let made = EditOperation::Append(source(folder, games));
    let without = EditOptions {
        keep: 0,
        ..self::options()
    };
    with(&path, &made, &without).expect("filled");
    assert!(!EditHistory::path_of(&path).exists());
    path
}

fn games(path: &Path) -> Vec<Game> {
    let mut games = Vec::new();
    for base in Opener::default().open(path).expect("opens") {
        for game in base.games(GameNeeds::ALL).expect("reads") {
            games.push(game.expect("read"));
        }
    }
    games
}

fn lines(path: &Path) -> Vec<String> {
    games(path).iter().map(game_line).collect()
}

/// White's surnames, with `*` for deleted games.
fn players(path: &Path) -> Vec<String> {
    let name = |game: &Game| {
        let mark = if game.is_deleted() { "*" } else { "" };
        let name = game.tags.value("White").trim_end_matches(['.', ',']);
        format!("{name}{mark}")
    };
    games(path).iter().map(name).collect()
}

fn history(path: &Path) -> EditHistory {
    crate::write::edit::history(&Opener::default(), path).expect("opens")
}

const START: [&str; 4] = ["Morphy", "Steinitz", "Lasker", "Euwe"];

/// The game of a number alone.
fn only(number: u64) -> Vec<Range<u64>> {
    std::iter::once(number..number + 1).collect()
}

fn set(number: u64, name: &str) -> EditOperation {
    EditOperation::Set {
        games: only(number).into(),
        tags: vec![("White".to_owned(), name.to_owned())],
    }
}

fn flags(number: u64, set: &str, clear: &str) -> EditOperation {
    EditOperation::Flags {
        games: only(number).into(),
        set: set.to_owned(),
        clear: clear.to_owned(),
    }
}

fn sort(key: &str) -> EditOperation {
    EditOperation::Sort(key.parse().expect("an order"))
}

#[test]
fn everything_is_undone_step_by_step_in_every_format() {
    for name in names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = base(folder.path(), &name, &START);
        let new = games(&source_path(folder.path(), &["Tal"]));
        let changes = [
            set(2, "Anderssen"),
            EditOperation::Append(source(folder.path(), &["Fischer", "Spassky"])),
            sort("-white"),
            flags(3, "D", ""),
            EditOperation::Replace {
                number: 1,
                game: Box::new(new[0].clone()),
                was: None,
            },
            sort("white"),
            set(1, "Zukertort"),
            EditOperation::Delete(vec![2..3, 1..2].into()),
            EditOperation::Delete(only(3).into()),
        ];
        let mut states = Vec::new();
        for wish in &changes {
            let before = lines(&path);
            match change(&path, wish) {
                Ok(_) => states.push(before),
                // Formats without a mark of deletion say so.
                Err(error) => {
                    assert!(
                        error.to_string().contains("cannot be set"),
                        "{name}: {error}"
                    );
                    assert_eq!(lines(&path), before);
                }
            }
        }
        assert!(states.len() >= 8, "{name}");
        for state in states.iter().rev() {
            change(&path, &EditOperation::Undo).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(&lines(&path), state, "{name}");
        }
        let error = change(&path, &EditOperation::Undo).expect_err("nothing left");
        assert!(
            error.to_string().contains("nothing left to undo"),
            "{error}"
        );
        assert_eq!(players(&path), START, "{name}");
    }
}

fn source_path(folder: &Path, games: &[&str]) -> PathBuf {
    source(folder, games);
    folder.join(format!("source-{}.pgn", games.join("-")))
}

#[test]
fn a_game_is_followed_through_its_numbers() {
    for name in ["base.pgn", "base.si5", "base.si4", "base.ndjson"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = base(folder.path(), name, &START);
        let first = lines(&path)[3].clone();
        change(&path, &set(4, "Botvinnik")).expect("set");
        change(&path, &sort("white")).expect("sorts");
        assert_eq!(
            players(&path),
            ["Botvinnik", "Lasker", "Morphy", "Steinitz"]
        );
        let second = lines(&path)[0].clone();
        change(&path, &set(1, "Reti")).expect("set");
        change(&path, &flags(2, "D", "")).expect("deletes");
        change(&path, &sort("-white")).expect("sorts");
        change(&path, &EditOperation::Compact).expect("compacts");
        assert_eq!(players(&path), ["Steinitz", "Reti", "Morphy"], "{name}");
        let versions = history(&path).versions(2, 3).expect("found");
        let ids: Vec<u64> = versions.iter().map(|found| found.change.id).collect();
        let numbers: Vec<u64> = versions.iter().map(|found| found.number).collect();
        assert_eq!((ids, numbers), (vec![3, 1], vec![1, 4]), "{name}");
        let restore = |version| EditOperation::Restore {
            number: Some(2),
            version,
        };
        change(&path, &restore(1)).expect("restores");
        assert_eq!(lines(&path)[1], first, "{name}");
        change(&path, &restore(3)).expect("restores");
        assert_eq!(lines(&path)[1], second, "{name}");
        let before = lines(&path);
        let error = change(&path, &restore(2)).expect_err("another game's");
        assert!(error.to_string().contains("has no version 2"), "{error}");
        // What compacting took out can be added again; undoing ends there.
        change(&path, &EditOperation::Undo).expect("undone");
        change(&path, &EditOperation::Undo).expect("undone");
        let error = change(&path, &EditOperation::Undo).expect_err("compacted");
        assert!(error.to_string().contains("cannot be undone"), "{error}");
        let gone = EditOperation::Restore {
            number: None,
            version: 6,
        };
        change(&path, &gone).expect("restores");
        assert_eq!(players(&path), ["Steinitz", "Reti", "Morphy", "Lasker"]);
        change(&path, &EditOperation::Undo).expect("undone");
        assert_eq!(lines(&path).len(), before.len());
    }
}

#[test]
fn what_others_changed_in_between_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = base(folder.path(), "base.pgn", &START);
    change(&path, &set(1, "Tal")).expect("set");
    let mut content = std::fs::read_to_string(&path).expect("read");
    content = content.replace("Lasker", "Lasker, Em");
    std::fs::write(&path, &content).expect("written");
    let error = change(&path, &EditOperation::Undo).expect_err("overtaken");
    assert!(
        error.to_string().contains("changed without its history"),
        "{error}"
    );
    assert!(history(&path).versions(1, 4).expect("read").is_empty());
    // What comes after that is undone again, and no further.
    change(&path, &set(2, "Rubinstein")).expect("set");
    change(&path, &EditOperation::Undo).expect("undone");
    assert!(change(&path, &EditOperation::Undo).is_err());
    assert_eq!(players(&path), ["Tal", "Steinitz", "Lasker, Em", "Euwe"]);
}

#[test]
fn no_more_is_kept_than_was_said_and_nothing_with_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = base(folder.path(), "base.ndjson", &START);
    let keep = |keep| EditOptions { keep, ..options() };
    for turn in 0..30 {
        with(&path, &set(1, &format!("P{turn}")), &keep(8)).expect("set");
        let kept = history(&path);
        let count = kept.changes().len();
        assert!(count <= 8 && (turn < 7 || count >= 5), "{turn}: {count}");
        assert_eq!(kept.changes().last().map(|last| last.id), Some(turn + 1));
        assert_eq!(kept.contiguous_entries().count(), count);
    }
    let count = history(&path).changes().len();
    for turn in 0..count {
        // Undoing is a change too, and drives out old ones.
        with(&path, &EditOperation::Undo, &keep(100)).expect("undone");
        assert_eq!(players(&path)[0], format!("P{}", 28 - turn));
    }
    assert!(change(&path, &EditOperation::Undo).is_err());
    let before = std::fs::read(EditHistory::path_of(&path)).expect("read");
    with(&path, &set(1, "Quiet"), &keep(0)).expect("set");
    assert_eq!(
        std::fs::read(EditHistory::path_of(&path)).expect("read"),
        before
    );
    for turn in 0..3 {
        with(&path, &set(1, &format!("One{turn}")), &keep(1)).expect("set");
        assert_eq!(history(&path).changes().len(), 1);
    }
    with(&path, &EditOperation::Undo, &keep(1)).expect("undone");
    assert_eq!(players(&path)[0], "One1");
}

#[test]
fn a_dry_run_tells_and_does_nothing() {
    for name in names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = base(folder.path(), &name, &START);
        change(&path, &set(1, "Tal")).expect("set");
        let files = |path: &Path| {
            let mut files: Vec<(PathBuf, Vec<u8>)> =
                std::fs::read_dir(path.parent().expect("a folder"))
                    .expect("listed")
                    .map(|entry| entry.expect("an entry").path())
                    .map(|file| (file.clone(), std::fs::read(&file).expect("read")))
                    .collect();
            files.sort();
            files
        };
        let wishes = [
            (set(2, "X"), 1),
            (EditOperation::Append(source(folder.path(), &["Y", "Z"])), 2),
            (sort("white"), 1),
            (EditOperation::Undo, 1),
        ];
        let before = files(&path);
        for (wish, least) in wishes {
            let mut steps = 0;
            let options = EditOptions {
                dry_run: true,
                ..options()
            };
            let control = Control::default();
            edit_with(
                &Opener::default(),
                &path,
                &wish,
                &options,
                &control,
                &mut |_| steps += 1,
            )
            .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(steps >= least, "{name}: {wish:?}: {steps}");
            assert!(files(&path) == before, "{name}: {wish:?}");
        }
    }
}

/// What undoing and restoring make of a history with these bytes: the base as it was, or one that the true history gives.
fn try_history(path: &Path, bytes: &[u8], allowed: &[Vec<String>]) {
    let start = std::fs::read(path).expect("read");
    for number in [None, Some(1), Some(2)] {
        for version in [0, 1, 2, 3, 4] {
            std::fs::write(EditHistory::path_of(path), bytes).expect("written");
            let wish = match version {
                0 => EditOperation::Undo,
                version => EditOperation::Restore { number, version },
            };
            let done = change(path, &wish);
            let found = lines(path);
            assert!(allowed.contains(&found), "{wish:?}: {done:?}: {found:?}");
            std::fs::write(path, &start).expect("written");
        }
    }
}

#[test]
fn a_damaged_history_restores_nothing_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = base(folder.path(), "base.ndjson", &["A", "B"]);
    change(&path, &set(1, "C")).expect("set");
    change(&path, &sort("white")).expect("sorts");
    change(&path, &set(2, "D")).expect("set");
    change(&path, &flags(1, "D", "")).expect("deletes");
    let bytes = std::fs::read(EditHistory::path_of(&path)).expect("read");
    let start = std::fs::read(&path).expect("read");
    // Everything that the true history gives.
    let mut allowed = vec![lines(&path)];
    for number in [1, 2] {
        for version in 0..=4 {
            let wish = match version {
                0 => EditOperation::Undo,
                version => EditOperation::Restore {
                    number: Some(number),
                    version,
                },
            };
            if change(&path, &wish).is_ok() {
                allowed.push(lines(&path));
            }
            std::fs::write(&path, &start).expect("written");
            std::fs::write(EditHistory::path_of(&path), &bytes).expect("written");
        }
    }
    assert!(allowed.len() >= 4);
    let step = tabiya_testing::by_form(97, 53, 1);
    for at in (0..bytes.len()).step_by(step) {
        try_history(&path, &bytes[..at], &allowed);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        try_history(&path, &flipped, &allowed);
        try_history(&path, &bytes[at..], &allowed);
    }
    // A change that is written beside a damaged history leaves a sound one.
    std::fs::write(EditHistory::path_of(&path), &bytes[..bytes.len() - 3]).expect("written");
    change(&path, &set(1, "E")).expect("set");
    let history = history(&path);
    assert!(!history.is_damaged());
    assert_eq!(history.changes().len(), 4);
    change(&path, &EditOperation::Undo).expect("undone");
    assert_eq!(lines(&path), allowed[0]);
    // What is none of ours is not written to.
    std::fs::write(EditHistory::path_of(&path), "my diary\n").expect("written");
    let error = change(&path, &set(1, "F")).expect_err("told");
    assert!(
        error.to_string().contains("not a history file of Tabiya"),
        "{error}"
    );
    assert_eq!(
        std::fs::read(EditHistory::path_of(&path)).expect("read"),
        b"my diary\n"
    );
}

#[test]
fn games_that_are_values_are_added_as_those_of_a_base_and_told_their_numbers() {
    for name in names() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = base(folder.path(), &name, &START);
        let other = base(folder.path(), &format!("other-{name}"), &START);
        let before = lines(&one);
        let more = source(folder.path(), &["Tal", "Keres"]);
        let values: Vec<Game> = more[0]
            .games(GameNeeds::ALL)
            .expect("reads")
            .map(|game| game.expect("read"))
            .collect();
        let by_base = change(&other, &EditOperation::Append(more)).expect("appended");
        let added = change(&one, &EditOperation::Add(values)).expect("added");
        assert_eq!(added.added, 5..7, "{name}");
        assert_eq!(added.games, by_base.games, "{name}");
        assert_eq!(lines(&one), lines(&other), "{name}");
        let opened = Opener::default().open(&one).expect("opens");
        assert_eq!(
            added.state,
            crate::write::edit::state_of(&opened[0]).ok(),
            "{name}"
        );
        change(&one, &EditOperation::Undo).expect("undone");
        assert_eq!(lines(&one), before, "{name}");
        assert_ne!(
            added.state,
            crate::write::edit::state_of(&opened[0]).ok(),
            "{name}"
        );
    }
}
