//! Fuzzing: the random driver, which is a step of `ci`, and libFuzzer for long runs.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::steps::{PROFILE, built, cargo, root, run};

/// What the random driver does in `ci`: the same damage each time, so that a change of one thing
/// does not fail over another. Long runs with other seeds are started by hand.
const SHORT: [&str; 6] = ["--seconds", "2", "--runs", "20000", "--seed", "1"];

/// The longest input.
const MAX_LEN: &str = "-max_len=262144";

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
            "--seconds" => seconds = args.next().context("--seconds needs a number")?.parse()?,
            flag if flag.starts_with('-') => bail!("{flag}: unknown option"),
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
        String::from("| target | empty input | samples | after fuzzing |\n|---|--:|--:|--:|\n");
    let mut all = 0;
    for target in targets {
        eprintln!("=== {target}");
        let empty = fresh(&base.join("empty"))?;
        let nothing = reached(&program, &target, &empty)?;
        let samples = fresh(&base.join("samples").join(&target))?;
        let mut seeds = driver();
        seeds.args(["seeds", &target]).arg(&samples);
        run(seeds)?;
        let first = reached(&program, &target, &samples)?;
        let (is_sound, last) = guide(&base, &program, &target, &samples, seconds)?;
        let [none, some, most] = [nothing, first, last].map(|covered| thousands(covered.reached));
        table.push_str(&format!("| `{target}` | {none} | {some} | {most} |\n"));
        all = first.all;
        let is_idle = first.reached < nothing.reached + REACHED;
        if is_idle {
            eprintln!("{target}: its samples reach hardly more code than an empty input");
        }
        if is_idle || !is_sound {
            failed.push(target);
        }
    }
    // The table of CONTRIBUTING.md: a target that reaches nothing stands out in it.
    println!("Of {} branches:\n\n{table}", thousands(all));
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Builds the guided driver. Naming the target keeps build scripts free of the coverage flags.
fn build(base: &Path) -> Result<PathBuf> {
    let version = Command::new("rustc").arg("-vV").output()?;
    let version = String::from_utf8(version.stdout)?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc does not print the host")?;
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

/// How many branches the samples of a target have to reach beyond those that an empty input does. Where they do not, the target
/// does not read what they are.
const REACHED: u64 = 50;

/// Branches of the program.
#[derive(Copy, Clone, Default)]
struct BranchCoverage {
    /// All that there are.
    all: u64,
    /// Those that ran.
    reached: u64,
}

impl BranchCoverage {
    /// Looks for the numbers in a line that libFuzzer prints.
    fn read(&mut self, line: &str) {
        if let Some((before, _)) = line.split_once(" inline 8-bit counters)") {
            let number = before.rsplit('(').next().and_then(|word| word.parse().ok());
            self.all = number.unwrap_or(self.all);
        }
        let Some((_, rest)) = line.split_once(" cov: ") else {
            return;
        };
        let number = rest
            .split_whitespace()
            .next()
            .and_then(|word| word.parse().ok());
        self.reached = number.unwrap_or(self.reached);
    }
}

/// A number with commas.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// An empty folder of this name.
fn fresh(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.to_owned())
}

/// What a target reaches with the inputs of a folder and no others. An input that fails does so again in the guided run, which
/// keeps it.
fn reached(program: &Path, target: &str, inputs: &Path) -> Result<BranchCoverage> {
    let mut command = Command::new(program);
    command.env("TABIYA_FUZZ_TARGET", target);
    command.args(["-runs=0", MAX_LEN]).arg(inputs);
    let (_, covered) = watch(command)?;
    Ok(covered)
}

/// Runs libFuzzer and reads what it tells on its way.
fn watch(mut command: Command) -> Result<(ExitStatus, BranchCoverage)> {
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .context("libFuzzer")?;
    let mut covered = BranchCoverage::default();
    if let Some(told) = child.stderr.take() {
        for line in BufReader::new(told).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            covered.read(&line);
            eprintln!("{line}");
        }
    }
    Ok((child.wait()?, covered))
}

/// Runs libFuzzer on one target and keeps what it found; true if it found nothing.
fn guide(
    base: &Path,
    program: &Path,
    target: &str,
    samples: &Path,
    seconds: u64,
) -> Result<(bool, BranchCoverage)> {
    let corpus = base.join("corpus").join(target);
    let found = base.join("found").join(target);
    for dir in [&corpus, &found] {
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    let mut command = Command::new(program);
    command
        .env("TABIYA_FUZZ_TARGET", target)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args([MAX_LEN, "-timeout=10", "-rss_limit_mb=1024"])
        .args([&corpus, samples]);
    let (status, covered) = watch(command)?;
    if status.success() {
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
        let mut covered = BranchCoverage::default();
        for line in [
            "INFO: Loaded 1 modules   (123456 inline 8-bit counters): 123456 [0x5581, 0x5582), ",
            "#14\tINITED cov: 1801 ft: 2702 corp: 9/4711b exec/s: 0 rss: 50Mb",
            "#90\tNEW    cov: 1999 ft: 2999 corp: 10/4712b lim: 262144 exec/s: 45 rss: 51Mb",
            "#99\tDONE   cov: 12034 ft: 2999 corp: 10/4712b lim: 262144 exec/s: 45 rss: 51Mb",
        ] {
            covered.read(line);
        }
        assert_eq!((covered.all, covered.reached), (123_456, 12034));
        assert_eq!(thousands(covered.reached), "12,034");
        assert_eq!(thousands(7), "7");
    }
}
