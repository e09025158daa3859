//! Cross-tables: `crosstable --json`.

use crate::games::SideAnswer;
use crate::macros::answers;

answers! {
    /// The tables of events: `crosstable --json`.
    pub struct EventsAnswer {
        /// The names of the bases.
        pub bases: Vec<String>,
        /// Games that are damaged, of those that had to be read.
        pub damaged: u64,
        /// The tables, in the order of their first dates.
        pub events: Vec<EventAnswer>,
        /// Whether everything was looked at.
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
        /// How it is played, as `--kind` names it.
        pub kind: &'static str,
        /// How often each plays each, in a round robin.
        pub times: Option<u32>,
        /// Games.
        pub games: u64,
        /// The tie-breaks, the first of them first.
        pub tie_breaks: Vec<&'static str>,
        /// The players in their order.
        pub players: Vec<EventPlayerAnswer>,
        /// The matches of a knock-out.
        pub duels: Vec<KnockoutMatchAnswer>,
        /// The matches of teams.
        pub team_matches: Vec<TeamMatchAnswer>,
        /// What is odd in the games of the event.
        pub faults: Vec<EventFaultAnswer>,
    }

    /// A player of an event.
    pub struct EventPlayerAnswer {
        /// The place in the table.
        pub rank: u64,
        /// The name.
        pub name: String,
        /// The team; null where it plays for none.
        pub team: Option<String>,
        /// The Elo; null where no game says it.
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
        /// The points of the opponents.
        pub buchholz: f64,
        /// The points of opponents who were beaten, and half of those of others who were held.
        pub sonneborn_berger: f64,
        /// Points against those who have as many.
        pub direct: f64,
        /// The sum of the points after each round.
        pub progressive: f64,
        /// The mean Elo of the opponents.
        pub opponents: Option<i64>,
        /// The performance rating.
        pub performance: Option<i64>,
        /// What the rating gains or loses.
        pub change: Option<f64>,
        /// The games, in the order of the columns.
        pub results: Vec<EventResultAnswer>,
    }

    /// A game of a player of an event.
    pub struct EventResultAnswer {
        /// The place of the opponent among the players, from 1.
        pub opponent: u64,
        /// The side of the player.
        pub color: SideAnswer,
        /// Points; null where the game has no result.
        pub points: Option<f64>,
        /// Whether it was won or lost without being played.
        pub forfeit: bool,
        /// The round as the tag has it.
        pub round: String,
        /// The base, from 0.
        pub base: u64,
        /// The number of the game.
        pub number: u64,
    }

    /// A match of a knock-out.
    pub struct KnockoutMatchAnswer {
        /// The stage, from 1.
        pub stage: u32,
        /// The two players.
        pub players: [Option<String>; 2],
        /// Their points.
        pub points: [f64; 2],
    }

    /// A match of two teams.
    pub struct TeamMatchAnswer {
        /// The round; null where no game says it.
        pub round: Option<u32>,
        /// The two teams.
        pub teams: [String; 2],
        /// Their points.
        pub points: [f64; 2],
    }

    /// What is odd in the games of an event.
    pub struct EventFaultAnswer {
        /// Its kind.
        pub what: &'static str,
        /// What is odd.
        pub message: String,
        /// The games.
        pub games: Vec<EventGameAnswer>,
    }

    /// A game of an event by its place.
    pub struct EventGameAnswer {
        /// The base, from 0.
        pub base: u64,
        /// The number of the game.
        pub number: u64,
    }
}
