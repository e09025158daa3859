//! What a reference base plays in the positions of a repertoire, in one pass over its games.

use std::collections::BTreeMap;

use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::Board;
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, Statistic, StepScope};
use tabiya_model::positions::{MoveDelta, WalkStart};
use tabiya_model::{Control, JobCompletion, Result};
use tabiya_repertoire::{MoveFrequency, Repertoire, RepertoireFollower, position_frequencies};

use crate::select::base_view::{self, BaseView};
use crate::select::selection::Selection;

/// Moves that are decoded at a time: most games have left a repertoire after as many.
const STEPS: usize = 24;

/// What was played in the positions of a repertoire.
#[derive(Clone, Debug, Default)]
pub struct RepertoireReference {
    /// For each position its moves, rising.
    moves: Vec<Vec<(MoveCode, MoveScore)>>,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether everything was looked at.
    pub ended: JobCompletion,
}

impl RepertoireReference {
    /// The moves of a position that were played, each with its games; a game counts once, with what it played first.
    #[must_use]
    pub fn moves(&self, position: u32) -> &[(MoveCode, MoveScore)] {
        let position = usize::try_from(position).unwrap_or(usize::MAX);
        self.moves.get(position).map_or(&[], Vec::as_slice)
    }

    /// Games that went on in a position.
    #[must_use]
    pub fn games(&self, position: u32) -> u64 {
        self.moves(position)
            .iter()
            .map(|(_, score)| score.games)
            .sum()
    }

    /// The games of a move of the repertoire.
    #[must_use]
    pub fn score(&self, repertoire: &Repertoire, position: u32, at: usize) -> MoveScore {
        let here = repertoire.position(position);
        let step = here.and_then(|here| Some((here, here.moves.get(at)?)));
        step.map_or_else(MoveScore::default, |(here, m)| {
            self.score_of(
                position,
                MoveCode::of(MoveDelta::of_move(&here.board, m.step)),
            )
        })
    }

    /// The games of a move.
    #[must_use]
    pub fn score_of(&self, position: u32, step: MoveCode) -> MoveScore {
        let moves = self.moves(position);
        let at = moves.binary_search_by_key(&step, |(step, _)| *step);
        at.ok()
            .and_then(|at| moves.get(at))
            .map_or_else(MoveScore::default, |(_, score)| *score)
    }

    /// How often each position of the repertoire arises.
    #[must_use]
    pub fn frequencies(&self, repertoire: &Repertoire) -> Vec<f64> {
        position_frequencies(repertoire, &|position, at| MoveFrequency {
            games: self.score(repertoire, position, at).games,
            of: self.games(position),
        })
    }
}

/// Counts what the games of a reference play in the positions of a repertoire.
///
/// # Errors
///
/// If games cannot be read.
pub fn reference(
    repertoire: &Repertoire,
    games: &Selection,
    control: &Control,
) -> Result<RepertoireReference> {
    let statistic = RepertoireMoveStatistic {
        standard: RepertoireFollower::new(repertoire, &Board::standard()),
        repertoire,
    };
    let mut sum = RepertoireMoveSum::default();
    let mut found = RepertoireReference::default();
    for base in &games.bases {
        if control.is_stopped() {
            break;
        }
        let view = BaseView::open(games, base, control, &mut found.notes)?;
        let mut pass = CollectorPass::new();
        pass.sum(&statistic, &mut sum);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        found.ended = found.ended.and(ended);
    }
    found.ended = found.ended.and(control.completion());
    found.moves = vec![Vec::new(); repertoire.positions().len()];
    for ((position, step), score) in sum.moves {
        let position = usize::try_from(position).unwrap_or(usize::MAX);
        if let Some(moves) = found.moves.get_mut(position) {
            moves.push((step, score));
        }
    }
    for moves in &mut found.moves {
        moves.sort_unstable_by_key(|(step, _)| *step);
    }
    Ok(found)
}

/// Moves in positions of a repertoire.
struct RepertoireMoveStatistic<'r> {
    repertoire: &'r Repertoire,
    standard: RepertoireFollower<'r>,
}

#[derive(Default)]
struct RepertoireMoveSum {
    moves: BTreeMap<(u32, MoveCode), MoveScore>,
    /// The moves of the game under way.
    seen: Vec<(u32, MoveCode)>,
}

impl Statistic for RepertoireMoveStatistic<'_> {
    type Sum = RepertoireMoveSum;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(GameBrief::FIELDS).with_steps(StepScope::MainLine)
    }

    fn see(&self, sum: &mut RepertoireMoveSum, game: &mut GameView<'_>) -> Result<()> {
        let mut follower = match game.start()? {
            WalkStart::Standard => self.standard.clone(),
            WalkStart::Setup(board) => RepertoireFollower::new(self.repertoire, board),
            WalkStart::Unreadable => return Ok(()),
        };
        sum.seen.clear();
        let mut at = 0;
        'game: loop {
            let steps = game.steps_from(at, STEPS)?;
            if steps.is_empty() {
                break;
            }
            at += steps.len();
            for delta in steps.iter().filter(|delta| delta.is_move()) {
                if let Some(position) = follower.here()
                    && !sum.seen.iter().any(|(seen, _)| *seen == position)
                {
                    sum.seen.push((position, MoveCode::of(*delta)));
                }
                if !follower.play(*delta) {
                    break 'game;
                }
            }
        }
        if sum.seen.is_empty() {
            return Ok(());
        }
        let facts = GameBrief::from(game.fact()?);
        for seen in &sum.seen {
            sum.moves.entry(*seen).or_default().add(facts);
        }
        Ok(())
    }

    fn add(&self, sum: &mut RepertoireMoveSum, part: RepertoireMoveSum, _first: u64) {
        for (place, score) in part.moves {
            sum.moves.entry(place).or_default().merge(&score);
        }
    }
}
