//! What is offered: the databases, the permissions, and what all calls share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tabiya::repertoire::RepertoireCache;

use crate::bases::McpBases;
use crate::cut::CutLists;
use crate::evaluations::KnownEvaluations;
use crate::jobs::McpJobs;

/// How the tools are offered.
#[derive(Clone, Debug, Default)]
pub struct McpConfig {
    /// Whether databases may be changed and files may be written.
    pub edits: bool,
    /// The program that answers SQL, if it is installed.
    pub sql: Option<PathBuf>,
}

/// What all calls share.
pub(crate) struct McpServerInner {
    pub(crate) bases: Arc<dyn McpBases>,
    pub(crate) config: McpConfig,
    pub(crate) jobs: McpJobs,
    pub(crate) cuts: CutLists,
    pub(crate) evaluations: KnownEvaluations,
    pub(crate) repertoires: RepertoireCache,
    /// Messages that have come.
    pub(crate) messages: AtomicU64,
}
