//! Tables as comma-separated values, all in one.

use std::fmt::Write;

use tabiya_model::csv_cells::cell;

use crate::table::StatsTable;

/// The heading of the values.
pub const HEADING: &str = "statistic,depth,label,games,wins,draws,losses,other";

/// The rows of tables under one heading. Wins are White's, except in statistics about players: there they are the player's.
pub fn csv(tables: &[StatsTable]) -> String {
    let mut text = format!("{HEADING}\r\n");
    for table in tables {
        for row in &table.rows {
            let score = row.score;
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "{},{},{},{},{},{},{},{}\r\n",
                table.name,
                row.depth,
                cell(&row.label),
                score.games(),
                score.wins,
                score.draws,
                score.losses,
                score.other,
            );
        }
    }
    text
}
