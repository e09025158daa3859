//! The journal: several files of a base change together or not at all.
//!
//! A change writes its new files beside the old ones, then the journal that names them, then renames them. The journal
//! is the moment of decision: before it, the old files stand untouched; from it on, whoever opens the base next
//! finishes the renames. It holds no path, only which of the three files are new, with their sizes and
//! checksums, so that nothing but the files of this base can ever be renamed by it.
//!
//! ```text
//! tabiya journal 1
//! sn5 1361 91f2a5c3d4e6b708
//! si5 3360 02b4c6d8ea0f1235
//! end
//! ```

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tabiya_model::{Error, ErrorKind, Result};

use super::super::files::Files;
use super::disk::Disk;

const HEADING: &str = "tabiya journal 1";

/// One file of a base in its new form.
pub(super) struct NewFile<'a> {
    /// Where it belongs.
    pub(super) target: &'a Path,
    /// Its content, in pieces.
    pub(super) parts: Vec<&'a [u8]>,
}

/// The name with something appended, in the same folder.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn new_name(path: &Path) -> PathBuf {
    beside(path, ".tabiya-new")
}

fn journal_name(files: &Files) -> PathBuf {
    beside(&files.index, ".tabiya-journal")
}

/// The right to change a base, which one process has at a time.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the right, or says that another process has it.
    pub(super) fn take(files: &Files) -> Result<Lock> {
        let path = beside(&files.index, ".tabiya-lock");
        let file =
            File::create(&path).map_err(|error| failed(&path, "cannot be created", error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { path, _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(being_changed(files)),
            Err(std::fs::TryLockError::Error(error)) => {
                Err(failed(&path, "cannot be locked", error))
            }
        }
    }

    /// Whether another process has the right.
    fn is_taken(files: &Files) -> bool {
        File::open(beside(&files.index, ".tabiya-lock"))
            .is_ok_and(|file| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock ends with the file handle; the name is only tidied away.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn being_changed(files: &Files) -> Error {
    Error::new(
        ErrorKind::Usage,
        format!(
            "{} is being changed by another process: try again when it has finished",
            files.index.display()
        ),
    )
}

fn failed(path: &Path, what: &str, error: io::Error) -> Error {
    Error::new(
        ErrorKind::Io,
        format!("{}: {what}: {error}", path.display()),
    )
    .because(error)
}

/// Puts new files in the place of old ones, all or none.
pub(super) fn replace(disk: &Disk, files: &Files, new: &[NewFile<'_>]) -> Result<()> {
    let mut journal = format!("{HEADING}\n");
    for file in new {
        let path = new_name(file.target);
        disk.write_file(&path, &file.parts)
            .map_err(|error| failed(&path, "cannot be written", error))?;
        let extension = file
            .target
            .extension()
            .unwrap_or_default()
            .to_string_lossy();
        let size: u64 = file.parts.iter().map(|part| part.len() as u64).sum();
        let sum = file
            .parts
            .iter()
            .fold(Checksum::START, |sum, part| sum.add(part));
        journal.push_str(&format!("{extension} {size} {:016x}\n", sum.0));
    }
    journal.push_str("end\n");
    if let [file] = new {
        // A single rename decides by itself.
        let path = new_name(file.target);
        return disk
            .rename(&path, file.target)
            .map_err(|error| failed(file.target, "cannot be replaced", error));
    }
    let path = journal_name(files);
    let fresh = beside(&path, ".tabiya-new");
    disk.write_file(&fresh, &[journal.as_bytes()])
        .and_then(|()| disk.rename(&fresh, &path))
        .map_err(|error| failed(&path, "cannot be written", error))?;
    finish(disk, files, &journal)
}

/// Renames what a journal names, and removes it.
fn finish(disk: &Disk, files: &Files, journal: &str) -> Result<()> {
    let path = journal_name(files);
    let unreadable = || {
        Error::corrupt(format!(
            "{}: this journal of an interrupted change cannot be understood; the base is as it was before the change \
             if you remove it",
            path.display()
        ))
    };
    let mut lines = journal.lines();
    if lines.next() != Some(HEADING) || lines.next_back() != Some("end") {
        return Err(unreadable());
    }
    let mut renames = Vec::new();
    for line in lines {
        let mut words = line.split(' ');
        let (Some(extension), Some(size), Some(sum), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(unreadable());
        };
        let target = files
            .all()
            .into_iter()
            .find(|file| {
                file.extension()
                    .is_some_and(|own| own.to_string_lossy() == extension)
            })
            .ok_or_else(unreadable)?;
        let fresh = new_name(target);
        // A file that is not there any more was renamed before the change was interrupted.
        match std::fs::read(&fresh) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(&fresh, "cannot be read", error)),
            Ok(bytes) => {
                let found = (
                    bytes.len().to_string(),
                    format!("{:016x}", Checksum::START.add(&bytes).0),
                );
                if (found.0.as_str(), found.1.as_str()) != (size, sum) {
                    return Err(unreadable());
                }
                renames.push((fresh, target));
            }
        }
    }
    for (fresh, target) in renames {
        disk.rename(&fresh, target)
            .map_err(|error| failed(target, "cannot be replaced", error))?;
    }
    disk.remove(&path)
        .map_err(|error| failed(&path, "cannot be removed", error))
}

/// Finishes a change that was interrupted after its decision. Called whenever a base is opened.
pub(in super::super) fn recover(files: &Files) -> Result<()> {
    let path = journal_name(files);
    let Ok(bytes) = std::fs::read(&path) else {
        return Ok(());
    };
    if Lock::is_taken(files) {
        return Err(being_changed(files));
    }
    finish(&Disk::default(), files, &String::from_utf8_lossy(&bytes))
}

/// Removes what an interrupted change left behind before its decision. The caller holds the lock.
pub(super) fn tidy(files: &Files) {
    for file in files.all() {
        let _ = std::fs::remove_file(new_name(file));
    }
    let _ = std::fs::remove_file(beside(&journal_name(files), ".tabiya-new"));
}

/// FNV-1a in 64 bits: tells a file that was cut from a whole one.
#[derive(Copy, Clone)]
struct Checksum(u64);

impl Checksum {
    const START: Checksum = Checksum(0xcbf2_9ce4_8422_2325);

    fn add(self, bytes: &[u8]) -> Checksum {
        bytes.iter().fold(self, |sum, byte| {
            Checksum((sum.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
        })
    }
}
