//! Positions of games as games of their own: for EPD and FEN lists.

use crate::error_codes;
use tabiya_model::board::{CastlingStyle, PositionProblems};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::tape::{Tape, TapeOp};
use tabiya_model::{Board, Error, Game, Move, Result};

/// Which positions of the main line.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PositionSelection {
    /// All of them, including the first and the last.
    All,
    /// The last one.
    Last,
    /// The one after this number of plies, if the game has it.
    Ply(u32),
    /// The one in which the query first holds.
    Found,
}

impl PositionSelection {
    /// Reads `all`, `last`, `found`, or a number of plies.
    ///
    /// # Errors
    ///
    /// If it is none of these.
    pub fn parse(text: &str) -> Result<PositionSelection> {
        match text {
            "all" => Ok(PositionSelection::All),
            "last" => Ok(PositionSelection::Last),
            "found" => Ok(PositionSelection::Found),
            digits => digits.parse().map(PositionSelection::Ply).map_err(|_| {
                Error::new(
                    &error_codes::BAD_POSITIONS,
                    format!("{text}: positions are `all`, `last`, `found` or a ply"),
                )
                .with("text", text)
            }),
        }
    }
}

/// What is written about a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PositionOperation {
    /// `id`: players, event, date, and the ply.
    Id,
    /// `bm`: the move that was played there, for test suites from won games.
    Bm,
    /// `sm`: the move that was played there.
    Sm,
    /// `c0`: the comments there.
    Comment,
    /// `Result`: how the game ended.
    Result,
}

impl PositionOperation {
    /// The operation of a word.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn parse(word: &str) -> Result<PositionOperation> {
        match word {
            "id" => Ok(PositionOperation::Id),
            "bm" => Ok(PositionOperation::Bm),
            "sm" => Ok(PositionOperation::Sm),
            "c0" => Ok(PositionOperation::Comment),
            "result" => Ok(PositionOperation::Result),
            _ => Err(Error::new(
                &error_codes::BAD_OPERATION,
                format!(
                    "{word}: no such operation can be written; available: id, bm, sm, c0, result"
                ),
            )
            .with("text", word)),
        }
    }
}

/// Which positions, and what is written about them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionExport {
    /// Which.
    pub which: PositionSelection,
    /// What is written about them.
    pub operations: Vec<PositionOperation>,
}

impl PositionExport {
    /// The positions of a game; `found` is where a query first holds.
    pub(super) fn of(&self, game: &Game, found: Option<u32>) -> Vec<Game> {
        let mut positions = Vec::new();
        self.each(game, found, &mut Game::default(), &mut |position| {
            positions.push(position.clone());
        });
        positions
    }

    /// Shows the positions of a game, one after another in the same place.
    pub(super) fn each(
        &self,
        game: &Game,
        found: Option<u32>,
        position: &mut Game,
        show: &mut dyn FnMut(&Game),
    ) {
        let moves: Vec<Move> = game.tape.main_line().collect();
        let plies = moves.len();
        let wanted = |ply: usize| match self.which {
            PositionSelection::All => true,
            PositionSelection::Last => ply == plies,
            PositionSelection::Ply(wanted) => u32::try_from(ply) == Ok(wanted),
            PositionSelection::Found => u32::try_from(ply).ok() == found,
        };
        let has = |operation| self.operations.contains(&operation);
        let comments = match has(PositionOperation::Comment) {
            true => comments(game),
            false => Vec::new(),
        };
        let mut id = match has(PositionOperation::Id) {
            true => id(game),
            false => String::new(),
        };
        let whose = id.len();
        position.clear();
        position.origin = game.origin;
        position.variant = match game.variant {
            Variant::Chess960 => Variant::Chess960,
            _ => Variant::Standard,
        };
        position.outcome = has(PositionOperation::Result).then(|| game.result());
        let mut board = game.start_board();
        for ply in 0..=plies {
            let next = moves.get(ply).copied();
            if wanted(ply) {
                set_start(position, &board);
                position.tags.clear();
                position.tape.clear();
                if has(PositionOperation::Id) {
                    id.truncate(whose);
                    id.push_str(&ply.to_string());
                    position.tags.push("Event", &id);
                }
                if let Some(m) = next {
                    for (operation, name) in
                        [(PositionOperation::Bm, "bm"), (PositionOperation::Sm, "sm")]
                    {
                        if has(operation) {
                            position.tags.push(name, &san(&board, m));
                        }
                    }
                }
                if let Some(comment) = comments.get(ply).filter(|comment| !comment.is_empty()) {
                    position.tape.push_comment(comment);
                }
                show(position);
            }
            if let Some(m) = next {
                board.play(m);
            }
        }
    }
}

/// Lets a game begin with a position; writers add the tags that say so.
fn set_start(position: &mut Game, board: &Board) {
    match &mut position.start {
        StartingPosition::Setup(old, _) => (**old).clone_from(board),
        StartingPosition::Standard => {
            position.start =
                StartingPosition::Setup(Box::new(board.clone()), PositionProblems::default());
        }
    }
}

fn san(board: &Board, m: Move) -> String {
    let mut text = Vec::new();
    if m.is_null() {
        board.write_uci(m, CastlingStyle::KingMoves, &mut text);
    } else {
        board.write_san(m, &mut text);
    }
    String::from_utf8(text).unwrap_or_default()
}

/// Who plays, where and when, up to the number of plies.
fn id(game: &Game) -> String {
    let known = |name: &str| {
        Some(game.tags.value(name)).filter(|value| !matches!(*value, "" | "?" | "????.??.??"))
    };
    let players = format!(
        "{} - {}",
        known("White").unwrap_or("?"),
        known("Black").unwrap_or("?")
    );
    let rest = ["Event", "Site", "Date"].into_iter().filter_map(known);
    let mut words: Vec<String> = std::iter::once(players)
        .chain(rest.map(str::to_owned))
        .collect();
    words.push("ply ".to_owned());
    words.join(", ")
}

/// The comments behind each ply of the main line, those before the first one in front.
fn comments(game: &Game) -> Vec<String> {
    let tape: &Tape = &game.tape;
    let mut all = vec![String::new()];
    let mut at = 0;
    while let Some(op) = tape.get(at) {
        match op {
            TapeOp::Begin(_) => {
                at = tape.skip(at);
                continue;
            }
            TapeOp::Move(_) => all.push(String::new()),
            TapeOp::Comment(id) => {
                if let Some(last) = all.last_mut() {
                    if !last.is_empty() {
                        last.push(' ');
                    }
                    last.push_str(tape.text(id));
                }
            }
            _ => {}
        }
        at += 1;
    }
    all
}
