//! Changes with their history that are cut off anywhere: killed, on a full disk, without power. Whatever happens, base and
//! history are of one mind: both old, or both new.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabiya_formats::edit::STAGE;
use tabiya_io::disk::{DiskGuard, guarded};
use tabiya_io::disk_faults::{DiskFullFault, KillFault, StepLog, count};
use tabiya_testing::TestRandom;

use super::*;

/// The files of a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let entries = std::fs::read_dir(folder).expect("listed");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), std::fs::read(path).expect("read")))
        .collect()
}

/// Makes the files of a folder others.
fn put(folder: &Path, files: &Files) {
    for entry in std::fs::read_dir(folder).expect("listed") {
        let path = entry.expect("an entry").path();
        let gone = match path.is_dir() {
            true => std::fs::remove_dir_all(&path),
            false => std::fs::remove_file(&path),
        };
        gone.expect("removed");
    }
    let is_stage = |path: &Path| path.to_string_lossy().ends_with(STAGE);
    for (path, bytes) in files {
        if is_stage(path) {
            std::fs::create_dir_all(path).expect("made");
        } else if !path
            .parent()
            .is_some_and(|parent| is_stage(parent) && !files.contains_key(parent))
        {
            std::fs::write(path, bytes).expect("written");
        }
    }
}

/// A base with a history of one change, what is wished of it, and what comes of that.
struct Trial {
    name: String,
    what: &'static str,
    folder: tempfile::TempDir,
    path: PathBuf,
    wish: EditOperation,
    start: Files,
    before: Vec<String>,
    after: Vec<String>,
    /// How many steps the wish takes.
    steps: u64,
    /// What is added afterwards.
    more: EditOperation,
}

impl Trial {
    fn new(name: &str, what: &'static str, wish: &dyn Fn(&Path) -> EditOperation) -> Option<Trial> {
        let sources = tempfile::tempdir().expect("a folder");
        let folder = tempfile::tempdir().expect("a folder");
        let path = base(folder.path(), name, &START);
        for entry in std::fs::read_dir(folder.path()).expect("listed") {
            let file = entry.expect("an entry").path();
            if file.to_string_lossy().contains("source-") {
                std::fs::remove_file(file).expect("removed");
            }
        }
        change(&path, &set(1, "Reti")).expect("set");
        if what == "compact" {
            change(&path, &flags(2, "D", "")).ok()?;
        }
        let wish = wish(sources.path());
        let (start, before) = (files(folder.path()), lines(&path));
        let mut trial = Trial {
            name: name.to_owned(),
            what,
            path,
            wish,
            start,
            before,
            after: Vec::new(),
            steps: 0,
            more: EditOperation::Append(source(sources.path(), &["Later"])),
            folder,
        };
        // Sources are read while they are there.
        trial.steps = count(|| drop(change(&trial.path, &trial.wish).expect("done")));
        trial.after = lines(&trial.path);
        assert_ne!(trial.before, trial.after, "{name} {what}");
        std::mem::forget(sources);
        Some(trial)
    }

    /// Makes the change with a guard, from the start.
    fn under(&self, guard: Arc<dyn DiskGuard>) -> Result<EditReport> {
        put(self.folder.path(), &self.start);
        guarded(guard, || change(&self.path, &self.wish))
    }

    /// What is there is old or new, in base and history, also after another change; says whether it is new.
    fn is_new(&self, how: &str) -> bool {
        let place = format!("{} {} {how}", self.name, self.what);
        let found = lines(&self.path);
        let is_new = found == self.after;
        assert!(is_new || found == self.before, "{place}: {found:?}");
        let told = history(&self.path);
        assert!(!told.is_damaged() && !told.is_outdated(), "{place}");
        let had = self
            .start
            .keys()
            .any(|path| *path == EditHistory::path_of(&self.path));
        assert!(had);
        let last = told.changes().last().map(|head| head.wish.clone());
        let is_told = last == Some(self.last_wish());
        assert_eq!(is_new, is_told, "{place}: {last:?}");
        assert_eq!(
            told.contiguous_entries().count(),
            told.changes().len(),
            "{place}"
        );
        change(&self.path, &self.more).unwrap_or_else(|error| panic!("{place}: {error}"));
        let then = lines(&self.path);
        assert_eq!(then.len(), found.len() + 1, "{place}");
        assert_eq!(then[..found.len()], found[..], "{place}");
        change(&self.path, &EditOperation::Undo).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(lines(&self.path), found, "{place}");
        let left: Vec<PathBuf> = files(self.folder.path())
            .into_keys()
            .filter(|path| !self.start.contains_key(path))
            .collect();
        assert_eq!(left, Vec::<PathBuf>::new(), "{place}");
        is_new
    }

    fn last_wish(&self) -> String {
        match &self.wish {
            EditOperation::Append(_) => "append".to_owned(),
            EditOperation::Set { .. } => "set 2 White=Tal".to_owned(),
            EditOperation::Delete(_) => "delete 1-2".to_owned(),
            EditOperation::Sort(_) => "sort -white".to_owned(),
            EditOperation::Compact => "compact".to_owned(),
            _ => "undo 1".to_owned(),
        }
    }
}

fn is_full() -> bool {
    tabiya_testing::is_full()
}

/// Tries every change of every format; `each` is told which steps to look at.
fn each(mut each: impl FnMut(&Trial, &mut dyn Iterator<Item = u64>)) {
    type Wish<'w> = &'w dyn Fn(&Path) -> EditOperation;
    let wishes: [(&'static str, Wish<'_>); 6] = [
        ("append", &|folder| {
            EditOperation::Append(source(folder, &["Tal", "Keres"]))
        }),
        ("replace", &|_| set(2, "Tal")),
        ("delete", &|_| EditOperation::Delete((1..3).into())),
        ("sort", &|_| sort("-white")),
        ("compact", &|_| EditOperation::Compact),
        ("undo", &|_| EditOperation::Undo),
    ];
    // In the shorter forms some steps, others of each change.
    let stride = tabiya_testing::by_form(17, 11, 1);
    let mut tried = 0;
    for name in names() {
        for (what, wish) in wishes {
            let Some(trial) = Trial::new(&name, what, wish) else {
                continue;
            };
            tried += 1;
            let first = tried % stride.min(trial.steps / 2 + 1);
            let mut steps =
                (0..=trial.steps).filter(|step| step % stride == first || *step == trial.steps);
            each(&trial, &mut steps);
        }
    }
    assert!(tried >= 40, "{tried}");
}

#[test]
fn a_change_that_is_killed_anywhere_is_old_or_new() {
    each(|trial, steps| {
        let (mut old, mut new) = (0, 0);
        for step in steps {
            let _ = trial.under(KillFault::after(step));
            match trial.is_new(&format!("killed after {step} steps")) {
                true => new += 1,
                false => old += 1,
            }
        }
        assert!(old >= 1 && new >= 1, "{} {}", trial.name, trial.what);
    });
}

#[test]
fn a_full_disk_is_told_as_it_is() {
    each(|trial, steps| {
        let steps: Vec<u64> = steps.collect();
        // Nothing of a write, a part of it, all of it: and then the disk is full.
        for part in [0, 9, usize::MAX] {
            for step in &steps {
                let told = trial.under(DiskFullFault::at(*step, part));
                let is_done = match &told {
                    Ok(_) => true,
                    Err(error) => {
                        let text = error.to_string();
                        assert!(
                            text.contains("nothing was changed")
                                || text.contains("the change is made"),
                            "{text}"
                        );
                        text.contains("the change is made")
                    }
                };
                let how = format!("full at step {step}, {part} bytes: {told:?}");
                assert_eq!(
                    trial.is_new(&how),
                    is_done,
                    "{} {} {how}",
                    trial.name,
                    trial.what
                );
            }
        }
    });
}

#[test]
fn a_change_without_power_is_old_or_new() {
    let mut random = TestRandom::new(1);
    each(|trial, steps| {
        let log = Arc::new(StepLog::default());
        trial.under(log.clone()).expect("done");
        assert_eq!(
            log.len() as u64,
            trial.steps - attributes(trial),
            "{}",
            trial.name
        );
        let (mut old, mut new) = (0, 0);
        for step in steps {
            // What was not forced to the disk is gone, is there, or some of it is.
            let trials = if is_full() { 6 } else { 3 };
            for turn in 0..trials {
                let step = usize::try_from(step).expect("few");
                let after = log.without_power(&trial.start, step, || match turn {
                    0 => false,
                    1 => true,
                    _ => random.chance(50),
                });
                put(trial.folder.path(), &after);
                match trial.is_new(&format!("without power after {step} steps, turn {turn}")) {
                    true => new += 1,
                    false => old += 1,
                }
            }
        }
        assert!(
            old >= 1 && new >= 1,
            "{} {}: {old} {new}",
            trial.name,
            trial.what
        );
    });
}

/// Steps that no log keeps, because nothing of a file's content is in them.
fn attributes(trial: &Trial) -> u64 {
    let log = Arc::new(StepLog::default());
    trial.under(log.clone()).expect("done");
    trial.steps - log.len() as u64
}
