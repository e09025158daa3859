//! `tabiya jose`: jose's move encoding for rows that come out of any SQL client.

use std::io::{BufRead, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use tabiya_formats::jose::moves::{Decoder, Encoded, Encoder, Input};
use tabiya_formats::jose::text::Coding;
use tabiya_formats::pgn::{GameWriter, PgnStyle};
use tabiya_model::game::{Start, Variant};
use tabiya_model::{Board, Game, LossReport, Losses, Severity, Want};

use super::args::ReadArgs;
use super::exit::Exit;
use super::output::{self, say};
use super::report;
use super::settings::PgnSettings;

#[derive(Args, Debug)]
pub(crate) struct JoseArgs {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Makes PGN of the columns of a row: Bin, Comments and FEN
    Decode(DecodeArgs),
    /// Makes the columns of a row of PGN: Bin and Comments in hex, and FEN, with tabs between
    Encode(EncodeArgs),
}

#[derive(Args, Debug)]
struct DecodeArgs {
    /// Bin in hex; without it, lines of standard input are read: Bin in hex, Comments in hex, FEN, with tabs between
    bin: Option<String>,
    /// Comments in hex
    #[arg(long, value_name = "HEX", requires = "bin")]
    comments: Option<String>,
    /// Position that the game starts from
    #[arg(long)]
    fen: Option<String>,
    /// Standard input is one Bin column as it is
    #[arg(long, conflicts_with = "bin")]
    raw: bool,
    #[command(flatten)]
    settings: PgnSettings,
}

#[derive(Args, Debug)]
struct EncodeArgs {
    /// The games; `-` is standard input
    #[arg(default_value = "-")]
    source: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &JoseArgs) -> Result<Exit> {
    match &args.task {
        Task::Decode(args) => decode(args),
        Task::Encode(args) => encode(args),
    }
}

/// Decodes rows and writes them as PGN.
struct Rows {
    decoder: Decoder,
    writer: GameWriter,
    game: Game,
    buffer: Vec<u8>,
    number: u64,
    losses: Losses,
    is_damaged: bool,
}

impl Rows {
    fn row(&mut self, bin: &[u8], comments: Option<&[u8]>, fen: Option<&str>) -> Result<()> {
        self.number += 1;
        let game = &mut self.game;
        game.clear();
        game.origin.number = self.number;
        if let Some(fen) = fen.filter(|fen| !matches!(*fen, "" | "-" | "NULL" | "\\N")) {
            let (board, problems) = Board::from_fen(fen)
                .map_err(|error| anyhow!("row {}: {fen}: {error}", self.number))?;
            if board.is_chess960() {
                game.variant = Variant::Chess960;
                game.tags.push("Variant", "Chess960");
            }
            game.tags.push("SetUp", "1");
            game.tags.push("FEN", fen);
            game.start = Start::Setup(Box::new(board), problems);
        }
        let input = Input {
            bin,
            comments,
            coding: Coding::default(),
        };
        self.decoder.decode(input, Want::ALL, game);
        for diagnostic in game.diagnostics.iter() {
            say(&diagnostic.to_string());
        }
        if game.diagnostics.at_least(Severity::Damage) > 0 {
            self.is_damaged = true;
        }
        self.writer.write(game, &mut self.buffer, &mut self.losses);
        Ok(())
    }
}

fn decode(args: &DecodeArgs) -> Result<Exit> {
    let mut rows = Rows {
        decoder: Decoder::default(),
        writer: GameWriter::new(PgnStyle::of(&args.settings.0)?),
        game: Game::default(),
        buffer: Vec::new(),
        number: 0,
        losses: Losses::default(),
        is_damaged: false,
    };
    let mut out = output::stdout();
    if let Some(bin) = &args.bin {
        let comments = args.comments.as_deref().map(unhex).transpose()?;
        rows.row(&unhex(bin)?, comments.as_deref(), args.fen.as_deref())?;
    } else if args.raw {
        let mut bin = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bin)?;
        rows.row(&bin, None, args.fen.as_deref())?;
    } else {
        for line in std::io::stdin().lock().lines() {
            let line = line.context(
                "standard input is no text: --raw takes the bytes of one column as they are",
            )?;
            let mut cells = line.split('\t');
            let bin = unhex(cells.next().unwrap_or_default())?;
            let comments = cells.next().map(unhex).transpose()?;
            rows.row(
                &bin,
                comments.as_deref(),
                cells.next().or(args.fen.as_deref()),
            )?;
            out.write_all(&rows.buffer)?;
            rows.buffer.clear();
        }
    }
    out.write_all(&rows.buffer)?;
    out.flush()?;
    Ok(end("PGN", &rows.losses, rows.is_damaged))
}

/// Tells what could not be written, and how the command ends.
fn end(name: &str, losses: &Losses, is_damaged: bool) -> Exit {
    let mut report = LossReport::default();
    losses.iter().for_each(|loss| report.add(loss));
    report::losses(name, &report, false);
    let is_lost = losses.iter().any(|loss| !loss.kind.is_layout());
    Exit::of(false, is_lost || is_damaged, true)
}

fn encode(args: &EncodeArgs) -> Result<Exit> {
    let mut encoder = Encoder::default();
    let mut row = Encoded::default();
    let mut losses = Losses::default();
    let mut out = output::stdout();
    let mut damaged = 0;
    let control = super::interrupt::control();
    for base in args.read.opener().open(&args.source)? {
        base.for_each(Want::ALL, &control, |game| {
            damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
            if encoder.encode(game, &mut row, &mut losses) {
                let fen = match &game.start {
                    Start::Standard => String::new(),
                    Start::Setup(board, _) => board.to_fen(),
                };
                writeln!(out, "{}\t{}\t{fen}", hex(&row.bin), hex(&row.comments))?;
            }
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
    }
    out.flush()?;
    report::damaged(damaged);
    Ok(end("jose", &losses, damaged > 0))
}

/// Hex digits, with or without `0x`, as bytes.
fn unhex(text: &str) -> Result<Vec<u8>> {
    let text = text.trim();
    if matches!(text, "NULL" | "\\N") {
        return Ok(Vec::new());
    }
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    let bytes: Option<Vec<u8>> = digits
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect();
    match bytes {
        Some(bytes) => Ok(bytes),
        None => bail!(
            "hex digits are wanted, two a byte; SELECT HEX(Bin) gives them, and --raw takes the bytes themselves"
        ),
    }
}

fn digit(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
