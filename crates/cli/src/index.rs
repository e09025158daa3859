//! `tabiya index`: the index beside a database.

use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use clap::Args;
use tabiya::sidecar::{self, Making, Sidecar};
use tabiya_explore::index::Built;

use super::args::{JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{count, grouped, say};
use super::progress::Progress;

#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// The databases; each gets a file NAME.tabiya-index beside it
    #[arg(required = true)]
    bases: Vec<PathBuf>,
    /// Check existing indexes whole, and change nothing
    #[arg(long)]
    verify: bool,
    /// Build anew where an index could be extended or is fresh
    #[arg(long, conflicts_with = "verify")]
    rebuild: bool,
    /// Remove the indexes
    #[arg(long, conflicts_with_all = ["verify", "rebuild"])]
    remove: bool,
    /// Mebibytes of positions to keep in memory; the rest goes to a temporary file
    #[arg(long, value_name = "N", default_value_t = 96)]
    memory: u64,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

pub(crate) fn run(args: &IndexArgs) -> Result<Exit> {
    let mut exit = Exit::Success;
    for base in &args.bases {
        let inputs = args.read.inputs();
        for input in inputs.open(base)? {
            let Some(database) = input.database() else {
                bail!(
                    "{}: a stream cannot be indexed; save it to a file first",
                    input.name
                );
            };
            let Some(path) = sidecar::path_of(database) else {
                bail!(
                    "{}: only a database in files of its own can be indexed",
                    input.name
                );
            };
            if args.remove {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(error).with_context(|| path.display().to_string());
                    }
                    _ => continue,
                }
            }
            let progress = Mutex::new(Progress::start(None));
            let making = Making {
                reading: &inputs.options,
                jobs: args.jobs.jobs(),
                memory: args.memory.saturating_mul(1 << 20),
                extend: !args.rebuild,
                progress: &|games| {
                    if let Ok(mut progress) = progress.lock() {
                        progress.add(games, 0);
                    }
                },
            };
            if args.verify {
                let sound = match sidecar::open(database, &inputs.options)? {
                    Sidecar::None => bail!("{}: there is no index", path.display()),
                    Sidecar::Fresh(index) => sidecar::verify(database, &index, &making)?,
                    other => {
                        if let Err(note) = other.usable(&path) {
                            say(&note);
                        }
                        exit = Exit::NoMatch;
                        continue;
                    }
                };
                if sound {
                    say(&format!("{}: sound", path.display()));
                } else {
                    say(&format!(
                        "{}: it does not say what the database holds; `tabiya index --rebuild` renews it",
                        path.display()
                    ));
                    exit = Exit::NoMatch;
                }
                continue;
            }
            if !args.rebuild
                && matches!(sidecar::open(database, &inputs.options)?, Sidecar::Fresh(_))
            {
                say(&format!("{}: up to date", path.display()));
                continue;
            }
            let (built, extended) =
                sidecar::make(database, &making).with_context(|| input.name.clone())?;
            if let Ok(progress) = progress.into_inner() {
                progress.finish();
            }
            tell(&path, &built, extended);
            if built.damaged > 0 {
                exit = Exit::Incomplete;
            }
        }
    }
    Ok(exit)
}

fn tell(path: &std::path::Path, built: &Built, extended: bool) {
    #[allow(clippy::cast_precision_loss)]
    let each = built.bytes as f64 / built.positions.max(1) as f64;
    say(&format!(
        "{}: {} ({}), {}, {} bytes, {each:.2} a position",
        path.display(),
        count(built.games, "game", "games"),
        if extended {
            format!("{} added", grouped(built.new_games))
        } else {
            "all anew".to_owned()
        },
        count(built.positions, "position", "positions"),
        grouped(built.bytes),
    ));
    if built.damaged > 0 {
        say(&format!(
            "{} could not be decoded to the end; `tabiya check` says why",
            count(built.damaged, "game", "games")
        ));
    }
}
