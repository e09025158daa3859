//! `tabiya jose`: jose's move encoding for rows from any SQL client.

use std::io::{BufRead, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use tabiya_formats::jose::row_lines::{JoseRowReader, JoseRowWriter, unhex};
use tabiya_formats::pgn::{PgnGameWriter, PgnStyle};
use tabiya_model::{Game, GameNeeds, LossReport, Losses, Severity};

use super::args::ReadArgs;
use super::exit::Exit;
use super::format_options::PgnSettings;
use super::output::{self, Stdout, say};
use super::report;

#[derive(Args, Debug)]
pub(crate) struct JoseArgs {
    #[command(subcommand)]
    task: JoseCommand,
}

#[derive(Subcommand, Debug)]
enum JoseCommand {
    /// Convert the columns of a row (Bin, Comments and FEN) to PGN
    Decode(JoseDecodeArgs),
    /// Convert PGN to the columns of a row: Bin and Comments in hex and FEN, separated by tabs
    Encode(JoseEncodeArgs),
}

#[derive(Args, Debug)]
struct JoseDecodeArgs {
    /// Bin in hex [default: lines from standard input with Bin in hex, Comments in hex and FEN, separated by tabs]
    bin: Option<String>,
    /// Comments in hex
    #[arg(long, value_name = "HEX", requires = "bin")]
    comments: Option<String>,
    /// Starting position as FEN
    #[arg(long)]
    fen: Option<String>,
    /// Read one raw Bin column from standard input
    #[arg(long, conflicts_with = "bin")]
    raw: bool,
    #[command(flatten)]
    settings: PgnSettings,
}

#[derive(Args, Debug)]
struct JoseEncodeArgs {
    /// Database; `-` is standard input
    #[arg(default_value = "-")]
    source: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &JoseArgs) -> Result<Exit> {
    match &args.task {
        JoseCommand::Decode(args) => decode(args),
        JoseCommand::Encode(args) => encode(args),
    }
}

/// Writes the games of rows as PGN.
struct JosePgnWriter {
    out: Stdout,
    writer: PgnGameWriter,
    buffer: Vec<u8>,
    losses: Losses,
    is_damaged: bool,
}

impl JosePgnWriter {
    fn put(&mut self, game: &Game) -> std::io::Result<()> {
        for diagnostic in game.diagnostics.iter() {
            say(&diagnostic.to_string());
        }
        self.is_damaged |= game.diagnostics.at_least(Severity::Damage) > 0;
        self.buffer.clear();
        self.writer.write(game, &mut self.buffer, &mut self.losses);
        self.out.write_all(&self.buffer)
    }
}

fn decode(args: &JoseDecodeArgs) -> Result<Exit> {
    let mut rows = JoseRowReader::default();
    let mut pgn = JosePgnWriter {
        out: output::stdout(),
        writer: PgnGameWriter::new(PgnStyle::of(&args.settings.0)?),
        buffer: Vec::new(),
        losses: Losses::default(),
        is_damaged: false,
    };
    let fen = args.fen.as_deref();
    if let Some(bin) = &args.bin {
        let comments = args.comments.as_deref().map(unhex).transpose()?;
        pgn.put(rows.row(&unhex(bin)?, comments.as_deref(), fen)?)?;
    } else if args.raw {
        let mut bin = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bin)?;
        pgn.put(rows.row(&bin, None, fen)?)?;
    } else {
        for line in std::io::stdin().lock().lines() {
            let line =
                line.context("standard input is not text; --raw reads the bytes of one column")?;
            pgn.put(rows.line(&line, fen)?)?;
        }
    }
    pgn.out.flush()?;
    Ok(end("PGN", &pgn.losses, pgn.is_damaged))
}

/// Reports what could not be written, and how the command ends.
fn end(name: &str, losses: &Losses, is_damaged: bool) -> Exit {
    let mut report = LossReport::default();
    losses.iter().for_each(|loss| report.add(loss));
    report::losses(name, &report, false);
    let is_lost = losses.iter().any(|loss| !loss.kind.is_layout());
    Exit::of(false, is_lost || is_damaged, true)
}

fn encode(args: &JoseEncodeArgs) -> Result<Exit> {
    let mut rows = JoseRowWriter::default();
    let mut line = Vec::new();
    let mut losses = Losses::default();
    let mut out = output::stdout();
    let mut damaged = 0;
    let control = super::interrupt::control();
    for base in args.read.opener().open(&args.source)? {
        base.for_each(GameNeeds::ALL, &control, |game| {
            damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
            line.clear();
            rows.write(game, &mut line, &mut losses);
            out.write_all(&line)?;
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
    }
    out.flush()?;
    report::print_damaged(damaged);
    Ok(end("jose", &losses, damaged > 0))
}
