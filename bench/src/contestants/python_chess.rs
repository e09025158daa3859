//! The Python package python-chess.

use std::process::{Command, Stdio};

use crate::{
    measure::find_program,
    task::{Contestant, MissingProgram, ProgramInput},
};

/// Reads everything into trees of nodes, and says at the end what it counted.
const SCRIPT: &str = "
import logging, sys
import chess.pgn
logging.disable(logging.CRITICAL)
games = plies = 0
with open(sys.argv[1], encoding='latin-1') as file:
    while (game := chess.pgn.read_game(file)) is not None:
        games += 1
        plies += sum(1 for _ in game.mainline_moves())
print(games, plies)
";

pub(crate) fn read() -> Contestant {
    Contestant::program(
        "python-chess",
        "`chess.pgn.read_game` until the end of the file, variations and comments included",
        command,
    )
}

fn command(run: &ProgramInput) -> Result<Command, MissingProgram> {
    let python = find_program("python3")?;
    let there = Command::new(&python)
        .args(["-c", "import chess.pgn"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        return Err(MissingProgram(
            "the package `chess` is not installed".to_owned(),
        ));
    }
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]).arg(&run.input);
    Ok(command)
}
