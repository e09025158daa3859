//! `tabiya eco`: openings by position, beside what the ECO tag says.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tabiya::OpenedBases;
use tabiya::eco::{self, EcoAgreement, EcoCounts, EcoFillOptions, EcoGame};
use tabiya_answers::{Answer, EcoRowAnswer};

use super::args::{CellsArgs, JobsArgs, ReadArgs, WriteArgs};
use super::csv_rows::CsvRows;
use super::exit::Exit;
use super::output::{self, TerminalColors, count, grouped, printable, say};
use super::progress::ProgressLine;
use super::{convert, report};

#[derive(Args, Debug)]
pub(crate) struct EcoArgs {
    /// Databases
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Write a database with missing ECO tags filled in [default: list the openings]
    #[arg(long, short, value_name = "TARGET")]
    output: Option<PathBuf>,
    /// Also replace existing ECO tags
    #[arg(long, requires = "output")]
    replace: bool,
    /// Also add the tag Opening with the opening name
    #[arg(long, requires = "output")]
    names: bool,
    /// List only games whose ECO tag differs
    #[arg(long, conflicts_with = "output")]
    compare: bool,
    /// Print JSON, one game per line
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Print CSV with a heading
    #[arg(long, conflicts_with_all = ["json", "output"])]
    csv: bool,
    /// Stop after N games
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "output")]
    limit: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

pub(crate) fn run(args: &EcoArgs) -> Result<Exit> {
    // Once the second of two databases was the target.
    if let ([source, target], None) = (args.paths.as_slice(), &args.output)
        && (args.write.force || !target.exists())
    {
        bail!(
            "{}: no such database\nhelp: to write it: tabiya eco {} -o {}",
            target.display(),
            source.display(),
            target.display()
        );
    }
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    match &args.output {
        Some(target) => fill(args, target, &opened),
        None => list(args, &opened),
    }
}

fn list(args: &EcoArgs, opened: &OpenedBases) -> Result<Exit> {
    let control = args.jobs.control();
    let mut out = output::stdout_of(args.json);
    let mut all = EcoCounts::default();
    let mut rows = CsvRows::new(&["base", "number", "tag", "eco", "opening"]);
    let cells = CellsArgs::of(&args.write.settings.0);
    let mut left = args.limit.unwrap_or(u64::MAX).max(1);
    let is_table = !args.json && !args.csv;
    if is_table {
        let heading = format!("{:<9} {:<5} {:<4}  {}", "number", "tag", "ECO", "opening");
        writeln!(out, "{}", TerminalColors::of_stdout().bold(&heading))?;
    }
    for base in &opened.bases {
        if left == 0 {
            break;
        }
        if is_table && opened.bases.len() > 1 {
            writeln!(out, "{}", TerminalColors::of_stdout().bold(base.name()))?;
        }
        let counts = eco::list(base, &control, |named| {
            if !args.compare || named.agreement == EcoAgreement::Differs {
                let base = (opened.bases.len() > 1).then(|| base.name());
                if args.csv {
                    rows.row(&mut out, &cells, &answer(&named, base).json())?;
                } else {
                    line(&mut out, &named, args.json, base)?;
                }
                left -= 1;
            }
            Ok(match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        })?;
        all.same += counts.same;
        all.differ += counts.differ;
        all.no_tag += counts.no_tag;
        all.no_name += counts.no_name;
        all.damaged += counts.damaged;
    }
    out.flush()?;
    report::print_damaged(all.damaged);
    if control.is_stopped() {
        return Ok(Exit::Interrupted);
    }
    say(&format!(
        "{}, {}, {}, {}",
        count(all.same, "game agrees", "games agree"),
        count(all.differ, "differs", "differ"),
        count(all.no_tag, "has no tag", "have no tag"),
        count(
            all.no_name,
            "reaches no position with a name",
            "reach no position with a name"
        ),
    ));
    let agree = !args.compare || all.differ == 0;
    Ok(report::end(opened, all.damaged > 0, agree))
}

fn answer(named: &EcoGame, base: Option<&str>) -> EcoRowAnswer {
    EcoRowAnswer {
        number: named.number,
        tag: named.tag.clone(),
        eco: named.found.map(|opening| opening.eco),
        opening: named.found.map(|opening| opening.name),
        base: base.map(str::to_owned),
    }
}

fn line(
    out: &mut impl Write,
    named: &EcoGame,
    as_json: bool,
    base: Option<&str>,
) -> std::io::Result<()> {
    let EcoGame {
        number, tag, found, ..
    } = named;
    let (eco, name) = found.map_or(("", ""), |opening| (opening.eco, opening.name));
    if as_json {
        return writeln!(out, "{}", answer(named, base).json());
    }
    let text = format!("{number:<9} {:<5} {eco:<4}  {name}", printable(tag));
    writeln!(out, "{}", text.trim_end())
}

fn fill(args: &EcoArgs, target: &std::path::Path, opened: &OpenedBases) -> Result<Exit> {
    let target = args.write.target(target)?;
    let control = args.jobs.control();
    let filling = EcoFillOptions {
        replace: args.replace,
        names: args.names,
    };
    let progress = ProgressLine::of(&control);
    let filled = eco::fill(&opened.bases, &target, filling, &control)?;
    drop(progress);
    let exit = convert::end(&filled.conversion, opened, true)?;
    if filled.conversion.ended.is_whole() {
        say(&format!(
            "{} classified, {} reclassified",
            count(filled.filled, "game", "games"),
            grouped(filled.changed)
        ));
    }
    Ok(exit)
}
