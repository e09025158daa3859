//! Stopping a program while it writes: a change is made completely, or nothing of it remains.
//!
//! Code that changes names in folders (creating, renaming, removing files) goes through [`enter`]: while a section is active,
//! the program is not stopped, and once it is stopped, no new section begins. Unfinished files are registered by [`add`]; they
//! are removed when the program is stopped. A change that is put in place calls [`decide`]: from then on, the program must not
//! be ended by force, because it has something to report.
//!
//! A Ctrl-C handler calls [`stop`] from its own thread (it waits and takes a lock, which code inside a signal must not do) and
//! ends the program if the result allows it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::held_folder;

/// How often a folder is checked again that still exists: another thread may be writing into it.
const TURNS: usize = 20;

/// Which sections may begin.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum StopPhase {
    /// All.
    Open,
    /// They wait until the active sections have ended.
    Closing,
    /// None any more.
    Closed,
}

#[derive(Debug)]
struct StopState {
    /// The number of active sections.
    inside: usize,
    door: StopPhase,
    /// Whether something was put in place permanently.
    is_decided: bool,
    /// Files and folders that are removed when the program is stopped.
    litter: BTreeSet<PathBuf>,
    /// Held locks, with the identity of their files. They are released last, since the next holder may use the same names as
    /// our files.
    locks: BTreeSet<(PathBuf, (u64, u64))>,
}

static STATE: Mutex<StopState> = Mutex::new(StopState {
    inside: 0,
    door: StopPhase::Open,
    is_decided: false,
    litter: BTreeSet::new(),
    locks: BTreeSet::new(),
});
/// Signalled when a section ends or the phase changes.
static MOVED: Condvar = Condvar::new();

thread_local! {
    /// The number of sections that this thread is in: a nested section is never refused.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

fn state() -> MutexGuard<'static, StopState> {
    // Each change of the state is one statement, so the state is valid even after a panic.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A section that a stop waits for; it ends when this is dropped.
#[derive(Debug)]
pub struct CriticalSection {
    /// It stays on its thread.
    _thread: PhantomData<*const ()>,
}

/// Begins a section that a stop must not interrupt.
///
/// # Errors
/// If the program is being stopped.
pub fn enter() -> io::Result<CriticalSection> {
    let mut state = state();
    while DEPTH.get() == 0 && state.door != StopPhase::Open {
        if state.door == StopPhase::Closed {
            return Err(io::Error::new(
                io::ErrorKind::Interrupted,
                "the program is being stopped",
            ));
        }
        state = MOVED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    state.inside += 1;
    DEPTH.set(DEPTH.get() + 1);
    Ok(CriticalSection {
        _thread: PhantomData,
    })
}

impl Drop for CriticalSection {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
        let mut state = state();
        state.inside = state.inside.saturating_sub(1);
        drop(state);
        MOVED.notify_all();
    }
}

/// Registers a file or a folder that is removed when the program is stopped.
pub fn add(path: &Path) {
    state().litter.insert(path.to_path_buf());
}

/// Undoes [`add`].
pub fn forget(path: &Path) {
    state().litter.remove(path);
}

/// Registers that something was put in place. A file in a folder that is removed when the program is stopped is not in its
/// place yet.
pub fn decide(path: &Path) {
    let mut state = state();
    let is_litter = path
        .ancestors()
        .skip(1)
        .any(|folder| state.litter.contains(folder));
    state.is_decided |= !is_litter;
}

/// Whether something was put in place since the program began.
#[must_use]
pub fn is_decided() -> bool {
    state().is_decided
}

/// Registers a held lock.
pub(crate) fn add_lock(path: &Path, file: (u64, u64)) {
    state().locks.insert((path.to_path_buf(), file));
}

/// Undoes [`add_lock`].
pub(crate) fn forget_lock(path: &Path, file: (u64, u64)) {
    state().locks.remove(&(path.to_path_buf(), file));
}

/// Stops running jobs: waits for active sections, lets no new one begin, and removes everything that is not in its place.
///
/// If something was put in place already, and `by_force` is false, nothing is stopped and the result is false: the job ends by
/// itself, and reports its result.
pub fn stop(by_force: bool) -> bool {
    let mut state = state();
    if state.door == StopPhase::Open {
        state.door = StopPhase::Closing;
    }
    while state.inside > 0 {
        state = MOVED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    if state.is_decided && !by_force && state.door != StopPhase::Closed {
        state.door = StopPhase::Open;
        MOVED.notify_all();
        return false;
    }
    state.door = StopPhase::Closed;
    MOVED.notify_all();
    for path in std::mem::take(&mut state.litter) {
        remove(&path);
    }
    for (path, file) in std::mem::take(&mut state.locks) {
        let is_ours =
            held_folder::symlink_metadata(&path).is_ok_and(|found| number(&found) == file);
        if is_ours {
            let _ = held_folder::remove_file(&path);
        }
    }
    true
}

fn remove(path: &Path) {
    for _ in 0..TURNS {
        let Ok(found) = held_folder::symlink_metadata(path) else {
            return;
        };
        let removed = match found.is_dir() {
            true => held_folder::remove_dir_all(path),
            false => held_folder::remove_file(path),
        };
        if removed.is_ok() {
            return;
        }
    }
}

/// The identity of a file, if the system has one.
pub(crate) fn number(found: &std::fs::Metadata) -> (u64, u64) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (found.dev(), found.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        (0, 0)
    }
}
