//! Threads with a stack that is deep enough for plans.

use anyhow::Result;
use tokio::runtime::Runtime;

/// Planning walks over trees as deep as a query is long.
pub(crate) const STACK: usize = 256 << 20;

/// Threads that plan and compute.
pub(crate) fn runtime(threads: usize) -> Result<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK)
        .enable_all()
        .build()?)
}
