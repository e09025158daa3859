//! `analyse`: what an engine thinks of a position or of a game, as a job.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tabiya::analyse::{AnalyseEvent, AnalyseOptions, analyse, analyse_in_place};
use tabiya::engine::driver::{EngineSpec, EngineTimeouts, SearchLimits};
use tabiya::engine::live::{LiveCache, LiveEngines, LiveQuestion, LiveState, LiveUpdate};
use tabiya::engine::settings::EngineSettings;
use tabiya::{GameNumbers, Selection, Target};
use tabiya_answers::{Answer, McpAnalysisAnswer, McpAnalysisLineAnswer, McpGameAnalysisAnswer};
use tabiya_formats::pgn;
use tabiya_model::{Board, Error, GameNeeds};

use super::arguments::FieldKind::{Flag, Text, Whole};
use super::arguments::field;
use super::edit::editable_base;
use super::game::{self, HIGHEST};
use super::position::AskedPosition;
use super::{BASE, McpTool, ToolCall, ToolPace};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;
use crate::tree::{self, san_of};

/// Positions to search where nothing is said: of a position, and of each move of a game.
const NODES: u64 = 1_000_000;
const GAME_NODES: u64 = 100_000;
/// Plies of a line that are told.
const SHOWN: usize = 24;
/// How often it is looked whether the job goes on.
const LOOK: Duration = Duration::from_millis(30);

pub(super) const ANALYSE: McpTool = McpTool {
    name: "analyse",
    title: "Ask an engine",
    about: "Analyses a position (a FEN, a line, or a node of a game) with an engine, or with `whole_game` every move of a \
        game, with mistakes and accuracy. It is a job: the answer is an id, and the tool `job` returns the results. \
        Evaluations are seen from White. With `save`, the evaluations of a whole game are written into the database, as \
        one change that `undo` undoes.",
    fields: &[
        field(
            "fen",
            Text,
            "The position as FEN (default: the normal starting position)",
        ),
        field("line", Text, "Moves from there in standard notation"),
        BASE,
        field(
            "game",
            Whole(1, HIGHEST),
            "The number of a game of the database",
        ),
        field(
            "node",
            Text,
            "The node of the game (default: the end of its main line)",
        ),
        field("whole_game", Flag, "Analyse every move of the game"),
        field(
            "save",
            Flag,
            "Write the evaluations of the whole game into the database",
        ),
        field(
            "engine",
            Text,
            "The name of an engine in the user's settings (default: the first)",
        ),
        field(
            "nodes",
            Whole(1_000, 1_000_000_000),
            "Positions to search (default: 1000000; for each move of a game 100000)",
        ),
        field(
            "depth",
            Whole(1, 100),
            "The depth to search, instead of a number of positions",
        ),
        field(
            "lines",
            Whole(1, 8),
            "Best lines of a position (default: 1)",
        ),
    ],
    answers: &["McpAnalysisAnswer", "McpGameAnalysisAnswer"],
    pace: ToolPace::Job,
    writes: true,
    run,
};

/// The engine that is meant: one of the settings, never a program of another name.
fn engine(name: Option<&str>) -> Result<EngineSpec, McpRefusal> {
    let settings = EngineSettings::read(None)
        .map_err(|error| McpRefusal::new("bad-settings-file", error.to_string()))?;
    let known = name.is_none_or(|name| settings.named(name).is_some());
    let found = settings.choose(name).filter(|_| known);
    found.ok_or_else(|| {
        let names = settings.engines.iter().map(|spec| spec.name.clone());
        McpRefusal::new("no-such-engine", "there is no such engine here")
            .with_help("the user has to install one, such as Stockfish, or add it to the settings")
            .with_choices(names)
    })
}

fn limits(call: &ToolCall<'_>, nodes: u64) -> SearchLimits {
    let depth = call.arguments.number("depth");
    SearchLimits {
        nodes: match depth {
            Some(_) => call.arguments.number("nodes"),
            None => Some(call.arguments.number("nodes").unwrap_or(nodes)),
        },
        depth: depth.and_then(|depth| u32::try_from(depth).ok()),
        ..SearchLimits::default()
    }
}

fn run(call: &ToolCall<'_>) -> ToolResult {
    match call.arguments.flag("whole_game") || call.arguments.flag("save") {
        true => game(call),
        false => position(call),
    }
}

fn position(call: &ToolCall<'_>) -> ToolResult {
    let asked = AskedPosition::of(call)?;
    let board = asked.board();
    if !board.has_legal_move() {
        return Err(
            McpRefusal::new("game-over", "there is no legal move in this position")
                .on_board(&board),
        );
    }
    let spec = engine(call.arguments.text("engine"))?;
    let count = u32::try_from(call.arguments.count("lines", 1)).unwrap_or(1);
    let question = LiveQuestion::best(&board, &[], count)
        .map_err(|error| McpRefusal::new("bad-position", error.to_string()))?
        .with_limit(&limits(call, NODES));
    let (sender, updates) = channel();
    let sender = Mutex::new(sender);
    let live = LiveEngines::start(
        vec![spec],
        EngineTimeouts::default(),
        LiveCache::default(),
        move |update| {
            let sender = sender.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody has to listen.
            let _ = sender.send(update);
        },
    );
    live.show(&question);
    let mut last: Option<LiveUpdate> = None;
    let is_whole = loop {
        if call.control.is_stopped() {
            break false;
        }
        match updates.recv_timeout(LOOK) {
            Ok(update) => match &update.state {
                LiveState::Failed(why) => {
                    return Err(McpRefusal::new("engine-failed", why.clone()));
                }
                state => {
                    let is_done = *state == LiveState::Done;
                    call.control.advance(0, 0);
                    last = Some(update);
                    if is_done {
                        break true;
                    }
                }
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    let found =
        last.ok_or_else(|| McpRefusal::new("stopped", "the engine has returned nothing yet"))?;
    let lines = found.lines.iter().map(|info| McpAnalysisLineAnswer {
        moves: in_letters(&board, &info.line),
        evaluation: info
            .score
            .map(|score| tree::evaluation(score, Some(info.depth), &found.name)),
    });
    let lines: Vec<McpAnalysisLineAnswer> = lines.collect();
    if let Some(told) = lines.first().and_then(|line| line.evaluation.as_ref()) {
        call.server.evaluations.add(&board, told);
    }
    let answer = McpAnalysisAnswer {
        fen: board.to_fen(),
        engine: found.name.clone(),
        nodes: found.nodes,
        lines,
        whole: is_whole,
    };
    Ok(answer.json())
}

fn in_letters(board: &Board, line: &[tabiya_model::Move]) -> Vec<String> {
    let mut board = board.clone();
    let mut moves = Vec::new();
    for m in line.iter().take(SHOWN) {
        let (san, after) = san_of(&board, *m);
        moves.push(san);
        board = after;
    }
    moves
}

fn game(call: &ToolCall<'_>) -> ToolResult {
    let is_saved = call.arguments.flag("save");
    let base = match is_saved {
        true => editable_base(call)?,
        false => call.base()?,
    };
    let number = call.arguments.number("game").ok_or_else(|| {
        McpRefusal::new(
            "bad-arguments",
            "`game` is missing: the number of the game to analyse",
        )
    })?;
    base.base.read(number, GameNeeds::TAGS)?;
    let spec = engine(call.arguments.text("engine"))?;
    let options = AnalyseOptions::new(spec, limits(call, GAME_NODES));
    let numbers: GameNumbers = [number].into_iter().collect();
    let games = Selection {
        numbers,
        ..Selection::of([base.base.clone()])
    };
    let mut found = Vec::new();
    let mut each = |event: AnalyseEvent<'_>| {
        if let AnalyseEvent::Game(game) = event {
            found.push(game.clone());
        }
    };
    let (report, game) = if is_saved {
        let report = analyse_in_place(&games, &options, call.control, &mut each)?;
        call.whole(report.ended)?;
        call.server.bases.changed(&base.name);
        let base = call.server.bases.get(&base.name)?;
        (report, base.base.read(number, GameNeeds::ALL)?)
    } else {
        let folder = tempfile::tempdir().map_err(Error::from)?;
        let path = folder.path().join("game.pgn");
        let target = Target::new(
            &path,
            Some(&pgn::FORMAT),
            tabiya_formats::format::WriteOptions::default(),
        )?;
        let report = analyse(&games, &target, &options, call.control, &mut each)?;
        call.whole(report.ended)?;
        let bases = tabiya::open(&path)?;
        // One game was written where one was chosen.
        let copy = bases.first().map(|copy| copy.read(1, GameNeeds::ALL));
        let copy = copy.ok_or_else(|| McpRefusal::new("fault", "the copy is missing"))??;
        (report, copy)
    };
    let answer = McpGameAnalysisAnswer {
        analysis: report.answer(&found),
        game: game::told(&base.name, number, &game),
        saved: is_saved,
    };
    Ok(call.with_names(answer.json()))
}
