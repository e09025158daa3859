//! `tabiya analyse` and `tabiya tactics` from outside: what they write, that kills change nothing, and that another program
//! finds the same.
//!
//! The short forms take a few games and few nodes; where `TABIYA_FULL` is set, as many as a claim is about.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

mod idle;
mod in_place;
mod peers;
mod puzzles;
mod resuming;
mod terminal;
mod written;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tabiya::engine::program_path;
use tabiya_model::{Board, Game, GameNeeds};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file")
    }
}

/// A script beside these tests, for Python with python-chess.
fn script(name: &str) -> Option<Command> {
    let mut command = tabiya_testing::python_with("chess.engine")?;
    command.arg(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/peers")
            .join(name),
    );
    Some(command)
}

/// What a script answers: one value a line.
fn answers(command: &mut Command) -> Vec<serde_json::Value> {
    let output = run(command);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// What a program told people.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The engine that the tests of the driver have; it is built with the workspace.
fn fake() -> Option<PathBuf> {
    let name = format!("tabiya-fake-engine{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(env!("CARGO_BIN_EXE_tabiya")).with_file_name(name);
    if !path.exists() {
        eprintln!(
            "skipped: {} is not there; `cargo build -p tabiya-engine` makes it",
            path.display()
        );
        return None;
    }
    Some(path)
}

fn stockfish() -> Option<PathBuf> {
    let found = program_path::program(program_path::USUAL);
    if found.is_none() {
        eprintln!("skipped: there is no Stockfish");
    }
    found
}

fn tabiya() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    // The settings of whoever runs the tests are none of theirs.
    command
        .env("TABIYA_ENGINES", "/no/such/file")
        .stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    assert!(output.status.code().is_some(), "{}", said(&output));
    output
}

/// The same, and it has to come to a good end.
fn succeed(command: &mut Command) -> Output {
    let output = run(command);
    assert!(output.status.success(), "{}", said(&output));
    output
}

fn settings(place: &Place, program: &Path, way: &str) -> PathBuf {
    let path = place.path("engines.conf");
    let text = format!(
        "[toy]\nprogram = {}\narguments = {way}\n",
        program.display()
    );
    std::fs::write(&path, text).expect("written");
    path
}

/// A number that looks random and is the same every time.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Games of moves at random, which begin alike.
fn games(count: u64, plies: usize) -> String {
    let mut text = String::new();
    for game in 0..count {
        let mut state = game / 3;
        text.push_str(&format!(
            "[Event \"{game}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n"
        ));
        let mut board = Board::standard();
        let mut moves = Vec::new();
        for ply in 0..plies {
            board.legal_moves(&mut moves);
            if ply == 8 {
                state = state.wrapping_add(game * 1000);
            }
            let Some(m) =
                moves.get(usize::try_from(next(&mut state)).expect("small") % moves.len().max(1))
            else {
                break;
            };
            let mut san = Vec::new();
            board.play_san(*m, &mut san);
            text.push_str(&String::from_utf8_lossy(&san));
            text.push(' ');
        }
        text.push_str("*\n\n");
    }
    text
}

fn read(path: &Path) -> Vec<Game> {
    let mut games = Vec::new();
    for base in tabiya::open(path).expect("readable") {
        for game in base.games(GameNeeds::ALL).expect("readable") {
            games.push(game.expect("readable"));
        }
    }
    games
}
