//! A change of the files of one database: all of it, or nothing.
//!
//! A [`DatabaseChange`] holds the [`DatabaseLock`] of the database. It writes new content next to the old files
//! (`games.si5.tabiya-new`); a new file replaces the old one by an atomic rename. If several files change, or if
//! something is appended to one, a journal (`games.si5.tabiya-journal`) is written first: its own rename is the moment
//! of decision. Before it, the old files are unchanged; after it, the next program that opens the database completes
//! the change ([`recover`]).
//!
//! The journal identifies the files that it was made for by size, time and hashed ends, and the new ones by size and a hash: of
//! every byte, or of samples of a large replacement file, which is completely on the disk before the journal is written. If
//! another program has changed a file since, nothing is replaced any more. The journal holds no path: names are looked up among
//! the files that the caller gives for the database.
//!
//! ```text
//! tabiya journal 3
//! append games.sn5 OLD-FINGERPRINT 17 91f2a5c3d4e6b708
//! replace games.si5 OLD-FINGERPRINT 3360 02b4c6d8ea0f1235
//! end whole
//! ```
//!
//! `whole` means that the database is sound after each of the steps ([`DatabaseChange::has_sound_steps`]): if another program
//! has continued from the middle of such a change, its result counts, and the rest of the change is dropped: bytes that were
//! appended to files for it are removed again, unless only the last step is missing, which is then completed.
//!
//! Mode, owner (if the system allows it) and symbolic links of a file stay; a second name (hard link) of a file keeps
//! the old content. If something fails before the decision, everything written is removed, and the error reports it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::bytes::ByteCursor;
use super::disk::{Disk, DiskFile};
use super::fingerprint::{self, Fingerprint};
use super::held_folder::{self, OpenMode};
use super::interrupt;
use super::lock::{self, DatabaseLock, beside};
use super::regular_file;

mod error;
mod history_update;
mod parts;

pub use self::error::ChangeError;
pub use self::history_update::{DatabaseStates, HISTORY, HistoryUpdate, history_of, state_of};
use self::parts::{ChangeKind, ChangeStamp, ChangeTarget, real};
pub use self::parts::{DatabaseChange, DatabaseFileStamps, NEW};

const HEADING: &str = "tabiya journal 3";
/// The last line of a journal.
const END: &str = "end";
/// The same, if the database is sound after each step.
const END_WHOLE: &str = "end whole";
/// The suffix of the journal, after the name of the first file.
pub const JOURNAL: &str = ".tabiya-journal";

/// How long a writer waits for another one before it reports the holder of the lock.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// How long a reader waits for a writer that is about to finish, and after how long it looks whether that one has.
const READERS_PATIENCE: Duration = Duration::from_secs(10);
const READERS_LOOK: Duration = Duration::from_millis(50);

/// The change that was found unfinished when a database was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// Nothing.
    Nothing,
    /// An interrupted change, which is now completed.
    Finished,
    /// An interrupted change, but another program has changed the database since: the result of that program counts.
    Overtaken,
}

/// The name of a file, escaped so that it is one word of a line.
fn spelled(path: &Path) -> String {
    let mut word = String::new();
    let name: OsString = path.file_name().unwrap_or_default().to_owned();
    for byte in name.as_encoded_bytes() {
        if byte.is_ascii_graphic() && *byte != b'%' {
            word.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(word, "%{byte:02x}");
        }
    }
    word
}

impl DatabaseChange {
    /// Begins a change of a database, given by all files that it has or may have; the first is the one by which it is
    /// opened.
    ///
    /// Waits briefly for another writer, completes an interrupted change, and refuses read-only files.
    pub fn begin(files: &[&Path]) -> Result<Self, ChangeError> {
        Self::begin_patiently(files, PATIENCE)
    }

    /// The same with another patience.
    pub fn begin_patiently(files: &[&Path], patience: Duration) -> Result<Self, ChangeError> {
        let first = real(files.first().copied().unwrap_or(Path::new("")));
        let writable = |path: &Path| {
            let why = |error: io::Error| ChangeError::NotWritable {
                path: path.to_path_buf(),
                why: error.to_string(),
            };
            let found = match held_folder::metadata(path) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(why(error)),
            };
            // A rename would ignore the permissions of the file, and an administrator may write to everything: so a file
            // that is marked as read-only is refused here.
            if !found.is_file() {
                return Err(why(io::Error::other("it is not a regular file")));
            }
            if found.permissions().readonly() {
                return Err(why(io::Error::other("it is read-only")));
            }
            regular_file::open_for(path, OpenMode::Change).map_err(why)?;
            Ok(())
        };
        for file in files {
            writable(file)?;
        }
        let lock = DatabaseLock::take(&first, patience)?;
        let disk = Disk::current();
        let journal = beside(&first, JOURNAL);
        finish_interrupted(&disk, &journal, files)?;
        let history = beside(&first, HISTORY);
        let mut targets = Vec::new();
        for file in files.iter().copied().chain([history.as_path()]) {
            // If the name of the history is a link, it is not followed.
            let path = if file == history {
                history.clone()
            } else {
                real(file)
            };
            // Files left over from before a decision are worthless.
            let _ = disk.remove(&beside(&path, NEW));
            let found = held_folder::metadata(&path).ok();
            targets.push(ChangeTarget {
                name: spelled(file),
                before: found.map(|found| (ChangeStamp::of(&found), found)),
                path,
            });
        }
        let _ = disk.remove(&beside(&journal, NEW));
        Ok(Self {
            disk,
            journal,
            history,
            targets,
            staged: Vec::new(),
            has_sound_steps: false,
            is_open: true,
            lock,
        })
    }

    fn target(&self, path: &Path) -> Result<usize, ChangeError> {
        let name = spelled(path);
        let found = self.targets.iter().position(|target| target.name == name);
        found
            .filter(|_| self.is_open)
            .ok_or_else(|| ChangeError::NotWritable {
                path: path.to_path_buf(),
                why: "it is not part of the change".to_owned(),
            })
    }

    fn path_of(&self, target: usize) -> PathBuf {
        let target = self.targets.get(target);
        target.map(|target| target.path.clone()).unwrap_or_default()
    }

    /// Removes everything written, and returns the error.
    fn fail(&mut self, path: &Path, doing: &'static str, error: io::Error) -> ChangeError {
        let left = self.take_back();
        ChangeError::Io {
            path: path.to_path_buf(),
            doing,
            error,
            left,
        }
    }

    /// Removes what was written; returns in words what could not be removed.
    fn take_back(&mut self) -> String {
        let mut left = String::new();
        if !std::mem::replace(&mut self.is_open, false) {
            return left;
        }
        // If the program is being stopped, they have been removed already, and the names may belong to another writer.
        let Ok(_inside) = interrupt::enter() else {
            return left;
        };
        self.forget_new();
        // Before the files that it names: a journal without its files would block every program that opens the database.
        if self.disk.remove(&self.journal).is_err() {
            let _ = write!(left, "; {} could not be removed", self.journal.display());
            return left;
        }
        for target in &self.targets {
            let new = beside(&target.path, NEW);
            if self.disk.remove(&new).is_err() {
                let _ = write!(left, "; {} could not be removed", new.display());
            }
        }
        let fresh = beside(&self.journal, NEW);
        if self.disk.remove(&fresh).is_err() {
            let _ = write!(left, "; {} could not be removed", fresh.display());
        }
        left
    }

    /// Begins a replacement for an old file; pass it to [`DatabaseChange::put`] when it is complete.
    pub fn create(&mut self, target: &Path) -> Result<DiskFile, ChangeError> {
        let at = self.target(target)?;
        let path = self.path_of(at);
        let new = beside(&path, NEW);
        let _ = self.disk.remove(&new);
        let created = self.make(&new).and_then(|file| {
            self.give_attributes(at, &file)?;
            Ok(file)
        });
        created.map_err(|error| self.fail(&path, "cannot create a new file in its folder", error))
    }

    /// Gives a new file the mode and owner of the old one.
    fn give_attributes(&self, target: usize, file: &DiskFile) -> io::Result<()> {
        let before = |target: &ChangeTarget| target.before.as_ref().map(|(_, found)| found.clone());
        match self.targets.get(target).and_then(before) {
            Some(own) => file.take_attributes(&own),
            // A file that is new to the database is readable only for users who can read all of the database.
            None => {
                let all: Vec<Metadata> = self.targets.iter().filter_map(before).collect();
                file.restrict_to(&all)
            }
        }
    }

    /// Creates a file that is removed if the program is stopped.
    fn make(&self, path: &Path) -> io::Result<DiskFile> {
        let _inside = interrupt::enter()?;
        let file = self.disk.create_new(path)?;
        interrupt::add(path);
        Ok(file)
    }

    /// The files written next to the old ones are in place now, or gone.
    fn forget_new(&self) {
        for target in &self.targets {
            interrupt::forget(&beside(&target.path, NEW));
        }
        interrupt::forget(&beside(&self.journal, NEW));
    }

    /// Takes a complete file from [`DatabaseChange::create`].
    pub fn put(&mut self, target: &Path, file: DiskFile) -> Result<(), ChangeError> {
        let at = self.target(target)?;
        let path = self.path_of(at);
        file.sync()
            .map_err(|error| self.fail(&path, "the new file cannot be written", error))?;
        self.stage(at, ChangeKind::Replace);
        Ok(())
    }

    /// Takes a finished file from anywhere in the same file system as the replacement for an old one.
    pub fn adopt(&mut self, target: &Path, from: &Path) -> Result<(), ChangeError> {
        let at = self.target(target)?;
        let path = self.path_of(at);
        let new = beside(&path, NEW);
        let moved = self.disk.open_at_end(from).and_then(|file| {
            self.give_attributes(at, &file)?;
            file.sync()?;
            let _inside = interrupt::enter()?;
            self.disk.rename(from, &new)?;
            interrupt::forget(from);
            interrupt::add(&new);
            Ok(())
        });
        moved.map_err(|error| self.fail(&path, "the new file cannot be written", error))?;
        self.stage(at, ChangeKind::Replace);
        Ok(())
    }

    fn stage(&mut self, target: usize, kind: ChangeKind) {
        self.staged.retain(|(other, _)| *other != target);
        self.staged.push((target, kind));
    }

    /// Replaces the content of a file.
    pub fn replace(&mut self, target: &Path, parts: &[&[u8]]) -> Result<(), ChangeError> {
        let mut file = self.create(target)?;
        for part in parts {
            if let Err(error) = file.write_all(part) {
                drop(file);
                return Err(self.fail(target, "the new file cannot be written", error));
            }
        }
        self.put(target, file)
    }

    /// Adds bytes to the end of a file. They are kept in a separate file until the decision: a kill at any moment
    /// leaves nothing unidentifiable behind.
    pub fn append(&mut self, target: &Path, bytes: &[u8]) -> Result<(), ChangeError> {
        self.replace(target, &[bytes])?;
        let at = self.target(target)?;
        self.stage(at, ChangeKind::Append);
        Ok(())
    }

    /// Declares that the database is sound, old or new, after each of the steps in their order. This is always so if only
    /// one file changes.
    pub fn has_sound_steps(&mut self) {
        self.has_sound_steps = true;
    }

    /// Fails if a file has changed since the change began.
    fn is_untouched(&mut self) -> Result<(), ChangeError> {
        let touched = self.targets.iter().find(|target| {
            let now = ChangeStamp::of_path(&target.path);
            match (&target.before, now) {
                (None, None) => false,
                (Some((before, _)), Some(now)) => now != *before,
                _ => true,
            }
        });
        let touched = match touched {
            Some(target) => target.path.clone(),
            None if self.lock.is_held() => return Ok(()),
            None => self.journal.clone(),
        };
        self.take_back();
        Err(ChangeError::Overtaken(touched))
    }

    /// Puts everything in place, in the order in which it was given, all or nothing.
    pub fn commit(mut self) -> Result<(), ChangeError> {
        if !self.is_open || self.staged.is_empty() {
            return Ok(());
        }
        let Ok(_inside) = interrupt::enter() else {
            let path = self.journal.clone();
            return Err(self.fail(
                &path,
                "cannot be written",
                io::Error::new(io::ErrorKind::Interrupted, "the program is being stopped"),
            ));
        };
        self.is_untouched()?;
        if let [(at, ChangeKind::Replace)] = self.staged.as_slice() {
            // A single rename is the decision.
            let path = self.path_of(*at);
            self.disk
                .rename(&beside(&path, NEW), &path)
                .map_err(|error| self.fail(&path, "cannot be replaced", error))?;
            self.done();
            let _ = self.disk.sync_folder_of(&path);
            return Ok(());
        }
        let mut entries = Vec::new();
        for (at, kind) in self.staged.clone() {
            let path = self.path_of(at);
            let entry = self
                .entry(at, kind)
                .map_err(|error| self.fail(&path, "cannot be read", error))?;
            entries.push(entry);
        }
        let journal = self.journal.clone();
        self.write_journal(&entries)
            .map_err(|error| self.fail(&journal, "cannot be written", error))?;
        // The change is decided from here on.
        let plan = self
            .staged
            .iter()
            .zip(&entries)
            .map(|((at, kind), entry)| (self.path_of(*at), *kind, entry.clone()))
            .collect::<Vec<_>>();
        match finish(&self.disk, &journal, &plan) {
            Ok(()) => {
                self.done();
                Ok(())
            }
            Err(stuck) => Err(self.stuck(stuck)),
        }
    }

    /// The change is made, or will be by the next program that opens the database.
    fn done(&mut self) {
        self.is_open = false;
        self.forget_new();
        interrupt::decide(&self.journal);
    }

    /// Undoes the change if that is still possible.
    fn stuck(&mut self, stuck: JournalFailure) -> ChangeError {
        let JournalFailure {
            path,
            error,
            is_replaced,
        } = stuck;
        let undone = !is_replaced
            && self.staged.iter().all(|(at, kind)| {
                let Some(target) = self.targets.get(*at) else {
                    return true;
                };
                match (kind, &target.before) {
                    (ChangeKind::Append, Some((before, _))) => self
                        .disk
                        .open_at_end(&target.path)
                        .and_then(|mut file| file.cut(before.size))
                        .is_ok(),
                    // A file that did not exist before: it replaces nothing.
                    (ChangeKind::Replace, None) => self.disk.remove(&target.path).is_ok(),
                    _ => true,
                }
            })
            && self.disk.remove(&self.journal).is_ok();
        if undone {
            return self.fail(&path, "cannot be replaced", error);
        }
        self.done();
        ChangeError::Unfinished { path, error }
    }

    fn entry(&self, at: usize, kind: ChangeKind) -> io::Result<JournalEntry> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let target = self.targets.get(at).ok_or_else(missing)?;
        let (sum, size) = kind.hash(&mut regular_file::open(&beside(&target.path, NEW))?)?;
        let old = match &target.before {
            Some(_) => Some(Fingerprint::of_path(&target.path)?),
            None => None,
        };
        Ok(JournalEntry {
            kind,
            name: target.name.clone(),
            old,
            size,
            sum,
        })
    }

    fn write_journal(&self, entries: &[JournalEntry]) -> io::Result<()> {
        let mut text = format!("{HEADING}\n");
        for entry in entries {
            entry.spell(&mut text);
        }
        let changed = |(at, _): &&(usize, ChangeKind)| {
            let target = self.targets.get(*at);
            target.is_some_and(|target| target.path != self.history)
        };
        let has_one_step = self.staged.iter().filter(changed).count() <= 1;
        text.push_str(match self.has_sound_steps || has_one_step {
            true => END_WHOLE,
            false => END,
        });
        text.push('\n');
        let fresh = beside(&self.journal, NEW);
        self.disk.remove(&fresh)?;
        let mut file = self.make(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync()?;
        drop(file);
        self.disk.rename(&fresh, &self.journal)?;
        self.disk.sync_folder_of(&self.journal)
    }
}

impl Drop for DatabaseChange {
    fn drop(&mut self) {
        // Nobody is left to report a failure to; the next change removes leftovers.
        let _ = self.take_back();
    }
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct JournalEntry {
    kind: ChangeKind,
    name: String,
    /// The file that the entry was made for.
    old: Option<Fingerprint>,
    /// The size of what is added or put in its place.
    size: u64,
    sum: u64,
}

impl JournalEntry {
    fn spell(&self, text: &mut String) {
        let kind = match self.kind {
            ChangeKind::Replace => "replace",
            ChangeKind::Append => "append",
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{kind} {} ", self.name);
        match &self.old {
            Some(old) => {
                for byte in old.to_bytes() {
                    let _ = write!(text, "{byte:02x}");
                }
            }
            None => text.push('-'),
        }
        let _ = writeln!(text, " {} {:016x}", self.size, self.sum);
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let kind = match words.next()? {
            "replace" => ChangeKind::Replace,
            "append" => ChangeKind::Append,
            _ => return None,
        };
        let name = words.next()?.to_owned();
        let old = match words.next()? {
            "-" => None,
            hex => {
                if hex.len() != 2 * Fingerprint::LENGTH {
                    return None;
                }
                let bytes: Option<Vec<u8>> = (0..Fingerprint::LENGTH)
                    .map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok())
                    .collect();
                Some(Fingerprint::read(&mut ByteCursor::new(&bytes?)).ok()?)
            }
        };
        let size = words.next()?.parse().ok()?;
        let sum = u64::from_str_radix(words.next()?, 16).ok()?;
        words.next().is_none().then_some(Self {
            kind,
            name,
            old,
            size,
            sum,
        })
    }

    /// All lines, and whether the database is sound after each step.
    fn parse_all(text: &str) -> Option<(Vec<Self>, bool)> {
        let mut lines = text.lines();
        if lines.next() != Some(HEADING) {
            return None;
        }
        let has_sound_steps = match lines.next_back()? {
            END => false,
            END_WHOLE => true,
            _ => return None,
        };
        let entries: Option<Vec<Self>> = lines.map(Self::parse).collect();
        let entries = entries.filter(|entries| !entries.is_empty())?;
        Some((entries, has_sound_steps))
    }

    /// How far this part of an interrupted change has got.
    fn state(&self, path: &Path) -> io::Result<JournalStepState> {
        let mut new = match regular_file::open(&beside(path, NEW)) {
            Ok(new) => Some(new),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_whole = match &mut new {
            Some(new) => self.kind.hash(new)? == (self.sum, self.size),
            None => false,
        };
        let mut target = match regular_file::open(path) {
            Ok(target) => Some(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match (self.kind, &mut target, self.old) {
            (ChangeKind::Replace, target, old) => {
                if is_whole {
                    let now = target.as_mut().map(Fingerprint::of_file).transpose()?;
                    return Ok(if is_same(now, old) {
                        JournalStepState::Waits
                    } else {
                        JournalStepState::Overtaken
                    });
                }
                let placed = match target {
                    Some(target) => self.kind.hash(target)? == (self.sum, self.size),
                    None => false,
                };
                Ok(if placed {
                    JournalStepState::Done
                } else {
                    JournalStepState::Replaced
                })
            }
            (ChangeKind::Append, Some(target), Some(old)) => {
                let size = target.metadata()?.len();
                let end = old.size.saturating_add(self.size);
                let begins = size >= old.size
                    && Fingerprint::of_beginning(target, old.size)?.same_content(&old);
                if size == old.size {
                    let now = Fingerprint::of_file(target)?;
                    let waits = is_whole && is_same(Some(now), Some(old));
                    return Ok(if waits {
                        JournalStepState::Waits
                    } else {
                        JournalStepState::Overtaken
                    });
                }
                if size >= end {
                    target.seek(SeekFrom::Start(old.size))?;
                    let added = Read::by_ref(target).take(self.size);
                    let is_added = fingerprint::hash_all(added)? == (self.sum, self.size);
                    // Another program may have added more since.
                    return Ok(match begins && is_added {
                        true => JournalStepState::Done,
                        false => JournalStepState::Replaced,
                    });
                }
                if size < old.size {
                    return Ok(JournalStepState::Replaced);
                }
                let Some(mut new) = new.filter(|_| is_whole) else {
                    return Ok(JournalStepState::Replaced);
                };
                // The existing bytes must be the beginning of the added ones.
                target.seek(SeekFrom::Start(old.size))?;
                new.rewind()?;
                let ours = fingerprint::hash_all(new.take(size - old.size))?;
                let found = fingerprint::hash_all(target)?;
                Ok(match (ours == found, begins) {
                    (true, true) => JournalStepState::Begun,
                    (true, false) => JournalStepState::Torn,
                    (false, _) => JournalStepState::Replaced,
                })
            }
            (ChangeKind::Append, ..) => Ok(JournalStepState::Overtaken),
        }
    }
}

/// Whether a file is the one that a change was made for. The hashed ends cover all of a small file, so its time does not
/// matter then (a copied folder).
fn is_same(now: Option<Fingerprint>, old: Option<Fingerprint>) -> bool {
    match (now, old) {
        (Some(now), Some(old)) if now.size <= 2 * fingerprint::ENDS => now.same_content(&old),
        (now, old) => now == old,
    }
}

/// How far one part of a change has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JournalStepState {
    /// Not begun: the old file is in place.
    Waits,
    /// Begun: some of the bytes were added.
    Begun,
    /// In place.
    Done,
    /// Not begun, and the file is not the one that the change was made for.
    Overtaken,
    /// It was in place, or begun, and another program has changed the file since.
    Replaced,
    /// Some bytes were added and are still at the end, but another program has changed what is before them.
    Torn,
}

/// A part of a change that the system refused to put in place.
struct JournalFailure {
    path: PathBuf,
    error: io::Error,
    /// Whether a file has been replaced already, which cannot be undone.
    is_replaced: bool,
}

/// Puts the decided files in place, and removes the journal.
fn finish(
    disk: &Disk,
    journal: &Path,
    plan: &[(PathBuf, ChangeKind, JournalEntry)],
) -> Result<(), JournalFailure> {
    let mut is_replaced = false;
    for (path, kind, entry) in plan {
        let new = beside(path, NEW);
        let done = match kind {
            ChangeKind::Replace => disk.rename(&new, path).and_then(|()| {
                is_replaced |= entry.old.is_some();
                disk.sync_folder_of(path)
            }),
            ChangeKind::Append => add(disk, path, &new, entry),
        };
        done.map_err(|error| JournalFailure {
            path: path.clone(),
            error,
            is_replaced,
        })?;
    }
    let last = |error| JournalFailure {
        path: journal.to_path_buf(),
        error,
        is_replaced: true,
    };
    disk.remove(journal).map_err(last)?;
    for (path, kind, _) in plan {
        if *kind == ChangeKind::Append {
            // The bytes were added; their copy is only litter.
            let _ = disk.remove(&beside(path, NEW));
        }
    }
    let _ = disk.sync_folder_of(journal);
    Ok(())
}

/// Adds the bytes that are still missing at the end of a file.
fn add(disk: &Disk, path: &Path, new: &Path, entry: &JournalEntry) -> io::Result<()> {
    let mut from = regular_file::open(new)?;
    let mut file = disk.open_at_end(path)?;
    let size = file.inner().metadata()?.len();
    let begun = size.saturating_sub(entry.old.map_or(0, |old| old.size));
    from.seek(SeekFrom::Start(begun))?;
    let wanted = entry.size.saturating_sub(begun);
    if file.copy_from(&from, wanted)? != wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.sync()
}

/// Whether there is a pending change that opening has to wait for, or to complete.
pub fn is_pending(first: &Path) -> bool {
    // The journal is beside the file itself, which is in another folder only if the name is a link. Resolving every name would
    // take a call for each folder above it, several times for each database that is opened.
    let is_link = held_folder::symlink_metadata(first).is_ok_and(|found| found.is_symlink());
    let journal = match is_link {
        true => beside(&real(first), JOURNAL),
        false => beside(first, JOURNAL),
    };
    held_folder::symlink_metadata(&journal).is_ok()
}

/// Whether an open file is the one that has a name now; true if files cannot be distinguished.
pub fn has_name(path: &Path, file: &File) -> bool {
    match (held_folder::metadata(path), file.metadata()) {
        (Ok(named), Ok(own)) => ChangeStamp::of(&named).file == ChangeStamp::of(&own).file,
        _ => false,
    }
}

/// Completes a change that was interrupted after its decision. Every caller that opens a database of several files
/// calls this first, with all files that it has or may have; the first is the one by which it is opened.
pub fn recover(files: &[&Path]) -> Result<RecoveryOutcome, ChangeError> {
    let Some(first) = files.first().filter(|first| is_pending(first)) else {
        return Ok(RecoveryOutcome::Nothing);
    };
    let first = real(first);
    let journal = beside(&first, JOURNAL);
    let start = Instant::now();
    let lock = loop {
        // If writers follow one another, the lock may never be free for long enough; but each of their changes ends.
        if held_folder::symlink_metadata(&journal).is_err() {
            return Ok(RecoveryOutcome::Nothing);
        }
        match DatabaseLock::take(&first, READERS_LOOK) {
            Err(lock::LockError::Taken { .. }) if start.elapsed() < READERS_PATIENCE => {}
            lock => break lock,
        }
    };
    let disk = Disk::current();
    match lock {
        Ok(_lock) => finish_interrupted(&disk, &journal, files),
        // If nothing can be written, the old state is as good as the new one, if it is whole.
        Err(error @ lock::LockError::Io { .. }) => match read_plan(&journal, files)? {
            Some(plan) if !plan.is_readable() => Err(ChangeError::Interrupted {
                path: journal,
                why: error.to_string(),
            }),
            Some(_) => Ok(RecoveryOutcome::Overtaken),
            None => Ok(RecoveryOutcome::Nothing),
        },
        Err(error) => Err(error.into()),
    }
}

fn is_in_place(state: JournalStepState) -> bool {
    matches!(
        state,
        JournalStepState::Begun
            | JournalStepState::Done
            | JournalStepState::Replaced
            | JournalStepState::Torn
    )
}

/// The content of a journal, and how far its change has got.
struct RecoveryPlan {
    steps: Vec<(PathBuf, ChangeKind, JournalEntry, JournalStepState)>,
    has_sound_steps: bool,
    /// The file that the database is opened by: if only some of its bytes were added, a record may be truncated.
    first: PathBuf,
}

impl RecoveryPlan {
    fn any(&self, is: impl Fn(JournalStepState) -> bool) -> bool {
        self.steps.iter().any(|(.., state)| is(*state))
    }

    /// Whether the files are a sound database as they are: none of the change is in place, or all of it, or enough for a
    /// sound state in between.
    fn is_readable(&self) -> bool {
        let is_under_way =
            |state| !matches!(state, JournalStepState::Done | JournalStepState::Replaced);
        let is_cut = |(path, .., state): &(PathBuf, ChangeKind, JournalEntry, JournalStepState)| {
            *path == self.first && matches!(state, JournalStepState::Begun | JournalStepState::Torn)
        };
        let has_sound_steps = self.has_sound_steps && !self.steps.iter().any(is_cut);
        has_sound_steps || !self.any(is_in_place) || !self.any(is_under_way)
    }
}

impl RecoveryPlan {
    /// Whether every part of a change that precedes the file by which the database is opened is in place.
    fn leads_up(&self) -> bool {
        let mut before = self
            .steps
            .iter()
            .take_while(|(path, ..)| *path != self.first);
        before.all(|(.., state)| *state == JournalStepState::Done)
    }

    /// Whether the file by which the database is opened will no longer become what this change would make of it.
    fn is_given_up(&self) -> bool {
        let waits = |state| match state {
            JournalStepState::Waits | JournalStepState::Overtaken => true,
            JournalStepState::Begun | JournalStepState::Torn => !self.leads_up(),
            JournalStepState::Done | JournalStepState::Replaced => false,
        };
        let mut steps = self.steps.iter();
        steps.any(|(path, .., state)| *path == self.first && waits(*state))
    }

    /// Whether this step added bytes to the end of a file, with nothing after them, although nothing will ever refer to
    /// them: the change is given up.
    fn is_left_over(&self, step: &(PathBuf, ChangeKind, JournalEntry, JournalStepState)) -> bool {
        let (path, kind, entry, state) = step;
        let end = entry.old.map(|old| old.size.saturating_add(entry.size));
        *kind == ChangeKind::Append
            && *state == JournalStepState::Done
            && self.is_given_up()
            && held_folder::metadata(path).is_ok_and(|found| Some(found.len()) == end)
    }

    /// Whether no file ends with only a part of the bytes to be added, or with bytes that nothing refers to.
    fn has_whole_steps(&self) -> bool {
        let is_part = |step: &(PathBuf, ChangeKind, JournalEntry, JournalStepState)| {
            matches!(step.3, JournalStepState::Begun | JournalStepState::Torn)
                || self.is_left_over(step)
        };
        !self.steps.iter().any(is_part)
    }
}

/// Leaves no incomplete part of the added bytes at the end of a file, if another program has continued with the database. A
/// part is completed if everything before it is in place, so that nothing is lost; other parts are removed, so that no
/// search for lost games finds in them what never was in the database.
fn even_out(disk: &Disk, plan: &RecoveryPlan) -> io::Result<()> {
    for step in &plan.steps {
        let (path, kind, entry, state) = step;
        let is_part = *kind == ChangeKind::Append
            && matches!(state, JournalStepState::Begun | JournalStepState::Torn);
        if is_part && *path == plan.first && plan.leads_up() {
            add(disk, path, &beside(path, NEW), entry)?;
        } else if is_part || plan.is_left_over(step) {
            let mut file = disk.open_at_end(path)?;
            file.cut(entry.old.map_or(0, |old| old.size))?;
            file.sync()?;
        }
    }
    Ok(())
}

/// The content of a journal, and how far its change has got; `None` if there is no journal.
fn read_plan(journal: &Path, files: &[&Path]) -> Result<Option<RecoveryPlan>, ChangeError> {
    let failed = |error: io::Error| ChangeError::Interrupted {
        path: journal.to_path_buf(),
        why: error.to_string(),
    };
    let mut text = Vec::new();
    match regular_file::open(journal) {
        // One line for each file: a longer journal is not ours.
        Ok(file) => file.take(1 << 20).read_to_end(&mut text).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let unreadable = || ChangeError::Journal(journal.to_path_buf());
    let text = String::from_utf8(text).map_err(|_| unreadable())?;
    let (entries, has_sound_steps) = JournalEntry::parse_all(&text).ok_or_else(unreadable)?;
    let mut steps = Vec::new();
    let history = history_of(files.first().copied().unwrap_or(journal));
    for entry in entries {
        let path = match files.iter().find(|file| spelled(file) == entry.name) {
            Some(file) => real(file),
            None if spelled(&history) == entry.name => history.clone(),
            None => return Err(unreadable()),
        };
        let state = entry.state(&path).map_err(failed)?;
        steps.push((path, entry.kind, entry, state));
    }
    Ok(Some(RecoveryPlan {
        steps,
        has_sound_steps,
        first: files.first().map_or_else(PathBuf::new, |file| real(file)),
    }))
}

/// Completes the change of a journal, or gives it up. The caller holds the lock.
fn finish_interrupted(
    disk: &Disk,
    journal: &Path,
    files: &[&Path],
) -> Result<RecoveryOutcome, ChangeError> {
    let Some(plan) = read_plan(journal, files)? else {
        return Ok(RecoveryOutcome::Nothing);
    };
    let failed = |path: &Path, error: io::Error| ChangeError::Interrupted {
        path: path.to_path_buf(),
        why: error.to_string(),
    };
    let is_foreign = |state| {
        matches!(
            state,
            JournalStepState::Overtaken | JournalStepState::Replaced | JournalStepState::Torn
        )
    };
    if plan.any(is_foreign) {
        let mut plan = plan;
        if plan.has_sound_steps && !plan.has_whole_steps() {
            even_out(disk, &plan).map_err(|error| failed(journal, error))?;
            plan = match read_plan(journal, files)? {
                Some(plan) => plan,
                None => return Ok(RecoveryOutcome::Nothing),
            };
        }
        if !plan.is_readable() {
            return Err(ChangeError::Interrupted {
                path: journal.to_path_buf(),
                why: "another program has changed the database since".to_owned(),
            });
        }
        // Another program has continued from a sound state, whether or not that includes all of the change.
        disk.remove(journal)
            .map_err(|error| failed(journal, error))?;
        for (path, ..) in &plan.steps {
            let _ = disk.remove(&beside(path, NEW));
        }
        return Ok(RecoveryOutcome::Overtaken);
    }
    let rest: Vec<_> = plan
        .steps
        .iter()
        .filter(|(.., state)| *state != JournalStepState::Done)
        .map(|(path, kind, entry, _)| (path.clone(), *kind, entry.clone()))
        .collect();
    finish(disk, journal, &rest).map_err(|stuck| failed(&stuck.path, stuck.error))?;
    for (path, ..) in &plan.steps {
        let _ = disk.remove(&beside(path, NEW));
    }
    Ok(RecoveryOutcome::Finished)
}

#[cfg(test)]
mod tests;
