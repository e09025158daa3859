//! How games ended, counted.

use std::ops::Range;

use shakmaty::Color;
use tabiya_model::outcome::Outcome;

/// Numbers of games by how they ended. The statistic defines whose wins are counted: White's, or those of its own side.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct ResultCounts {
    /// Won games.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Lost games.
    pub losses: u64,
    /// Games without a result.
    pub other: u64,
}

impl ResultCounts {
    /// Counts a game, seen by White.
    #[inline]
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::WhiteWins => self.wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::BlackWins => self.losses += 1,
            Outcome::Unknown => self.other += 1,
        }
    }

    /// Adds the games of another score.
    pub fn add(&mut self, other: ResultCounts) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.other += other.other;
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses + self.other
    }

    /// Points of those that have a result, in per cent; `None` if none has.
    #[allow(clippy::cast_precision_loss, reason = "no count of games is near 2^53")]
    pub fn percent(&self) -> Option<f64> {
        let decided = self.wins + self.draws + self.losses;
        (decided > 0).then(|| (2 * self.wins + self.draws) as f64 * 50.0 / decided as f64)
    }
}

/// An outcome as White's, reversed if a side is Black.
#[inline]
pub fn seen_by(color: Color, outcome: Outcome) -> Outcome {
    match (color, outcome) {
        (Color::Black, Outcome::WhiteWins) => Outcome::BlackWins,
        (Color::Black, Outcome::BlackWins) => Outcome::WhiteWins,
        _ => outcome,
    }
}

/// Scores along a scale of small numbers, and of values outside of it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ScoreScale {
    none: ResultCounts,
    /// The place of the first of those that are known: many runs of games are near to one another.
    first: usize,
    known: Vec<ResultCounts>,
}

impl ScoreScale {
    /// Counts a game.
    #[inline]
    pub fn count(&mut self, place: Option<u16>, outcome: Outcome) {
        let Some(place) = place.map(usize::from) else {
            self.none.count(outcome);
            return;
        };
        if let Some(score) = self.at(place) {
            score.count(outcome);
        }
    }

    /// The score of a place.
    #[inline]
    fn at(&mut self, place: usize) -> Option<&mut ResultCounts> {
        let is_here = place
            .checked_sub(self.first)
            .is_some_and(|at| at < self.known.len());
        if !is_here {
            self.widen(place);
        }
        self.known.get_mut(place - self.first)
    }

    #[cold]
    fn widen(&mut self, place: usize) {
        if self.known.is_empty() {
            self.first = place;
        }
        let before = self.first.saturating_sub(place);
        self.known
            .splice(..0, std::iter::repeat_n(ResultCounts::default(), before));
        self.first -= before;
        let needed = place - self.first + 1;
        if needed > self.known.len() {
            self.known.resize(needed, ResultCounts::default());
        }
    }

    /// Adds the games of another one.
    pub fn add(&mut self, other: ScoreScale) {
        self.none.add(other.none);
        for (place, more) in (other.first..).zip(other.known) {
            if more.games() > 0
                && let Some(score) = self.at(place)
            {
                score.add(more);
            }
        }
    }

    /// All places with games, the one for values outside of the scale first.
    pub fn iter(&self) -> impl Iterator<Item = (Option<u16>, ResultCounts)> {
        let places = (self.first..).map(|place| u16::try_from(place).ok());
        let known = places.zip(self.known.iter().copied());
        std::iter::once((None, self.none))
            .chain(known)
            .filter(|(_, score)| score.games() > 0)
    }

    /// The games of several places.
    pub fn sum(&self, places: Range<u16>) -> ResultCounts {
        let mut all = ResultCounts::default();
        let known = (self.first..).zip(&self.known);
        known
            .filter(|(place, _)| {
                (usize::from(places.start)..usize::from(places.end)).contains(place)
            })
            .for_each(|(_, score)| all.add(*score));
        all
    }
}
