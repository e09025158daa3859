//! The tables of `bench/RESULTS.md`, each between two markers of its own.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result};

use crate::{
    contestants::FLOOR,
    measure::{BenchOutcome, Measurement},
    task::BenchTask,
};

const HEAD: &str = "# Measurements

Written by `cargo run --release -p tabiya-bench`; each table is one run in which all contestants
took turns, and shows medians. Times are wall clock; *CPU* and *peak* are of the whole process,
loading the file included. A contestant that got a smaller piece of the corpus is compared by its
time per byte.
";

/// The table of one task.
pub(crate) fn table(task: &BenchTask, outcomes: &[BenchOutcome], command: &str) -> String {
    let mut text = format!(
        "## {}\n\n{}, {}; corpus `{}` ({})  \n`{command}`\n\n",
        task.title,
        date(),
        machine(),
        task.corpus.name,
        task.corpus.what,
    );
    text.push_str(
        "| contestant | MB | runs | time (s) | MB/s | ns/ply | CPU (s) | peak (MiB) | × floor | × peer | games | plies |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let of = |name: &str| {
        task.contestants
            .iter()
            .zip(outcomes)
            .find(|(contestant, _)| contestant.name == name)
            .and_then(|(_, outcome)| match outcome {
                BenchOutcome::Measured(measured) => Some(per_byte(measured)),
                BenchOutcome::Missing(_) => None,
            })
    };
    let (floor, peer) = (of(FLOOR), of(task.peer));
    for (contestant, outcome) in task.contestants.iter().zip(outcomes) {
        let name = if contestant.name == task.peer {
            format!("{} (peer)", contestant.name)
        } else {
            contestant.name.to_owned()
        };
        match outcome {
            BenchOutcome::Missing(why) => {
                let _ = writeln!(text, "| {name} | {why} | | | | | | | | | | |");
            }
            BenchOutcome::Measured(measured) => {
                let ratio = |other: Option<f64>| {
                    other.map_or(String::new(), |other| {
                        format!("{:.2}", per_byte(measured) / other)
                    })
                };
                let seconds = measured.wall.as_secs_f64();
                let counts = measured.counts.filter(|counts| counts.games > 0);
                let _ = writeln!(
                    text,
                    "| {name} | {:.1} | {} | {seconds:.3} | {:.1} | {} | {:.3} | {:.1} | {} | {} | {} | {} |",
                    megabytes(measured),
                    measured.runs,
                    megabytes(measured) / seconds,
                    // Who reads no moves has no time for a half-move.
                    counts.filter(|counts| counts.plies > 0).map_or(
                        String::new(),
                        |counts| format!("{:.0}", seconds * 1e9 / counts.plies as f64)
                    ),
                    measured.cpu.as_secs_f64(),
                    measured.peak as f64 / f64::from(1 << 20),
                    ratio(floor),
                    ratio(peer),
                    counts.map_or(String::new(), |counts| counts.games.to_string()),
                    counts.map_or(String::new(), |counts| counts.plies.to_string()),
                );
            }
        }
    }
    text.push('\n');
    for contestant in &task.contestants {
        let _ = writeln!(text, "* {}: {}", contestant.name, contestant.note);
    }
    text
}

fn megabytes(measured: &Measurement) -> f64 {
    measured.bytes as f64 / 1e6
}

fn per_byte(measured: &Measurement) -> f64 {
    measured.wall.as_secs_f64() / measured.bytes.max(1) as f64
}

/// Replaces the section of a task in the file, or adds it at the end.
pub(crate) fn update(path: &Path, task: &str, table: &str) -> Result<()> {
    let old = fs::read_to_string(path).unwrap_or_else(|_| HEAD.to_owned());
    fs::write(path, with_section(&old, task, table))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn with_section(old: &str, task: &str, table: &str) -> String {
    let (begin, end) = (
        format!("<!-- {task} -->\n"),
        format!("<!-- end of {task} -->\n"),
    );
    let section = format!("{begin}{table}{end}");
    match (old.find(&begin), old.find(&end)) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{section}{}", &old[..from], &old[to + end.len()..])
        }
        _ => format!("{}\n\n{section}", old.trim_end()),
    }
}

/// The processor, its cores, the memory, the system and the compiler.
pub(crate) fn machine() -> String {
    let field = |file: &str, name: &str| {
        fs::read_to_string(file)
            .unwrap_or_default()
            .lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| Some(line.split_once(':')?.1.trim().to_owned()))
            .unwrap_or_else(|| "unknown".to_owned())
    };
    let memory = field("/proc/meminfo", "MemTotal")
        .split(' ')
        .next()
        .and_then(|kilobytes| kilobytes.parse::<f64>().ok())
        .unwrap_or_default();
    let rustc = Command::new("rustc")
        .arg("--version")
        .output()
        .map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
        .unwrap_or_default();
    format!(
        "{}, {} cores, {:.0} GiB, {rustc}",
        field("/proc/cpuinfo", "model name"),
        std::thread::available_parallelism().map_or(1, usize::from),
        memory / f64::from(1 << 20),
    )
}

/// Today in the calendar of Greenwich.
pub(crate) fn date() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    civil(since.as_secs() / 86_400)
}

/// The date of a day counted from 1 January 1970.
fn civil(mut day: u64) -> String {
    let mut year = 1970;
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [
        31,
        28 + u64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
    ] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::{civil, with_section};

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), "1970-01-01");
        assert_eq!(civil(59), "1970-03-01");
        assert_eq!(civil(11_016), "2000-02-29");
        assert_eq!(civil(20_453), "2025-12-31");
    }

    #[test]
    fn a_section_is_replaced_and_the_others_stay() {
        let one = with_section("# Head\n", "a", "first\n");
        let two = with_section(&one, "b", "second\n");
        let three = with_section(&two, "a", "third\n");
        assert_eq!(three, two.replace("first", "third"));
        assert!(three.starts_with("# Head\n\n<!-- a -->\nthird\n<!-- end of a -->\n"));
        assert!(three.ends_with("<!-- b -->\nsecond\n<!-- end of b -->\n"));
    }
}
