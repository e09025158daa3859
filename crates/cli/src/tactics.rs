//! `tabiya tactics`: puzzles from the games of a database.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use tabiya::Base;
use tabiya::engine::tactics::{Puzzle, PuzzleOptions};
use tabiya::tactics::{TacticsOptions, puzzle_answer, tactics};
use tabiya_answers::Answer;
use tabiya_formats::pgn::PgnGameWriter;
use tabiya_model::{Game, Losses};

use super::analyse::EngineArgs;
use super::args::ReadArgs;
use super::exit::Exit;
use super::output::{self, TerminalColors, count, say, stdout};
use super::select_args::SelectArgs;
use super::{interrupt, report};

#[derive(Args, Debug)]
pub(crate) struct TacticsArgs {
    /// Databases
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long = "format", alias = "form", value_enum, default_value_t = PuzzleFormat::Pgn)]
    form: PuzzleFormat,
    /// Print JSON, one puzzle per line
    #[arg(long, conflicts_with = "form")]
    json: bool,
    /// Write the puzzles to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
    /// Stop after N puzzles
    #[arg(long = "limit", short = 'n', alias = "first", value_name = "N")]
    first: Option<u64>,
    /// Only puzzles that the player did not solve in the game
    #[arg(long)]
    missed: bool,
    /// Nodes for the first search of a position
    #[arg(long, value_name = "N", default_value_t = PuzzleOptions::default().look, help_heading = "Engine")]
    nodes: u64,
    /// Nodes for the second search, of every move of a solution [default: ten times the first]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    verify: Option<u64>,
    /// Maximum length of a solution in plies
    #[arg(long, value_name = "N", default_value_t = PuzzleOptions::default().longest)]
    longest: usize,
    /// Number of engine processes [default: one per processor]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    processes: Option<usize>,
    /// The number of threads of other commands, which here once was that of processes
    #[arg(long, short = 'j', hide = true, value_parser = super::analyse::refuse_jobs)]
    jobs: Option<String>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum PuzzleFormat {
    /// Games that start from the position
    Pgn,
    /// One position per line, with the best move
    Epd,
    /// One JSON object per line
    Json,
}

pub(crate) fn run(args: &TacticsArgs) -> Result<Exit> {
    let mut specs = args.engine.specs()?;
    let Some(spec) = specs.pop().filter(|_| specs.is_empty()) else {
        bail!("give one engine to search a database");
    };
    let mut options = TacticsOptions::new(spec);
    let threads = args.engine.threads.unwrap_or(1).max(1) as usize;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    options.missed = args.missed;
    options.processes = args.processes.unwrap_or(processors / threads).max(1);
    options.find = PuzzleOptions {
        look: args.nodes.max(1),
        verify: args.verify.unwrap_or(args.nodes.saturating_mul(10)).max(1),
        longest: args.longest.max(1),
        ..PuzzleOptions::default()
    };
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    let games = args.select.of(&opened.bases)?;
    interrupt::extend_grace_period();
    let control = interrupt::control();
    let mut out = PuzzleTarget::open(args, &opened.bases)?;
    let mut writer = PuzzleWriter {
        form: match args.json {
            true => PuzzleFormat::Json,
            false => args.form,
        },
        pgn: PgnGameWriter::new(tabiya_formats::pgn::PgnStyle::default()),
        buffer: Vec::new(),
    };
    let (mut written, most) = (0, args.first.unwrap_or(u64::MAX));
    let (mut looked_at, mut failed) = (0, 0);
    for base in &opened.bases {
        if written >= most {
            break;
        }
        let name = base.name();
        let report = tactics(
            &games.within(base),
            &options,
            &control,
            &mut |game, puzzles| {
                for puzzle in puzzles {
                    if written >= most {
                        continue;
                    }
                    written += 1;
                    writer.write(name, game, puzzle);
                }
                out.put(&mut writer.buffer)?;
                Ok(written < most)
            },
        )?;
        looked_at += report.games;
        failed += report.failed;
        for note in &report.notes {
            say(&format!(
                "{}: {note}",
                TerminalColors::of_stderr().yellow("note")
            ));
        }
    }
    let is_stopped = interrupt::is_requested();
    // A file that lacks puzzles would look like a whole one.
    if !(is_stopped && args.output.is_some()) {
        out.finish()?;
    }
    say(&format!(
        "{} in {}",
        count(written, "puzzle", "puzzles"),
        count(looked_at, "game", "games")
    ));
    if is_stopped {
        return Ok(Exit::Interrupted);
    }
    Ok(report::end(&opened, failed > 0, written > 0))
}

/// Standard output, or a file that appears when it is whole.
enum PuzzleTarget {
    Stdout(output::Stdout),
    File(Box<tabiya_io::output::OutputFile>),
}

impl PuzzleTarget {
    fn open(args: &TacticsArgs, bases: &[Base]) -> Result<PuzzleTarget> {
        let Some(path) = &args.output else {
            return Ok(PuzzleTarget::Stdout(stdout()));
        };
        let options = tabiya_io::output::OutputOptions {
            force: args.force,
            sources: bases.iter().flat_map(Base::files).collect(),
        };
        let output = tabiya_io::output::OutputFile::create(path, &options)
            .map_err(|error| anyhow!("{error}"))?;
        Ok(PuzzleTarget::File(Box::new(output)))
    }

    fn put(&mut self, bytes: &mut Vec<u8>) -> std::io::Result<()> {
        match self {
            // Puzzles come slowly: each is shown at once.
            PuzzleTarget::Stdout(out) => out.write_all(bytes).and_then(|()| out.flush())?,
            PuzzleTarget::File(out) => out.write_all(bytes)?,
        }
        bytes.clear();
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            PuzzleTarget::Stdout(mut out) => Ok(out.flush()?),
            PuzzleTarget::File(out) => out.commit().map_err(|error| anyhow!("{error}")),
        }
    }
}

struct PuzzleWriter {
    form: PuzzleFormat,
    pgn: PgnGameWriter,
    buffer: Vec<u8>,
}

impl PuzzleWriter {
    fn write(&mut self, source: &str, game: &Game, puzzle: &Puzzle) {
        match self.form {
            PuzzleFormat::Pgn => {
                // PGN holds all that a puzzle has.
                let mut losses = Losses::default();
                self.pgn
                    .write(&puzzle.to_game(game), &mut self.buffer, &mut losses);
            }
            PuzzleFormat::Epd => {
                self.buffer
                    .extend_from_slice(puzzle.to_epd(game).as_bytes());
                self.buffer.push(b'\n');
            }
            PuzzleFormat::Json => {
                let line = puzzle_answer(source, game, puzzle).json().to_string();
                self.buffer.extend_from_slice(line.as_bytes());
                self.buffer.push(b'\n');
            }
        }
    }
}
