//! The kinds of events.

use std::collections::{BTreeMap, BTreeSet};

/// How an event is played.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// Round-robin: everybody against everybody, this number of times.
    RoundRobin(u32),
    /// Swiss: rounds in which players with equal scores meet.
    Swiss,
    /// Knockout: the loser is out.
    Knockout,
    /// Two teams or more, of several players each.
    Teams,
    /// Two players.
    Match,
    /// Unknown: all games are of one player.
    Unknown,
}

impl EventKind {
    /// The names by which a kind is chosen.
    pub const NAMES: [&'static str; 5] = ["all-play-all", "swiss", "knock-out", "teams", "match"];

    /// The kind of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<EventKind> {
        Some(match name {
            "all-play-all" => EventKind::RoundRobin(1),
            "swiss" => EventKind::Swiss,
            "knock-out" => EventKind::Knockout,
            "teams" => EventKind::Teams,
            "match" => EventKind::Match,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EventKind::RoundRobin(_) => "all-play-all",
            EventKind::Swiss => "swiss",
            EventKind::Knockout => "knock-out",
            EventKind::Teams => "teams",
            EventKind::Match => "match",
            EventKind::Unknown => "unknown",
        }
    }
}

/// Who met whom, and how often: the lower place first.
pub(super) type MeetingCounts = BTreeMap<(usize, usize), u32>;

/// How often most pairs met.
pub(super) fn usual(meetings: &MeetingCounts) -> u32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for games in meetings.values() {
        *counts.entry(*games).or_default() += 1;
    }
    let most = counts
        .into_iter()
        .max_by_key(|(games, pairs)| (*pairs, *games));
    most.map_or(1, |(games, _)| games)
}

/// The rounds beyond which there is no Swiss.
const LONGEST_SWISS: usize = 11;
/// The most games of a pair where all play all.
const MOST_TIMES: u32 = 8;

/// The kind of an event with so many players, by who met whom, and by the number of the last round where all rounds have
/// numbers.
pub(super) fn recognise(
    players: usize,
    meetings: &MeetingCounts,
    teams: bool,
    rounds: Option<u32>,
) -> EventKind {
    let pairs = meetings.len();
    if teams && players > 2 {
        return EventKind::Teams;
    }
    if players <= 2 {
        return EventKind::Match;
    }
    if only_player(meetings).is_some() {
        return EventKind::Unknown;
    }
    let all_pairs = players * (players - 1) / 2;
    // Three quarters of all pairs: a tournament that lacks some games.
    if pairs * 4 >= all_pairs * 3 {
        return EventKind::RoundRobin(usual(meetings));
    }
    if is_scheveningen(players, meetings) {
        return EventKind::Teams;
    }
    if let Some(times) = rounds.and_then(|rounds| times_of(players, rounds, meetings)) {
        return EventKind::RoundRobin(times);
    }
    if players >= 4 && is_without_circles(players, meetings) {
        return EventKind::Knockout;
    }
    EventKind::Swiss
}

/// The player who is in every meeting, where several others are.
pub(super) fn only_player(meetings: &MeetingCounts) -> Option<usize> {
    let (&(one, other), _) = meetings.first_key_value()?;
    if meetings.len() < 2 {
        return None;
    }
    let is_in_all = |player: &usize| {
        let mut pairs = meetings.keys();
        pairs.all(|(one, other)| one == player || other == player)
    };
    [one, other].into_iter().find(is_in_all)
}

/// How often everybody was to meet everybody, where there are just as many rounds as that takes, nobody met anybody more often,
/// and not too many games are missing.
fn times_of(players: usize, rounds: u32, meetings: &MeetingCounts) -> Option<u32> {
    // Where the players are odd, one has no game in each round.
    let each = u32::try_from(players - 1 + players % 2).ok()?;
    let others = u32::try_from(players - 1).ok()?;
    let takes = |times: &u32| rounds == times * each || rounds == times * others;
    let times = (1..=MOST_TIMES).find(takes)?;
    if meetings.values().any(|games| *games > times) {
        return None;
    }
    let (pairs, all) = (meetings.len(), players * (players - 1) / 2);
    let is_long = players - 1 > LONGEST_SWISS && pairs * 3 >= all;
    (players >= 5 && (pairs * 5 >= all * 2 || is_long)).then_some(times)
}

/// Whether two sides of at least two players each met, everybody of one against everybody of the other.
fn is_scheveningen(players: usize, meetings: &MeetingCounts) -> bool {
    let Some((one, other)) = sides(players, meetings) else {
        return false;
    };
    one.len() >= 2 && other.len() >= 2 && meetings.len() == one.len() * other.len()
}

/// The two sides of which nobody met anybody of his own; nothing where there are none, or where the games do not connect them all.
pub(super) fn sides(
    players: usize,
    meetings: &MeetingCounts,
) -> Option<(BTreeSet<usize>, BTreeSet<usize>)> {
    let mut met = vec![Vec::new(); players];
    for (one, other) in meetings.keys() {
        met.get_mut(*one)?.push(*other);
        met.get_mut(*other)?.push(*one);
    }
    let mut side = vec![None; players];
    let mut waiting = vec![(0, false)];
    while let Some((player, at)) = waiting.pop() {
        match side.get_mut(player)? {
            Some(known) if *known != at => return None,
            Some(_) => continue,
            none => *none = Some(at),
        }
        waiting.extend(met.get(player)?.iter().map(|other| (*other, !at)));
    }
    let (mut one, mut other) = (BTreeSet::new(), BTreeSet::new());
    for (player, side) in side.into_iter().enumerate() {
        match side? {
            false => one.insert(player),
            true => other.insert(player),
        };
    }
    Some((one, other))
}

/// Whether the meetings form trees, and somebody met more than one opponent: after each meeting one is out.
fn is_without_circles(players: usize, meetings: &MeetingCounts) -> bool {
    let mut root: Vec<usize> = (0..players).collect();
    let mut opponents = vec![0_usize; players];
    for (one, other) in meetings.keys() {
        let (a, b) = (find(&mut root, *one), find(&mut root, *other));
        if a == b {
            return false;
        }
        if let Some(slot) = root.get_mut(a) {
            *slot = b;
        }
        for player in [one, other] {
            if let Some(count) = opponents.get_mut(*player) {
                *count += 1;
            }
        }
    }
    // A few games of a large event are no knock-out.
    let most = opponents.iter().max().copied().unwrap_or(0);
    let rounds = usize::try_from(players.ilog2()).unwrap_or(0) + 1;
    most >= 2 && most <= rounds && meetings.len() * 3 >= players * 2
}

fn find(root: &mut [usize], mut at: usize) -> usize {
    loop {
        let Some(&next) = root.get(at) else { return at };
        if next == at {
            return at;
        }
        let over = root.get(next).copied().unwrap_or(next);
        if let Some(slot) = root.get_mut(at) {
            *slot = over;
        }
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meetings(pairs: impl IntoIterator<Item = (usize, usize)>) -> MeetingCounts {
        let mut meetings = MeetingCounts::new();
        for (one, other) in pairs {
            *meetings
                .entry((one.min(other), one.max(other)))
                .or_default() += 1;
        }
        meetings
    }

    fn all(players: usize, times: usize) -> MeetingCounts {
        let pairs = (0..players).flat_map(|one| (0..one).map(move |other| (one, other)));
        meetings(pairs.flat_map(|pair| std::iter::repeat_n(pair, times)))
    }

    #[test]
    fn each_kind_is_seen_by_who_met_whom() {
        assert_eq!(
            recognise(2, &meetings([(0, 1), (1, 0)]), false, None),
            EventKind::Match
        );
        assert_eq!(
            recognise(6, &all(6, 1), false, None),
            EventKind::RoundRobin(1)
        );
        assert_eq!(
            recognise(5, &all(5, 2), false, None),
            EventKind::RoundRobin(2)
        );
        let mut gap = all(10, 1);
        gap.remove(&(0, 9));
        assert_eq!(recognise(10, &gap, false, None), EventKind::RoundRobin(1));
        let sides = (0..4).flat_map(|one| (4..8).map(move |other| (one, other)));
        assert_eq!(
            recognise(8, &meetings(sides), false, None),
            EventKind::Teams
        );
        assert_eq!(recognise(6, &all(6, 1), true, None), EventKind::Teams);
        let out = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (0, 4)];
        assert_eq!(
            recognise(8, &meetings(out), false, None),
            EventKind::Knockout
        );
        let rounds = (1..4).flat_map(|round| (0..20).map(move |one| (one, (one + round) % 20)));
        assert_eq!(
            recognise(20, &meetings(rounds), false, None),
            EventKind::Swiss
        );
    }

    #[test]
    fn all_play_all_is_seen_where_games_are_missing() {
        // Every second pair of ten players met, in nine rounds.
        let mut kept = false;
        let mut half = all(10, 1);
        half.retain(|_, _| {
            kept = !kept;
            kept
        });
        assert_eq!(
            recognise(10, &half, false, Some(9)),
            EventKind::RoundRobin(1)
        );
        // In fewer rounds not everybody can have met, and in another number of them it is unknown.
        for rounds in [None, Some(7), Some(8), Some(11)] {
            assert_eq!(
                recognise(10, &half, false, rounds),
                EventKind::Swiss,
                "{rounds:?}"
            );
        }
        let mut twice = half.clone();
        twice.values_mut().for_each(|games| *games = 2);
        assert_eq!(
            recognise(10, &twice, false, Some(18)),
            EventKind::RoundRobin(2)
        );
        // A pair that met twice in nine rounds is not one of those who meet once.
        assert_eq!(recognise(10, &twice, false, Some(9)), EventKind::Swiss);
        // Nine players have nine rounds: one is free in each.
        let mut odd = all(9, 1);
        odd.retain(|(one, other), _| (one + other) % 2 == 1);
        odd.insert((0, 2), 1);
        assert_eq!(recognise(9, &odd, false, Some(9)), EventKind::RoundRobin(1));
    }

    #[test]
    fn the_games_of_one_player_tell_no_kind() {
        for players in 3..12 {
            let one = meetings((1..players).map(|other| (0, other)));
            let rounds = u32::try_from(players - 1).ok();
            assert_eq!(recognise(players, &one, false, rounds), EventKind::Unknown);
            assert_eq!(only_player(&one), Some(0));
        }
        assert_eq!(only_player(&all(3, 1)), None);
    }
}
