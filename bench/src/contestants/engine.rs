//! Engines: what driving one costs beside a bare loop, two processes beside one, and how fast live analysis is there.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use anyhow::{Context, Result, anyhow, bail};
use tabiya::engine::driver::{EngineSpec, EngineTimeouts};
use tabiya::engine::live::{LiveCache, LiveEngines, LiveQuestion, LiveUpdate};
use tabiya::engine::program_path;
use tabiya_model::Board;

use super::program;
use crate::corpora::{self, Corpus, DerivedCorpus};
use crate::task::{Contestant, FunctionInput, MissingProgram, ProgramInput, WorkCounts};

/// Nodes for each position.
const NODES: &str = "10000";

/// How many games are analysed.
const GAMES: usize = 16;

/// A few games, and beside them all that an engine is told while one process analyses them.
pub(crate) const ANALYSED: Corpus = Corpus {
    name: "otb",
    what: "the first 16 of the master games, 10,000 nodes for each position",
    made: Some(DerivedCorpus {
        ending: "engine.pgn",
        make: |pgn, to| {
            first_games(pgn, to)?;
            record(to, &to.with_extension("commands"))
        },
    }),
};

fn engine() -> Result<PathBuf, MissingProgram> {
    program_path::program(program_path::USUAL)
        .ok_or_else(|| MissingProgram("there is no Stockfish".to_owned()))
}

fn first_games(from: &Path, to: &Path) -> Result<()> {
    let mut out = Vec::new();
    let mut games = 0;
    for line in BufReader::new(fs::File::open(from)?).split(b'\n') {
        let line = line?;
        games += usize::from(line.starts_with(b"[Event "));
        if games > GAMES {
            break;
        }
        out.extend_from_slice(&line);
        out.push(b'\n');
    }
    Ok(fs::write(to, out)?)
}

/// Lets the program analyse games with an engine whose orders are written down.
fn record(games: &Path, commands: &Path) -> Result<()> {
    let engine = engine().or_else(|MissingProgram(why)| bail!(why))?;
    let script = corpora::work()?.join("recording-engine");
    let text = format!(
        "#!/bin/sh\ntee '{}' | '{}'\n",
        commands.display(),
        engine.display()
    );
    fs::write(&script, text)?;
    let status = Command::new("chmod").arg("+x").arg(&script).status()?;
    if !status.success() {
        bail!("{} cannot be made a program", script.display());
    }
    let program = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let target = commands.with_extension("analysed.pgn");
    let status = Command::new(program)
        .arg("analyse")
        .arg(games)
        .args(["-j", "1", "--force", "--nodes", NODES, "--engine"])
        .arg(&script)
        .arg("-o")
        .arg(&target)
        .status()?;
    if !status.success() {
        bail!("the games cannot be analysed: {status}");
    }
    Ok(fs::remove_file(target)?)
}

/// A loop that says the same and waits for the answers.
pub(crate) fn bare() -> Contestant {
    Contestant::function(
        "bare loop",
        "sends a process of the engine the same commands, waits for `readyok` and `bestmove`, and does nothing with them",
        replay,
    )
    .opens()
}

/// Two such loops at once: what the machine itself makes of a second process.
pub(crate) fn bare_twice() -> Contestant {
    Contestant::function(
        "bare loop, twice at once",
        "two such loops side by side, each with all of the commands: what a second process is worth on this machine at most",
        |input| {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| replay(input));
                let counts = replay(input)?;
                other.join().map_err(|_| anyhow!("the other loop failed"))??;
                Ok(counts)
            })
        },
    )
    .opens()
}

fn replay(input: &FunctionInput) -> Result<WorkCounts> {
    let commands = fs::read_to_string(input.path.with_extension("commands"))?;
    let program = engine().or_else(|MissingProgram(why)| bail!(why))?;
    let mut engine = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut to = engine.stdin.take().context("a pipe to the engine")?;
    let from = engine.stdout.take().context("a pipe from the engine")?;
    let mut from = BufReader::with_capacity(1 << 15, from);
    let mut line = String::new();
    let mut plies = 0;
    for command in commands.lines() {
        to.write_all(format!("{command}\n").as_bytes())?;
        let answer = match command.split(' ').next() {
            Some("uci") => "uciok",
            Some("isready") => "readyok",
            Some("go") => "bestmove",
            _ => continue,
        };
        plies += u64::from(answer == "bestmove");
        while !line.starts_with(answer) {
            line.clear();
            if from.read_line(&mut line)? == 0 {
                bail!("the engine has ended");
            }
        }
        line.clear();
    }
    drop(to);
    engine.wait()?;
    Ok(WorkCounts {
        games: GAMES as u64,
        plies,
    })
}

fn analyse(run: &ProgramInput, processes: &str) -> Result<Command, MissingProgram> {
    let mut command = program::command(["analyse"], &run.input)?;
    command.args(["--nodes", NODES, "-j", processes, "--engine"]);
    command.arg(engine()?).arg("-o").arg(&run.output);
    Ok(command)
}

/// The program with one process of the engine.
pub(crate) fn one_process() -> Contestant {
    Contestant::program(
        "tabiya",
        "`tabiya analyse --nodes 10000 -j 1 IN -o OUT.pgn`: with reading, journal and writing",
        |run| analyse(run, "1"),
    )
}

/// The program with two processes of the engine.
pub(crate) fn two_processes() -> Contestant {
    Contestant::program("tabiya, 2 processes", "the same with `-j 2`", |run| {
        analyse(run, "2")
    })
}

/// A master game's position of the middle game.
const POSITION: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

/// Holders of an engine each, that all ask for three lines of a position.
fn holders(count: usize) -> Result<Vec<(LiveEngines, Receiver<LiveUpdate>)>> {
    let program = engine().or_else(|MissingProgram(why)| bail!(why))?;
    let board = Board::from_fen(POSITION)?.0;
    let ask = LiveQuestion::best(&board, &[], 3)?;
    let mut holders = Vec::new();
    for _ in 0..count {
        let (sender, updates) = channel();
        let sender = Mutex::new(sender);
        let live = LiveEngines::start(
            vec![EngineSpec::new(&program)],
            EngineTimeouts::default(),
            LiveCache::default(),
            move |update| {
                if let Ok(sender) = sender.lock() {
                    let _ = sender.send(update);
                }
            },
        );
        live.show(&ask);
        holders.push((live, updates));
    }
    Ok(holders)
}

fn wait(holders: &[(LiveEngines, Receiver<LiveUpdate>)]) -> Result<()> {
    for (_, updates) in holders {
        while updates.recv()?.lines.is_empty() {}
    }
    Ok(())
}

fn until_shown(count: usize) -> Result<WorkCounts> {
    let holders = holders(count)?;
    wait(&holders)?;
    // Their end is not what is measured; they go with this process.
    std::mem::forget(holders);
    Ok(WorkCounts::default())
}

/// From nothing to the first line.
pub(crate) fn first_line() -> Contestant {
    Contestant::function(
        "first line",
        "starts an engine, shows it a position, waits for its first line",
        |_| until_shown(1),
    )
    .opens()
}

/// The same three times at once.
pub(crate) fn three_first_lines() -> Contestant {
    Contestant::function(
        "first lines of three",
        "the same with three holders at once, until each of them has its first line",
        |_| until_shown(3),
    )
    .opens()
}

/// The same, and their end.
pub(crate) fn three_gone() -> Contestant {
    Contestant::function(
        "first lines of three, and gone",
        "the same, and then the holders go: until the last process of an engine is buried",
        |_| {
            let holders = holders(3)?;
            wait(&holders)?;
            drop(holders);
            Ok(WorkCounts::default())
        },
    )
    .opens()
}
