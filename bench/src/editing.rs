//! What a change of a large base costs beside the same change of a small one, and beside copying it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::contestants::program;
use crate::cost::CommandCost;
use crate::task::MissingProgram;
use crate::{corpora, cost, report};

/// Each is done so often; the median counts.
const ROUNDS: usize = 9;
/// The game that is added.
const GAME: &str = "[Event \"E\"]\n[Site \"S\"]\n[Date \"2026.01.02\"]\n[Round \"1\"]\n[White \"Added, A\"]\n\
    [Black \"Added, B\"]\n[Result \"1-0\"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 3. Bb5 1-0\n";

fn cost(command: &mut Command) -> Result<CommandCost> {
    let costs = (0..ROUNDS)
        .map(|_| cost::once(command))
        .collect::<Result<Vec<_>>>()?;
    Ok(cost::median(&costs))
}

/// Copies a corpus, which may be read-only, to be changed.
fn copy_of(from: &Path, to: &Path) -> Result<()> {
    let mut to = fs::File::create(to)?;
    std::io::copy(&mut fs::File::open(from)?, &mut to)?;
    Ok(to.sync_all()?)
}

/// Makes the index of a base, of which games may be damaged.
fn make_index(program: &Path, base: &Path) -> Result<()> {
    let made = Command::new(program).arg("index").arg(base).status()?;
    if !matches!(made.code(), Some(0 | 3)) {
        bail!("the index cannot be made: {made}");
    }
    Ok(())
}

/// Measures, prints the table and puts it into the results.
pub(crate) fn run() -> Result<()> {
    let program = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let path = |name: &str| folder.path().join(name);
    let edit = |base: &Path, words: &[&str]| -> Result<CommandCost> {
        cost(Command::new(&program).arg("edit").arg(base).args(words))
    };
    let new = path("new.pgn");
    fs::write(&new, GAME)?;
    let new = new.display().to_string();
    let (small, large) = (path("small.pgn"), path("large.pgn"));
    copy_of(&corpora::OTB.prepare(Some(1 << 20))?, &small)?;
    copy_of(&corpora::OTB.prepare(None)?, &large)?;
    let small_si5 = path("small.si5");
    program::make(&small, &small_si5)?;
    let large_si5 = path("large.si5");
    let five = corpora::FIVE_SI5.prepare(None)?;
    for extension in ["si5", "sg5", "sn5"] {
        copy_of(
            &five.with_extension(extension),
            &large_si5.with_extension(extension),
        )?;
    }
    let mut text = format!(
        "## Editing large bases\n\n{}, {}; the corpus `otb` as PGN, and five times as a base of Scid 5 of 1.43 million games; \
         medians of {ROUNDS} runs of the program, syncs of the disk included  \n\
         `cargo run --release -p tabiya-bench -- editing`\n\n\
         | what | base (MB) | time (ms) | peak (MiB) |\n|---|--:|--:|--:|\n",
        report::date(),
        report::machine(),
    );
    let mut row = |what: &str, base: &Path, cost: &CommandCost| -> Result<()> {
        let line = format!(
            "| {what} | {:.1} | {:.1} | {:.1} |",
            fs::metadata(base)?.len() as f64 / 1e6,
            cost.milliseconds(),
            cost.mebibytes()
        );
        eprintln!("{line}");
        writeln!(text, "{line}")?;
        Ok(())
    };
    let append = ["append", new.as_str()];
    row(
        "append a game to a small PGN",
        &small,
        &edit(&small, &append)?,
    )?;
    row(
        "append a game to a large PGN",
        &large,
        &edit(&large, &append)?,
    )?;
    let copy = path("copy.pgn");
    let copied = cost(
        Command::new("cp")
            .arg("--reflink=never")
            .arg(&large)
            .arg(&copy),
    )?;
    let over = "`cp --reflink=never` of the large PGN over an older copy";
    row(over, &large, &copied)?;
    let script = "rm -f \"$2\" && cp --reflink=never \"$1\" \"$2\" && sync \"$2\"";
    let copied = cost(
        Command::new("sh")
            .args(["-c", script, "sh"])
            .args([&large, &copy]),
    )?;
    let fresh = "`cp --reflink=never` of the large PGN to a new file, forced to the disk as every change is";
    row(fresh, &large, &copied)?;
    let script = "cp --reflink=never \"$1\" \"$2\" && sync \"$2\"";
    let copied = cost(
        Command::new("sh")
            .args(["-c", script, "sh"])
            .args([&large, &copy]),
    )?;
    row(
        "the copy over an older one, forced to the disk",
        &large,
        &copied,
    )?;
    fs::remove_file(&copy)?;
    for (what, number) in [
        ("replace a game in the middle of the large PGN", "150000"),
        ("replace a game at the end of the large PGN", "286000"),
    ] {
        row(
            what,
            &large,
            &edit(&large, &["replace", number, new.as_str()])?,
        )?;
    }
    row(
        "undo that, with its old bytes",
        &large,
        &edit(&large, &["undo"])?,
    )?;
    row(
        "delete a game of the large PGN",
        &large,
        &edit(&large, &["delete", "1000"])?,
    )?;
    row(
        "append a game to a small si5",
        &small_si5,
        &edit(&small_si5, &append)?,
    )?;
    row(
        "append a game to a large si5",
        &large_si5,
        &edit(&large_si5, &append)?,
    )?;
    for base in [&small_si5, &large_si5] {
        make_index(&program, base)?;
    }
    let what = "append a game to a small si5 and its index";
    row(what, &small_si5, &edit(&small_si5, &append)?)?;
    let what = "append a game to a large si5 and its index";
    row(what, &large_si5, &edit(&large_si5, &append)?)?;
    let replace = ["replace", "700000", new.as_str()];
    let what = "replace a game of a large si5 and its index";
    row(what, &large_si5, &edit(&large_si5, &replace)?)?;
    let what = "give a tag of a game of a large si5 another value, and its index";
    let set = ["set", "--games", "800000", "White=Another, A"];
    row(what, &large_si5, &edit(&large_si5, &set)?)?;
    let what = "delete a game of a large si5 and its index";
    row(what, &large_si5, &edit(&large_si5, &["delete", "900000"])?)?;
    let ask = |what: &str, words: &[&str]| cost(Command::new(&program).args(words).arg(what));
    let shown = large_si5.display().to_string();
    let what = "explore the start position with that index";
    row(what, &large_si5, &ask(&shown, &["explore"])?)?;
    let rebuild = ask(&shown, &["index", "--rebuild"])?;
    row("make that index anew", &large_si5, &rebuild)?;
    let what = "explore the start position with the index made anew";
    row(what, &large_si5, &ask(&shown, &["explore"])?)?;
    make_index(&program, &large)?;
    let replace = ["replace", "150000", new.as_str()];
    let what = "replace a game in the middle of the large PGN and its index";
    row(what, &large, &edit(&large, &replace)?)?;
    println!("{text}");
    report::update(&corpora::root().join("bench/RESULTS.md"), "editing", &text)
}
