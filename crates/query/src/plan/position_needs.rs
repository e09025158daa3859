//! The parts of positions that the terms of a query need, so that nothing else is computed on the way through a game.

use crate::terms::annotations::AnnotationTest;
use crate::terms::position::{PositionAtom, PositionExpr, PositionNumber};
use crate::terms::query::{Query, QueryTerm, WalkQuestion};

/// What any question about moves looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PositionNeeds {
    /// The move that led to a position.
    pub(crate) moved: bool,
    /// The pieces, and who has castled.
    pub(crate) pieces: bool,
    /// How many pieces there are of each kind.
    pub(crate) counts: bool,
    /// The board: checks, legal moves, rights.
    pub(crate) board: bool,
    /// Who has castled.
    pub(crate) castled: bool,
    /// How often a position has stood on the line.
    pub(crate) repeats: bool,
    /// What stands at a position.
    pub(crate) remarks: bool,
    /// The clocks and evaluations that stand before a position.
    pub(crate) clocks: bool,
}

impl PositionNeeds {
    pub(crate) fn new(query: &Query) -> PositionNeeds {
        let mut asks = PositionNeeds::default();
        for term in &query.terms {
            if let QueryTerm::Walk(walk) = term {
                asks.moved |= matches!(
                    walk.ask,
                    WalkQuestion::Line(_) | WalkQuestion::Sequence(_) | WalkQuestion::Sacrifice(_)
                );
                asks.counts |= matches!(walk.ask, WalkQuestion::Sacrifice(_));
                asks.pieces |= walk.exprs().into_iter().any(PositionExpr::looks_at_pieces);
                let any = |test: &dyn Fn(&PositionAtom) -> bool| walk.any(test);
                asks.board |= any(&PositionAtom::needs_board);
                asks.moved |= any(&|atom| {
                    matches!(
                        atom,
                        PositionAtom::Promotion { .. }
                            | PositionAtom::EnPassant
                            | PositionAtom::Castling(_)
                            | PositionAtom::DiscoveredCheck
                            | PositionAtom::Moved(_)
                            | PositionAtom::Annotation(_)
                    )
                });
                asks.counts |= any(&|atom| matches!(atom, PositionAtom::Material(_)));
                asks.castled |= any(&|atom| {
                    matches!(
                        atom,
                        PositionAtom::Castled { .. } | PositionAtom::OppositeCastling
                    )
                });
                asks.repeats |= any(&|atom| {
                    matches!(atom, PositionAtom::Number(PositionNumber::Repetition, _))
                });
                asks.remarks |= any(&PositionAtom::is_annotation);
                asks.clocks |= any(&|atom| {
                    matches!(
                        atom,
                        PositionAtom::Annotation(
                            AnnotationTest::SideClock(..) | AnnotationTest::Swing(_)
                        )
                    )
                });
            }
        }
        // Who castled is told by moves.
        asks.moved |= asks.castled;
        asks
    }
}
