//! How long the reports about repertoires take: whole processes over the corpus, files warm.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::contestants::program;
use crate::task::MissingProgram;
use crate::{corpora, report};

/// Each is run so often; the median counts.
const ROUNDS: usize = 7;
/// Positions that the repertoire has at least.
const POSITIONS: u64 = 5_000;
/// Games in which its moves were played at least, until there are so many positions.
const GAMES: [&str; 6] = ["20", "10", "8", "6", "5", "4"];

/// Makes a repertoire of what was played in so many games of the corpus at least.
fn extraction<'a>(games: &'a str, target: &'a str) -> [&'a str; 10] {
    [
        "repertoire",
        "extract",
        "otb.si5",
        "--side",
        "white",
        "--min-games",
        games,
        "-o",
        target,
        "--force",
    ]
}

/// Measures, prints the table and puts it into the results.
pub(crate) fn run() -> Result<()> {
    let program = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let path = |name: &str| folder.path().join(name);
    let run = |args: &[&str]| -> Result<String> {
        let output = Command::new(&program)
            .args(args)
            .current_dir(folder.path())
            .output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            matches!(output.status.code(), Some(0 | 3)),
            "{args:?}: {said}"
        );
        Ok(said)
    };
    let corpus = corpora::OTB.prepare(None)?;
    let corpus = corpus.to_str().context("a name in UTF-8")?;
    run(&["convert", corpus, "otb.si5"])?;
    run(&["index", "otb.si5"])?;
    run(&["convert", "otb.si5", "few.pgn", "--only", "1-1000"])?;
    run(&["convert", "otb.si5", "otb.pgn"])?;
    run(&["index", "otb.pgn"])?;
    let million = corpora::FIVE_SI5.prepare(None)?;
    let mut positions = 0;
    for games in GAMES {
        let said = run(&extraction(games, "white.pgn"))?;
        let number = said.split_whitespace().next().unwrap_or_default();
        positions = number.replace(',', "").parse().unwrap_or(0);
        if positions >= POSITIONS {
            break;
        }
    }
    let timed = |args: &[&str], base: &Path| -> Result<Duration> {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let status = Command::new(&program)
                .args(args)
                .arg(base)
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            times.push(begin.elapsed());
            ensure!(
                matches!(status.code(), Some(0 | 1 | 3)),
                "{args:?}: {status}"
            );
        }
        times.sort_unstable();
        Ok(times[ROUNDS / 2])
    };
    let mut text = format!(
        "## Repertoires\n\n{}, {}; a repertoire of {positions} positions that was extracted from the corpus `otb`; whole processes, files \
         warm, medians of {ROUNDS} runs  \n`cargo run --release -p tabiya-bench -- repertoires`\n\n| | time (ms) |\n|---|--:|\n",
        report::date(),
        report::machine(),
    );
    let (otb, few): (PathBuf, PathBuf) = (path("otb.si5"), path("few.pgn"));
    const CHECK: &[&str] = &["repertoire", "check", "--with", "white.pgn"];
    const GAPS: &[&str] = &["repertoire", "gaps", "white.pgn", "--reference"];
    const COVERAGE: &[&str] = &["repertoire", "coverage", "white.pgn", "--reference"];
    const LEAVES: &[&str] = &["repertoire", "check", "--summary", "--with", "white.pgn"];
    for (name, args, base) in [
        ("`check` of 1,000 games, PGN", CHECK, &few),
        (
            "`check --summary` of `otb` (286,040 games), si5",
            LEAVES,
            &otb,
        ),
        ("`gaps` against `otb`, si5", GAPS, &otb),
        ("`gaps` against 1.43 million games, si5", GAPS, &million),
        ("`coverage` against `otb`, si5", COVERAGE, &otb),
    ] {
        let time = timed(args, base)?.as_secs_f64() * 1e3;
        let _ = writeln!(text, "| {name} | {time:.0} |");
    }
    for (name, base) in [
        ("`otb`, si5 with its index", &otb),
        ("`otb`, PGN with its index", &path("otb.pgn")),
        ("1.43 million games, si5", &million),
    ] {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let status = Command::new(&program)
                .args(["search", "--count"])
                .arg(base)
                .arg("leaves[by me, after 6]:white.pgn")
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            times.push(begin.elapsed());
            // Games that are read may be damaged.
            ensure!(matches!(status.code(), Some(0 | 3)), "leaves: {status}");
        }
        times.sort_unstable();
        let time = times[ROUNDS / 2].as_secs_f64() * 1e3;
        let _ = writeln!(
            text,
            "| `search --count 'leaves[by me, after 6]:white.pgn'`, {name} | {time:.0} |"
        );
    }
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        run(&extraction("10", "made.pgn"))?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let time = times[ROUNDS / 2].as_secs_f64() * 1e3;
    let _ = writeln!(
        text,
        "| `extract --min-games 10` from `otb`, si5 | {time:.0} |"
    );
    println!("{text}");
    let results = corpora::root().join("bench/RESULTS.md");
    report::update(&results, "repertoires", &text)
}
