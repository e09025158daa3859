//! `tabiya stats`: statistics of bases.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::PossibleValue;
use tabiya::OpenedBases;
use tabiya::statistics::{KINDS, StatsRow, StatsTable};
use tabiya::stats::{self, PlotFormat, StatsOptions, StatsReport};
use tabiya_answers::Answer;

use super::args::{CellsArgs, JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, grouped, printable, say};
use super::progress::ProgressLine;
use super::report;
use super::select_args::SelectArgs;
use super::table::{fit, room};

/// How wide a bar is at most, and a label.
const BAR: u64 = 36;
const LABEL: usize = 32;

/// How wide the numbers between a label and its bar are.
const NUMBERS: usize = 40;

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    /// Databases; `-` is standard input
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Show only these statistics; those that need the games themselves are included if they are named, or with --full
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// Include statistics that need the games themselves, such as time controls (slower)
    #[arg(long)]
    full: bool,
    /// Show at most N names per list
    #[arg(
        long = "limit",
        short = 'n',
        alias = "top",
        value_name = "N",
        default_value_t = 20
    )]
    top: usize,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a heading
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    cells: CellsArgs,
    /// Also write a chart (.svg or .png)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Replace an existing chart
    #[arg(long, requires = "plot")]
    force: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

pub(crate) fn names() -> clap::builder::PossibleValuesParser {
    KINDS
        .iter()
        .map(|kind| kind.name)
        .collect::<Vec<_>>()
        .into()
}

/// The same, where `player` also means `players`.
pub(crate) fn one_or_many() -> clap::builder::PossibleValuesParser {
    let of = |name: &'static str| PossibleValue::new(name).alias(name.trim_end_matches('s'));
    KINDS
        .iter()
        .map(|kind| of(kind.name))
        .collect::<Vec<_>>()
        .into()
}

/// The name of a statistic that was asked for by the word for one.
pub(crate) fn many(name: &str) -> String {
    let of_many = KINDS.iter().map(|kind| kind.name);
    let mut found = of_many.filter(|many| many.trim_end_matches('s') == name);
    found.next().unwrap_or(name).to_owned()
}

pub(crate) fn run(args: &StatsArgs) -> Result<Exit> {
    let picture = match &args.plot {
        None => None,
        Some(path) => match PlotFormat::of_path(path) {
            Some(picture) => Some((path, picture)),
            None => bail!("{}: a chart must be .svg or .png", path.display()),
        },
    };
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let games = args.select.of(&opened.bases)?;
    let options = StatsOptions {
        only: args.only.clone(),
        full: args.full,
        top: args.top,
    };
    let counts = stats::stats(&games, &options, &control)?;
    drop(progress);
    if let Some((path, picture)) = picture
        && counts.ended.is_whole()
    {
        counts.write_picture(picture, path, args.force, &opened.bases)?;
    }
    show(&counts, args.json, args.csv, &args.cells, &opened)
}

/// Shows what was counted.
pub(crate) fn show(
    counts: &StatsReport,
    json: bool,
    csv: bool,
    cells: &CellsArgs,
    opened: &OpenedBases,
) -> Result<Exit> {
    counts.notes.iter().for_each(|note| say(note));
    if !counts.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let mut out = output::stdout_of(json);
    if json {
        writeln!(out, "{}", counts.answer().json())?;
    } else if csv {
        out.write_all(&cells.values(counts.csv()))?;
    } else {
        tell(&mut out, counts)?;
    }
    out.flush()?;
    report::print_damaged(counts.damaged);
    Ok(report::end(opened, counts.damaged > 0, counts.games > 0))
}

fn tell(out: &mut impl Write, counts: &StatsReport) -> Result<()> {
    writeln!(out, "{}", count(counts.games, "game", "games"))?;
    for table in &counts.tables {
        if !table.rows.is_empty() && counts.games > 0 {
            bars(out, table)?;
        }
    }
    Ok(())
}

/// Shows a table with bars.
pub(crate) fn bars(out: &mut impl Write, table: &StatsTable) -> Result<()> {
    let paint = TerminalColors::of_stdout();
    let mut title = table.title.to_owned();
    if table.distinct > table.rows.len() {
        title.push_str(&format!(
            " ({} of {})",
            grouped(table.rows.len() as u64),
            grouped(table.distinct as u64)
        ));
    }
    let score = if table.own { "score" } else { "White" };
    let widest = table.rows.iter().map(|row| label(row).chars().count());
    let width = widest
        .max()
        .unwrap_or(0)
        .max(title.chars().count().min(LABEL));
    writeln!(out)?;
    // Bars take what the numbers leave.
    let left = room().map(|room| room.saturating_sub(width + NUMBERS) as u64);
    let longest = left.map_or(BAR, |left| left.min(BAR));
    let heading = format!(
        "{title:<width$}  {:>9}  {score:>6}  {:>5} {:>5} {:>5}",
        "games", "won", "drawn", "lost"
    );
    writeln!(out, "{}", paint.bold(&fit(&heading)))?;
    let most = table.rows.iter().map(|row| row.score.games()).max();
    let most = most.unwrap_or(0).max(1);
    for row in &table.rows {
        let score = row.score;
        let share = |games: u64| {
            let all = score.games().max(1);
            format!("{} %", (games * 100 + all / 2) / all)
        };
        let percent = score
            .percent()
            .map_or_else(String::new, |percent| format!("{percent:.1} %"));
        // Rounded up, so that every row has a bar.
        let bar = (score.games() * longest).div_ceil(most);
        let line = format!(
            "{:<width$}  {:>9}  {percent:>6}  {:>5} {:>5} {:>5}  {}",
            label(row),
            grouped(score.games()),
            share(score.wins),
            share(score.draws),
            share(score.losses),
            "█".repeat(usize::try_from(bar).unwrap_or(0)),
        );
        writeln!(out, "{}", fit(&line))?;
    }
    Ok(())
}

fn label(row: &StatsRow) -> String {
    let text = printable(&row.label);
    let text = if text.is_empty() { "-" } else { &*text };
    let mut label = "  ".repeat(usize::from(row.depth));
    if text.chars().count() > LABEL {
        label.extend(text.chars().take(LABEL - 1));
        label.push('…');
    } else {
        label.push_str(text);
    }
    label
}
