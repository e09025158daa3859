//! A change of a lake in progress, and the work on it before it is put in place.

use std::path::PathBuf;
use std::sync::Arc;

use tabiya_codec::format::TargetCompletion;
use tabiya_io::lock::DatabaseLock;
use tabiya_model::error_codes;
use tabiya_model::{Error, JobCompletion, Result};

use super::manifest::LakeManifest;

/// A change in progress. If it is dropped before [`LakeChange::commit`], it removes its files.
#[derive(Debug)]
pub struct LakeChange {
    pub(super) folder: PathBuf,
    /// The new content of the lake.
    pub manifest: LakeManifest,
    pub(super) written: Vec<PathBuf>,
    /// Folders that were created for them.
    pub(super) made: Vec<PathBuf>,
    pub(super) files: u64,
    pub(super) _lock: Option<DatabaseLock>,
}

/// Completes a change before it is put in place.
type LakeCompletionFn = dyn Fn(&mut LakeChange) -> Result<JobCompletion> + Send + Sync;

/// The work of a change on its games before it is put in place: making the tables about them.
#[derive(Clone)]
pub struct LakeCompletion(Arc<LakeCompletionFn>);

impl LakeCompletion {
    /// Does it by a function; if that was stopped, nothing is put in place.
    pub fn new(
        complete: impl Fn(&mut LakeChange) -> Result<JobCompletion> + Send + Sync + 'static,
    ) -> LakeCompletion {
        LakeCompletion(Arc::new(complete))
    }

    /// The same in the form for writers.
    pub fn for_target(self) -> TargetCompletion {
        TargetCompletion::new(self)
    }

    pub(super) fn complete(&self, change: &mut LakeChange) -> Result<()> {
        match (self.0)(change)? {
            JobCompletion::Whole => Ok(()),
            _ => Err(stopped()),
        }
    }
}

impl std::fmt::Debug for LakeCompletion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Completion")
    }
}

/// The error when the program is being stopped.
pub(super) fn stopped() -> Error {
    Error::new(&error_codes::INTERRUPTED, "the program is being stopped")
}
