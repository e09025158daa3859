//! What is played in the positions of a repertoire in a reference base, in one pass over its games.

use std::collections::HashMap;

use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::Board;
use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameView, StepScope,
};
use tabiya_model::positions::{MoveDelta, WalkStart};
use tabiya_model::{Control, JobCompletion, Result};
use tabiya_openings::key_hasher::KeyHashBuilder;
use tabiya_repertoire::{MoveFrequency, Repertoire, RepertoireFollower, position_frequencies};

use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;

/// Moves that are decoded at a time: most games have left a repertoire after as many.
const STEPS: usize = 12;
/// Bits of the code of a move.
const CODE: u32 = u16::BITS;

/// The moves that were played in the positions of a repertoire.
#[derive(Clone, Debug, Default)]
pub struct RepertoireReference {
    /// For each position its moves, rising.
    moves: Vec<Vec<(MoveCode, MoveScore)>>,
    /// Games that are damaged, as far as they were looked at: what could be read of them was counted.
    pub damaged: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were counted.
    pub ended: JobCompletion,
}

impl RepertoireReference {
    /// The moves played in a position, each with its games; a game counts once, with the first move it played there.
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

/// Counts the moves of reference games in the positions of a repertoire.
///
/// # Errors
///
/// If games cannot be read.
pub fn reference(
    repertoire: &Repertoire,
    games: &Selection,
    control: &Control,
) -> Result<RepertoireReference> {
    let collector = RepertoireMoveCollector { repertoire };
    let mut sum = RepertoireMoveScores::default();
    let mut found = RepertoireReference::default();
    for base in &games.bases {
        if control.is_stopped() {
            break;
        }
        let view = BaseView::open(games, base, control, &mut found.notes)?;
        let mut seen = (0, 0);
        let mut pass = CollectorPass::new();
        pass.add(&collector, |part, _| {
            #[expect(clippy::iter_over_hash_type, reason = "a sum is the same in any order")]
            for (place, score) in part {
                sum.entry(place).or_default().merge(&score);
            }
            Ok(true)
        });
        pass.sum(&GameCount, &mut seen);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        found.ended = found.ended.and(ended);
        found.damaged += seen.1;
    }
    found.ended = found.ended.and(control.completion());
    found.moves = vec![Vec::new(); repertoire.positions().len()];
    #[expect(clippy::iter_over_hash_type, reason = "they are sorted below")]
    for (place, score) in sum {
        let position = usize::try_from(place >> CODE).unwrap_or(usize::MAX);
        if let (Some(moves), Ok(step)) = (
            found.moves.get_mut(position),
            u16::try_from(place & u64::from(u16::MAX)),
        ) {
            moves.push((MoveCode(step), score));
        }
    }
    for moves in &mut found.moves {
        moves.sort_unstable_by_key(|(step, _)| *step);
    }
    Ok(found)
}

/// Moves in positions of a repertoire.
struct RepertoireMoveCollector<'r> {
    repertoire: &'r Repertoire,
}

/// The games of each move: the number of its position and its code in one number.
type RepertoireMoveScores = HashMap<u64, MoveScore, KeyHashBuilder>;

/// One thread's share.
struct RepertoireMoveWorker<'r> {
    follower: RepertoireFollower<'r>,
    moves: RepertoireMoveScores,
    /// The moves of the game under way.
    seen: Vec<(u32, MoveCode)>,
}

impl Collector for RepertoireMoveCollector<'_> {
    type Part = RepertoireMoveScores;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(GameBrief::FIELDS).with_steps(StepScope::MainLine)
    }

    fn worker(&self) -> impl CollectorWorker<Part = RepertoireMoveScores> {
        RepertoireMoveWorker {
            follower: RepertoireFollower::new(self.repertoire, &Board::standard()),
            moves: RepertoireMoveScores::default(),
            seen: Vec::new(),
        }
    }
}

impl CollectorWorker for RepertoireMoveWorker<'_> {
    type Part = RepertoireMoveScores;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let follower = &mut self.follower;
        match game.start()? {
            WalkStart::Standard => follower.start_standard(),
            WalkStart::Setup(board) => follower.start(board),
            WalkStart::Unreadable => return Ok(()),
        }
        self.seen.clear();
        let mut at = 0;
        'game: loop {
            let steps = game.steps_from(at, STEPS)?;
            if steps.is_empty() {
                break;
            }
            at += steps.len();
            for delta in steps.iter().filter(|delta| delta.is_move()) {
                if let Some(position) = follower.here()
                    && !self.seen.iter().any(|(seen, _)| *seen == position)
                {
                    self.seen.push((position, MoveCode::of(*delta)));
                }
                if !follower.play(*delta) {
                    break 'game;
                }
            }
        }
        if self.seen.is_empty() {
            return Ok(());
        }
        let facts = GameBrief::from(game.fact()?);
        for (position, step) in &self.seen {
            let place = u64::from(*position) << CODE | u64::from(step.0);
            self.moves.entry(place).or_default().add(facts);
        }
        Ok(())
    }

    fn take(&mut self) -> Result<RepertoireMoveScores> {
        Ok(std::mem::take(&mut self.moves))
    }
}
