//! The tests, and one line at the end that adds up what the test programs said.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
    sync::mpsc::{self, Sender},
    thread,
};

use anyhow::{Context, Result, anyhow, bail};

use crate::steps::{PROFILE, cargo, run};

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

/// How long a test program ran, by its own closing line.
#[derive(Debug, PartialEq)]
struct ProgramTime {
    program: String,
    seconds: f64,
}

/// The times of the test programs, as their lines come in.
#[derive(Debug, Default)]
struct ProgramTimes {
    running: String,
    done: Vec<ProgramTime>,
}

impl ProgramTimes {
    /// Takes `     Running tests/conformance.rs (target/…)` from cargo, and `test result: … finished in 3.21s` from the program.
    fn add(&mut self, line: &str) {
        let line = line.trim_start();
        if let Some(program) = line.strip_prefix("Running ") {
            let path = program.rsplit_once('(').map_or(program, |(_, path)| path);
            let file = path.trim_end_matches(')').rsplit('/').next();
            let name = file.and_then(|file| file.rsplit_once('-'));
            self.running = name.map_or(program, |(name, _)| name).to_owned();
        } else if let Some(library) = line.strip_prefix("Doc-tests ") {
            self.running = format!("{library} (documentation)");
        } else if let Some((_, time)) = line.split_once("; finished in ")
            && let Ok(seconds) = time.trim_end_matches('s').parse()
        {
            let program = self.running.clone();
            self.done.push(ProgramTime { program, seconds });
        }
    }

    /// The slowest ones, the slowest first.
    fn slowest(mut self, count: usize) -> Vec<ProgramTime> {
        let by_time = |a: &ProgramTime, b: &ProgramTime| b.seconds.total_cmp(&a.seconds);
        self.done.sort_by(by_time);
        self.done.truncate(count);
        self.done
    }
}

/// What a newcomer tests: the library and the command line, quickly built.
const QUICK: &[&str] = &[
    "tabiya-io",
    "tabiya-columns",
    "tabiya-model",
    "tabiya-openings",
    "tabiya-formats",
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

/// Lints the library and the command line and runs their tests, without optimisation and without the corpora.
pub(crate) fn quick(args: &[String]) -> Result<()> {
    let packages = || QUICK.iter().flat_map(|package| ["--package", package]);
    let mut lints = cargo(&["clippy", "--locked", "--bins", "--tests", "--examples"]);
    lints.args(packages()).args(["--", "-D", "warnings"]);
    run(lints)?;
    let mut command = cargo(&["test", "--locked", "--no-fail-fast"]);
    command.args(packages());
    command.env("TABIYA_QUICK", "1");
    run_tests(command, args)
}

fn run_tests(mut command: Command, args: &[String]) -> Result<()> {
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
    let errors = thread::spawn(move || follow(stderr, true, &other));
    let results = thread::spawn(move || follow(stdout, false, &send));
    let (mut totals, mut times) = (TestTotals::default(), ProgramTimes::default());
    for (line, is_error) in lines {
        let shown = match is_error {
            true => show(&line, std::io::stderr().lock()),
            false => show(&line, std::io::stdout().lock()),
        };
        shown.context("cannot show what the tests say")?;
        let text = String::from_utf8_lossy(&line);
        totals.add(&text);
        times.add(&text);
    }
    for reader in [errors, results] {
        let read = reader
            .join()
            .map_err(|_| anyhow!("a reader of the tests panicked"))?;
        read.context("cannot read what the tests say")?;
    }
    let status = child.wait().context("cannot wait for the tests")?;
    println!("\nthe slowest test programs:");
    for ProgramTime { program, seconds } in times.slowest(5) {
        println!("{seconds:8.1} s  {program}");
    }
    println!(
        "\n{} passed, {} failed, {} skipped",
        totals.passed, totals.failed, totals.ignored
    );
    if !status.success() {
        bail!("the tests failed: {status}");
    }
    if totals.passed == 0 && args.is_empty() {
        bail!("no test was run");
    }
    Ok(())
}

/// Hands on lines, which are bytes: a failing test may print whatever stood in a broken file.
fn follow(from: impl Read, is_error: bool, to: &Sender<(Vec<u8>, bool)>) -> std::io::Result<()> {
    for line in BufReader::new(from).split(b'\n') {
        // Nobody listens any more where showing has failed.
        if to.send((line?, is_error)).is_err() {
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
    use super::{ProgramTimes, TestTotals};

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

    #[test]
    fn the_slowest_programs_are_named() {
        let mut times = ProgramTimes::default();
        for line in [
            "     Running unittests src/lib.rs (target/ci/deps/tabiya_io-0123456789abcdef)",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s",
            "     Running tests/golden.rs (target/ci/deps/golden-0123456789abcdef)",
            "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 12.25s",
            "   Doc-tests tabiya",
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 2.00s",
        ] {
            times.add(line);
        }
        let slowest = times.slowest(2);
        let names: Vec<_> = slowest.iter().map(|it| it.program.as_str()).collect();
        assert_eq!(names, ["golden", "tabiya (documentation)"]);
        assert!((slowest[0].seconds - 12.25).abs() < 1e-9);
    }
}
