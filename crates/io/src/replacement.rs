//! Replacing a file that is open, on systems that refuse it: on Windows, the name of a mapped file cannot be reused.
//!
//! The old file is moved aside to another name, which such a system allows, and the new one takes the free name. Opening the
//! file in between waits until the name is there again. If the program was killed in between, the old file gets its name back
//! when it is opened next; a journal that was written before is then followed as usual.
//!
//! The functions do not depend on the system, so that every system can test them; only Windows calls them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::beside;
use super::output::gone_name;

/// The suffix of a file that is put aside.
const ASIDE: &str = ".tabiya-aside";

/// How often, and how long each time, a name that is about to come back is waited for.
const TURNS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// The errors of Windows for a file that another program has open, and for a mapped one.
const SHARING_VIOLATION: i32 = 32;
const USER_MAPPED_FILE: i32 = 1224;

/// Gives a file the name of another one, which may be open. `rename` is the system's own way to do it.
pub(crate) fn replace(
    from: &Path,
    to: &Path,
    rename: impl Fn(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let refusal = match rename(from, to) {
        Err(error) if may_be_open(&error) => error,
        done => return done,
    };
    let may_be_replaced = fs::symlink_metadata(to)
        .is_ok_and(|there| there.is_file() && !there.permissions().readonly());
    if !may_be_replaced {
        return Err(refusal);
    }
    let aside = beside(to, ASIDE);
    // If the name has its file, a file left by an earlier replacement is out of date.
    discard(to, &aside);
    if rename(to, &aside).is_err() {
        return Err(refusal);
    }
    match rename(from, to) {
        Ok(()) => {
            discard(to, &aside);
            Ok(())
        }
        Err(error) => {
            // If this fails as well, the next program that opens the file does it.
            let _ = rename(&aside, to);
            Err(error)
        }
    }
}

/// Whether an operation was refused because the file is open, as far as the system reports that.
fn may_be_open(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
        || (cfg!(windows)
            && matches!(
                error.raw_os_error(),
                Some(SHARING_VIOLATION | USER_MAPPED_FILE)
            ))
}

/// Removes a file that was put aside. If it is still open, it is renamed so that it is recognised as litter
/// ([`sweep`](super::output::sweep)).
fn discard(of: &Path, aside: &Path) {
    let gone = gone_name(of);
    if fs::rename(aside, &gone).is_ok() {
        let _ = fs::remove_file(&gone);
    }
}

/// Completes or undoes the interrupted replacement of a file without a name; returns whether it has its name again.
pub(crate) fn settle(path: &Path) -> bool {
    settle_within(path, TURNS)
}

fn settle_within(path: &Path, turns: u32) -> bool {
    let aside: PathBuf = beside(path, ASIDE);
    if fs::symlink_metadata(&aside).is_err() {
        return false;
    }
    for _ in 0..turns {
        if fs::symlink_metadata(path).is_ok() {
            return true;
        }
        std::thread::sleep(PAUSE);
    }
    // A link is refused if the name is taken meanwhile. Some file systems do not support links.
    match fs::hard_link(&aside, path) {
        Ok(()) => discard(path, &aside),
        Err(_) if fs::symlink_metadata(path).is_ok() => {}
        Err(_) => return fs::rename(&aside, path).is_ok(),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renames like a system that does not replace existing files.
    fn refusing(from: &Path, to: &Path) -> io::Result<()> {
        match to.exists() {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => fs::rename(from, to),
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("listed");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    fn room() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let (new, old) = (folder.path().join("new"), folder.path().join("games.si5"));
        fs::write(&new, "new").expect("written");
        fs::write(&old, "old").expect("written");
        (folder, new, old)
    }

    #[test]
    fn what_is_refused_is_put_aside_and_leaves_nothing() {
        let (folder, new, old) = room();
        replace(&new, &old, refusing).expect("replaced");
        assert_eq!(fs::read(&old).expect("read"), b"new");
        assert_eq!(names(folder.path()), ["games.si5"]);
        // A file left by an earlier replacement does not block this one.
        fs::write(&new, "newer").expect("written");
        fs::write(beside(&old, ASIDE), "left").expect("written");
        replace(&new, &old, refusing).expect("replaced");
        assert_eq!(fs::read(&old).expect("read"), b"newer");
        assert_eq!(names(folder.path()), ["games.si5"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let (folder, new, old) = room();
        let never = |_: &Path, _: &Path| Err(io::ErrorKind::PermissionDenied.into());
        assert!(replace(&new, &old, never).is_err());
        assert_eq!(fs::read(&old).expect("read"), b"old");
        // The second half fails: the old file has its name again.
        let half = |from: &Path, to: &Path| match from.ends_with("new") {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => fs::rename(from, to),
        };
        assert!(replace(&new, &old, half).is_err());
        assert_eq!(fs::read(&old).expect("read"), b"old");
        assert_eq!(names(folder.path()), ["games.si5", "new"]);
        // Any other failure is not one that putting the file aside would solve.
        let missing = folder.path().join("missing");
        let error = replace(&missing, &old, refusing).expect_err("missing");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_name_that_a_kill_took_away_comes_back() {
        let (folder, _, old) = room();
        assert!(!settle(&folder.path().join("never")));
        fs::rename(&old, beside(&old, ASIDE)).expect("put aside");
        assert!(settle_within(&old, 1));
        assert_eq!(fs::read(&old).expect("read"), b"old");
        assert_eq!(names(folder.path()), ["games.si5", "new"]);
        // A new file that has the name is not affected by a leftover next to it.
        fs::write(beside(&old, ASIDE), "older").expect("written");
        assert!(settle_within(&old, 0));
        assert_eq!(fs::read(&old).expect("read"), b"old");
    }
}
