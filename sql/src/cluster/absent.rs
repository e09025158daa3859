//! The message about clusters if the program was built without them.

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use datafusion::execution::SessionState;
use datafusion::physical_plan::ExecutionPlan;

use crate::cluster_member::SchedulerAddress;
use crate::roots::{AllowedRoots, refuse};

const WORDS: &str = "this program was built without clusters: `cargo install --locked --path sql --features cluster` in \
    the project's folder builds it with them";

/// Arguments of `tabiya cluster`.
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    /// Any arguments
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Says that it is not done.
pub(crate) fn run(args: ClusterArgs) -> Result<()> {
    // Whatever was asked, the answer is the same.
    drop(args.arguments);
    bail!(WORDS)
}

/// Says that it is not done.
pub(crate) fn client(
    _: SessionState,
    _: &AllowedRoots,
    _: &SchedulerAddress,
) -> datafusion::common::Result<SessionState> {
    Err(refuse(WORDS))
}

/// A query that no cluster answers.
pub(crate) struct ClusterJob;

impl ClusterJob {
    /// Notes nothing.
    pub(crate) fn new(_: &Arc<dyn ExecutionPlan>, _: Option<&SchedulerAddress>) -> ClusterJob {
        ClusterJob
    }

    /// Notes nothing.
    pub(crate) fn finish(self) {}
}
