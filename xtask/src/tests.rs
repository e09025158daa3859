//! The tests, and one line at the end with the totals of all test programs.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
    sync::mpsc::{self, Sender},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};

use crate::memory_folder::MemoryFolder;
use crate::steps::{PROFILE, cargo, run};
use crate::test_times::{TestTime, TestTimes};

/// What the closing lines of the test programs add up to.
#[derive(Debug, Default, PartialEq, Eq)]
struct TestTotals {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl TestTotals {
    /// Adds `test result: ok. 3 passed; 0 failed; 1 ignored; …`, and nothing for any other line.
    fn add(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ") else {
            return;
        };
        for part in counts.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(Ok(number)), Some(what)) =
                (words.next().map(str::parse::<u64>), words.next())
            else {
                continue;
            };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

/// What a newcomer tests: the library and the command line, quickly built.
const QUICK: &[&str] = &[
    "tabiya-io",
    "tabiya-columns",
    "tabiya-text",
    "tabiya-model",
    "tabiya-openings",
    "tabiya-repertoire",
    "tabiya-codec",
    "tabiya-formats*",
    "tabiya-query",
    "tabiya-explore",
    "tabiya-tables",
    "tabiya-engine",
    "tabiya-stats",
    "tabiya",
    "tabiya-cli",
];

/// Runs every test and doc test of the workspace, or what the arguments select.
pub(crate) fn test(args: &[String]) -> Result<()> {
    let mut command = cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]);
    command.args(PROFILE);
    run_tests(command, args)
}

/// Lints the library and the command line and runs their tests, without the corpora, in the profile that is built and run soonest.
pub(crate) fn quick(args: &[String]) -> Result<()> {
    let packages = || {
        let packages = QUICK.iter().flat_map(|package| ["--package", package]);
        packages.chain(["--profile", "check-tests"])
    };
    let mut lints = cargo(&["clippy", "--locked", "--bins", "--tests", "--examples"]);
    lints.args(packages()).args(["--", "-D", "warnings"]);
    run(lints)?;
    let mut command = cargo(&["test", "--locked", "--no-fail-fast"]);
    command.args(packages());
    command.env("TABIYA_QUICK", "1");
    run_tests(command, args)
}

fn run_tests(mut command: Command, args: &[String]) -> Result<()> {
    let memory = MemoryFolder::new();
    memory.give_tests(&mut command);
    command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start cargo")?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = stdout.zip(stderr).context("the tests have no output")?;
    let (send, lines) = mpsc::channel();
    let other = send.clone();
    // Cargo names a program on one of them, and the program tells its time on the other.
    let start = Instant::now();
    let errors = thread::spawn(move || follow(stderr, true, start, &other));
    let results = thread::spawn(move || follow(stdout, false, start, &send));
    let threads = std::env::var("RUST_TEST_THREADS");
    let threads = threads.ok().and_then(|number| number.parse().ok());
    let threads = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let (mut totals, mut times) = (TestTotals::default(), TestTimes::new(threads));
    for OutputLine {
        line,
        is_error,
        came,
    } in lines
    {
        let shown = match is_error {
            true => show(&line, std::io::stderr().lock()),
            false => show(&line, std::io::stdout().lock()),
        };
        shown.context("cannot show the output of the tests")?;
        let text = String::from_utf8_lossy(&line);
        totals.add(&text);
        times.add(&text, came);
    }
    for reader in [errors, results] {
        let read = reader
            .join()
            .map_err(|_| anyhow!("a reader of the tests panicked"))?;
        read.context("cannot read the output of the tests")?;
    }
    let status = child.wait().context("cannot wait for the tests")?;
    println!("\nthe slowest tests:");
    for TestTime { test, took } in times.slowest(5) {
        println!("{:8.1} s  {test}", took.as_secs_f64());
    }
    println!(
        "\n{} passed, {} failed, {} skipped",
        totals.passed, totals.failed, totals.ignored
    );
    if !status.success() {
        bail!("the tests failed: {status}");
    }
    if totals.passed == 0 && args.is_empty() {
        bail!("no tests were run");
    }
    Ok(())
}

/// A line of cargo or of a test program, and when it came.
struct OutputLine {
    line: Vec<u8>,
    is_error: bool,
    came: Duration,
}

/// Hands on lines, which are bytes: a failing test may print whatever stood in a broken file.
fn follow(
    from: impl Read,
    is_error: bool,
    start: Instant,
    to: &Sender<OutputLine>,
) -> std::io::Result<()> {
    for line in BufReader::new(from).split(b'\n') {
        let line = OutputLine {
            line: line?,
            is_error,
            came: start.elapsed(),
        };
        // Nobody listens any more where showing has failed.
        if to.send(line).is_err() {
            break;
        }
    }
    Ok(())
}

fn show(line: &[u8], mut out: impl Write) -> std::io::Result<()> {
    out.write_all(line)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod own {
    use super::TestTotals;

    #[test]
    fn closing_lines_add_up() {
        let mut totals = TestTotals::default();
        totals.add("running 3 tests");
        totals.add(
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s",
        );
        totals
            .add("test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(
            totals,
            TestTotals {
                passed: 5,
                failed: 1,
                ignored: 1
            }
        );
    }
}
