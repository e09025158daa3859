//! Crosstables: `crosstable --json`.

use crate::games::SideAnswer;
use crate::macros::answers;

answers! {
    /// The tables of events: `crosstable --json`.
    pub struct EventsAnswer {
        /// The names of the databases.
        pub bases: Vec<String>,
        /// Damaged games among those that had to be read.
        pub damaged: u64,
        /// The tables, by their first dates.
        pub events: Vec<EventAnswer>,
        /// Whether everything was processed.
        pub whole: bool,
    }

    /// The table of an event.
    pub struct EventAnswer {
        /// Its name.
        pub event: String,
        /// Its site.
        pub site: String,
        /// The date of the first game.
        pub first: Option<String>,
        /// The date of the last game.
        pub last: Option<String>,
        /// The kind of event, as in `--kind`.
        pub kind: &'static str,
        /// How often each player plays each other player, in a round-robin.
        pub times: Option<u32>,
        /// Games.
        pub games: u64,
        /// The tie-breaks, in the order in which they count.
        pub tie_breaks: Vec<&'static str>,
        /// The players, in the order of the table.
        pub players: Vec<EventPlayerAnswer>,
        /// The matches of a knockout.
        pub duels: Vec<KnockoutMatchAnswer>,
        /// The matches of teams.
        pub team_matches: Vec<TeamMatchAnswer>,
        /// Irregularities in the games of the event.
        pub faults: Vec<EventFaultAnswer>,
    }

    /// A player of an event.
    pub struct EventPlayerAnswer {
        /// The place in the table.
        pub rank: u64,
        /// The name.
        pub name: String,
        /// The team; null if the player has none.
        pub team: Option<String>,
        /// The Elo; null if no game has it.
        pub elo: Option<u16>,
        /// Games with a result.
        pub games: u32,
        /// Points.
        pub points: f64,
        /// Won games.
        pub wins: u32,
        /// Drawn games.
        pub draws: u32,
        /// Lost games.
        pub losses: u32,
        /// The sum of the opponents' points.
        pub buchholz: f64,
        /// The points of the opponents that the player beat, and half the points of those with whom the player drew.
        pub sonneborn_berger: f64,
        /// Direct encounter: points against the players with the same score.
        pub direct: f64,
        /// The sum of the points after each round.
        pub progressive: f64,
        /// The mean Elo of the opponents.
        pub opponents: Option<i64>,
        /// The performance rating.
        pub performance: Option<i64>,
        /// The rating change.
        pub change: Option<f64>,
        /// The games, in the order of the columns.
        pub results: Vec<EventResultAnswer>,
    }

    /// A game of a player of an event.
    pub struct EventResultAnswer {
        /// The index of the opponent in the list of players, from 1.
        pub opponent: u64,
        /// The side of the player.
        pub color: SideAnswer,
        /// Points; null if the game has no result.
        pub points: Option<f64>,
        /// Whether it was won or lost by forfeit.
        pub forfeit: bool,
        /// The round, as in the tag.
        pub round: String,
        /// The index of the database in `bases`, from 0.
        pub base: u64,
        /// The number of the game.
        pub number: u64,
    }

    /// A match of a knockout.
    pub struct KnockoutMatchAnswer {
        /// The round of the knockout, from 1.
        pub stage: u32,
        /// The two players.
        pub players: [Option<String>; 2],
        /// Their points.
        pub points: [f64; 2],
    }

    /// A match of two teams.
    pub struct TeamMatchAnswer {
        /// The round; null if no game has it.
        pub round: Option<u32>,
        /// The two teams.
        pub teams: [String; 2],
        /// Their points.
        pub points: [f64; 2],
    }

    /// An irregularity in the games of an event.
    pub struct EventFaultAnswer {
        /// The kind.
        pub what: &'static str,
        /// The irregularity in words.
        pub message: String,
        /// The games.
        pub games: Vec<EventGameAnswer>,
    }

    /// A game of an event and its number.
    pub struct EventGameAnswer {
        /// The index of the database in `bases`, from 0.
        pub base: u64,
        /// The number of the game.
        pub number: u64,
    }
}
