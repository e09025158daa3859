//! What a change writes to the history of its database: it is a part of the change, so that the history records exactly
//! the changes that were made.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::super::fingerprint::{self, ENDS};
use super::super::held_folder;
use super::super::lock::beside;
use super::super::regular_file;
use super::error::ChangeError;
use super::parts::{ChangeKind, ChangeTarget, DatabaseChange, NEW, real};

/// The suffix of the history, after the name of the first file.
pub const HISTORY: &str = ".tabiya-history";

/// The effect of a change on the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryUpdate {
    /// Bytes to append.
    Add(Vec<u8>),
    /// New content: a new history, or a trimmed one.
    Anew(Vec<u8>),
}

/// The states of a database before and after a change, each as a hash over the sizes and the ends of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseStates {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// The path of the history of a database, given by its first file.
pub fn history_of(first: &Path) -> PathBuf {
    beside(&real(first), HISTORY)
}

/// The current state of a database, given by all of its files.
pub fn state_of(files: &[&Path]) -> io::Result<u64> {
    let mut state = Vec::new();
    for file in files {
        let file = real(file);
        if held_folder::exists(&file) {
            FileEnds::of(&file, None)?.put(&mut state);
        }
    }
    Ok(fingerprint::hash_all(state.as_slice())?.0)
}

impl DatabaseChange {
    /// The path of the history.
    pub fn history(&self) -> PathBuf {
        self.history.clone()
    }

    /// Whether anything is to be put in place.
    pub fn is_empty(&self) -> bool {
        self.staged.is_empty()
    }

    /// The states before and after, once everything but the history is staged.
    pub fn states(&self) -> io::Result<DatabaseStates> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (at, target) in self.files() {
            let staged = self.staged.iter().find(|(staged, _)| *staged == at);
            let new = beside(&target.path, NEW);
            if target.before.is_some() {
                FileEnds::of(&target.path, None)?.put(&mut before);
            }
            match staged {
                Some((_, ChangeKind::Replace)) => FileEnds::of(&new, None)?.put(&mut after),
                Some((_, ChangeKind::Append)) => {
                    FileEnds::of(&target.path, Some(&new))?.put(&mut after)
                }
                None if target.before.is_some() => {
                    FileEnds::of(&target.path, None)?.put(&mut after);
                }
                None => {}
            }
        }
        Ok(DatabaseStates {
            before: fingerprint::hash_all(before.as_slice())?.0,
            after: fingerprint::hash_all(after.as_slice())?.0,
        })
    }

    /// The files of the database itself.
    fn files(&self) -> impl Iterator<Item = (usize, &ChangeTarget)> {
        let targets = self.targets.iter().enumerate();
        targets.filter(|(_, target)| target.path != self.history)
    }

    /// Takes the new history record. It is written first.
    pub fn note(&mut self, note: &HistoryUpdate) -> Result<(), ChangeError> {
        let history = self.history();
        // A link could lead anywhere.
        if held_folder::symlink_metadata(&history).is_ok_and(|found| !found.is_file()) {
            return Err(ChangeError::NotWritable {
                path: history,
                why: "this is not a history file of Tabiya".to_owned(),
            });
        }
        match note {
            HistoryUpdate::Add(bytes) => self.append(&history, bytes)?,
            HistoryUpdate::Anew(bytes) => self.replace(&history, &[bytes])?,
        }
        self.staged.rotate_right(1);
        Ok(())
    }
}

/// The size of a file, and a hash of both of its ends.
#[derive(Debug, Default)]
struct FileEnds {
    size: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl FileEnds {
    /// The ends of a file, or of a file with another one appended.
    fn of(path: &Path, more: Option<&Path>) -> io::Result<FileEnds> {
        let mut ends = FileEnds::default();
        for path in std::iter::once(path).chain(more) {
            let mut file = regular_file::open(path)?;
            let size = file.metadata()?.len();
            let room = ENDS.saturating_sub(ends.head.len() as u64);
            (&file).take(room).read_to_end(&mut ends.head)?;
            file.seek(SeekFrom::Start(size.saturating_sub(ENDS)))?;
            file.take(ENDS).read_to_end(&mut ends.tail)?;
            let over = ends.tail.len().saturating_sub(ENDS as usize);
            ends.tail.drain(..over);
            ends.size = ends.size.saturating_add(size);
        }
        Ok(ends)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.size.to_le_bytes());
        for end in [&self.head, &self.tail] {
            // Reading from memory cannot fail.
            let (sum, _) = fingerprint::hash_all(end.as_slice()).unwrap_or_default();
            out.extend_from_slice(&sum.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_after_is_the_state_then() {
        let folder = tempfile::tempdir().expect("a folder");
        for (old, more) in [(0, 5), (10, 20), (70_000, 7), (200_000, 100), (9, 200_000)] {
            let (a, b) = (folder.path().join("a"), folder.path().join("b"));
            let bytes = |count: u32| (0..count).map(|n| n.to_le_bytes()[0]).collect::<Vec<_>>();
            std::fs::write(&a, bytes(old)).expect("written");
            std::fs::write(&b, b"index").expect("written");
            let files = [a.as_path(), b.as_path()];
            let mut change = DatabaseChange::begin(&files).expect("begins");
            change.append(&a, &bytes(more)).expect("staged");
            change.replace(&b, &[b"another"]).expect("staged");
            let states = change.states().expect("known");
            assert_eq!(states.before, state_of(&files).expect("known"));
            change
                .note(&HistoryUpdate::Anew(b"first".to_vec()))
                .expect("staged");
            change.commit().expect("done");
            assert_eq!(states.after, state_of(&files).expect("known"));
            assert_ne!(states.after, states.before);
            let history = history_of(&a);
            assert_eq!(std::fs::read(&history).expect("read"), b"first");
            let mut change = DatabaseChange::begin(&files).expect("begins");
            change.replace(&b, &[b"index"]).expect("staged");
            change
                .note(&HistoryUpdate::Add(b", second".to_vec()))
                .expect("staged");
            change.commit().expect("done");
            assert_eq!(std::fs::read(&history).expect("read"), b"first, second");
            std::fs::remove_file(history).expect("removed");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_history_is_seen_by_those_who_see_the_base() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("base");
        std::fs::write(&base, "old").expect("written");
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&base, private).expect("set");
        for note in [
            HistoryUpdate::Anew(b"first".to_vec()),
            HistoryUpdate::Add(b"next".to_vec()),
        ] {
            let mut change = DatabaseChange::begin(&[&base]).expect("begins");
            change.replace(&base, &[b"new"]).expect("staged");
            change.note(&note).expect("staged");
            change.commit().expect("done");
            for path in [&base, &history_of(&base)] {
                let mode = std::fs::metadata(path).expect("there").permissions();
                assert_eq!(mode.mode() & 0o777, 0o600, "{}", path.display());
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_no_history() {
        let folder = tempfile::tempdir().expect("a folder");
        let (base, other) = (folder.path().join("base"), folder.path().join("other"));
        std::fs::write(&base, "old").expect("written");
        std::fs::write(&other, "precious").expect("written");
        std::os::unix::fs::symlink(&other, history_of(&base)).expect("linked");
        let mut change = DatabaseChange::begin(&[&base]).expect("begins");
        change.replace(&base, &[b"new"]).expect("staged");
        assert!(change.note(&HistoryUpdate::Add(b"x".to_vec())).is_err());
        drop(change);
        assert_eq!(std::fs::read(&other).expect("read"), b"precious");
        assert_eq!(std::fs::read(&base).expect("read"), b"old");
    }
}
