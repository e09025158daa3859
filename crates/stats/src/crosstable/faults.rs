//! Missing, duplicate and contradictory games of an event.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;

use super::collector::{CrosstableGame, CrosstableGames};
use super::{CrosstableRow, EventKind, kind, round_number};

/// How many faults of one kind are named.
const NAMED: usize = 200;
/// Ratings of one player that differ by more are not of one event.
const RATINGS: u16 = 100;

/// Players of an event in which everybody should have met everybody, at most: beyond, nobody asks for each pair.
const MOST_PLAYERS: usize = 200;

/// A fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrosstableFault {
    /// Its kind.
    pub what: CrosstableFaultKind,
    /// A description.
    pub message: String,
    /// The games, by the index of their base and their number.
    pub games: Vec<(usize, u64)>,
}

/// The kinds of faults.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CrosstableFaultKind {
    /// A duplicate; it counts once.
    Duplicate,
    /// Games that contradict each other.
    Contradictory,
    /// Games that should be there.
    Missing,
    /// A game without a result.
    Unfinished,
}

impl CrosstableFaultKind {
    /// Its name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CrosstableFaultKind::Duplicate => "doubled",
            CrosstableFaultKind::Contradictory => "contradictory",
            CrosstableFaultKind::Missing => "missing",
            CrosstableFaultKind::Unfinished => "unfinished",
        }
    }
}

impl fmt::Display for CrosstableFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what.name(), self.message)
    }
}

/// No more than can be read, and how many there are beside them.
fn few(mut faults: Vec<CrosstableFault>) -> Vec<CrosstableFault> {
    let more = faults.len().saturating_sub(NAMED);
    if let Some(first) = faults.first().filter(|_| more > 0) {
        let what = first.what;
        faults.truncate(NAMED);
        faults.push(CrosstableFault {
            what,
            message: format!("{more} more of this kind"),
            games: Vec::new(),
        });
    }
    faults
}

/// The games that count, and what was found among all.
pub(super) fn sift<'g>(
    gathered: &CrosstableGames,
    games: Vec<(usize, &'g CrosstableGame)>,
) -> (Vec<(usize, &'g CrosstableGame)>, Vec<CrosstableFault>) {
    type Meeting = ([u32; 2], u32, Date);
    let mut met: HashMap<Meeting, Vec<&CrosstableGame>> = HashMap::new();
    let (mut doubled, mut contradictory, mut unfinished) = (Vec::new(), Vec::new(), Vec::new());
    let mut kept = Vec::new();
    for (place, game) in games {
        let [white, black] = gathered.players(game);
        let round = gathered.name(game.round);
        let names = format!("{white} - {black}");
        let at = (game.base, game.number);
        if game.players[0] == game.players[1] {
            contradictory.push(CrosstableFault {
                what: CrosstableFaultKind::Contradictory,
                message: format!("{white} has both sides; the game does not count"),
                games: vec![at],
            });
            continue;
        }
        if round_number(round).is_some() {
            let before = met
                .entry((game.players, game.round, game.date))
                .or_default();
            let same = before.iter().find(|other| {
                other.outcome == game.outcome
                    && (other.plies == game.plies || other.plies.is_none() || game.plies.is_none())
            });
            if let Some(same) = same {
                doubled.push(CrosstableFault {
                    what: CrosstableFaultKind::Duplicate,
                    message: format!("{names} in round {round}; it counts once"),
                    games: vec![(same.base, same.number), at],
                });
                continue;
            }
            if let Some(other) = before.first().filter(|other| other.outcome != game.outcome) {
                contradictory.push(CrosstableFault {
                    what: CrosstableFaultKind::Contradictory,
                    message: format!(
                        "{names} in round {round}: {} and {}",
                        other.outcome.as_pgn(),
                        game.outcome.as_pgn()
                    ),
                    games: vec![(other.base, other.number), at],
                });
            }
            before.push(game);
        }
        if game.outcome == Outcome::Unknown {
            unfinished.push(CrosstableFault {
                what: CrosstableFaultKind::Unfinished,
                message: format!("{names} in round {round} has no result"),
                games: vec![at],
            });
        }
        kept.push((place, game));
    }
    let mut faults = few(doubled);
    faults.extend(few(contradictory));
    faults.extend(few(unfinished));
    (kept, faults)
}

/// Games that should be there, and rounds in which somebody has two opponents.
pub(super) fn missing(kind: EventKind, players: &[CrosstableRow]) -> Vec<CrosstableFault> {
    let mut faults = match kind {
        EventKind::RoundRobin(times) => few(missing_pairs(times, players)),
        EventKind::Swiss => few(missing_rounds(players)),
        EventKind::Knockout | EventKind::Teams | EventKind::Match | EventKind::Unknown => {
            Vec::new()
        }
    };
    if matches!(kind, EventKind::RoundRobin(_) | EventKind::Swiss) {
        faults.extend(few(two_opponents(players)));
    }
    faults
}

/// That the games of one player alone are there.
pub(super) fn only_one(players: &[CrosstableRow]) -> Option<CrosstableFault> {
    let only = players.iter().max_by_key(|player| player.results.len())?;
    Some(CrosstableFault {
        what: CrosstableFaultKind::Missing,
        message: format!(
            "only games of {} are here: the kind of event cannot be recognised",
            only.name
        ),
        games: Vec::new(),
    })
}

fn missing_pairs(times: u32, players: &[CrosstableRow]) -> Vec<CrosstableFault> {
    if players.len() > MOST_PLAYERS {
        return Vec::new();
    }
    let mut meetings = kind::MeetingCounts::new();
    for (at, player) in players.iter().enumerate() {
        for result in player.results.iter().filter(|result| result.opponent > at) {
            *meetings.entry((at, result.opponent)).or_default() += 1;
        }
    }
    let mut faults = Vec::new();
    for (at, player) in players.iter().enumerate() {
        for (other, opponent) in players.iter().enumerate().skip(at + 1) {
            let games = meetings.get(&(at, other)).copied().unwrap_or(0);
            if games < times {
                let count = match times - games {
                    1 => "a game".to_owned(),
                    count => format!("{count} games"),
                };
                faults.push(CrosstableFault {
                    what: CrosstableFaultKind::Missing,
                    message: format!("{count} between {} and {}", player.name, opponent.name),
                    games: Vec::new(),
                });
            }
        }
    }
    faults
}

fn missing_rounds(players: &[CrosstableRow]) -> Vec<CrosstableFault> {
    let rounds = |player: &CrosstableRow| -> Vec<u32> {
        let rounds = player.results.iter();
        let mut rounds: Vec<u32> = rounds.filter_map(|one| round_number(&one.round)).collect();
        rounds.sort_unstable();
        rounds.dedup();
        rounds
    };
    let mut present: BTreeMap<u32, usize> = BTreeMap::new();
    for round in players.iter().flat_map(rounds) {
        *present.entry(round).or_default() += 1;
    }
    let mut faults = Vec::new();
    for player in players {
        let own = rounds(player);
        let (Some(first), Some(last)) = (own.first(), own.last()) else {
            continue;
        };
        for (round, count) in present.range(first..=last) {
            // Of a round with few games, nobody's game is missing in particular.
            if *count * 2 >= players.len() && own.binary_search(round).is_err() {
                faults.push(CrosstableFault {
                    what: CrosstableFaultKind::Missing,
                    message: format!("a game of {} in round {round}", player.name),
                    games: Vec::new(),
                });
            }
        }
    }
    faults
}

fn two_opponents(players: &[CrosstableRow]) -> Vec<CrosstableFault> {
    let mut faults = Vec::new();
    for player in players {
        let mut first: BTreeMap<&str, &super::CrosstableResult> = BTreeMap::new();
        for result in &player.results {
            if round_number(&result.round).is_none() {
                continue;
            }
            let before = *first.entry(&result.round).or_insert(result);
            // Told once, with the one who has White in the second game.
            if before.opponent != result.opponent {
                faults.push(CrosstableFault {
                    what: CrosstableFaultKind::Contradictory,
                    message: format!(
                        "{} has two opponents in round {}",
                        player.name, result.round
                    ),
                    games: vec![(before.base, before.number), (result.base, result.number)],
                });
            }
        }
    }
    faults
}

/// Players whose games say ratings that are not of one event.
pub(super) fn ratings(players: &[CrosstableRow]) -> Vec<CrosstableFault> {
    let faults = players.iter().filter_map(|player| {
        let (least, most) = (
            player.ratings.keys().next().copied()?,
            player.ratings.keys().next_back().copied()?,
        );
        (most - least > RATINGS).then(|| CrosstableFault {
            what: CrosstableFaultKind::Contradictory,
            message: format!("{} is rated {least} and {most}", player.name),
            games: Vec::new(),
        })
    });
    few(faults.collect())
}
