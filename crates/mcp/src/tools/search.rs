//! `search`: finds games.

use std::ops::ControlFlow;
use std::time::Duration;

use tabiya::game_order::GameOrder;
use tabiya::list::{GameListRow, want};
use tabiya::model::Control;
use tabiya::search::{self, SearchOptions};
use tabiya::{Base, Selection};
use tabiya_answers::{Answer, GameRowAnswer, MatchRowAnswer, McpSearchAnswer};

use super::arguments::FieldKind::{Text, Whole};
use super::arguments::field;
use super::{McpTool, ToolCall, ToolPace, with_games};
use crate::jobs::ToolResult;

/// Rows that are shown where nothing is said, and at most.
const ROWS: u64 = 20;
const MOST: u64 = 200;

/// How long games are counted behind a page that is full.
const COUNTING: Duration = Duration::from_millis(400);

pub(super) const SEARCH: McpTool = McpTool {
    name: "search",
    title: "Find games",
    about: "Finds games with the query language: players, events, dates, ratings, openings, positions, material, \
        manoeuvres, comments, evaluations. Terms are separated by spaces: `white:Tal black:Smyslov`, `elo:2500.. \
        date:2020.. eco:B90`, `material:KRPvKR`, `ends:mate`. The resource tabiya://query has all terms; an invalid query \
        is refused with the place of the error and a suggestion. Without a query it lists the games. Each row has the \
        number that `game` takes, and the ply at which the query first holds.",
    fields: with_games![
        field(
            "sort",
            Text,
            "Sort by fields, such as `-elo,date`; `-` is descending (default: the order of the database)"
        ),
        field("limit", Whole(1, MOST), "Rows of this page (default: 20)"),
        field(
            "from",
            Whole(0, 1_000_000_000),
            "The place of the first row, from 0: `next` of the previous page"
        ),
    ],
    answers: &["McpSearchAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let games = call.selection()?;
    let sort = call.arguments.text("sort");
    let sort = sort.map(str::parse::<GameOrder>).transpose()?;
    let (from, limit) = (
        call.arguments.number("from").unwrap_or(0),
        call.arguments.number("limit").unwrap_or(ROWS),
    );
    let options = SearchOptions {
        keep: Some(want(true)),
        first: Some(limit),
        offset: from,
        // A page is answered before all games are counted; what is sorted is counted anyway.
        total: sort.is_some(),
        sort,
        ..SearchOptions::default()
    };
    let mut rows = Vec::new();
    let found = search::search(&games, &options, call.control, &mut |base, found| {
        let game = found.game.unwrap_or_default();
        let mut row = GameListRow::of_game(&game, true);
        row.number = found.hit.number;
        let name = games.bases.get(base).map_or("", |base| base.name());
        rows.push(MatchRowAnswer {
            game: owned(row.answer()),
            base: name.to_owned().into(),
            ply: found.hit.ply,
        });
        Ok(ControlFlow::Continue(()))
    })?;
    let total = match found.total {
        None if found.ended.is_whole() => counted(&games, call.control)?,
        total => total,
    };
    let shown = from + rows.len() as u64;
    let mut notes = call.query_notes(&games);
    notes.extend(found.bases.iter().flat_map(|base| base.notes.clone()));
    if total == Some(0) {
        notes.extend(search::hint(&games, call.control));
    }
    notes.extend(call.control.reason());
    let more = total.map_or(rows.len() as u64 == limit, |total| shown < total);
    let answer = McpSearchAnswer {
        total,
        from,
        next: (more && !rows.is_empty()).then_some(shown),
        rows,
        notes,
        whole: found.ended.is_whole(),
    };
    Ok(call.with_names(answer.json()))
}

/// How many games there are, where that is known or soon counted.
fn counted(games: &Selection, control: &Control) -> tabiya::model::Result<Option<u64>> {
    if games.is_all() {
        let of_base = |base: &Base| base.database().map(|database| database.len());
        let counts: Option<Vec<_>> = games.bases.iter().map(of_base).collect();
        return counts.map(|counts| counts.into_iter().sum()).transpose();
    }
    let control = control.clone().with_time(COUNTING);
    let counted = search::count(games, &SearchOptions::default(), &control)?;
    Ok(counted.ended.is_whole().then(|| counted.hits()))
}

/// A row that keeps its texts.
fn owned(row: GameRowAnswer<'_>) -> GameRowAnswer<'static> {
    let text = |text: std::borrow::Cow<'_, str>| text.into_owned().into();
    GameRowAnswer {
        number: row.number,
        white: text(row.white),
        white_elo: row.white_elo,
        black: text(row.black),
        black_elo: row.black_elo,
        result: text(row.result),
        date: text(row.date),
        event: text(row.event),
        site: text(row.site),
        round: text(row.round),
        eco: text(row.eco),
        plies: row.plies,
        deleted: row.deleted,
    }
}
