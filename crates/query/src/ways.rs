//! How the games of a search were answered, and how long each way took.

use std::time::{Duration, Instant};

/// One way to an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// Games that it answered; of an index, games of its lists.
    pub games: u64,
    /// How long it took, on all threads together.
    pub time: Duration,
}

/// The ways to the answers of a search, from the quickest to the slowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ways {
    /// Lists of an index of positions.
    pub index: Way,
    /// Facts: names, dates, counts, and what follows from the moves.
    pub facts: Way,
    /// Walking through the moves without reading the game.
    pub walked: Way,
    /// Reading.
    pub read: Way,
}

impl Ways {
    /// The ways with their names.
    pub fn named(&self) -> [(&'static str, Way); 4] {
        [
            ("index", self.index),
            ("facts", self.facts),
            ("walked", self.walked),
            ("read", self.read),
        ]
    }

    pub(crate) fn add(&mut self, other: &Ways) {
        for (sum, part) in [
            (&mut self.index, other.index),
            (&mut self.facts, other.facts),
            (&mut self.walked, other.walked),
            (&mut self.read, other.read),
        ] {
            sum.games += part.games;
            sum.time += part.time;
        }
    }
}

/// Looks at the clock where that is wanted.
pub(crate) struct Watch(Option<Instant>);

impl Watch {
    pub(crate) fn start(wanted: bool) -> Watch {
        Watch(wanted.then(Instant::now))
    }

    /// Adds the time since the start, and games, to a way.
    pub(crate) fn stop(&self, way: &mut Way, games: u64) {
        if let Some(start) = self.0 {
            way.games += games;
            way.time += start.elapsed();
        }
    }
}
