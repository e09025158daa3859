//! `repertoire_check`: where games leave a repertoire.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;
use shakmaty::Color;
use tabiya::repertoire::{
    self, QueryRepertoires, Repertoire, RepertoireGapOptions, color_note, games_of_player,
};
use tabiya::{Base, Selection};
use tabiya_answers::{Answer, McpRepertoireAnswer, McpRepertoireCheckAnswer};

use super::arguments::FieldKind::{Choice, Flag, Text, Whole};
use super::arguments::{field, needed};
use super::position::side;
use super::{McpTool, ToolCall, ToolPace, with_games};
use crate::bases::McpRepertoireBases;
use crate::error::McpRefusal;
use crate::jobs::ToolResult;

pub(super) const REPERTOIRE_CHECK: McpTool = McpTool {
    name: "repertoire_check",
    title: "Compare games with a repertoire",
    about: "Finds where games leave a repertoire, who left (`me` is the side of the repertoire), what the repertoire has \
        there, and how the games went on; and the positions in which most games left, with the score of the repertoire's \
        side. A repertoire is a database of opening lines, such as white.pgn. With `gaps`, also the opponent's moves in \
        these games that it does not answer. Queries have the terms `leaves[by me]:white.pgn` and `repertoire:white.pgn`.",
    fields: with_games![
        needed(
            "repertoire",
            Text,
            "The repertoire: a database, or a folder of databases, by its name in `bases`"
        ),
        field(
            "side",
            Choice(&["white", "black"]),
            "Its side (default: the side in its games, or the recognised one)"
        ),
        field(
            "player",
            Text,
            "Only games of this player with the side of the repertoire"
        ),
        field(
            "gaps",
            Flag,
            "Also list the opponent's moves that it does not answer"
        ),
        field(
            "limit",
            Whole(0, 500),
            "Games, lines and gaps (default: 20)"
        ),
        field(
            "from",
            Whole(0, 1_000_000_000),
            "The place of the first game, from 0: `next` of the previous page"
        ),
    ],
    answers: &["McpRepertoireCheckAnswer"],
    pace: ToolPace::JobOfAll,
    writes: false,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let name = call.arguments.text("repertoire").unwrap_or_default();
    let color = match call.arguments.text("side") {
        Some("white") => Some(Color::White),
        Some("black") => Some(Color::Black),
        _ => None,
    };
    let bases = McpRepertoireBases(&*call.server.bases);
    let named = QueryRepertoires::new(&bases, &call.server.repertoires, call.control);
    let mut found = named.find(name);
    if found.is_empty() {
        // A part of a name is enough here, and what is no name is refused with those that are.
        found.push(call.server.bases.get(name)?.base);
    }
    let made = named.read(&found, color)?;
    let games = games_beside(call, &found)?;
    let mut repertoires = Vec::new();
    for one in &made {
        repertoires.push(compared(call, one, &games)?);
    }
    let mut notes = call.query_notes(&games);
    notes.extend(made.iter().filter_map(|one| color_note(name, one)));
    // Those of one database have the same games.
    let damage = made.first().and_then(|one| one.damage_note());
    notes.extend(damage.map(|damage| format!("{name}: {damage}")));
    let answer = McpRepertoireCheckAnswer { repertoires, notes };
    let mut answer = call.with_names(answer.json());
    in_letters(&mut answer);
    Ok(answer)
}

/// The games that are chosen; where no database is named, those of all but the repertoire.
fn games_beside(call: &ToolCall<'_>, repertoire: &[Base]) -> Result<Selection, McpRefusal> {
    if !call.arguments.texts("bases").is_empty() {
        return call.selection();
    }
    let places: Vec<&Path> = repertoire.iter().map(Base::path).collect();
    let (all, _) = call.server.bases.all(false);
    let all = all.into_iter().map(|base| base.base);
    let beside: Vec<Base> = all.filter(|base| !places.contains(&base.path())).collect();
    if beside.is_empty() {
        return Err(McpRefusal::new(
            "nothing-found",
            "there is no database besides the repertoire",
        )
        .with_help("name the games to compare with it in `bases`"));
    }
    call.selection_of(beside)
}

fn compared(
    call: &ToolCall<'_>,
    repertoire: &Repertoire,
    games: &Selection,
) -> Result<McpRepertoireAnswer, McpRefusal> {
    let games = match call.arguments.text("player") {
        Some(player) => &games_of_player(games, player, repertoire.color())?,
        None => games,
    };
    let limit = call.arguments.count("limit", 20);
    let from = call.arguments.count("from", 0);
    let mut rows = Vec::new();
    let mut place = 0;
    let report = repertoire::check(
        repertoire,
        games,
        false,
        call.control,
        &mut |at, _, found| {
            if place >= from && rows.len() < limit {
                let name = games.bases.get(at).map_or("", Base::name);
                rows.push(found.answer(repertoire, name));
            }
            place += 1;
            Ok(ControlFlow::Continue(()))
        },
    )?;
    call.whole(report.ended)?;
    let gaps = match call.arguments.flag("gaps") {
        true => {
            let played = repertoire::reference(repertoire, games, call.control)?;
            call.whole(played.ended)?;
            let options = RepertoireGapOptions {
                games: 1,
                ..RepertoireGapOptions::default()
            };
            let found = repertoire::gaps(repertoire, &played, options);
            let found = found.iter().take(limit);
            Some(found.map(|gap| gap.answer(repertoire)).collect())
        }
        false => None,
    };
    let lines = report.lines.sorted();
    let shown = from.saturating_add(rows.len()) as u64;
    Ok(McpRepertoireAnswer {
        color: side(repertoire.color()),
        positions: repertoire.positions().len() as u64,
        games: report.games,
        damaged: report.damaged,
        lines: (lines.iter().take(limit))
            .map(|line| line.answer(repertoire))
            .collect(),
        from: from as u64,
        next: (shown < report.games && !rows.is_empty()).then_some(shown),
        rows,
        gaps,
    })
}

/// Moves are told in standard notation alone.
fn in_letters(answer: &mut Value) {
    let repertoires = answer["repertoires"].as_array_mut();
    for one in repertoires.into_iter().flatten() {
        let gaps = one.get_mut("gaps").and_then(Value::as_array_mut);
        for gap in gaps.into_iter().flatten() {
            if let Some(fields) = gap.as_object_mut() {
                fields.remove("uci");
            }
        }
    }
}

/// The same in the schema of the answer.
pub(super) fn say_moves_in_letters(name: &str, schema: &mut Value) {
    if name != "RepertoireGapAnswer" {
        return;
    }
    if let Some(fields) = schema["properties"].as_object_mut() {
        fields.remove("uci");
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name != "uci");
    }
}
