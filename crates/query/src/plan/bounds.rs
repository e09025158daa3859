//! What a question about positions implies for whole games: enough to exclude most of them without looking at their moves.
//!
//! Everything here is a necessary condition. The final material of a game has no more pieces than any position before,
//! unless a pawn was promoted; a pawn that has left its home square never comes back; a game that begins with a
//! stored line has the positions of that line.

use crate::terms::board_transform::BoardTransform;
use crate::terms::piece_counts::{PieceCounts, counts_of, pack, reach};
use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::query::{WalkQuestion, WalkTerm};

/// The most alternatives that are kept apart: one bit each.
const MAX_BOUNDS: usize = 8;
pub(crate) const RANK_2: u64 = 0xff00;
pub(crate) const RANK_7: u64 = RANK_2 << 40;

/// What every position that fits has in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PositionBound {
    pub(crate) lower: PieceCounts,
    pub(crate) upper: PieceCounts,
    pub(crate) pawns: Option<(u64, u64)>,
    pub(crate) promotion: bool,
    pub(crate) under: bool,
}

impl PositionBound {
    pub(crate) const FREE: PositionBound = PositionBound {
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
            let counts = counts_of(&placement.pieces);
            vec![PositionBound {
                pawns: Some((placement.pieces[0], placement.pieces[6])),
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
            let counts = counts_of(&similar.pieces);
            vec![PositionBound {
                pawns: Some((similar.pieces[0], similar.pieces[6])),
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

/// Tells when a term has no hope left on the main line.
#[derive(Clone, Debug)]
pub(crate) struct CutoffRule {
    bounds: Vec<CutoffBound>,
}

/// What has to be on the board for an alternative.
#[derive(Clone, Debug)]
struct CutoffBound {
    /// The fewest pieces of each side, where all count, and where pawns may be promoted and only pawns count.
    lower: [[u64; 2]; 2],
    /// Pawns that must be on their home squares.
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

    /// Whether no later position can fit: what is gone never comes back, but by promotion. Only the pieces of the side to
    /// move are counted, from which the last move may have taken one: the other side has its turn next.
    #[inline(always)]
    pub(crate) fn is_lost(&self, side: usize, counts: u64, home: u64, promotions: bool) -> bool {
        self.bounds.iter().all(|bound| {
            !reach(counts, bound.lower[usize::from(promotions)][side & 1])
                || bound.home & !home != 0
        })
    }
}
