//! Which games are taken: by a query, each once, by their place among the matches, and in which order.

use std::ops::Range;

use super::duplicates::DuplicateCriterion;
use crate::open::base::Base;
use crate::select::game_order::GameOrder;
use crate::select::selection::Selection;

/// Which games are taken, in the order of the fields. Games that are chosen but not taken go to the rest; games that are
/// left out by their mark of deletion or by their result go nowhere.
#[derive(Clone, Default, Debug)]
pub struct ConvertSelection {
    /// The games to choose from.
    pub games: Selection,
    /// Each game once.
    pub unique: Option<DuplicateCriterion>,
    /// With [`ConvertSelection::unique`]: games that are in these bases count as duplicates.
    pub known: Vec<Base>,
    /// The order in which they are taken.
    pub sort: Option<GameOrder>,
    /// Only those at these places among the remaining ones, from 1, end excluded.
    pub only: Vec<Range<u64>>,
    /// Not those at these places.
    pub without: Vec<Range<u64>>,
    /// Of these, every Nth.
    pub every: Option<u64>,
    /// The first N.
    pub first: Option<u64>,
    /// The last N.
    pub last: Option<u64>,
    /// A random sample of N, with its seed.
    pub sample: Option<(u64, u64)>,
}

impl ConvertSelection {
    /// Whether a game can be judged without those before it.
    pub(super) fn is_by_game(&self) -> bool {
        self.unique.is_none() && !self.is_by_place() && !self.needs_all()
    }

    fn is_by_place(&self) -> bool {
        !self.only.is_empty()
            || !self.without.is_empty()
            || self.every.is_some()
            || self.first.is_some()
    }

    /// Whether all games have to be looked at before the first is taken.
    pub(super) fn needs_all(&self) -> bool {
        self.sort.is_some() || self.last.is_some() || self.sample.is_some()
    }

    /// What picks by places.
    pub(super) fn picker(&self) -> GamePicker<'_> {
        GamePicker {
            choose: self,
            place: 0,
            left: 0,
            taken: 0,
        }
    }
}

/// What becomes of a game at its place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum PickDecision {
    /// It is taken.
    Yes,
    /// It is not taken.
    No,
    /// Neither it is taken, nor any after it.
    End,
}

/// Picks games by their places.
pub(super) struct GamePicker<'c> {
    choose: &'c ConvertSelection,
    place: u64,
    left: u64,
    taken: u64,
}

impl GamePicker<'_> {
    /// Looks at the next game.
    pub(super) fn next(&mut self) -> PickDecision {
        let choose = self.choose;
        if choose.first.is_some_and(|first| self.taken >= first) {
            return PickDecision::End;
        }
        self.place += 1;
        let place = self.place;
        let only = &choose.only;
        if !only.is_empty() && only.iter().all(|range| range.end <= place) {
            return PickDecision::End;
        }
        let is_in = |ranges: &[Range<u64>]| ranges.iter().any(|range| range.contains(&place));
        if !only.is_empty() && !is_in(only) || is_in(&choose.without) {
            return PickDecision::No;
        }
        self.left += 1;
        let every = choose.every.unwrap_or(1).max(1);
        if !(self.left - 1).is_multiple_of(every) {
            return PickDecision::No;
        }
        self.taken += 1;
        PickDecision::Yes
    }

    /// Whether no game that comes can be taken any more.
    pub(super) fn is_done(&self) -> bool {
        self.choose.first.is_some_and(|first| self.taken >= first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(choose: &ConvertSelection, all: u64) -> Vec<u64> {
        let mut picker = choose.picker();
        (1..=all)
            .filter(|_| picker.next() == PickDecision::Yes)
            .collect()
    }

    #[test]
    fn places_are_counted_one_after_another() {
        let base = ConvertSelection::default();
        let every = ConvertSelection {
            every: Some(3),
            ..base.clone()
        };
        assert_eq!(picked(&every, 10), [1, 4, 7, 10]);
        let first = ConvertSelection {
            first: Some(2),
            ..every.clone()
        };
        assert_eq!(picked(&first, 10), [1, 4]);
        let only = ConvertSelection {
            only: vec![2..4, 7..9],
            ..base.clone()
        };
        assert_eq!(picked(&only, 10), [2, 3, 7, 8]);
        let without = ConvertSelection {
            without: vec![1..4, 4..8],
            every: Some(2),
            ..base
        };
        assert_eq!(picked(&without, 11), [8, 10]);
    }
}
