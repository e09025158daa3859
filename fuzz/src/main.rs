//! The stable driver: mutates samples at random and watches for panics, hangs and memory.
//!
//! The inputs run in a child process, so that an exhausted stack or an abort is seen as well. The
//! child writes each input to a scratch file before it runs it; the parent saves that file when the
//! child dies.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program for developers"
)]

mod worker;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use tabiya_fuzz::{FuzzTarget, databases, seeds, targets};

const USAGE: &str = "tabiya-fuzz [--seconds N] [--runs N] [--seed N] [--jobs N] [--corpus DIR] [TARGET…]
tabiya-fuzz --list
tabiya-fuzz replay TARGET FILE…
tabiya-fuzz seeds TARGET DIR
tabiya-fuzz keep TARGET INPUT…

Runs every target, or the named ones, first on the samples and then on damaged ones, until N seconds
or N runs are over for each; N of them at once. Inputs that fail are saved in DIR/<format>/regression.
`seeds` writes the samples for another fuzzer, `keep` saves what that one found.";

/// After so many failures a target has shown enough.
const MAX_FAILURES: usize = 20;

struct FuzzOptions {
    seconds: u64,
    runs: u64,
    seed: u64,
    /// How many targets run at once, each in a process of its own.
    jobs: usize,
    corpus: PathBuf,
    /// Names; all targets where there is none.
    targets: Vec<String>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.first().map(String::as_str) {
        Some("worker") => worker::work(&args[1..]).map(|()| true),
        Some("replay") => replay(&args[1..]).map(|()| true),
        Some("seeds") => write_seeds(&args[1..]).map(|()| true),
        Some("keep") => keep(&args[1..]).map(|()| true),
        Some("--list") => {
            for target in targets::all(&own_corpus()) {
                println!("{}", target.name);
            }
            Ok(true)
        }
        Some("help" | "-h" | "--help") => {
            println!("{USAGE}");
            Ok(true)
        }
        _ => parse(&args).and_then(|options| fuzz(&options)),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("tabiya-fuzz: {message}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: &[String]) -> Result<FuzzOptions, String> {
    let mut options = FuzzOptions {
        seconds: 10,
        runs: u64::MAX,
        seed: fastrand::u64(..),
        jobs: 1,
        corpus: own_corpus(),
        targets: Vec::new(),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} wants a value"));
        let number = |text: &String| text.parse().map_err(|_| format!("{text} is no number"));
        match arg.as_str() {
            "--seconds" => options.seconds = number(value()?)?,
            "--runs" => options.runs = number(value()?)?,
            "--seed" => options.seed = number(value()?)?,
            "--jobs" => options.jobs = usize::try_from(number(value()?)?).unwrap_or(1),
            "--corpus" => options.corpus = PathBuf::from(value()?),
            flag if flag.starts_with('-') => return Err(format!("{flag} is unknown\n\n{USAGE}")),
            name => options.targets.push(name.to_owned()),
        }
    }
    Ok(options)
}

fn own_corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}

fn find(corpus: &Path, name: &str) -> Result<FuzzTarget, String> {
    targets::find(corpus, name).ok_or(format!("there is no target {name}"))
}

/// Runs the targets, as many at once as there are jobs; true if none failed.
fn fuzz(options: &FuzzOptions) -> Result<bool, String> {
    println!("seed {}", options.seed);
    let mut targets = Vec::new();
    for name in &options.targets {
        targets.push(find(&options.corpus, name)?);
    }
    if targets.is_empty() {
        targets = targets::all(&options.corpus);
    }
    let waiting = Mutex::new(targets.iter());
    let work = || -> Result<bool, String> {
        let mut sound = true;
        loop {
            let next = waiting.lock().map_err(|error| error.to_string())?.next();
            let Some(target) = next else {
                return Ok(sound);
            };
            sound &= fuzz_one(options, target)?;
        }
    };
    thread::scope(|scope| {
        let jobs: Vec<_> = (0..options.jobs.max(1))
            .map(|_| scope.spawn(work))
            .collect();
        jobs.into_iter().try_fold(true, |sound, job| {
            Ok(job.join().map_err(|_| "a job panicked".to_owned())?? && sound)
        })
    })
}

fn fuzz_one(options: &FuzzOptions, target: &FuzzTarget) -> Result<bool, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let scratch = std::env::temp_dir().join(format!(
        "tabiya-fuzz-{}-{}",
        std::process::id(),
        target.name
    ));
    let samples = seeds::read(&options.corpus, target);
    let start = Instant::now();
    let time = Duration::from_secs(options.seconds);
    let (mut runs, mut seen) = (0_u64, BTreeSet::new());
    for attempt in 0..MAX_FAILURES {
        let left = time.saturating_sub(start.elapsed());
        if attempt > 0 && (left.is_zero() || runs >= options.runs) {
            break;
        }
        let child = Command::new(&program)
            .arg("worker")
            .arg(&target.name)
            .arg(options.seed.wrapping_add(attempt as u64).to_string())
            .arg(left.as_millis().to_string())
            .arg(options.runs.saturating_sub(runs).to_string())
            .arg(if attempt == 0 { "all" } else { "damaged" })
            .arg(&options.corpus)
            .arg(&scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start the worker: {error}"))?;
        let process = child.id();
        let child = child
            .wait_with_output()
            .map_err(|error| format!("cannot wait for the worker: {error}"))?;
        databases::sweep(process);
        runs += String::from_utf8_lossy(&child.stdout)
            .lines()
            .filter_map(|line| line.parse::<u64>().ok())
            .sum::<u64>();
        if child.status.success() {
            break;
        }
        let said = String::from_utf8_lossy(&child.stderr);
        let reason = reason(&said);
        let hang = reason.starts_with("hang");
        if seen.insert(reason) {
            let input =
                fs::read(&scratch).map_err(|error| format!("no input was kept: {error}"))?;
            let path = match samples.iter().find(|(_, sample)| *sample == input) {
                Some((path, _)) => path.clone(),
                None => seeds::save(&options.corpus, target, &input)
                    .map_err(|error| format!("the input cannot be saved: {error}"))?,
            };
            println!(
                "{}: FAILED, {}\n    {}\n    input: {}",
                target.name,
                child.status,
                said.trim_end().replace('\n', "\n    "),
                path.display()
            );
        }
        if hang {
            // The next one would take all the time again.
            break;
        }
    }
    // A scratch file that stays behind does no harm.
    let _ = fs::remove_file(&scratch);
    println!(
        "{}: {} samples, {runs} runs in {:.1} s, {} failures",
        target.name,
        samples.len(),
        start.elapsed().as_secs_f64(),
        seen.len()
    );
    Ok(seen.is_empty())
}

/// What makes two failures the same: the place of a panic, or the message without its numbers.
fn reason(said: &str) -> String {
    let line = said.trim_start().lines().next().unwrap_or_default();
    if line.starts_with("panic at ") {
        line.to_owned()
    } else {
        line.replace(|digit: char| digit.is_ascii_digit(), "")
    }
}

/// Runs a target on given files in this process, where a debugger can watch.
fn replay(args: &[String]) -> Result<(), String> {
    let (name, files) = args.split_first().ok_or(USAGE)?;
    let target = find(&own_corpus(), name)?;
    for file in files {
        let input = seeds::read_one(Path::new(file), &target)
            .ok_or(format!("{file} cannot be read as a sample of {name}"))?;
        target.run(&input);
        println!("{file}: sound");
    }
    Ok(())
}

fn write_seeds(args: &[String]) -> Result<(), String> {
    let [name, dir] = args else {
        return Err(USAGE.to_owned());
    };
    let target = find(&own_corpus(), name)?;
    for (at, (_, sample)) in seeds::read(&own_corpus(), &target).iter().enumerate() {
        fs::write(Path::new(dir).join(format!("sample-{at}")), sample)
            .map_err(|error| format!("{dir}: {error}"))?;
    }
    Ok(())
}

fn keep(args: &[String]) -> Result<(), String> {
    let (name, files) = args.split_first().ok_or(USAGE)?;
    let target = find(&own_corpus(), name)?;
    for file in files {
        let path = fs::read(file)
            .and_then(|input| seeds::save(&own_corpus(), &target, &input))
            .map_err(|error| format!("{file}: {error}"))?;
        println!("{}", path.display());
    }
    Ok(())
}
