//! `tabiya convert` and `tabiya repair`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use tabiya::convert::{self, Conversion, Options};
use tabiya::{Failure, Opened, Target};
use tabiya_model::{Control, Severity};

use super::args::{ConvertArgs, RepairArgs};
use super::exit::{self, Exit};
use super::output::{count, grouped, say};
use super::progress::Progress;
use super::report;

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit> {
    let Some((target, sources @ [_, ..])) = args.paths.split_last() else {
        bail!("a source and a target are wanted");
    };
    let target = args.write.target(target)?;
    let options = Options {
        strict: args.strict,
        verify: args.verify,
        skip_deleted: args.skip_deleted,
    };
    let opened = args.read.opener().open_all(sources).or_fail()?;
    let control = args.jobs.control();
    copy(&opened, &target, &options, args.report.as_deref(), &control)
}

pub(crate) fn repair(args: &RepairArgs) -> Result<Exit> {
    let target = args.write.target(&args.target)?;
    let mut opener = args.read.opener();
    opener.salvage = true;
    let opened = opener.open_all(&[&args.source]).or_fail()?;
    let control = args.jobs.control();
    let options = Options::default();
    copy(&opened, &target, &options, args.report.as_deref(), &control)
}

fn copy(
    opened: &Opened,
    target: &Target,
    options: &Options,
    report: Option<&Path>,
    control: &Control,
) -> Result<Exit> {
    if options.strict
        && let Some(failure) = opened.failed.first()
    {
        bail!("{}; nothing was written, as --strict asks", failure.error);
    }
    let progress = Progress::of(control);
    let done = convert::convert(&opened.bases, target, options, control)?;
    drop(progress);
    if let Some(fault) = &done.fault {
        return Err(exit::Strict(fault.clone()).into());
    }
    let exit = end(&done, opened, false);
    if done.ended.is_whole()
        && let Some(path) = report
    {
        let text = serde_json::to_string_pretty(&done.json(target))?;
        std::fs::write(path, text + "\n")
            .with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    exit
}

/// Tells what has become of a copy, and how the command ends.
pub(crate) fn end(done: &Conversion, opened: &Opened, brief: bool) -> Result<Exit> {
    if done.ended.is_whole() {
        tell(done, brief);
    }
    told(done, &opened.failed)
}

/// The same where only what is wrong is told.
pub(crate) fn told(done: &Conversion, failed: &[Failure]) -> Result<Exit> {
    if !done.ended.is_whole() {
        return Ok(Exit::Interrupted);
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
        report::tell(source);
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
    let lost = sum(|source| source.losses.total());
    let damaged = sum(|source| source.damaged);
    let mut line = format!(
        "{} read, {} written",
        count(sum(|source| source.games), "game", "games"),
        grouped(summary.games)
    );
    if skipped > 0 {
        line.push_str(&format!(
            ", {} skipped",
            count(skipped, "deleted one", "deleted ones")
        ));
    }
    let is_damaged =
        (done.sources.iter()).any(|source| source.diagnostics.at_least(Severity::Damage) > 0);
    line.push_str(&match lost {
        // Beside damage, nobody knows what else there was.
        0 if damaged > 0 || is_damaged => String::new(),
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
