//! The position to explore, and moves as people and programs write them.

use crate::error_codes;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::{Board, CastlingStyle, PositionProblems};
use tabiya_model::positions::MoveDelta;
use tabiya_model::{Error, Move, Result};
use tabiya_openings::position_key::PositionKey;
use tabiya_openings::{self as openings, Opening};

/// The positions on the way to the one to explore, which is the last.
#[derive(Clone, Debug)]
pub struct ExploreLine {
    start: Board,
    problems: PositionProblems,
    moves: Vec<Move>,
    after: Vec<Board>,
}

impl ExploreLine {
    /// A position as a FEN record, and moves that lead on from there, such as `1.e4 c5 2.Nf3`. The normal starting
    /// position by default.
    pub fn read(fen: Option<&str>, moves: &str) -> Result<ExploreLine> {
        let (start, problems) = match fen {
            None => (Board::standard(), PositionProblems::default()),
            Some(fen) => Board::from_fen(fen).map_err(|error| {
                Error::new(&error_codes::BAD_POSITION, error.to_string()).of_parameter("fen")
            })?,
        };
        let mut line = ExploreLine {
            start,
            problems,
            moves: Vec::new(),
            after: Vec::new(),
        };
        let mut board = line.start.clone();
        let mut rest = moves;
        loop {
            // Numbers and dots before a move say nothing.
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '.');
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let after = rest.get(digits..).unwrap_or("");
            if digits > 0
                && (after.starts_with('.')
                    || after.starts_with(char::is_whitespace)
                    || after.is_empty())
            {
                rest = after;
                continue;
            }
            if rest.is_empty() {
                return Ok(line);
            }
            let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
            let bad = |why: &str| {
                let before = moves.get(..moves.len() - rest.len()).unwrap_or("");
                let column = before.chars().count() + 1;
                Error::new(
                    &error_codes::BAD_LINE,
                    format!(
                        "column {column}: {word}: {why}\n  {moves}\n  {:>column$}",
                        "^"
                    ),
                )
                .of_parameter("line")
                .with("column", column)
            };
            let by_squares = || {
                let m = board.parse_uci(word.as_bytes());
                m.filter(|m| m.is_null() || board.is_legal(*m))
            };
            let (m, length) = match board.read_san(rest.as_bytes()) {
                Some((Ok(m), length)) => (m, length),
                Some((Err(error), _)) => match by_squares() {
                    Some(m) => (m, word.len()),
                    None => return Err(bad(&error.to_string())),
                },
                None => match by_squares() {
                    Some(m) => (m, word.len()),
                    None => return Err(bad("no such move")),
                },
            };
            board.play(m);
            line.moves.push(m);
            line.after.push(board.clone());
            rest = rest.get(length..).unwrap_or("");
        }
    }

    /// The position that the line begins with.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// What is illegal in the position that it begins with: engines must not get it.
    pub fn position_problem(&self) -> Option<&'static str> {
        let odd = self.problems.without(PositionProblems::MISSING_FIELDS);
        odd.without(PositionProblems::MISSING_COUNTERS)
            .descriptions()
            .next()
    }

    /// Its moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position to explore.
    pub fn board(&self) -> &Board {
        self.after.last().unwrap_or(&self.start)
    }

    /// Its opening: that of the last position on the way that has a name.
    pub fn opening(&self) -> Option<Opening> {
        let mut boards = vec![self.start.clone()];
        boards.extend(self.after.iter().cloned());
        openings::on_the_way(&boards)
    }
}

/// A move as people write it.
pub fn san_of(board: &Board, step: MoveCode) -> String {
    let Some(m) = step.on(board) else {
        return "(end)".to_owned();
    };
    let mut text = Vec::new();
    board.clone().play_san(m, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A move as the Lichess explorer writes it: castling is the king's move onto its rook.
pub fn uci_of(board: &Board, step: MoveCode) -> String {
    let Some(m) = step.on(board) else {
        return String::new();
    };
    let mut text = Vec::new();
    board.write_uci(m, CastlingStyle::KingTakesRook, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The key after a step.
pub fn key_after(key: PositionKey, board: &Board, step: MoveCode) -> PositionKey {
    match step.on(board) {
        Some(m) => key.after(MoveDelta::of_move(board, m)),
        None => key,
    }
}

/// The name of the opening that a step leads to.
pub fn opening_after(board: &Board, step: MoveCode) -> Option<Opening> {
    let m = step.on(board)?;
    openings::after(PositionKey::of_board(board), MoveDelta::of_move(board, m))
}

/// How games ended, in per cent of those with a result: White's wins, draws, Black's wins.
pub fn percentages(score: &MoveScore) -> String {
    let all = score.white + score.draws + score.black;
    if all == 0 {
        return "-".to_owned();
    }
    let part = |n: u64| (n * 100 + all / 2) / all;
    format!(
        "{}/{}/{} %",
        part(score.white),
        part(score.draws),
        part(score.black)
    )
}
