//! `tabiya crosstable`: the tables of events.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use tabiya::crosstable::{self, CrosstableOptions, CrosstableReport};
use tabiya::statistics::crosstable::{Crosstable, EventKind, TieBreak};
use tabiya_answers::Answer;

use super::args::{CellsArgs, JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, printable, say};
use super::progress::ProgressLine;
use super::report;
use super::select_args::SelectArgs;
use super::table::{cut, room};

#[derive(Args, Debug)]
pub(crate) struct CrosstableArgs {
    /// Databases; `-` is standard input
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Show only the event of this game
    #[arg(long, value_name = "NUMBER", conflicts_with = "event")]
    game: Option<u64>,
    /// Show only events whose name contains this text
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// Skip events with fewer than N games
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: usize,
    /// Kind of event [default: detected]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(EventKind::NAMES))]
    kind: Option<String>,
    /// Tie-breaks, in this order
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(TieBreak::NAMES))]
    tie_break: Vec<String>,
    /// K-factor (development coefficient) for ratings [default: 10 from 2400 up, 20 below]
    #[arg(long, value_name = "K")]
    coefficient: Option<u32>,
    /// List the events, one per line
    #[arg(long, conflicts_with_all = ["json", "csv", "html"])]
    list: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["csv", "html"])]
    json: bool,
    /// Print CSV, one player per row
    #[arg(long, conflicts_with = "html")]
    csv: bool,
    #[command(flatten)]
    cells: CellsArgs,
    /// Print a self-contained HTML page
    #[arg(long)]
    html: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

pub(crate) fn run(args: &CrosstableArgs) -> Result<Exit> {
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let ties = args.tie_break.iter();
    let options = CrosstableOptions {
        game: args.game,
        event: args.event.clone(),
        least: args.min_games,
        kind: args.kind.as_deref().and_then(EventKind::by_name),
        tie_breaks: ties.filter_map(|name| TieBreak::by_name(name)).collect(),
        coefficient: args.coefficient,
    };
    let answer = crosstable::crosstable(&args.select.of(&opened.bases)?, &options, &control)?;
    drop(progress);
    answer.notes.iter().for_each(|note| say(note));
    if !answer.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    show(args, &answer)?;
    report::print_damaged(answer.damaged);
    if answer.tables.is_empty() {
        say("no such event");
    }
    Ok(report::end(
        &opened,
        answer.damaged > 0,
        !answer.tables.is_empty(),
    ))
}

fn show(args: &CrosstableArgs, answer: &CrosstableReport) -> Result<()> {
    let mut out = output::stdout_of(args.json);
    if args.json {
        writeln!(out, "{}", answer.answer().json())?;
    } else if args.csv {
        out.write_all(&args.cells.values(answer.csv()))?;
    } else if args.html {
        out.write_all(answer.html().as_bytes())?;
    } else if args.list {
        for table in &answer.tables {
            writeln!(out, "{}", line(table))?;
        }
    } else {
        let paint = TerminalColors::of_stdout();
        for (at, table) in answer.tables.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            tell(&mut out, &paint, table, &answer.bases)?;
        }
    }
    Ok(out.flush()?)
}

/// How narrow the names of players become.
const LEAST_NAME: usize = 8;

/// An event in a line.
fn line(table: &Crosstable) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{}\t{}",
        table.dates(),
        printable(&table.event),
        printable(&table.site),
        table.kind_in_words(),
        count(table.players.len() as u64, "player", "players"),
        count(table.games as u64, "game", "games"),
    )
}

fn tell(
    out: &mut impl Write,
    paint: &TerminalColors,
    table: &Crosstable,
    bases: &[String],
) -> Result<()> {
    let event = printable(&table.event);
    writeln!(
        out,
        "{}\n{}, {}, {}, {}",
        paint.bold(&event),
        printable(&table.site),
        table.dates(),
        table.kind_in_words(),
        count(table.games as u64, "game", "games"),
    )?;
    let headings = table.headings();
    let rows: Vec<Vec<String>> = table.cells();
    let rows = rows.iter().map(|row| {
        let row = row.iter().map(|cell| printable(cell).into_owned());
        row.collect::<Vec<_>>()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let mut widths: Vec<usize> = (0..headings.len())
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            let widths = cells
                .chain(headings.get(at))
                .map(|cell| cell.chars().count());
            widths.max().unwrap_or(0)
        })
        .collect();
    // Names give way first: a result that is cut off would be another one.
    let whole = widths.iter().map(|width| width + 2).sum::<usize>();
    if let (Some(room), Some(names)) = (room(), widths.get_mut(1)) {
        let over = whole.saturating_sub(room + 2);
        *names = names.saturating_sub(over).max(LEAST_NAME.min(*names));
    }
    let lay = |row: &[String]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at {
            // Names are left-aligned.
            1 => format!("{:<width$}", cut(cell, *width)),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(out, "{}", paint.bold(&lay(&headings)))?;
    for row in &rows {
        writeln!(out, "{}", lay(row))?;
    }
    for meeting in table.meetings() {
        writeln!(out, "{}", printable(&meeting))?;
    }
    for fault in &table.faults {
        let games = fault.games.iter().map(|(base, number)| match bases {
            [_] => format!("#{number}"),
            bases => format!("{}#{number}", bases.get(*base).map_or("", String::as_str)),
        });
        let games: Vec<String> = games.collect();
        let line = format!("{fault} {}", games.join(" "));
        writeln!(out, "{}", paint.yellow(printable(line.trim_end()).as_ref()))?;
    }
    Ok(())
}
