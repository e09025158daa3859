//! `tabiya lake`: folders of Parquet files with tables about their games.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use tabiya::lake::{self, LakeTableOptions};
use tabiya::{OpenedBases, Target};
use tabiya_formats::lake::FORMAT;
use tabiya_model::Control;

use super::args::{JobsArgs, ReadArgs, WriteArgs};
use super::convert;
use super::exit::Exit;
use super::output::{count, grouped, say};
use super::progress::ProgressLine;

#[derive(Args, Debug)]
pub(crate) struct LakeArgs {
    #[command(subcommand)]
    job: LakeCommand,
}

#[derive(Subcommand, Debug)]
enum LakeCommand {
    /// Build a lake from databases: their games, and tables about them
    Build(LakeBuildArgs),
    /// Add games to a lake and its tables, or, without databases, complete the tables
    Add(LakeAddArgs),
    /// Merge small files; games that are spread over folders get new numbers
    Compact(LakeFolderArgs),
    /// Check that every file is present and intact, and that the tables cover all games
    Verify(LakeFolderArgs),
}

#[derive(Args, Debug)]
struct LakeBuildArgs {
    /// Databases, then the folder of the lake
    #[arg(required = true, num_args = 1.., value_names = ["BASE", "FOLDER"])]
    paths: Vec<PathBuf>,
    /// Folder of the lake [default: the last of the paths]
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Also write a table with all games of each position (about 900 bytes per game)
    #[arg(long)]
    positions: bool,
    /// Keep positions that occur in a single game in the explorer: about ten times the size of the games, but faster to add to
    #[arg(long)]
    single_games: bool,
    /// The default
    #[arg(long, hide = true, conflicts_with = "single_games")]
    no_single_games: bool,
    /// Write only the games, without tables
    #[arg(long, conflicts_with_all = ["positions", "single_games", "no_single_games"])]
    only_games: bool,
    /// Also write Iceberg metadata, in `metadata` (docs/lake.md)
    #[arg(long)]
    iceberg: bool,
    #[command(flatten)]
    memory: LakeMemoryArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Args, Debug)]
struct LakeAddArgs {
    /// Databases, then the folder of the lake
    #[arg(required = true, num_args = 1.., value_names = ["BASE", "FOLDER"])]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    memory: LakeMemoryArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Args, Debug)]
struct LakeFolderArgs {
    /// Folder of the lake
    folder: PathBuf,
    #[command(flatten)]
    memory: LakeMemoryArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Args, Debug)]
struct LakeMemoryArgs {
    /// Memory for positions in MiB; the rest goes to a temporary file
    #[arg(long, value_name = "N", default_value_t = 128)]
    memory: u64,
}

impl LakeMemoryArgs {
    fn control(&self, jobs: &JobsArgs) -> Control {
        jobs.control()
            .with_memory(self.memory.saturating_mul(1 << 20))
    }
}

pub(crate) fn run(args: &LakeArgs) -> Result<Exit> {
    match &args.job {
        LakeCommand::Build(args) => build(args),
        LakeCommand::Add(args) => add(args),
        LakeCommand::Compact(args) => {
            let control = args.memory.control(&args.jobs);
            let progress = ProgressLine::of(&control);
            let done = lake::compact(&args.folder, &control)?;
            drop(progress);
            if !done.ended.is_whole() {
                return Ok(Exit::Interrupted);
            }
            let (before, after) = done.files;
            let renumbered = match done.renumbered {
                0 => "no game was renumbered".to_owned(),
                games => format!("{} renumbered", count(games, "game was", "games were")),
            };
            say(&format!(
                "{}: {} of games ({} before); {renumbered}",
                args.folder.display(),
                count(after, "file", "files"),
                grouped(before)
            ));
            Ok(Exit::Success)
        }
        LakeCommand::Verify(args) => verify(args),
    }
}

/// The bases and the folder after them.
fn split(paths: &[PathBuf]) -> Result<(&PathBuf, &[PathBuf])> {
    match paths.split_last() {
        Some((folder, bases)) => Ok((folder, bases)),
        None => bail!("the folder of a lake is required"),
    }
}

fn build(args: &LakeBuildArgs) -> Result<Exit> {
    let (folder, bases) = match &args.output {
        Some(folder) => (folder, args.paths.as_slice()),
        None => split(&args.paths)?,
    };
    if bases.is_empty() {
        bail!(
            "a database and the folder of a lake are required: `tabiya lake build games.pgn -o lake`"
        );
    }
    let mut options = args.write.options();
    tabiya_formats::lake::by_months(&mut options.settings)?;
    let target = Target::new(folder, Some(&FORMAT), options)?;
    let tables = LakeTableOptions {
        explorer: !args.only_games,
        singles: args.single_games,
        positions: args.positions,
        names: !args.only_games,
        iceberg: args.iceberg,
    };
    let opened = args.read.opener().open_all(bases).or_fail()?;
    let control = args.memory.control(&args.jobs);
    let progress = ProgressLine::of(&control);
    let done = lake::build(&opened.bases, &target, &tables, &control)?;
    drop(progress);
    convert::end(&done, &opened, false)
}

fn add(args: &LakeAddArgs) -> Result<Exit> {
    let (folder, bases) = split(&args.paths)?;
    let control = args.memory.control(&args.jobs);
    if bases.is_empty() {
        let progress = ProgressLine::of(&control);
        let ended = lake::complete(folder, &control)?;
        drop(progress);
        return Ok(if ended.is_whole() {
            Exit::Success
        } else {
            Exit::Interrupted
        });
    }
    let opened: OpenedBases = args.read.opener().open_all(bases).or_fail()?;
    let progress = ProgressLine::of(&control);
    let done = lake::add(&opened.bases, folder, &control)?;
    drop(progress);
    convert::end(&done, &opened, false)
}

fn verify(args: &LakeFolderArgs) -> Result<Exit> {
    let control = args.memory.control(&args.jobs);
    let progress = ProgressLine::of(&control);
    let found = lake::verify(&args.folder, &control)?;
    drop(progress);
    if !found.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    found
        .faults
        .iter()
        .chain(&found.notes)
        .for_each(|line| say(line));
    let files = count(found.files, "file", "files");
    say(&match found.faults.len() as u64 {
        0 => format!("{}: {files}, all intact", args.folder.display()),
        faults => format!(
            "{}: {files}, {}",
            args.folder.display(),
            count(faults, "fault", "faults")
        ),
    });
    Ok(Exit::of(false, false, found.faults.is_empty()))
}
