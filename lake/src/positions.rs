//! Conditions about positions, which a lake's table of positions answers before moves are read.

use datafusion::common::Result;
use datafusion::logical_expr::{Expr, col, lit};
use shakmaty::Color;
use tabiya::lake::Positions;
use tabiya::model::positions::Men;
use tabiya::openings::key::Key;

use crate::functions::{HAS_POSITION, position};
use crate::table::failed;

/// Games that are listed at most: where a position stands in more, their moves are read.
const MOST: usize = 20_000;

/// In which games of a lake a position stands.
pub(crate) struct Games(pub(crate) Positions);

impl std::fmt::Debug for Games {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Games")
    }
}

impl Games {
    /// Adds to conditions that have to hold the numbers of the games in which a position stands that one of them asks for.
    pub(crate) fn narrow(&self, filters: &mut Vec<Expr>) -> Result<()> {
        let asked: Vec<String> = filters.iter().filter_map(asked).collect();
        for fen in asked {
            let (board, turn) = position::read(&fen)?;
            let mut games = Vec::new();
            for turn in Color::ALL
                .into_iter()
                .filter(|it| turn.is_none_or(|turn| turn == *it))
            {
                let key = Key::of_men(&Men::of(&board), turn);
                games.extend(self.0.find(key).map_err(failed)?);
            }
            if games.len() <= MOST {
                let games = games.iter().filter_map(|game| i64::try_from(*game).ok());
                filters.push(col("game").in_list(games.map(lit).collect(), false));
            }
        }
        Ok(())
    }
}

/// The position that a condition asks of the column of moves.
fn asked(filter: &Expr) -> Option<String> {
    let Expr::ScalarFunction(call) = filter else {
        return None;
    };
    let [Expr::Column(column), Expr::Literal(fen, _), ..] = &call.args[..] else {
        return None;
    };
    let is_it = call.name() == HAS_POSITION && column.name == "moves";
    fen.try_as_str()
        .flatten()
        .filter(|_| is_it)
        .map(str::to_owned)
}
