//! Fuzzing: the random driver, which is a step of `ci`, and libFuzzer for long runs.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::steps::{PROFILE, built, cargo, root, run};

/// What the random driver does in `ci`: the same damage each time, so that a change of one thing
/// does not fail over another. Long runs with other seeds are started by hand.
const SHORT: [&str; 6] = ["--seconds", "5", "--runs", "20000", "--seed", "1"];

/// Makes the compiler count which code ran. The flags are the stable ones of cargo-fuzz, which asks
/// for a nightly toolchain only for its sanitizers.
const COVERAGE: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 --cfg fuzzing";

/// Runs the random driver with the arguments, or libFuzzer where they say `--guided`.
pub(crate) fn fuzz(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--guided") {
        return guided(args);
    }
    if !args.is_empty() {
        let mut command = driver();
        command.args(args);
        return run(command);
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = built("tabiya-fuzz")?;
    command.args(SHORT).args(["--jobs", &jobs.to_string()]);
    run(command)
}

fn driver() -> Command {
    let mut command = cargo(&["run", "--quiet", "--locked", "--package", "tabiya-fuzz"]);
    command.args(PROFILE).args(["--bin", "tabiya-fuzz", "--"]);
    command
}

fn guided(args: &[String]) -> Result<()> {
    let mut seconds = 60_u64;
    let mut targets = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--guided" => {}
            "--seconds" => seconds = args.next().context("--seconds wants a number")?.parse()?,
            flag if flag.starts_with('-') => bail!("{flag} is unknown here"),
            name => targets.push(name.to_owned()),
        }
    }
    if targets.is_empty() {
        let listed = driver().arg("--list").output().context("the driver")?;
        targets.extend(String::from_utf8(listed.stdout)?.lines().map(str::to_owned));
    }
    let base = root().join("target/guided");
    let program = build(&base)?;
    let mut failed = Vec::new();
    let mut table =
        String::from("| target | branches, by the samples | in the end |\n|---|--:|--:|\n");
    for target in targets {
        eprintln!("=== {target}");
        let (is_sound, covered) = guide(&base, &program, &target, seconds)?;
        let [first, last] = [covered.first, covered.last].map(thousands);
        table.push_str(&format!("| `{target}` | {first} | {last} |\n"));
        if !is_sound {
            failed.push(target);
        }
    }
    // The table of CONTRIBUTING.md: a target that reaches nothing stands out in it.
    println!("{table}");
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Builds the guided driver. Naming the target keeps build scripts free of the coverage flags.
fn build(base: &Path) -> Result<std::path::PathBuf> {
    let version = Command::new("rustc").arg("-vV").output()?;
    let version = String::from_utf8(version.stdout)?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc does not say what machine this is")?;
    let mut command = cargo(&["build", "--locked", "--package", "tabiya-fuzz"]);
    command
        .args(PROFILE)
        .args(["--features", "guided", "--bin", "guided", "--target", host])
        .arg("--target-dir")
        .arg(base)
        .env("RUSTFLAGS", COVERAGE);
    run(command)?;
    Ok(base.join(host).join("ci/guided"))
}

/// Branches that ran.
#[derive(Copy, Clone, Default)]
struct Covered {
    /// With the samples alone.
    first: u64,
    /// In the end.
    last: u64,
}

impl Covered {
    /// Looks for the number in a line that libFuzzer prints.
    fn read(&mut self, line: &str) {
        let Some((_, rest)) = line.split_once(" cov: ") else {
            return;
        };
        let number = rest
            .split_whitespace()
            .next()
            .and_then(|word| word.parse().ok());
        self.last = number.unwrap_or(self.last);
        if line.contains("INITED") {
            self.first = self.last;
        }
    }
}

/// A number with commas.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// Runs libFuzzer on one target and keeps what it found; true if it found nothing. Tells how many branches ran.
fn guide(base: &Path, program: &Path, target: &str, seconds: u64) -> Result<(bool, Covered)> {
    let corpus = base.join("corpus").join(target);
    let found = base.join("found").join(target);
    for dir in [&corpus, &found] {
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    let mut seeds = driver();
    seeds.args(["seeds", target]).arg(&corpus);
    run(seeds)?;
    let mut command = Command::new(program);
    command
        .env("TABIYA_FUZZ_TARGET", target)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args(["-max_len=262144", "-timeout=10", "-rss_limit_mb=1024"])
        .arg(&corpus)
        .stderr(Stdio::piped());
    let mut child = command.spawn().context("libFuzzer")?;
    let mut covered = Covered::default();
    if let Some(told) = child.stderr.take() {
        for line in BufReader::new(told).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            covered.read(&line);
            eprintln!("{line}");
        }
    }
    if child.wait()?.success() {
        return Ok((true, covered));
    }
    let mut keep = driver();
    keep.args(["keep", target]);
    for entry in fs::read_dir(&found)? {
        keep.arg(entry?.path());
    }
    run(keep)?;
    // What was kept is a sample now.
    fs::remove_dir_all(&found)?;
    Ok((false, covered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_tells_of_coverage_is_read() {
        let mut covered = Covered::default();
        for line in [
            "INFO: Loaded 1 modules   (123456 inline 8-bit counters)",
            "#14\tINITED cov: 1801 ft: 2702 corp: 9/4711b exec/s: 0 rss: 50Mb",
            "#90\tNEW    cov: 1999 ft: 2999 corp: 10/4712b lim: 262144 exec/s: 45 rss: 51Mb",
            "#99\tDONE   cov: 12034 ft: 2999 corp: 10/4712b lim: 262144 exec/s: 45 rss: 51Mb",
        ] {
            covered.read(line);
        }
        assert_eq!((covered.first, covered.last), (1801, 12034));
        assert_eq!(thousands(covered.last), "12,034");
        assert_eq!(thousands(7), "7");
    }
}
