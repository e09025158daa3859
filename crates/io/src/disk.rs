//! Operations on the disk, step by step, so that a test can watch every step, or stop at it.
//!
//! All permanent changes of files go through a [`Disk`]. A program gets one that does every step. Tests give a thread a
//! [`DiskGuard`] (see [`guarded`]), which is asked before each step: it counts, keeps a log, lets a step fail as on a full
//! disk, or stops everything from some step on, as if the process had been killed there.

use std::cell::RefCell;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::held_folder::{self, OpenMode};
use super::interrupt;
use super::regular_file;

/// The most bytes that a guard sees in one step.
const WATCHED: usize = 1 << 16;
/// The number of bytes of a long copy that are copied before they are synced, while the copy goes on.
const AHEAD: u64 = 16 << 20;

/// One change of the disk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DiskStep<'a> {
    /// An empty file is created.
    Create(&'a Path),
    /// Bytes are written at an offset.
    Write {
        /// The file.
        path: &'a Path,
        /// The offset.
        offset: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// A file is truncated, or extended with zeros.
    Resize {
        /// The file.
        path: &'a Path,
        /// The new length.
        length: u64,
    },
    /// Mode and owner are set.
    Attributes(&'a Path),
    /// A file is synced to the disk.
    Sync(&'a Path),
    /// A file gets another name.
    Rename {
        /// The old name.
        from: &'a Path,
        /// The new one.
        to: &'a Path,
    },
    /// A file gets a second name.
    Link {
        /// Its existing name.
        from: &'a Path,
        /// The second one.
        to: &'a Path,
    },
    /// A name is removed.
    Remove(&'a Path),
    /// The names of a folder are synced to the disk.
    SyncFolder(&'a Path),
}

/// The answer of a guard to a step.
#[derive(Debug)]
pub enum GuardAnswer {
    /// It is done.
    Go,
    /// It fails.
    Fail(io::Error),
    /// This number of bytes of a write is written, and then it fails.
    Short(usize, io::Error),
}

/// Watches steps. Only tests have one.
pub trait DiskGuard: Debug + Send + Sync {
    /// Called before each step.
    fn allow(&self, step: &DiskStep<'_>) -> GuardAnswer;
}

thread_local! {
    static GUARD: RefCell<Option<Arc<dyn DiskGuard>>> = const { RefCell::new(None) };
}

/// Runs some work with a guard over everything that this thread begins to write in it.
pub fn guarded<T>(guard: Arc<dyn DiskGuard>, work: impl FnOnce() -> T) -> T {
    /// Restores the previous guard, even if the work panics.
    struct GuardScope(Option<Arc<dyn DiskGuard>>);
    impl Drop for GuardScope {
        fn drop(&mut self) {
            let before = self.0.take();
            GUARD.with(|slot| *slot.borrow_mut() = before);
        }
    }
    let _before = GuardScope(GUARD.with(|slot| slot.borrow_mut().replace(guard)));
    work()
}

/// The disk.
#[derive(Clone, Debug)]
pub struct Disk {
    guard: Option<Arc<dyn DiskGuard>>,
}

impl Default for Disk {
    fn default() -> Self {
        Self::current()
    }
}

impl Disk {
    /// The disk of this thread: guarded within [`guarded`], and the real one elsewhere.
    pub fn current() -> Self {
        Self {
            guard: GUARD.with(|slot| slot.borrow().clone()),
        }
    }

    fn answer(&self, step: &DiskStep<'_>) -> GuardAnswer {
        self.guard
            .as_ref()
            .map_or(GuardAnswer::Go, |guard| guard.allow(step))
    }

    /// Asks the guard about a step that has nothing in between.
    pub(crate) fn step(&self, step: &DiskStep<'_>) -> io::Result<()> {
        match self.answer(step) {
            GuardAnswer::Go => Ok(()),
            GuardAnswer::Fail(error) | GuardAnswer::Short(_, error) => Err(error),
        }
    }

    /// Creates a file that does not exist yet.
    pub fn create_new(&self, path: &Path) -> io::Result<DiskFile> {
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Create(path))?;
        let file = regular_file::open_for(path, OpenMode::MakeNew)?;
        Ok(self.file(file, path, 0))
    }

    /// Opens an existing file for writing at its end.
    pub fn open_at_end(&self, path: &Path) -> io::Result<DiskFile> {
        let mut file = regular_file::open_for(path, OpenMode::Change)?;
        let end = file.seek(SeekFrom::End(0))?;
        Ok(self.file(file, path, end))
    }

    /// Takes over a file that is open for writing, at its beginning.
    pub(crate) fn file(&self, file: File, path: &Path, at: u64) -> DiskFile {
        DiskFile {
            disk: self.clone(),
            file,
            path: path.to_path_buf(),
            at,
        }
    }

    /// Renames a file; a file with the new name is replaced.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Rename { from, to })?;
        held_folder::rename(from, to)
    }

    /// Gives a file a second name.
    pub fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Link { from, to })?;
        held_folder::hard_link(from, to)
    }

    /// Removes a file; a missing one is no error.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        match held_folder::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            _ => {}
        }
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Remove(path))?;
        match held_folder::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Creates a folder.
    pub fn create_folder(&self, path: &Path) -> io::Result<()> {
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Create(path))?;
        held_folder::create_dir(path)
    }

    /// Creates a folder that other users cannot read.
    pub fn create_private_folder(&self, path: &Path) -> io::Result<()> {
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Create(path))?;
        held_folder::create_private_dir(path)
    }

    /// Removes a folder with its content; a missing one is no error.
    pub fn remove_folder(&self, path: &Path) -> io::Result<()> {
        if held_folder::symlink_metadata(path).is_err() {
            return Ok(());
        }
        let _inside = interrupt::enter()?;
        self.step(&DiskStep::Remove(path))?;
        held_folder::remove_dir_all(path)
    }

    /// Waits until the names in the folder of a file are on the disk. Not every file system supports this.
    pub fn sync_folder_of(&self, path: &Path) -> io::Result<()> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        self.step(&DiskStep::SyncFolder(folder))?;
        #[cfg(unix)]
        if let Ok(folder) = held_folder::open_folder(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// A file that is being written.
#[derive(Debug)]
pub struct DiskFile {
    disk: Disk,
    file: File,
    path: PathBuf,
    at: u64,
}

impl DiskFile {
    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the next byte goes.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// The file itself, for inspection.
    pub fn inner(&self) -> &File {
        &self.file
    }

    /// Waits until all of it is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.disk.step(&DiskStep::Sync(&self.path))?;
        self.file.sync_all()
    }

    /// Truncates the file, and continues at its end.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        let path = &self.path;
        self.disk.step(&DiskStep::Resize { path, length })?;
        self.file.set_len(length)?;
        self.at = self.file.seek(SeekFrom::Start(length))?;
        Ok(())
    }

    /// Gives the file the mode and owner of another one. Ordinary users cannot give files away, and only members can
    /// set the group; if that fails, the new ones stay.
    pub fn take_attributes(&self, of: &std::fs::Metadata) -> io::Result<()> {
        self.disk.step(&DiskStep::Attributes(&self.path))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let own = self.file.metadata()?;
            if (own.uid(), own.gid()) != (of.uid(), of.gid())
                && fchown(&self.file, Some(of.uid()), Some(of.gid())).is_err()
            {
                let _ = fchown(&self.file, None, Some(of.gid()));
            }
        }
        self.file.set_permissions(of.permissions())
    }

    /// Restricts the file to users who can read all of some other files; it gets the owner of the first of them.
    pub fn restrict_to(&self, others: &[std::fs::Metadata]) -> io::Result<()> {
        let Some(first) = others.first() else {
            return Ok(());
        };
        self.take_attributes(first)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let modes = others.iter().map(|other| other.permissions().mode());
            let common = modes.fold(0o777, |all, mode| all & mode);
            if common != first.permissions().mode() & 0o777 {
                let common = std::fs::Permissions::from_mode(common);
                self.file.set_permissions(common)?;
            }
        }
        Ok(())
    }

    /// Copies up to `length` bytes of another file from its current position, by the kernel's own copying if it has
    /// one; returns their number.
    pub fn copy_from(&mut self, from: &File, length: u64) -> io::Result<u64> {
        if self.disk.guard.is_none() {
            let copied = copy_ahead(from, &self.file, length)?;
            self.at = self.at.saturating_add(copied);
            return Ok(copied);
        }
        let mut left = from.take(length);
        let mut buffer = vec![0; WATCHED];
        let mut copied = 0_u64;
        loop {
            let count = left.read(&mut buffer)?;
            if count == 0 {
                return Ok(copied);
            }
            self.write_all(buffer.get(..count).unwrap_or_default())?;
            copied = copied.saturating_add(count as u64);
        }
    }
}

/// Copies bytes of a file to another one. A long copy is synced while the rest is copied, so that the final sync takes less
/// time.
fn copy_ahead(from: &File, mut to: &File, length: u64) -> io::Result<u64> {
    let mut copied = 0_u64;
    std::thread::scope(|scope| {
        let mut syncing: Option<std::thread::ScopedJoinHandle<'_, io::Result<()>>> = None;
        while copied < length {
            let wanted = (length - copied).min(AHEAD);
            let count = io::copy(&mut from.take(wanted), &mut to)?;
            copied = copied.saturating_add(count);
            if count < wanted {
                break;
            }
            let is_free = syncing.as_ref().is_none_or(|syncing| syncing.is_finished());
            if copied < length && is_free {
                // A write error is reported here, and not only by the last sync.
                join(syncing.take())?;
                syncing = Some(scope.spawn(move || to.sync_data()));
            }
        }
        join(syncing)?;
        Ok(copied)
    })
}

fn join(syncing: Option<std::thread::ScopedJoinHandle<'_, io::Result<()>>>) -> io::Result<()> {
    syncing.map_or(Ok(()), |syncing| {
        let ended = syncing.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("a writer thread has failed")))
    })
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = if self.disk.guard.is_none() {
            self.file.write(bytes)?
        } else {
            let bytes = bytes.get(..WATCHED).unwrap_or(bytes);
            let step = DiskStep::Write {
                path: &self.path,
                offset: self.at,
                bytes,
            };
            match self.disk.answer(&step) {
                GuardAnswer::Go => self.file.write(bytes)?,
                GuardAnswer::Fail(error) => return Err(error),
                GuardAnswer::Short(count, error) => {
                    self.file.write_all(bytes.get(..count).unwrap_or(bytes))?;
                    return Err(error);
                }
            }
        };
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.at = self.file.seek(position)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Lets some steps happen and then none; half of the write at which it stops is done.
    #[derive(Debug)]
    struct KillGuard(Mutex<usize>);

    impl DiskGuard for KillGuard {
        fn allow(&self, step: &DiskStep<'_>) -> GuardAnswer {
            let mut left = self.0.lock().expect("not poisoned");
            if *left > 0 {
                *left -= 1;
                return GuardAnswer::Go;
            }
            let dead = io::Error::other("dead");
            match step {
                DiskStep::Write { bytes, .. } => GuardAnswer::Short(bytes.len() / 2, dead),
                _ => GuardAnswer::Fail(dead),
            }
        }
    }

    #[test]
    fn a_guard_sees_every_step_of_its_thread_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let work = || -> io::Result<()> {
            let disk = Disk::current();
            let mut file = disk.create_new(&one)?;
            file.write_all(b"abcd")?;
            file.sync()?;
            disk.rename(&one, &two)
        };
        for steps in 0..5 {
            let done = guarded(Arc::new(KillGuard(Mutex::new(steps))), work);
            assert_eq!(done.is_ok(), steps == 4);
            assert_eq!(one.exists(), (1..4).contains(&steps), "{steps}");
            assert_eq!(two.exists(), steps == 4);
            if steps == 1 {
                assert_eq!(std::fs::read(&one).expect("read"), b"ab");
            }
            let _ = std::fs::remove_file(&one);
        }
        work().expect("unguarded again");
        assert_eq!(std::fs::read(&two).expect("read"), b"abcd");
    }

    #[test]
    fn copying_is_the_same_with_and_without_a_guard() {
        let folder = tempfile::tempdir().expect("a folder");
        let from = folder.path().join("from");
        let content: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        std::fs::write(&from, &content).expect("written");
        let copy = |name: &str| {
            let path = folder.path().join(name);
            let mut file = Disk::current().create_new(&path).expect("made");
            let mut source = File::open(&from).expect("opened");
            source.seek(SeekFrom::Start(7)).expect("moved");
            file.write_all(b"head").expect("written");
            assert_eq!(file.copy_from(&source, 150_000).expect("copied"), 150_000);
            file.write_all(b"tail").expect("written");
            std::fs::read(path).expect("read")
        };
        let plain = copy("plain");
        let watched = guarded(Arc::new(KillGuard(Mutex::new(usize::MAX))), || {
            copy("watched")
        });
        assert_eq!(plain, watched);
        assert_eq!(plain.len(), 150_008);
        assert_eq!(plain[4..150_004], content[7..150_007]);
    }
}
