//! The longest runs of games in a row.

use tabiya_model::outcome::Outcome;

use super::Played;

/// What a series is made of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Streak {
    /// Wins.
    Won,
    /// Wins and draws.
    Unbeaten,
    /// Draws.
    Drawn,
    /// Draws and losses.
    Winless,
    /// Losses.
    Lost,
}

impl Streak {
    /// All of them.
    pub const ALL: [Streak; 5] = [
        Streak::Won,
        Streak::Unbeaten,
        Streak::Drawn,
        Streak::Winless,
        Streak::Lost,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Streak::Won => "won",
            Streak::Unbeaten => "unbeaten",
            Streak::Drawn => "drawn",
            Streak::Winless => "winless",
            Streak::Lost => "lost",
        }
    }

    fn goes_on(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::WhiteWins => matches!(self, Streak::Won | Streak::Unbeaten),
            Outcome::Draw => matches!(self, Streak::Unbeaten | Streak::Drawn | Streak::Winless),
            Outcome::BlackWins => matches!(self, Streak::Winless | Streak::Lost),
            Outcome::Unknown => false,
        }
    }
}

/// The longest series of a kind, the first where several are as long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    /// Of which kind.
    pub streak: Streak,
    /// How many games.
    pub games: usize,
    /// The first of them.
    pub first: Played,
    /// The last of them.
    pub last: Played,
}

/// The longest series of games that stand in the order in which they were played. Games without a result or a year are
/// none of them and end none.
pub(super) fn longest(games: &[Played]) -> Vec<Series> {
    let known = |game: &&Played| game.outcome != Outcome::Unknown && game.date.year.is_some();
    let games: Vec<&Played> = games.iter().filter(known).collect();
    let mut all = Vec::new();
    for streak in Streak::ALL {
        let runs =
            games.chunk_by(|one, two| streak.goes_on(one.outcome) == streak.goes_on(two.outcome));
        let mut best: &[&Played] = &[];
        for run in runs {
            if run.len() > best.len()
                && run.first().is_some_and(|game| streak.goes_on(game.outcome))
            {
                best = run;
            }
        }
        if let (Some(first), Some(last)) = (best.first(), best.last()) {
            all.push(Series {
                streak,
                games: best.len(),
                first: (*first).clone(),
                last: (*last).clone(),
            });
        }
    }
    all
}
