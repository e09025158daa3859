//! Statistics of whole bases: from the rows of an index, and with what only the games say.

use super::program;
use crate::task::Contestant;

/// Contestants that run the program with some words before the base and some behind it.
macro_rules! runs {
    ($($make:ident, $name:literal, $before:expr, $after:expr, $note:literal;)*) => {
        $(
            pub(crate) fn $make() -> Contestant {
                Contestant::program($name, $note, |run| {
                    let before: &[&str] = &$before;
                    let after: &[&str] = &$after;
                    let mut command = program::command(before.iter().copied(), &run.input)?;
                    command.args(after);
                    Ok(command)
                })
                // Nothing may be found, and games may be damaged.
                .may_exit(&[0, 1, 3])
            }
        )*
    };
}

runs! {
    rows, "tabiya", ["stats", "--json", "--jobs", "2"], [], "`tabiya stats --json --jobs 2 IN`";
    query, "tabiya, query", ["stats", "--json", "--jobs", "2"], ["--query", "eco:B90..B99"],
        "the same `--query eco:B90..B99`";
    full, "tabiya, full", ["stats", "--json", "--full", "--jobs", "2"], [], "the same `--full`";
    tags, "search", ["search", "--count", "--jobs", "2"],
        ["annotator:\"Nobody\" or tag[TimeControl]:\"1\" or tag[WhiteTitle]:\"X\" or tag[BlackTitle]:\"X\""],
        "`tabiya search --count --jobs 2` for values of the tags that `--full` reads";
}
