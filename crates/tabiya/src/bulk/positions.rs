//! Positions of games as games of their own: what lists of EPD and FEN are made of.

use tabiya_model::board::{CastlingStyle, Problems};
use tabiya_model::game::{Start, Variant};
use tabiya_model::tape::{Op, Tape};
use tabiya_model::{Board, Error, Game, Move, Result};

/// Which positions of the main line.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Which {
    /// All of them, the first and the last among them.
    All,
    /// The last one.
    Last,
    /// That after so many half-moves, where the game has it.
    Ply(u32),
    /// The one in which the query first holds.
    Found,
}

impl Which {
    /// Reads `all`, `last`, `found`, or a number of half-moves.
    ///
    /// # Errors
    ///
    /// Where it is none of these.
    pub fn parse(text: &str) -> Result<Which> {
        match text {
            "all" => Ok(Which::All),
            "last" => Ok(Which::Last),
            "found" => Ok(Which::Found),
            digits => digits.parse().map(Which::Ply).map_err(|_| {
                Error::usage(format!(
                    "{text}: positions are `all`, `last`, `found` or a number of half-moves"
                ))
            }),
        }
    }
}

/// What is said about a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `id`: who plays, where, when, and after how many half-moves.
    Id,
    /// `bm`: the move that was played there, for test suites of won games.
    Bm,
    /// `sm`: the move that was played there.
    Sm,
    /// `c0`: the comments that stand there.
    Comment,
    /// `Result`: how the game ended.
    Result,
}

impl Operation {
    /// The one of a word.
    ///
    /// # Errors
    ///
    /// Where there is none.
    pub fn parse(word: &str) -> Result<Operation> {
        match word {
            "id" => Ok(Operation::Id),
            "bm" => Ok(Operation::Bm),
            "sm" => Ok(Operation::Sm),
            "c0" => Ok(Operation::Comment),
            "result" => Ok(Operation::Result),
            _ => Err(Error::usage(format!(
                "{word}: no such operation is made; there are id, bm, sm, c0, result"
            ))),
        }
    }
}

/// Which positions, and what is said about them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions {
    /// Which.
    pub which: Which,
    /// What is said.
    pub operations: Vec<Operation>,
}

impl Positions {
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
            Which::All => true,
            Which::Last => ply == plies,
            Which::Ply(wanted) => u32::try_from(ply) == Ok(wanted),
            Which::Found => u32::try_from(ply).ok() == found,
        };
        let has = |operation| self.operations.contains(&operation);
        let comments = match has(Operation::Comment) {
            true => comments(game),
            false => Vec::new(),
        };
        let mut id = match has(Operation::Id) {
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
        position.outcome = has(Operation::Result).then(|| game.result());
        let mut board = game.start_board();
        for ply in 0..=plies {
            let next = moves.get(ply).copied();
            if wanted(ply) {
                set_start(position, &board);
                position.tags.clear();
                position.tape.clear();
                if has(Operation::Id) {
                    id.truncate(whose);
                    id.push_str(&ply.to_string());
                    position.tags.push("Event", &id);
                }
                if let Some(m) = next {
                    for (operation, name) in [(Operation::Bm, "bm"), (Operation::Sm, "sm")] {
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
        Start::Setup(old, _) => (**old).clone_from(board),
        Start::Standard => {
            position.start = Start::Setup(Box::new(board.clone()), Problems::default());
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

/// Who plays, where and when, up to the number of half-moves.
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

/// The comments behind each half-move of the main line, those before the first one in front.
fn comments(game: &Game) -> Vec<String> {
    let tape: &Tape = &game.tape;
    let mut all = vec![String::new()];
    let mut at = 0;
    while let Some(op) = tape.get(at) {
        match op {
            Op::Begin(_) => {
                at = tape.skip(at);
                continue;
            }
            Op::Move(_) => all.push(String::new()),
            Op::Comment(id) => {
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
