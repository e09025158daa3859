//! Disks that fail, for tests: killed at any step, full at any step, without power at any step.
//!
//! A test runs a change once under [`Counting`], which says how many steps there are, and then once for each step and
//! each way to fail.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::disk::{Answer, Guard, Step, guarded};

/// Counts steps.
#[derive(Debug, Default)]
pub struct Counting(AtomicU64);

impl Guard for Counting {
    fn allow(&self, _step: &Step<'_>) -> Answer {
        self.0.fetch_add(1, Ordering::Relaxed);
        Answer::Go
    }
}

/// How many steps some work takes.
pub fn count(work: impl FnOnce()) -> u64 {
    let guard = Arc::new(Counting::default());
    guarded(guard.clone(), work);
    guard.0.load(Ordering::Relaxed)
}

/// Lets some steps happen and none after them, and of a write in between one half: as if the process had been killed.
#[derive(Debug)]
pub struct Dying {
    last: u64,
    seen: AtomicU64,
}

impl Dying {
    /// Dies after a number of steps.
    pub fn after(steps: u64) -> Arc<Self> {
        Arc::new(Self {
            last: steps,
            seen: AtomicU64::new(0),
        })
    }
}

impl Guard for Dying {
    fn allow(&self, step: &Step<'_>) -> Answer {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        let dead = io::Error::other("the process was killed");
        match step {
            _ if seen < self.last => Answer::Go,
            Step::Write { bytes, .. } if seen == self.last => Answer::Short(bytes.len() / 2, dead),
            _ => Answer::Fail(dead),
        }
    }
}

/// Lets one step fail as on a full disk, and all others happen: what was written can be taken back.
#[derive(Debug)]
pub struct Full {
    at: u64,
    part: usize,
    seen: AtomicU64,
}

impl Full {
    /// Fails at a step, counted from 0, after so many bytes where it is a write.
    pub fn at(step: u64, part: usize) -> Arc<Self> {
        Arc::new(Self {
            at: step,
            part,
            seen: AtomicU64::new(0),
        })
    }
}

impl Guard for Full {
    fn allow(&self, step: &Step<'_>) -> Answer {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        match step {
            _ if seen != self.at => Answer::Go,
            // Nothing is needed for these, so that they do not fail for want of room.
            Step::Remove(_) | Step::Resize { .. } | Step::SyncFolder(_) => Answer::Go,
            Step::Write { bytes, .. } => Answer::Short(self.part.min(bytes.len()), full()),
            _ => Answer::Fail(full()),
        }
    }
}

/// Keeps a log of what is done, from which the disk after a power failure is worked out.
#[derive(Debug, Default)]
pub struct Recording(Mutex<Vec<Done>>);

/// A step that was done.
#[derive(Clone, Debug)]
enum Done {
    Create(PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    Resize(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncFolder,
}

impl Guard for Recording {
    fn allow(&self, step: &Step<'_>) -> Answer {
        let own = |path: &Path| path.to_path_buf();
        let done = match *step {
            Step::Create(path) => Done::Create(own(path)),
            Step::Write {
                path,
                offset,
                bytes,
            } => Done::Write(own(path), offset, bytes.to_vec()),
            Step::Resize { path, length } => Done::Resize(own(path), length),
            Step::Attributes(_) => return Answer::Go,
            Step::Sync(path) => Done::Sync(own(path)),
            Step::Rename { from, to } => Done::Rename(own(from), own(to)),
            Step::Link { from, to } => Done::Link(own(from), own(to)),
            Step::Remove(path) => Done::Remove(own(path)),
            Step::SyncFolder(_) => Done::SyncFolder,
        };
        self.log().push(done);
        Answer::Go
    }
}

/// A file as it is on the disk, and what was done to it since.
#[derive(Clone, Debug, Default)]
struct Inode {
    durable: Vec<u8>,
    since: Vec<Write>,
}

#[derive(Clone, Debug)]
enum Write {
    Bytes(u64, Vec<u8>),
    Resize(u64),
}

impl Write {
    fn apply(&self, content: &mut Vec<u8>) {
        let size = |size: u64| usize::try_from(size).unwrap_or(0);
        match self {
            Self::Resize(length) => content.resize(size(*length), 0),
            Self::Bytes(offset, bytes) => {
                let start = size(*offset);
                if content.len() < start + bytes.len() {
                    content.resize(start + bytes.len(), 0);
                }
                if let Some(place) = content.get_mut(start..start + bytes.len()) {
                    place.copy_from_slice(bytes);
                }
            }
        }
    }
}

impl Recording {
    fn log(&self) -> MutexGuard<'_, Vec<Done>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many steps there were.
    pub fn len(&self) -> usize {
        self.log().len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The files of a folder after the power failed behind a number of steps. What was forced to the disk is there; of
    /// everything since, `keep` says of each write whether it came to the disk, and of names how many of their
    /// changes, which come in their order, did.
    pub fn without_power(
        &self,
        before: &BTreeMap<PathBuf, Vec<u8>>,
        steps: usize,
        mut keep: impl FnMut() -> bool,
    ) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut inodes: Vec<Inode> = Vec::new();
        let mut now: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for (path, content) in before {
            now.insert(path.clone(), inodes.len());
            inodes.push(Inode {
                durable: content.clone(),
                since: Vec::new(),
            });
        }
        let mut durable = now.clone();
        // The states of the names since they were forced to the disk.
        let mut since: Vec<BTreeMap<PathBuf, usize>> = Vec::new();
        for done in self.log().iter().take(steps) {
            let names = match done {
                Done::Create(path) => {
                    now.insert(path.clone(), inodes.len());
                    inodes.push(Inode::default());
                    true
                }
                Done::Rename(from, to) => {
                    if let Some(inode) = now.remove(from) {
                        now.insert(to.clone(), inode);
                    }
                    true
                }
                Done::Link(from, to) => {
                    if let Some(inode) = now.get(from).copied() {
                        now.insert(to.clone(), inode);
                    }
                    true
                }
                Done::Remove(path) => {
                    now.remove(path);
                    true
                }
                Done::SyncFolder => {
                    durable.clone_from(&now);
                    since.clear();
                    false
                }
                Done::Write(path, offset, bytes) => {
                    let inode = now.get(path).and_then(|inode| inodes.get_mut(*inode));
                    if let Some(inode) = inode {
                        inode.since.push(Write::Bytes(*offset, bytes.clone()));
                    }
                    false
                }
                Done::Resize(path, length) => {
                    let inode = now.get(path).and_then(|inode| inodes.get_mut(*inode));
                    if let Some(inode) = inode {
                        inode.since.push(Write::Resize(*length));
                    }
                    false
                }
                Done::Sync(path) => {
                    let inode = now.get(path).and_then(|inode| inodes.get_mut(*inode));
                    if let Some(inode) = inode {
                        for write in std::mem::take(&mut inode.since) {
                            write.apply(&mut inode.durable);
                        }
                    }
                    false
                }
            };
            if names {
                since.push(now.clone());
            }
        }
        let mut names = durable;
        for state in since {
            if !keep() {
                break;
            }
            names = state;
        }
        let mut files = BTreeMap::new();
        for (path, inode) in names {
            let Some(inode) = inodes.get(inode) else {
                continue;
            };
            let mut content = inode.durable.clone();
            for write in &inode.since {
                if keep() {
                    write.apply(&mut content);
                }
            }
            files.insert(path, content);
        }
        files
    }
}
