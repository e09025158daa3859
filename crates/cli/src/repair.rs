//! `tabiya repair`: a sound copy of a damaged database.

use anyhow::Result;

use super::args::RepairArgs;
use super::convert::Conversion;
use super::exit::Exit;

pub(crate) fn run(args: &RepairArgs) -> Result<Exit> {
    let mut inputs = args.read.inputs();
    inputs.salvage = true;
    Conversion {
        sources: std::slice::from_ref(&args.source),
        target: &args.target,
        format: args.write.format_of(&args.target)?,
        write: &args.write,
        jobs: args.jobs.jobs(),
        strict: false,
        verify: false,
        skip_deleted: false,
        report: args.report.as_deref(),
    }
    .run(&inputs)
}
