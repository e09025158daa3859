//! Groups of duplicates: each game joins one that has all of its moves, and one game of each group is kept.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use tabiya_model::Result;

use super::KeepCriterion;
use super::line_hashes::{DedupeFacts, EARLY};
use super::rows::DedupeRow;

/// Of the games with the same moves and like players, so many that are not the same are compared with each other.
const OTHERS: usize = 64;

/// A game that may have duplicates.
#[derive(Copy, Clone, Debug)]
pub(super) struct DedupeCandidate {
    /// Which game, counted through all bases from 0.
    pub(super) game: u32,
    pub(super) card: DedupeFacts,
}

/// Says whether two games, of which the second has all moves of the first, are one.
pub(super) type SameGameTest<'j> =
    dyn FnMut(&DedupeCandidate, &DedupeCandidate) -> Result<bool> + 'j;

/// Two games that are one, as places among the candidates.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct CandidatePair {
    pub(super) keep: usize,
    pub(super) drop: usize,
}

/// Games whose beginnings have to be looked at.
#[derive(Default)]
pub(super) struct BeginningsRequest {
    /// Which, rising, as places among the candidates.
    pub(super) games: Vec<usize>,
    /// Of each, the lengths that other games have.
    pub(super) lengths: Vec<Arc<[u32]>>,
}

/// Candidates, and which of them are one.
pub(super) struct DuplicateClusters {
    candidates: Vec<DedupeCandidate>,
    /// The game that each has joined: itself, or one with all of its moves.
    joined: Vec<usize>,
    /// Places among the candidates, those of like players in a row.
    groups: Vec<Vec<usize>>,
}

impl DuplicateClusters {
    /// Candidates in the order of their numbers, and their rows in the order of their keys.
    pub(super) fn new(candidates: Vec<DedupeCandidate>, rows: &[DedupeRow]) -> DuplicateClusters {
        let place = |row: &DedupeRow| {
            let place = candidates.binary_search_by_key(&row.game, |candidate| candidate.game);
            place.ok()
        };
        let mut groups: Vec<Vec<usize>> = rows
            .chunk_by(|one, two| one.key == two.key)
            .filter(|group| group.len() > 1)
            .map(|group| group.iter().filter_map(place).collect())
            .collect();
        // Keys are drawn anew for each run. Where more games are alike than are compared, the order decides, and it is to decide
        // in the same way each time.
        groups.sort_unstable();
        DuplicateClusters {
            joined: (0..candidates.len()).collect(),
            candidates,
            groups,
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<&DedupeCandidate> {
        self.candidates.get(at)
    }

    /// The game that one has joined in the end.
    fn root(&self, mut at: usize) -> usize {
        // Each step leads to a longer game, or to an earlier one of the same length.
        while let Some(next) = self.joined.get(at).copied()
            && next != at
        {
            at = next;
        }
        at
    }

    fn join(&mut self, at: usize, to: usize) {
        let to = self.root(to);
        if at != to
            && let Some(joined) = self.joined.get_mut(at)
        {
            *joined = to;
        }
    }

    fn is_free(&self, at: usize) -> bool {
        self.joined.get(at) == Some(&at)
    }

    fn card(&self, at: usize) -> Option<&DedupeFacts> {
        let candidate = self.candidates.get(at)?;
        candidate.card.is_whole.then_some(&candidate.card)
    }

    /// Joins games with the same moves.
    pub(super) fn join_same(&mut self, judge: &mut SameGameTest<'_>) -> Result<()> {
        let mut groups = std::mem::take(&mut self.groups);
        for group in &mut groups {
            group.retain(|at| self.card(*at).is_some());
            group.sort_unstable_by_key(|at| {
                let card = self.card(*at);
                (card.map(|card| (card.plies, card.line)), *at)
            });
            let line = |at: &usize| self.card(*at).map(|card| (card.plies, card.line));
            let runs: Vec<usize> = group
                .chunk_by(|one, two| line(one) == line(two))
                .map(<[usize]>::len)
                .collect();
            let mut rest = group.as_slice();
            for length in runs {
                let Some((run, more)) = rest.split_at_checked(length) else {
                    break;
                };
                rest = more;
                self.join_run(run, judge)?;
            }
            group.retain(|at| self.is_free(*at));
        }
        groups.retain(|group| group.len() > 1);
        self.groups = groups;
        Ok(())
    }

    fn join_run(&mut self, run: &[usize], judge: &mut SameGameTest<'_>) -> Result<()> {
        let mut others: Vec<usize> = Vec::new();
        for &at in run {
            if !self.is_free(at) {
                continue;
            }
            let mut found = None;
            for &other in others.iter().rev().take(OTHERS) {
                if let (Some(one), Some(two)) = (self.get(at), self.get(other))
                    && judge(one, two)?
                {
                    found = Some(other);
                    break;
                }
            }
            match found {
                Some(other) if self.root(other) != at => self.join(at, other),
                Some(_) => {}
                None => others.push(at),
            }
        }
        Ok(())
    }

    /// What has to be known of games in whose beginnings others may be contained.
    pub(super) fn ask(&self) -> BeginningsRequest {
        let mut lengths: HashMap<usize, Arc<[u32]>> = HashMap::new();
        for group in &self.groups {
            let mut by_early: HashMap<u64, Vec<usize>> = HashMap::new();
            for &at in group {
                if let Some(card) = self.card(at).filter(|card| card.plies >= EARLY) {
                    by_early.entry(card.early).or_default().push(at);
                }
            }
            for alike in by_early.values().filter(|alike| alike.len() > 1) {
                let plies = |at: &usize| self.card(*at).map(|card| card.plies);
                let mut all: Vec<u32> = alike.iter().filter_map(plies).collect();
                all.sort_unstable();
                all.dedup();
                if all.len() < 2 {
                    continue;
                }
                let shared: Arc<[u32]> = all.into();
                let shortest = shared.first().copied();
                for &at in alike.iter().filter(|at| plies(at) > shortest) {
                    match lengths.entry(at) {
                        std::collections::hash_map::Entry::Vacant(slot) => {
                            slot.insert(Arc::clone(&shared));
                        }
                        std::collections::hash_map::Entry::Occupied(mut slot) => {
                            // It stands in the groups of several keys.
                            let mut both: Vec<u32> = slot.get().to_vec();
                            both.extend(shared.iter());
                            both.sort_unstable();
                            both.dedup();
                            slot.insert(both.into());
                        }
                    }
                }
            }
        }
        let mut lengths: Vec<(usize, Arc<[u32]>)> = lengths.into_iter().collect();
        lengths.sort_unstable_by_key(|(at, _)| *at);
        let (games, lengths) = lengths.into_iter().unzip();
        BeginningsRequest { games, lengths }
    }

    /// Joins games with those that begin with them, the longest that there is. `beginnings` has the numbers of the
    /// beginnings that were asked for.
    pub(super) fn join_contained(
        &mut self,
        beginnings: &HashMap<usize, Vec<(u32, u64)>>,
        judge: &mut SameGameTest<'_>,
    ) -> Result<()> {
        let groups = std::mem::take(&mut self.groups);
        for group in &groups {
            let mut by_line: HashMap<(u32, u64), Vec<usize>> = HashMap::new();
            for &at in group {
                if let Some(card) = self.card(at) {
                    by_line.entry((card.plies, card.line)).or_default().push(at);
                }
            }
            let mut long: Vec<usize> = group.clone();
            long.sort_by_key(|at| (Reverse(self.card(*at).map(|card| card.plies)), *at));
            for &at in &long {
                let plies = self.card(at).map_or(0, |card| card.plies);
                for beginning in beginnings.get(&at).into_iter().flatten() {
                    if beginning.0 >= plies {
                        continue;
                    }
                    let shorter = by_line.get(beginning).into_iter().flatten();
                    for &short in shorter.take(OTHERS) {
                        if self.is_free(short)
                            && let (Some(one), Some(two)) = (self.get(short), self.get(at))
                            && judge(one, two)?
                        {
                            self.join(short, at);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The duplicates: each game that goes with the one of its like that stays, in the order of those that go.
    pub(super) fn duplicates(&self, keep: KeepCriterion) -> Vec<CandidatePair> {
        let roots: Vec<usize> = (0..self.joined.len()).map(|at| self.root(at)).collect();
        let mut best: HashMap<usize, usize> = HashMap::new();
        for (at, root) in roots.iter().enumerate() {
            if at != *root {
                for at in [*root, at] {
                    let stays = best.entry(*root).or_insert(at);
                    if self.worth(at, keep) > self.worth(*stays, keep) {
                        *stays = at;
                    }
                }
            }
        }
        let pairs = roots.iter().enumerate().filter_map(|(at, root)| {
            let keep = *best.get(root)?;
            (keep != at).then_some(CandidatePair { keep, drop: at })
        });
        pairs.collect()
    }

    /// What a game is worth: the greater stays.
    fn worth(&self, at: usize, keep: KeepCriterion) -> impl Ord + use<> {
        let card = self.candidates.get(at).map(|candidate| candidate.card);
        let number = |count: Option<u32>| i64::from(count.unwrap_or(0));
        let moves = number(card.map(|card| card.plies));
        let notes = number(card.map(|card| card.notes));
        let elos = card.map_or(0, |card| card.elos.iter().filter(|elo| **elo > 0).count());
        let elos = i64::try_from(elos).unwrap_or(0);
        let place = i64::try_from(at).unwrap_or(i64::MAX);
        let first = match keep {
            KeepCriterion::Moves => moves,
            KeepCriterion::Annotations => notes,
            KeepCriterion::Elo => elos,
            KeepCriterion::Newest => place,
            KeepCriterion::First => -place,
        };
        (first, moves, notes, elos, -place)
    }
}
