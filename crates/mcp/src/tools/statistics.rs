//! `stats`, `player` and `crosstable`: totals over games.

use tabiya::crosstable::{self, CrosstableOptions};
use tabiya::player::{self, PlayerOptions};
use tabiya::stats::{self, StatsOptions};
use tabiya_answers::Answer;

use super::arguments::FieldKind::{Flag, Statistics, Text, Whole};
use super::arguments::{field, needed};
use super::game::HIGHEST;
use super::{McpTool, ToolCall, ToolPace, with_games};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;

pub(super) const STATS: McpTool = McpTool {
    name: "stats",
    title: "Count games",
    about: "Counts games by result, year, rating, opening, player, event and so on, with how they ended. With a query it \
        only counts matches.",
    fields: with_games![
        field(
            "only",
            Statistics,
            "Only these statistics (default: all that an index can answer)"
        ),
        field(
            "full",
            Flag,
            "Include those that need the games themselves, such as time controls (slower)"
        ),
        field("limit", Whole(1, 500), "Names in a list (default: 10)"),
    ],
    answers: &["StatisticsAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run: count,
};

fn count(call: &ToolCall<'_>) -> ToolResult {
    let options = StatsOptions {
        only: call.arguments.texts("only"),
        full: call.arguments.flag("full"),
        top: call.arguments.count("limit", 10),
    };
    let counts = stats::stats(&call.selection()?, &options, call.control)?;
    call.whole(counts.ended)?;
    Ok(call.with_names(counts.answer().json()))
}

pub(super) const PLAYER: McpTool = McpTool {
    name: "player",
    title: "Show a player's record",
    about: "Returns a player's record: wins, draws and losses (the player's own), opponents, years, openings with each \
        colour, ratings, best wins, worst losses, streaks. Any form of the name works: `Tal`, `Tal, M`, `Mikhail Tal`.",
    fields: with_games![
        needed("name", Text, "The player"),
        field("against", Text, "Only games against this player"),
        field(
            "limit",
            Whole(1, 200),
            "Names or games in a list (default: 10)"
        ),
    ],
    answers: &["PlayerAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run: tell_player,
};

fn tell_player(call: &ToolCall<'_>) -> ToolResult {
    let options = PlayerOptions {
        against: call.arguments.text("against").map(str::to_owned),
        top: call.arguments.count("limit", 10),
        ..PlayerOptions::new(call.arguments.text("name").unwrap_or_default())
    };
    let games = call.selection()?;
    let found = player::player(&games, &options, call.control)?;
    call.whole(found.ended)?;
    if found.record.score.games() == 0 {
        let refusal = McpRefusal::new(
            "nothing-found",
            format!("no games of {:.80} found", options.name),
        );
        let names = tabiya_query::Query::parse(
            &format!("player:\"{}\"", options.name.replace(['\\', '"'], " ")),
            tabiya_query::QueryContext::default(),
        );
        let hint = names
            .ok()
            .and_then(|query| tabiya::search::hint(&games.matching(query), call.control));
        return Err(match hint {
            Some(hint) => refusal.with_help(hint),
            None => refusal,
        });
    }
    Ok(call.with_names(found.answer().json()))
}

pub(super) const CROSSTABLE: McpTool = McpTool {
    name: "crosstable",
    title: "Make a crosstable",
    about: "Makes the crosstables of events: standings, scores, tie-breaks, performances, rating changes.",
    fields: with_games![
        field("event", Text, "Only events whose names contain this text"),
        field(
            "of_game",
            Whole(1, HIGHEST),
            "The event of the game with this number, in the only database named"
        ),
        field(
            "min_games",
            Whole(1, 100_000),
            "Skip events with fewer games (default: 1)"
        ),
    ],
    answers: &["EventsAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run: tables,
};

fn tables(call: &ToolCall<'_>) -> ToolResult {
    let options = CrosstableOptions {
        game: call.arguments.number("of_game"),
        event: call.arguments.text("event").map(str::to_owned),
        least: call.arguments.count("min_games", 1),
        ..CrosstableOptions::default()
    };
    let found = crosstable::crosstable(&call.selection()?, &options, call.control)?;
    call.whole(found.ended)?;
    if found.tables.is_empty() {
        return Err(McpRefusal::new("nothing-found", "there is no such event"));
    }
    Ok(call.with_names(found.answer().json()))
}
