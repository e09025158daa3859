//! The tests, and one line at the end with the totals of all test programs.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};

use crate::memory_folder::MemoryFolder;
use crate::steps::{PROFILE, cargo, has, has_clippy, run};
use crate::test_times::{TestTime, TestTimes};

/// What the closing lines of the test programs add up to.
#[derive(Debug, Default, PartialEq, Eq)]
struct TestTotals {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl TestTotals {
    /// Adds `test result: ok. 3 passed; 0 failed; 1 ignored; …` of a test program or `Summary [ 9.0s] 4 tests run: 3 passed, 1 skipped` of
    /// nextest, and nothing for any other line.
    fn add(&mut self, line: &str) {
        let summary = line.trim_start().strip_prefix("Summary [");
        let summary = summary.and_then(|line| line.split_once(" run: "));
        let Some(counts) =
            (line.strip_prefix("test result: ")).or(summary.map(|(_, counts)| counts))
        else {
            return;
        };
        for part in counts.split(['.', ';', ',']) {
            let mut words = part.split_whitespace();
            let (Some(Ok(number)), Some(what)) =
                (words.next().map(str::parse::<u64>), words.next())
            else {
                continue;
            };
            match what {
                "passed" => self.passed += number,
                "failed" | "timed" | "exec" => self.failed += number,
                "ignored" | "skipped" => self.ignored += number,
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

/// What is tested: packages, or all of the workspace, built in a profile.
struct TestSelection {
    packages: Vec<&'static str>,
    profile: &'static str,
    /// Whether the tests take their shortest form.
    is_quick: bool,
}

impl TestSelection {
    /// A call of cargo that builds and tests what is selected.
    fn cargo(&self, subcommand: &[&str], profile_flag: &str) -> Command {
        let mut command = cargo(subcommand);
        command.args(["--locked", "--no-fail-fast", profile_flag, self.profile]);
        if self.packages.is_empty() {
            command.arg("--workspace");
        }
        for package in &self.packages {
            command.args(["--package", package]);
        }
        if self.is_quick {
            command.env("TABIYA_QUICK", "1");
        }
        command
    }

    /// The calls of cargo that run the tests, in steps; those of a step run at once. Nextest runs the tests of all programs at once, where it
    /// is installed, but no examples in the documentation. Cargo's own runner runs one test program after another, so that the others wait
    /// for the slowest test of each: it runs twice at once, each time with half of the tests.
    fn steps(&self, args: &[String]) -> Vec<Vec<Command>> {
        let test = |args: &[&str]| {
            let mut tests = self.cargo(&["test"], "--profile");
            tests.args(args);
            tests
        };
        if !args.is_empty() {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            return vec![vec![test(&args)]];
        }
        let documentation = vec![test(&["--doc"])];
        if has(&["nextest", "--version"]) {
            let mut tests = self.cargo(&["nextest", "run", "--color=never"], "--cargo-profile");
            // Many tests wait for servers, engines and the disk.
            if std::env::var_os("NEXTEST_TEST_THREADS").is_none() {
                let at_once = processors() + processors() / 2;
                tests.env("NEXTEST_TEST_THREADS", at_once.to_string());
            }
            return vec![vec![tests], documentation];
        }
        // Unit tests and the tests of the command line, which wait for programs most; and all others: each name begins with c or not.
        let halves = vec![
            test(&["--lib", "--bins", "--test", "c*"]),
            test(&["--test", "[!c]*"]),
        ];
        vec![vec![test(&["--no-run"])], halves, documentation]
    }
}

/// Runs every test and doc test of the workspace, or what the arguments select.
pub(crate) fn test(args: &[String]) -> Result<()> {
    let everything = TestSelection {
        packages: Vec::new(),
        profile: PROFILE[1],
        is_quick: false,
    };
    run_tests(&everything, args)
}

/// Lints the library and the command line and runs their tests, without the corpora, in the profile that is built and run soonest.
pub(crate) fn quick(args: &[String]) -> Result<()> {
    let selection = TestSelection {
        packages: QUICK.to_vec(),
        profile: "check-tests",
        is_quick: true,
    };
    if has_clippy() {
        let mut lints = cargo(&["clippy", "--locked", "--bins", "--tests", "--examples"]);
        for package in &selection.packages {
            lints.args(["--package", package]);
        }
        lints.args(["--profile", selection.profile]);
        lints.args(["--", "-D", "warnings"]);
        run(lints)?;
    }
    run_tests(&selection, args)
}

fn run_tests(selection: &TestSelection, args: &[String]) -> Result<()> {
    let memory = MemoryFolder::new();
    let (mut totals, mut times) = (TestTotals::default(), TestTimes::new(threads()));
    let mut failures = Vec::new();
    for step in selection.steps(args) {
        let started = step.into_iter().map(|mut command| {
            memory.give_tests(&mut command);
            StartedTests::of(command)
        });
        // All of them run before the first one is shown.
        let started: Vec<StartedTests> = started.collect::<Result<_>>()?;
        for tests in started {
            let status = tests.watch(&mut totals, &mut times)?;
            if !status.success() {
                failures.push(status.to_string());
            }
        }
        // What cannot be built fails again in every step.
        if !failures.is_empty() && totals.passed + totals.failed == 0 {
            break;
        }
    }
    println!("\nthe slowest tests:");
    for TestTime { test, took } in times.slowest(5) {
        println!("{:8.1} s  {test}", took.as_secs_f64());
    }
    println!(
        "\n{} passed, {} failed, {} skipped",
        totals.passed, totals.failed, totals.ignored
    );
    if !failures.is_empty() {
        bail!("the tests failed: {}", failures.join(", "));
    }
    if totals.passed == 0 && args.is_empty() {
        bail!("no tests were run");
    }
    Ok(())
}

/// How many tests of a program cargo's runner runs at once.
fn threads() -> usize {
    let told = std::env::var("RUST_TEST_THREADS");
    let told = told.ok().and_then(|number| number.parse().ok());
    told.unwrap_or_else(processors)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Tests that run. What they say waits until they are watched.
struct StartedTests {
    cargo: Child,
    lines: Receiver<OutputLine>,
    readers: [JoinHandle<std::io::Result<()>>; 2],
}

impl StartedTests {
    fn of(mut tests: Command) -> Result<StartedTests> {
        tests.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut cargo = tests.spawn().context("cannot start cargo")?;
        let (stdout, stderr) = (cargo.stdout.take(), cargo.stderr.take());
        let (stdout, stderr) = stdout.zip(stderr).context("the tests have no output")?;
        let (send, lines) = mpsc::channel();
        let other = send.clone();
        // Cargo names a program on one of them, and the program tells its time on the other.
        let start = Instant::now();
        let errors = thread::spawn(move || follow(stderr, true, start, &other));
        let results = thread::spawn(move || follow(stdout, false, start, &send));
        Ok(StartedTests {
            cargo,
            lines,
            readers: [errors, results],
        })
    }

    /// Shows what the tests say, until they end, and counts them.
    fn watch(mut self, totals: &mut TestTotals, times: &mut TestTimes) -> Result<ExitStatus> {
        for OutputLine {
            line,
            is_error,
            came,
        } in self.lines
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
        for reader in self.readers {
            let read = reader
                .join()
                .map_err(|_| anyhow!("a reader of the tests panicked"))?;
            read.context("cannot read the output of the tests")?;
        }
        self.cargo.wait().context("cannot wait for the tests")
    }
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
        totals.add("     Summary [  12.034s] 20 tests run: 16 passed (1 slow, 2 leaky), 4 failed, 3 skipped");
        assert_eq!(
            totals,
            TestTotals {
                passed: 21,
                failed: 5,
                ignored: 4
            }
        );
    }
}
