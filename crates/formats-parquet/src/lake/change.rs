//! Changing a lake: new files next to the old ones, and then a manifest that lists them, all or nothing.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tabiya_io::disk::{Disk, DiskFile};
use tabiya_io::fingerprint::hash_all;
use tabiya_io::held_folder;
use tabiya_io::interrupt;
use tabiya_io::lock::DatabaseLock;
use tabiya_model::{Database, Error, Result};

use super::completion::{LakeChange, stopped};
use super::manifest::{self, LakeFileEntry, LakeManifest};
use super::reader;
use tabiya_codec::format::OpenOptions;

/// How long to wait for another program that is changing the lake.
const PATIENCE: Duration = Duration::from_secs(5);

fn failed(error: std::io::Error, path: &Path) -> Error {
    Error::from(error).in_file(path.to_string_lossy())
}

/// A file of a lake that is being written.
#[derive(Debug)]
pub struct NewLakeFile {
    path: String,
    file: DiskFile,
}

impl NewLakeFile {
    /// Waits until all of it is on the disk.
    pub fn sync(&self) -> Result<()> {
        let path = self.file.path();
        self.file.sync().map_err(|error| failed(error, path))
    }

    /// An error with the name of the file.
    fn named(&self, error: std::io::Error) -> std::io::Error {
        match error.kind() {
            std::io::ErrorKind::Interrupted => error,
            kind => std::io::Error::new(kind, format!("{}: {error}", self.file.path().display())),
        }
    }
}

impl Write for NewLakeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes).map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush().map_err(|error| self.named(error))
    }
}

impl LakeChange {
    /// Begins to change the lake in a folder.
    pub fn begin(folder: &Path) -> Result<LakeChange> {
        let place = tabiya_io::held_folder::real(folder).map_err(|error| failed(error, folder))?;
        let lock = DatabaseLock::take(&place.join(manifest::NAME), PATIENCE)?;
        let old = LakeManifest::of_folder(&place)?;
        let mut change = LakeChange::new(&place, old.unwrap_or_default());
        change._lock = Some(lock);
        // Files of an interrupted change do not count, and are removed.
        change.sweep()?;
        change.manifest.sequence += 1;
        Ok(change)
    }

    /// Creates a lake in a folder that no other program knows yet.
    pub(super) fn new(folder: &Path, manifest: LakeManifest) -> LakeChange {
        LakeChange {
            folder: folder.to_path_buf(),
            manifest,
            written: Vec::new(),
            made: Vec::new(),
            files: 0,
            _lock: None,
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The games of the new state of the lake.
    #[must_use]
    pub fn games(&self) -> Box<dyn Database> {
        reader::of_manifest(&self.folder, &self.manifest, &OpenOptions::default())
    }

    /// Begins a file in a folder of the lake, such as `games/2015`.
    pub fn create(&mut self, within: &str) -> Result<NewLakeFile> {
        self.files += 1;
        let name = format!("{:06}-{:05}.parquet", self.manifest.sequence, self.files);
        self.create_named(within, &name)
    }

    /// The same with a name for a file that the manifest does not list.
    pub fn create_named(&mut self, within: &str, name: &str) -> Result<NewLakeFile> {
        let mut folder = self.folder.clone();
        let disk = Disk::current();
        let inside = interrupt::enter().map_err(|_| stopped())?;
        for part in within.split('/') {
            folder.push(part);
            match disk.create_folder(&folder) {
                Ok(()) => {
                    interrupt::add(&folder);
                    self.made.push(folder.clone());
                }
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(failed(error, &folder));
                }
                Err(_) => {}
            }
        }
        let path = folder.join(name);
        let file = disk
            .remove(&path)
            .and_then(|()| disk.create_new(&path))
            .map_err(|error| failed(error, &path))?;
        interrupt::add(&path);
        self.written.push(path);
        drop(inside);
        Ok(NewLakeFile {
            path: format!("{within}/{name}"),
            file,
        })
    }

    /// Completes a file: returns its manifest entry, except its rows.
    pub fn complete(&mut self, file: NewLakeFile) -> Result<LakeFileEntry> {
        let wrong = |error| failed(error, file.file.path());
        file.file.sync().map_err(wrong)?;
        let (sum, bytes) = tabiya_io::regular_file::open(file.file.path())
            .and_then(hash_all)
            .map_err(wrong)?;
        Ok(LakeFileEntry {
            path: file.path,
            bytes,
            sum,
            ..LakeFileEntry::default()
        })
    }

    /// Removes a completed file.
    pub fn discard(&mut self, entry: &LakeFileEntry) -> Result<()> {
        let path = entry.path_in(&self.folder);
        let _inside = interrupt::enter().map_err(|_| stopped())?;
        self.written.retain(|written| *written != path);
        interrupt::forget(&path);
        Disk::current()
            .remove(&path)
            .map_err(|error| failed(error, &path))
    }

    /// Puts the manifest in place, and removes unlisted files.
    pub fn commit(mut self) -> Result<LakeManifest> {
        let _inside = interrupt::enter().map_err(|_| stopped())?;
        self.write_manifest()?;
        for path in self.written.drain(..).chain(self.made.drain(..)) {
            interrupt::forget(&path);
        }
        interrupt::decide(&self.folder.join(manifest::NAME));
        // Files that cannot be removed now are removed by the next change.
        let _ = self.sweep();
        Ok(std::mem::take(&mut self.manifest))
    }

    /// Replaces the manifest.
    fn write_manifest(&mut self) -> Result<()> {
        let path = self.folder.join(manifest::NAME);
        let new = self.folder.join(format!(".{}.new", manifest::NAME));
        let disk = Disk::current();
        for file in self.written.iter().chain([&path]) {
            disk.sync_folder_of(file)
                .map_err(|error| failed(error, file))?;
        }
        let write = || {
            disk.remove(&new)?;
            let mut file = disk.create_new(&new)?;
            file.write_all(&self.manifest.to_bytes())?;
            file.sync()?;
            disk.rename(&new, &path)
        };
        if let Err(error) = write() {
            // On a full disk, the new file must not stay.
            let _ = disk.remove(&new);
            return Err(failed(error, &path));
        }
        // From here on it belongs to the lake, whether or not the file system supports syncing the name.
        let _ = disk.sync_folder_of(&path);
        Ok(())
    }

    /// Removes the files in folders of tables that the manifest does not list, and folders that become empty.
    fn sweep(&self) -> Result<()> {
        let mut listed: Vec<PathBuf> = (self.manifest.tables.values().flatten())
            .map(|entry| entry.path_in(&self.folder))
            .collect();
        listed.sort_unstable();
        for table in super::TABLES {
            let folder = self.folder.join(table);
            if held_folder::is_dir(&folder) {
                sweep(&folder, &listed).map_err(|error| failed(error, &folder))?;
            }
        }
        Ok(())
    }
}

/// The deepest folder of a lake: table, year, month.
const DEPTH: usize = 3;

fn sweep(folder: &Path, listed: &[PathBuf]) -> std::io::Result<()> {
    let disk = Disk::current();
    let mut open = vec![(folder.to_path_buf(), 1)];
    let mut folders = Vec::new();
    while let Some((folder, depth)) = open.pop() {
        for held_folder::DirectoryEntry { path, kind } in held_folder::read_dir(&folder)? {
            if kind.is_dir() && depth < DEPTH {
                open.push((path, depth + 1));
            } else if path.extension().is_some_and(|it| it == "parquet")
                && listed.binary_search(&path).is_err()
            {
                disk.remove(&path)?;
            }
        }
        folders.push(folder);
    }
    for folder in folders.iter().rev() {
        // Fails if the folder is not empty.
        let _ = held_folder::remove_dir(folder);
    }
    Ok(())
}

impl Drop for LakeChange {
    fn drop(&mut self) {
        // If the program is being stopped, they have been removed already.
        let Ok(_inside) = interrupt::enter() else {
            return;
        };
        for path in self.written.drain(..) {
            // Nobody is left to report a failure to, and an unlisted file does not count.
            let _ = Disk::current().remove(&path);
            interrupt::forget(&path);
        }
        for folder in self.made.drain(..).rev() {
            let _ = held_folder::remove_dir(&folder);
            interrupt::forget(&folder);
        }
    }
}
