//! What changes of many games cost beside pgn-extract: each of its options with that of `tabiya convert`, by turns.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::contestants::program;
use crate::cost::{median, once};
use crate::measure::find_program;
use crate::task::MissingProgram;
use crate::{corpora, report};

/// Games of each corpus.
const GAMES: usize = 20_000;

/// Options of pgn-extract, and options here.
const PAIRS: [(&str, &str); 24] = [
    ("", ""),
    ("-7", "--tags roster,SetUp,FEN"),
    ("-C", "--no-comments"),
    ("-V", "--no-variations"),
    ("-N", "--no-nags"),
    (
        "-C -V -N",
        "--strip comments,clocks,evaluations,marks,variations,nags",
    ),
    ("-Wlalg", "--moves uci"),
    ("-Whalg", "--moves squares"),
    ("-Wxolalg", "--moves long"),
    ("-WsanBSLTDK", "--pieces german"),
    (
        "-Wuci",
        "--moves uci --no-numbers --no-comments --no-nags --no-variations --width 0",
    ),
    ("-Wepd", "--to epd --positions all --operations id,result"),
    ("--nochecks", "--no-checks"),
    ("--nomovenumbers", "--no-numbers"),
    ("--noresults", "--no-results"),
    (
        "--plycount --totalplycount",
        "--compute ply-count,total-ply-count",
    ),
    ("--plylimit 20", "--cut ..20"),
    ("--dropply 7", "--cut 8.."),
    ("--fencomments", "--fen-comments"),
    ("--hashcomments", "--hash-comments"),
    ("-F", "--fen-comments=end"),
    ("-D", "--unique=moves"),
    ("-M", "--query ends:mate"),
    ("-eECO", "--compute eco,opening"),
];

/// The first games of a PGN file.
fn first_games(from: &Path, to: &Path) -> Result<usize> {
    let mut lines = BufReader::new(std::fs::File::open(from)?);
    let mut out = BufWriter::new(std::fs::File::create(to)?);
    let (mut line, mut games) = (Vec::new(), 0);
    while lines.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"[Event ") {
            if games == GAMES {
                break;
            }
            games += 1;
        }
        out.write_all(&line)?;
        line.clear();
    }
    out.flush()?;
    Ok(games)
}

/// Measures, prints the tables and puts them into the results.
pub(crate) fn run() -> Result<()> {
    let ours = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let theirs = find_program("pgn-extract").or_else(|MissingProgram(why)| bail!(why))?;
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let path = |name: &str| folder.path().join(name);
    let mut text = format!(
        "## Changes of many games beside pgn-extract\n\n{}, {}; the first {GAMES} games of a corpus (all of `annotated`); whole processes by turns, medians of 3 for `otb`, one run for `annotated`  \n\
         `cargo run --release -p tabiya-bench -- bulk`\n\n\
         | corpus | pgn-extract 19.04 | here | its time (s) | ours (s) | times as fast | our peak (MiB) |\n|---|---|---|--:|--:|--:|--:|\n",
        report::date(),
        report::machine(),
    );
    // Each is done so often; the median counts.
    for (corpus, rounds) in [(&corpora::OTB, 3), (&corpora::ANNOTATED, 1)] {
        let source = path("games.pgn");
        first_games(&corpus.prepare(None)?, &source)?;
        for (of_theirs, of_ours) in PAIRS {
            let (mut their_costs, mut our_costs) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                let words = of_theirs.replace("-eECO", "-e/usr/share/pgn-extract/eco.pgn");
                let mut command = Command::new(&theirs);
                command
                    .args(["-s", "--quiet"])
                    .args(words.split_whitespace())
                    .arg(format!("-o{}", path("theirs.pgn").display()))
                    .arg(&source);
                their_costs.push(once(&mut command)?);
                let mut command = Command::new(&ours);
                command
                    .arg("convert")
                    .args([&source, &path("ours.pgn")])
                    .arg("--force")
                    .args(of_ours.split_whitespace());
                our_costs.push(once(&mut command)?);
            }
            let (their_cost, our_cost) = (median(&their_costs), median(&our_costs));
            let ratio = their_cost.wall.as_secs_f64() / our_cost.wall.as_secs_f64();
            let line = format!(
                "| {} | `{of_theirs}` | `{of_ours}` | {:.3} | {:.3} | {ratio:.1} | {:.1} |",
                corpus.name,
                their_cost.wall.as_secs_f64(),
                our_cost.wall.as_secs_f64(),
                our_cost.mebibytes(),
            )
            .replace("``", "the default");
            eprintln!("{line}");
            writeln!(text, "{line}")?;
        }
    }
    let source = corpora::OTB.prepare(None)?;
    let target = path("players");
    let mut command = Command::new(&ours);
    command
        .arg("convert")
        .args([&source, &target])
        .args(["--split-by", "player"]);
    let split = once(&mut command)?;
    let files = std::fs::read_dir(&target)?.count();
    let line = format!(
        "\n`tabiya convert otb.pgn players --split-by player`: {files} files of all 286,040 games in {:.1} s, peak {:.1} MiB (the mapped source included).",
        split.wall.as_secs_f64(),
        split.mebibytes(),
    );
    eprintln!("{line}");
    writeln!(text, "{line}")?;
    println!("{text}");
    report::update(&corpora::root().join("bench/RESULTS.md"), "bulk", &text)
}
