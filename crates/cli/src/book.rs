//! `tabiya book`: an opening book from games.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use tabiya::Target;
use tabiya::book::{BookOptions, BookReport, BookWeightRule, make};
use tabiya_answers::Answer;
use tabiya_formats::format::{Format, WriteOptions};

use super::args::{FormatValues, JobsArgs, ReadArgs};
use super::exit::Exit;
use super::explore::ColorArg;
use super::output::{self, count, grouped, say};
use super::progress::ProgressLine;
use super::report;
use super::select_args::SelectArgs;

#[derive(Args, Debug)]
pub(crate) struct BookArgs {
    /// Databases; `-` is standard input
    #[arg(required = true, value_name = "BASE")]
    bases: Vec<PathBuf>,
    /// The book: `.bin` for Polyglot, `.abk` for Arena
    #[arg(long, short, required = true, value_name = "FILE")]
    output: PathBuf,
    /// Format of the book, polyglot or abk [default: by its extension]
    #[arg(long, value_name = "FORMAT", value_parser = FormatValues, hide_possible_values = true)]
    to: Option<&'static Format>,
    /// Replace an existing book
    #[arg(long)]
    force: bool,
    /// Depth of the book in plies
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=600), help_heading = "The book")]
    depth: u32,
    /// Minimum number of games with a move
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..), help_heading = "The book")]
    min_games: u32,
    /// Minimum score of a move in per cent, for the side that plays it
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent, help_heading = "The book")]
    min_score: f64,
    /// Only moves of this side
    #[arg(long, value_enum, value_name = "COLOR", help_heading = "The book")]
    side: Option<ColorArg>,
    /// How moves are weighed
    #[arg(
        long,
        value_enum,
        value_name = "RULE",
        default_value = "points",
        help_heading = "The book"
    )]
    weights: WeightingArg,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// How moves are weighed.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum WeightingArg {
    /// Two for each win, one for each draw or unfinished game
    Points,
    /// One for each game
    Games,
    /// The score in per cent
    Score,
    /// All alike
    Uniform,
}

impl From<WeightingArg> for BookWeightRule {
    fn from(weights: WeightingArg) -> BookWeightRule {
        match weights {
            WeightingArg::Points => BookWeightRule::Points,
            WeightingArg::Games => BookWeightRule::Games,
            WeightingArg::Score => BookWeightRule::Score,
            WeightingArg::Uniform => BookWeightRule::Uniform,
        }
    }
}

/// A number from 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err("give a number from 0 to 100".to_owned()),
    }
}

pub(crate) fn run(args: &BookArgs) -> Result<Exit> {
    let options = WriteOptions {
        force: args.force,
        ..WriteOptions::default()
    };
    let target = Target::new(&args.output, args.to, options)?;
    let control = args.jobs.control();
    let opened = args.read.opener().open_all(&args.bases).or_fail()?;
    let games = args.select.of(&opened.bases)?;
    let options = BookOptions {
        plies: args.depth,
        min_games: args.min_games,
        min_score: args.min_score,
        color: args.side.map(ColorArg::color),
        weights: args.weights.into(),
    };
    let progress = ProgressLine::of(&control);
    let made = make(&games, &options, &target, &control)?;
    drop(progress);
    made.notes.iter().for_each(|note| say(note));
    if args.json {
        let mut out = output::stdout_of(true);
        writeln!(out, "{}", made.answer(&target).json())?;
        out.flush()?;
    }
    if !made.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    if !args.json {
        tell(&made, &args.output.to_string_lossy());
    }
    report::print_damaged(made.damaged);
    Ok(report::end(&opened, made.damaged > 0, made.moves > 0))
}

/// The report for people.
fn tell(made: &BookReport, target: &str) {
    say(&format!(
        "{target}: {} in {} from {}; {} left out",
        count(made.moves, "move", "moves"),
        count(made.positions, "position", "positions"),
        count(made.games, "game", "games"),
        grouped(made.left_out),
    ));
    if made.skipped > 0 {
        say(&format!(
            "{} from another starting position or without moves not counted",
            count(made.skipped, "game", "games")
        ));
    }
    if made.moves == 0 {
        say("the book is empty: no move has that many games; lower --min-games");
    }
}
