//! A stop of the whole process: what is not in its place goes, and nothing new begins. One test alone, since there is one process.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tabiya_io::change::Change;
use tabiya_io::folder::Folder;
use tabiya_io::lock::Lock;
use tabiya_io::output::{Error, Options, Output};
use tabiya_io::stop;

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

    let mut output = Output::create(&at("new.pgn"), &Options::default()).expect("begun");
    output.write_all(b"half").expect("written");
    let room = Folder::create(&at("lake")).expect("begun");
    std::fs::write(room.path().join("games"), b"half").expect("written");
    let base = at("base.si5");
    let mut change = Change::begin(&[base.as_path()]).expect("begun");
    change.replace(&base, &[b"new"]).expect("staged");
    let lock = Lock::take(&at("other.pgn"), Duration::ZERO).expect("taken");
    assert_eq!(names(folder.path()).len(), before.len() + 5);

    // Somebody is in the middle of something, and does more of it.
    let (is_inside, is_left) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let inside = stop::enter().expect("open");
            is_inside.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
            let within = stop::enter().expect("a step within a step");
            is_left.store(true, Ordering::SeqCst);
            drop((within, inside));
        });
        while !is_inside.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        assert!(!stop::is_decided());
        assert!(stop::stop(false));
        assert!(is_left.load(Ordering::SeqCst), "it was waited for");
    });
    assert_eq!(names(folder.path()), before);

    // What the job does from now on, until the process ends, changes nothing.
    assert!(stop::enter().is_err());
    assert!(matches!(output.commit(), Err(Error::Stopped(_))));
    assert!(matches!(room.commit(), Err(Error::Stopped(_))));
    assert!(change.commit().is_err());
    // Somebody else has the names now.
    std::fs::write(at("base.si5.tabiya-new"), b"theirs").expect("written");
    std::fs::write(at("other.pgn.tabiya-lock"), b"theirs").expect("written");
    drop(lock);
    assert!(Change::begin(&[base.as_path()]).is_err());
    assert!(Output::create(&at("new.pgn"), &Options::default()).is_err());
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
