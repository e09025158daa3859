//! `tabiya mistakes`: where a player makes mistakes.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tabiya::mistakes::{self, MistakeCount, MistakesOptions, MistakesReport};
use tabiya_answers::Answer;

use super::args::{CellsArgs, JobsArgs, ReadArgs};
use super::csv_rows::CsvRows;
use super::exit::Exit;
use super::output::{self, TerminalColors, count, printable, say};
use super::progress::ProgressLine;
use super::report;
use super::select_args::SelectArgs;

#[derive(Args, Debug)]
pub(crate) struct MistakesArgs {
    /// Databases; `-` is standard input
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Player, in any form of the name: `Tal`, `Tal, M` or `Mikhail Tal`
    #[arg(long, value_name = "NAME")]
    player: String,
    /// Show at most N rows per table
    #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print one JSON object, with the games of each count
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a heading
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    cells: CellsArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// The columns of a row.
const COLUMNS: [&str; 12] = [
    "by",
    "row.value",
    "row.own.moves",
    "row.own.inaccuracies",
    "row.own.mistakes",
    "row.own.blunders",
    "row.own.loss",
    "row.others.moves",
    "row.others.inaccuracies",
    "row.others.mistakes",
    "row.others.blunders",
    "row.others.loss",
];

pub(crate) fn run(args: &MistakesArgs) -> Result<Exit> {
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let games = args.select.of(&opened.bases)?;
    let options = MistakesOptions {
        name: args.player.clone(),
        top: args.top,
    };
    let found = mistakes::mistakes(&games, &options, &control)?;
    drop(progress);
    found.notes.iter().for_each(|note| say(note));
    if !found.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let mut out = output::stdout_of(args.json);
    if args.json {
        writeln!(out, "{}", found.answer().json())?;
    } else if args.csv {
        let mut rows = CsvRows::new(&COLUMNS);
        for group in found.answer().groups {
            for row in &group.rows {
                let row = serde_json::json!({"by": group.by, "row": row.json()});
                rows.row(&mut out, &args.cells, &row)?;
            }
        }
    } else {
        tell(&mut out, &found)?;
    }
    out.flush()?;
    let without = found.without_evaluations.games().len() as u64;
    if without > 0 {
        say(&format!(
            "{} skipped: no evaluations; `tabiya analyse` adds them",
            count(without, "game", "games")
        ));
    }
    report::print_damaged(found.damaged);
    Ok(report::end(
        &opened,
        found.damaged > 0,
        !found.games.games().is_empty(),
    ))
}

/// Hundredths of a pawn a move.
fn mean(count: &MistakeCount) -> String {
    match count.moves {
        0 => "-".to_owned(),
        moves => {
            let mean = (2 * count.loss + moves) / (2 * moves);
            format!("{}.{:02}", mean / 100, mean % 100)
        }
    }
}

fn tell(out: &mut impl Write, found: &MistakesReport) -> Result<()> {
    let paint = TerminalColors::of_stdout();
    let all = &found.all.count;
    write!(
        out,
        "{}: {}, {}",
        printable(&found.player),
        count(found.games.games().len() as u64, "game", "games"),
        count(all.moves, "move", "moves")
    )?;
    if let Some(rating) = found.rating {
        write!(out, ", rated {rating}")?;
    }
    writeln!(
        out,
        "\n{} pawns lost per move; {} by others with a similar rating",
        mean(all),
        mean(&found.others.count)
    )?;
    for (aspect, rows) in found.groups.iter().filter(|(_, rows)| !rows.is_empty()) {
        let heading = format!(
            "{:<16} {:>7} {:>6} {:>6} {:>6} {:>7} {:>7}",
            aspect.name(),
            "moves",
            "?!",
            "?",
            "??",
            "lost",
            "others"
        );
        writeln!(out, "\n{}", paint.bold(&heading))?;
        for row in rows {
            writeln!(
                out,
                "{:<16} {:>7} {:>6} {:>6} {:>6} {:>7} {:>7}",
                printable(&row.value),
                row.own.count.moves,
                row.own.count.inaccuracies,
                row.own.count.mistakes,
                row.own.count.blunders,
                mean(&row.own.count),
                mean(&row.others.count)
            )?;
        }
    }
    Ok(())
}
