//! Every step of the continuous integration, runnable by hand: `cargo xtask help` lists them.

mod fuzz;
mod public;
mod readme;
mod steps;
mod tests;
mod web;

use std::{
    env,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// One subcommand: what it is called, what it does, and how.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<()>,
}

/// The subcommands, in the order in which `ci` runs those that it runs.
///
/// The tests come last, because their totals are what a reader of the log looks for at its end.
const TASKS: &[Task] = &[
    Task {
        name: "fmt",
        help: "the formatting is rustfmt's",
        run: steps::fmt,
    },
    Task {
        name: "clippy",
        help: "clippy has nothing to say about any target",
        run: steps::clippy,
    },
    Task {
        name: "doc",
        help: "the documentation builds without a warning, and lists what is meant to be public; --write",
        run: public::documented,
    },
    Task {
        name: "deny",
        help: "licences, bans and sources of the dependencies",
        run: steps::deny,
    },
    Task {
        name: "build",
        help: "the default members build as tested",
        run: steps::build,
    },
    Task {
        name: "readme",
        help: "the README's matrix of formats is the program's; --write",
        run: readme::readme,
    },
    Task {
        name: "web",
        help: "the app's pages are what their sources make; --write",
        run: web::web,
    },
    Task {
        name: "browser",
        help: "the app in a real browser; FOLDER for pictures of its pages",
        run: web::browser,
    },
    Task {
        name: "fuzz",
        help: "every fuzz target for some seconds; --guided, --seconds N, TARGET…",
        run: fuzz::fuzz,
    },
    Task {
        name: "test",
        help: "every test and doc test; arguments go to `cargo test`",
        run: tests::test,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let outcome = match args.first().map(String::as_str) {
        None | Some("help" | "-h" | "--help") => {
            help();
            Ok(())
        }
        Some("ci") => ci(),
        Some(name) => TASKS
            .iter()
            .find(|task| task.name == name)
            .with_context(|| format!("there is no task {name}: see `cargo xtask help`"))
            .and_then(|task| (task.run)(&args[1..])),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn help() {
    println!("cargo xtask TASK\n");
    println!("  {:10} all of these, in this order:", "ci");
    for task in TASKS {
        println!("  {:10} {}", task.name, task.help);
    }
}

/// Runs every task to its end, so that one log shows everything that is wrong.
fn ci() -> Result<()> {
    let mut took: Vec<(&str, Duration)> = Vec::new();
    let mut failed: Vec<&str> = Vec::new();
    for task in TASKS {
        eprintln!("\n=== {}: {}", task.name, task.help);
        let start = Instant::now();
        if let Err(error) = (task.run)(&[]) {
            eprintln!("xtask: {} failed: {error:#}", task.name);
            failed.push(task.name);
        }
        took.push((task.name, start.elapsed()));
    }
    eprintln!();
    for (name, time) in took {
        eprintln!("{name:10} {:7.1} s", time.as_secs_f64());
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}
