//! FSRS-6: how well a position is remembered, and when it is due again.
//!
//! The formulas and their default parameters are those that its authors publish. A memory has a stability (the days after
//! which it is recalled with a probability of 90 per cent) and a difficulty from 1 to 10. Nothing in it is random.

/// How well a move was known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReviewRating {
    /// It was wrong.
    Again,
    /// It was right, with effort.
    Hard,
    /// It was right.
    Good,
    /// It was right at once.
    Easy,
}

impl ReviewRating {
    /// All of them, the worst first.
    pub const ALL: [ReviewRating; 4] = [
        ReviewRating::Again,
        ReviewRating::Hard,
        ReviewRating::Good,
        ReviewRating::Easy,
    ];

    /// Its name in a log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ReviewRating::Again => "again",
            ReviewRating::Hard => "hard",
            ReviewRating::Good => "good",
            ReviewRating::Easy => "easy",
        }
    }

    /// The rating of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<ReviewRating> {
        ReviewRating::ALL
            .into_iter()
            .find(|rating| rating.name() == name)
    }

    /// Its number, from 1.
    fn number(self) -> f64 {
        match self {
            ReviewRating::Again => 1.0,
            ReviewRating::Hard => 2.0,
            ReviewRating::Good => 3.0,
            ReviewRating::Easy => 4.0,
        }
    }
}

/// How well something is remembered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MemoryState {
    /// Days after which it is recalled with a probability of 90 per cent.
    pub stability: f64,
    /// From 1, easy, to 10.
    pub difficulty: f64,
}

/// The model with its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fsrs {
    parameters: [f64; 21],
}

impl Default for Fsrs {
    fn default() -> Fsrs {
        Fsrs {
            parameters: [
                0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666,
                0.796, 1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658,
                0.1542,
            ],
        }
    }
}

/// The least stability, in days.
const LEAST_STABILITY: f64 = 0.001;
/// The longest interval, in days.
const LONGEST: f64 = 36_500.0;

impl Fsrs {
    fn decay(&self) -> f64 {
        -self.parameters[20]
    }

    fn factor(&self) -> f64 {
        0.9_f64.powf(1.0 / self.decay()) - 1.0
    }

    /// The probability that something is recalled after this number of days.
    #[must_use]
    pub fn retrievability(&self, state: MemoryState, days: u32) -> f64 {
        (1.0 + self.factor() * f64::from(days) / state.stability).powf(self.decay())
    }

    /// The days after which it is recalled with this probability, without a limit.
    fn days_until(&self, stability: f64, retention: f64) -> f64 {
        let interval = stability / self.factor() * (retention.powf(1.0 / self.decay()) - 1.0);
        interval.round().max(1.0)
    }

    /// After how many days it is due, so that it is recalled with this probability.
    #[must_use]
    pub fn interval(&self, state: MemoryState, retention: f64) -> u32 {
        let days = self.days_until(state.stability, retention).min(LONGEST);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        {
            days as u32
        }
    }

    fn first_difficulty(&self, rating: ReviewRating) -> f64 {
        self.parameters[4] - (self.parameters[5] * (rating.number() - 1.0)).exp() + 1.0
    }

    /// The memory after a review, this number of whole days after the one before. The first one has none before it.
    #[must_use]
    pub fn review(&self, before: Option<(MemoryState, u32)>, rating: ReviewRating) -> MemoryState {
        let w = &self.parameters;
        let Some((before, days)) = before else {
            let first = match rating {
                ReviewRating::Again => w[0],
                ReviewRating::Hard => w[1],
                ReviewRating::Good => w[2],
                ReviewRating::Easy => w[3],
            };
            return MemoryState {
                stability: first.max(LEAST_STABILITY),
                difficulty: self.first_difficulty(rating).clamp(1.0, 10.0),
            };
        };
        let stability = match (days, rating) {
            (0, _) => self.stability_on_the_same_day(before, rating),
            (_, ReviewRating::Again) => self.stability_after_lapse(before, days),
            _ => self.stability_after_recall(before, days, rating),
        };
        let step = -w[6] * (rating.number() - 3.0);
        let damped = before.difficulty + step * (10.0 - before.difficulty) / 9.0;
        let easy = self.first_difficulty(ReviewRating::Easy);
        let difficulty = w[7] * easy + (1.0 - w[7]) * damped;
        MemoryState {
            stability: stability.max(LEAST_STABILITY),
            difficulty: difficulty.clamp(1.0, 10.0),
        }
    }

    fn stability_on_the_same_day(&self, before: MemoryState, rating: ReviewRating) -> f64 {
        let w = &self.parameters;
        let grown = (w[17] * (rating.number() - 3.0 + w[18])).exp() * before.stability.powf(-w[19]);
        let grown = match rating {
            // What was right is remembered no worse for it.
            ReviewRating::Hard | ReviewRating::Good | ReviewRating::Easy => grown.max(1.0),
            ReviewRating::Again => grown,
        };
        before.stability * grown
    }

    fn stability_after_recall(&self, before: MemoryState, days: u32, rating: ReviewRating) -> f64 {
        let w = &self.parameters;
        let by_rating = match rating {
            ReviewRating::Hard => w[15],
            ReviewRating::Easy => w[16],
            ReviewRating::Again | ReviewRating::Good => 1.0,
        };
        let forgotten = 1.0 - self.retrievability(before, days);
        let grown = w[8].exp()
            * (11.0 - before.difficulty)
            * before.stability.powf(-w[9])
            * ((forgotten * w[10]).exp() - 1.0)
            * by_rating;
        before.stability * (1.0 + grown)
    }

    fn stability_after_lapse(&self, before: MemoryState, days: u32) -> f64 {
        let w = &self.parameters;
        let forgotten = 1.0 - self.retrievability(before, days);
        let long = w[11]
            * before.difficulty.powf(-w[12])
            * ((before.stability + 1.0).powf(w[13]) - 1.0)
            * (forgotten * w[14]).exp();
        let short = before.stability / (w[17] * w[18]).exp();
        long.min(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_the_published_ones() {
        let model = Fsrs::default();
        let intervals: Vec<f64> = (1..=10)
            .map(|tenths| model.days_until(1.0, f64::from(tenths) / 10.0))
            .collect();
        let expected = [
            3_116_766.0,
            34_793.0,
            2_508.0,
            387.0,
            90.0,
            27.0,
            9.0,
            3.0,
            1.0,
            1.0,
        ];
        for (ours, expected) in intervals.iter().zip(expected) {
            // The published numbers are of single precision.
            assert!((ours - expected).abs() <= expected * 2e-5, "{intervals:?}");
        }
    }

    #[test]
    fn memory_grows_with_success_and_shrinks_with_failure() {
        let model = Fsrs::default();
        let first = model.review(None, ReviewRating::Good);
        assert_eq!(first.stability, 2.3065);
        assert!((model.retrievability(first, 0) - 1.0).abs() < 1e-12);
        let later: Vec<MemoryState> = ReviewRating::ALL
            .iter()
            .map(|rating| model.review(Some((first, 3)), *rating))
            .collect();
        assert!(later[0].stability < first.stability);
        assert!(later[1].stability < later[2].stability && later[2].stability < later[3].stability);
        assert!(
            later[0].difficulty > later[1].difficulty && later[2].difficulty > later[3].difficulty
        );
        assert_eq!(model.interval(later[3], 1.0), 1);
        assert!(model.interval(later[3], 0.0001) <= 36_500);
        for state in later {
            assert!((1.0..=10.0).contains(&state.difficulty) && state.stability > 0.0);
        }
    }
}
