//! `explore`: what was played in a position, and how it scored.

use serde_json::Value;
use shakmaty::Color;
use tabiya::explorer::{
    self, ExploreFilter, ExploreLimits, ExploreLine, Explorer, LichessEndpoint,
};
use tabiya_answers::Answer;
use tabiya_model::Board;

use super::arguments::FieldKind::{Choice, Flag, Text, Whole};
use super::arguments::field;
use super::position::AskedPosition;
use super::{McpTool, ToolCall, ToolPace, with_games};
use crate::jobs::ToolResult;
use crate::tree::san_of;

pub(super) const EXPLORE: McpTool = McpTool {
    name: "explore",
    title: "Explore a position",
    about: "Returns what was played in a position, how often, and how the games ended (`white`, `draws` and `black` are \
        games won by White, drawn, and won by Black), with ratings, performances, the strongest and the latest games. The \
        answer is that of the opening explorer; the `id` of a game is its number, preceded by the place of its database in \
        `bases` if there are several.",
    fields: with_games![
        field(
            "fen",
            Text,
            "The position as FEN (default: the normal starting position)"
        ),
        field(
            "line",
            Text,
            "Moves from there in standard notation, such as `1.e4 c5 2.Nf3`"
        ),
        field("player", Text, "Only games of this player"),
        field(
            "side",
            Choice(&["white", "black"]),
            "The colour that the player has"
        ),
        field(
            "elo",
            Text,
            "Only games in which both ratings are in this range, such as 2400-2600 or 2500-"
        ),
        field(
            "since",
            Text,
            "Only games from this date on, such as 2010 or 2010.05"
        ),
        field("until", Text, "Only games up to this date"),
        field("variations", Flag, "Also count positions in variations"),
        field("limit", Whole(1, 200), "Moves (default: 12)"),
        field("top", Whole(0, 15), "Games of strong players (default: 4)"),
        field("recent", Whole(0, 8), "Recent games (default: 4)"),
    ],
    answers: &["ExplorerAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let arguments = &call.arguments;
    let text = |name: &str| arguments.text(name).map(str::to_owned);
    let asked = AskedPosition::of(call)?;
    let start = asked.boards.first().map(Board::to_fen);
    let fen = arguments.text("fen").and(start);
    let line = ExploreLine::read(fen.as_deref(), &asked.line.join(" "))?;
    let filter = ExploreFilter {
        player: text("player"),
        color: match arguments.text("side") {
            Some("white") => Some(Color::White),
            Some("black") => Some(Color::Black),
            _ => None,
        },
        elo: text("elo"),
        since: text("since"),
        until: text("until"),
        variations: arguments.flag("variations"),
    };
    let limits = ExploreLimits {
        moves: arguments.count("limit", 12),
        top: arguments.count("top", 4),
        recent: arguments.count("recent", 4),
    };
    let mut games = call.selection()?;
    // A book is asked for its moves: its lines are no games.
    let (bases, books) = explorer::split_books(std::mem::take(&mut games.bases));
    games.bases = bases;
    let mut notes = call.query_notes(&games);
    let explorer = Explorer::new(games, &filter, call.control)?;
    let found = explorer.ask(&line, call.control)?;
    let mut told = explorer::answer(&explorer, &line, &found, &limits, LichessEndpoint::Lichess)?;
    if !books.is_empty() {
        told.books = Some(explorer::ask_books(&books, line.board()));
    }
    let failed = explorer.failed();
    notes.extend(explorer.notes());
    notes.extend(failed.iter().map(|failure| failure.error.to_string()));
    notes.extend(call.control.reason());
    told.whole &= failed.is_empty();
    told.notes = Some(notes);
    let mut answer = told.json();
    in_letters(&mut answer, line.board());
    let bases = explorer.bases();
    answer["bases"] = bases.iter().map(|base| Value::from(base.name())).collect();
    Ok(call.with_names(answer))
}

/// Moves are told in standard notation alone: what a model reads it writes.
fn in_letters(answer: &mut Value, board: &Board) {
    let game = |game: &mut Value| {
        let Some(fields) = game.as_object_mut() else {
            return;
        };
        if let Some(Value::String(uci)) = fields.remove("uci")
            && let Some(m) = board.parse_uci(uci.as_bytes())
        {
            fields.insert("san".to_owned(), san_of(board, m).0.into());
        }
    };
    for list in ["topGames", "recentGames"] {
        if let Some(games) = answer[list].as_array_mut() {
            games.iter_mut().for_each(game);
        }
    }
    let books = answer.get_mut("books").and_then(Value::as_array_mut);
    for book in books.into_iter().flatten() {
        for told in book["moves"].as_array_mut().into_iter().flatten() {
            if let Some(fields) = told.as_object_mut() {
                fields.remove("uci");
            }
        }
    }
    for told in answer["moves"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = told.as_object_mut() {
            fields.remove("uci");
            if let Some(one) = fields.get_mut("game") {
                game(one);
            }
        }
    }
}

/// The same in the schema of the answer.
pub(super) fn say_moves_in_letters(name: &str, schema: &mut Value) {
    let is_game = name == "ExplorerGameAnswer";
    if !is_game && name != "ExplorerMoveAnswer" && name != "BookMoveAnswer" {
        return;
    }
    if let Some(fields) = schema["properties"].as_object_mut() {
        let kind = fields.remove("uci");
        if let (true, Some(kind)) = (is_game, kind) {
            fields.insert("san".to_owned(), kind);
        }
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name != "uci");
    }
}
