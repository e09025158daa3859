//! `tabiya player`: the record of a player.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use tabiya::player::{self, PlayerOptions, PlayerReport};
use tabiya::statistics::player::{PlayerGame, PlayerRecord};
use tabiya::{OpenedBases, Selection, dossier};
use tabiya_answers::Answer;
use tabiya_model::Control;

use super::args::{CellsArgs, JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, printable, say};
use super::progress::ProgressLine;
use super::report;
use super::select_args::SelectArgs;
use super::stats::bars;
use super::table::fit;

#[derive(Args, Debug)]
pub(crate) struct PlayerArgs {
    /// Player, in any form of the name: `Tal`, `Tal, M` or `Mikhail Tal`
    #[arg(value_name = "NAME")]
    name: String,
    /// Databases; `-` is standard input
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Only games against this player
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Show at most N names or games per list
    #[arg(
        long = "limit",
        short = 'n',
        alias = "top",
        value_name = "N",
        default_value_t = 10
    )]
    top: usize,
    /// Count also by speed and month: reads the player's games
    #[arg(long, conflicts_with = "dossier")]
    full: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a heading
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    cells: CellsArgs,
    /// Write a preparation report (.md or .html): opening trees, recent repertoire, positions where the player
    /// deviates, model games
    #[arg(long, value_name = "FILE.md|FILE.html", conflicts_with_all = ["json", "csv", "against"])]
    dossier: Option<PathBuf>,
    /// Replace an existing report
    #[arg(long, requires = "dossier")]
    force: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

pub(crate) fn run(args: &PlayerArgs) -> Result<Exit> {
    let (name, paths) = named(&args.name, &args.paths);
    let opened = args.read.opener().open_all(&paths).or_fail()?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let games = args.select.of(&opened.bases)?;
    let options = PlayerOptions {
        name: name.clone(),
        against: args.against.clone(),
        top: args.top,
        full: args.full,
    };
    if let Some(path) = &args.dossier {
        drop(progress);
        return dossier(args, path, &opened, &games, &options, &control);
    }
    let answer = player::player(&games, &options, &control)?;
    drop(progress);
    answer.notes.iter().for_each(|note| say(note));
    if !answer.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let mut out = output::stdout_of(args.json);
    if args.json {
        writeln!(out, "{}", answer.answer().json())?;
    } else if args.csv {
        out.write_all(&args.cells.values(answer.csv()))?;
    } else {
        tell(&mut out, &answer)?;
    }
    out.flush()?;
    report::print_damaged(answer.damaged);
    let found = answer.record.score.games() > 0;
    Ok(report::end(&opened, answer.damaged > 0, found))
}

/// The player and the databases, in either order.
fn named(name: &str, paths: &[PathBuf]) -> (String, Vec<PathBuf>) {
    let is_there = |path: &Path| path.as_os_str() == "-" || path.exists();
    let mut paths = paths.to_vec();
    let last = paths
        .last()
        .and_then(|path| path.to_str())
        .map(str::to_owned);
    match last {
        Some(last) if is_there(Path::new(name)) && !is_there(Path::new(&last)) => {
            paths.pop();
            paths.insert(0, PathBuf::from(name));
            (last, paths)
        }
        _ => (name.to_owned(), paths),
    }
}

/// Writes a dossier.
fn dossier(
    args: &PlayerArgs,
    path: &Path,
    opened: &OpenedBases,
    games: &Selection,
    options: &PlayerOptions,
    control: &Control,
) -> Result<Exit> {
    let extension = path.extension().and_then(|end| end.to_str()).unwrap_or("");
    let is_html = match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => false,
        "html" | "htm" => true,
        _ => bail!(
            "{}: a preparation report must be .md or .html",
            path.display()
        ),
    };
    let progress = ProgressLine::of(control);
    let made = dossier::dossier(games, options, control)?;
    drop(progress);
    made.notes.iter().for_each(|note| say(note));
    if !made.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let Some(record) = &made.record else {
        say(&format!("{}: no games found", options.name));
        return Ok(Exit::NoMatch);
    };
    let text = if is_html {
        made.html()
    } else {
        made.markdown()
    };
    let output = tabiya_io::output::OutputOptions {
        force: args.force,
        sources: opened.bases.iter().flat_map(tabiya::Base::files).collect(),
    };
    let mut out =
        tabiya_io::output::OutputFile::create(path, &output).map_err(|error| anyhow!("{error}"))?;
    out.write_all(text.as_bytes())?;
    out.commit().map_err(|error| anyhow!("{error}"))?;
    say(&format!(
        "{}: preparation report from {}",
        path.display(),
        count(record.score.games(), "game", "games")
    ));
    Ok(report::end(opened, made.damaged > 0, true))
}

fn tell(out: &mut impl Write, answer: &PlayerReport) -> Result<()> {
    let PlayerRecord {
        score,
        tables,
        ratings,
        best,
        worst,
        streaks: series,
    } = &answer.record;
    write!(out, "{}", printable(&answer.player))?;
    if let Some(against) = &answer.against {
        write!(out, " against {}", printable(against))?;
    }
    write!(out, ": {}", count(score.games(), "game", "games"))?;
    if let Some(percent) = score.percent() {
        write!(
            out,
            ", +{} ={} -{}, {percent:.1} %",
            score.wins, score.draws, score.losses
        )?;
    }
    writeln!(out)?;
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        bars(out, table)?;
    }
    let paint = TerminalColors::of_stdout();
    if let (Some(first), Some(last)) = (ratings.first(), ratings.last()) {
        let highest = ratings.iter().rev().max_by_key(|rated| rated.elo);
        let highest = highest.unwrap_or(last);
        writeln!(out, "\n{}", paint.bold("Rating"))?;
        for (what, rated) in [("first", first), ("highest", highest), ("last", last)] {
            writeln!(out, "{what:<8} {} {:>5}", rated.date, rated.elo)?;
        }
    }
    for (title, games) in [("Best wins", best), ("Worst losses", worst)] {
        if !games.is_empty() {
            writeln!(out, "\n{}", paint.bold(title))?;
        }
        for game in games {
            writeln!(out, "{}", fit(&line(game, &answer.bases)))?;
        }
    }
    if !series.is_empty() {
        writeln!(out, "\n{}", paint.bold("Longest streaks"))?;
    }
    for series in series {
        writeln!(
            out,
            "{:<9}{:>4}  {} - {}",
            series.streak.name(),
            series.games,
            series.first.date,
            series.last.date
        )?;
    }
    Ok(())
}

/// A game in a line.
fn line(game: &PlayerGame, bases: &[String]) -> String {
    let base = match bases {
        [_] => String::new(),
        bases => format!("{} ", bases.get(game.base).map_or("", String::as_str)),
    };
    format!(
        "{} {:>4}  {} ({})  {}  {base}#{}",
        game.date,
        game.opponent_elo,
        printable(&game.opponent),
        game.color.char(),
        printable(&game.event),
        game.number,
    )
}
