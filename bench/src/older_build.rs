//! Today's build beside an older one, by turns: what exists does not get slower.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::{
    contestants::FLOOR,
    corpora,
    measure::{RunSample, run_once},
    task::{BenchOptions, BenchTask, Contestant, ProgramInput, RunMethod},
};

/// A row that takes so many milliseconds more, and no share of it, is slower where it takes less than [`SHORT`].
const SLACK_MS: f64 = 1.0;
/// Milliseconds up to which a row is short.
const SHORT: f64 = 10.0;
/// How much slower the minimum may be.
const SLACK: f64 = 1.05;

/// The programs of a build.
#[derive(Debug, Clone)]
pub(crate) struct BuildPrograms {
    /// Its program.
    pub(crate) program: PathBuf,
    /// Its bench program, for what is measured inside a process.
    pub(crate) bench: PathBuf,
}

impl BuildPrograms {
    /// The programs in the folder of a build, which is `target/release` of its checkout.
    pub(crate) fn in_folder(folder: &Path) -> Result<BuildPrograms> {
        let folder = folder
            .canonicalize()
            .with_context(|| format!("{} is no folder", folder.display()))?;
        let build = BuildPrograms {
            program: folder.join("tabiya"),
            bench: folder.join("tabiya-bench"),
        };
        for program in [&build.program, &build.bench] {
            if !program.is_file() {
                bail!("{} is not there", program.display());
            }
        }
        Ok(build)
    }

    /// Copies of the programs. How a file was written decides how its pages lie in memory, and with them how soon the program
    /// starts: what a linker wrote today and what was copied yesterday differ by half a millisecond though the bytes are the same.
    fn copied_to(&self, folder: &Path) -> Result<BuildPrograms> {
        fs::create_dir_all(folder)?;
        let copied = |program: &Path| -> Result<PathBuf> {
            let copy = folder.join(program.file_name().context("a program has a name")?);
            fs::copy(program, &copy)?;
            Ok(copy)
        };
        Ok(BuildPrograms {
            program: copied(&self.program)?,
            bench: copied(&self.bench)?,
        })
    }
}

/// The folders with copies of the programs, and of inputs that have an index, in the order of the builds.
const COPIES: [&str; 2] = ["before", "now"];

/// The input of a task for one of the builds. Each has a copy of its own of what has an index: that of the other may be of
/// another version, and a file that was written in another way is mapped in another time.
fn input_of(program: &Path, folder: &str, input: &Path) -> Result<PathBuf> {
    let mut index = input.as_os_str().to_owned();
    index.push(".tabiya-index");
    if !Path::new(&index).exists() {
        return Ok(input.to_owned());
    }
    let folder = corpora::work()?.join(folder);
    fs::create_dir_all(&folder)?;
    let name = input.file_name().context("an input has a name")?;
    let copy = folder.join(name);
    if copy.exists() {
        return Ok(copy);
    }
    let stem = input.with_extension("");
    let stem = stem.file_name().context("an input has a name")?;
    for entry in fs::read_dir(input.parent().context("an input lies somewhere")?)? {
        let path = entry?.path();
        let is_companion = path.file_stem() == Some(stem);
        if is_companion && path.is_file() && path != input {
            fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))?;
        }
    }
    fs::copy(input, &copy)?;
    let status = Command::new(program).arg("index").arg(&copy).status()?;
    // Damaged games, told with 3, are no fault of the index.
    if !matches!(status.code(), Some(0 | 3)) {
        fs::remove_file(&copy)?;
        bail!(
            "{} cannot index {}: {status}",
            program.display(),
            copy.display()
        );
    }
    Ok(copy)
}

/// Runs what is ours in the tasks with both builds by turns, prints each row, and fails where one is slower.
pub(crate) fn run(
    tasks: &[BenchTask],
    older: &BuildPrograms,
    options: &BenchOptions,
) -> Result<()> {
    let mut slower = Vec::new();
    // Those of a run beside another build.
    for folder in COPIES {
        let _ = fs::remove_dir_all(corpora::work()?.join(folder));
    }
    let own = std::env::current_exe()?;
    let today = BuildPrograms::in_folder(own.parent().context("a program lies somewhere")?)?;
    let [first, second] = COPIES;
    let builds = [
        older.copied_to(&corpora::work()?.join(first).join("programs"))?,
        today.copied_to(&corpora::work()?.join(second).join("programs"))?,
    ];
    println!("| task | contestant | before (ms) | now (ms) | now / before |");
    println!("|---|---|--:|--:|--:|");
    for task in tasks.iter().filter(|task| options.asks_for(task)) {
        for contestant in task.contestants.iter().filter(|one| is_ours(one, options)) {
            let input = task.corpus.prepare(contestant.slice)?;
            let Some((then, now)) = by_turns(task, contestant, &input, &builds, options)? else {
                continue;
            };
            let ratio = now / then;
            println!(
                "| {} | {} | {then:.2} | {now:.2} | {ratio:.3} |",
                task.name, contestant.name
            );
            if is_slower(then, now) {
                slower.push(format!("{}: {}", task.name, contestant.name));
            }
        }
    }
    if !slower.is_empty() {
        bail!("slower than before: {}", slower.join("; "));
    }
    Ok(())
}

/// Whether the least time of today's build is too long beside that of the older one, both in milliseconds.
fn is_slower(then: f64, now: f64) -> bool {
    if then < SHORT {
        now > then + SLACK_MS
    } else {
        now > then * SLACK
    }
}

/// Functions and programs of this project, and nothing of other people.
fn is_ours(contestant: &Contestant, options: &BenchOptions) -> bool {
    match contestant.how {
        RunMethod::Script(_) => false,
        RunMethod::Function(_) => contestant.name.starts_with("tabiya") && contestant.name != FLOOR,
        RunMethod::Program(command) => {
            let run = ProgramInput {
                input: PathBuf::new(),
                output: PathBuf::new(),
                options,
            };
            command(&run).is_ok_and(|command| {
                Path::new(command.get_program()).file_stem() == Some("tabiya".as_ref())
            })
        }
    }
}

/// The least times of both builds in milliseconds; `None` where one cannot run, which is said.
fn by_turns(
    task: &BenchTask,
    contestant: &Contestant,
    input: &Path,
    builds: &[BuildPrograms; 2],
    options: &BenchOptions,
) -> Result<Option<(f64, f64)>> {
    let mut inputs = Vec::new();
    for (build, folder) in builds.iter().zip(COPIES) {
        inputs.push(input_of(&build.program, folder, input)?);
    }
    let mut least = [f64::MAX; 2];
    let began = Instant::now();
    for round in 0..options.runs {
        if began.elapsed() > options.limit.saturating_mul(2) {
            eprintln!("{}: {}: {round} runs", task.name, contestant.name);
            break;
        }
        // Who begins changes from round to round: the second finds the caches warm.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for which in order {
            let build = Some(&builds[which]);
            match run_once(task, contestant, &inputs[which], options, build)? {
                Ok(RunSample { wall, .. }) => {
                    let best = &mut least[which];
                    *best = best.min(wall.as_secs_f64() * 1e3);
                }
                Err(why) => {
                    eprintln!("skipped: {}: {}: {why}", task.name, contestant.name);
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some((least[0], least[1])))
}

#[cfg(test)]
mod tests {
    use super::is_slower;

    #[test]
    fn short_rows_have_a_millisecond_and_long_ones_a_share() {
        assert!(!is_slower(3.0, 3.9));
        assert!(is_slower(3.0, 4.1));
        assert!(!is_slower(100.0, 104.0));
        assert!(is_slower(100.0, 106.0));
        assert!(!is_slower(100.0, 90.0));
    }
}
