//! `sql`: questions in SQL, answered by the SQL program if it is installed.

use tabiya_answers::{Answer, McpRowsAnswer};

use super::arguments::FieldKind::{Text, Whole};
use super::arguments::{field, needed};
use super::{McpTool, ToolCall, ToolPace};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;
use crate::sql::rows_of;

pub(super) const SQL: McpTool = McpTool {
    name: "sql",
    title: "Ask in SQL",
    about: "Answers a SELECT over databases: a file name in quotes is a table of its games, as in `SELECT eco, count(*) \
        FROM 'games.si5' WHERE year >= 2015 GROUP BY eco ORDER BY 2 DESC`. Columns: game, white, black, white_elo, \
        black_elo, result, score, eco, event, site, round, date, year, month, plies, flags, moves and more (`DESCRIBE \
        'games.si5'`). Nothing is written, and only files in the user's folders are read.",
    fields: &[
        needed("query", Text, "One statement that only reads"),
        field("limit", Whole(1, 1_000), "Rows to show (default: 100)"),
    ],
    answers: &["McpRowsAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let program = call.server.config.sql.as_ref();
    let program = program
        .ok_or_else(|| McpRefusal::new("program-missing", "the SQL program is not installed"))?;
    let folders = call.server.bases.folders();
    let query = call.arguments.text("query").unwrap_or_default();
    let limit = call.arguments.count("limit", 100);
    let (rows, whole) = rows_of(program, &folders, query, limit, call.control)?;
    let notes = match whole {
        true => Vec::new(),
        false => vec![format!("only the first {} rows are shown", rows.len())],
    };
    let answer = McpRowsAnswer { rows, whole, notes };
    Ok(answer.json())
}
