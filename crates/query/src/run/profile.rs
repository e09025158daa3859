//! How the games of a search were answered, and how long each way took.

use std::time::{Duration, Instant};

/// One way to an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AnswerCost {
    /// Games that it answered; for an index, games of its lists.
    pub games: u64,
    /// How long it took, on all threads together.
    pub time: Duration,
}

/// The ways to the answers of a search, from the fastest to the slowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchProfile {
    /// Lists of an index of positions.
    pub index: AnswerCost,
    /// Facts: names, dates, counts, and what follows from the moves.
    pub facts: AnswerCost,
    /// Walking through the moves without reading the game.
    pub walked: AnswerCost,
    /// Reading.
    pub read: AnswerCost,
}

impl SearchProfile {
    /// The ways with their names.
    pub fn named(&self) -> [(&'static str, AnswerCost); 4] {
        [
            ("index", self.index),
            ("facts", self.facts),
            ("walked", self.walked),
            ("read", self.read),
        ]
    }

    pub(crate) fn add(&mut self, other: &SearchProfile) {
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
pub(crate) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    pub(crate) fn start(wanted: bool) -> Stopwatch {
        Stopwatch(wanted.then(Instant::now))
    }

    /// Adds the time since the start, and games, to a way.
    pub(crate) fn stop(&self, way: &mut AnswerCost, games: u64) {
        if let Some(start) = self.0 {
            way.games += games;
            way.time += start.elapsed();
        }
    }
}
