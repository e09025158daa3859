//! A stop of the whole process: files that are not in their place are removed, and nothing new begins. It is a single test,
//! since there is only one process.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tabiya_io::change::DatabaseChange;
use tabiya_io::interrupt;
use tabiya_io::lock::DatabaseLock;
use tabiya_io::output::{OutputError, OutputFile, OutputOptions};
use tabiya_io::output_folder::OutputFolder;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_stop_waits_for_what_is_under_way_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("base.si5"), b"old").expect("written");
    std::fs::write(at("other.pgn"), b"old").expect("written");
    let before = names(folder.path());

    let mut output = OutputFile::create(&at("new.pgn"), &OutputOptions::default()).expect("begun");
    output.write_all(b"half").expect("written");
    let room = OutputFolder::create(&at("lake")).expect("begun");
    std::fs::write(room.path().join("games"), b"half").expect("written");
    let base = at("base.si5");
    let mut change = DatabaseChange::begin(&[base.as_path()]).expect("begun");
    change.replace(&base, &[b"new"]).expect("staged");
    let lock = DatabaseLock::take(&at("other.pgn"), Duration::ZERO).expect("taken");
    assert_eq!(names(folder.path()).len(), before.len() + 5);

    // A thread is inside a section, and continues to work in it.
    let (is_inside, is_left) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let inside = interrupt::enter().expect("open");
            is_inside.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
            let within = interrupt::enter().expect("a step within a step");
            is_left.store(true, Ordering::SeqCst);
            drop((within, inside));
        });
        while !is_inside.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        assert!(!interrupt::is_decided());
        assert!(interrupt::stop(false));
        assert!(is_left.load(Ordering::SeqCst), "it was waited for");
    });
    assert_eq!(names(folder.path()), before);

    // Until the process ends, the job can no longer change anything.
    assert!(interrupt::enter().is_err());
    assert!(matches!(output.commit(), Err(OutputError::Stopped(_))));
    assert!(matches!(room.commit(), Err(OutputError::Stopped(_))));
    assert!(change.commit().is_err());
    // Another program has these names now.
    std::fs::write(at("base.si5.tabiya-new"), b"theirs").expect("written");
    std::fs::write(at("other.pgn.tabiya-lock"), b"theirs").expect("written");
    drop(lock);
    assert!(DatabaseChange::begin(&[base.as_path()]).is_err());
    assert!(OutputFile::create(&at("new.pgn"), &OutputOptions::default()).is_err());
    assert_eq!(std::fs::read(&base).expect("read"), b"old");
    assert_eq!(
        std::fs::read(at("base.si5.tabiya-new")).expect("read"),
        b"theirs"
    );
    assert_eq!(
        std::fs::read(at("other.pgn.tabiya-lock")).expect("read"),
        b"theirs"
    );
}
