//! Every step of the continuous integration, runnable by hand: `cargo xtask help` lists them.

mod advisories;
mod answers;
mod closures;
mod code_messages;
mod dist;
mod error_texts;
mod features;
mod fuzz;
mod icon;
mod identity;
mod memory_folder;
mod names;
mod packages;
mod public;
mod python;
mod readme;
mod release;
mod security;
mod source_text;
mod sql;
mod steps;
mod test_times;
mod tests;
mod web;
mod web_imports;
mod wheel_audit;
mod windows;
mod words;

use std::{
    env,
    process::{Command, ExitCode, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};

/// One subcommand: what it is called, what it does, and how.
struct XtaskCommand {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<()>,
    when: CiSchedule,
}

/// How `ci` runs a task beside others. Compilers wait for each other much of the time, so that two lots of them fill the machine;
/// what starts servers and peers wants it without compilers.
#[derive(PartialEq, Eq)]
enum CiSchedule {
    /// One after another.
    InTurn,
    /// From the start on, one after another, in a process beside those that run in turn: it only compiles, and not where these do.
    Beside,
    /// In turn, and not before everything beside is done.
    Alone,
    /// In a process beside the task that follows in turn: it waits more than it works.
    BesideNext,
    /// As beside, in the long form alone.
    BesideLong,
    /// Not at all: it asks the net, and belongs to releasing; or `ci` does more than it.
    Asked,
}

/// The subcommands, in the order in which `ci` runs those that it runs.
///
/// The tests come last, because their totals are what a reader of the log looks for at its end.
const TASKS: &[XtaskCommand] = &[
    XtaskCommand {
        name: "fmt",
        help: "check the formatting with rustfmt",
        run: steps::fmt,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "deny",
        help: "check licences, bans and sources of the dependencies",
        run: steps::deny,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "features",
        help: "check that users build what is tested: the same dependencies with the same features, and not too many",
        run: features::features,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "clippy",
        help: "lint everything that is tested with clippy",
        run: steps::clippy,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "build",
        help: "build everything as it is tested",
        run: steps::build,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "doc",
        help: "build the documentation without warnings, and compare its items with the list of public ones; --write",
        run: public::documented,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "names",
        help: "check that names of types are plain and unique, no circle of files spans folders, rooms use only what is below them, no code searches an error's text, and the library names no flag",
        run: names::names,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "words",
        help: "help, messages, docs and the app use plain words: no phrase of xtask/src/words.txt",
        run: words::words,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "readme",
        help: "compare the table of formats in docs/formats/README.md with the program; --write",
        run: readme::readme,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "answers",
        help: "compare docs/json.md, the app's types and the server's schemas with the types of answers; --write",
        run: answers::answers,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "web",
        help: "build the app's pages and compare them with web/dist; --write",
        run: web::web,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "security",
        help: "compare the contact in SECURITY.md with packaging/identity.toml; --write",
        run: security::security,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "fuzz",
        help: "run every fuzz target for some seconds; --guided, --seconds N, TARGET…",
        run: fuzz::fuzz,
        when: CiSchedule::InTurn,
    },
    XtaskCommand {
        name: "sql",
        help: "check the program for SQL, which is a separate workspace: formatting, clippy, tests, licences",
        run: sql::sql,
        when: CiSchedule::Beside,
    },
    XtaskCommand {
        name: "python",
        help: "check the Python module, which is a separate workspace: formatting, clippy, licences, a wheel and its tests; --release",
        run: python::python,
        when: CiSchedule::Beside,
    },
    XtaskCommand {
        name: "windows",
        help: "compile everything for Windows, if that target is installed",
        run: windows::windows,
        when: CiSchedule::Beside,
    },
    XtaskCommand {
        name: "closures",
        help: "check that no closure gets an argument that the compiler also passes to another call (before Rust 1.97)",
        run: closures::closures,
        when: CiSchedule::BesideLong,
    },
    XtaskCommand {
        name: "packages",
        help: "test the packages for users in bare systems and under Wine, and run tests under Wine; parts: make, bytes, chroots, wine, tests",
        run: packages::packages,
        when: CiSchedule::Alone,
    },
    XtaskCommand {
        name: "browser",
        help: "test the app in a real browser; FOLDER for screenshots of its pages",
        run: web::browser,
        when: CiSchedule::BesideNext,
    },
    XtaskCommand {
        name: "test",
        help: "run every test and doc test; arguments go to `cargo test`",
        run: tests::test,
        when: CiSchedule::Alone,
    },
    XtaskCommand {
        name: "quick",
        help: "lint and test the library and the command line, with little optimisation; arguments go to `cargo test`",
        run: tests::quick,
        when: CiSchedule::Asked,
    },
    XtaskCommand {
        name: "advisories",
        help: "look up known vulnerabilities in crates and packages on the network; before a release, and not in `ci`",
        run: advisories::advisories,
        when: CiSchedule::Asked,
    },
    XtaskCommand {
        name: "version",
        help: "set the number of a new version and its section of CHANGELOG.md: VERSION DATE",
        run: release::version,
        when: CiSchedule::Asked,
    },
    XtaskCommand {
        name: "dist",
        help: "build the packages for users: packages, archives, an installer; parts to build, --profile NAME, --release",
        run: dist::dist,
        when: CiSchedule::Asked,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let outcome = match args.first().map(String::as_str) {
        None | Some("help" | "-h" | "--help") => {
            help();
            Ok(())
        }
        Some("check") => in_turn(QUICK),
        Some("ci") => ci(),
        Some(name) => TASKS
            .iter()
            .find(|task| task.name == name)
            .with_context(|| format!("no such task: {name}; see `cargo xtask help`"))
            .and_then(|task| (task.run)(&args[1..])),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            match error.is::<advisories::IncompleteAudit>() {
                true => ExitCode::from(2),
                false => ExitCode::FAILURE,
            }
        }
    }
}

fn help() {
    println!("cargo xtask TASK\n");
    println!("  {:10} {}", "check", QUICK.join(", "));
    println!(
        "  {:10} all of these; tasks that only compile run beside the others:",
        "ci"
    );
    for task in TASKS {
        println!("  {:10} {}", task.name, task.help);
    }
}

/// What a newcomer runs before and after a change.
const QUICK: &[&str] = &["fmt", "names", "words", "answers", "web", "quick"];

/// Runs some tasks one after another, each to its end.
fn in_turn(names: &[&str]) -> Result<()> {
    let tasks = names
        .iter()
        .filter_map(|name| TASKS.iter().find(|task| task.name == *name));
    sum_up(&tasks.map(run_here).collect::<Vec<_>>())
}

fn run_here(task: &XtaskCommand) -> XtaskOutcome {
    announce(task);
    let start = Instant::now();
    let failure = (task.run)(&[]).err().map(|error| format!("{error:#}"));
    XtaskOutcome {
        name: task.name,
        failure,
        took: start.elapsed(),
    }
}

/// Runs every task to its end, so that one log shows everything that is wrong.
fn ci() -> Result<()> {
    let mut beside = Some(thread::spawn(|| -> Vec<XtaskOutcome> {
        TASKS
            .iter()
            .filter(|task| is_beside(task))
            .map(run_in_own_process)
            .collect()
    }));
    let mut ran: Vec<XtaskOutcome> = Vec::new();
    let mut beside_next = None;
    for task in TASKS {
        match task.when {
            CiSchedule::InTurn => {}
            CiSchedule::Alone => ran.extend(wait(beside.take())?),
            CiSchedule::BesideNext => {
                beside_next = Some(thread::spawn(|| vec![run_in_own_process(task)]));
                continue;
            }
            CiSchedule::Beside | CiSchedule::BesideLong | CiSchedule::Asked => continue,
        }
        ran.push(run_here(task));
        ran.extend(wait(beside_next.take())?);
    }
    ran.extend(wait(beside.take())?);
    sum_up(&ran)
}

/// Whether a task only compiles, beside what runs in turn.
fn is_beside(task: &XtaskCommand) -> bool {
    match task.when {
        CiSchedule::Beside => true,
        CiSchedule::BesideLong => steps::is_full(),
        CiSchedule::InTurn | CiSchedule::Alone | CiSchedule::BesideNext | CiSchedule::Asked => {
            false
        }
    }
}

/// Tells how long each task took, and what has failed.
fn sum_up(ran: &[XtaskOutcome]) -> Result<()> {
    eprintln!();
    for task in ran {
        eprintln!("{:10} {:7.1} s", task.name, task.took.as_secs_f64());
    }
    // A log is often kept by its end alone, so that what went wrong is told there.
    let mut failed = Vec::new();
    for task in ran {
        if let Some(failure) = &task.failure {
            eprintln!("\nxtask: {} failed: {failure}", task.name);
            failed.push(task.name);
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// What came of a task.
struct XtaskOutcome {
    name: &'static str,
    failure: Option<String>,
    took: Duration,
}

fn announce(task: &XtaskCommand) {
    eprintln!("\n=== {}: {}", task.name, task.help);
}

/// What ran beside, once it is done; nothing where it was asked before.
fn wait(beside: Option<JoinHandle<Vec<XtaskOutcome>>>) -> Result<Vec<XtaskOutcome>> {
    beside.map_or(Ok(Vec::new()), |tasks| {
        tasks
            .join()
            .map_err(|_| anyhow!("a task that ran beside the others panicked"))
    })
}

/// Runs a task in a process of its own, and shows what it said when it is done.
fn run_in_own_process(task: &XtaskCommand) -> XtaskOutcome {
    let start = Instant::now();
    let output = env::current_exe().and_then(|program| {
        Command::new(program)
            .arg(task.name)
            .stdin(Stdio::null())
            .output()
    });
    announce(task);
    let failure = match output {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            eprint!("{}{errors}", String::from_utf8_lossy(&output.stdout));
            // It ends with the reason.
            let reason = errors.rsplit_once("\nxtask: ").map(|(_, reason)| reason);
            (!output.status.success())
                .then(|| reason.map_or_else(|| output.status.to_string(), str::to_owned))
        }
        Err(error) => Some(format!("it could not be started: {error}")),
    };
    XtaskOutcome {
        name: task.name,
        failure,
        took: start.elapsed(),
    }
}
