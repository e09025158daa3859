//! The tests, and one line at the end that adds up what the test programs said.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use anyhow::{Context, Result, bail};

use crate::compiler;
use crate::steps::{PROFILE, cargo};

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

/// Runs every test and doc test of the workspace, or what the arguments select.
pub(crate) fn test(args: &[String]) -> Result<()> {
    let mut command = cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]);
    command.args(PROFILE).args(args).stdout(Stdio::piped());
    // What was built with lints is not built again without.
    compiler::lint(&mut command)?;
    let mut child = command.spawn().context("cannot start cargo")?;
    let mut totals = TestTotals::default();
    let stdout = child.stdout.take().context("the tests have no output")?;
    // The lines are bytes: a failing test may print whatever stood in a broken file.
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.context("cannot read what the tests say")?;
        let mut out = std::io::stdout().lock();
        out.write_all(&line)
            .and_then(|()| out.write_all(b"\n"))
            .context("cannot show what the tests say")?;
        totals.add(&String::from_utf8_lossy(&line));
    }
    let status = child.wait().context("cannot wait for the tests")?;
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
