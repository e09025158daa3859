//! `tabiya dedupe`: duplicate games.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use tabiya::dedupe::{
    self, AnnotationMerges, DedupeOptions, DedupeReport, DuplicateGame, DuplicatePair,
    KeepCriterion,
};
use tabiya::edit;
use tabiya_answers::Answer;
use tabiya_model::Control;

use super::args::{CellsArgs, JobsArgs, ReadArgs, WriteArgs};
use super::convert;
use super::csv_rows::CsvRows;
use super::exit::Exit;
use super::output::{self, TerminalColors, count, grouped, printable, say};
use super::progress::ProgressLine;
use super::report;
use super::select_args::SelectArgs;

#[derive(Args, Debug)]
pub(crate) struct DedupeArgs {
    /// Databases; duplicates are found in each and between them
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Which duplicate to keep
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = KeepCriterionArg::Moves)]
    keep: KeepCriterionArg,
    /// Also match games with colours reversed
    #[arg(long)]
    swapped: bool,
    /// Also match surnames that differ in one letter
    #[arg(long)]
    misspelt: bool,
    /// Print JSON, one pair per line
    #[arg(long, conflicts_with = "count")]
    json: bool,
    /// Print CSV with a heading, one pair per row
    #[arg(long, conflicts_with_all = ["count", "json"])]
    csv: bool,
    /// Show at most N pairs
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u64>,
    /// Print only the number of pairs
    #[arg(long)]
    count: bool,
    /// Write a database without the duplicates
    #[arg(long, short, value_name = "TARGET", conflicts_with_all = ["mark", "undo"])]
    output: Option<PathBuf>,
    /// Mark duplicates as deleted, in place
    #[arg(long, conflicts_with = "undo")]
    mark: bool,
    /// Merge comments, NAGs, variations and further moves of duplicates into the game that is kept
    #[arg(long)]
    merge: bool,
    /// Undo --mark
    #[arg(long, conflicts_with_all = ["merge", "query", "games", "skip_deleted", "only_deleted", "unfinished", "aliases", "json", "csv", "limit", "count"])]
    undo: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum KeepCriterionArg {
    /// The game with more moves
    Moves,
    /// The game with more comments, NAGs and variations
    Annotations,
    /// The game with more ratings
    Elo,
    /// The last game
    Newest,
    /// The first game
    First,
}

impl DedupeArgs {
    fn options(&self) -> DedupeOptions {
        DedupeOptions {
            keep: match self.keep {
                KeepCriterionArg::Moves => KeepCriterion::Moves,
                KeepCriterionArg::Annotations => KeepCriterion::Annotations,
                KeepCriterionArg::Elo => KeepCriterion::Elo,
                KeepCriterionArg::Newest => KeepCriterion::Newest,
                KeepCriterionArg::First => KeepCriterion::First,
            },
            swapped: self.swapped,
            misspelt: self.misspelt,
        }
    }
}

pub(crate) fn run(args: &DedupeArgs) -> Result<Exit> {
    let control = args.jobs.control();
    if args.undo {
        return undo(args, &control);
    }
    if args.merge && args.output.is_none() && !args.mark {
        bail!("--merge needs --output (a new database) or --mark (a change in place)");
    }
    let options = args.options();
    let opener = args.read.opener();
    let opened = opener.open_all(&args.paths).or_fail()?;
    if args.mark {
        for base in &opened.bases {
            edit::can_change(&opener, base.path())?;
        }
    }
    let games = args.select.of(&opened.bases)?;
    let progress = ProgressLine::of(&control);
    let mut out = output::stdout_of(args.json);
    let mut merging = AnnotationMerges::default();
    let mut told = Ok(());
    let is_shown = !args.count && (args.json || args.csv || (args.output.is_none() && !args.mark));
    let mut rows = CsvRows::new(&PAIR_COLUMNS);
    let cells = CellsArgs::of(&args.write.settings.0);
    let mut left = args.limit.unwrap_or(u64::MAX);
    let doubles = dedupe::dedupe(&games, &options, &control, &mut |pair| {
        if args.merge {
            merging.add(pair);
        }
        if is_shown && left > 0 {
            left -= 1;
            told = match (args.json, args.csv) {
                (true, _) => writeln!(out, "{}", pair.answer().json()),
                (_, true) => rows.row(&mut out, &cells, &pair.answer().json()),
                _ => tell(&mut out, pair, opened.bases.len() > 1),
            };
        }
        Ok(match (&told, is_shown || args.merge) {
            (Ok(()), true) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        })
    })?;
    drop(progress);
    told?;
    if args.count && doubles.ended.is_whole() {
        writeln!(out, "{}", doubles.pairs)?;
    }
    out.flush()?;
    doubles.notes.iter().for_each(|note| say(note));
    if !doubles.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    if doubles.damaged > 0 {
        say(&format!(
            "{} not compared, because the content is unknown",
            count(doubles.damaged, "damaged game was", "damaged games were")
        ));
    }
    let exit = match &args.output {
        // A copy reports damage itself, and is also made if there are no duplicates.
        Some(path) => return copy(args, path, &opened, &doubles, &merging, &control),
        None if args.mark => mark(&opener, &opened.bases, &doubles, &merging, &control)?,
        None => Exit::Success,
    };
    if !args.mark && !args.count {
        say(&format!(
            "{} compared, {} found (nothing was changed; -o writes a database without them, --mark marks them as deleted)",
            count(doubles.games, "game", "games"),
            count(doubles.pairs, "duplicate", "duplicates")
        ));
    }
    Ok(exit.or(report::end(&opened, doubles.damaged > 0, doubles.pairs > 0)))
}

/// The columns of a pair.
const PAIR_COLUMNS: [&str; 13] = [
    "keep.base",
    "keep.number",
    "drop.base",
    "drop.number",
    "keep.white",
    "keep.black",
    "keep.date",
    "keep.event",
    "keep.plies",
    "drop.plies",
    "kind",
    "reasons",
    "stays",
];

fn tell(out: &mut impl Write, pair: &DuplicatePair, named: bool) -> std::io::Result<()> {
    let paint = TerminalColors::of_stdout();
    let line = |place: &DuplicateGame| {
        let game = &place.game;
        let name = match named {
            true => format!("{} ", printable(&place.name)),
            false => String::new(),
        };
        format!(
            "{name}{}\t{} - {}\t{} {} {}\t{} ({})",
            game.number,
            printable(&game.white),
            printable(&game.black),
            printable(&game.event),
            printable(&game.round),
            printable(&game.date),
            game.result.as_pgn(),
            game.plies.unwrap_or(0)
        )
    };
    writeln!(out, "{} {}", paint.bold("keep"), line(&pair.keep))?;
    writeln!(out, "{} {}", paint.bold("drop"), line(&pair.drop))?;
    let reasons = pair.reasons.join("; ");
    writeln!(out, "     {}; kept: {}", printable(&reasons), pair.stays)
}

fn copy(
    args: &DedupeArgs,
    path: &Path,
    opened: &tabiya::OpenedBases,
    doubles: &DedupeReport,
    merging: &AnnotationMerges,
    control: &Control,
) -> Result<Exit> {
    let target = args.write.target(path)?;
    let (done, merged) = dedupe::copy(&opened.bases, doubles, merging, &target, control)?;
    if merged > 0 {
        say(&format!(
            "{} annotations or moves of duplicates",
            count(merged, "game received", "games received")
        ));
    }
    convert::end(&done, opened, false)
}

fn mark(
    opener: &tabiya::Opener,
    bases: &[tabiya::Base],
    doubles: &DedupeReport,
    merging: &AnnotationMerges,
    control: &Control,
) -> Result<Exit> {
    let mut exit = Exit::Success;
    for (at, base) in bases.iter().enumerate() {
        let (merged, refused) = dedupe::merge_in_place(bases, at, merging)?;
        if merged > 0 {
            say(&format!(
                "{}: {} annotations or moves of duplicates; `tabiya edit BASE undo` undoes this",
                base.name(),
                count(merged, "game received", "games received")
            ));
        }
        for (number, why) in refused {
            say(&format!(
                "{}: game {number} was not changed: {why}",
                base.name()
            ));
            exit = Exit::Incomplete;
        }
    }
    for (base, drops) in bases.iter().zip(&doubles.drops) {
        if drops.is_empty() {
            say(&format!("{}: no duplicates", base.name()));
            continue;
        }
        let options = edit::EditOptions::of_user()?;
        let done = dedupe::mark(opener, base.path(), drops, &options, control)?;
        if !done.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        done.notes
            .iter()
            .for_each(|note| say(&format!("{}: {note}", base.name())));
        say(&format!(
            "{}: {} marked as deleted; --undo undoes this",
            base.name(),
            count(done.games, "duplicate", "duplicates")
        ));
    }
    Ok(exit)
}

fn undo(args: &DedupeArgs, control: &Control) -> Result<Exit> {
    let opener = args.read.opener();
    for path in &args.paths {
        let done = dedupe::unmark(&opener, path, control)?;
        if !done.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        say(&format!(
            "{}: {} undeleted",
            path.display(),
            match done.games {
                1 => "1 game".to_owned(),
                games => format!("{} games", grouped(games)),
            }
        ));
    }
    Ok(Exit::Success)
}
