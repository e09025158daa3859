//! What an index of positions says about a term, before any game is looked at.

use shakmaty::Color;
use tabiya_model::positions::{Men as ByteMen, PositionLookup};

use crate::position::{Placement, PositionAtom, PositionExpr};
use crate::query::{Ask, Query, Term, WalkTerm};

/// The number of each of [`crate::position::Men`] in [`ByteMen`].
const NUMBERS: [u8; 12] = [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14];

/// The games that may answer a term with yes.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) term: usize,
    /// A bit for each game.
    games: Vec<u64>,
    /// Whether all of them do, but those of which the index knows no end.
    exact: bool,
    /// Games that were damaged when the index was made: rising numbers.
    damaged: Vec<u64>,
    /// Whether the query holds for no other game.
    pub(crate) decides: bool,
}

/// The placement that a term is about, and the side to move, where an index of positions can answer it.
fn placement(walk: &WalkTerm) -> Option<(&Placement, Color)> {
    match &walk.ask {
        Ask::Somewhere {
            expr: PositionExpr::Atom(PositionAtom::Placement(placement)),
            lasting: 1,
            ..
        } => Some((placement, placement.turn?)),
        _ => None,
    }
}

impl Query {
    /// Whether an index of positions would help to answer.
    pub fn asks_for_positions(&self) -> bool {
        let is_listed = |term: &Term| matches!(term, Term::Walk(walk) if placement(walk).is_some());
        self.terms.iter().any(is_listed)
    }
}

impl Listing {
    /// Asks an index about each term that it can answer, for a database of so many games.
    pub(crate) fn all(query: &Query, lookup: &dyn PositionLookup, games: u64) -> Vec<Listing> {
        let terms = query.terms.iter().enumerate();
        terms
            .filter_map(|(index, term)| match term {
                Term::Walk(walk) => Listing::new(query, index, walk, lookup, games),
                Term::Field(_) => None,
            })
            .collect()
    }

    fn new(
        query: &Query,
        term: usize,
        walk: &WalkTerm,
        lookup: &dyn PositionLookup,
        games: u64,
    ) -> Option<Listing> {
        let (placement, turn) = placement(walk)?;
        let Ask::Somewhere { plies, numbers, .. } = &walk.ask else {
            return None;
        };
        let mut men = ByteMen([0; 64]);
        for (number, set) in NUMBERS.iter().zip(placement.men) {
            for (square, man) in men.0.iter_mut().enumerate() {
                if set >> square & 1 != 0 {
                    *man = *number;
                }
            }
        }
        let listed = lookup.games(&men, turn, walk.variations)?;
        let words = usize::try_from(games / 64 + 1).ok()?;
        let mut bits = vec![0_u64; words];
        for game in &listed.games {
            let word = usize::try_from(game / 64).ok();
            if let Some(word) = word.and_then(|word| bits.get_mut(word)) {
                *word |= 1 << (game % 64);
            }
        }
        let mut known = vec![None; query.terms.len()];
        known[term] = Some(false);
        let anywhere = *plies == (0, u32::MAX) && *numbers == (0, u32::MAX);
        let anyhow = placement.castling.is_none() && placement.en_passant.is_none();
        Some(Listing {
            term,
            games: bits,
            exact: listed.exact && anywhere && anyhow,
            damaged: lookup.damaged().to_vec(),
            decides: query.verdict(&known) == Some(false),
        })
    }

    /// Whether the term does not hold for a game.
    #[inline]
    pub(crate) fn excludes(&self, number: u64) -> bool {
        let word = usize::try_from(number / 64).unwrap_or(usize::MAX);
        self.games
            .get(word)
            .is_some_and(|word| word >> (number % 64) & 1 == 0)
            && self.damaged.binary_search(&number).is_err()
    }

    /// Whether the term holds, as far as the index knows; where it holds first is not asked.
    pub(crate) fn decide(&self, number: u64) -> Option<bool> {
        if self.excludes(number) {
            return Some(false);
        }
        let known = self.exact && self.damaged.binary_search(&number).is_err();
        known.then_some(true)
    }
}
