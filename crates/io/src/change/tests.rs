//! Changes that are cut off at every step, overtaken, and refused.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use tabiya_testing::TestRandom;

use super::*;
use crate::disk::guarded;
use crate::disk_faults::{DiskFullFault, KillFault, StepLog, count};

const NAMES: [&str; 3] = ["base.sg5", "base.sn5", "base.si5"];
const OLD: [&[u8]; 3] = [b"records", b"names", b"index"];
const LATER: [&[u8]; 3] = [b"records and more", b"names and more", b"another index"];

fn start() -> (tempfile::TempDir, [PathBuf; 3]) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = NAMES.map(|name| folder.path().join(name));
    for (file, content) in files.iter().zip(OLD) {
        fs::write(file, content).expect("written");
    }
    (folder, files)
}

fn all(files: &[PathBuf; 3]) -> [&Path; 3] {
    [&files[2], &files[0], &files[1]]
}

fn content(files: &[PathBuf; 3]) -> [Vec<u8>; 3] {
    [0, 1, 2].map(|at: usize| fs::read(&files[at]).unwrap_or_default())
}

fn is(found: &[Vec<u8>; 3], wanted: [&[u8]; 3]) -> bool {
    found
        .iter()
        .zip(wanted)
        .all(|(found, wanted)| found == wanted)
}

/// The ways to change the three files, all with the same result.
type ChangeFunction = fn(&mut DatabaseChange, &[PathBuf; 3]) -> Result<(), ChangeError>;

const WAYS: [(&str, ChangeFunction); 4] = [
    ("replace all", |change, files| {
        for (file, content) in files.iter().zip(LATER) {
            change.replace(file, &[content])?;
        }
        Ok(())
    }),
    ("add, replace", |change, files| {
        change.append(&files[0], b" and more")?;
        change.append(&files[1], b" and more")?;
        change.replace(&files[2], &[b"another", b" index"])
    }),
    ("adopt, add", |change, files| {
        change.append(&files[0], b" and more")?;
        let beside = files[2].with_extension("other");
        fs::write(&beside, LATER[2]).expect("written");
        change.adopt(&files[2], &beside)?;
        change.append(&files[1], b" and more")
    }),
    ("add to two", |change, files| {
        change.replace(&files[2], &[LATER[2]])?;
        change.append(&files[0], b" and more")?;
        change.append(&files[1], b" and more")
    }),
];

fn change(files: &[PathBuf; 3], way: ChangeFunction) -> Result<(), ChangeError> {
    let mut change = DatabaseChange::begin_patiently(&all(files), Duration::ZERO)?;
    way(&mut change, files)?;
    change.commit()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("listed")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| !name.ends_with("other"))
        .collect();
    names.sort();
    names
}

fn is_old(found: &[Vec<u8>; 3]) -> bool {
    is(found, OLD)
}

#[test]
fn every_way_ends_alike_and_leaves_nothing() {
    for (name, way) in WAYS {
        let (folder, files) = start();
        change(&files, way).expect("changed");
        assert!(is(&content(&files), LATER), "{name}");
        assert_eq!(names(folder.path()), ["base.sg5", "base.si5", "base.sn5"]);
    }
}

#[test]
fn one_killed_at_any_step_is_whole_or_not_at_all() {
    for (name, way) in WAYS {
        let (_folder, files) = start();
        let steps = count(|| change(&files, way).expect("changed"));
        let (mut old, mut new) = (0, 0);
        for step in 0..steps {
            let (folder, files) = start();
            // The result does not count: a killed process does not report one.
            let _ = guarded(KillFault::after(step), || change(&files, way));
            recover(&all(&files)).expect("recovered");
            let found = content(&files);
            match is(&found, LATER) {
                true => new += 1,
                false => {
                    assert!(is_old(&found), "{name}, step {step}: {found:?}");
                    old += 1;
                }
            }
            // Nothing stops the next change, which also tidies up.
            DatabaseChange::begin_patiently(&all(&files), Duration::ZERO).expect("begun");
            assert_eq!(names(folder.path()), ["base.sg5", "base.si5", "base.sn5"]);
        }
        assert!(old > 5 && new > 1, "{name}: {old} {new}");
    }
}

#[test]
fn one_killed_while_it_is_finished_later_is_finished_after_that() {
    for (name, way) in WAYS {
        let (_folder, files) = start();
        let steps = count(|| change(&files, way).expect("changed"));
        for step in 0..steps {
            for again in 0..8 {
                let (_folder, files) = start();
                let _ = guarded(KillFault::after(step), || change(&files, way));
                let _ = guarded(KillFault::after(again), || recover(&all(&files)));
                recover(&all(&files)).expect("recovered");
                let found = content(&files);
                assert!(
                    is(&found, LATER) || is_old(&found),
                    "{name}, steps {step} and {again}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    for (name, way) in WAYS {
        let (_folder, files) = start();
        let steps = count(|| change(&files, way).expect("changed"));
        for step in 0..steps {
            for part in [0, 1, usize::MAX] {
                let (folder, files) = start();
                let told = guarded(DiskFullFault::at(step, part), || change(&files, way));
                let found = content(&files);
                match &told {
                    Ok(()) => assert!(is(&found, LATER), "{name}, step {step}"),
                    Err(ChangeError::Unfinished { .. }) => {
                        recover(&all(&files)).expect("finished");
                        assert!(is(&content(&files), LATER), "{name}, step {step}");
                    }
                    Err(error) => {
                        assert!(error.to_string().contains("nothing was changed"), "{error}");
                        assert!(is(&found, OLD), "{name}, step {step}: {found:?}");
                    }
                }
                assert_eq!(
                    names(folder.path()),
                    ["base.sg5", "base.si5", "base.sn5"],
                    "{name}, step {step}: {told:?}"
                );
            }
        }
    }
}

#[test]
fn power_that_fails_at_any_step_leaves_the_old_or_the_new() {
    for (name, way) in WAYS {
        // Files that come from elsewhere are not in the log.
        if name.starts_with("adopt") {
            continue;
        }
        let (folder, files) = start();
        let before: BTreeMap<PathBuf, Vec<u8>> = files
            .iter()
            .map(|file| (file.clone(), fs::read(file).expect("read")))
            .collect();
        let log = Arc::new(StepLog::default());
        guarded(log.clone(), || change(&files, way)).expect("changed");
        let mut random = TestRandom::new(1);
        let (mut old, mut new) = (0, 0);
        for step in 0..=log.len() {
            for trial in 0..16 {
                let after = log.without_power(&before, step, || match trial {
                    0 => false,
                    1 => true,
                    _ => random.chance(50),
                });
                for name in names(folder.path()) {
                    fs::remove_file(folder.path().join(name)).expect("removed");
                }
                for (path, bytes) in &after {
                    fs::write(path, bytes).expect("written");
                }
                let recovered = recover(&all(&files));
                let found = content(&files);
                if is(&found, LATER) {
                    new += 1;
                } else {
                    assert!(
                        is_old(&found),
                        "{name}, step {step}, trial {trial}: {recovered:?} {found:?}"
                    );
                    old += 1;
                }
            }
        }
        assert!(old > 5 && new > 1, "{name}: {old} {new}");
    }
}

#[test]
fn another_programs_change_is_never_overwritten() {
    for (name, way) in WAYS {
        let (_folder, files) = start();
        let steps = count(|| change(&files, way).expect("changed"));
        let mut given_up = 0;
        for step in 0..steps {
            for touched in 0..3 {
                let (_folder, files) = start();
                let _ = guarded(KillFault::after(step), || change(&files, way));
                // The same size, but other content.
                let mut theirs = fs::read(&files[touched]).expect("read");
                theirs[0] = b'X';
                fs::write(&files[touched], &theirs).expect("written");
                let before = content(&files);
                let recovered = recover(&all(&files));
                let found = content(&files);
                assert_eq!(found[touched], theirs, "{name}, step {step}");
                match recovered {
                    Ok(RecoveryOutcome::Overtaken) | Err(ChangeError::Interrupted { .. }) => {
                        assert_eq!(
                            found, before,
                            "{name}, step {step}: nothing else is touched"
                        );
                        given_up += 1;
                    }
                    Ok(RecoveryOutcome::Nothing) => assert_eq!(found, before),
                    Ok(RecoveryOutcome::Finished) => panic!("{name}, step {step}: finished"),
                    Err(error) => panic!("{name}, step {step}: {error}"),
                }
            }
        }
        assert!(given_up > 0, "{name}");
    }
}

#[test]
fn a_change_that_another_program_went_on_from_is_no_obstacle_for_ever() {
    for (name, way) in WAYS {
        let (_folder, files) = start();
        let steps = count(|| change(&files, way).expect("changed"));
        let mut refused = 0;
        for step in 0..steps {
            for is_sound in [false, true] {
                let (folder, files) = start();
                let _ = guarded(KillFault::after(step), || {
                    let mut change = DatabaseChange::begin_patiently(&all(&files), Duration::ZERO)?;
                    if is_sound {
                        change.has_sound_steps();
                    }
                    way(&mut change, &files)?;
                    change.commit()
                });
                // It appends to all files in their current state.
                for file in &files {
                    let mut bytes = fs::read(file).expect("read");
                    bytes.extend(b", and theirs");
                    fs::write(file, bytes).expect("written");
                }
                let before = content(&files);
                let recovered = recover(&all(&files));
                assert_eq!(content(&files), before, "{name}, step {step}");
                match recovered {
                    Ok(RecoveryOutcome::Nothing | RecoveryOutcome::Overtaken) => {
                        DatabaseChange::begin_patiently(&all(&files), Duration::ZERO)
                            .expect("begun");
                        assert_eq!(names(folder.path()), ["base.sg5", "base.si5", "base.sn5"]);
                    }
                    Err(ChangeError::Interrupted { path, .. }) if !is_sound => {
                        assert!(path.to_string_lossy().ends_with(JOURNAL), "{path:?}");
                        refused += 1;
                    }
                    other => panic!("{name}, step {step}: {other:?}"),
                }
            }
        }
        assert!(refused > 0, "{name}");
    }
}

#[test]
fn what_was_being_added_is_added_whole_or_goes_where_another_program_went_on() {
    let add_all = |files: &[PathBuf; 3]| {
        let mut change = DatabaseChange::begin_patiently(&all(files), Duration::ZERO)?;
        change.has_sound_steps();
        for file in files {
            change.append(file, b" and more")?;
        }
        change.commit()
    };
    let (_folder, files) = start();
    let steps = count(|| add_all(&files).expect("changed"));
    let (mut old, mut new, mut cut) = (0, 0, 0);
    for step in 0..=steps {
        for touched in 0..3 {
            let (folder, files) = start();
            let _ = guarded(KillFault::after(step), || add_all(&files));
            let mut theirs = fs::read(&files[touched]).expect("read");
            theirs[0] = b'X';
            fs::write(&files[touched], &theirs).expect("written");
            let before = content(&files);
            recover(&all(&files)).unwrap_or_else(|error| panic!("step {step}: {error}"));
            let mut found = content(&files);
            assert_eq!(found[touched][0], b'X', "step {step}");
            // The index refers to no missing record or name, and no incomplete part is left.
            found[touched][0] = OLD[touched][0];
            let whole = |at: usize| found[at] == [OLD[at], b" and more"].concat();
            let is_new = whole(2);
            assert!(is_new || found[2] == OLD[2], "step {step}: {found:?}");
            for at in [0, 1] {
                let is_right = match is_new {
                    true => whole(at),
                    // If its beginning differs, all of it may be from another program.
                    false if at == touched => whole(at) || found[at] == OLD[at],
                    false => found[at] == OLD[at],
                };
                assert!(is_right, "step {step}, {touched}: {found:?}");
            }
            old += u32::from(!is_new);
            new += u32::from(is_new);
            cut += u32::from(before.concat().len() > found.concat().len());
            DatabaseChange::begin_patiently(&all(&files), Duration::ZERO).expect("begun");
            assert_eq!(names(folder.path()), ["base.sg5", "base.si5", "base.sn5"]);
        }
    }
    assert!(old > 5 && new > 1 && cut > 1, "{old} {new} {cut}");
}

#[test]
fn one_that_is_overtaken_says_so_and_takes_everything_back() {
    let (folder, files) = start();
    let mut change = DatabaseChange::begin(&all(&files)).expect("begun");
    change.append(&files[0], b" and more").expect("staged");
    change.replace(&files[2], &[LATER[2]]).expect("staged");
    fs::write(&files[1], b"their names").expect("written");
    let error = change.commit().expect_err("told");
    assert!(matches!(error, ChangeError::Overtaken(_)), "{error}");
    let found = content(&files);
    assert_eq!(
        (&found[1][..], &found[2][..]),
        (&b"their names"[..], OLD[2])
    );
    assert_eq!(names(folder.path()), ["base.sg5", "base.si5", "base.sn5"]);
}

#[test]
fn a_journal_that_is_none_is_left_alone() {
    let (_folder, files) = start();
    let journal = beside(&files[2], JOURNAL);
    let fingerprint = "0".repeat(64);
    for text in [
        String::new(),
        "tabiya journal 1\nsi5 1 0\nend\n".to_owned(),
        format!("{HEADING}\nend\n"),
        format!("{HEADING}\nreplace ../x {fingerprint} 1 0\nend\n"),
        format!("{HEADING}\nreplace base.si5 {fingerprint} 1\nend\n"),
        format!("{HEADING}\nreplace base.si5 0123 1 0\nend\n"),
        format!("{HEADING}\nforget base.si5 {fingerprint} 1 0\nend\n"),
        format!("{HEADING}\nreplace base.si5 {fingerprint} 5 0\n"),
    ] {
        fs::write(&journal, &text).expect("written");
        let error = recover(&all(&files)).expect_err("told");
        assert!(matches!(error, ChangeError::Journal(_)), "{text}: {error}");
        assert!(is(&content(&files), OLD));
        assert_eq!(fs::read(&journal).expect("read"), text.as_bytes());
    }
}

#[test]
fn what_may_not_be_written_to_is_refused_before_anything() {
    let (folder, files) = start();
    let mut read_only = fs::metadata(&files[1]).expect("there").permissions();
    read_only.set_readonly(true);
    fs::set_permissions(&files[1], read_only).expect("set");
    let error = DatabaseChange::begin(&all(&files)).expect_err("refused");
    assert!(
        error
            .to_string()
            .contains("base.sn5: cannot be changed: it is read-only"),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["base.sg5", "base.si5", "base.sn5"]);
}

#[test]
#[cfg(unix)]
fn mode_owner_and_links_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let (folder, files) = start();
    let elsewhere = tempfile::tempdir().expect("a folder");
    for (file, mode) in files.iter().zip([0o600, 0o640, 0o664]) {
        let real = elsewhere.path().join(file.file_name().expect("named"));
        fs::rename(file, &real).expect("moved");
        fs::set_permissions(&real, fs::Permissions::from_mode(mode)).expect("set");
        // Only the administrator can give a file away.
        let _ = std::os::unix::fs::chown(&real, Some(12), Some(34));
        std::os::unix::fs::symlink(&real, file).expect("linked");
    }
    let seen = |file: &PathBuf| {
        let found = fs::metadata(file).expect("there");
        (found.mode() & 0o7777, found.uid(), found.gid())
    };
    let before: Vec<_> = files.iter().map(seen).collect();
    for (name, way) in WAYS {
        if name.starts_with("adopt") {
            continue;
        }
        for (file, content) in files.iter().zip(OLD) {
            fs::write(file, content).expect("written");
        }
        change(&files, way).expect("changed");
        assert!(is(&content(&files), LATER), "{name}");
        assert_eq!(before, files.iter().map(seen).collect::<Vec<_>>(), "{name}");
        for file in &files {
            assert!(fs::symlink_metadata(file).expect("there").is_symlink());
        }
    }
    assert_eq!(names(folder.path()).len(), 3);
    assert_eq!(names(elsewhere.path()).len(), 3);
}

#[test]
fn a_change_of_nothing_changes_nothing() {
    let (folder, files) = start();
    DatabaseChange::begin(&all(&files))
        .expect("begun")
        .commit()
        .expect("committed");
    assert!(is(&content(&files), OLD));
    assert_eq!(names(folder.path()).len(), 3);
}

/// Writers that follow one another never leave the lock to a reader; but each of their changes ends.
#[test]
fn a_reader_waits_for_the_change_and_not_for_the_lock() {
    let (_folder, files) = start();
    let first = real(&files[2]);
    let journal = beside(&first, JOURNAL);
    fs::write(&journal, "not whole yet").expect("written");
    // The lock is held as long as the reader waits.
    let lock = DatabaseLock::take(&first, PATIENCE).expect("free");
    let found = std::thread::scope(|scope| {
        let reader = scope.spawn(|| recover(&all(&files)));
        std::thread::sleep(READERS_LOOK * 2);
        fs::remove_file(&journal).expect("removed");
        reader.join().expect("no panic")
    });
    assert_eq!(found.expect("nothing to do"), RecoveryOutcome::Nothing);
    assert!(is(&content(&files), OLD));
    drop(lock);
}
