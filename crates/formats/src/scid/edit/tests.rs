//! Changes, also those that are cut off in the middle.

use std::path::PathBuf;

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

fn edit(disk: Disk, path: &Path, change: &dyn Fn(&mut dyn Edit) -> Result<()>) -> Result<()> {
    let mut editor = Editor::open_on(disk, path, &OpenOptions::default())?;
    change(&mut editor)?;
    Box::new(editor).commit()
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
    (
        "sort",
        &|editor| editor.sort(&["-white".to_owned()]),
        &["Steinitz", "Morphy", "Lasker"],
    ),
    (
        "compact",
        &|editor| {
            append(editor)?;
            editor.flags(std::slice::from_ref(&(2..3)), "D", "")?;
            assert_eq!(editor.compact()?, 1);
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
            edit(Disk::default(), &path, change).expect("changes");
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
            let (mut old, mut new) = (0, 0);
            for steps in 0.. {
                let folder = tempfile::tempdir().expect("folder");
                let path = create(folder.path(), version, &START);
                let finished = edit(Disk::dying(steps), &path, change).is_ok();
                let found = content(&path);
                if found == START {
                    old += 1;
                    assert!(!finished);
                } else {
                    new += 1;
                    assert_eq!(
                        found, *expected,
                        "{name} {version:?}, killed after {steps} steps"
                    );
                }
                // The next change finds nothing in its way.
                edit(Disk::default(), &path, &append).expect("changes");
                assert_eq!(content(&path).len(), found.len() + 2);
                if finished {
                    break;
                }
            }
            assert!(old >= 3 && new >= 1, "{name}: {old} {new}");
        }
    }
}

#[test]
fn an_interrupted_append_leaves_a_base_that_needs_no_help() {
    // Other programs know nothing of journals: as long as no rename has happened, they see the old base; the renames
    // of an append may come in any state, because names and records are only added.
    let folder = tempfile::tempdir().expect("folder");
    let path = create(folder.path(), Version::Si4, &START);
    for steps in 0..6 {
        assert!(edit(Disk::dying(steps), &path, &append).is_err());
        let index = std::fs::read(&path).expect("reads");
        assert_eq!(index.len(), 182 + 3 * 47, "{steps}");
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
            .contains("being changed by another process"),
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
    for text in [
        "",
        "tabiya journal 1\n../x 1 0\nend\n",
        "tabiya journal 1\nsi5 1\nend\n",
        "tabiya journal 1\nsi5 56 0000000000000000\n",
    ] {
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
        edit(Disk::default(), &path, &|editor| editor.describe(&new)).expect("changes");
        // The game to show first stays the same when games move.
        edit(Disk::default(), &path, &|editor| {
            editor.sort(&["white".to_owned()])
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
    assert!(edit(Disk::default(), &path, &|editor| editor.describe(&long)).is_err());
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
        let finished = edit(Disk::dying(steps), &path, &append).is_ok();
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
        for leftover in ["tabiya-journal", "tabiya-new"] {
            let _ = std::fs::remove_file(folder.path().join(format!("base.si4.{leftover}")));
        }
    }
}
