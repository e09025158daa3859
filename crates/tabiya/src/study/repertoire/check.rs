//! Where games leave a repertoire.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tabiya_answers::{RepertoireGameAnswer, RepertoireLineAnswer};
use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::tally::MoveScore;
use tabiya_model::{
    Board, Control, Game, GameNeeds, JobCompletion, Replay, Result, Severity, TapeOp,
};
use tabiya_repertoire::{
    Repertoire, RepertoireEnd, RepertoireExit, RepertoireFollower, moves_in_words,
};

use super::{end_answer, score_of, side_answer};
use crate::select::list::GameListRow;
use crate::select::numbers;
use crate::select::selection::Selection;

/// Plies that are told of how a game went on.
const THEN: usize = 6;

/// Where a game leaves a repertoire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepertoireGame {
    /// The game.
    pub game: GameListRow,
    /// Where it leaves the repertoire.
    pub departure: RepertoireExit,
    /// The position where it leaves, as in the game.
    pub fen: Option<String>,
    /// The moves of the repertoire there.
    pub expected: Vec<String>,
    /// The move played there; nothing if the game ends there.
    pub played: Option<String>,
    /// Whether the repertoire marks this move as bad.
    pub is_marked_bad: bool,
    /// The moves of the game from there on, the first few, with their numbers.
    pub then: String,
}

impl RepertoireGame {
    /// Where a game leaves a repertoire, as it was followed.
    fn of(repertoire: &Repertoire, game: &Game, departure: RepertoireExit) -> RepertoireGame {
        let mut found = RepertoireGame {
            game: GameListRow::of_game(game, true),
            departure,
            fen: None,
            expected: Vec::new(),
            played: None,
            is_marked_bad: false,
            then: String::new(),
        };
        let position = departure
            .position
            .and_then(|number| repertoire.position(number));
        let Some(position) = position else {
            return found;
        };
        let known = usize::try_from(departure.ply).unwrap_or(usize::MAX);
        let mut replay = Replay::new(&game.start_board());
        let mut moves = game.tape.main_line();
        for m in moves.by_ref().take(known) {
            replay.play(m);
        }
        let board = replay.now();
        found.fen = Some(board.to_fen());
        found.expected = position
            .moves
            .iter()
            .map(|m| position.san(m.step))
            .collect();
        let rest: Vec<_> = moves.take(THEN).collect();
        if let Some(first) = rest.first() {
            let mut word = Vec::new();
            board.clone().play_san(*first, &mut word);
            found.played = Some(String::from_utf8_lossy(&word).into_owned());
            found.is_marked_bad = position.bad_moves.iter().any(|bad| bad.step == *first);
            found.then = moves_in_words(board, rest);
        }
        found
    }

    /// The answer for programs.
    #[must_use]
    pub fn answer(&self, repertoire: &Repertoire, base: &str) -> RepertoireGameAnswer {
        RepertoireGameAnswer {
            game: self.game.base_answer(base),
            color: side_answer(repertoire.color()),
            end: end_answer(self.departure.end),
            ply: self.departure.position.map(|_| self.departure.ply),
            fen: self.fen.clone(),
            expected: self.expected.clone(),
            played: self.played.clone(),
            marked_bad: self.is_marked_bad,
            then: self.then.clone(),
        }
    }
}

/// A position in which games left a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepertoireLine {
    /// The number of the position; nothing for games that start elsewhere.
    pub position: Option<u32>,
    /// How many games left in each way, as in [`RepertoireEnd::ALL`].
    pub ends: [u64; RepertoireEnd::ALL.len()],
    /// How they ended.
    pub score: MoveScore,
}

impl RepertoireLine {
    /// How many games left in this way.
    #[must_use]
    pub fn count(&self, end: RepertoireEnd) -> u64 {
        let all = RepertoireEnd::ALL.iter().zip(&self.ends);
        all.filter(|(known, _)| **known == end)
            .map(|(_, games)| games)
            .sum()
    }

    /// The answer for programs.
    #[must_use]
    pub fn answer(&self, repertoire: &Repertoire) -> RepertoireLineAnswer {
        let position = self.position.and_then(|number| repertoire.position(number));
        RepertoireLineAnswer {
            color: side_answer(repertoire.color()),
            line: self
                .position
                .map_or_else(String::new, |number| repertoire.line_in_words(number)),
            fen: position.map(|position| position.board.to_fen()),
            games: self.score.games,
            inside: self.count(RepertoireEnd::Inside),
            line_end: self.count(RepertoireEnd::LineEnd),
            me: self.count(RepertoireEnd::Me),
            opponent: self.count(RepertoireEnd::Opponent),
            score: score_of(&self.score, repertoire.color()),
        }
    }
}

/// Counts by position where games leave a repertoire.
#[derive(Clone, Debug, Default)]
pub struct RepertoireLines {
    lines: BTreeMap<Option<u32>, RepertoireLine>,
}

impl RepertoireLines {
    fn add(&mut self, departure: RepertoireExit, game: &Game) {
        let line = self
            .lines
            .entry(departure.position)
            .or_insert_with(|| RepertoireLine {
                position: departure.position,
                ends: [0; RepertoireEnd::ALL.len()],
                score: MoveScore::default(),
            });
        line.score.add(GameBrief::of_game(game));
        for (end, games) in RepertoireEnd::ALL.iter().zip(&mut line.ends) {
            *games += u64::from(*end == departure.end);
        }
    }

    /// The positions, those with the most games first; of equals, the one that is first in the repertoire.
    #[must_use]
    pub fn sorted(&self) -> Vec<RepertoireLine> {
        let mut lines: Vec<RepertoireLine> = self.lines.values().copied().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.score.games));
        lines
    }
}

/// The games that were read.
#[derive(Clone, Debug, Default)]
pub struct RepertoireCheckReport {
    /// Games.
    pub games: u64,
    /// Games with damage.
    pub damaged: u64,
    /// The positions where they left.
    pub lines: RepertoireLines,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

/// Takes the index of a base, a game as it was read, and where it leaves the repertoire; returns whether to go on.
pub type RepertoireGameCallback<'e> =
    dyn FnMut(usize, &Game, RepertoireGame) -> Result<ControlFlow<()>> + 'e;

/// Finds where games leave a repertoire. `annotations` requests games with all their annotations.
///
/// # Errors
///
/// If games cannot be read.
pub fn check(
    repertoire: &Repertoire,
    games: &Selection,
    annotations: bool,
    control: &Control,
    each: &mut RepertoireGameCallback<'_>,
) -> Result<RepertoireCheckReport> {
    let mut report = RepertoireCheckReport::default();
    let mut follower = RepertoireFollower::new(repertoire, &Board::standard());
    let want = match annotations {
        true => GameNeeds::ALL,
        false => GameNeeds {
            verify: false,
            ..GameNeeds::MAIN_LINE
        },
    };
    for (at, base) in games.bases.iter().enumerate() {
        let wanted = games.game_numbers(base, control)?;
        let mut is_over = false;
        let ended = numbers::games(base, &wanted, want, control, |game| {
            report.games += 1;
            report.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
            let departure = follower.departure_of(game);
            let found = RepertoireGame::of(repertoire, game, departure);
            report.lines.add(found.departure, game);
            let more = each(at, game, found)?;
            is_over = more.is_break();
            Ok(more)
        })?;
        report.ended = report.ended.and(ended);
        if is_over || !ended.is_whole() {
            break;
        }
    }
    Ok(report)
}

/// A game with a comment at the place where it leaves a repertoire.
#[must_use]
pub fn marked_game(game: &Game, found: &RepertoireGame) -> Game {
    let mut marked = game.clone();
    let comment = comment_of(found);
    let wanted = usize::try_from(found.departure.ply).unwrap_or(usize::MAX);
    let (mut seen, mut depth) = (0, 0);
    let mut is_waiting = wanted == 0;
    let mut tape = tabiya_model::Tape::default();
    for op in game.tape.ops() {
        let is_behind = matches!(op, TapeOp::Nag(_) | TapeOp::Comment(_));
        if !is_behind && std::mem::take(&mut is_waiting) {
            tape.push_comment(&comment);
        }
        tape.push_from(&game.tape, op);
        match op {
            TapeOp::Begin(_) => depth += 1,
            TapeOp::End => depth -= 1,
            TapeOp::Move(_) if depth == 0 => {
                seen += 1;
                is_waiting = seen == wanted;
            }
            _ => {}
        }
    }
    if is_waiting {
        tape.push_comment(&comment);
    }
    marked.tape = tape;
    marked
}

fn comment_of(found: &RepertoireGame) -> String {
    let has = match &found.expected[..] {
        [] => String::new(),
        moves => format!(": it has {}", moves.join(", ")),
    };
    match found.departure.end {
        RepertoireEnd::Inside => "Repertoire: the game stays inside".to_owned(),
        RepertoireEnd::LineEnd => "Repertoire: the line ends here".to_owned(),
        RepertoireEnd::Me => format!("Repertoire: I leave it here{has}"),
        RepertoireEnd::Opponent => format!("Repertoire: the opponent leaves it here{has}"),
        RepertoireEnd::Elsewhere => "Repertoire: it has no position of this game".to_owned(),
    }
}
