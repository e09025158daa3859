//! One pass over games for all consumers: statistics, scans, counts, building an index.
//!
//! # How to write a collector
//!
//! Most need a [`Statistic`], which is a file with one `impl`: a sum that starts empty, the [`CollectorNeeds`] of each game,
//! how a game is counted, and how two sums are added.
//!
//! ```
//! use std::collections::BTreeMap;
//! use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
//! use tabiya_model::facts::FactFields;
//! use tabiya_model::Result;
//!
//! /// How many games there are of each year.
//! struct Years;
//!
//! impl Statistic for Years {
//!     type Sum = BTreeMap<Option<u16>, u64>;
//!
//!     fn needs(&self) -> CollectorNeeds {
//!         CollectorNeeds::facts(FactFields::DATE)
//!     }
//!
//!     fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
//!         *sum.entry(game.fact()?.date.year).or_default() += 1;
//!         Ok(())
//!     }
//!
//!     fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
//!         for (year, games) in part {
//!             *sum.entry(year).or_default() += games;
//!         }
//!     }
//! }
//! ```
//!
//! Then `pass.sum(&Years, &mut years)` puts it into a [`CollectorPass`], as one of any number. Games within a part are
//! identified by [`GameView::place`], their place in the run: a collector that keeps it adds `first`, the number of the run's
//! first game, in [`Statistic::add`]. Parts are added in the order of the games, so that results are in that order for any
//! number of threads.
//!
//! To keep buffers from game to game, or to return results during the pass, write a [`Collector`]: it makes a
//! [`CollectorWorker`] for each thread, whose parts a closure takes.
//!
//! A pass reads only what its collectors need together: nothing of a game whose facts are sufficient, its tags if they
//! leave something open, its moves only if a collector needs them. Parts that one game in a thousand needs are
//! requested with [`GameView::game`] when they are needed.

mod game_view;
mod pass;

use std::any::Any;

use crate::database::GameNeeds;
use crate::error::Result;
use crate::facts::FactFields;

pub use game_view::{GameView, NameField, NameRef};
pub use pass::{CollectorPass, GameRun, PassRange};

/// The moves that are needed as steps.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum StepScope {
    /// None.
    #[default]
    None,
    /// Those of the main line.
    MainLine,
    /// Those of variations too.
    Variations,
}

/// The parts of every game that a collector needs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectorNeeds {
    /// These fields of [`GameView::fact`].
    pub facts: FactFields,
    /// These parts of [`GameView::game`].
    pub game: Option<GameNeeds>,
    /// These of [`GameView::steps`].
    pub steps: StepScope,
    /// The parts of [`GameView::game`] needed for some games: they are read on demand if a source can go back, and otherwise
    /// for all games.
    pub perhaps: Option<GameNeeds>,
}

impl CollectorNeeds {
    /// Only facts.
    #[must_use]
    pub fn facts(facts: FactFields) -> CollectorNeeds {
        CollectorNeeds {
            facts,
            ..CollectorNeeds::default()
        }
    }

    /// Games with these parts.
    #[must_use]
    pub fn game(want: GameNeeds) -> CollectorNeeds {
        CollectorNeeds {
            game: Some(want),
            ..CollectorNeeds::default()
        }
    }

    /// The same with steps.
    #[must_use]
    pub fn with_steps(self, steps: StepScope) -> CollectorNeeds {
        CollectorNeeds { steps, ..self }
    }

    /// The same, with these parts of some games.
    #[must_use]
    pub fn perhaps(self, want: GameNeeds) -> CollectorNeeds {
        CollectorNeeds {
            perhaps: Some(want),
            ..self
        }
    }

    /// Everything that either needs.
    #[must_use]
    pub fn union(self, other: CollectorNeeds) -> CollectorNeeds {
        let both = |one: Option<GameNeeds>, two: Option<GameNeeds>| match (one, two) {
            (Some(one), Some(two)) => Some(one.union(two)),
            (one, two) => one.or(two),
        };
        CollectorNeeds {
            facts: self.facts.union(other.facts),
            game: both(self.game, other.game),
            steps: self.steps.max(other.steps),
            perhaps: both(self.perhaps, other.perhaps),
        }
    }
}

/// Collects data from games on several threads.
pub trait Collector: Sync {
    /// The result of a run of games.
    type Part: Send + 'static;

    /// The parts of every game that it needs.
    fn needs(&self) -> CollectorNeeds;

    /// A worker for one thread.
    fn worker(&self) -> impl CollectorWorker<Part = Self::Part>;
}

/// One thread's share of a collector; it may keep buffers.
pub trait CollectorWorker {
    /// The result of a run of games.
    type Part;

    /// Processes the next game of a run.
    fn see(&mut self, game: &mut GameView<'_>) -> Result<()>;

    /// Ends a run, and begins the next.
    fn take(&mut self) -> Result<Self::Part>;
}

/// A collector that is a sum: see the docs of this module.
pub trait Statistic: Sync {
    /// The sum, for a run of games or for all.
    type Sum: Default + Send + 'static;

    /// The parts of every game that it needs.
    fn needs(&self) -> CollectorNeeds;

    /// Counts a game.
    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()>;

    /// Adds the sum of a run of games; the first game has the number `first`. Runs come in the order of the games.
    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, first: u64);
}

struct StatisticWorker<'s, S: Statistic> {
    statistic: &'s S,
    sum: S::Sum,
}

impl<S: Statistic> CollectorWorker for StatisticWorker<'_, S> {
    type Part = S::Sum;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        self.statistic.see(&mut self.sum, game)
    }

    fn take(&mut self) -> Result<S::Sum> {
        Ok(std::mem::take(&mut self.sum))
    }
}

impl<S: Statistic> Collector for S {
    type Part = S::Sum;

    fn needs(&self) -> CollectorNeeds {
        Statistic::needs(self)
    }

    fn worker(&self) -> impl CollectorWorker<Part = S::Sum> {
        StatisticWorker {
            statistic: self,
            sum: S::Sum::default(),
        }
    }
}

/// A part whose type only its collector knows.
type AnyPart = Box<dyn Any + Send>;

/// A collector with an erased type of parts, so that different ones fit in one list.
trait AnyCollector: Sync {
    fn any_worker(&self) -> Box<dyn AnyWorker + '_>;
}

trait AnyWorker {
    fn see(&mut self, game: &mut GameView<'_>) -> Result<()>;
    fn take(&mut self) -> Result<AnyPart>;
}

struct WorkerAdapter<W>(W);

impl<W: CollectorWorker<Part: Send + 'static>> AnyWorker for WorkerAdapter<W> {
    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        self.0.see(game)
    }

    fn take(&mut self) -> Result<AnyPart> {
        Ok(Box::new(self.0.take()?))
    }
}

impl<C: Collector> AnyCollector for C {
    fn any_worker(&self) -> Box<dyn AnyWorker + '_> {
        Box::new(WorkerAdapter(self.worker()))
    }
}

#[cfg(test)]
mod tests;
