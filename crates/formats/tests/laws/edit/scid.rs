//! Properties of Scid's databases only. Those of every format that can be edited are tested in the parent module.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tabiya_formats::edit::{DatabaseEditor, DescriptionChange};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::scid::edit::ScidEditor;
use tabiya_formats::scid::{ScidReader, ScidVersion, salvage, writer};
use tabiya_io::disk::guarded;
use tabiya_io::disk_faults::{KillFault, count};
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::{Database, Game, GameNeeds, Losses, Result, Severity};

use super::{CHANGES, START, append, games};

fn create(folder: &Path, version: ScidVersion, names: &[&str]) -> PathBuf {
    let [index, ..] = version.extensions();
    let path = folder.join(format!("base.{index}"));
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let mut losses = Losses::default();
    let mut writer = SinkWriter::new(writer::create(version, &path, &options).expect("created"));
    for game in games(names) {
        writer.write(&game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    assert!(losses.is_empty());
    path
}

/// White's names, with `*` for deleted games.
fn content(path: &Path) -> Vec<String> {
    let base = ScidReader::open(path, &OpenOptions::default()).expect("opens");
    let mut list = Vec::new();
    let mut source = base.source(None).expect("reads");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        assert!(game.diagnostics.is_empty(), "{:?}", game.diagnostics);
        let mark = if game.is_deleted() { "*" } else { "" };
        list.push(format!("{}{mark}", game.tags.value("White")));
        Ok(())
    })
    .expect("reads");
    assert!(base.diagnostics().is_empty(), "{:?}", base.diagnostics());
    list
}

fn edit(path: &Path, change: &dyn Fn(&mut dyn DatabaseEditor) -> Result<()>) -> Result<()> {
    let mut editor = ScidEditor::open(path, &OpenOptions::default())?;
    change(&mut *editor)?;
    editor.commit(None)
}

#[test]
fn a_base_that_another_program_changes_meanwhile_is_left_to_it() {
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let mut editor = ScidEditor::open(&path, &OpenOptions::default()).expect("opens");
        append(&mut *editor).expect("appends");
        let [index, ..] = version.extensions();
        let mut theirs = std::fs::read(path.with_extension(index)).expect("reads");
        let last = theirs.len() - 1;
        theirs[last] ^= 1;
        // In place: Windows does not let a mapped file be written anew.
        let file = File::options().write(true).open(path.with_extension(index));
        let mut file = file.expect("opens");
        file.seek(SeekFrom::End(-1)).expect("seeks");
        file.write_all(&theirs[last..]).expect("writes");
        drop(file);
        let error = editor.commit(None).expect_err("is told");
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
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let base = ScidReader::open(&path, &OpenOptions::default()).expect("opens");
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
            base.read(number, GameNeeds::ALL, &mut game).expect("reads");
            assert_eq!(game.tags.value("White"), name);
            assert!(game.diagnostics.is_empty());
        }
    }
}

#[test]
fn one_process_changes_a_base_at_a_time() {
    let folder = tempfile::tempdir().expect("folder");
    let path = create(folder.path(), ScidVersion::Si5, &START);
    let first = ScidEditor::open(&path, &OpenOptions::default()).expect("opens");
    let error = ScidEditor::open(&path, &OpenOptions::default())
        .err()
        .expect("is told");
    assert!(
        error
            .to_string()
            .contains("is being changed by another part of this program"),
        "{error}"
    );
    drop(first);
    ScidEditor::open(&path, &OpenOptions::default()).expect("opens");
}

#[test]
fn a_journal_of_a_stranger_renames_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let path = create(folder.path(), ScidVersion::Si5, &START);
    let journal = folder.path().join("base.si5.tabiya-journal");
    for text in ["", "tabiya journal 3\nreplace ../x - 1 0\nend\n"] {
        std::fs::write(&journal, text).expect("writes");
        let error = ScidReader::open(&path, &OpenOptions::default()).expect_err("is told");
        assert!(error.to_string().contains("journal"), "{error}");
    }
    std::fs::remove_file(&journal).expect("removes");
    assert_eq!(content(&path), START);
}

#[test]
fn texts_of_the_database() {
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let new = DescriptionChange {
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
        let base = ScidReader::open(&path, &OpenOptions::default()).expect("opens");
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
    let path = create(folder.path(), ScidVersion::Si4, &START);
    let long = DescriptionChange {
        description: Some("x".repeat(108)),
        ..DescriptionChange::default()
    };
    assert!(edit(&path, &|editor| editor.describe(&long)).is_err());
}

/// Opens a database with Scid itself and returns White's names, with `*` for deleted games; `None` if Scid is not installed.
fn games_by_scid(path: &Path) -> Option<Vec<String>> {
    const SCRIPT: &str = "set b [sc_base open [lindex $argv 0]]\n\
        sc_base switch $b\n\
        for {set i 1} {$i <= [sc_base numGames $b]} {incr i} {\n\
            sc_game load $i\n\
            set mark [expr {[sc_base gameflag $b $i get del] ? \"*\" : \"\"}]\n\
            puts \"[sc_game tags get White]$mark\"\n\
        }\n\
        exit\n";
    let program = tabiya_testing::tkscid()?;
    let script = path.with_extension("tcl");
    std::fs::write(&script, SCRIPT).expect("writes");
    let output = std::process::Command::new(program)
        .arg(&script)
        .arg(path.with_extension(""))
        .output()
        .expect("runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told = String::from_utf8_lossy(&output.stdout);
    Some(told.lines().map(str::to_owned).collect())
}

#[test]
fn scid_opens_a_base_whose_change_was_interrupted() {
    let is_full = tabiya_testing::is_full();
    // Between the renames of a compaction, only Tabiya can restore a database.
    for (what, change, expected) in CHANGES.iter().filter(|(what, ..)| *what != "compact") {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), ScidVersion::Si4, &START);
        let all = count(|| edit(&path, change).expect("changes"));
        let (mut old, mut new) = (0, 0);
        // The last steps, in which the new files replace the old ones, are all tried even in short runs.
        for steps in (0..=all).filter(|steps| is_full || steps + 12 > all || steps % 9 == 0) {
            let folder = tempfile::tempdir().expect("folder");
            let path = create(folder.path(), ScidVersion::Si4, &START);
            let _ = guarded(KillFault::after(steps), || edit(&path, change));
            let Some(found) = games_by_scid(&path) else {
                return;
            };
            match found == START {
                true => old += 1,
                false => {
                    assert_eq!(found, *expected, "{what}, killed after {steps} steps");
                    new += 1;
                }
            }
        }
        assert!(old >= 1 && new >= 1, "{what}: {old} {new}");
    }
}

/// Another program changes a database in its current state: it marks the first game as deleted, and leaves bytes of its own.
fn by_another_program(path: &Path, version: ScidVersion) {
    let mut index = std::fs::read(path).expect("reads");
    let at = match version {
        ScidVersion::Si5 => 28,
        ScidVersion::Si3 | ScidVersion::Si4 => 182 + 8,
    };
    index[at] |= 8;
    std::fs::write(path, index).expect("writes");
    let [_, games, _] = version.extensions();
    let games = path.with_extension(games);
    let mut bytes = std::fs::read(&games).expect("reads");
    bytes.extend(b"\x03Tag\x05value\0\0\x0f");
    std::fs::write(games, bytes).expect("writes");
}

#[test]
fn a_base_that_another_program_went_on_with_after_a_crash_is_read() {
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        for (what, change, expected) in CHANGES {
            let folder = tempfile::tempdir().expect("folder");
            let path = create(folder.path(), version, &START);
            let all = count(|| edit(&path, change).expect("changes"));
            for steps in 0..=all {
                let folder = tempfile::tempdir().expect("folder");
                let path = create(folder.path(), version, &START);
                let _ = guarded(KillFault::after(steps), || edit(&path, change));
                let is_cut_off = tabiya_io::change::is_pending(&path);
                by_another_program(&path, version);
                let found = match ScidReader::open(&path, &OpenOptions::default()) {
                    Ok(base) => {
                        let mut game = Game::default();
                        let names = (1..=base.count()).map(|number| {
                            base.read(number, GameNeeds::ALL, &mut game).expect("reads");
                            assert!(game.diagnostics.is_empty(), "{what}, {steps}");
                            game.tags.value("White").to_owned()
                        });
                        names.collect::<Vec<_>>()
                    }
                    // Between the renames of a compaction, no database is sound.
                    Err(error) if *what == "compact" && is_cut_off => {
                        let text = error.to_string();
                        assert!(text.contains("tabiya-journal"), "{text}");
                        assert_eq!(
                            error.hint(),
                            Some(&tabiya_model::UserHint::Repair),
                            "{text}"
                        );
                        continue;
                    }
                    Err(error) => panic!("{what}, killed after {steps} steps: {error}"),
                };
                assert!(
                    found == START || found == *expected,
                    "{what}, {steps}: {found:?}"
                );
                // The next change is not blocked either.
                edit(&path, &|editor| {
                    editor
                        .flags(std::slice::from_ref(&(1..2)), "W", "")
                        .map(|_| ())
                })
                .unwrap_or_else(|error| panic!("{version:?}, {what}, {steps}: {error}"));
                let files = std::fs::read_dir(folder.path()).expect("reads");
                assert_eq!(files.count(), 3);
            }
        }
    }
}

#[test]
fn what_is_taken_off_the_end_is_gone_for_a_rescue_too() {
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let folder = tempfile::tempdir().expect("folder");
        let path = create(folder.path(), version, &START);
        let bytes = || {
            version
                .extensions()
                .map(|end| std::fs::read(path.with_extension(end)).expect("reads"))
        };
        let before = bytes();
        let mut editor = ScidEditor::open(&path, &OpenOptions::default()).expect("opens");
        let size = editor.size().expect("known");
        append(&mut *editor).expect("appends");
        editor.commit(None).expect("changes");
        assert_ne!(bytes(), before);
        edit(&path, &|editor| {
            editor.end_at(size);
            editor.cut(3)
        })
        .expect("changes");
        assert!(bytes() == before, "{version:?}");
        // Without the former size, the records are removed, and names may stay.
        edit(&path, &append).expect("appends");
        edit(&path, &|editor| editor.cut(3)).expect("changes");
        assert_eq!(bytes()[..2], before[..2], "{version:?}");
        edit(&path, &|editor| editor.remove(&[3])).expect("changes");
        let rescued = salvage::salvage(&path, &OpenOptions::default()).expect("opens");
        assert_eq!(rescued.len().expect("counted"), 2);
        let options = OpenOptions {
            audit: true,
            ..OpenOptions::default()
        };
        let base = ScidReader::open(&path, &options).expect("opens");
        assert_eq!(Database::diagnostics(&base).at_least(Severity::Damage), 0);
    }
}
