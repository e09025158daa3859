//! Writing to the disk in steps that a test can cut off anywhere.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes that go to the disk in one step.
const CHUNK: usize = 1 << 20;

/// The disk. A test lets it die after some steps, in the middle of a write, as if the process had been killed.
#[derive(Debug, Default)]
pub(super) struct Disk {
    #[cfg(test)]
    left: Option<std::cell::Cell<u64>>,
}

impl Disk {
    /// A disk that dies after a number of steps.
    #[cfg(test)]
    pub(super) fn dying(steps: u64) -> Disk {
        Disk {
            left: Some(std::cell::Cell::new(steps)),
        }
    }

    /// Whether the next step is done; the first one that is not may be done by half.
    #[cfg(test)]
    fn lives(&self) -> bool {
        match &self.left {
            None => true,
            Some(left) => {
                let now = left.get();
                left.set(now.saturating_sub(1));
                now > 0
            }
        }
    }

    #[cfg(not(test))]
    #[allow(clippy::unused_self)]
    fn lives(&self) -> bool {
        true
    }

    fn step(&self) -> io::Result<()> {
        if self.lives() { Ok(()) } else { Err(dead()) }
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(CHUNK) {
            if !self.lives() {
                file.write_all(chunk.get(..chunk.len() / 2).unwrap_or_default())?;
                return Err(dead());
            }
            file.write_all(chunk)?;
        }
        Ok(())
    }

    /// Writes a whole file and waits until it is on the disk.
    pub(super) fn write_file(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        self.step()?;
        let mut file = File::create(path)?;
        for part in parts {
            self.write(&mut file, part)?;
        }
        self.step()?;
        file.sync_all()
    }

    /// Writes behind the end of a file and waits until it is on the disk.
    pub(super) fn append(&self, path: &Path, end: u64, bytes: &[u8]) -> io::Result<()> {
        self.step()?;
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start(end))?;
        self.write(&mut file, bytes)?;
        self.step()?;
        file.sync_all()
    }

    /// Renames a file.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        std::fs::rename(from, to)?;
        sync_folder(to)
    }

    /// Removes a file; one that is not there is removed already.
    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Waits until a rename is on the disk. Systems on which folders cannot be opened do without.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match File::open(folder.unwrap_or(Path::new("."))) {
        Ok(folder) if cfg!(unix) => folder.sync_all(),
        _ => Ok(()),
    }
}

fn dead() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "the process was killed")
}
