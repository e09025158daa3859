//! A repertoire from the moves of games.
//!
//! Most positions of games are reached once. So there are two passes: the first counts roughly how often positions are
//! reached, and the second counts the moves in those that may be reached often enough.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU8, Ordering};

use shakmaty::Color;
use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::{Board, Move};
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, Statistic, StepScope};
use tabiya_model::positions::WalkStart;
use tabiya_model::{Control, Error, Game, Result, Tape};
use tabiya_openings::key_hasher::KeyHashBuilder;
use tabiya_openings::position_key::PositionKey;
use tabiya_repertoire::RepertoireBuilder;

use super::build::{BuiltRepertoire, whole};
use super::{of_repertoire, score_of};
use crate::error_codes;
use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;

/// Bits of a key that choose its place in the sketch.
const SKETCH: u32 = 25;

/// Which of the moves that a player plays make a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepertoireExtractOptions {
    /// The side of the player.
    pub color: Color,
    /// The minimum number of games with a move.
    pub games: u64,
    /// The length in plies.
    pub plies: u32,
    /// The player's move that scores best, instead of the most frequent one.
    pub by_score: bool,
}

/// Makes a repertoire from games: at each turn of the side its most frequent or best move, and all of the opponent's moves,
/// if they were played in enough games. Only games from the normal starting position count.
///
/// # Errors
///
/// If games cannot be read, and if there are too few of them.
pub fn extract(
    games: &Selection,
    options: RepertoireExtractOptions,
    control: &Control,
) -> Result<BuiltRepertoire> {
    let sketch = RepertoireExtractSketch::new(options);
    count(&sketch, &mut (), games, control)?;
    let statistic = RepertoireExtractStatistic { sketch };
    let mut played = RepertoireExtractSum::default();
    let damaged = count(&statistic, &mut played, games, control)?;
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
            "no move was played in that many games",
        ));
    }
    Ok(BuiltRepertoire {
        damaged,
        ..BuiltRepertoire::of(builder, Some(options.color))?
    })
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
    let mut enough: Vec<(MoveCode, MoveScore)> = enough.copied().collect();
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

/// Counts all games of a selection, and says how many are damaged, as far as they were looked at.
fn count<S: Statistic>(
    statistic: &S,
    sum: &mut S::Sum,
    games: &Selection,
    control: &Control,
) -> Result<u64> {
    let mut damaged = 0;
    for base in &games.bases {
        let view = BaseView::open(games, base, control, &mut Vec::new())?;
        let mut seen = (0, 0);
        let mut pass = CollectorPass::new();
        pass.sum(statistic, sum);
        pass.sum(&GameCount, &mut seen);
        whole(base_view::run(base, view.as_ref(), pass, control)?)?;
        damaged += seen.1;
    }
    Ok(damaged)
}

/// Calls `each` with the positions in the first plies of a game from the normal start that go on, each once, and what was played there first.
fn first_moves(
    game: &mut GameView<'_>,
    plies: u32,
    each: &mut dyn FnMut(PositionKey, MoveCode),
) -> Result<()> {
    if *game.start()? != WalkStart::Standard {
        return Ok(());
    }
    let mut key = PositionKey::standard();
    let mut seen: Vec<PositionKey> = Vec::new();
    let plies = usize::try_from(plies).unwrap_or(usize::MAX);
    let steps = game.steps_from(0, plies)?;
    for delta in steps.iter().filter(|delta| delta.is_move()).take(plies) {
        if delta.is_null() {
            break;
        }
        if !seen.contains(&key) {
            seen.push(key);
            each(key, MoveCode::of(*delta));
        }
        key = key.after(*delta);
    }
    Ok(())
}

/// Counts roughly how often positions were reached: never less often than they were.
struct RepertoireExtractSketch {
    plies: u32,
    /// What a position needs.
    least: u8,
    counts: Vec<AtomicU8>,
}

impl RepertoireExtractSketch {
    fn new(options: RepertoireExtractOptions) -> RepertoireExtractSketch {
        RepertoireExtractSketch {
            plies: options.plies,
            least: u8::try_from(options.games).unwrap_or(u8::MAX),
            counts: (0..1_usize << SKETCH).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    fn place(&self, key: PositionKey) -> Option<&AtomicU8> {
        let at = usize::try_from(key.0 >> (u64::BITS - SKETCH)).ok()?;
        self.counts.get(at)
    }

    /// Whether a position may have been reached often enough.
    fn is_frequent(&self, key: PositionKey) -> bool {
        self.place(key)
            .is_some_and(|count| count.load(Ordering::Relaxed) >= self.least)
    }
}

impl Statistic for RepertoireExtractSketch {
    type Sum = ();

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::default().with_steps(StepScope::MainLine)
    }

    fn see(&self, (): &mut (), game: &mut GameView<'_>) -> Result<()> {
        first_moves(game, self.plies, &mut |key, _| {
            if let Some(count) = self.place(key)
                && count.load(Ordering::Relaxed) < self.least
            {
                // Two threads may come at once.
                let more = |count: u8| count.checked_add(1);
                let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            }
        })
    }

    fn add(&self, (): &mut (), (): (), _first: u64) {}
}

/// Moves in the first plies of games.
struct RepertoireExtractStatistic {
    sketch: RepertoireExtractSketch,
}

#[derive(Default)]
struct RepertoireExtractSum {
    moves: HashMap<PositionKey, Vec<(MoveCode, MoveScore)>, KeyHashBuilder>,
}

impl RepertoireExtractSum {
    fn score(&mut self, key: PositionKey, step: MoveCode) -> Option<&mut MoveScore> {
        let moves = self.moves.entry(key).or_default();
        let at = match moves.iter().position(|(known, _)| *known == step) {
            Some(at) => at,
            None => {
                moves.push((step, MoveScore::default()));
                moves.len() - 1
            }
        };
        moves.get_mut(at).map(|(_, score)| score)
    }
}

impl Statistic for RepertoireExtractStatistic {
    type Sum = RepertoireExtractSum;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(GameBrief::FIELDS).with_steps(StepScope::MainLine)
    }

    fn see(&self, sum: &mut RepertoireExtractSum, game: &mut GameView<'_>) -> Result<()> {
        let facts = GameBrief::from(game.fact()?);
        first_moves(game, self.sketch.plies, &mut |key, step| {
            if self.sketch.is_frequent(key)
                && let Some(score) = sum.score(key, step)
            {
                score.add(facts);
            }
        })
    }

    #[expect(clippy::iter_over_hash_type, reason = "a sum is the same in any order")]
    fn add(&self, sum: &mut RepertoireExtractSum, part: RepertoireExtractSum, _first: u64) {
        for (key, moves) in part.moves {
            for (step, score) in moves {
                if let Some(known) = sum.score(key, step) {
                    known.merge(&score);
                }
            }
        }
    }
}
