//! Headers of formats that hold names in lists of numbers, and of those that hold them with each game.

use std::path::Path;
use std::process::Command;

use super::program;
use crate::corpora::{Corpus, DerivedCorpus};
use crate::task::{Contestant, MissingProgram};

/// The same games in each format; what is opened first says where the others lie.
pub(crate) const SIDE_BY_SIDE: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games in a base of each format, the size is that of Scid 5's headers",
    made: Some(DerivedCorpus {
        ending: "headers.si5",
        make: |pgn, to| {
            for extension in ["cbf", "cdp", "sql", "si5"] {
                program::make(pgn, &to.with_extension(extension))?;
            }
            Ok(())
        },
    }),
};

fn ask(input: &Path, extension: &str) -> Result<Command, MissingProgram> {
    let mut command = program::command(
        ["search", "--count", "--jobs", "1"],
        &input.with_extension(extension),
    )?;
    command.arg("player:\"Kasparov\"");
    Ok(command)
}

macro_rules! formats {
    ($($make:ident, $name:literal, $extension:literal, $note:literal;)*) => {
        $(
            pub(crate) fn $make() -> Contestant {
                Contestant::program($name, $note, |run| ask(&run.input, $extension)).may_exit(program::DONE)
            }
        )*
    };
}

formats! {
    si5, "Scid 5", "si5", "`tabiya search --count --jobs 1 IN 'player:\"Kasparov\"'`: names are looked at once";
    ca, "Chess Assistant", "cdp", "the same: names are looked at once";
    cbf, "ChessBase for DOS", "cbf", "the same: both names are in the record of each game";
    jose, "jose's dump", "sql", "the same: the whole dump is read";
}
