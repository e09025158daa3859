//! `undo` and `history`: earlier changes, and undoing them.

use tabiya::edit::{self, EditOperation, EditOptions};
use tabiya::report::change_losses_answer;
use tabiya_answers::Answer;
use tabiya_answers::server::{ChangeAnswer, HistoryAnswer, HistoryChangeAnswer};

use super::arguments::FieldKind::{Flag, Whole};
use super::arguments::field;
use super::edit::editable_base;
use super::game::HIGHEST;
use super::{BASE, McpTool, ToolCall, ToolPace};
use crate::jobs::ToolResult;

/// Changes that are told.
const CHANGES: usize = 500;

pub(super) const UNDO: McpTool = McpTool {
    name: "undo",
    title: "Undo a change",
    about: "Undoes the last change of a database that has not been undone yet, as a whole. With `change`, restores the \
        version of one game before that change (`history` has the numbers).",
    fields: &[
        BASE,
        field(
            "change",
            Whole(1, HIGHEST),
            "The number of a change, for one game of it",
        ),
        field("game", Whole(1, HIGHEST), "The current number of the game"),
        field("preview", Flag, "Only report what would be done"),
    ],
    answers: &["ChangeAnswer"],
    pace: ToolPace::Soon,
    writes: true,
    run: undo,
};

fn undo(call: &ToolCall<'_>) -> ToolResult {
    let base = editable_base(call)?;
    let operation = match call.arguments.number("change") {
        Some(version) => EditOperation::Restore {
            number: call.arguments.number("game"),
            version,
        },
        None => EditOperation::Undo,
    };
    let options = EditOptions {
        dry_run: call.arguments.flag("preview"),
        ..EditOptions::of_user()?
    };
    let opener = call.server.bases.opener();
    let done = edit::edit_with(
        &opener,
        base.base.path(),
        &operation,
        &options,
        call.control,
        &mut |_| {},
    )?;
    call.whole(done.ended)?;
    if !options.dry_run {
        call.server.bases.changed(&base.name);
    }
    let answer = ChangeAnswer {
        games: done.games,
        refused: done.refused,
        removed: done.removed,
        wish: done.wish,
        notes: done.notes,
        losses: change_losses_answer(&done.losses),
        steps: Vec::new(),
        whole: done.ended.is_whole(),
        base_version: None,
    };
    Ok(call.with_names(answer.json()))
}

pub(super) const HISTORY: McpTool = McpTool {
    name: "history",
    title: "List the changes of a database",
    about: "Lists the changes of a database, the newest first: number, time, and what was done.",
    fields: &[BASE],
    answers: &["HistoryAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run: changes,
};

fn changes(call: &ToolCall<'_>) -> ToolResult {
    let base = call.base()?;
    let opener = call.server.bases.opener();
    let history = edit::history(&opener, base.base.path())?;
    let changes = history.changes().iter().rev().take(CHANGES);
    let answer = HistoryAnswer {
        changes: changes
            .map(|change| HistoryChangeAnswer {
                id: change.id,
                when: change.utc_time(),
                wish: change.wish.clone(),
                undoes: change.undoes,
            })
            .collect(),
        damaged: history.is_damaged(),
        overtaken: history.is_outdated(),
    };
    Ok(answer.json())
}
