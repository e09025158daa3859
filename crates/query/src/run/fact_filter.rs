//! Decides terms about positions by the facts of a game: its final material, the pawns that left home, and its stored line.

use std::sync::OnceLock;

use tabiya_model::Board;
use tabiya_model::board::parse_san;
use tabiya_model::facts::{GameFacts, MoveFacts, PROMOTION, UNDER_PROMOTION};

use crate::plan::bounds::{PositionBound, RANK_2, RANK_7, bounds};
use crate::plan::position_needs::PositionNeeds;
use crate::run::walk::{TermAnswers, WalkState};
use crate::terms::line_state::LineState;
use crate::terms::piece_counts::PieceCounts;
use crate::terms::position::PositionAtom;
use crate::terms::position_view::{MoveEffect, PieceArrangement, PositionView};
use crate::terms::query::{Query, QueryTerm, WalkQuestion};

/// How many pieces of each kind a game starts with.
const START: PieceCounts = [8, 2, 2, 2, 1, 1, 8, 2, 2, 2, 1, 1];

/// The pawns of a position that have left home, as a set of Scid's numbers, and how many they are.
fn departed(white: u64, black: u64) -> (u16, u32) {
    let mut set = 0_u16;
    for file in 0..8 {
        if white & RANK_2 & 1 << (8 + file) == 0 {
            set |= 1 << (15 - file);
        }
        if black & RANK_7 & 1 << (48 + file) == 0 {
            set |= 1 << (7 - file);
        }
    }
    (set, set.count_ones())
}

/// What the stored line of a game says about a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StoredLineAnswer {
    Open,
    Yes(u32),
    No,
}

/// The stored lines of a database, each asked when the first game that begins with it comes along.
#[derive(Debug)]
struct StoredLines<'q> {
    query: &'q Query,
    term: usize,
    lines: &'q [&'q str],
    known: Vec<OnceLock<StoredLineAnswer>>,
}

impl<'q> StoredLines<'q> {
    fn new(query: &'q Query, term: usize, lines: &'q [&'q str]) -> StoredLines<'q> {
        StoredLines {
            query,
            term,
            lines,
            known: lines.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// What a line says, by its number from 1; 0 is no line.
    #[inline]
    fn get(&self, number: u8) -> StoredLineAnswer {
        let at = usize::from(number).wrapping_sub(1);
        match (self.known.get(at), self.lines.get(at)) {
            (Some(known), Some(line)) => *known.get_or_init(|| ask(self.query, self.term, line)),
            _ => StoredLineAnswer::Open,
        }
    }
}

/// Decides a term by the facts of a game, as far as they go.
#[derive(Debug)]
pub(crate) struct FactFilter<'q> {
    /// Which alternatives the final material allows, by White's and by Black's half, one bit each.
    white: Vec<u8>,
    black: Vec<u8>,
    /// The same after promotions, when only pawns count.
    white_pawns: [u8; 16],
    black_pawns: [u8; 16],
    /// Alternatives that need more of a kind than a game starts with.
    promoted: u8,
    /// Alternatives that need a promotion, and one to something other than a queen.
    promotion: u8,
    under: u8,
    /// For each alternative, the pawns that have left home and how many.
    home: Vec<Option<(u16, u32)>>,
    stored: StoredLines<'q>,
    /// Whether the final position itself is asked for: its material counts whatever was promoted.
    end: bool,
}

impl<'q> FactFilter<'q> {
    /// A filter of a term about the main line, with the stored lines of a database.
    pub(crate) fn new(
        query: &'q Query,
        term: usize,
        lines: &'q [&'q str],
    ) -> Option<FactFilter<'q>> {
        let Some(QueryTerm::Walk(walk)) = query.terms.get(term) else {
            return None;
        };
        if walk.variations {
            return None;
        }
        let (alternatives, end) = match &walk.ask {
            WalkQuestion::Somewhere { expr, .. } => (bounds(expr), false),
            WalkQuestion::End(expr) => (bounds(expr), true),
            // Each event of an order has its position; one of them is enough to leave games out.
            WalkQuestion::Order(steps) => {
                let mut bounds = steps.iter().map(|step| bounds(&step.expr));
                let tight = bounds.find(|all| !all.contains(&PositionBound::FREE));
                (tight.unwrap_or_else(|| vec![PositionBound::FREE]), false)
            }
            WalkQuestion::Count { expr, low: 1.., .. } => (bounds(expr), false),
            WalkQuestion::Count { .. }
            | WalkQuestion::Line(_)
            | WalkQuestion::Sequence(_)
            | WalkQuestion::Sacrifice(_) => (vec![PositionBound::FREE], false),
        };
        let mut filter = FactFilter {
            white: vec![0; 1 << 12],
            black: vec![0; 1 << 12],
            white_pawns: [0; 16],
            black_pawns: [0; 16],
            promoted: 0,
            promotion: 0,
            under: 0,
            home: Vec::new(),
            stored: StoredLines::new(query, term, lines),
            end,
        };
        for (bound, shift) in alternatives.iter().zip(0..) {
            let bit = 1_u8 << shift;
            if bound.promotion {
                filter.promotion |= bit;
            }
            if bound.under {
                filter.under |= bit;
            }
            let needs_more = |i: usize| i % 6 != 5 && bound.lower[i] > START[i];
            if (0..12).any(needs_more) {
                filter.promoted |= bit;
            }
            // The home pawns of the final position are those at the end of the list: the same test serves.
            filter
                .home
                .push(bound.pawns.map(|(white, black)| departed(white, black)));
            for (half, offset) in [(&mut filter.white, 0), (&mut filter.black, 6)] {
                for (index, slot) in half.iter_mut().enumerate() {
                    if fits(
                        index,
                        &bound.lower[offset..offset + 6],
                        &bound.upper[offset..offset + 6],
                        end,
                    ) {
                        *slot |= bit;
                    }
                }
            }
            for (pawns, offset) in [(&mut filter.white_pawns, 0), (&mut filter.black_pawns, 6)] {
                for (count, slot) in pawns.iter_mut().enumerate() {
                    if count <= usize::from(bound.upper[offset])
                        && (!end || count >= usize::from(bound.lower[offset]))
                    {
                        *slot |= bit;
                    }
                }
            }
            if end {
                // What promotions made is there at the end: the material is all that counts.
                filter.promoted &= !bit;
            }
        }
        Some(filter)
    }

    /// The answer, and the ply where the facts know it.
    #[inline]
    pub(crate) fn decide(
        &self,
        fact: &GameFacts,
        moves: &MoveFacts,
    ) -> Option<(bool, Option<u32>)> {
        let half = |bits: u32| (bits & 0xfff) as usize;
        let (white, black) = (half(moves.material >> 12), half(moves.material));
        let exact = fact.flags & PROMOTION == 0 || self.end;
        let mut open = if exact {
            self.white.get(white).copied().unwrap_or(0)
                & self.black.get(black).copied().unwrap_or(0)
        } else {
            self.white_pawns[white & 15] & self.black_pawns[black & 15]
        };
        if fact.flags & PROMOTION == 0 {
            open &= !(self.promoted | self.promotion);
        }
        if fact.flags & UNDER_PROMOTION == 0 {
            open &= !self.under;
        }
        let mut left = open;
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            if let Some(Some((set, count))) = self.home.get(at as usize)
                && !leaves(moves, *set, *count)
            {
                open &= !(1 << at);
            }
        }
        if open == 0 {
            return Some((false, None));
        }
        match self.stored.get(moves.stored_line) {
            StoredLineAnswer::Yes(ply) => Some((true, Some(ply))),
            StoredLineAnswer::No => Some((false, None)),
            StoredLineAnswer::Open => None,
        }
    }
}

/// Whether the first pawns that left home are those of the set.
#[inline]
fn leaves(moves: &MoveFacts, set: u16, count: u32) -> bool {
    if u32::from(moves.home_count) < count {
        return false;
    }
    let mut list = moves.home_pawns;
    let mut seen = 0_u16;
    for _ in 0..count {
        let pawn = list >> 60;
        if set >> pawn & 1 == 0 {
            return false;
        }
        seen |= 1 << pawn;
        list <<= 4;
    }
    seen == set
}

/// Whether the final counts of a side (as in [`MoveFacts::material`]) allow that a fitting position came before, or,
/// for the end itself, are fitting.
fn fits(half: usize, lower: &[u8], upper: &[u8], end: bool) -> bool {
    let pawns = half & 15;
    let knights = half >> 4 & 3;
    let bishops = half >> 6 & 3;
    let rooks = half >> 8 & 3;
    let queens = half >> 10 & 3;
    [pawns, knights, bishops, rooks, queens]
        .iter()
        .zip(lower)
        .zip(upper)
        .enumerate()
        .all(|(kind, ((count, low), high))| {
            let capped = kind > 0 && *count == 3;
            *count <= usize::from(*high) && (!end || capped || *count >= usize::from(*low))
        })
}

/// Asks a term of a stored line.
#[cold]
fn ask(query: &Query, term: usize, line: &str) -> StoredLineAnswer {
    let is_remark = matches!(query.terms.get(term), Some(QueryTerm::Walk(walk)) if walk.any(&PositionAtom::is_annotation));
    if PositionNeeds::new(query).repeats || is_remark {
        return StoredLineAnswer::Open;
    }
    let mut course = WalkState::new(query);
    let mut answers = TermAnswers::default();
    answers.reset(query.terms.len());
    // Only this term is asked.
    for (index, known) in answers.known.iter_mut().enumerate() {
        if index != term {
            *known = Some(false);
        }
    }
    course.start(&answers);
    let mut board = Board::standard();
    let mut trail = LineState::default();
    let mut ply = 0;
    let mut visit = |board: &Board, ply: u32, moved: Option<MoveEffect>| {
        let standing = PieceArrangement::of(board, true);
        let mut scene = PositionView::new(board, &standing, ply, moved);
        if let Some(moved) = &moved {
            trail.castle(moved.piece < 6, moved.castle);
        }
        scene.trail = trail;
        course.visit(&scene, true, &mut answers);
    };
    visit(&board, 0, None);
    for word in line.split(' ') {
        let Some(m) = parse_san(word.as_bytes()).and_then(|(san, _)| board.resolve_san(&san).ok())
        else {
            return StoredLineAnswer::Open;
        };
        let moved = MoveEffect::new(&board, m);
        board.play(m);
        ply += 1;
        visit(&board, ply, Some(moved));
    }
    match (answers.known.get(term), answers.plies.get(term)) {
        (Some(Some(true)), Some(Some(ply))) => StoredLineAnswer::Yes(*ply),
        (Some(Some(false)), _) => StoredLineAnswer::No,
        _ => StoredLineAnswer::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::piece_squares::piece_squares;
    use crate::terms::position::file_counts;

    #[test]
    fn departed_pawns_have_scids_numbers() {
        let pieces = piece_squares(&Board::standard());
        assert_eq!(departed(pieces[0], pieces[6]), (0, 0));
        assert_eq!(
            departed(pieces[0] & !(1 << 8), pieces[6] & !(1 << 55)),
            (1 << 15 | 1, 2)
        );
        assert_eq!(file_counts(pieces[0]), [1; 8]);
    }
}
