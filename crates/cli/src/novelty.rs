//! `tabiya novelty` and `tabiya deepest`: the novelties of games.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use tabiya::novelty::{self, NoveltyGame, NoveltyReport};
use tabiya::{Base, Selection};
use tabiya_answers::Answer;
use tabiya_model::Control;
use tabiya_query::QueryContext;

use super::args::{CellsArgs, JobsArgs, ReadArgs};
use super::csv_rows::CsvRows;
use super::exit::Exit;
use super::output::{self, count, printable, say};
use super::progress::ProgressLine;
use super::select_args::SelectArgs;
use super::{query, report};

/// Moves that a line shows of those that were played before.
const SHOWN: usize = 4;

#[derive(Args, Debug)]
pub(crate) struct NoveltyArgs {
    /// Databases
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Databases to compare with; only games before the date of each game count [default: the databases
    /// themselves]
    #[arg(long, value_name = "BASE")]
    reference: Vec<PathBuf>,
    /// Only reference games from this date on
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only reference games between players with these ratings, such as 2400.. (docs/query.md)
    #[arg(long, value_name = "RANGE")]
    elo: Option<String>,
    /// Print JSON, one game per line
    #[arg(long)]
    json: bool,
    /// Print CSV with a heading
    #[arg(long, conflicts_with = "json")]
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

#[derive(Args, Debug)]
pub(crate) struct DeepestArgs {
    /// Show at most N games
    #[arg(
        long = "limit",
        short = 'n',
        alias = "top",
        value_name = "N",
        default_value_t = 20
    )]
    top: usize,
    #[command(flatten)]
    novelty: NoveltyArgs,
}

impl NoveltyArgs {
    /// The games of some bases that others are compared with.
    fn reference(&self, bases: &[Base]) -> Result<Selection> {
        let since = self.since.as_ref().map(|date| format!("date:{date}.."));
        let elo = self.elo.as_ref().map(|range| format!("elo:{range}"));
        let terms: Vec<String> = since.into_iter().chain(elo).collect();
        let all = Selection {
            index: !self.select.filter.no_index,
            ..Selection::of(bases)
        };
        Ok(match terms.is_empty() {
            true => all,
            false => {
                let query = query::read(&terms.join(" "), QueryContext::default());
                all.matching(query.map_err(|error| anyhow!("--reference: {error}"))?)
            }
        })
    }
}

/// Every game, in the order of the bases.
pub(crate) fn run(args: &NoveltyArgs) -> Result<Exit> {
    let mut out = output::stdout_of(args.json);
    let mut rows = CsvRows::new(&COLUMNS);
    let exit = look(args, |games, reference, control| {
        let mut told = Ok(());
        let report = novelty::novelties(games, reference, control, &mut |at, novelty| {
            let base = games.bases.get(at).map_or("", Base::name);
            told = show(&mut out, args, &mut rows, base, &novelty);
            Ok(match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        })?;
        told?;
        Ok(report)
    })?;
    out.flush()?;
    Ok(exit)
}

/// The games that followed others longest before they left them.
pub(crate) fn deepest(args: &DeepestArgs) -> Result<Exit> {
    let mut out = output::stdout_of(args.novelty.json);
    let mut rows = CsvRows::new(&COLUMNS);
    let exit = look(&args.novelty, |games, reference, control| {
        let (best, report) = novelty::deepest(games, reference, args.top.max(1), control)?;
        if report.ended.is_whole() {
            for (at, novelty) in &best {
                let base = games.bases.get(*at).map_or("", Base::name);
                show(&mut out, &args.novelty, &mut rows, base, novelty)?;
            }
        }
        Ok(report)
    })?;
    out.flush()?;
    Ok(exit)
}

/// Opens the bases, runs the job, and prints its notes.
fn look(
    args: &NoveltyArgs,
    job: impl FnOnce(&Selection, &Selection, &Control) -> Result<NoveltyReport>,
) -> Result<Exit> {
    let opener = args.read.opener();
    let opened = opener.open_all(&args.paths).or_fail()?;
    let references = match args.reference.as_slice() {
        [] => None,
        paths => Some(opener.open_all(paths).or_fail()?),
    };
    let known = references
        .as_ref()
        .map_or(&opened.bases, |references| &references.bases);
    let reference = args.reference(known)?;
    let games = args.select.of(&opened.bases)?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let found = job(&games, &reference, &control)?;
    drop(progress);
    found.notes.iter().for_each(|note| say(note));
    if !found.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    if found.undated > 0 {
        say(&format!(
            "{} skipped: no date",
            count(found.undated, "game", "games")
        ));
    }
    if found.repeated > 0 {
        say(&format!(
            "{} not shown: no novelty",
            count(found.repeated, "game", "games")
        ));
    }
    let mut all = opened;
    if let Some(references) = references {
        all.bases.extend(references.bases);
        all.failed.extend(references.failed);
    }
    Ok(report::end(&all, false, found.games > found.undated))
}

/// The columns of a game with its novelty.
const COLUMNS: [&str; 10] = [
    "game.base",
    "game.number",
    "game.white",
    "game.black",
    "game.date",
    "game.event",
    "ply",
    "san",
    "known",
    "games",
];

fn show(
    out: &mut impl Write,
    args: &NoveltyArgs,
    rows: &mut CsvRows,
    base: &str,
    novelty: &NoveltyGame,
) -> std::io::Result<()> {
    match args.csv {
        true => rows.row(out, &args.cells, &novelty.answer(base).json()),
        false => write(out, args.json, base, novelty),
    }
}

fn write(
    out: &mut impl Write,
    json: bool,
    base: &str,
    novelty: &NoveltyGame,
) -> std::io::Result<()> {
    if json {
        return writeln!(out, "{}", novelty.answer(base).json());
    }
    let game = &novelty.game;
    let numbered = |san: &str| match novelty.ply {
        Some(ply) => {
            let dots = if ply % 2 == 1 { "." } else { "..." };
            format!("{}{dots}{san}", ply.div_ceil(2))
        }
        None => san.to_owned(),
    };
    let what = match novelty.ply {
        Some(_) => numbered(&novelty.san),
        None => "no novelty".to_owned(),
    };
    write!(
        out,
        "{}\t{} - {}\t{} {}\t{what}",
        game.number,
        printable(&game.white),
        printable(&game.black),
        printable(&game.event),
        printable(&game.date),
    )?;
    let before: Vec<String> = novelty
        .before
        .iter()
        .take(SHOWN)
        .map(|(san, games)| match san.as_str() {
            "" => format!("end of game {games}"),
            san => format!("{} {games}", numbered(san)),
        })
        .collect();
    if !before.is_empty() {
        let more = if novelty.before.len() > SHOWN {
            ", …"
        } else {
            ""
        };
        let games = count(novelty.games_before(), "game", "games");
        write!(out, "\tbefore, in {games}: {}{more}", before.join(", "))?;
    }
    writeln!(out)
}
