//! Terms about where games leave a repertoire.

use std::fmt;
use std::sync::Arc;

use shakmaty::Color;
use tabiya_model::positions::{GameWalker, MoveDelta, WalkStart};
use tabiya_model::{Board, Game, Result};
use tabiya_repertoire::{Repertoire, RepertoireEnd, RepertoireExit, RepertoireFollower};

/// Moves that are fetched at a time: most games have left a repertoire after as many.
const RUN: usize = 12;

/// Finds the repertoires that a query names. The caller decides what a name means: a path, or the name of an open base.
pub trait RepertoireSource: fmt::Debug + Sync {
    /// The repertoire with a name, for a colour if one is given. An error is one sentence with the reason why there is none.
    fn repertoire(
        &self,
        name: &str,
        color: Option<Color>,
    ) -> std::result::Result<Arc<Repertoire>, String>;
}

/// A question about where a game leaves a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepertoireQuestion {
    /// It stays inside to its end, or has a position of the repertoire after at least this number of plies.
    Inside {
        /// The plies.
        until: Option<u32>,
    },
    /// It leaves in this way after this number of plies.
    Leaves {
        /// Who leaves; nothing for either player.
        by: Option<RepertoireEnd>,
        /// The plies.
        after: u32,
    },
}

/// A question about a repertoire.
#[derive(Clone, Debug)]
pub struct RepertoireTest {
    repertoire: Arc<Repertoire>,
    question: RepertoireQuestion,
}

impl RepertoireTest {
    /// A question about a repertoire.
    #[must_use]
    pub fn new(repertoire: Arc<Repertoire>, question: RepertoireQuestion) -> RepertoireTest {
        RepertoireTest {
            repertoire,
            question,
        }
    }

    /// The answer for a game that leaves in this way, with the number of plies before the position where it leaves.
    fn answer(&self, departure: RepertoireExit) -> (bool, Option<u32>) {
        let end = departure.end;
        let holds = match self.question {
            RepertoireQuestion::Inside { until } => {
                let is_late = until.is_some_and(|until| departure.ply >= until);
                end == RepertoireEnd::Inside || is_late && departure.position.is_some()
            }
            RepertoireQuestion::Leaves { by, after } => {
                let is_meant = match by {
                    Some(by) => end == by,
                    None => matches!(end, RepertoireEnd::Me | RepertoireEnd::Opponent),
                };
                is_meant && departure.ply >= after
            }
        };
        (holds, departure.position.map(|_| departure.ply))
    }

    /// The answer for a game whose main line was read.
    pub(crate) fn answer_for(&self, game: &Game) -> (bool, Option<u32>) {
        let mut follower = RepertoireFollower::new(&self.repertoire, &Board::standard());
        self.answer(follower.departure_of(game))
    }
}

/// Follows games of a database through repertoires by their deltas.
pub(crate) struct RepertoireWalker<'q, 'd> {
    walker: Box<dyn GameWalker + 'd>,
    steps: Vec<MoveDelta>,
    /// The terms by their numbers, each with the follower of games through its repertoire.
    tests: Vec<(usize, &'q RepertoireTest, RepertoireFollower<'q>)>,
}

impl<'q, 'd> RepertoireWalker<'q, 'd> {
    pub(crate) fn new(
        walker: Box<dyn GameWalker + 'd>,
        tests: &[(usize, &'q RepertoireTest)],
    ) -> RepertoireWalker<'q, 'd> {
        let standard = Board::standard();
        let tests = tests.iter().map(|(term, test)| {
            let follower = RepertoireFollower::new(&test.repertoire, &standard);
            (*term, *test, follower)
        });
        RepertoireWalker {
            walker,
            steps: Vec::new(),
            tests: tests.collect(),
        }
    }

    /// Answers the terms that are open: whether each holds, and the plies before the place of a hit. False where only ordinary reading can tell.
    pub(crate) fn ask(
        &mut self,
        number: u64,
        known: &mut [Option<bool>],
        plies: &mut [Option<u32>],
    ) -> Result<bool> {
        for (term, test, follower) in &mut self.tests {
            let (Some(known @ None), Some(place)) = (known.get_mut(*term), plies.get_mut(*term))
            else {
                continue;
            };
            match self.walker.open(number)? {
                WalkStart::Standard => follower.start_standard(),
                WalkStart::Setup(board) => follower.start(&board),
                WalkStart::Unreadable => return Ok(false),
            }
            let (mut more, mut goes_on) = (true, true);
            while more && goes_on {
                self.steps.clear();
                more = self.walker.steps(false, RUN, &mut self.steps)?;
                for delta in self.steps.iter().filter(|delta| delta.is_move()) {
                    goes_on = follower.play(*delta);
                    if !goes_on {
                        break;
                    }
                }
            }
            // What stops in damage is read, so that the damage is told.
            if goes_on && self.walker.is_damaged() {
                return Ok(false);
            }
            let (holds, ply) = test.answer(follower.departure());
            *known = Some(holds);
            *place = ply.filter(|_| holds);
        }
        Ok(true)
    }
}
