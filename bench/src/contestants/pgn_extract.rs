//! The program pgn-extract.

use std::process::{Command, Stdio};

use crate::{
    measure::find_program,
    task::{Contestant, MissingProgram, ProgramInput},
};

pub(crate) fn rewrite() -> Contestant {
    Contestant::program(
        "pgn-extract",
        "`pgn-extract -s --quiet -o OUT FILE`, with its default output",
        command,
    )
}

fn command(run: &ProgramInput) -> Result<Command, MissingProgram> {
    let mut command = Command::new(find_program("pgn-extract")?);
    command
        .args(["-s", "--quiet", "-o"])
        .arg(&run.output)
        .arg(&run.input)
        .stderr(Stdio::null());
    Ok(command)
}
