//! `game`: a game as a tree.

use tabiya_answers::{Answer, McpGameAnswer, McpTagAnswer};
use tabiya_model::{Game, GameNeeds};

use super::arguments::FieldKind::Whole;
use super::arguments::needed;
use super::{BASE, McpTool, ToolCall, ToolPace};
use crate::jobs::ToolResult;
use crate::tree;

/// The highest number of a game.
pub(super) const HIGHEST: u64 = u32::MAX as u64;

pub(super) const GAME: McpTool = McpTool {
    name: "game",
    title: "Read a game",
    about: "Reads a game: its tags, and its moves as a tree. Each node has an id made of the moves that lead to it, names \
        the node before it, and has its comments, NAGs, arrows, clock and evaluation (seen from White). `main` is true on \
        the main line; a node whose position was reached before by other moves names that node in `transposes`. `edit` and \
        `position` take the ids.",
    fields: &[
        BASE,
        needed("game", Whole(1, HIGHEST), "The number of the game"),
    ],
    answers: &["McpGameAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let base = call.base()?;
    let number = call.arguments.number("game").unwrap_or(0);
    let game = base.base.read(number, GameNeeds::ALL)?;
    Ok(call.with_names(told(&base.name, number, &game).json()))
}

/// What is told of a game.
pub(super) fn told(base: &str, number: u64, game: &Game) -> McpGameAnswer {
    let tags = game.tags.iter().map(|tag| McpTagAnswer {
        name: tag.name.to_owned(),
        value: tag.value.to_owned(),
    });
    McpGameAnswer {
        base: base.to_owned(),
        number,
        tags: tags.collect(),
        result: game.result().as_pgn(),
        plies: game.tape.plies() as u64,
        nodes: tree::nodes(game),
        findings: game
            .diagnostics
            .iter()
            .map(tabiya::report::finding_answer)
            .collect(),
    }
}
