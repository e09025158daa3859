//! Queries that nobody would ask, sound and damaged, over many games: none may panic, and none may take long without saying
//! how far it is and stopping when it is told to.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tabiya::query::{Query, QueryContext, QueryOptions, SearchShortcuts, search};
use tabiya_model::{Control, Database};
use tabiya_testing::TestRandom;
use tabiya_testing::queries::{examples, hostile};

use crate::contestants::positions::write_base;
use crate::{corpora, report};

const QUERIES: u64 = 20_000;
const GAMES: u64 = 16_000;
const SEED: u64 = 23;
/// Longer than this is long.
const LONG: Duration = Duration::from_secs(1);
/// How many of the slowest are shown.
const SHOWN: usize = 5;
/// When a search is told to stop.
const STOP: Duration = Duration::from_millis(50);

/// Asks, prints the table and puts it into the results.
pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let path = folder.path().join("games.si5");
    write_base(&corpora::OTB.prepare(None)?, &path, GAMES)?;
    let base = tabiya::open(&path)?.pop().context("a base")?;
    let database = base.database().context("a database")?;
    let examples = examples();
    let is_sound = |text: &str| Query::parse(text, QueryContext::default()).is_ok();
    let mut chance = TestRandom::new(SEED);
    let (mut accepted, mut refused, mut long) = (0_u64, 0_u64, 0_u64);
    let mut slowest: Vec<(Duration, String, QueryOptions)> = Vec::new();
    let mut total = Duration::ZERO;
    for number in 0..QUERIES {
        let text = hostile(&mut chance, &examples, number, is_sound);
        let options = QueryOptions {
            plies: number % 3 == 0,
            shortcuts: SearchShortcuts {
                facts: number % 4 != 3,
                hints: number % 4 != 3,
                ..SearchShortcuts::default()
            },
            ..QueryOptions::default()
        };
        let control = Control::default().with_threads(1);
        let before = cpu();
        let asked = catch_unwind(AssertUnwindSafe(|| ask(database, &text, options, &control)));
        let time = cpu().saturating_sub(before);
        total += time;
        match asked.map_err(|_| anyhow::anyhow!("a panic at {text}"))?? {
            false => refused += 1,
            true => accepted += 1,
        }
        long += u64::from(time > LONG);
        slowest.push((time, text, options));
        slowest.sort_by_key(|(time, ..)| std::cmp::Reverse(*time));
        slowest.truncate(SHOWN);
        if number % 500 == 499 {
            let (time, text, _) = slowest.first().context("a query")?;
            eprintln!(
                "{}: {total:.0?}, the slowest {time:.2?}: {text}",
                number + 1
            );
        }
    }
    let mut table = format!(
        "## Hostile queries\n\n{}, {}; {QUERIES} queries put together from the examples of docs/query.md, every other one \
         damaged by up to three letters, over the first {GAMES} games of the corpus `otb` as a base of Scid 5 without an index, \
         on one thread, every third with its place, every fourth without facts and hints  \n`cargo run --release -p \
         tabiya-bench -- hostile`\n\n| accepted | refused | panics | over 1 s | CPU of all (s) |\n|--:|--:|--:|--:|--:|\n\
         | {accepted} | {refused} | 0 | {long} | {:.0} |\n\nThe slowest, and how soon each ends when it is told to stop after \
         {} ms:\n\n| query | CPU (s) | stopped after (ms) |\n|---|--:|--:|\n",
        report::date(),
        report::machine(),
        total.as_secs_f64(),
        STOP.as_millis(),
    );
    for (time, text, options) in &slowest {
        let stopped = stop(database, text, *options)?;
        let _ = writeln!(
            table,
            "| `{}` | {:.2} | {:.1} |",
            text.replace('|', "\\|"),
            time.as_secs_f64(),
            stopped.as_secs_f64() * 1e3
        );
    }
    println!("{table}");
    report::update(
        &corpora::root().join("bench/RESULTS.md"),
        "search-hostile",
        &table,
    )
}

/// Asks a query where it is one, and says whether it is.
fn ask(
    database: &dyn Database,
    text: &str,
    options: QueryOptions,
    control: &Control,
) -> Result<bool> {
    match Query::parse(text, QueryContext::default()) {
        Err(error) => {
            ensure!(
                error.render(text).contains('^'),
                "no place is shown: {text}"
            );
            Ok(false)
        }
        Ok(query) => {
            search(database, &query, options, control, None)?;
            Ok(true)
        }
    }
}

/// How long a search goes on after it was told to stop.
fn stop(database: &dyn Database, text: &str, options: QueryOptions) -> Result<Duration> {
    let control = Control::default().with_threads(1);
    let told = std::thread::spawn({
        let control = control.clone();
        move || {
            std::thread::sleep(STOP);
            control.stop();
            Instant::now()
        }
    });
    ask(database, text, options, &control)?;
    let ended = Instant::now();
    let told = told.join().map_err(|_| anyhow::anyhow!("a panic"))?;
    Ok(ended.saturating_duration_since(told))
}

/// The CPU time of this thread; where the system does not tell it, the time that has passed.
fn cpu() -> Duration {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => BEGIN.get_or_init(Instant::now).elapsed(),
    }
}
