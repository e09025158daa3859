//! Runs contestants by turns, each run in a process of its own.

use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::{
    corpora,
    older_build::BuildPrograms,
    task::{
        BenchOptions, BenchTask, Contestant, FunctionInput, MissingProgram, ProgramInput,
        RunMethod, WorkCounts,
    },
};

/// One run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunSample {
    pub(crate) wall: Duration,
    cpu: Duration,
    peak: u64,
    counts: Option<WorkCounts>,
}

/// All runs of one contestant.
pub(crate) enum BenchOutcome {
    Measured(Measurement),
    Missing(String),
}

/// Medians of the runs of one contestant.
pub(crate) struct Measurement {
    /// How many bytes it was given.
    pub(crate) bytes: u64,
    pub(crate) runs: usize,
    pub(crate) wall: Duration,
    /// User and system time of the whole process, loading the file included.
    pub(crate) cpu: Duration,
    pub(crate) peak: u64,
    pub(crate) counts: Option<WorkCounts>,
}

/// A program on the path, or in the folder where Debian keeps its games.
pub(crate) fn find_program(name: &str) -> Result<PathBuf, MissingProgram> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
        .ok_or_else(|| MissingProgram(format!("`{name}` is not installed")))
}

/// Measures all contestants of a task: A B C, A B C, … so that a slow minute of the machine hits all.
pub(crate) fn measure(task: &BenchTask, options: &BenchOptions) -> Result<Vec<BenchOutcome>> {
    let mut inputs = Vec::new();
    for contestant in &task.contestants {
        inputs.push(task.corpus.prepare(contestant.slice)?);
    }
    let mut samples: Vec<Result<Vec<RunSample>, String>> =
        task.contestants.iter().map(|_| Ok(Vec::new())).collect();
    for round in 0..options.runs {
        for ((contestant, input), samples) in task.contestants.iter().zip(&inputs).zip(&mut samples)
        {
            let Ok(runs) = samples else { continue };
            let spent: Duration = runs.iter().map(|run| run.wall).sum();
            if spent > options.limit {
                continue;
            }
            match run_once(task, contestant, input, options, None)? {
                Ok(sample) => {
                    eprintln!(
                        "{} {}/{}: {} {:.3} s",
                        task.name,
                        round + 1,
                        options.runs,
                        contestant.name,
                        sample.wall.as_secs_f64()
                    );
                    runs.push(sample);
                }
                Err(why) => {
                    eprintln!("{}: {}: {why}", task.name, contestant.name);
                    *samples = Err(why);
                }
            }
        }
    }
    inputs
        .iter()
        .zip(samples)
        .map(|(input, samples)| {
            Ok(match samples {
                Err(why) => BenchOutcome::Missing(why),
                Ok(runs) => BenchOutcome::Measured(Measurement {
                    bytes: fs::metadata(input)?.len(),
                    runs: runs.len(),
                    wall: median(runs.iter().map(|run| run.wall)),
                    cpu: median(runs.iter().map(|run| run.cpu)),
                    peak: median(runs.iter().map(|run| run.peak)),
                    counts: runs.first().and_then(|run| run.counts),
                }),
            })
        })
        .collect()
}

fn median<T: Ord + Copy + Default>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Runs a contestant of this build, or of the one that is named. The inner error says why the contestant is out of the race.
pub(crate) fn run_once(
    task: &BenchTask,
    contestant: &Contestant,
    input: &Path,
    options: &BenchOptions,
    build: Option<&BuildPrograms>,
) -> Result<Result<RunSample, String>> {
    let folder = corpora::work()?.join("out");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut command = match contestant.how {
        RunMethod::Function(_) => {
            let mut command = match build {
                Some(build) => Command::new(&build.bench),
                None => Command::new(env::current_exe()?),
            };
            command
                .args(["function", task.name, contestant.name])
                .arg(input);
            command
        }
        RunMethod::Program(command) | RunMethod::Script(command) => {
            let run = ProgramInput {
                input: input.to_path_buf(),
                output: folder.join("out.pgn"),
                options,
            };
            match command(&run) {
                Ok(command) => match build {
                    Some(build) => with_program(&command, &build.program),
                    None => command,
                },
                Err(MissingProgram(why)) => return Ok(Err(why)),
            }
        }
    };
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", contestant.name))?;
    let ended = wait(child, options.limit.saturating_mul(2))?;
    let wall = start.elapsed();
    fs::remove_dir_all(&folder)?;
    let Some((usage, said)) = ended else {
        return Ok(Err(format!("stopped after {:.0} s", wall.as_secs_f64())));
    };
    if !usage
        .status
        .code()
        .is_some_and(|code| contestant.exit.contains(&code))
    {
        return Ok(Err(format!("failed: {}", usage.status)));
    }
    let mut numbers = said
        .lines()
        .last()
        .unwrap_or_default()
        .split_whitespace()
        .map_while(|word| word.parse::<u64>().ok());
    // Functions and scripts say how long they took themselves, before their counts.
    let wall = match contestant.how {
        RunMethod::Function(_) | RunMethod::Script(_) => {
            Duration::from_nanos(numbers.next().context("no time was said")?)
        }
        RunMethod::Program(_) => wall,
    };
    let counts = match (numbers.next(), numbers.next()) {
        (Some(games), Some(plies)) => Some(WorkCounts { games, plies }),
        _ => None,
    };
    Ok(Ok(RunSample {
        wall,
        cpu: usage.rusage.utime + usage.rusage.stime,
        peak: usage.rusage.maxrss,
        counts,
    }))
}

/// The same command of another program.
fn with_program(command: &Command, program: &Path) -> Command {
    let mut other = Command::new(program);
    other.args(command.get_args());
    other
}

/// Waits for the end of a process, and ends it where it takes too long: then there is nothing.
fn wait(mut child: Child, limit: Duration) -> Result<Option<(wait4::ResUse, String)>> {
    let mut stdout = child.stdout.take().context("the output is not piped")?;
    let pid = child.id();
    let (done, waiting) = mpsc::channel();
    let waiter = thread::spawn(move || {
        let mut said = Vec::new();
        let read = stdout.read_to_end(&mut said);
        let usage = child.wait4();
        // Nobody listens any more where the time was up.
        let _ = done.send(());
        (read, usage, said)
    });
    let in_time = waiting.recv_timeout(limit).is_ok();
    if !in_time {
        // The waiter has the child, so it is ended by its number.
        tabiya_testing::send_signal(pid, "TERM");
    }
    let Ok((read, usage, said)) = waiter.join() else {
        bail!("the waiting thread failed");
    };
    read?;
    let usage = usage?;
    Ok(in_time.then(|| (usage, String::from_utf8_lossy(&said).into_owned())))
}

/// Runs one function in this process and prints its time and counts for the parent.
pub(crate) fn run_function(tasks: &[BenchTask], args: &[String]) -> Result<()> {
    let [task, name, path] = args else {
        bail!("`function` is for the program itself");
    };
    let contestant = tasks
        .iter()
        .filter(|candidate| candidate.name == task)
        .flat_map(|task| &task.contestants)
        .find(|contestant| contestant.name == name)
        .context("there is no such contestant")?;
    let RunMethod::Function(function) = contestant.how else {
        bail!("{name} is a program");
    };
    let input = FunctionInput {
        path: PathBuf::from(path),
        bytes: if contestant.opens {
            Vec::new()
        } else {
            fs::read(path).with_context(|| format!("cannot read {path}"))?
        },
    };
    let start = Instant::now();
    let counts = function(&input)?;
    let time = start.elapsed();
    println!("{} {} {}", time.as_nanos(), counts.games, counts.plies);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        process::{Command, Stdio},
        time::Duration,
    };

    use super::{median, wait};

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert_eq!(median([5, 1, 9].into_iter()), 5);
        assert_eq!(median(std::iter::empty::<u64>()), 0);
    }

    #[test]
    fn a_process_is_waited_for_and_one_without_end_is_ended() {
        let run = |script: &str, limit| {
            let child = Command::new("sh")
                .args(["-c", script])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            wait(child, limit).unwrap()
        };
        let (usage, said) = run("echo 1 2", Duration::from_secs(60)).unwrap();
        assert!(usage.status.success());
        assert!(usage.rusage.maxrss > 0);
        assert_eq!(said, "1 2\n");
        assert!(run("exec sleep 1000", Duration::from_millis(50)).is_none());
    }
}
