//! What the tests of all crates ask of the machine they run on: data of others beside the project, programs of others, and
//! how long they may take. What is not there is skipped, and said.

#![allow(clippy::print_stderr, reason = "a test that is not run says so")]

pub mod answers;
pub mod queries;
mod random;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use random::TestRandom;

/// A file or folder of the data that lie beside the project, or where `TABIYA_SHARED` says. The quick tests do without them.
pub fn shared(name: impl AsRef<Path>) -> Option<PathBuf> {
    if is_quick() {
        skip(&format!("{} is for ./check --all", name.as_ref().display()));
        return None;
    }
    let root = match std::env::var_os("TABIYA_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

/// Says that something is not tested, and why.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
}

/// Whether the long forms of tests are wanted: `TABIYA_FULL` is set.
pub fn is_full() -> bool {
    std::env::var_os("TABIYA_FULL").is_some()
}

/// Whether the shortest forms of tests are wanted, those of `./check`: `TABIYA_QUICK` is set.
pub fn is_quick() -> bool {
    std::env::var_os("TABIYA_QUICK").is_some()
}

/// How much a test does: in the shortest form, in that of continuous integration, and in the long one.
pub fn by_form<T>(quick: T, usual: T, full: T) -> T {
    match (is_full(), is_quick()) {
        (true, _) => full,
        (false, true) => quick,
        (false, false) => usual,
    }
}

/// A number that a variable of the environment tells.
pub fn number_of(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(otherwise)
}

/// The number from which a test makes what it takes at random: the same in every run, or what `TABIYA_SEED` says. A test that fails shows it.
pub fn seed() -> u64 {
    let seed = number_of("TABIYA_SEED", 20_251);
    eprintln!("TABIYA_SEED={seed}");
    seed
}

/// A run of some games from anywhere among the first ones of a corpus, as a range of numbers; [`seed`] says where it begins. All games where
/// the long forms are wanted.
pub fn run_of_games(count: u64, among: u64) -> String {
    if is_full() {
        return "1-1000000".to_owned();
    }
    let first = seed() % among * 7919 % among + 1;
    format!("{first}-{}", first + count - 1)
}

/// Python, where it has a module.
pub fn python_with(module: &str) -> Option<Command> {
    let probe = Command::new("python3")
        .args(["-c", &format!("import {module}")])
        .output();
    if probe.is_ok_and(|output| output.status.success()) {
        let mut python = Command::new("python3");
        // What a script imports leaves nothing beside it.
        python.arg("-B");
        return Some(python);
    }
    eprintln!("skipped: there is no Python with {module}");
    None
}

/// Sends a signal, such as `INT`, to a process, and answers whether it was sent: the process may have ended. Every shell knows how;
/// the program `kill` is not part of a bare system.
pub fn send_signal(process: u32, signal: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", "kill -\"$0\" \"$1\""]);
    shell.args([signal, &process.to_string()]);
    shell
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A program of others, where it is installed: on the path, or where systems put games.
fn program(name: &str) -> Option<PathBuf> {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&places)
        .chain(["/usr/games", "/usr/bin", "/usr/local/bin"].map(PathBuf::from))
        .map(|folder| {
            folder
                .join(name)
                .with_extension(std::env::consts::EXE_EXTENSION)
        })
        .find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: {name} is not installed");
    }
    found
}

/// Scid's interpreter, where it is installed.
pub fn tkscid() -> Option<PathBuf> {
    program("tkscid")
}

/// Polyglot, where it is installed.
pub fn polyglot() -> Option<PathBuf> {
    program("polyglot")
}

/// Stockfish, where it is installed.
pub fn stockfish() -> Option<PathBuf> {
    program("stockfish")
}

/// pgn-extract, where it is installed.
pub fn pgn_extract() -> Option<PathBuf> {
    program("pgn-extract")
}
