//! What a question about positions says about whole games: enough to leave out most of them without a look at a move.
//!
//! Everything here is a necessary condition. The final material of a game has no more men than any position before,
//! unless a pawn was promoted; a pawn that has left its home square never comes back; a game that begins with a
//! stored line has the positions of that line.

use std::sync::OnceLock;

use tabiya_model::Board;
use tabiya_model::board::parse_san;
use tabiya_model::facts::{GameFacts, MoveFacts, PROMOTION, UNDER_PROMOTION};

use crate::plan::position_needs::PositionNeeds;
use crate::run::walk::{TermAnswers, WalkState};
use crate::terms::board_transform::BoardTransform;
use crate::terms::line_state::LineState;
use crate::terms::material::{PieceCounts, counts_of, pack, reach};
use crate::terms::position::{
    MoveEffect, PieceArrangement, PositionAtom, PositionExpr, PositionView,
};
use crate::terms::query::{Query, QueryTerm, WalkQuestion, WalkTerm};

/// The most alternatives that are kept apart: one bit each.
const MAX_BOUNDS: usize = 8;
pub(crate) const RANK_2: u64 = 0xff00;
pub(crate) const RANK_7: u64 = RANK_2 << 40;
/// How many men of each kind a game starts with.
const START: PieceCounts = [8, 2, 2, 2, 1, 1, 8, 2, 2, 2, 1, 1];

/// What every position that fits has in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PositionBound {
    lower: PieceCounts,
    upper: PieceCounts,
    pawns: Option<(u64, u64)>,
    promotion: bool,
    under: bool,
}

impl PositionBound {
    const FREE: PositionBound = PositionBound {
        lower: [0; 12],
        upper: [64; 12],
        pawns: None,
        promotion: false,
        under: false,
    };

    fn counts(lower: PieceCounts, upper: PieceCounts) -> PositionBound {
        PositionBound {
            lower,
            upper,
            ..PositionBound::FREE
        }
    }

    /// The same for a board that is turned.
    fn turned(&self, way: BoardTransform) -> PositionBound {
        let mut turned = self.clone();
        for kind in 0..12 {
            turned.lower[way.kind(kind)] = self.lower[kind];
            turned.upper[way.kind(kind)] = self.upper[kind];
        }
        turned.pawns = self.pawns.map(|(white, black)| match way.flip {
            true => (way.set(black), way.set(white)),
            false => (way.set(white), way.set(black)),
        });
        turned
    }

    /// Both at once; `None` where nothing can fit both.
    fn and(&self, other: &PositionBound) -> Option<PositionBound> {
        let mut both = self.clone();
        for i in 0..12 {
            both.lower[i] = self.lower[i].max(other.lower[i]);
            both.upper[i] = self.upper[i].min(other.upper[i]);
            if both.lower[i] > both.upper[i] {
                return None;
            }
        }
        both.pawns = match (self.pawns, other.pawns) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
        both.promotion |= other.promotion;
        both.under |= other.under;
        Some(both)
    }
}

/// The alternatives of an expression.
pub(crate) fn bounds(expr: &PositionExpr) -> Vec<PositionBound> {
    match expr {
        PositionExpr::Atom(atom) => atom_bounds(atom),
        PositionExpr::Not(_) | PositionExpr::Each { .. } => vec![PositionBound::FREE],
        PositionExpr::Turned(ways, part) => {
            let inner = bounds(part);
            let turned = ways
                .iter()
                .flat_map(|way| inner.iter().map(|bound| bound.turned(*way)));
            match ways.len() * inner.len() > MAX_BOUNDS {
                true => vec![PositionBound::FREE],
                false => turned.collect(),
            }
        }
        PositionExpr::Or(parts) => {
            let all: Vec<PositionBound> = parts.iter().flat_map(bounds).collect();
            if all.len() > MAX_BOUNDS {
                vec![PositionBound::FREE]
            } else {
                all
            }
        }
        PositionExpr::And(parts) => {
            let mut all = vec![PositionBound::FREE];
            for part in parts {
                let next = bounds(part);
                if all.len() * next.len() > MAX_BOUNDS {
                    continue;
                }
                all = all
                    .iter()
                    .flat_map(|a| next.iter().filter_map(|b| a.and(b)))
                    .collect();
            }
            all
        }
    }
}

fn atom_bounds(atom: &PositionAtom) -> Vec<PositionBound> {
    let pawn_counts = |white: u8, black: u8| {
        let mut bound = PositionBound::FREE;
        (bound.lower[0], bound.lower[6]) = (white, black);
        (bound.upper[0], bound.upper[6]) = (white, black);
        bound
    };
    match atom {
        PositionAtom::Placement(placement) => {
            let counts = counts_of(&placement.men);
            vec![PositionBound {
                pawns: Some((placement.men[0], placement.men[6])),
                ..PositionBound::counts(counts, counts)
            }]
        }
        PositionAtom::Structure { white, black } => {
            let count = |set: &u64| set.count_ones().to_le_bytes()[0];
            vec![PositionBound {
                pawns: Some((*white, *black)),
                ..pawn_counts(count(white), count(black))
            }]
        }
        PositionAtom::Files([white, black]) => {
            vec![pawn_counts(white.iter().sum(), black.iter().sum())]
        }
        PositionAtom::Material(material) => {
            let mut all = vec![PositionBound::counts(material.lower(), material.upper())];
            if material.either {
                let exchanged = material.exchanged();
                all.push(PositionBound::counts(exchanged.lower(), exchanged.upper()));
            }
            all
        }
        PositionAtom::Similar(similar) => {
            let counts = counts_of(&similar.men);
            vec![PositionBound {
                pawns: Some((similar.men[0], similar.men[6])),
                ..PositionBound::counts(counts, counts)
            }]
        }
        PositionAtom::Promotion { under } => vec![PositionBound {
            promotion: true,
            under: *under,
            ..PositionBound::FREE
        }],
        _ => vec![PositionBound::FREE],
    }
}

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
            trail.castle(moved.man < 6, moved.castle);
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

/// Tells when a term has no hope left on the main line.
#[derive(Clone, Debug)]
pub(crate) struct CutoffRule {
    bounds: Vec<CutoffBound>,
}

/// What has to be on the board for an alternative.
#[derive(Clone, Debug)]
struct CutoffBound {
    /// The fewest men of each side, where all count, and where pawns may be promoted and only pawns count.
    lower: [[u64; 2]; 2],
    /// Pawns that have to stand on their home squares.
    home: u64,
}

impl CutoffBound {
    fn new(bound: &PositionBound) -> CutoffBound {
        let pawns = std::array::from_fn(|kind| if kind % 6 == 0 { bound.lower[kind] } else { 0 });
        let (white, black) = bound.pawns.unwrap_or((0, 0));
        CutoffBound {
            lower: [pack(&bound.lower), pack(&pawns)],
            home: white & RANK_2 | black & RANK_7,
        }
    }
}

impl CutoffRule {
    /// The rule of a term; `None` where there is hope to the end.
    pub(crate) fn new(walk: &WalkTerm) -> Option<CutoffRule> {
        let WalkQuestion::Somewhere { expr, .. } = &walk.ask else {
            return None;
        };
        let bounds = bounds(expr);
        if walk.variations || bounds.iter().any(|bound| bound.lower == [0; 12]) {
            return None;
        }
        Some(CutoffRule {
            bounds: bounds.iter().map(CutoffBound::new).collect(),
        })
    }

    /// Whether no later position can fit: what is gone never comes back, but by promotion. Only the men of the side to
    /// move are counted, from which the last move may have taken one: the other side has its turn next.
    #[inline(always)]
    pub(crate) fn is_lost(&self, side: usize, counts: u64, home: u64, promotions: bool) -> bool {
        self.bounds.iter().all(|bound| {
            !reach(counts, bound.lower[usize::from(promotions)][side & 1])
                || bound.home & !home != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::position::{file_counts, piece_squares};

    #[test]
    fn departed_pawns_have_scids_numbers() {
        let men = piece_squares(&Board::standard());
        assert_eq!(departed(men[0], men[6]), (0, 0));
        assert_eq!(
            departed(men[0] & !(1 << 8), men[6] & !(1 << 55)),
            (1 << 15 | 1, 2)
        );
        assert_eq!(file_counts(men[0]), [1; 8]);
    }
}
