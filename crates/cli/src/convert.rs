//! `tabiya convert` and `tabiya repair`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use tabiya::bulk::{self as many, AppendTarget};
use tabiya::convert::{self, Conversion, ConvertOptions};
use tabiya::edit;
use tabiya::{BaseFailure, OpenedBases, Target};
use tabiya_answers::Answer;
use tabiya_model::{Control, Severity};

use super::args::{JobsArgs, ReadArgs, WriteArgs};
use super::convert_args::ConvertArgs;
use super::exit::{self, Exit};
use super::output::{count, grouped, say};
use super::progress::ProgressLine;
use super::report_file::ReportFile;
use super::{convert_args, report};

#[derive(Args, Debug)]
pub(crate) struct RepairArgs {
    /// Damaged database; it is not modified
    pub(crate) source: PathBuf,
    /// Sound copy to write, unless --output is given
    #[arg(required_unless_present = "output", conflicts_with = "output")]
    pub(crate) target: Option<PathBuf>,
    /// Sound copy to write
    #[arg(long, short, value_name = "TARGET")]
    pub(crate) output: Option<PathBuf>,
    /// Write a report of all losses and issues as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    /// Print the report to standard output
    #[arg(long, conflicts_with = "report")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit> {
    let (path, sources) = match (&args.output, args.paths.split_last()) {
        (Some(output), _) => (output, args.paths.as_slice()),
        (None, Some(all)) => all,
        (None, None) => {
            bail!("a source and a target are required: `tabiya convert games.pgn games.si5`")
        }
    };
    let mut sources = sources.to_vec();
    for list in &args.sources {
        sources.extend(listed(list)?);
    }
    if sources.is_empty() {
        bail!("a source and a target are required: `tabiya convert games.pgn games.si5`");
    }
    let choose = args
        .choose
        .selection(args.select.selection()?, &args.read)?;
    let mut bulk = convert_args::convert_plan(choose, args, path)?;
    let mut targets = ConvertTargetSet::of(args, path)?;
    let options = ConvertOptions {
        strict: args.strict,
        verify: args.verify,
    };
    let opened = args.read.opener().open_all(&sources).or_fail()?;
    bulk.choose.games.bases.clone_from(&opened.bases);
    let control = args.jobs.control();
    refuse_failed(&opened, &options)?;
    let report = match &args.report {
        Some(path) => Some(ReportFile::begin(path, &opened.bases, &targets.all())?),
        None => args.json.then(ReportFile::stdout),
    };
    let appending = match args.append && path.exists() {
        true => Some(AppendTarget::begin(&mut targets.main)?),
        false => None,
    };
    let progress = ProgressLine::of(&control);
    let done = many::run(&bulk, targets.lend(), &options, &control)?;
    drop(progress);
    if let Some(fault) = &done.main.fault {
        return Err(exit::StrictError(fault.clone()).into());
    }
    if let Some(appending) = appending
        && done.main.ended.is_whole()
    {
        let options = edit::EditOptions::of_user()?;
        let added = appending.end(&args.read.opener(), &options, &control)?;
        if !added.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        for note in &added.notes {
            say(&format!("{}: {note}", path.display()));
        }
    }
    let exit = finish(&done.main, &targets.main, &opened, report);
    if done.main.ended.is_whole() {
        tell_others(&done, bulk.choose.unique.is_some());
    }
    exit
}

/// The sources that a file lists, one a line.
fn listed(list: &Path) -> Result<Vec<PathBuf>> {
    let text = tabiya_io::regular_file::read_named_to_string(list)
        .with_context(|| list.display().to_string())?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.map(PathBuf::from).collect())
}

/// All targets of a conversion.
struct ConvertTargetSet {
    main: Target,
    rest: Option<Target>,
    doubles: Option<Target>,
}

impl ConvertTargetSet {
    fn of(args: &ConvertArgs, path: &Path) -> Result<ConvertTargetSet> {
        let other = |path: &Option<PathBuf>| match path {
            Some(path) => Ok::<_, anyhow::Error>(Some(args.write.target(path)?)),
            None => Ok(None),
        };
        let mut main = match args.choose.split_by {
            // A folder: its name says no format.
            Some(_) => {
                let format = args.write.to.unwrap_or(&tabiya_formats::pgn::FORMAT);
                Target::new(path, Some(format), args.write.options())?
            }
            None => args.write.target(path)?,
        };
        if !args.reshape.tag_order.is_empty() {
            tabiya_formats::pgn::keep_tag_order(&mut main.options.settings)?;
        }
        Ok(ConvertTargetSet {
            main,
            rest: other(&args.choose.rest)?,
            doubles: other(&args.choose.doubles)?,
        })
    }

    fn all(&self) -> Vec<&Target> {
        let others = [&self.rest, &self.doubles].into_iter().flatten();
        std::iter::once(&self.main).chain(others).collect()
    }

    fn lend(&self) -> many::ConvertTargets<'_> {
        many::ConvertTargets {
            main: &self.main,
            rest: self.rest.as_ref(),
            doubles: self.doubles.as_ref(),
        }
    }
}

/// Reports the games that were not taken.
fn tell_others(done: &many::ConvertReport, unique: bool) {
    if unique {
        say(&format!(
            "{} skipped",
            count(done.double, "duplicate", "duplicates")
        ));
    }
    for (name, conversion) in [("the rest", &done.rest), ("the duplicates", &done.doubles)] {
        let Some(conversion) = conversion else {
            continue;
        };
        for source in &conversion.sources {
            report::losses(&source.name, &source.losses, source.is_table);
        }
        let games = conversion
            .summary
            .as_ref()
            .map_or(0, |summary| summary.games);
        say(&format!(
            "{name}: {} written",
            count(games, "game", "games")
        ));
    }
}

pub(crate) fn repair(args: &RepairArgs) -> Result<Exit> {
    let Some(path) = args.output.as_ref().or(args.target.as_ref()) else {
        bail!("a target is required: `tabiya repair damaged.si5 -o sound.si5`");
    };
    let target = args.write.target(path)?;
    let mut opener = args.read.opener();
    opener.salvage = true;
    let opened = opener.open_all(&[&args.source]).or_fail()?;
    let control = args.jobs.control();
    let options = ConvertOptions::default();
    let report = match &args.report {
        Some(path) => Some(ReportFile::begin(path, &opened.bases, &[&target])?),
        None => args.json.then(ReportFile::stdout),
    };
    copy(&opened, &target, &options, report, &control)
}

/// Refuses a run that has to be whole where a source could not be opened.
fn refuse_failed(opened: &OpenedBases, options: &ConvertOptions) -> Result<()> {
    match opened.failed.first() {
        Some(failure) if options.strict => {
            bail!("{}; nothing was written (--strict)", failure.error)
        }
        _ => Ok(()),
    }
}

fn copy(
    opened: &OpenedBases,
    target: &Target,
    options: &ConvertOptions,
    report: Option<ReportFile>,
    control: &Control,
) -> Result<Exit> {
    let progress = ProgressLine::of(control);
    let done = convert::convert(&opened.bases, target, options, control)?;
    drop(progress);
    finish(&done, target, opened, report)
}

/// Reports the result of a copy, and writes its report.
fn finish(
    done: &Conversion,
    target: &Target,
    opened: &OpenedBases,
    report: Option<ReportFile>,
) -> Result<Exit> {
    let exit = end(done, opened, false);
    if done.ended.is_whole()
        && let Some(file) = report
    {
        file.write(&done.answer(target).json())?;
    }
    exit
}

/// Reports the result of a copy, and how the command ends.
pub(crate) fn end(done: &Conversion, opened: &OpenedBases, brief: bool) -> Result<Exit> {
    if done.ended.is_whole() {
        tell(done, brief);
    }
    finish_quietly(done, &opened.failed)
}

/// The same, but only problems are reported.
pub(crate) fn finish_quietly(done: &Conversion, failed: &[BaseFailure]) -> Result<Exit> {
    if !done.ended.is_whole() {
        for note in done.summary.iter().flat_map(|summary| &summary.notes) {
            say(note);
        }
        // A whole copy that was not compared is neither nothing nor everything that was requested.
        return Ok(match done.summary {
            Some(_) => Exit::Incomplete,
            None => Exit::Interrupted,
        });
    }
    report::failures(failed);
    report::failures(&done.failed);
    if !done.is_verified() {
        bail!("the target differs from the source in ways that were not reported");
    }
    let failed = !failed.is_empty() || !done.failed.is_empty();
    Ok(Exit::of(failed, !done.is_complete(), true))
}

fn tell(done: &Conversion, brief: bool) {
    for source in &done.sources {
        report::print_report(source);
    }
    let summary = done.summary.clone().unwrap_or_default();
    for note in &summary.notes {
        say(note);
    }
    if brief {
        say(&format!(
            "{} written",
            count(summary.games, "game", "games")
        ));
        return;
    }
    let sum = |each: fn(&tabiya::report::SourceReport) -> u64| -> u64 {
        done.sources.iter().map(each).sum()
    };
    let skipped = sum(|source| source.skipped);
    let asked = sum(|source| source.losses.total_asked());
    let lost = sum(|source| source.losses.total()) - asked;
    let damaged = sum(|source| source.damaged);
    let mut line = format!(
        "{} read, {} written",
        count(sum(|source| source.games), "game", "games"),
        grouped(summary.games)
    );
    if skipped > 0 {
        line.push_str(&format!(", {} left out", grouped(skipped)));
    }
    let is_damaged =
        (done.sources.iter()).any(|source| source.diagnostics.at_least(Severity::Damage) > 0);
    line.push_str(&match lost {
        // With damage it is unknown what else was lost.
        0 if damaged > 0 || is_damaged => String::new(),
        0 if asked > 0 => ", nothing lost except as requested".to_owned(),
        0 => ", nothing lost".to_owned(),
        _ => format!(", {}", count(lost, "loss", "losses")),
    });
    if damaged > 0 || is_damaged {
        line.push_str(&match damaged {
            0 => "; the source is damaged".to_owned(),
            1 => "; 1 game is damaged".to_owned(),
            _ => format!("; {} games are damaged", grouped(damaged)),
        });
        line.push_str(": everything that could be read was kept");
    }
    say(&line);
}
