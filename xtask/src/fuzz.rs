//! Fuzzing: the random driver, which is a step of `ci`, and libFuzzer for long runs.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};

use crate::steps::{PROFILE, cargo, root, run};

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
    let mut command = driver();
    if args.is_empty() {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        command.args(SHORT).args(["--jobs", &jobs.to_string()]);
    } else {
        command.args(args);
    }
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
    for target in targets {
        eprintln!("=== {target}");
        if !guide(&base, &program, &target, seconds)? {
            failed.push(target);
        }
    }
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

/// Runs libFuzzer on one target and keeps what it found; true if it found nothing.
fn guide(base: &Path, program: &Path, target: &str, seconds: u64) -> Result<bool> {
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
        .arg(&corpus);
    if run(command).is_ok() {
        return Ok(true);
    }
    let mut keep = driver();
    keep.args(["keep", target]);
    for entry in fs::read_dir(&found)? {
        keep.arg(entry?.path());
    }
    run(keep)?;
    // What was kept is a sample now.
    fs::remove_dir_all(&found)?;
    Ok(false)
}
