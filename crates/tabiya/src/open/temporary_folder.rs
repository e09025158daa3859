//! Temporary folders that are removed at the end, also if the program is stopped; if it is killed, they are removed at the next use.
//!
//! Those in the system's folder for temporary files are inside a private folder of this process, which no other user can
//! read. A file in it is locked as long as the process lives: private folders with a free lock are from a killed process,
//! and are removed. Since no other user can create a link in one, nothing in it is reached through a held folder
//! ([`tabiya_io::held_folder`]).

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tabiya_io::held_folder::OpenMode;
use tabiya_io::{interrupt, regular_file, scratch_file};
use tabiya_model::{Error, Result};

use crate::error_codes;
use crate::open::inspection::cannot_open;

/// The temporary folders of this process.
static LIVE: Mutex<LiveFolders> = Mutex::new(LiveFolders {
    paths: BTreeSet::new(),
    room: None,
});

struct LiveFolders {
    paths: BTreeSet<PathBuf>,
    room: Option<ProcessFolder>,
}

/// What the names of rooms begin with, and what their lock is called.
const ROOM: &str = "tabiya-run-";
const LOCK: &str = "lock";

/// The folder of this process, as long as anything is in it.
struct ProcessFolder {
    folder: tempfile::TempDir,
    lock: Option<File>,
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        // Windows removes nothing that is open. Elsewhere nobody gets the lock before the folder is gone.
        if cfg!(windows) {
            self.lock = None;
        }
    }
}

impl ProcessFolder {
    fn new() -> std::io::Result<ProcessFolder> {
        let place = scratch_file::place();
        sweep(&place);
        loop {
            let folder = private(tempfile::Builder::new().prefix(ROOM)).tempdir_in(&place)?;
            let path = folder.path().join(LOCK);
            let lock = regular_file::open_for(&path, OpenMode::MakeNew)?;
            // Somebody who sweeps may have been faster, and take it away.
            if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) || !path.exists() {
                continue;
            }
            interrupt::add(folder.path());
            return Ok(ProcessFolder {
                folder,
                lock: Some(lock),
            });
        }
    }

    /// Whether it is still there: it lies where others can take it away.
    fn is_there(&self) -> bool {
        self.folder.path().is_dir()
    }
}

/// Lets nobody else look into a folder that is made so. On Windows it is closed by what it takes over from its place
/// ([`scratch::place`]).
pub(crate) fn private<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder
}

/// Removes the rooms of processes that were killed.
fn sweep(place: &Path) {
    let Ok(entries) = std::fs::read_dir(place) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_room = name.as_encoded_bytes().starts_with(ROOM.as_bytes());
        if is_room && let Some(lock) = left_behind(&entry.path()) {
            // Whoever is just making it must not get its lock before it is gone. Windows removes nothing that is open.
            let lock = cfg!(unix).then_some(lock);
            let _ = std::fs::remove_dir_all(entry.path());
            drop(lock);
        }
    }
}

/// The lock of a room of this user whose process is gone.
fn left_behind(room: &Path) -> Option<File> {
    let about = std::fs::symlink_metadata(room).ok()?;
    let lock = regular_file::open_for(&room.join(LOCK), OpenMode::Change).ok()?;
    let is_left = about.is_dir() && is_own(&about, &lock) && lock.try_lock().is_ok();
    is_left.then_some(lock)
}

/// Whether a room belongs to whoever made this process: only such a one could make a file there and have it.
#[cfg(unix)]
fn is_own(room: &std::fs::Metadata, lock: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let closed_to_others = room.mode() & 0o077 == 0;
    let own = tempfile::tempfile().and_then(|own| own.metadata());
    let uids = own.and_then(|own| Ok((own.uid(), lock.metadata()?.uid())));
    closed_to_others && uids.is_ok_and(|(own, lock)| own == room.uid() && own == lock)
}

#[cfg(not(unix))]
fn is_own(_: &std::fs::Metadata, _: &File) -> bool {
    true
}

/// A folder that nobody else can look into, removed when dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    /// Gone when it was removed.
    inner: Option<tempfile::TempDir>,
    path: PathBuf,
}

impl PrivateFolder {
    /// In the system's place for temporary files.
    pub(crate) fn new() -> Result<PrivateFolder> {
        // Before the lock is taken: whoever has that gets inside, or has no need to.
        let _inside = interrupt::enter().map_err(|_| stopped())?;
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let room = match live.room.take().filter(ProcessFolder::is_there) {
            Some(room) => room,
            None => ProcessFolder::new()?,
        };
        let folder =
            private(tempfile::Builder::new().prefix("tabiya-")).tempdir_in(room.folder.path());
        live.room = Some(room);
        let folder = folder?;
        let path = folder.path().to_owned();
        interrupt::add(&path);
        live.paths.insert(path.clone());
        Ok(PrivateFolder {
            inner: Some(folder),
            path,
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn stopped() -> Error {
    Error::new(&error_codes::INTERRUPTED, "the program is being stopped")
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // Until it is gone, it is known to who removes all: the program may end in the middle of this.
        drop(self.inner.take());
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.paths.remove(&self.path);
        live.leave_room();
        drop(live);
        interrupt::forget(&self.path);
    }
}

impl LiveFolders {
    /// Removes the room when nothing is in it any more.
    fn leave_room(&mut self) {
        let paths = &self.paths;
        let is_empty = |room: &ProcessFolder| {
            !paths
                .iter()
                .any(|path| path.starts_with(room.folder.path()))
        };
        if self.room.as_ref().is_some_and(is_empty)
            && let Some(room) = self.room.take()
        {
            let path = room.folder.path().to_owned();
            drop(room);
            interrupt::forget(&path);
        }
    }
}

/// A folder of this program that no other user can read, for files that somebody has uploaded or will download. It is
/// removed when this is dropped, or at the next use if the program is killed.
#[derive(Debug)]
pub struct TemporaryFolder(PrivateFolder);

impl TemporaryFolder {
    /// A new, empty one.
    pub fn new() -> Result<TemporaryFolder> {
        PrivateFolder::new().map(TemporaryFolder)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Makes a file in it that no other user can read.
    pub fn create(&self, name: &str) -> Result<File> {
        let path = self.path().join(name);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .open(&path)
            .map_err(|error| cannot_open(&path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_has_left_is_swept_and_nothing_else() {
        let place = tempfile::tempdir().expect("a folder");
        let private = |name: &str| {
            let room = private(tempfile::Builder::new().prefix(name)).tempdir_in(place.path());
            let room = room.expect("made").keep();
            std::fs::write(room.join("games.pgn"), "secret").expect("written");
            room
        };
        let (left, alive, other) = (private(ROOM), private(ROOM), private("other-"));
        let unlocked = private(ROOM);
        for room in [&left, &alive, &other] {
            std::fs::write(room.join(LOCK), "").expect("written");
        }
        let held = regular_file::open_for(&alive.join(LOCK), OpenMode::Change).expect("opened");
        held.try_lock().expect("locked");
        sweep(place.path());
        assert!(!left.exists() && alive.exists() && other.exists() && unlocked.exists());
        drop(held);
        sweep(place.path());
        assert!(!alive.exists());
    }

    /// Many who make rooms and sweep at once take away nobody's room.
    #[test]
    fn a_room_is_not_swept_while_it_is_made() {
        std::thread::scope(|scope| {
            let make = || {
                for _ in 0..200 {
                    let room = ProcessFolder::new().expect("made");
                    assert!(room.is_there());
                    let path = room.folder.path().to_owned();
                    sweep(&scratch_file::place());
                    assert!(room.is_there());
                    drop(room);
                    interrupt::forget(&path);
                }
            };
            for _ in 0..4 {
                scope.spawn(make);
            }
        });
    }

    #[cfg(unix)]
    #[test]
    fn what_is_handed_over_is_seen_by_nobody_else() {
        use std::os::unix::fs::PermissionsExt;
        let folder = TemporaryFolder::new().expect("made");
        drop(folder.create("a").expect("made"));
        let mode = |path: &Path| {
            let about = std::fs::metadata(path).expect("there");
            about.permissions().mode() & 0o777
        };
        let room = folder.path().parent().expect("a room").to_owned();
        assert_eq!(mode(&folder.path().join("a")), 0o600);
        assert_eq!((mode(folder.path()), mode(&room)), (0o700, 0o700));
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
