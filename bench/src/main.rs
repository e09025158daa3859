//! Measures Tabiya beside other chess programs, in one run, and writes `bench/RESULTS.md`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program for developers"
)]

mod answers;
mod bulk;
mod contestants;
mod corpora;
mod cost;
mod editing;
mod growth;
mod hostile;
mod measure;
mod older_build;
mod repertoires;
mod report;
mod statistics;
mod task;

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};

use crate::older_build::BuildPrograms;
use crate::task::BenchOptions;

const USAGE: &str = "cargo run --release -p tabiya-bench -- [OPTION…]

  --only NAME   only the tasks that have NAME in theirs
  --runs N      how often each contestant runs (5)
  --limit N     a contestant that has used N seconds is not run again (60)
  --before DIR  what is ours beside an older build, by turns, and nothing else: DIR is `target/release` of its
                checkout, with `tabiya` and `tabiya-bench` built; --runs 15 is what counts; ends with 1 where a row
                is slower
  --scid PATH   Scid's interpreter, where it is not on the path as `tkscid`
  --list        the tasks and their contestants

`-- growth` measures searches and the position index on bases of 10,000 to 1,430,200 games in place of the tasks.
`-- editing` measures changes of large bases, `-- bulk` changes of many games beside pgn-extract, `-- statistics` what
is told of many games, doubles and novelties, `-- repertoires` the reports about a repertoire, `-- answers` how soon pages are there and commands end, `-- hostile`
what queries cost that nobody would ask.

The corpora are looked for in ../shared beside the project, or where TABIYA_SHARED says.";

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let tasks = contestants::tasks();
    match args.first().map(String::as_str) {
        Some("function") => return measure::run_function(&tasks, &args[1..]),
        Some("growth") => return growth::run(),
        Some("hostile") => return hostile::run(),
        Some("editing") => return editing::run(),
        Some("answers") => return answers::run(),
        Some("bulk") => return bulk::run(),
        Some("statistics") => return statistics::run(),
        Some("repertoires") => return repertoires::run(),
        Some("help" | "-h" | "--help") => {
            println!("{USAGE}");
            return Ok(());
        }
        Some("--list") => {
            for task in &tasks {
                let names: Vec<_> = task.contestants.iter().map(|one| one.name).collect();
                println!("{:18} {}", task.name, names.join(", "));
            }
            return Ok(());
        }
        _ => {}
    }
    let options = parse(&args)?;
    if cfg!(debug_assertions) {
        eprintln!("this is not a release build: the figures mean nothing");
    }
    // Where Scid lies on this machine says nothing to others.
    let shown = args.iter().scan("", |before, arg| {
        let word = if *before == "--scid" { "PATH" } else { arg };
        *before = arg;
        Some(word)
    });
    let shown = shown.fold(
        "cargo run --release -p tabiya-bench --".to_owned(),
        |line, word| line + " " + word,
    );
    if let Some(before) = &options.before {
        return older_build::run(&tasks, before, &options);
    }
    let results = corpora::root().join("bench/RESULTS.md");
    let mut found = false;
    for task in &tasks {
        if !options.asks_for(task) {
            continue;
        }
        found = true;
        let outcomes = measure::measure(task, &options)?;
        let table = report::table(task, &outcomes, shown.trim_end_matches(" --"));
        println!("{table}");
        report::update(&results, task.name, &table)?;
    }
    if !found {
        bail!("no task has that name: see --list");
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<BenchOptions> {
    let mut options = BenchOptions {
        only: None,
        scid: None,
        before: None,
        runs: 5,
        limit: Duration::from_secs(60),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = args
            .next()
            .with_context(|| format!("{arg} is unknown or wants a value\n\n{USAGE}"))?;
        match arg.as_str() {
            "--only" => options.only = Some(value.clone()),
            "--scid" => options.scid = Some(PathBuf::from(value)),
            "--before" => options.before = Some(BuildPrograms::in_folder(Path::new(value))?),
            "--runs" => options.runs = value.parse().context("--runs wants a number")?,
            "--limit" => {
                options.limit =
                    Duration::from_secs(value.parse().context("--limit wants seconds")?);
            }
            _ => bail!("{arg} is unknown\n\n{USAGE}"),
        }
    }
    Ok(options)
}
