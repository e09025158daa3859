//! Tabiya as its users run it: the program of the same build, from its start to its end.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::task::{Contestant, MissingProgram, ProgramInput};

/// The program that was built beside this one.
pub(crate) fn program() -> Result<PathBuf, MissingProgram> {
    let path = env::current_exe()
        .map_err(|error| MissingProgram(error.to_string()))?
        .with_file_name("tabiya");
    if path.is_file() {
        Ok(path)
    } else {
        Err(MissingProgram(
            "`cargo build --release -p tabiya-cli` builds the program".to_owned(),
        ))
    }
}

/// Converts a database with the program, for a corpus in another form.
pub(crate) fn make(from: &Path, to: &Path) -> Result<()> {
    let program = program().or_else(|MissingProgram(why)| bail!(why))?;
    let status = Command::new(program)
        .args(["convert", "--force"])
        .args([from, to])
        .status()?;
    // What a format cannot keep is known, and not what is measured.
    if !status.success() && status.code() != Some(3) {
        bail!("it cannot be written: {status}");
    }
    Ok(())
}

pub(super) fn command<'a>(
    args: impl IntoIterator<Item = &'a str>,
    input: &Path,
) -> Result<Command, MissingProgram> {
    let mut command = Command::new(program()?);
    command.args(args).arg(input);
    Ok(command)
}

/// Games that are damaged in the corpus are told by the exit code.
pub(super) const DONE: &[i32] = &[0, 3];

fn convert(run: &ProgramInput, extension: &str) -> Result<Command, MissingProgram> {
    let mut command = command(["convert", "--jobs", "2"], &run.input)?;
    command.arg(run.output.with_extension(extension));
    Ok(command)
}

/// Anything to canonical PGN.
pub(crate) fn to_pgn() -> Contestant {
    Contestant::program(
        "tabiya",
        "`tabiya convert --jobs 2 IN OUT.pgn`: reads everything, verifies every move, writes the export format",
        |run| convert(run, "pgn"),
    )
    .may_exit(DONE)
}

/// Anything to a base of Scid 5.
pub(crate) fn to_si5() -> Contestant {
    Contestant::program("tabiya", "`tabiya convert --jobs 2 IN OUT.si5`", |run| {
        convert(run, "si5")
    })
    .may_exit(DONE)
}

/// Anything to a base of Scid 4.
pub(crate) fn to_si4() -> Contestant {
    Contestant::program("tabiya", "`tabiya convert --jobs 2 IN OUT.si4`", |run| {
        convert(run, "si4")
    })
    .may_exit(DONE)
}

/// What `info` says of a database.
pub(crate) fn info() -> Contestant {
    Contestant::program("tabiya, info", "`tabiya info IN`", |run| {
        command(["info"], &run.input)
    })
}

/// Fifty lines out of the middle of the game list.
pub(crate) fn page() -> Contestant {
    Contestant::program(
        "tabiya, page",
        "`tabiya ls IN 700001-700050`: a page of the game list",
        |run| {
            let mut command = command(["ls"], &run.input)?;
            command.arg("700001-700050");
            Ok(command)
        },
    )
}
