//! Searches among the evaluations that stand in games, beside other searches of the same file.

use super::program;
use crate::task::Contestant;

/// A search of plain PGN with two threads, without any index.
macro_rules! searches {
    ($($name:ident, $query:literal;)*) => {
        $(
            pub(crate) fn $name() -> Contestant {
                Contestant::program(
                    $query,
                    concat!("`tabiya search --count --jobs 2 IN '", $query, "'`"),
                    |run| {
                        let mut command =
                            program::command(["search", "--count", "--jobs", "2"], &run.input)?;
                        command.arg($query);
                        Ok(command)
                    },
                )
                .may_exit(&[0, 1, 3])
            }
        )*
    };
}

searches! {
    comment, "comment:\"clk 0:01\"";
    eval, "eval>3 result:0-1";
    blunder, "blunder by:winner";
    mistake, "mistake>=3 by:white";
    missed_mate, "missed-mate";
    best_move, "best-move>80% by:any";
    accuracy, "accuracy>90 by:white";
    average_loss, "acpl<20 by:white";
    swing, "eval-swing>5";
    position, "position:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2\"";
}
