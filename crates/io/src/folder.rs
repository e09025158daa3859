//! A folder that appears whole or not at all.
//!
//! It is filled under a temporary name beside its target and takes the target's name at [`Folder::commit`]. Dropped before,
//! or when the user stops the program, it is removed with all that is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::held;
use crate::output::{Error, is_kept, sweep, temporary_name};
use crate::stop;

/// A folder under a temporary name.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    target: PathBuf,
    is_live: bool,
    /// Its lock says that somebody fills it; not every system opens folders.
    _lock: Option<fs::File>,
}

impl Folder {
    /// Begins a folder. A target that is there is refused unless it is an empty folder.
    pub fn create(target: &Path) -> Result<Folder, Error> {
        let is_free = match held::read_dir(target).map(|entries| entries.is_empty()) {
            Ok(is_empty) => is_empty,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
            return Err(Error::Exists(target.to_path_buf()));
        }
        let _inside = stop::enter().map_err(|_| Error::Stopped(target.to_path_buf()))?;
        sweep(target);
        loop {
            let path = temporary_name(target);
            match Disk::current().create_folder(&path) {
                Ok(()) => {
                    let lock = held::open_folder(&path).ok().filter(|_| cfg!(unix));
                    // One that somebody is sweeping away is not ours any more.
                    if lock.as_ref().is_some_and(|lock| !is_kept(&path, lock)) {
                        continue;
                    }
                    stop::add(&path);
                    return Ok(Folder {
                        path,
                        target: target.to_path_buf(),
                        is_live: true,
                        _lock: lock,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Error::Io {
                        path: target.to_path_buf(),
                        doing: "cannot be made",
                        error,
                    });
                }
            }
        }
    }

    /// Where it is filled.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
    pub fn commit(mut self) -> Result<(), Error> {
        let _inside = stop::enter().map_err(|_| Error::Stopped(self.target.clone()))?;
        let failed = |error| Error::Io {
            path: self.target.clone(),
            doing: "cannot get its name",
            error,
        };
        let disk = Disk::current();
        // An empty folder of that name is replaced; not every system does so by renaming.
        if held::symlink_metadata(&self.target).is_ok() {
            held::remove_dir(&self.target).map_err(failed)?;
        }
        disk.rename(&self.path, &self.target).map_err(failed)?;
        // It has its name, whether or not the disk can be asked to keep it.
        let _ = disk.sync_folder_of(&self.target);
        stop::forget(&self.path);
        stop::decide(&self.target);
        self.is_live = false;
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Where the program is being stopped, it is gone already.
        if self.is_live
            && let Ok(_inside) = stop::enter()
        {
            // Nobody is left to whom a failure could be told.
            let _ = Disk::current().remove_folder(&self.path);
            stop::forget(&self.path);
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
        let folder = Folder::create(&target).expect("begun");
        fs::write(folder.path().join("a"), b"a").expect("written");
        drop(folder);
        assert_eq!(names(), 0);
        for _ in 0..2 {
            let folder = Folder::create(&target).expect("begun");
            fs::write(folder.path().join("a"), b"a").expect("written");
            assert!(!target.join("a").exists());
            folder.commit().expect("committed");
            assert_eq!(fs::read(target.join("a")).expect("read"), b"a");
            assert_eq!(names(), 1);
            assert!(matches!(Folder::create(&target), Err(Error::Exists(_))));
            fs::remove_file(target.join("a")).expect("removed");
        }
    }
}
