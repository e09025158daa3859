//! What the program takes of the memory, all of it together.
//!
//! DataFusion counts what its sorts, joins and groups keep, and sends it to disk. Nobody counts what a function makes of its
//! arguments, or the batches on their way from one step to the next. So everything is counted where it is allocated, and a
//! program that has gone far beyond what it may have ends with a sentence before the machine has none left.

use std::alloc::System;
use std::time::Duration;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What readers, names and batches may take beside what queries may have.
const BESIDE: usize = 512 << 20;
/// What is said then.
pub(crate) const WORDS: &str = "the query takes more memory than it may have (--memory): what functions make of it, or the rows on their way, are too much";
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
