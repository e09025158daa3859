//! A batch of games that are compared with a reference together.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use tabiya_explore::move_code::MoveCode;
use tabiya_model::board::{Board, Move};
use tabiya_model::collect::{CollectorPass, PassRange, Statistic};
use tabiya_model::{Control, Database, Game, GameNeeds, JobCompletion, Replay, Result};

use super::positions::{
    EarliestDays, MovesByDay, NoveltyLine, NoveltyLineBuilder, number_positions,
};
use super::reached_positions::ReachedPositions;
use super::{NoveltyGame, NoveltyReport};
use crate::select::base_view::BaseView;
use crate::select::list::GameListRow;

/// Positions that are compared at once, and games that are taken at a time until there are so many.
const POSITIONS: usize = 1 << 22;
const GAMES: usize = 1 << 14;
/// Games that are put into words at a time.
const TOLD: usize = 1 << 12;

/// Some games that are compared at once.
pub(super) struct NoveltyBatch<'b> {
    pub(super) database: &'b dyn Database,
    pub(super) known: &'b [BaseView<'b>],
    /// The positions that other games may have reached, where they are known.
    pub(super) reached: Option<&'b ReachedPositions>,
    pub(super) control: &'b Control,
}

/// Where a game left others, and what was played there.
struct NoveltyDeparture {
    number: u64,
    positions: usize,
    known: Option<usize>,
    before: HashMap<MoveCode, u64>,
}

impl NoveltyBatch<'_> {
    /// The positions of the first of some games, as many as can be compared at once; nothing where it was told to stop.
    pub(super) fn lines(&self, numbers: &[u64]) -> Result<Option<Vec<NoveltyLine>>> {
        let statistic = NoveltyLineBuilder {
            reached: self.reached,
        };
        let mut lines = Vec::new();
        let mut positions = 0;
        for some in numbers.chunks(GAMES) {
            let before = lines.len();
            let mut pass = CollectorPass::new();
            pass.sum(&statistic, &mut lines);
            let over = PassRange::List(some);
            if !pass.run(self.database, over, self.control)?.is_whole() {
                return Ok(None);
            }
            let new = lines.get(before..).unwrap_or(&[]);
            positions += new
                .iter()
                .map(|line: &NoveltyLine| line.keys.len())
                .sum::<usize>();
            if positions >= POSITIONS {
                break;
            }
        }
        Ok(Some(lines))
    }

    /// When the positions of games were reached first; nothing where it was told to stop.
    pub(super) fn compare(
        &self,
        lines: &[NoveltyLine],
        report: &mut NoveltyReport,
    ) -> Result<Option<EarliestDays>> {
        report.games += lines.len() as u64;
        report.undated += lines.iter().filter(|line| line.day.is_none()).count() as u64;
        let earliest = EarliestDays::of(lines);
        let ended = self.over_known(&earliest, &mut ())?;
        Ok(ended.is_whole().then_some(earliest))
    }

    /// Says where the games of these numbers, which have these positions, leave others.
    pub(super) fn run(
        &self,
        numbers: &[u64],
        lines: &[NoveltyLine],
        report: &mut NoveltyReport,
        each: &mut dyn FnMut(NoveltyGame) -> Result<ControlFlow<()>>,
    ) -> Result<JobCompletion> {
        let Some(earliest) = self.compare(lines, report)? else {
            return Ok(self.control.completion());
        };
        let leaving: Vec<Option<usize>> =
            lines.iter().map(|line| earliest.last_known(line)).collect();
        // Where the whole game was played before, nothing is new: told is what became of its final position.
        let left_at = |line: &NoveltyLine, known: &Option<usize>| line.keys.get((*known)?).copied();
        let played = MovesByDay {
            latest: earliest.latest,
            wanted: number_positions(
                lines
                    .iter()
                    .zip(&leaving)
                    .filter_map(|(line, known)| left_at(line, known)),
            ),
        };
        drop(earliest);
        let mut counts = BTreeMap::new();
        if !self.over_known(&played, &mut counts)?.is_whole() {
            return Ok(self.control.completion());
        }
        let mut by_place: Vec<Vec<(MoveCode, u32, u64)>> = vec![Vec::new(); played.wanted.len()];
        for ((place, step, day), games) in counts {
            if let Some(steps) = usize::try_from(place)
                .ok()
                .and_then(|place| by_place.get_mut(place))
            {
                steps.push((step, day, games));
            }
        }
        let of = |(line, known): (&NoveltyLine, &Option<usize>), number: u64| {
            let day = line.day?;
            let place = left_at(line, known).and_then(|key| played.wanted.get(&key));
            let steps = place
                .and_then(|place| usize::try_from(*place).ok())
                .and_then(|place| by_place.get(place));
            let mut before: HashMap<MoveCode, u64> = HashMap::new();
            for (step, _, games) in steps.into_iter().flatten().filter(|one| one.1 < day) {
                *before.entry(*step).or_default() += games;
            }
            Some(NoveltyDeparture {
                number,
                positions: line.positions,
                known: *known,
                before,
            })
        };
        let games: Vec<_> = lines.iter().zip(&leaving).zip(numbers).collect();
        for games in games.chunks(TOLD) {
            if self.control.is_stopped() {
                return Ok(self.control.completion());
            }
            let left = games
                .iter()
                .filter_map(|(game, number)| of(*game, **number));
            for novelty in self.tell_all(left.collect())? {
                if each(novelty)?.is_break() {
                    return Ok(JobCompletion::Whole);
                }
            }
        }
        Ok(JobCompletion::Whole)
    }

    /// Feeds a statistic with the reference.
    pub(super) fn over_known<S: Statistic>(
        &self,
        statistic: &S,
        sum: &mut S::Sum,
    ) -> Result<JobCompletion> {
        for view in self.known {
            let mut pass = CollectorPass::new();
            pass.sum(statistic, sum);
            if !view.run(pass, self.control)?.is_whole() {
                return Ok(self.control.completion());
            }
        }
        Ok(JobCompletion::Whole)
    }

    /// Says in words where games leave what is known, on all threads.
    fn tell_all(&self, left: Vec<NoveltyDeparture>) -> Result<Vec<NoveltyGame>> {
        let share = left.len().div_ceil(self.control.threads().max(1)).max(1);
        let shares: Vec<Result<Vec<NoveltyGame>>> = std::thread::scope(|scope| {
            let tell = |some: &[NoveltyDeparture]| -> Result<Vec<NoveltyGame>> {
                some.iter().map(|left| self.tell(left)).collect()
            };
            let threads: Vec<_> = left
                .chunks(share)
                .map(|some| scope.spawn(move || tell(some)))
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|told| told.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut told = Vec::with_capacity(left.len());
        for share in shares {
            told.extend(share?);
        }
        Ok(told)
    }

    fn tell(&self, left: &NoveltyDeparture) -> Result<NoveltyGame> {
        let mut game = Game::default();
        let want = GameNeeds {
            verify: false,
            ..GameNeeds::MAIN_LINE
        };
        self.database.read(left.number, want, &mut game)?;
        game.origin.number = left.number;
        let known = left.known.unwrap_or(0);
        let mut replay = Replay::new(&game.start_board());
        let mut moves = game.tape.main_line();
        for m in moves.by_ref().take(known) {
            replay.play(m);
        }
        let board = replay.now();
        let is_new = known + 1 < left.positions;
        let san = moves.next().filter(|_| is_new).map(|m| in_words(board, m));
        let named = left.before.iter().map(|(step, games)| {
            let san = step.on(board);
            let san = san.map_or_else(String::new, |m| in_words(board, m));
            (san, *games)
        });
        let mut before: Vec<(String, u64)> = named.collect();
        before.sort_unstable_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
        let ply = san.as_ref().and_then(|_| u32::try_from(known + 1).ok());
        Ok(NoveltyGame {
            game: GameListRow::of_game(&game, true),
            ply,
            san: san.unwrap_or_default(),
            before,
        })
    }
}

/// A move as people write it, with its check.
fn in_words(board: &Board, m: Move) -> String {
    let mut text = Vec::new();
    board.clone().play_san(m, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
