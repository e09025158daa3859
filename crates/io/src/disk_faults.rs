//! Disks that fail, for tests: killed at any step, full at any step, without power at any step.
//!
//! A test runs a change once under [`StepCounter`], which says how many steps there are, and then once for each step and
//! each way to fail.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::disk::{DiskGuard, DiskStep, GuardAnswer, guarded};

/// Counts steps.
#[derive(Debug, Default)]
pub struct StepCounter(AtomicU64);

impl DiskGuard for StepCounter {
    fn allow(&self, _step: &DiskStep<'_>) -> GuardAnswer {
        self.0.fetch_add(1, Ordering::Relaxed);
        GuardAnswer::Go
    }
}

/// The number of steps of some work.
pub fn count(work: impl FnOnce()) -> u64 {
    let guard = Arc::new(StepCounter::default());
    guarded(guard.clone(), work);
    guard.0.load(Ordering::Relaxed)
}

/// Allows some steps and none after them, and half of a write in between: as if the process had been killed.
#[derive(Debug)]
pub struct KillFault {
    last: u64,
    seen: AtomicU64,
}

impl KillFault {
    /// Stops after a number of steps.
    pub fn after(steps: u64) -> Arc<Self> {
        Arc::new(Self {
            last: steps,
            seen: AtomicU64::new(0),
        })
    }
}

impl DiskGuard for KillFault {
    fn allow(&self, step: &DiskStep<'_>) -> GuardAnswer {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        let dead = io::Error::other("the process was killed");
        match step {
            _ if seen < self.last => GuardAnswer::Go,
            DiskStep::Write { bytes, .. } if seen == self.last => {
                GuardAnswer::Short(bytes.len() / 2, dead)
            }
            _ => GuardAnswer::Fail(dead),
        }
    }
}

/// Lets one step fail as on a full disk, and all others succeed: written files can be removed again.
#[derive(Debug)]
pub struct DiskFullFault {
    at: u64,
    part: usize,
    seen: AtomicU64,
}

impl DiskFullFault {
    /// Fails at a step, counted from 0, after `part` bytes if it is a write.
    pub fn at(step: u64, part: usize) -> Arc<Self> {
        Arc::new(Self {
            at: step,
            part,
            seen: AtomicU64::new(0),
        })
    }
}

impl DiskGuard for DiskFullFault {
    fn allow(&self, step: &DiskStep<'_>) -> GuardAnswer {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        match step {
            _ if seen != self.at => GuardAnswer::Go,
            // These need no room on the disk, so they do not fail.
            DiskStep::Remove(_) | DiskStep::Resize { .. } | DiskStep::SyncFolder(_) => {
                GuardAnswer::Go
            }
            DiskStep::Write { bytes, .. } => GuardAnswer::Short(self.part.min(bytes.len()), full()),
            _ => GuardAnswer::Fail(full()),
        }
    }
}

/// Keeps a log of the steps, from which the state of the disk after a power failure is computed.
#[derive(Debug, Default)]
pub struct StepLog(Mutex<Vec<LoggedStep>>);

/// A step that was done.
#[derive(Clone, Debug)]
enum LoggedStep {
    Create(PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    Resize(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncFolder,
}

impl DiskGuard for StepLog {
    fn allow(&self, step: &DiskStep<'_>) -> GuardAnswer {
        let own = |path: &Path| path.to_path_buf();
        let done = match *step {
            DiskStep::Create(path) => LoggedStep::Create(own(path)),
            DiskStep::Write {
                path,
                offset,
                bytes,
            } => LoggedStep::Write(own(path), offset, bytes.to_vec()),
            DiskStep::Resize { path, length } => LoggedStep::Resize(own(path), length),
            DiskStep::Attributes(_) => return GuardAnswer::Go,
            DiskStep::Sync(path) => LoggedStep::Sync(own(path)),
            DiskStep::Rename { from, to } => LoggedStep::Rename(own(from), own(to)),
            DiskStep::Link { from, to } => LoggedStep::Link(own(from), own(to)),
            DiskStep::Remove(path) => LoggedStep::Remove(own(path)),
            DiskStep::SyncFolder(_) => LoggedStep::SyncFolder,
        };
        self.log().push(done);
        GuardAnswer::Go
    }
}

/// A file as it is on the disk, and its changes since the last sync.
#[derive(Clone, Debug, Default)]
struct SimulatedFile {
    durable: Vec<u8>,
    since: Vec<SimulatedWrite>,
}

#[derive(Clone, Debug)]
enum SimulatedWrite {
    Bytes(u64, Vec<u8>),
    Resize(u64),
}

impl SimulatedWrite {
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

impl StepLog {
    fn log(&self) -> MutexGuard<'_, Vec<LoggedStep>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.log().len()
    }

    /// Whether there was no step.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The files of a folder after a power failure that follows a number of steps. Synced data is there; for everything
    /// since, `keep` decides for each write whether it reached the disk, and for names how many of their changes, in
    /// order, did.
    pub fn without_power(
        &self,
        before: &BTreeMap<PathBuf, Vec<u8>>,
        steps: usize,
        mut keep: impl FnMut() -> bool,
    ) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut inodes: Vec<SimulatedFile> = Vec::new();
        let mut now: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for (path, content) in before {
            now.insert(path.clone(), inodes.len());
            inodes.push(SimulatedFile {
                durable: content.clone(),
                since: Vec::new(),
            });
        }
        let mut durable = now.clone();
        // The states of the names since they were last synced to the disk.
        let mut since: Vec<BTreeMap<PathBuf, usize>> = Vec::new();
        for done in self.log().iter().take(steps) {
            let names = match done {
                LoggedStep::Create(path) => {
                    now.insert(path.clone(), inodes.len());
                    inodes.push(SimulatedFile::default());
                    true
                }
                LoggedStep::Rename(from, to) => {
                    if let Some(inode) = now.remove(from) {
                        now.insert(to.clone(), inode);
                    }
                    true
                }
                LoggedStep::Link(from, to) => {
                    if let Some(inode) = now.get(from).copied() {
                        now.insert(to.clone(), inode);
                    }
                    true
                }
                LoggedStep::Remove(path) => {
                    now.remove(path);
                    true
                }
                LoggedStep::SyncFolder => {
                    durable.clone_from(&now);
                    since.clear();
                    false
                }
                LoggedStep::Write(path, offset, bytes) => {
                    let inode = now.get(path).and_then(|inode| inodes.get_mut(*inode));
                    if let Some(inode) = inode {
                        inode
                            .since
                            .push(SimulatedWrite::Bytes(*offset, bytes.clone()));
                    }
                    false
                }
                LoggedStep::Resize(path, length) => {
                    let inode = now.get(path).and_then(|inode| inodes.get_mut(*inode));
                    if let Some(inode) = inode {
                        inode.since.push(SimulatedWrite::Resize(*length));
                    }
                    false
                }
                LoggedStep::Sync(path) => {
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
