//! The times of single tests, by when the test programs reported their end.
//!
//! A test program begins its tests in the order of their names, so many at once as it has threads, and each one that ends makes room for the
//! next: when a test began follows from when others ended. Nextest tells the time of each test.

use std::time::Duration;

/// A test and how long it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestTime {
    /// The test program and the name of the test in it.
    pub(crate) test: String,
    pub(crate) took: Duration,
}

/// The times of all tests, as the lines of cargo and of the test programs come in.
#[derive(Debug)]
pub(crate) struct TestTimes {
    threads: usize,
    program: String,
    begun: Duration,
    /// The tests of the program that runs, with when they ended.
    ended: Vec<(String, Duration)>,
    done: Vec<TestTime>,
}

impl TestTimes {
    /// For test programs of so many threads.
    pub(crate) fn new(threads: usize) -> TestTimes {
        TestTimes {
            threads: threads.max(1),
            program: String::new(),
            begun: Duration::ZERO,
            ended: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Takes a line that came at a time: `     Running tests/laws/main.rs (target/…)` from cargo, `running 3 tests`,
    /// `test a::b ... ok` and `test result: …` from the program; or `PASS [   0.012s] ( 7/20) tabiya-io::io bytes::short` from nextest.
    pub(crate) fn add(&mut self, line: &str, at: Duration) {
        let line = line.trim_start();
        if let Some(done) = of_nextest(line) {
            // Nextest lists the tests that failed once more at its end.
            if !self.done.contains(&done) {
                self.done.push(done);
            }
        } else if let Some(program) = line.strip_prefix("Running ") {
            let path = program.rsplit_once('(').map_or(program, |(_, path)| path);
            let file = path.trim_end_matches(')').rsplit('/').next();
            let name = file.and_then(|file| file.rsplit_once('-'));
            self.program = name.map_or(program, |(name, _)| name).to_owned();
        } else if let Some(library) = line.strip_prefix("Doc-tests ") {
            self.program = format!("{library} (documentation)");
        } else if line.starts_with("running ") && line.ends_with(['t', 's']) {
            self.begun = at;
            self.ended.clear();
        } else if line.starts_with("test result: ") {
            self.settle();
        } else if let Some(rest) = line.strip_prefix("test ")
            && let Some((name, _)) = rest.rsplit_once(" ... ")
        {
            let name = name.trim_end_matches(" - should panic");
            self.ended.push((name.to_owned(), at));
        }
    }

    /// Tells how long the tests of a program took.
    fn settle(&mut self) {
        let ends: Vec<Duration> = self.ended.iter().map(|(_, end)| *end).collect();
        self.ended.sort();
        for (index, (name, end)) in self.ended.drain(..).enumerate() {
            let before = index.checked_sub(self.threads);
            let begin = before.and_then(|at| ends.get(at)).copied();
            self.done.push(TestTime {
                test: format!("{} {name}", self.program),
                took: end.saturating_sub(begin.unwrap_or(self.begun)),
            });
        }
    }

    /// The slowest ones, the slowest first.
    pub(crate) fn slowest(mut self, count: usize) -> Vec<TestTime> {
        self.done.sort_by_key(|one| std::cmp::Reverse(one.took));
        self.done.truncate(count);
        self.done
    }
}

/// What a line of nextest says of a test that has ended.
fn of_nextest(line: &str) -> Option<TestTime> {
    let (status, rest) = line.split_once(" [")?;
    if !matches!(status, "PASS" | "FAIL" | "LEAK" | "FLAKY") {
        return None;
    }
    let (seconds, rest) = rest.split_once("s] ")?;
    let test = rest.trim_start();
    let test = match test.strip_prefix('(') {
        Some(numbered) => numbered.split_once(") ")?.1,
        None => test,
    };
    Some(TestTime {
        test: test.to_owned(),
        took: Duration::try_from_secs_f64(seconds.trim().parse().ok()?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_tests_are_named() {
        let mut times = TestTimes::new(2);
        for (line, at) in [
            (
                "     Running unittests src/lib.rs (target/ci/deps/tabiya_io-0123456789abcdef)",
                0,
            ),
            ("running 1 test", 1),
            ("test bytes::short ... ok", 2),
            (
                "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s",
                2,
            ),
            (
                "     Running tests/laws/main.rs (target/ci/deps/laws-0123456789abcdef)",
                9,
            ),
            ("running 4 tests", 10),
            // a and b begin at once; c begins when b ends, d when c ends.
            ("test b ... ok", 13),
            ("test c - should panic ... ok", 14),
            ("test d ... ignored, for a reason", 14),
            ("test a ... FAILED", 40),
            (
                "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 30.00s",
                40,
            ),
            ("   Doc-tests tabiya", 41),
            ("running 1 test", 42),
            ("test crates/tabiya/src/lib.rs - (line 3) ... ok", 44),
            (
                "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 2.00s",
                44,
            ),
        ] {
            times.add(line, Duration::from_secs(at));
        }
        let slowest = times.slowest(5);
        let told: Vec<_> = slowest
            .iter()
            .map(|it| (it.test.as_str(), it.took.as_secs()))
            .collect();
        assert_eq!(
            told,
            [
                ("laws a", 30),
                ("laws b", 3),
                (
                    "tabiya (documentation) crates/tabiya/src/lib.rs - (line 3)",
                    2
                ),
                ("tabiya_io bytes::short", 1),
                ("laws c", 1),
            ]
        );
    }

    #[test]
    fn nextest_tells_times_itself() {
        let mut times = TestTimes::new(2);
        for line in [
            "    Starting 3 tests across 2 binaries (1 test skipped)",
            "        PASS [   0.012s] (1/3) tabiya-io bytes::short",
            "        FAIL [  70.250s] (2/3) tabiya-formats::laws judge::all",
            "        SLOW [> 60.000s] (─────) tabiya-formats::laws golden::all",
            "        PASS [  61.000s] (3/3) tabiya-formats::laws golden::all",
            "     Summary [  71.000s] 3 tests run: 2 passed, 1 failed, 1 skipped",
            "        FAIL [  70.250s] (2/3) tabiya-formats::laws judge::all",
        ] {
            times.add(line, Duration::ZERO);
        }
        let slowest = times.slowest(5);
        let told: Vec<_> = slowest
            .iter()
            .map(|it| (it.test.as_str(), it.took.as_millis()))
            .collect();
        assert_eq!(
            told,
            [
                ("tabiya-formats::laws judge::all", 70_250),
                ("tabiya-formats::laws golden::all", 61_000),
                ("tabiya-io bytes::short", 12),
            ]
        );
    }
}
