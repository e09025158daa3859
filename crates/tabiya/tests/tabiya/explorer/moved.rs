//! Indexes of bases that were copied, or changed where a glance does not see it.

use std::path::PathBuf;

use super::*;

fn is_believed(path: &Path) -> bool {
    let input = open(path);
    let database = input.database().expect("a database");
    let found = sidecar::open(database, &OpenOptions::default()).expect("looked for");
    matches!(found, Sidecar::Fresh(_))
}

fn with_index(folder: &Path) -> PathBuf {
    let path = folder.join("games.pgn");
    std::fs::write(&path, random_pgn(1500, 5)).expect("written");
    let input = open(&path);
    sidecar::make(input.database().expect("a database"), &making()).expect("made");
    path
}

/// The time of a file's last change of any kind, which no program sets, tells it. Windows does not give it.
#[cfg(unix)]
#[test]
fn a_change_in_the_middle_shows_though_size_and_time_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = with_index(folder.path());
    assert!(is_believed(&path));
    let time = std::fs::metadata(&path).and_then(|it| it.modified());
    let time = time.expect("a time");
    let mut bytes = std::fs::read(&path).expect("read");
    let length = bytes.len();
    assert!(length > 3 * 65_536, "the middle is in neither end");
    let middle = length / 2;
    let digit = bytes[middle..].iter().position(u8::is_ascii_digit);
    let at = middle + digit.expect("a digit");
    bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
    std::fs::write(&path, &bytes).expect("written");
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    let times = std::fs::FileTimes::new().set_modified(time);
    file.and_then(|file| file.set_times(times)).expect("set");
    assert!(!is_believed(&path));
}

#[test]
fn a_copy_is_believed_for_its_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = with_index(folder.path());
    let other = folder.path().join("other");
    std::fs::create_dir(&other).expect("a folder");
    let copy = other.join("games.pgn");
    let beside = |path: &Path| PathBuf::from(format!("{}.tabiya-index", path.display()));
    std::fs::copy(&path, &copy).expect("copied");
    std::fs::copy(beside(&path), beside(&copy)).expect("copied");
    assert!(is_believed(&copy), "another time and another place");
    let mut bytes = std::fs::read(&copy).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&copy, &bytes).expect("written");
    assert!(!is_believed(&copy), "another content");
    // Under another name it is that of another base.
    let named = other.join("named.pgn");
    std::fs::copy(&path, &named).expect("copied");
    std::fs::copy(beside(&path), beside(&named)).expect("copied");
    assert!(!is_believed(&named));
}
