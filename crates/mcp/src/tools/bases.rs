//! `bases`: lists the databases.

use tabiya::info::info;
use tabiya_answers::{Answer, InfoDatesAnswer, McpBaseAnswer, McpBasesAnswer};
use tabiya_model::Database;

use super::arguments::FieldKind::{Flag, Text};
use super::arguments::field;
use super::{McpTool, ToolCall, ToolPace};
use crate::bases::McpBase;
use crate::error::McpRefusal;
use crate::jobs::ToolResult;

pub(super) const BASES: McpTool = McpTool {
    name: "bases",
    title: "List databases",
    about: "Lists the databases that the other tools can use, with their formats, numbers of games and dates. With `base`, \
        returns everything known about one of them.",
    fields: &[
        field(
            "base",
            Text,
            "Only this database, with everything known about it",
        ),
        field(
            "refresh",
            Flag,
            "Search the folders again for new databases",
        ),
    ],
    answers: &["McpBasesAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let edits = call.server.config.edits;
    let (all, failed) = call.server.bases.all(call.arguments.flag("refresh"));
    let answer = match call.arguments.text("base") {
        Some(name) => McpBasesAnswer {
            bases: vec![told(call, &call.server.bases.get(name)?, true)?],
            failed: Vec::new(),
            edits,
        },
        None => McpBasesAnswer {
            bases: all
                .iter()
                .map(|base| told(call, base, false))
                .collect::<Result<_, _>>()?,
            failed,
            edits,
        },
    };
    Ok(answer.json())
}

fn told(call: &ToolCall<'_>, of: &McpBase, is_full: bool) -> Result<McpBaseAnswer, McpRefusal> {
    let base = &of.base;
    let known = base.info().games;
    let games = match (known, base.database()) {
        (None, Some(database)) if is_full => Some(database.len()?),
        (known, _) => known,
    };
    let facts = base.database().and_then(Database::facts);
    let overview = facts.and_then(|facts| facts.overview());
    let date = |date: &Option<_>| date.as_ref().map(ToString::to_string);
    Ok(McpBaseAnswer {
        base: of.name.clone(),
        format: base.format().title,
        games,
        dates: overview.map(|overview| InfoDatesAnswer {
            first: date(&overview.first),
            last: date(&overview.last),
        }),
        indexed: base.index().is_some(),
        editable: of.is_editable && call.server.config.edits,
        info: match is_full {
            true => Some(info(base, false, call.control)?.answer()),
            false => None,
        },
    })
}
