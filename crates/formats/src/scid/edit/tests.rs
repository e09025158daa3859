//! Changes, also those that are cut off in the middle.

use std::path::PathBuf;

use tabiya_io::disk::guarded;
use tabiya_io::faults::{Dying, Full, count};
use tabiya_model::database::{Writer, for_each_game};
use tabiya_model::{Database, Want};

use super::*;
use crate::format::WriteOptions;

/// Games with these surnames, one move each.
fn games(names: &[&str]) -> Vec<Game> {
    let board = tabiya_model::Board::standard();
    (1..)
        .zip(names)
        .map(|(number, name)| {
            let mut game = Game::default();
            game.origin.number = number;
            for (tag, value) in [
                ("Event", "E"),
                ("Site", "S"),
                ("Date", "1990.01.01"),
                ("Round", "1"),
                ("White", *name),
                ("Black", "Other"),
            ] {
                game.tags.push(tag, value);
            }
            game.tape
                .push_move(board.parse_uci(b"e2e4").expect("legal"));
            game.tape.push_comment(&format!("by {name}"));
            game
        })
        .collect()
}

fn create(folder: &Path, version: Version, names: &[&str]) -> PathBuf {
    let [index, ..] = version.extensions();
    let path = folder.join(format!("base.{index}"));
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let mut losses = Losses::default();
    let mut writer =
        Writer::new(super::super::writer::create(version, &path, &options).expect("created"));
    for game in games(names) {
        writer.write(&game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    assert!(losses.is_empty());
    path
}

/// White's names, with `*` for deleted games.
fn content(path: &Path) -> Vec<String> {
    let base = ScidBase::open(path, &OpenOptions::default()).expect("opens");
    let mut list = Vec::new();
    let mut source = base.source(None).expect("reads");
    for_each_game(&mut *source, Want::ALL, |game| {
        assert!(game.diagnostics.is_empty(), "{:?}", game.diagnostics);
        let mark = if game.is_deleted() { "*" } else { "" };
        list.push(format!("{}{mark}", game.tags.value("White")));
        Ok(())
    })
    .expect("reads");
    assert!(base.diagnostics().is_empty(), "{:?}", base.diagnostics());
    list
}

fn edit(path: &Path, change: &dyn Fn(&mut dyn Edit) -> Result<()>) -> Result<()> {
    let mut editor = Editor::open_base(path, &OpenOptions::default())?;
    change(&mut editor)?;
    Box::new(editor).commit(None)
}

fn append(editor: &mut dyn Edit) -> Result<()> {
    for game in games(&["Zukertort", "Anderssen"]) {
        assert!(editor.append(&game, &mut Losses::default())?);
    }
    Ok(())
}

/// A change by its name, what it does, and what the base of [`START`] holds afterwards.
type Change = (
    &'static str,
    &'static dyn Fn(&mut dyn Edit) -> Result<()>,
    &'static [&'static str],
);

const START: [&str; 3] = ["Morphy", "Steinitz", "Lasker"];

const CHANGES: &[Change] = &[
    (
        "append",
        &append,
        &["Morphy", "Steinitz", "Lasker", "Zukertort", "Anderssen"],
    ),
    (
        "replace",
        &|editor| {
            let games = games(&["Tal"]);
            let game = games.first().expect("one");
            editor.replace(2, game, &mut Losses::default()).map(|_| ())
        },
        &["Morphy", "Tal", "Lasker"],
    ),
    (
        "delete",
        &|editor| editor.flags(&[1..2, 3..4], "D", "").map(|_| ()),
        &["Morphy*", "Steinitz", "Lasker*"],
    ),
    ("remove", &|editor| editor.remove(&[3, 1]), &["Steinitz"]),
    (
        "sort",
        &|editor| editor.sort(&["-white".to_owned()]).map(|_| ()),
        &["Steinitz", "Morphy", "Lasker"],
    ),
    (
        "compact",
        &|editor| {
            append(editor)?;
            editor.flags(std::slice::from_ref(&(2..3)), "D", "")?;
            assert_eq!(editor.compact()?.len(), 1);
            Ok(())
        },
        &["Morphy", "Lasker", "Zukertort", "Anderssen"],
    ),
];

#[test]
fn changes_do_what_they_say() {
    for version in [Version::Si4, Version::Si5] {
        for (name, change, expected) in CHANGES {
            let folder = tempfile::tempdir().expect("folder");
            let path = create(folder.path(), version, &START);
            edit(&path, change).expect("changes");
            assert_eq!(content(&path), *expected, "{name} {version:?}");
            assert_eq!(
                std::fs::read_dir(folder.path()).expect("reads").count(),
                3,
                "{name}: nothing is left behind"
            );
        }
    }
}

#[test]
fn a_change_that_is_killed_anywhere_happens_whole_or_not_at_all() {
    for version in [Version::Si4, Version::Si5] {
        for (name, change, expected) in CHANGES {
            let folder = tempfile::tempdir().expect("folder");
            let path = create(folder.path(), version, &START);
            let all = count(|| edit(&path, change).expect("changes"));
            let (mut old, mut new) = (0, 0);
            for steps in 0..all {
                let folder = tempfile::tempdir().expect("folder");
                let path = create(folder.path(), version, &START);
                let _ = guarded(Dying::after(steps), || edit(&path, change));
                let found = content(&path);
                if found == START {
                    old += 1;
                } else {
                    new += 1;
                    assert_eq!(
                        found, *expected,
                        "{name} {version:?}, killed after {steps} steps"
                    );
                }
                // The next change finds nothing in its way, and leaves nothing behind.
                edit(&path, &append).expect("changes");
                assert_eq!(content(&path).len(), found.len() + 2);
                assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 3);
            }
            assert!(old >= 3 && new >= 1, "{name}: {old} {new}");
        }
    }
}

#[test]
fn a_full_disk_is_told_as_it_is() {
    for version in [Version::Si4, Version::Si5] {
        for (name, change, expected) in CHANGES {
            let folder = tempfile::tempdir().expect("folder");
            let path = create(folder.path(), version, &START);
            let all = count(|| edit(&path, change).expect("changes"));
            for (steps, part) in (0..all).flat_map(|steps| [(steps, 0), (steps, 100)]) {
                let folder = tempfile::tempdir().expect("folder");
                let path = create(folder.path(), version, &START);
                let sizes = |path: &Path| {
                    version.extensions().map(|extension| {
                        let file = path.with_extension(extension);
                        std::fs::metadata(file).expect("there").len()
                    })
                };
                let before = sizes(&path);
                match guarded(Full::at(steps, part), || edit(&path, change)) {
                    Ok(()) => assert_eq!(content(&path), *expected, "{name}, step {steps}"),
                    Err(error) if error.to_string().contains("nothing was changed") => {
                        assert_eq!(sizes(&path), before, "{name}, step {steps}");
                        assert_eq!(content(&path), START, "{name}, step {steps}");
                    }
                    Err(error) => {
                        assert!(error.to_string().contains("the change is made"), "{error}");
                        assert_eq!(content(&path), *expected, "{name}, step {steps}");
                    }
                }
                assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 3);
            }
        }
    }
}

#[test]
fn a_base_that_another_program_changes_meanwhile_is_left_to_it() {
    for version in [Version::Si4, Version::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let mut editor = Editor::open_base(&path, &OpenOptions::default()).expect("opens");
        append(&mut editor).expect("appends");
        let [index, ..] = version.extensions();
        let mut theirs = std::fs::read(path.with_extension(index)).expect("reads");
        let last = theirs.len() - 1;
        theirs[last] ^= 1;
        std::fs::write(path.with_extension(index), &theirs).expect("writes");
        let error = Box::new(editor).commit(None).expect_err("is told");
        assert!(
            error.to_string().contains("another program has changed"),
            "{error}"
        );
        assert_eq!(
            std::fs::read(path.with_extension(index)).expect("reads"),
            theirs
        );
        assert_eq!(content(&path), START);
        assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 3);
    }
}

#[test]
fn who_reads_a_base_sees_the_state_that_it_has_opened() {
    for version in [Version::Si4, Version::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let base = ScidBase::open(&path, &OpenOptions::default()).expect("opens");
        // Names and records are read only afterwards.
        edit(&path, &|editor| {
            append(editor)?;
            editor.flags(std::slice::from_ref(&(1..3)), "D", "")?;
            editor.compact().map(|_| ())
        })
        .expect("changes");
        assert_eq!(content(&path), ["Lasker", "Zukertort", "Anderssen"]);
        let mut game = Game::default();
        for (number, name) in (1..).zip(START) {
            base.read(number, Want::ALL, &mut game).expect("reads");
            assert_eq!(game.tags.value("White"), name);
            assert!(game.diagnostics.is_empty());
        }
    }
}

#[test]
fn one_process_changes_a_base_at_a_time() {
    let folder = tempfile::tempdir().expect("folder");
    let path = create(folder.path(), Version::Si5, &START);
    let first = Editor::open(&path, &OpenOptions::default()).expect("opens");
    let error = Editor::open(&path, &OpenOptions::default())
        .err()
        .expect("is told");
    assert!(
        error
            .to_string()
            .contains("is being changed by another part of this program"),
        "{error}"
    );
    drop(first);
    Editor::open(&path, &OpenOptions::default()).expect("opens");
}

#[test]
fn a_journal_of_a_stranger_renames_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let path = create(folder.path(), Version::Si5, &START);
    let journal = folder.path().join("base.si5.tabiya-journal");
    for text in ["", "tabiya journal 3\nreplace ../x - 1 0\nend\n"] {
        std::fs::write(&journal, text).expect("writes");
        let error = ScidBase::open(&path, &OpenOptions::default()).expect_err("is told");
        assert!(error.to_string().contains("journal"), "{error}");
    }
    std::fs::remove_file(&journal).expect("removes");
    assert_eq!(content(&path), START);
}

#[test]
fn texts_of_the_database() {
    for version in [Version::Si4, Version::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let new = Description {
            description: Some("Club games".to_owned()),
            labels: vec![(2, "Endings".to_owned())],
            kind: Some(4),
            autoload: Some(3),
        };
        edit(&path, &|editor| editor.describe(&new)).expect("changes");
        // The game to show first stays the same when games move.
        edit(&path, &|editor| {
            editor.sort(&["white".to_owned()]).map(|_| ())
        })
        .expect("sorts");
        let base = ScidBase::open(&path, &OpenOptions::default()).expect("opens");
        let info = base.info();
        assert_eq!(info.value("description"), Some("Club games"));
        assert_eq!(info.value("flag2"), Some("Endings"));
        assert!(info.value("type").is_some_and(|kind| kind.starts_with('4')));
        assert!(
            info.value("autoload")
                .is_some_and(|number| number.starts_with('1'))
        );
        assert_eq!(content(&path), ["Lasker", "Morphy", "Steinitz"]);
    }
    let folder = tempfile::tempdir().expect("folder");
    let path = create(folder.path(), Version::Si4, &START);
    let long = Description {
        description: Some("x".repeat(108)),
        ..Description::default()
    };
    assert!(edit(&path, &|editor| editor.describe(&long)).is_err());
}

/// Opens a base with Scid itself and gives the number of games that it sees; `None` where it is not installed.
fn games_by_scid(path: &Path) -> Option<String> {
    let program = ["/usr/games/tkscid", "/usr/bin/tkscid"]
        .into_iter()
        .find(|program| Path::new(program).exists())?;
    let script = path.with_extension("tcl");
    std::fs::write(
        &script,
        "puts [sc_base numGames [sc_base open [lindex $argv 0]]]\nexit\n",
    )
    .expect("writes");
    let output = std::process::Command::new(program)
        .arg(&script)
        .arg(path.with_extension(""))
        .output()
        .expect("runs");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn scid_opens_a_base_whose_append_was_interrupted() {
    let folder = tempfile::tempdir().expect("folder");
    for steps in 0.. {
        let path = create(folder.path(), Version::Si4, &START);
        let finished = guarded(Dying::after(steps), || edit(&path, &append)).is_ok();
        let Some(games) = games_by_scid(&path) else {
            eprintln!("skipped: Scid is not installed");
            return;
        };
        assert!(
            games == "3" || games == "5",
            "{games:?} games, killed after {steps} steps"
        );
        if finished {
            assert_eq!(games, "5");
            break;
        }
        for entry in std::fs::read_dir(folder.path()).expect("reads") {
            let entry = entry.expect("an entry").path();
            if entry.to_string_lossy().contains("tabiya-") {
                std::fs::remove_file(entry).expect("removes");
            }
        }
    }
}
