//! Finds positions where exactly one move wins or holds.
//!
//! Candidates come from the evaluations in a game, or from a quick search of every position if there are none; neither is
//! trusted. A position becomes a puzzle if the engine, searching its two best lines twice, the second time with many more
//! nodes, reports both times that the best move keeps what all others give away, by a clear margin of winning chances, and
//! also if it searches only the others. The solution continues as long as that holds for every move of the solver.

pub mod themes;

use std::collections::HashSet;

use shakmaty::Color;
use tabiya_model::command::Evaluation;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::judgement::{Evaluations, Judgement, winning_chances};
use tabiya_model::{Board, Control, Game, Move};

use crate::annotate::positions;
use crate::driver::{Engine, SearchLimits, SearchPosition};
use crate::engine_line::EngineLine;
use crate::error::EngineFault;

pub use self::themes::PuzzleTheme;

/// How puzzles are found.
#[derive(Clone, Debug, PartialEq)]
pub struct PuzzleOptions {
    /// Nodes of the first search.
    pub look: u64,
    /// Nodes of the second search, at every move of the solver.
    pub verify: u64,
    /// How much of the winning chances, from −1 to 1, the second best move must give away.
    pub margin: f64,
    /// An additional margin for that and every other bound: a deeper search moves all of them a little, and must not make a
    /// puzzle invalid.
    pub reserve: f64,
    /// The maximum number of plies of a solution.
    pub longest: usize,
}

impl Default for PuzzleOptions {
    fn default() -> PuzzleOptions {
        PuzzleOptions {
            look: 40_000,
            verify: 400_000,
            margin: 0.65,
            reserve: 0.15,
            longest: 11,
        }
    }
}

/// The goal of the solver.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum PuzzleGoal {
    /// Mate in this many moves.
    Mate(u32),
    /// A won position.
    Win,
    /// A position that is not lost.
    Hold,
}

impl PuzzleGoal {
    /// In a word or two.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            PuzzleGoal::Mate(moves) => format!("mate-in-{moves}"),
            PuzzleGoal::Win => "win".to_owned(),
            PuzzleGoal::Hold => "hold".to_owned(),
        }
    }
}

/// A position with one solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// The position; the side to move is the solver.
    pub start: Board,
    /// Plies of the game before it.
    pub ply: usize,
    /// The moves of the solver and the best replies, beginning and ending with a move of the solver.
    pub line: Vec<Move>,
    /// The goal of the solver.
    pub goal: PuzzleGoal,
    /// Its themes, as far as rules can find them.
    pub themes: Vec<PuzzleTheme>,
    /// Whether the first move was played in the game; none if the game ended there.
    pub found: Option<bool>,
}

/// What it takes to have won, in winning chances: about three pawns.
const WON: f64 = 0.5;

/// What it takes not to be lost: about a pawn less.
const HELD: f64 = -0.2;

/// How much quicker the look at every position of a game without evaluations is than the first look.
const SCAN: u64 = 8;

/// The best line and the second best, where there are two.
struct TopLines {
    best: Move,
    answer: Option<Move>,
    score: Evaluation,
    chances: f64,
    second: Option<f64>,
}

fn chances(score: Evaluation, solver: Color) -> f64 {
    let white = match score {
        Evaluation::Centipawns(value) => winning_chances(value),
        Evaluation::Mate(moves) if moves > 0 => 1.0,
        Evaluation::Mate(_) => -1.0,
    };
    if solver.is_white() { white } else { -white }
}

impl TopLines {
    fn of(lines: &[EngineLine], solver: Color) -> Option<TopLines> {
        let first = lines.first()?;
        let score = first.score?;
        Some(TopLines {
            best: *first.line.first()?,
            answer: first.line.get(1).copied(),
            score,
            chances: chances(score, solver),
            second: lines
                .get(1)
                .and_then(|info| info.score)
                .map(|score| chances(score, solver)),
        })
    }

    /// What the best move reaches that no other does, with so much to spare at every bound.
    fn goal(&self, solver: Color, margin: f64, reserve: f64) -> Option<PuzzleGoal> {
        // A move without an alternative is the only one.
        let is_clear = |second| self.chances - second >= margin + reserve;
        if !self.second.is_none_or(is_clear) {
            return None;
        }
        match self.score {
            Evaluation::Mate(moves) if chances(self.score, solver) > 0.0 => {
                Some(PuzzleGoal::Mate(moves.unsigned_abs()))
            }
            _ if self.chances >= WON + reserve => Some(PuzzleGoal::Win),
            _ if self.chances >= HELD + reserve
                && self.second.is_none_or(|second| second <= -WON - reserve) =>
            {
                Some(PuzzleGoal::Hold)
            }
            _ => None,
        }
    }
}

fn look(
    engine: &mut Engine,
    board: &Board,
    nodes: u64,
    control: &Control,
) -> Result<Option<TopLines>, EngineFault> {
    let lines = search(
        engine,
        board,
        &SearchLimits::nodes(nodes).with_lines(2),
        control,
    )?;
    Ok(TopLines::of(&lines, board.turn()))
}

/// The second look: what the best move is worth, and what is left without it, each with all the nodes.
fn look_closely(
    engine: &mut Engine,
    board: &Board,
    nodes: u64,
    control: &Control,
) -> Result<Option<TopLines>, EngineFault> {
    engine.new_game(control)?;
    let Some(mut two) = look(engine, board, nodes, control)? else {
        return Ok(None);
    };
    let mut others = Vec::new();
    board.legal_moves(&mut others);
    others.retain(|m| *m != two.best);
    if two.second.is_none() || others.is_empty() {
        return Ok(Some(two));
    }
    let go = SearchLimits {
        only: others,
        ..SearchLimits::nodes(nodes)
    };
    let lines = search(engine, board, &go, control)?;
    let alone = lines.first().and_then(|info| info.score);
    let alone = alone.map(|score| chances(score, board.turn()));
    // What both searches say is believed where it speaks against the puzzle.
    two.second = match (two.second, alone) {
        (Some(with), Some(alone)) => Some(with.max(alone)),
        (with, alone) => with.or(alone),
    };
    Ok(Some(two))
}

fn search(
    engine: &mut Engine,
    board: &Board,
    go: &SearchLimits,
    control: &Control,
) -> Result<Vec<EngineLine>, EngineFault> {
    let position = SearchPosition::new(board)?;
    let search = engine.search(&position, go, control, &mut |_| true)?;
    if search.stopped {
        return Err(EngineFault::Stopped);
    }
    Ok(search.lines)
}

/// Where in a game to look, by its evaluations: before moves that gave something away, and behind them. None where the
/// game has none.
fn promising(game: &Game) -> Option<Vec<usize>> {
    let all = Evaluations::of(game);
    if all.is_empty() {
        return None;
    }
    let mut places: Vec<usize> = all
        .steps()
        .filter(|step| step.judgement() >= Some(Judgement::Mistake))
        .flat_map(|step| [step.ply, step.ply + 1])
        .collect();
    places.sort_unstable();
    places.dedup();
    Some(places)
}

/// Finds puzzles in a game.
pub fn find(
    engine: &mut Engine,
    game: &Game,
    options: &PuzzleOptions,
    control: &Control,
) -> Result<Vec<Puzzle>, EngineFault> {
    if game.variant == Variant::Other {
        return Ok(Vec::new());
    }
    let boards = positions(game);
    let mut asked = HashSet::new();
    let moves: Vec<Move> = game.tape.main_line().collect();
    let promising = promising(game);
    let scan = promising.is_none();
    let places = promising.unwrap_or_else(|| (0..boards.len()).collect());
    let mut puzzles: Vec<Puzzle> = Vec::new();
    // What a puzzle has solved is not asked again in its midst.
    let mut solved = 0;
    engine.new_game(control)?;
    for place in places {
        let Some(board) = boards.get(place) else {
            continue;
        };
        // A position that comes back is the same puzzle.
        if place < solved || !is_askable(board) || !asked.insert(identity(board)) {
            continue;
        }
        if scan && !is_promising(engine, board, options, control)? {
            continue;
        }
        let last = place.checked_sub(1).and_then(|before| {
            let (m, before) = (moves.get(before)?, boards.get(before)?);
            before.role_at(m.to()).map(|_| *m)
        });
        if let Some(mut puzzle) = solve(engine, board, last, options, control)? {
            puzzle.ply = place;
            puzzle.found = moves.get(place).map(|m| Some(m) == puzzle.line.first());
            solved = if puzzle.found == Some(true) {
                place + puzzle.line.len()
            } else {
                place + 1
            };
            puzzles.push(puzzle);
        }
    }
    Ok(puzzles)
}

/// What identifies a puzzle: everything in a position except its counters.
#[must_use]
pub fn identity(board: &Board) -> String {
    let fen = board.to_fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

/// Whether there is a choice to be made.
fn is_askable(board: &Board) -> bool {
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    moves.len() > 1 && SearchPosition::new(board).is_ok()
}

fn is_promising(
    engine: &mut Engine,
    board: &Board,
    options: &PuzzleOptions,
    control: &Control,
) -> Result<bool, EngineFault> {
    let two = look(engine, board, options.look / SCAN, control)?;
    // A quick look errs: half the margin is enough to look closer.
    Ok(two.is_some_and(|two| {
        two.second
            .is_some_and(|second| two.chances - second >= options.margin / 2.0)
    }))
}

/// Makes a puzzle of a position, if it is one. `last` is the move before it, if that was a capture.
fn solve(
    engine: &mut Engine,
    start: &Board,
    last: Option<Move>,
    options: &PuzzleOptions,
    control: &Control,
) -> Result<Option<Puzzle>, EngineFault> {
    let solver = start.turn();
    let Some(first) = look(engine, start, options.look, control)? else {
        return Ok(None);
    };
    if first
        .goal(solver, options.margin, options.reserve)
        .is_none()
    {
        return Ok(None);
    }
    let mut board = start.clone();
    let mut line = Vec::new();
    let mut goal = None;
    while line.len() < options.longest {
        let Some(two) = look_closely(engine, &board, options.verify, control)? else {
            break;
        };
        let Some(reached) = two.goal(solver, options.margin, options.reserve) else {
            break;
        };
        if line.is_empty() && two.best != first.best {
            return Ok(None);
        }
        goal = goal.or(Some(reached));
        line.push(two.best);
        board.play(two.best);
        let Some(answer) = answer(engine, &board, two.answer, options, control)? else {
            break;
        };
        line.push(answer);
        board.play(answer);
        if SearchPosition::new(&board).is_err() {
            break;
        }
    }
    if line.len() % 2 == 0 {
        line.pop();
    }
    let Some(goal) = goal.filter(|_| !line.is_empty()) else {
        return Ok(None);
    };
    let goal = shown_goal(goal, start, &line);
    // To take back what has just taken is no puzzle.
    if line.len() == 1
        && let (Some(last), Some(m)) = (last, line.first())
        && m.to() == last.to()
        && !matches!(goal, PuzzleGoal::Mate(_))
    {
        return Ok(None);
    }
    let themes = themes::of(start, &line);
    Ok(Some(Puzzle {
        start: start.clone(),
        ply: 0,
        line,
        goal,
        themes,
        found: None,
    }))
}

/// A goal as the line shows it: a mate is one where the line ends in it, in so many moves as it has. Where more than one move
/// would do before that, the line ends there, and what it reaches is a won position.
fn shown_goal(goal: PuzzleGoal, start: &Board, line: &[Move]) -> PuzzleGoal {
    if !matches!(goal, PuzzleGoal::Mate(_)) {
        return goal;
    }
    let mut board = start.clone();
    line.iter().for_each(|m| board.play(*m));
    match board.is_checkmate() {
        true => PuzzleGoal::Mate(u32::try_from(line.len().div_ceil(2)).unwrap_or(u32::MAX)),
        false => PuzzleGoal::Win,
    }
}

/// The best answer to a move of the solver; none where the game is over.
fn answer(
    engine: &mut Engine,
    board: &Board,
    told: Option<Move>,
    options: &PuzzleOptions,
    control: &Control,
) -> Result<Option<Move>, EngineFault> {
    if !board.has_legal_move() {
        return Ok(None);
    }
    if let Some(told) = told.filter(|m| board.is_legal(*m)) {
        return Ok(Some(told));
    }
    Ok(look(engine, board, options.look, control)?.map(|two| two.best))
}

impl Puzzle {
    /// The puzzle as a game that starts from its position: the solution is its main line.
    #[must_use]
    pub fn to_game(&self, source: &Game) -> Game {
        let mut game = Game::default();
        for name in ["Event", "Site", "Date", "Round", "White", "Black"] {
            game.tags.push(name, source.tags.value(name));
        }
        game.tags.push("Result", "*");
        for name in ["WhiteElo", "BlackElo"] {
            game.tags.push_some(name, source.tags.value(name));
        }
        game.tags.push("SetUp", "1");
        game.tags.push("FEN", &self.start.to_fen());
        if self.start.is_chess960() {
            game.tags.push("Variant", "Chess960");
            game.variant = Variant::Chess960;
        }
        game.tags
            .push("SourceGame", &source.origin.number.to_string());
        game.tags.push("SourcePly", &self.ply.to_string());
        game.tags.push("Goal", &self.goal.name());
        game.tags.push_some("Themes", &self.theme_names().join(" "));
        let found = match self.found {
            Some(true) => "found",
            Some(false) => "missed",
            None => "",
        };
        game.tags.push_some("InGame", found);
        let (start, problems) = Board::from_fen(&self.start.to_fen()).unwrap_or_default();
        game.start = StartingPosition::Setup(Box::new(start), problems);
        for m in &self.line {
            game.tape.push_move(*m);
        }
        game.outcome = Some(tabiya_model::outcome::Outcome::Unknown);
        game
    }

    /// The names of its themes.
    #[must_use]
    pub fn theme_names(&self) -> Vec<&'static str> {
        self.themes.iter().map(|theme| theme.name()).collect()
    }

    /// One EPD line: best move, goal and themes, source.
    #[must_use]
    pub fn to_epd(&self, source: &Game) -> String {
        let fen = self.start.to_fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let mut board = self.start.clone();
        let mut line = Vec::new();
        for m in &self.line {
            let mut san = Vec::new();
            board.play_san(*m, &mut san);
            line.push(String::from_utf8(san).unwrap_or_default());
        }
        let mut words = vec![self.goal.name()];
        words.extend(self.theme_names().into_iter().map(str::to_owned));
        format!(
            "{} bm {}; pv {}; c0 \"{}\"; id \"game {} ply {}\";",
            fields.join(" "),
            line.first().map_or("", String::as_str),
            line.join(" "),
            words.join(" "),
            source.origin.number,
            self.ply
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(score: Evaluation, line: &[Move]) -> EngineLine {
        EngineLine {
            rank: 1,
            score: Some(score),
            line: line.to_vec(),
            ..EngineLine::default()
        }
    }

    #[test]
    fn one_move_has_to_reach_what_no_other_does() {
        let m = Board::standard().parse_uci(b"e2e4").expect("a move");
        let cp = Evaluation::Centipawns;
        for (best, second, goal) in [
            (cp(500), Some(cp(0)), Some(PuzzleGoal::Win)),
            (cp(500), Some(cp(300)), None),
            (Evaluation::Mate(3), Some(cp(0)), Some(PuzzleGoal::Mate(3))),
            (Evaluation::Mate(3), Some(Evaluation::Mate(9)), None),
            (Evaluation::Mate(3), Some(cp(900)), None),
            (cp(0), Some(cp(-600)), Some(PuzzleGoal::Hold)),
            (cp(0), Some(Evaluation::Mate(-3)), Some(PuzzleGoal::Hold)),
            (cp(-300), Some(Evaluation::Mate(-3)), None),
            (cp(250), Some(cp(-250)), None),
            (Evaluation::Mate(-2), None, None),
            (cp(700), None, Some(PuzzleGoal::Win)),
        ] {
            for solver in Color::ALL {
                let turned = |score| match (solver, score) {
                    (Color::White, score) => score,
                    (_, Evaluation::Centipawns(value)) => Evaluation::Centipawns(-value),
                    (_, Evaluation::Mate(moves)) => Evaluation::Mate(-moves),
                };
                let mut lines = vec![info(turned(best), &[m])];
                lines.extend(second.map(|score| info(turned(score), &[m])));
                let found =
                    TopLines::of(&lines, solver).and_then(|two| two.goal(solver, 0.65, 0.0));
                assert_eq!(found, goal, "{best} {second:?} {solver:?}");
            }
        }
    }

    #[test]
    fn a_mate_is_named_where_the_line_ends_in_it() {
        let (start, _) = Board::from_fen("6k1/5ppp/8/8/8/8/8/RR4K1 w - - 0 1").expect("valid");
        let m = |text: &[u8]| start.parse_uci(text).expect("a move");
        let (mate, other) = (m(b"a1a8"), m(b"a1a7"));
        assert_eq!(
            shown_goal(PuzzleGoal::Mate(8), &start, &[other]),
            PuzzleGoal::Win
        );
        assert_eq!(
            shown_goal(PuzzleGoal::Mate(8), &start, &[mate]),
            PuzzleGoal::Mate(1)
        );
        assert_eq!(
            shown_goal(PuzzleGoal::Hold, &start, &[mate]),
            PuzzleGoal::Hold
        );
        let (behind, _) = Board::from_fen("6k1/5ppp/8/8/8/8/8/RR4K1 w - - 7 31").expect("valid");
        assert_eq!(identity(&start), identity(&behind));
    }

    #[test]
    fn puzzles_are_written_as_games_and_positions() {
        let (start, _) = Board::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").expect("valid");
        let m = start.parse_uci(b"a1a8").expect("a move");
        let puzzle = Puzzle {
            themes: themes::of(&start, &[m]),
            start,
            ply: 4,
            line: vec![m],
            goal: PuzzleGoal::Mate(1),
            found: Some(false),
        };
        let mut source = Game::default();
        source.origin.number = 7;
        let epd = puzzle.to_epd(&source);
        assert_eq!(
            epd,
            "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; pv Ra8#; c0 \"mate-in-1 back-rank mate rook-endgame\"; id \"game 7 ply 4\";"
        );
        let game = puzzle.to_game(&source);
        assert_eq!(game.tags.get("InGame"), Some("missed"));
        assert_eq!(game.start_board(), puzzle.start);
        assert_eq!(game.tape.plies(), 1);
    }
}
