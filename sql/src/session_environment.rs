//! The resources of a session: memory, disk, files and functions.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{FunctionRegistry, SessionState};

use crate::functions::FunctionSet;
use crate::roots::AllowedRoots;
use crate::store::ObjectStores;

/// How much of its memory limit a session writes to disk at most, in times of it.
const DISK: u64 = 64;

/// What a session is given.
#[derive(Clone, Debug)]
pub(crate) struct SessionLimits {
    /// Bytes of memory for what grows with a query.
    pub(crate) memory: usize,
    /// Threads.
    pub(crate) threads: usize,
    /// Where it spills to.
    pub(crate) spill: PathBuf,
}

/// Lets a state know functions.
pub(crate) fn teach(state: &mut SessionState, known: FunctionSet) -> Result<()> {
    for function in known.scalar {
        state.register_udf(function)?;
    }
    for function in known.aggregate {
        state.register_udaf(function)?;
    }
    for function in known.window {
        state.register_udwf(function)?;
    }
    Ok(())
}

/// Memory, disk and files of what computes.
pub(crate) fn environment(roots: AllowedRoots, limits: &SessionLimits) -> Result<Arc<RuntimeEnv>> {
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(limits.memory)))
        .with_disk_manager_builder(
            DiskManagerBuilder::default()
                .with_mode(DiskManagerMode::Directories(vec![limits.spill.clone()]))
                .with_max_temp_directory_size((limits.memory as u64).saturating_mul(DISK)),
        )
        .with_object_store_registry(Arc::new(ObjectStores::new(roots)))
        .build_arc()
}
