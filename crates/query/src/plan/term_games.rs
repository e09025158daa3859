//! What an index of positions knows about a term, before any game is read.

use shakmaty::Color;
use tabiya_model::positions::{PiecePlacement, PositionLookup};

use crate::terms::fields::{FieldTerm, ReadDepth};
use crate::terms::position::{PlacementTest, PositionAtom, PositionExpr};
use crate::terms::query::{AnswerSource, Query, QueryTerm, WalkQuestion, WalkTerm};

/// The number of each of [`crate::terms::position::PiecePlacement`] in [`PiecePlacement`].
const NUMBERS: [u8; 12] = [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14];

/// The games that may answer a term with yes.
#[derive(Clone, Debug)]
pub(crate) struct TermGames {
    pub(crate) term: usize,
    /// The games of the list: rising numbers.
    games: Vec<u64>,
    /// A bit for each game up to the last of the list.
    bits: Vec<u64>,
    /// Whether all of them do, except those whose end the index does not know.
    exact: bool,
    /// Games that are read in any case: rising numbers.
    unsure: Vec<u64>,
    /// Whether the query holds for no other game.
    decides: bool,
    /// Whether the query holds whenever the term does.
    suffices: bool,
}

/// The games that have to be asked where an index says that no others count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CandidateGames {
    /// Their numbers, rising.
    pub(crate) games: Vec<u64>,
    /// How many more are hits without a look.
    pub(crate) sure: u64,
}

/// The placement that a term is about, and the side to move, where an index of positions can answer it.
fn placement(walk: &WalkTerm) -> Option<(&PlacementTest, Color)> {
    match &walk.ask {
        WalkQuestion::Somewhere { expr, .. } => placed(expr),
        WalkQuestion::Order(steps) => steps.iter().find_map(|step| placed(&step.expr)),
        WalkQuestion::Count { expr, low: 1.., .. } => placed(expr),
        _ => None,
    }
}

/// The placement without which a question about a position does not hold.
fn placed(expr: &PositionExpr) -> Option<(&PlacementTest, Color)> {
    match expr {
        PositionExpr::Atom(PositionAtom::Placement(placement)) => {
            Some((placement, placement.turn?))
        }
        PositionExpr::And(parts) => parts.iter().find_map(|part| match part {
            PositionExpr::Atom(_) => placed(part),
            _ => None,
        }),
        _ => None,
    }
}

/// Whether an index of positions helps with a term.
pub(crate) fn is_listed(walk: &WalkTerm) -> bool {
    placement(walk).is_some()
}

/// Whether a term says no more than that its placement stands somewhere.
fn is_all(walk: &WalkTerm) -> bool {
    match &walk.ask {
        WalkQuestion::Somewhere {
            expr: PositionExpr::Atom(PositionAtom::Placement(placement)),
            lasting: (1, u32::MAX),
            plies: (0, u32::MAX),
            numbers: (0, u32::MAX),
        } => placement.castling.is_none() && placement.en_passant.is_none(),
        _ => false,
    }
}

impl Query {
    /// What answers each term best.
    pub fn answerers(&self) -> Vec<AnswerSource> {
        let of = |term: &QueryTerm| match term {
            QueryTerm::Field(field) if field.needs() == ReadDepth::Tags => AnswerSource::Tags,
            QueryTerm::Field(FieldTerm::OpeningByPosition(_) | FieldTerm::Repertoire(_)) => {
                AnswerSource::Walk
            }
            QueryTerm::Field(_) => AnswerSource::Game,
            QueryTerm::Walk(walk) if is_listed(walk) => AnswerSource::Index,
            QueryTerm::Walk(walk) if walk.any(&PositionAtom::is_annotation) => AnswerSource::Game,
            QueryTerm::Walk(walk) if walk.any(&PositionAtom::needs_board) => AnswerSource::Board,
            QueryTerm::Walk(_) => AnswerSource::Walk,
        };
        self.terms.iter().map(of).collect()
    }

    /// Whether an index of positions would help to answer.
    pub fn asks_for_positions(&self) -> bool {
        let is_listed = |term: &QueryTerm| matches!(term, QueryTerm::Walk(walk) if is_listed(walk));
        self.terms.iter().any(is_listed)
    }
}

impl TermGames {
    /// Asks an index about each term that it can answer.
    pub(crate) fn all(query: &Query, lookup: &dyn PositionLookup) -> Vec<TermGames> {
        let terms = query.terms.iter().enumerate();
        terms
            .filter_map(|(index, term)| match term {
                QueryTerm::Walk(walk) => TermGames::new(query, index, walk, lookup),
                QueryTerm::Field(_) => None,
            })
            .collect()
    }

    fn new(
        query: &Query,
        term: usize,
        walk: &WalkTerm,
        lookup: &dyn PositionLookup,
    ) -> Option<TermGames> {
        let (placement, turn) = placement(walk)?;
        let mut pieces = PiecePlacement([0; 64]);
        for (number, set) in NUMBERS.iter().zip(placement.pieces) {
            for (square, piece) in pieces.0.iter_mut().enumerate() {
                if set >> square & 1 != 0 {
                    *piece = *number;
                }
            }
        }
        let listed = lookup.games(&pieces, turn, walk.variations)?;
        // Numbers beyond those of the database cannot be set: the list is checked against the games of its layer.
        let last = listed.games.last().copied().unwrap_or(0);
        let words = usize::try_from(last / 64 + 1).ok()?;
        let mut bits = vec![0_u64; words];
        for game in &listed.games {
            let word = usize::try_from(game / 64).ok();
            if let Some(word) = word.and_then(|word| bits.get_mut(word)) {
                *word |= 1 << (game % 64);
            }
        }
        let verdict_with = |answer: bool| {
            let mut known = vec![None; query.terms.len()];
            known[term] = Some(answer);
            query.verdict(&known)
        };
        Some(TermGames {
            term,
            games: listed.games,
            bits,
            exact: listed.exact && is_all(walk),
            unsure: lookup.unsure().to_vec(),
            decides: verdict_with(false) == Some(false),
            suffices: verdict_with(true) == Some(true),
        })
    }

    /// The games of all lists.
    pub(crate) fn size(listings: &[TermGames]) -> u64 {
        listings.iter().map(|list| list.games.len() as u64).sum()
    }

    fn is_unsure(&self, number: u64) -> bool {
        self.unsure.binary_search(&number).is_ok()
    }

    /// Whether the term does not hold for a game.
    #[inline]
    fn excludes(&self, number: u64) -> bool {
        let word = usize::try_from(number / 64).unwrap_or(usize::MAX);
        self.bits
            .get(word)
            .is_none_or(|word| word >> (number % 64) & 1 == 0)
            && !self.is_unsure(number)
    }

    /// Whether the term holds, as far as the index knows; where it holds first is not asked.
    #[inline]
    pub(crate) fn decide(&self, number: u64) -> Option<bool> {
        if self.excludes(number) {
            return Some(false);
        }
        let known = self.exact && !self.is_unsure(number);
        known.then_some(true)
    }

    /// The games that may be hits, where some list says that no others are. With `counting` those that need no look
    /// are only counted.
    pub(crate) fn candidates(listings: &[TermGames], counting: bool) -> Option<CandidateGames> {
        let mut deciding: Vec<&TermGames> = listings.iter().filter(|list| list.decides).collect();
        deciding.sort_by_key(|list| list.games.len());
        let (shortest, others) = deciding.split_first()?;
        let unsure = &shortest.unsure;
        if counting && shortest.exact && shortest.suffices {
            let is_listed = |game: &&u64| shortest.games.binary_search(game).is_ok();
            let looked_at = unsure.iter().filter(is_listed).count();
            return Some(CandidateGames {
                sure: (shortest.games.len() - looked_at) as u64,
                games: unsure.clone(),
            });
        }
        let mut games = shortest.games.clone();
        games.extend(unsure);
        games.sort_unstable();
        games.dedup();
        games.retain(|game| !others.iter().any(|list| list.excludes(*game)));
        Some(CandidateGames { games, sure: 0 })
    }
}
