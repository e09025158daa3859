//! The memory limit of the program as a whole.
//!
//! DataFusion counts the data of its sorts, joins and groups, and spills it to disk. The results of functions and the
//! batches between two steps are not counted. So every allocation is counted, and a program that is far beyond its limit
//! ends with a sentence before the machine runs out of memory.

use std::alloc::System;
use std::time::Duration;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What readers, names and batches may take beside what queries may have.
const BESIDE: usize = 512 << 20;
/// What is said then.
pub(crate) const WORDS: &str = "the query needs more memory than allowed (--memory): the results of its functions, or the \
    rows between its steps, are too large";
/// How often it is looked. What is allocated in between is little: it has to be filled.
const PAUSE: Duration = Duration::from_millis(3);

/// The most that the program takes where queries may have so much.
pub(crate) fn most(memory: usize) -> usize {
    memory.saturating_mul(2).saturating_add(BESIDE)
}

/// Calls `end` when the program has taken more than it may where queries may have so much memory.
pub(crate) fn watch(memory: usize, end: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let most = most(memory);
    let thread = std::thread::Builder::new().name("memory".into());
    thread.spawn(move || {
        while ALLOCATOR.allocated() <= most {
            std::thread::sleep(PAUSE);
        }
        end();
    })?;
    Ok(())
}
