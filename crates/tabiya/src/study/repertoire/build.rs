//! Repertoires that are made: of several, of games, and of what a player plays.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use shakmaty::Color;
use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::{Board, Move};
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, Statistic, StepScope};
use tabiya_model::positions::WalkStart;
use tabiya_model::{Control, Error, Game, GameNeeds, JobCompletion, Result, Tape};
use tabiya_openings::position_key::PositionKey;
use tabiya_repertoire::{Repertoire, RepertoireBuilder};

use super::{of_repertoire, score_of};
use crate::error_codes;
use crate::open::base::Base;
use crate::select::base_view::{self, BaseView};
use crate::select::numbers::{self, GameNumbers};
use crate::select::selection::Selection;

/// A repertoire that was made, as games with variations.
#[derive(Clone, Debug, Default)]
pub struct BuiltRepertoire {
    /// The games: one for each side and start.
    pub games: Vec<Game>,
    /// Positions.
    pub positions: u64,
    /// Moves of the sources that are no part of a repertoire: null moves, and what follows them.
    pub left_out: u64,
}

impl BuiltRepertoire {
    fn of(builder: RepertoireBuilder, color: Option<Color>) -> Result<BuiltRepertoire> {
        let left_out = builder.left_out();
        let made = builder
            .finish_whole(color)
            .map_err(|error| of_repertoire(&error))?;
        let games = made.iter().flat_map(|one| super::repertoire_game(one, &[]));
        Ok(BuiltRepertoire {
            games: games.collect(),
            positions: made.iter().map(|one| one.positions().len() as u64).sum(),
            left_out,
        })
    }
}

/// Reads repertoires with all that they have, moves that are marked bad as well.
///
/// # Errors
///
/// As for [`super::read`].
pub fn read_whole(
    bases: &[Base],
    color: Option<Color>,
    control: &Control,
) -> Result<Vec<Repertoire>> {
    let mut builder = RepertoireBuilder::default();
    add_bases(&mut builder, bases, control)?;
    builder
        .finish_whole(color)
        .map_err(|error| of_repertoire(&error))
}

/// Puts games, studies and repertoires together: each position once, with the moves and comments of all.
///
/// # Errors
///
/// As for [`super::read`].
pub fn merge(bases: &[Base], color: Option<Color>, control: &Control) -> Result<BuiltRepertoire> {
    let mut builder = RepertoireBuilder::default();
    add_bases(&mut builder, bases, control)?;
    BuiltRepertoire::of(builder, color)
}

/// Adds the first plies of games to a repertoire.
///
/// # Errors
///
/// As for [`super::read`].
pub fn add(
    repertoire: &[Base],
    color: Option<Color>,
    games: &Selection,
    plies: usize,
    control: &Control,
) -> Result<BuiltRepertoire> {
    let mut builder = RepertoireBuilder::default();
    add_bases(&mut builder, repertoire, control)?;
    for base in &games.bases {
        let wanted = games.game_numbers(base, control)?;
        let want = GameNeeds {
            verify: false,
            ..GameNeeds::MAIN_LINE
        };
        let ended = numbers::games(base, &wanted, want, control, |game| {
            let mut start = Game {
                start: game.start.clone(),
                ..Game::default()
            };
            for m in game.tape.main_line().take(plies) {
                start.tape.push_move(m);
            }
            builder
                .add(&start)
                .map_err(|error| of_repertoire(&error).in_file(base.name().to_owned()))?;
            Ok(ControlFlow::Continue(()))
        })?;
        whole(ended)?;
    }
    BuiltRepertoire::of(builder, color)
}

fn add_bases(builder: &mut RepertoireBuilder, bases: &[Base], control: &Control) -> Result<()> {
    for base in bases {
        let ended = numbers::games(base, &GameNumbers::ALL, GameNeeds::ALL, control, |game| {
            builder
                .add(game)
                .map_err(|error| of_repertoire(&error).in_file(base.name().to_owned()))?;
            Ok(ControlFlow::Continue(()))
        })?;
        whole(ended)?;
    }
    Ok(())
}

/// Refuses half of the games.
fn whole(ended: JobCompletion) -> Result<()> {
    match ended.is_whole() {
        true => Ok(()),
        false => Err(Error::new(
            &error_codes::INTERRUPTED,
            "the games were not read to their end",
        )),
    }
}

/// Which of the moves that a player plays make a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepertoireExtractOptions {
    /// The side of the player.
    pub color: Color,
    /// Moves that were played in at least so many games.
    pub games: u64,
    /// So many plies.
    pub plies: u32,
    /// The player's move that scores best, instead of the most frequent one.
    pub by_score: bool,
}

/// Makes a repertoire of games: at each turn of the side its most frequent or best move, and all of the opponent's moves, as far as they were played
/// in enough games. Only games from the normal start count.
///
/// # Errors
///
/// If games cannot be read, and if there are too few of them.
pub fn extract(
    games: &Selection,
    options: RepertoireExtractOptions,
    control: &Control,
) -> Result<BuiltRepertoire> {
    let statistic = RepertoireExtractStatistic {
        plies: options.plies,
    };
    let mut played = RepertoireExtractSum::default();
    for base in &games.bases {
        let view = BaseView::open(games, base, control, &mut Vec::new())?;
        let mut pass = CollectorPass::new();
        pass.sum(&statistic, &mut played);
        whole(base_view::run(base, view.as_ref(), pass, control)?)?;
    }
    let mut builder = RepertoireBuilder::default();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![(Board::standard(), Vec::<Move>::new())];
    let mut any = false;
    while let Some((board, line)) = waiting.pop() {
        let key = PositionKey::of_board(&board);
        let steps = match seen.insert(key) {
            true => chosen(&played, key, &board, options),
            // It stands elsewhere.
            false => Vec::new(),
        };
        if steps.is_empty() && !line.is_empty() {
            any = true;
            let mut tape = Tape::default();
            line.iter().for_each(|m| tape.push_move(*m));
            let game = Game {
                tape,
                ..Game::default()
            };
            builder.add(&game).map_err(|error| of_repertoire(&error))?;
        }
        for m in steps.into_iter().rev() {
            let (mut after, mut line) = (board.clone(), line.clone());
            after.play(m);
            line.push(m);
            waiting.push((after, line));
        }
    }
    if !any {
        return Err(Error::new(
            &error_codes::NO_REPERTOIRE,
            "no move was played in so many games",
        ));
    }
    BuiltRepertoire::of(builder, Some(options.color))
}

/// The moves of a position that belong to the repertoire, the most frequent first.
fn chosen(
    played: &RepertoireExtractSum,
    key: PositionKey,
    board: &Board,
    options: RepertoireExtractOptions,
) -> Vec<Move> {
    let Some(moves) = played.moves.get(&key) else {
        return Vec::new();
    };
    let enough = moves
        .iter()
        .filter(|(_, score)| score.games >= options.games);
    let mut enough: Vec<(MoveCode, MoveScore)> =
        enough.map(|(step, score)| (*step, *score)).collect();
    enough.sort_by_key(|(step, score)| (std::cmp::Reverse(score.games), *step));
    if board.turn() == options.color {
        if options.by_score {
            let worth = |score: &MoveScore| score_of(score, options.color).unwrap_or(-1.0);
            // Of equals the more frequent one stays first.
            enough.sort_by(|(_, one), (_, two)| worth(two).total_cmp(&worth(one)));
        }
        enough.truncate(1);
    }
    let moves = enough.into_iter().filter_map(|(step, _)| step.on(board));
    moves.filter(|m| board.is_legal(*m)).collect()
}

/// Moves in the first plies of games.
struct RepertoireExtractStatistic {
    plies: u32,
}

#[derive(Default)]
struct RepertoireExtractSum {
    moves: BTreeMap<PositionKey, BTreeMap<MoveCode, MoveScore>>,
}

impl Statistic for RepertoireExtractStatistic {
    type Sum = RepertoireExtractSum;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(GameBrief::FIELDS).with_steps(StepScope::MainLine)
    }

    fn see(&self, sum: &mut RepertoireExtractSum, game: &mut GameView<'_>) -> Result<()> {
        if *game.start()? != WalkStart::Standard {
            return Ok(());
        }
        let facts = GameBrief::from(game.fact()?);
        let mut key = PositionKey::standard();
        let mut seen = BTreeSet::new();
        let plies = usize::try_from(self.plies).unwrap_or(usize::MAX);
        let steps = game.steps_from(0, plies)?;
        for delta in steps.iter().filter(|delta| delta.is_move()) {
            if delta.is_null() {
                break;
            }
            // Each game counts once, with what it played first.
            if seen.insert(key) {
                let moves = sum.moves.entry(key).or_default();
                moves.entry(MoveCode::of(*delta)).or_default().add(facts);
            }
            key = key.after(*delta);
        }
        Ok(())
    }

    fn add(&self, sum: &mut RepertoireExtractSum, part: RepertoireExtractSum, _first: u64) {
        for (key, moves) in part.moves {
            let known = sum.moves.entry(key).or_default();
            for (step, score) in moves {
                known.entry(step).or_default().merge(&score);
            }
        }
    }
}
