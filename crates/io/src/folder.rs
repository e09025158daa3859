//! A folder that appears whole or not at all.
//!
//! It is filled under a temporary name beside its target and takes the target's name at [`Folder::commit`]. Dropped before,
//! or when the user stops the program, it is removed with all that is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::output::{Error, REGISTRY, temporary_name};

/// A folder under a temporary name.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    target: PathBuf,
    is_live: bool,
}

impl Folder {
    /// Begins a folder. A target that is there is refused unless it is an empty folder.
    pub fn create(target: &Path) -> Result<Folder, Error> {
        let is_free = match fs::read_dir(target).map(|mut entries| entries.next().is_none()) {
            Ok(is_empty) => is_empty,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
            return Err(Error::Exists(target.to_path_buf()));
        }
        let mut live = REGISTRY.lock();
        if live.stopped {
            return Err(Error::Stopped(target.to_path_buf()));
        }
        loop {
            let path = temporary_name(target);
            match Disk::current().create_folder(&path) {
                Ok(()) => {
                    live.paths.insert(path.clone());
                    return Ok(Folder {
                        path,
                        target: target.to_path_buf(),
                        is_live: true,
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
        let mut live = REGISTRY.lock();
        if live.stopped {
            return Err(Error::Stopped(self.target.clone()));
        }
        let failed = |error| Error::Io {
            path: self.target.clone(),
            doing: "cannot get its name",
            error,
        };
        let disk = Disk::current();
        // An empty folder of that name is replaced; not every system does so by renaming.
        if fs::symlink_metadata(&self.target).is_ok() {
            fs::remove_dir(&self.target).map_err(failed)?;
        }
        disk.rename(&self.path, &self.target).map_err(failed)?;
        disk.sync_folder_of(&self.target).map_err(failed)?;
        live.paths.remove(&self.path);
        self.is_live = false;
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_live {
            // Nobody is left to whom a failure could be told.
            let _ = Disk::current().remove_folder(&self.path);
            REGISTRY.lock().paths.remove(&self.path);
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
