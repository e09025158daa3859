//! One player in a table: score, rank, tie-breaks, performance.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tabiya_model::{date::Date, performance};

use super::{CrosstableResult, EventKind, round_number};

/// A number of halves, written as `3½`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HalfPoints(pub u32);

impl fmt::Display for HalfPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 2, self.0 % 2) {
            (0, 1) => f.pad("½"),
            (whole, 0) => f.pad(&whole.to_string()),
            (whole, _) => f.pad(&format!("{whole}½")),
        }
    }
}

/// A tie-break.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TieBreak {
    /// The sum of the opponents' scores.
    Buchholz,
    /// The sum of the scores of the opponents that were beaten, and half the scores of those that drew.
    SonnebornBerger,
    /// Won games.
    Wins,
    /// The score against those with the same score.
    DirectEncounter,
    /// The sum of the scores after each round.
    Progressive,
}

impl TieBreak {
    /// The names by which they are chosen.
    pub const NAMES: [&'static str; 5] = [
        "buchholz",
        "sonneborn-berger",
        "wins",
        "direct",
        "progressive",
    ];

    /// The tie-break of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<TieBreak> {
        Some(match name {
            "buchholz" => TieBreak::Buchholz,
            "sonneborn-berger" => TieBreak::SonnebornBerger,
            "wins" => TieBreak::Wins,
            "direct" => TieBreak::DirectEncounter,
            "progressive" => TieBreak::Progressive,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TieBreak::Buchholz => "buchholz",
            TieBreak::SonnebornBerger => "sonneborn-berger",
            TieBreak::Wins => "wins",
            TieBreak::DirectEncounter => "direct",
            TieBreak::Progressive => "progressive",
        }
    }

    /// A heading for people.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            TieBreak::Buchholz => "Buch",
            TieBreak::SonnebornBerger => "SB",
            TieBreak::Wins => "won",
            TieBreak::DirectEncounter => "dir",
            TieBreak::Progressive => "Prog",
        }
    }

    /// The usual tie-breaks of a kind of event.
    #[must_use]
    pub fn usual(kind: EventKind) -> Vec<TieBreak> {
        match kind {
            EventKind::Swiss => vec![
                TieBreak::Buchholz,
                TieBreak::DirectEncounter,
                TieBreak::Wins,
            ],
            EventKind::RoundRobin(_) => {
                vec![
                    TieBreak::SonnebornBerger,
                    TieBreak::DirectEncounter,
                    TieBreak::Wins,
                ]
            }
            EventKind::Knockout | EventKind::Teams | EventKind::Match | EventKind::Unknown => {
                vec![TieBreak::Wins]
            }
        }
    }
}

/// A player in a table.
#[derive(Clone, Debug)]
pub struct CrosstableRow {
    /// The name.
    pub name: Box<str>,
    /// The team, if there are any.
    pub team: Option<Box<str>>,
    /// The rank, from 1; players still tied share it.
    pub rank: usize,
    /// The rating in most of the games; 0 for none.
    pub elo: u16,
    /// The ratings in the games, with their numbers of games.
    pub ratings: BTreeMap<u16, u32>,
    /// The games.
    pub results: Vec<CrosstableResult>,
    /// The score, in halves.
    pub half_points: u32,
    /// Won games.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Lost games.
    pub losses: u32,
    /// The sum of the opponents' scores, in halves.
    pub buchholz: u32,
    /// The Sonneborn-Berger score, in quarters.
    pub sonneborn_berger: u32,
    /// The score against those with the same score, in halves.
    pub direct: u32,
    /// The sum of the scores after each round, in halves.
    pub progressive: u32,
    /// The mean rating of the opponents that have one.
    pub opponents: Option<u16>,
    /// The performance: the rating that the score against these opponents corresponds to.
    pub performance: Option<i32>,
    /// The change of the rating, in hundredths.
    pub change: Option<i64>,
}

impl CrosstableRow {
    pub(super) fn new(name: &str) -> CrosstableRow {
        CrosstableRow {
            name: name.into(),
            team: None,
            rank: 0,
            elo: 0,
            ratings: BTreeMap::new(),
            results: Vec::new(),
            half_points: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            buchholz: 0,
            sonneborn_berger: 0,
            direct: 0,
            progressive: 0,
            opponents: None,
            performance: None,
            change: None,
        }
    }

    pub(super) fn sees_rating(&mut self, elo: u16) {
        if elo > 0 {
            *self.ratings.entry(elo).or_default() += 1;
        }
    }

    /// Games with a result.
    #[must_use]
    pub fn finished(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The value of a tie-break, in quarters.
    #[must_use]
    pub fn quarters(&self, tie_break: TieBreak) -> u32 {
        match tie_break {
            TieBreak::Buchholz => 2 * self.buchholz,
            TieBreak::SonnebornBerger => self.sonneborn_berger,
            TieBreak::Wins => 4 * self.wins,
            TieBreak::DirectEncounter => 2 * self.direct,
            TieBreak::Progressive => self.progressive.saturating_mul(2),
        }
    }

    fn count(&mut self) {
        for result in &self.results {
            match result.half_points {
                Some(2) => self.wins += 1,
                Some(1) => self.draws += 1,
                Some(_) => self.losses += 1,
                None => {}
            }
        }
        self.half_points = 2 * self.wins + self.draws;
        let most = self
            .ratings
            .iter()
            .max_by_key(|(elo, games)| (**games, **elo));
        self.elo = most.map_or(0, |(elo, _)| *elo);
    }
}

impl CrosstableRow {
    /// The number of each result's round: that of its place where a round has none.
    fn result_rounds(&self) -> impl Iterator<Item = u32> {
        let is_numbered = self
            .results
            .iter()
            .all(|result| round_number(&result.round).is_some());
        let results = self.results.iter().zip(1..);
        results.map(move |(result, place)| {
            let number = round_number(&result.round).filter(|_| is_numbered);
            number.unwrap_or(place)
        })
    }

    /// The last of the rounds.
    fn rounds(&self) -> u32 {
        self.result_rounds().max().unwrap_or(0)
    }

    /// The sum of the scores after each of so many rounds: a point of the first one counts as often as there are rounds.
    fn summed_up(&self, rounds: u32) -> u32 {
        let results = self.result_rounds().zip(&self.results);
        let worth = results.map(|(round, result)| {
            let times = rounds.saturating_sub(round).saturating_add(1);
            result.half_points.unwrap_or(0).saturating_mul(times)
        });
        worth.fold(0, u32::saturating_add)
    }
}

/// What of a player the others' figures rest on.
struct OpponentFigures {
    half_points: u32,
    elo: u16,
}

/// Counts, and puts the players into order; opponents are then known by their new places.
pub(super) fn rank(
    mut players: Vec<CrosstableRow>,
    kind: EventKind,
    tie_breaks: &[TieBreak],
    coefficient: Option<u32>,
    began: Option<Date>,
) -> Vec<CrosstableRow> {
    let is_unlimited = began.is_some_and(|date| {
        (date.year, date.month.unwrap_or(0)) >= (Some(UNLIMITED_SINCE.0), UNLIMITED_SINCE.1)
    });
    players.iter_mut().for_each(CrosstableRow::count);
    let rounds = players.iter().map(CrosstableRow::rounds).max().unwrap_or(0);
    for player in &mut players {
        player.progressive = player.summed_up(rounds);
    }
    let known: Vec<OpponentFigures> = players
        .iter()
        .map(|player| OpponentFigures {
            half_points: player.half_points,
            elo: player.elo,
        })
        .collect();
    for player in &mut players {
        judge(player, &known, coefficient, is_unlimited);
    }
    // In a knock-out those who came further stand above, whatever the points.
    let stages = |player: &CrosstableRow| match kind {
        EventKind::Knockout => {
            let opponents = player.results.iter().map(|result| result.opponent);
            opponents.collect::<BTreeSet<usize>>().len()
        }
        _ => 0,
    };
    let key = |player: &CrosstableRow| {
        let parted = tie_breaks
            .iter()
            .map(|tie_break| player.quarters(*tie_break));
        (
            stages(player),
            player.half_points,
            parted.collect::<Vec<u32>>(),
        )
    };
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_cached_key(|at| {
        let player = players.get(*at);
        let name = player.map_or("", |player| &player.name);
        (
            Reverse(player.map(key)),
            Reverse(player.map_or(0, |player| player.elo)),
            name.to_owned(),
        )
    });
    let mut places = vec![0; players.len()];
    for (place, at) in order.iter().enumerate() {
        if let Some(slot) = places.get_mut(*at) {
            *slot = place;
        }
    }
    let mut slots: Vec<Option<CrosstableRow>> = players.into_iter().map(Some).collect();
    let mut ranked: Vec<CrosstableRow> = Vec::with_capacity(slots.len());
    for at in order {
        let Some(mut player) = slots.get_mut(at).and_then(Option::take) else {
            continue;
        };
        for result in &mut player.results {
            result.opponent = places.get(result.opponent).copied().unwrap_or(0);
        }
        player.rank = match ranked.last() {
            Some(before) if key(before) == key(&player) => before.rank,
            _ => ranked.len() + 1,
        };
        ranked.push(player);
    }
    ranked
}

/// The year and month since which differences of ratings have no limit for the strongest.
const UNLIMITED_SINCE: (u16, u8) = (2025, 10);

/// Who the strongest are.
const UNLIMITED_FROM: u16 = 2650;

fn judge(
    player: &mut CrosstableRow,
    known: &[OpponentFigures],
    coefficient: Option<u32>,
    is_unlimited: bool,
) {
    let expected = match is_unlimited && player.elo >= UNLIMITED_FROM {
        true => performance::expected_unlimited,
        false => performance::expected,
    };
    let (mut elos, mut rated, mut rated_points) = (0_u64, 0_u64, 0_u64);
    let mut change = 0_i64;
    for result in &player.results {
        let (Some(points), Some(opponent)) = (result.half_points, known.get(result.opponent))
        else {
            continue;
        };
        player.buchholz += opponent.half_points;
        player.sonneborn_berger += points * opponent.half_points;
        if opponent.half_points == player.half_points {
            player.direct += points;
        }
        // What was not played says nothing of strength.
        if opponent.elo > 0 && !result.is_forfeit {
            rated += 1;
            elos += u64::from(opponent.elo);
            rated_points += u64::from(points);
            if player.elo > 0 {
                let expected = expected(player.elo, opponent.elo);
                change += i64::from(points) * 50 - i64::from(expected);
            }
        }
    }
    if rated == 0 {
        return;
    }
    // Halves go up.
    let mean = (2 * elos + rated) / (2 * rated);
    let mean = u16::try_from(mean).unwrap_or(u16::MAX);
    player.opponents = Some(mean);
    let difference = performance::difference(rated_points, rated);
    player.performance = Some(i32::from(mean) + difference);
    if player.elo > 0 {
        let usual = if player.elo >= 2400 { 10 } else { 20 };
        player.change = Some(change * i64::from(coefficient.unwrap_or(usual)));
    }
}
