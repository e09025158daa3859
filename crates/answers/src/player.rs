//! The record of a player: `player --json`.

use crate::games::SideAnswer;
use crate::macros::answers;
use crate::statistics::TableAnswer;

answers! {
    /// The record of a player: `player --json`. Wins are the player's.
    pub struct PlayerAnswer {
        /// The name that was asked for.
        pub player: String,
        /// The opponent that was asked for.
        pub against: Option<String>,
        /// The names of the databases.
        pub bases: Vec<String>,
        /// Damaged games among those that had to be read.
        pub damaged: u64,
        /// Games.
        pub games: u64,
        /// Won games.
        pub wins: u64,
        /// Drawn games.
        pub draws: u64,
        /// Lost games.
        pub losses: u64,
        /// Games without a result.
        pub other: u64,
        /// The scores by name, colour, year, opponent, event, opening and so on.
        pub statistics: Vec<TableAnswer>,
        /// The ratings over time.
        pub ratings: Vec<RatingPeriodAnswer>,
        /// Wins against the strongest opponents, the strongest first.
        pub best_wins: Vec<PlayerGameAnswer>,
        /// Losses against the weakest opponents, the weakest first.
        pub worst_losses: Vec<PlayerGameAnswer>,
        /// The longest streaks.
        pub series: Vec<StreakAnswer>,
        /// Whether everything was processed.
        pub whole: bool,
    }

    /// A rating and the games that have it.
    pub struct RatingPeriodAnswer {
        /// The date of the first game.
        pub date: String,
        /// The Elo.
        pub elo: u16,
        /// The number of consecutive games with it.
        pub games: u64,
    }

    /// A game of a player.
    pub struct PlayerGameAnswer {
        /// The index of the database in `bases`, from 0.
        pub base: u64,
        /// The number of the game.
        pub number: u64,
        /// The date.
        pub date: String,
        /// The event.
        pub event: String,
        /// The round.
        pub round: String,
        /// The player's side.
        pub color: SideAnswer,
        /// The name of the opponent.
        pub opponent: String,
        /// The player's Elo.
        pub elo: Option<u16>,
        /// The opponent's Elo.
        pub opponent_elo: Option<u16>,
        /// The ECO code.
        pub eco: Option<String>,
    }

    /// A streak.
    pub struct StreakAnswer {
        /// The kind of streak.
        pub name: &'static str,
        /// The number of games.
        pub games: u64,
        /// The first of them.
        pub first: PlayerGameAnswer,
        /// The last of them.
        pub last: PlayerGameAnswer,
    }
}
