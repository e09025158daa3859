//! Crosstables: the events of bases, with scores, ranks, tie-breaks, performances and rating changes.
//!
//! [`CrosstableCollector`] takes the games of a base in one pass, [`events`] groups them by event, and [`Crosstable::new`]
//! makes the table of one.

mod collector;
mod event;
mod faults;
mod kind;
mod output;
mod standing;

use std::collections::BTreeMap;

use shakmaty::Color;
use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;

pub use collector::{CrosstableCollector, CrosstableGame, CrosstableGames, CrosstablePart};
pub use event::events;
pub use faults::{CrosstableFault, CrosstableFaultKind};
pub use kind::EventKind;
pub use output::{HEADING, html};
pub use standing::{CrosstableRow, HalfPoints, TieBreak};

use collector::half_points;
use kind::{MeetingCounts, recognise};
use standing::rank;

/// How a table is made.
#[derive(Clone, Debug, Default)]
pub struct CrosstableRules {
    /// The kind; recognised by default.
    pub kind: Option<EventKind>,
    /// The tie-breaks in their order; by default, the usual ones of the kind.
    pub tie_breaks: Vec<TieBreak>,
    /// The development coefficient of ratings (K); 10 from 2400 on and 20 below by default.
    pub coefficient: Option<u32>,
}

/// A game in a table, seen from one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrosstableResult {
    /// The index of the opponent in the table.
    pub opponent: usize,
    /// The side.
    pub color: Color,
    /// The points, in halves; nothing if the game has no result.
    pub half_points: Option<u32>,
    /// Whether it was decided without being played (forfeit).
    pub is_forfeit: bool,
    /// The round, as in the tag.
    pub round: Box<str>,
    /// The index of the game's base among those that were read.
    pub base: usize,
    /// Its number there.
    pub number: u64,
}

/// A match of two teams in a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TeamMatch {
    /// The round; 0 if unknown.
    pub round: u32,
    /// The teams.
    pub teams: [Box<str>; 2],
    /// The points on the boards, in halves.
    pub half_points: [u32; 2],
}

/// A match of two players in a knockout: all their games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnockoutMatch {
    /// The round of the knockout, from 1.
    pub stage: u32,
    /// The indexes of the players in the table, the winner first.
    pub players: [usize; 2],
    /// Their points, in halves.
    pub half_points: [u32; 2],
}

/// The table of an event.
#[derive(Clone, Debug)]
pub struct Crosstable {
    /// The event.
    pub event: Box<str>,
    /// The site.
    pub site: Box<str>,
    /// The first date with a known year.
    pub first: Option<Date>,
    /// The last one.
    pub last: Option<Date>,
    /// Its kind.
    pub kind: EventKind,
    /// The games that count.
    pub games: usize,
    /// The players in the order of their ranks.
    pub players: Vec<CrosstableRow>,
    /// The tie-breaks by which players with equal scores are ranked.
    pub tie_breaks: Vec<TieBreak>,
    /// The matches of teams, if there are any.
    pub team_matches: Vec<TeamMatch>,
    /// The matches of a knockout.
    pub knockout_matches: Vec<KnockoutMatch>,
    /// Missing, duplicate and contradictory games.
    pub faults: Vec<CrosstableFault>,
}

/// A game counts for ratings where both sides have made a move.
const PLAYED: u32 = 2;

/// The number of a round, of its first part: 5 of `5.2`.
pub(crate) fn round_number(round: &str) -> Option<u32> {
    round.trim().split(['.', '(', ' ']).next()?.parse().ok()
}

/// The teams of a game, if its tags name them.
pub type GameTeams = BTreeMap<usize, [Box<str>; 2]>;

impl Crosstable {
    /// The table of the games with these indexes. `teams` are those in their tags.
    pub fn new(
        gathered: &CrosstableGames,
        places: &[usize],
        teams: &GameTeams,
        options: &CrosstableRules,
    ) -> Crosstable {
        let games: Vec<(usize, &CrosstableGame)> = places
            .iter()
            .filter_map(|place| Some((*place, gathered.games.get(*place)?)))
            .collect();
        let (games, mut faults) = faults::sift(gathered, games);
        let (mut players, meetings) = results(gathered, &games, teams);
        let rounds = games.iter();
        let rounds = rounds.map(|(_, game)| round_number(gathered.name(game.round)));
        let rounds = rounds.collect::<Option<Vec<u32>>>();
        let last_round = rounds.and_then(|rounds| rounds.into_iter().max());
        let recognised = recognise(players.len(), &meetings, !teams.is_empty(), last_round);
        let kind = match options.kind {
            None => recognised,
            Some(EventKind::RoundRobin(_)) => EventKind::RoundRobin(kind::usual(&meetings)),
            Some(kind) => kind,
        };
        if kind == EventKind::Teams && teams.is_empty() {
            name_sides(&mut players, &meetings);
        }
        let tie_breaks = match &options.tie_breaks[..] {
            [] => TieBreak::usual(kind),
            chosen => chosen.to_vec(),
        };
        let dates = games.iter().map(|(_, game)| game.date);
        let dates = dates.filter(|date| date.year.is_some());
        let first = dates.clone().min();
        let players = rank(players, kind, &tie_breaks, options.coefficient, first);
        let (event, site) = games.first().map_or(("", ""), |(_, game)| {
            (gathered.name(game.event), gathered.name(game.site))
        });
        if kind == EventKind::Unknown {
            faults.extend(faults::only_one(&players));
        }
        faults.extend(faults::missing(kind, &players));
        faults.extend(faults::ratings(&players));
        Crosstable {
            event: event.into(),
            site: site.into(),
            first,
            last: dates.max(),
            kind,
            games: games.len(),
            team_matches: match kind {
                EventKind::Teams => team_matches(&players),
                _ => Vec::new(),
            },
            knockout_matches: match kind {
                EventKind::Knockout => knockout_matches(&players),
                _ => Vec::new(),
            },
            players,
            tie_breaks,
            faults,
        }
    }
}

/// The players in the order in which they come, each with the results of the games, and how often two of them meet.
fn results(
    gathered: &CrosstableGames,
    games: &[(usize, &CrosstableGame)],
    teams: &GameTeams,
) -> (Vec<CrosstableRow>, MeetingCounts) {
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    let mut players: Vec<CrosstableRow> = Vec::new();
    for (place, game) in games {
        for (side, name) in game.players.iter().enumerate() {
            let at = *numbers.entry(*name).or_insert_with(|| {
                players.push(CrosstableRow::new(gathered.name(*name)));
                players.len() - 1
            });
            if let Some(player) = players.get_mut(at) {
                player.sees_rating(game.elos.get(side).copied().unwrap_or(0));
                if let Some(team) = teams.get(place).and_then(|teams| teams.get(side)) {
                    player.team.get_or_insert_with(|| team.clone());
                }
            }
        }
    }
    let is_played = |game: &CrosstableGame| game.plies.is_some_and(|plies| plies >= PLAYED);
    let has_moves = games.iter().any(|(_, game)| is_played(game));
    let mut meetings = MeetingCounts::new();
    for (_, game) in games {
        let is_forfeit = has_moves && game.plies.is_some() && !is_played(game);
        let [white, black] = game
            .players
            .map(|name| numbers.get(&name).copied().unwrap_or(0));
        *meetings
            .entry((white.min(black), white.max(black)))
            .or_default() += 1;
        for (color, own, opponent) in [(Color::White, white, black), (Color::Black, black, white)] {
            if let Some(player) = players.get_mut(own) {
                player.results.push(CrosstableResult {
                    opponent,
                    color,
                    half_points: half_points(color, game.outcome),
                    is_forfeit: is_forfeit && game.outcome != Outcome::Unknown,
                    round: gathered.name(game.round).into(),
                    base: game.base,
                    number: game.number,
                });
            }
        }
    }
    (players, meetings)
}

/// The two sides of an event whose games name no teams.
fn name_sides(players: &mut [CrosstableRow], meetings: &MeetingCounts) {
    let Some((one, _)) = kind::sides(players.len(), meetings) else {
        return;
    };
    for (at, player) in players.iter_mut().enumerate() {
        let name = if one.contains(&at) {
            "side A"
        } else {
            "side B"
        };
        player.team = Some(name.into());
    }
}

/// The meetings of teams, round by round.
fn team_matches(players: &[CrosstableRow]) -> Vec<TeamMatch> {
    let mut found: BTreeMap<(u32, [&str; 2]), [u32; 2]> = BTreeMap::new();
    for player in players {
        for result in player
            .results
            .iter()
            .filter(|result| result.color == Color::White)
        {
            let opponent = players.get(result.opponent);
            let (Some(own), Some(theirs)) = (
                player.team.as_deref(),
                opponent.and_then(|one| one.team.as_deref()),
            ) else {
                continue;
            };
            let round = round_number(&result.round).unwrap_or(0);
            let Some(points) = result.half_points else {
                continue;
            };
            let (teams, points) = match own <= theirs {
                true => ([own, theirs], [points, 2 - points]),
                false => ([theirs, own], [2 - points, points]),
            };
            let sum = found.entry((round, teams)).or_default();
            for (sum, points) in sum.iter_mut().zip(points) {
                *sum += points;
            }
        }
    }
    found
        .into_iter()
        .map(|((round, teams), half_points)| TeamMatch {
            round,
            teams: teams.map(Box::from),
            half_points,
        })
        .collect()
}

/// The meetings of a knock-out. Who is out after his n-th meeting was beaten in stage n; where rounds are said, their order decides.
fn knockout_matches(players: &[CrosstableRow]) -> Vec<KnockoutMatch> {
    let mut found: BTreeMap<(usize, usize), (u32, [u32; 2])> = BTreeMap::new();
    for (at, player) in players.iter().enumerate() {
        for result in player.results.iter().filter(|result| result.opponent > at) {
            let round = round_number(&result.round).unwrap_or(0);
            let (first, sum) = found
                .entry((at, result.opponent))
                .or_insert((round, [0, 0]));
            *first = (*first).min(round);
            let points = result.half_points;
            for (sum, points) in sum
                .iter_mut()
                .zip([points, points.map(|points| 2 - points)])
            {
                *sum += points.unwrap_or(0);
            }
        }
    }
    let mut rounds: Vec<u32> = found.values().map(|(round, _)| *round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let mut duels: Vec<KnockoutMatch> = found
        .into_iter()
        .map(|((one, other), (round, [points, theirs]))| {
            let stage = rounds.binary_search(&round).map_or(0, |at| at + 1);
            let (players, half_points) = match points >= theirs {
                true => ([one, other], [points, theirs]),
                false => ([other, one], [theirs, points]),
            };
            KnockoutMatch {
                stage: u32::try_from(stage).unwrap_or(0),
                players,
                half_points,
            }
        })
        .collect();
    duels.sort_by_key(|duel| (duel.stage, duel.players));
    duels
}

#[cfg(test)]
mod tests;
