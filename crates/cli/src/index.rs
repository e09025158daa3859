//! `tabiya index`: the index beside a database.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use tabiya::index::{self, IndexOutcome, IndexVerdict};
use tabiya::{Base, BaseFailure};
use tabiya_explore::index::IndexBuildReport;
use tabiya_model::error_codes;
use tabiya_model::{Control, Error};

use super::args::{JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{count, grouped, say};
use super::progress::ProgressLine;
use super::report;

#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Databases; each gets a file NAME.tabiya-index beside it
    #[arg(required = true)]
    bases: Vec<PathBuf>,
    /// Check existing indexes against their databases, and change nothing
    #[arg(long)]
    verify: bool,
    /// Rebuild even if an index is up to date or could be extended
    #[arg(long, conflicts_with = "verify")]
    rebuild: bool,
    /// Remove the indexes
    #[arg(long, conflicts_with_all = ["verify", "rebuild"])]
    remove: bool,
    /// Memory for positions in MiB; the rest goes to a temporary file
    #[arg(long, value_name = "N", default_value_t = 96)]
    memory: u64,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// The result for one index.
#[derive(Default)]
struct IndexCommandResult {
    damaged: bool,
    unsound: bool,
    stopped: bool,
}

pub(crate) fn run(args: &IndexArgs) -> Result<Exit> {
    let mut opened = args.read.opener().open_all(&args.bases);
    let control = args.jobs.control();
    let control = control.with_memory(args.memory.saturating_mul(1 << 20));
    let mut all = IndexCommandResult::default();
    for (at, base) in opened.bases.iter().enumerate() {
        if at > 0 && control.is_stopped() {
            return Ok(Exit::Interrupted);
        }
        match one(args, base, &control) {
            Ok(done) => {
                all.damaged |= done.damaged;
                all.unsound |= done.unsound;
                if done.stopped {
                    return Ok(Exit::Interrupted);
                }
            }
            Err(error) => {
                let name = base.name().to_owned();
                opened.failed.push(BaseFailure { name, error });
            }
        }
    }
    if let ([failure], []) = (&opened.failed[..], &opened.bases[..]) {
        bail!("{}", super::exit::of_error(&failure.error));
    }
    Ok(report::end(&opened, all.damaged, !all.unsound))
}

fn one(args: &IndexArgs, base: &Base, control: &Control) -> Result<IndexCommandResult, Error> {
    let path = index::path(base)?;
    let mut done = IndexCommandResult::default();
    if args.remove {
        index::remove(base)?;
        return Ok(done);
    }
    let progress = ProgressLine::of(control);
    if args.verify {
        let verdict = index::verify(base, control)?;
        drop(progress);
        match verdict {
            None => {
                return Err(Error::new(&error_codes::NO_INDEX, "no index found")
                    .in_file(path.display().to_string()));
            }
            Some(IndexVerdict::Sound) => say(&format!("{}: sound", path.display())),
            Some(IndexVerdict::Wrong) => {
                done.unsound = true;
                say(&format!(
                    "{}: does not match the database; `tabiya index --rebuild` rebuilds it",
                    path.display()
                ));
            }
            Some(IndexVerdict::Stopped) => done.stopped = true,
            Some(IndexVerdict::Useless(why)) => {
                done.unsound = true;
                say(&why);
            }
        }
        return Ok(done);
    }
    let made = index::make(base, args.rebuild, control)?;
    drop(progress);
    match made {
        IndexOutcome::Stopped => done.stopped = true,
        IndexOutcome::Fresh => say(&format!("{}: up to date", path.display())),
        IndexOutcome::Anew(built) => {
            tell(&path, &built, false);
            done.damaged = built.damaged > 0;
        }
        IndexOutcome::Extended(built) => {
            tell(&path, &built, true);
            done.damaged = built.damaged > 0;
        }
    }
    Ok(done)
}

fn tell(path: &Path, built: &IndexBuildReport, extended: bool) {
    #[allow(clippy::cast_precision_loss)]
    let each = built.bytes as f64 / built.positions.max(1) as f64;
    say(&format!(
        "{}: {} ({}), {}, {} bytes, {each:.2} per position",
        path.display(),
        count(built.games, "game", "games"),
        if extended {
            format!("{} added", grouped(built.new_games))
        } else {
            "all new".to_owned()
        },
        count(built.positions, "position", "positions"),
        grouped(built.bytes),
    ));
    if built.damaged > 0 {
        say(&format!(
            "{} could not be decoded to the end; `tabiya check` shows why",
            count(built.damaged, "game", "games")
        ));
    }
}
