//! How the costs of searching and of the position index grow with the number of games.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tabiya_model::board::Board;

use crate::contestants::positions::{ask, build_index, sample, write_base};
use crate::contestants::program;
use crate::contestants::search::{QUESTIONS, SearchQuestion};
use crate::task::{MissingProgram, WorkCounts};
use crate::{corpora, report};

/// Games of the bases that are compared.
const SIZES: [u64; 6] = [10_000, 30_000, 100_000, 286_040, 572_080, 1_430_200];
/// Positions that are asked for in each.
const POSITIONS: u64 = 200;
/// Each is asked so often; the quickest answer counts, because the first finds the files cold.
const ROUNDS: usize = 3;
/// The same for searches.
const SEARCHES: usize = 7;

/// Measures, prints the table and puts it into the results.
pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let games = folder.path().join("five.pgn");
    corpora::five_times(&corpora::OTB.prepare(None)?, &games)?;
    let mut text = format!(
        "## Growth of the position index\n\n{}, {}; the first games of the corpus `otb`, beyond its end copies with \
         other surnames, as bases of Scid 5  \n`cargo run --release -p tabiya-bench -- growth`\n\n\
         | games | positions | build (s) | M positions/s | index (MB) | bytes/position | start (ms) | median (ms) | \
         90 % (ms) | worst (ms) |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        report::date(),
        report::machine(),
    );
    let mut searches = format!(
        "## Growth of search times\n\n{}, {}; the same bases, without an index of positions  \n`cargo run --release -p \
         tabiya-bench -- growth`\n\n| games |{}\n|--:|{}\n",
        report::date(),
        report::machine(),
        QUESTIONS
            .map(|(name, _)| format!(" {name} (ms) |"))
            .concat(),
        "--:|".repeat(QUESTIONS.len()),
    );
    for count in SIZES {
        let base = folder.path().join("games.si5");
        let _ = fs::remove_file(folder.path().join("games.si5.tabiya-index"));
        write_base(&games, &base, count)?;
        let mut row = format!("| {count} |");
        for (_, question) in &QUESTIONS {
            let _ = write!(
                row,
                " {:.1} |",
                search(&base, question)?.as_secs_f64() * 1e3
            );
        }
        eprintln!("{row}");
        let _ = writeln!(searches, "{row}");
        let mut build = f64::MAX;
        let mut built = WorkCounts::default();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            built = build_index(&base)?;
            build = build.min(begin.elapsed().as_secs_f64());
        }
        let bytes = fs::metadata(folder.path().join("games.si5.tabiya-index"))?.len() as f64;
        let time = |board: &Board| -> Result<Duration> {
            let mut best = Duration::MAX;
            for _ in 0..ROUNDS {
                let begin = Instant::now();
                ask(&base, std::slice::from_ref(board), true)?;
                best = best.min(begin.elapsed());
            }
            Ok(best)
        };
        let start = time(&Board::standard())?;
        let mut all = Vec::new();
        for board in sample(&base, POSITIONS)? {
            all.push(time(&board)?);
        }
        all.sort();
        let of = |tenths: usize| {
            let at = (all.len() * tenths / 10).min(all.len().saturating_sub(1));
            all.get(at).copied().unwrap_or_default().as_secs_f64() * 1e3
        };
        let positions = built.plies as f64;
        let line = format!(
            "| {} | {} | {build:.2} | {:.1} | {:.1} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} |",
            built.games,
            built.plies,
            positions / build / 1e6,
            bytes / 1e6,
            bytes / positions,
            start.as_secs_f64() * 1e3,
            of(5),
            of(9),
            of(10),
        );
        eprintln!("{line}");
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(
        text,
        "\nBuilding takes two threads. An answer opens base and index and looks up the names of the games that it \
         shows; {POSITIONS} positions of all phases, the best of {ROUNDS} each, on one thread, in one process."
    );
    let _ = writeln!(
        searches,
        "\n`tabiya search --count --jobs 2`, from its start to its end, the best of {SEARCHES}."
    );
    println!("{searches}\n{text}");
    let results = corpora::root().join("bench/RESULTS.md");
    report::update(&results, "search-growth", &searches)?;
    report::update(&results, "index-growth", &text)
}

/// How long the program needs for a question.
fn search(base: &Path, question: &SearchQuestion) -> Result<Duration> {
    let program = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let mut best = Duration::MAX;
    for _ in 0..SEARCHES {
        let begin = Instant::now();
        let done = Command::new(&program)
            .args(["search", "--count", "--jobs", "2"])
            .arg(base)
            .arg(question.ours)
            .stdout(Stdio::null())
            .status()?;
        best = best.min(begin.elapsed());
        // Small bases need not have what is looked for.
        if !matches!(done.code(), Some(0 | 1)) {
            bail!("the search for {} ended with {done}", question.ours);
        }
    }
    Ok(best)
}
