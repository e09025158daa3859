//! `novelty` and `duplicates`: searches over whole databases.

use std::ops::ControlFlow;

use tabiya::dedupe::{self, DedupeOptions};
use tabiya::{Base, Selection, novelty};
use tabiya_answers::Answer;
use tabiya_answers::server::{DuplicatesAnswer, NoveltiesAnswer};

use super::arguments::FieldKind::{Choice, Flag, Texts, Whole};
use super::arguments::field;
use super::{McpTool, ToolCall, ToolPace, with_games};
use crate::jobs::ToolResult;

/// Pairs and games that are told at most.
const FOUND: usize = 5_000;

pub(super) const NOVELTY: McpTool = McpTool {
    name: "novelty",
    title: "Find novelties",
    about: "Finds where games leave the games before them: the new move, how many games had reached the position, and what \
        they played there. Only reference games of an earlier date count. It is a job.",
    fields: with_games![
        field(
            "reference",
            Texts,
            "Databases to compare with (default: those of the games themselves)"
        ),
        field(
            "order",
            Choice(&["games", "deepest"]),
            "In the order of the games, or those that stayed longest in known theory first (default: games)"
        ),
        field("limit", Whole(1, 500), "Games (default: 20)"),
    ],
    answers: &["NoveltiesAnswer"],
    pace: ToolPace::Job,
    writes: false,
    run: novelties,
};

fn novelties(call: &ToolCall<'_>) -> ToolResult {
    let games = call.selection()?;
    let names = call.arguments.texts("reference");
    let reference: Vec<Base> = match names.is_empty() {
        true => games.bases.clone(),
        false => names
            .iter()
            .map(|name| Ok(call.server.bases.get(name)?.base))
            .collect::<Result<_, crate::error::McpRefusal>>()?,
    };
    let reference = Selection::of(reference);
    let limit = call.arguments.count("limit", 20);
    let name = |at: usize| games.bases.get(at).map_or("", Base::name);
    let mut told = Vec::new();
    let (report, is_cut) = match call.arguments.text("order") {
        Some("deepest") => {
            let (best, report) = novelty::deepest(&games, &reference, limit, call.control)?;
            told.extend(best.iter().map(|(at, one)| one.answer(name(*at))));
            (report, false)
        }
        _ => {
            let mut is_cut = false;
            let report = novelty::novelties(&games, &reference, call.control, &mut |at, one| {
                if told.len() == limit {
                    is_cut = true;
                    return Ok(ControlFlow::Break(()));
                }
                told.push(one.answer(name(at)));
                Ok(ControlFlow::Continue(()))
            })?;
            (report, is_cut)
        }
    };
    if !is_cut {
        call.whole(report.ended)?;
    }
    let answer = NoveltiesAnswer {
        games: report.games,
        undated: report.undated,
        novelties: told,
        notes: [call.query_notes(&games), report.notes].concat(),
        whole: !is_cut,
    };
    Ok(call.with_names(answer.json()))
}

pub(super) const DUPLICATES: McpTool = McpTool {
    name: "duplicates",
    title: "Find duplicate games",
    about: "Finds pairs of games that are the same game, in each database and between them, with the reasons and which of \
        them to keep. Nothing is changed. It is a job.",
    fields: with_games![
        field("swapped", Flag, "Also match games with colours reversed"),
        field(
            "misspelt",
            Flag,
            "Also match surnames that differ in one letter"
        ),
    ],
    answers: &["DuplicatesAnswer"],
    pace: ToolPace::Job,
    writes: false,
    run: duplicates,
};

fn duplicates(call: &ToolCall<'_>) -> ToolResult {
    let games = call.selection()?;
    let options = DedupeOptions {
        swapped: call.arguments.flag("swapped"),
        misspelt: call.arguments.flag("misspelt"),
        ..DedupeOptions::default()
    };
    let mut pairs = Vec::new();
    let found = dedupe::dedupe(&games, &options, call.control, &mut |pair| {
        pairs.push(pair.answer());
        Ok(match pairs.len() < FOUND {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })?;
    call.whole(found.ended)?;
    let answer = DuplicatesAnswer {
        games: found.games,
        count: found.pairs,
        whole: pairs.len() as u64 == found.pairs,
        pairs,
        damaged: found.damaged,
        notes: [call.query_notes(&games), found.notes].concat(),
    };
    Ok(call.with_names(answer.json()))
}
