//! The longest streaks of games.

use tabiya_model::outcome::Outcome;

use super::PlayerGame;

/// The kinds of streaks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StreakKind {
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

impl StreakKind {
    /// All of them.
    pub const ALL: [StreakKind; 5] = [
        StreakKind::Won,
        StreakKind::Unbeaten,
        StreakKind::Drawn,
        StreakKind::Winless,
        StreakKind::Lost,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            StreakKind::Won => "won",
            StreakKind::Unbeaten => "unbeaten",
            StreakKind::Drawn => "drawn",
            StreakKind::Winless => "winless",
            StreakKind::Lost => "lost",
        }
    }

    fn goes_on(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::WhiteWins => matches!(self, StreakKind::Won | StreakKind::Unbeaten),
            Outcome::Draw => matches!(
                self,
                StreakKind::Unbeaten | StreakKind::Drawn | StreakKind::Winless
            ),
            Outcome::BlackWins => matches!(self, StreakKind::Winless | StreakKind::Lost),
            Outcome::Unknown => false,
        }
    }
}

/// The longest streak of a kind, the first one if several are equally long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerStreak {
    /// Its kind.
    pub streak: StreakKind,
    /// How many games.
    pub games: usize,
    /// The first of them.
    pub first: PlayerGame,
    /// The last of them.
    pub last: PlayerGame,
}

/// The longest series of games that stand in the order in which they were played. Games without a result or a year are
/// none of them and end none.
pub(super) fn longest(games: &[PlayerGame]) -> Vec<PlayerStreak> {
    let known = |game: &&PlayerGame| game.outcome != Outcome::Unknown && game.date.year.is_some();
    let games: Vec<&PlayerGame> = games.iter().filter(known).collect();
    let mut all = Vec::new();
    for streak in StreakKind::ALL {
        let runs =
            games.chunk_by(|one, two| streak.goes_on(one.outcome) == streak.goes_on(two.outcome));
        let mut best: &[&PlayerGame] = &[];
        for run in runs {
            if run.len() > best.len()
                && run.first().is_some_and(|game| streak.goes_on(game.outcome))
            {
                best = run;
            }
        }
        if let (Some(first), Some(last)) = (best.first(), best.last()) {
            all.push(PlayerStreak {
                streak,
                games: best.len(),
                first: (*first).clone(),
                last: (*last).clone(),
            });
        }
    }
    all
}
