//! One pass over games for everybody who looks at them: statistics, scans, counts, the making of an index.
//!
//! # How to write a collector
//!
//! Most want a [`Statistic`], which is a file with one `impl`: a sum that starts empty, what is [`Needs`]ed of each game, how
//! a game is counted, and how two sums become one.
//!
//! ```
//! use std::collections::BTreeMap;
//! use tabiya_model::collect::{Needs, Seen, Statistic};
//! use tabiya_model::facts::Fields;
//! use tabiya_model::Result;
//!
//! /// How many games there are of each year.
//! struct Years;
//!
//! impl Statistic for Years {
//!     type Sum = BTreeMap<Option<u16>, u64>;
//!
//!     fn needs(&self) -> Needs {
//!         Needs::facts(Fields::DATE)
//!     }
//!
//!     fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
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
//! Then `pass.sum(&Years, &mut years)` puts it into a [`Pass`], as one of any number. Games within a part are known by
//! [`Seen::place`], their place in the run: what keeps it adds `first`, the number of the run's first game, in
//! [`Statistic::add`]. Parts are added in the order of the games, so that what is kept comes out in that order whatever the
//! number of threads.
//!
//! Who keeps buffers from game to game, or hands results on while the pass goes on, writes a [`Collector`]: it makes a
//! [`Worker`] for each thread, whose parts a closure takes.
//!
//! A pass reads no more than its collectors need together: nothing of a game of which facts say all that is asked, its
//! tags where they leave something open, its moves only where somebody wants them. What one game in a thousand needs
//! more is asked with [`Seen::game`] when it shows.

mod pass;
mod seen;

use std::any::Any;

use crate::database::Want;
use crate::error::Result;
use crate::facts::Fields;

pub use pass::{Over, Pass, Run};
pub use seen::{Name, NameOf, Seen};

/// Whose moves are asked for as steps.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Steps {
    /// Nobody's.
    #[default]
    None,
    /// Those of the main line.
    MainLine,
    /// Those of variations too.
    Variations,
}

/// What a collector asks of every game.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// These fields of [`Seen::fact`].
    pub facts: Fields,
    /// So much of [`Seen::game`].
    pub game: Option<Want>,
    /// These of [`Seen::steps`].
    pub steps: Steps,
}

impl Needs {
    /// Facts alone.
    #[must_use]
    pub fn facts(facts: Fields) -> Needs {
        Needs {
            facts,
            ..Needs::default()
        }
    }

    /// Games that are read so far.
    #[must_use]
    pub fn game(want: Want) -> Needs {
        Needs {
            game: Some(want),
            ..Needs::default()
        }
    }

    /// The same with steps.
    #[must_use]
    pub fn with_steps(self, steps: Steps) -> Needs {
        Needs { steps, ..self }
    }

    /// What both need.
    #[must_use]
    pub fn union(self, other: Needs) -> Needs {
        Needs {
            facts: self.facts.union(other.facts),
            game: match (self.game, other.game) {
                (Some(one), Some(two)) => Some(one.union(two)),
                (one, two) => one.or(two),
            },
            steps: self.steps.max(other.steps),
        }
    }
}

/// Looks at games on several threads.
pub trait Collector: Sync {
    /// What a run of games leaves.
    type Part: Send + 'static;

    /// What is asked of every game.
    fn needs(&self) -> Needs;

    /// A worker for one thread.
    fn worker(&self) -> impl Worker<Part = Self::Part>;
}

/// One thread's share of a collector; it may keep buffers.
pub trait Worker {
    /// What a run of games leaves.
    type Part;

    /// Looks at the next game of a run.
    fn see(&mut self, game: &mut Seen<'_>) -> Result<()>;

    /// Ends a run, and begins the next.
    fn take(&mut self) -> Result<Self::Part>;
}

/// A collector that is a sum: see the head of this module.
pub trait Statistic: Sync {
    /// The sum, of a run of games as of all.
    type Sum: Default + Send + 'static;

    /// What is asked of every game.
    fn needs(&self) -> Needs;

    /// Counts a game.
    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()>;

    /// Adds the sum of a run of games, the first of which has the number `first`. Runs come in the order of the games.
    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, first: u64);
}

struct Summing<'s, S: Statistic> {
    statistic: &'s S,
    sum: S::Sum,
}

impl<S: Statistic> Worker for Summing<'_, S> {
    type Part = S::Sum;

    fn see(&mut self, game: &mut Seen<'_>) -> Result<()> {
        self.statistic.see(&mut self.sum, game)
    }

    fn take(&mut self) -> Result<S::Sum> {
        Ok(std::mem::take(&mut self.sum))
    }
}

impl<S: Statistic> Collector for S {
    type Part = S::Sum;

    fn needs(&self) -> Needs {
        Statistic::needs(self)
    }

    fn worker(&self) -> impl Worker<Part = S::Sum> {
        Summing {
            statistic: self,
            sum: S::Sum::default(),
        }
    }
}

/// A part whose kind only its collector knows.
type AnyPart = Box<dyn Any + Send>;

/// A collector whose parts have no name, so that several of different kinds stand side by side.
trait AnyCollector: Sync {
    fn any_worker(&self) -> Box<dyn AnyWorker + '_>;
}

trait AnyWorker {
    fn see(&mut self, game: &mut Seen<'_>) -> Result<()>;
    fn take(&mut self) -> Result<AnyPart>;
}

struct Unnamed<W>(W);

impl<W: Worker<Part: Send + 'static>> AnyWorker for Unnamed<W> {
    fn see(&mut self, game: &mut Seen<'_>) -> Result<()> {
        self.0.see(game)
    }

    fn take(&mut self) -> Result<AnyPart> {
        Ok(Box::new(self.0.take()?))
    }
}

impl<C: Collector> AnyCollector for C {
    fn any_worker(&self) -> Box<dyn AnyWorker + '_> {
        Box::new(Unnamed(self.worker()))
    }
}

#[cfg(test)]
mod tests;
