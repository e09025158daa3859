//! The program pgn-extract.

use std::process::{Command, Stdio};

use crate::{
    measure::find_program,
    task::{Contestant, Missing, Run},
};

pub(crate) fn rewrite() -> Contestant {
    Contestant::program(
        "pgn-extract",
        "`pgn-extract -s --quiet -o OUT FILE`, with its default output",
        command,
    )
}

fn command(run: &Run) -> Result<Command, Missing> {
    let mut command = Command::new(find_program("pgn-extract")?);
    command
        .args(["-s", "--quiet", "-o"])
        .arg(&run.output)
        .arg(&run.input)
        .stderr(Stdio::null());
    Ok(command)
}
