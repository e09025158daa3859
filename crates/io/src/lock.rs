//! The right to change a database, which one writer has at a time.
//!
//! The right is an operating system lock on a file next to the database (`games.si5.tabiya-lock`): it ends with the
//! process that holds it, however that ends, and every process and thread on the machine respects it. The holder is the
//! one that has locked the file that *now* has the name. So only the holder may remove the name at the end; a process
//! that has locked a file without the name has nothing and tries again.
//!
//! Windows locks bytes against everybody, so that nobody could read the name of the holder. There, the holder has opened the
//! file so that nobody else may write to it, which ends with the process as well; files are distinguished by their content.
//!
//! The file names its holder in words. That is only for messages: nothing depends on it.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::disk::{Disk, DiskStep};
use super::held_folder::{self, OpenMode};
use super::interrupt;
use super::regular_file;

const HEADING: &str = "tabiya lock";

/// The suffix of the lock, after the name of the first file of a database.
pub const EXTENSION: &str = ".tabiya-lock";

/// Why a database cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Somebody else holds it.
    #[error("{} is being changed by {holder}: try again later", database.display())]
    Taken {
        /// The database.
        database: PathBuf,
        /// The holder.
        holder: LockHolder,
    },
    /// Something else has the name.
    #[error("{}: not a lock of Tabiya; it blocks changes", .0.display())]
    Foreign(PathBuf),
    /// The system refused.
    #[error("{}: {doing}: {error}; nothing was changed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The system error.
        error: io::Error,
    },
}

impl LockError {
    /// The file in its message.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            LockError::Taken { database: path, .. }
            | LockError::Foreign(path)
            | LockError::Io { path, .. } => path,
        }
    }

    /// Whether its message says that nothing was changed.
    pub fn tells_outcome(&self) -> bool {
        matches!(self, LockError::Io { .. })
    }
}

/// The holder of a lock, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockHolder {
    /// The number of the process.
    pub process: Option<u32>,
    /// The machine.
    pub host: String,
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.process {
            Some(process) if process == std::process::id() && self.host == host() => {
                write!(f, "another part of this program")
            }
            Some(process) if self.host.is_empty() || self.host == host() => {
                write!(f, "another process (number {process})")
            }
            Some(process) => write!(f, "another process (number {process} on {})", self.host),
            None => write!(f, "another process"),
        }
    }
}

/// The name of this machine, if the system has it in a file or in the environment.
fn host() -> String {
    let name = match cfg!(windows) {
        true => std::env::var("COMPUTERNAME").unwrap_or_default(),
        false => std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default(),
    };
    plain(name.trim())
}

/// Replaces characters of a name that must not be shown.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c))
        .take(64)
        .collect()
}

/// Opens a regular file and locks it, and waits for that for a while; `None` if somebody else has it.
///
/// A process that is killed while it starts another one leaves its locks to that one until it runs its own program, so the
/// lock of a process that has ended can be there for a moment more. A file that was removed meanwhile is opened again.
pub fn open_locked(path: &Path, how: OpenMode, patience: Duration) -> io::Result<Option<File>> {
    let start = Instant::now();
    loop {
        let file = regular_file::open_for(path, how)?;
        match file.try_lock() {
            Ok(()) if has_name(path, &file) => return Ok(Some(file)),
            // Where the file system has no locks, nobody is kept out.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Some(file));
            }
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) | Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                return Ok(None);
            }
            Ok(()) | Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Whether a name still leads to an open file.
fn has_name(path: &Path, file: &File) -> bool {
    match (file.metadata(), held_folder::metadata(path)) {
        (Ok(own), Ok(there)) => interrupt::number(&own) == interrupt::number(&there),
        _ => false,
    }
}

/// The name with something appended, in the same folder.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// The right to change one database. Dropping it releases it.
#[derive(Debug)]
pub struct DatabaseLock {
    disk: Disk,
    path: PathBuf,
    file: File,
    /// The content of the file.
    text: String,
    /// The identity of the file.
    number: (u64, u64),
}

impl DatabaseLock {
    /// Locks a database, given by its first file with all links followed, and waits for the lock for a while.
    pub fn take(database: &Path, patience: Duration) -> Result<DatabaseLock, LockError> {
        let disk = Disk::current();
        let path = beside(database, EXTENSION);
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            let inside = interrupt::enter().map_err(|error| LockError::Io {
                path: path.clone(),
                doing: "cannot create the lock of the database",
                error,
            })?;
            match attempt(&disk, &path)? {
                LockAttempt::Has(mut file) => {
                    let text = sign(&mut file, &path)?;
                    let number = file
                        .metadata()
                        .map_or((0, 0), |own| interrupt::number(&own));
                    interrupt::add_lock(&path, number);
                    return Ok(DatabaseLock {
                        disk,
                        path,
                        file,
                        text,
                        number,
                    });
                }
                #[cfg(not(windows))]
                LockAttempt::Again => continue,
                LockAttempt::Taken => {}
            }
            drop(inside);
            if start.elapsed() >= patience {
                return Err(LockError::Taken {
                    database: database.to_path_buf(),
                    holder: holder(&path),
                });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Whether the lock is still ours: somebody could have removed the file by hand, and somebody else could have created it
    /// again.
    pub fn is_held(&self) -> bool {
        names(&self.path, &self.file, &self.text).unwrap_or(false)
    }
}

impl Drop for DatabaseLock {
    fn drop(&mut self) {
        // If the program is being stopped, the name has been removed already.
        if cfg!(any(unix, windows))
            && let Ok(_inside) = interrupt::enter()
        {
            if self.is_held() {
                // The lock itself is released when the file is closed, after this.
                let _ = self.disk.remove(&self.path);
            }
            interrupt::forget_lock(&self.path, self.number);
        }
    }
}

/// The outcome of an attempt to take a lock.
enum LockAttempt {
    /// The locked file; it has the name, so the lock is ours.
    Has(File),
    /// Somebody else has it.
    Taken,
    /// Somebody has changed the name meanwhile: try again.
    #[cfg(not(windows))]
    Again,
}

#[cfg(not(windows))]
fn attempt(disk: &Disk, path: &Path) -> Result<LockAttempt, LockError> {
    let Some(file) = open(disk, path)? else {
        return Ok(LockAttempt::Again);
    };
    match file.try_lock() {
        Ok(()) if names(path, &file, "")? => Ok(LockAttempt::Has(file)),
        // The previous holder has removed the name meanwhile.
        Ok(()) => Ok(LockAttempt::Again),
        Err(TryLockError::WouldBlock) => Ok(LockAttempt::Taken),
        Err(TryLockError::Error(error)) => Err(LockError::Io {
            path: path.to_path_buf(),
            doing: "cannot be locked (does this file system have locks?)",
            error,
        }),
    }
}

/// Opens the file so that nobody else may write to it as long as it is open. Its name may be removed, as we do ourselves.
#[cfg(windows)]
fn attempt(disk: &Disk, path: &Path) -> Result<LockAttempt, LockError> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const SHARE_READ_AND_DELETE: u32 = 1 | 4;
    const OPEN_LINK_ITSELF: u32 = 0x0020_0000;
    const SHARING_VIOLATION: i32 = 32;
    let failed = |error| LockError::Io {
        path: path.to_path_buf(),
        doing: "cannot create the lock of the database",
        error,
    };
    let found = held_folder::symlink_metadata(path);
    match &found {
        Ok(found) if !found.is_file() => return Err(LockError::Foreign(path.to_path_buf())),
        Ok(_) => {}
        Err(_) => disk.step(&DiskStep::Create(path)).map_err(failed)?,
    }
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.share_mode(SHARE_READ_AND_DELETE);
    match options.custom_flags(OPEN_LINK_ITSELF).open(path) {
        Ok(file) => Ok(LockAttempt::Has(file)),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(LockAttempt::Taken),
        // A file that is being removed refuses every open, but only briefly. A file without write permission stays so.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => match found {
            Ok(found) if found.permissions().readonly() => Err(failed(error)),
            Ok(_) => Ok(LockAttempt::Taken),
            Err(_) => match held_folder::symlink_metadata(path) {
                Ok(_) => Ok(LockAttempt::Taken),
                Err(_) => Err(failed(error)),
            },
        },
        Err(error) => Err(failed(error)),
    }
}

/// Writes the holder into the file, and returns the text.
fn sign(file: &mut File, path: &Path) -> Result<String, LockError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut old = [0; HEADING.len()];
    // If somebody else has written to the file, it is not overwritten.
    let is_ours = match file.read(&mut old) {
        Ok(0) => true,
        Ok(count) => old.get(..count) == Some(HEADING.as_bytes()),
        Err(_) => false,
    };
    if !is_ours {
        return Err(LockError::Foreign(path.to_path_buf()));
    }
    let text = format!(
        "{HEADING}\nprocess {}\nhost {}\nnumber {}\n",
        std::process::id(),
        host(),
        NUMBER.fetch_add(1, Ordering::Relaxed)
    );
    // A full disk must not prevent games from being deleted: a lock without a text is still a lock.
    let _ = io::Seek::rewind(file)
        .and_then(|()| file.set_len(0))
        .and_then(|()| file.write_all(text.as_bytes()));
    Ok(text)
}

/// Opens the file of a lock, or creates it; `None` if others changed it meanwhile.
#[cfg(not(windows))]
fn open(disk: &Disk, path: &Path) -> Result<Option<File>, LockError> {
    let failed = |error| LockError::Io {
        path: path.to_path_buf(),
        doing: "cannot create the lock of the database",
        error,
    };
    match regular_file::open_for(path, OpenMode::Change) {
        Ok(file) => return Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // The file belongs to another user: a file that can only be read can be locked as well.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return match regular_file::open(path) {
                Ok(file) => Ok(Some(file)),
                Err(_) => Err(failed(error)),
            };
        }
        Err(error) => return Err(failed(error)),
    }
    disk.step(&DiskStep::Create(path)).map_err(failed)?;
    match regular_file::open_for(path, OpenMode::MakeNew) {
        Ok(file) => Ok(Some(file)),
        // Two programs have created it at the same time.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            match held_folder::symlink_metadata(path) {
                Ok(found) if !found.is_file() => Err(LockError::Foreign(path.to_path_buf())),
                _ => Ok(None),
            }
        }
        Err(error) => Err(failed(error)),
    }
}

/// Whether a name is that of an open file into which we have written a text.
fn names(path: &Path, file: &File, text: &str) -> Result<bool, LockError> {
    match held_folder::symlink_metadata(path) {
        // Writing through a link could overwrite anything.
        Ok(found) if !found.is_file() => Err(LockError::Foreign(path.to_path_buf())),
        Ok(found) => Ok(same(path, &found, file, text)),
        Err(_) => Ok(false),
    }
}

#[cfg(unix)]
fn same(_path: &Path, found: &std::fs::Metadata, file: &File, _text: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata()
        .is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
}

#[cfg(windows)]
fn same(path: &Path, _found: &std::fs::Metadata, _file: &File, text: &str) -> bool {
    regular_file::read_to_string(path).is_ok_and(|there| there == text)
}

#[cfg(not(any(unix, windows)))]
fn same(_path: &Path, _found: &std::fs::Metadata, _file: &File, _text: &str) -> bool {
    true
}

/// The holder of a lock, as its file says.
fn holder(path: &Path) -> LockHolder {
    let mut text = String::new();
    let read = regular_file::open(path).and_then(|file| file.take(512).read_to_string(&mut text));
    let mut lines = text.lines();
    if read.is_err() || lines.next() != Some(HEADING) {
        return LockHolder::default();
    }
    let mut holder = LockHolder::default();
    for line in lines {
        match line.split_once(' ') {
            Some(("process", number)) => holder.process = number.parse().ok(),
            Some(("host", name)) => holder.host = plain(name),
            _ => {}
        }
    }
    holder
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn the_second_is_told_who_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("base.si5");
        let first = DatabaseLock::take(&base, Duration::ZERO).expect("taken");
        let error = DatabaseLock::take(&base, Duration::from_millis(5)).expect_err("told");
        assert!(
            error
                .to_string()
                .contains("base.si5 is being changed by another part of this program"),
            "{error}"
        );
        assert!(first.is_held());
        drop(first);
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0);
        drop(DatabaseLock::take(&base, Duration::ZERO).expect("taken again"));
    }

    #[test]
    fn a_file_that_somebody_else_has_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let open = |patience| open_locked(&path, OpenMode::Make, patience).expect("opened");
        let first = open(Duration::ZERO).expect("nobody has it");
        assert!(open(Duration::from_millis(20)).is_none());
        std::thread::scope(|scope| {
            // Let go by whoever has it, as by a process that has started another one.
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                drop(first);
            });
            let second = open(Duration::from_secs(60)).expect("waited for");
            // Removed by whoever has it: what is locked then is the file that has the name. (On Windows a name may stay until
            // the last one has closed the file.)
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                if cfg!(unix) {
                    std::fs::remove_file(&path).expect("removed");
                }
                drop(second);
            });
            let mut third = open(Duration::from_secs(60)).expect("waited for");
            third.write_all(b"there").expect("written");
        });
        assert_eq!(std::fs::read(&path).expect("read"), b"there");
    }

    #[test]
    fn many_threads_have_it_one_after_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("base.si5");
        let (inside, turns) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        // It is not held for long enough to keep anybody out.
                        let lock =
                            DatabaseLock::take(&base, Duration::from_secs(60)).expect("taken");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two inside");
                        turns.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 800);
    }

    #[test]
    fn a_lock_of_the_dead_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("base.si5");
        let left = folder.path().join("base.si5.tabiya-lock");
        std::fs::write(&left, format!("{HEADING}\nprocess 1\nhost x\n")).expect("written");
        assert_eq!(holder(&left).to_string(), "another process (number 1 on x)");
        drop(DatabaseLock::take(&base, Duration::ZERO).expect("taken"));
        assert!(!left.exists());
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_lock_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("base.si5");
        let name = folder.path().join("base.si5.tabiya-lock");
        let precious = folder.path().join("precious");
        std::fs::write(&precious, "content").expect("written");
        std::os::unix::fs::symlink(&precious, &name).expect("linked");
        let error = DatabaseLock::take(&base, Duration::ZERO).expect_err("refused");
        assert!(matches!(error, LockError::Foreign(_)), "{error}");
        std::fs::remove_file(&name).expect("removed");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &name).expect("linked");
        assert!(DatabaseLock::take(&base, Duration::ZERO).is_err());
        assert!(!folder.path().join("nowhere").exists());
        std::fs::remove_file(&name).expect("removed");
        std::fs::write(&name, "content").expect("written");
        assert!(DatabaseLock::take(&base, Duration::ZERO).is_err());
        for path in [&name, &precious] {
            assert_eq!(std::fs::read(path).expect("read"), b"content");
        }
    }

    #[test]
    fn one_that_was_taken_away_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("base.si5");
        let lock = DatabaseLock::take(&base, Duration::ZERO).expect("taken");
        std::fs::remove_file(folder.path().join("base.si5.tabiya-lock")).expect("removed");
        let other = DatabaseLock::take(&base, Duration::ZERO).expect("taken");
        assert!(!lock.is_held() && other.is_held());
        drop(lock);
        assert!(
            other.is_held(),
            "only the one who has it takes the name away"
        );
    }
}
