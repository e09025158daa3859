//! How soon a page of a list is there, how soon a long command ends once it is told to, and what a sorted search holds.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use wait4::Wait4;

use crate::contestants::program;
use crate::cost::{self, CommandCost};
use crate::task::MissingProgram;
use crate::{corpora, report};

/// Each is done so often.
const ROUNDS: usize = 9;
/// Each long command is interrupted so often.
const MOMENTS: u32 = 20;

/// The time from the interruption to the end; `None` where the command was done before.
fn interrupted(command: &mut Command, after: Duration) -> Result<Option<Duration>> {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    std::thread::sleep(after);
    let begin = Instant::now();
    let is_told = tabiya_testing::send_signal(child.id(), "INT");
    let status = child.wait4()?.status;
    Ok((is_told && status.code() == Some(130)).then(|| begin.elapsed()))
}

/// Measures, prints the table and puts it into the results.
pub(crate) fn run() -> Result<()> {
    let program = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let path = |name: &str| folder.path().join(name);
    let pgn = path("otb.pgn");
    std::fs::copy(corpora::OTB.prepare(None)?, &pgn)?;
    let si5 = path("otb.si5");
    program::make(&pgn, &si5)?;
    let five = corpora::FIVE_SI5.prepare(None)?;
    let made = Command::new(&program).arg("index").arg(&pgn).status()?;
    ensure!(matches!(made.code(), Some(0 | 3)), "no index: {made}");
    let mut text = format!(
        "## Time until a page is shown and a stopped command ends\n\n{}, {}; the corpus `otb` (286,040 games) as PGN with its index and as a base of Scid 5, and five \
         times in one of 1.43 million games; whole processes, files warm  \n`cargo run --release -p tabiya-bench -- answers`\n\n\
         | what | time (ms) | peak (MiB) |\n|---|--:|--:|\n",
        report::date(),
        report::machine(),
    );
    let mut line = |line: String| -> Result<()> {
        eprintln!("{line}");
        Ok(writeln!(text, "{line}")?)
    };
    let ask = |words: &[&str], base: &Path, rest: &[&str]| -> Result<CommandCost> {
        let mut command = Command::new(&program);
        command.args(words).arg(base).args(rest);
        let costs = (0..ROUNDS)
            .map(|_| cost::once(&mut command))
            .collect::<Result<Vec<_>>>()?;
        Ok(cost::median(&costs))
    };
    for (what, words, base, rest) in [
        (
            "`ls` of the last page, PGN with its index",
            &["ls"][..],
            &pgn,
            &["286010-286040"][..],
        ),
        ("the same, si5", &["ls"], &si5, &["286010-286040"]),
        (
            "`search`, all that is found, si5",
            &["search"],
            &si5,
            &["result:1-0"],
        ),
        (
            "`search --sort elo --limit 10`, si5",
            &["search", "--sort", "elo", "--limit", "10"],
            &si5,
            &["result:1-0"],
        ),
    ] {
        let cost = ask(words, base, rest)?;
        line(format!(
            "| {what} | {:.1} | {:.1} |",
            cost.milliseconds(),
            cost.mebibytes()
        ))?;
    }
    line(format!(
        "\n| interrupted at {MOMENTS} moments | the middle (ms) | the worst (ms) | done before |\n|---|--:|--:|--:|"
    ))?;
    let out = path("out.pgn").display().to_string();
    let packed = path("out.si5").display().to_string();
    for (what, words, base, rest) in [
        (
            "`convert` of PGN to si5",
            &["convert"][..],
            &pgn,
            &[&*packed][..],
        ),
        ("`convert` of si5 to PGN", &["convert"], &five, &[&*out]),
        ("`check`", &["check"], &five, &[]),
        ("`index --rebuild`", &["index", "--rebuild"], &pgn, &[]),
        (
            "`search --count`, a walk",
            &["search", "--count", "--no-index"],
            &five,
            &["men:\"R attacks (p pinned)\""],
        ),
        (
            "`explore` without an index",
            &["explore"],
            &five,
            &["1. e4 c5"],
        ),
        ("`stats --full`", &["stats", "--full"], &five, &[]),
        ("`dedupe --count`", &["dedupe", "--count"], &five, &[]),
    ] {
        let (mut times, mut before) = (Vec::new(), 0);
        for moment in 1..=MOMENTS {
            let _ = std::fs::remove_file(&out);
            let mut command = Command::new(&program);
            command.args(words).arg(base).args(rest);
            match interrupted(&mut command, Duration::from_millis(20) * moment)? {
                Some(time) => times.push(time),
                None => before += 1,
            }
            ensure!(
                !Path::new(&out).exists() || before > 0,
                "{what} leaves a file"
            );
        }
        times.sort();
        let shown = |time: Option<&Duration>| {
            time.map_or(String::new(), |time| {
                format!("{:.0}", time.as_secs_f64() * 1e3)
            })
        };
        line(format!(
            "| {what} | {} | {} | {before} |",
            shown(times.get(times.len() / 2)),
            shown(times.last()),
        ))?;
    }
    println!("{text}");
    report::update(&corpora::root().join("bench/RESULTS.md"), "answers", &text)
}
