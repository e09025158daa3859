//! A folder that appears whole or not at all.
//!
//! It is filled under a temporary name beside its target and takes the target's name at [`OutputFolder::commit`]. Dropped before,
//! or when the user stops the program, it is removed with all that is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::held_folder;
use crate::interrupt;
use crate::output::{OutputError, is_kept, sweep, temporary_name};

/// A folder under a temporary name.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    target: PathBuf,
    is_live: bool,
    /// Its lock shows that it is being filled; not every system can open folders.
    _lock: Option<fs::File>,
}

impl OutputFolder {
    /// Begins a folder. An existing target is refused unless it is an empty folder.
    pub fn create(target: &Path) -> Result<OutputFolder, OutputError> {
        let is_free = match held_folder::read_dir(target).map(|entries| entries.is_empty()) {
            Ok(is_empty) => is_empty,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
            return Err(OutputError::Exists(target.to_path_buf()));
        }
        let _inside = interrupt::enter().map_err(|_| OutputError::Stopped(target.to_path_buf()))?;
        sweep(target);
        loop {
            let path = temporary_name(target);
            match Disk::current().create_folder(&path) {
                Ok(()) => {
                    let lock = held_folder::open_folder(&path).ok().filter(|_| cfg!(unix));
                    // Another program has just removed it as a leftover.
                    if lock.as_ref().is_some_and(|lock| !is_kept(&path, lock)) {
                        continue;
                    }
                    interrupt::add(&path);
                    return Ok(OutputFolder {
                        path,
                        target: target.to_path_buf(),
                        is_live: true,
                        _lock: lock,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(OutputError::Io {
                        path: target.to_path_buf(),
                        doing: "cannot be created",
                        error,
                    });
                }
            }
        }
    }

    /// The path where it is being filled.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
    pub fn commit(mut self) -> Result<(), OutputError> {
        let _inside = interrupt::enter().map_err(|_| OutputError::Stopped(self.target.clone()))?;
        let failed = |error| OutputError::Io {
            path: self.target.clone(),
            doing: "cannot get its name",
            error,
        };
        let disk = Disk::current();
        // An empty folder of that name is replaced; not every system does so by renaming.
        if held_folder::symlink_metadata(&self.target).is_ok() {
            held_folder::remove_dir(&self.target).map_err(failed)?;
        }
        disk.rename(&self.path, &self.target).map_err(failed)?;
        // It has its name, whether or not the file system supports syncing it.
        let _ = disk.sync_folder_of(&self.target);
        interrupt::forget(&self.path);
        interrupt::decide(&self.target);
        self.is_live = false;
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // If the program is being stopped, it has been removed already.
        if self.is_live
            && let Ok(_inside) = interrupt::enter()
        {
            // Nobody is left to report a failure to.
            let _ = Disk::current().remove_folder(&self.path);
            interrupt::forget(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_with_all_of_it_or_not_at_all() {
        let room = tempfile::tempdir().expect("a folder");
        let target = room.path().join("new");
        let names = || fs::read_dir(room.path()).expect("read").count();
        let folder = OutputFolder::create(&target).expect("begun");
        fs::write(folder.path().join("a"), b"a").expect("written");
        drop(folder);
        assert_eq!(names(), 0);
        for _ in 0..2 {
            let folder = OutputFolder::create(&target).expect("begun");
            fs::write(folder.path().join("a"), b"a").expect("written");
            assert!(!target.join("a").exists());
            folder.commit().expect("committed");
            assert_eq!(fs::read(target.join("a")).expect("read"), b"a");
            assert_eq!(names(), 1);
            assert!(matches!(
                OutputFolder::create(&target),
                Err(OutputError::Exists(_))
            ));
            fs::remove_file(target.join("a")).expect("removed");
        }
    }
}
