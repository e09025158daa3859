//! The costs of terms: of several that must all hold, cheap ones are evaluated first.

use crate::plan::square_narrowing::narrow;
use crate::terms::position::{PositionAtom, PositionExpr, PositionNumber};

/// How dear an answer is, from the cheapest on.
fn cost(expr: &PositionExpr) -> u32 {
    match expr {
        PositionExpr::Atom(atom) => of_atom(atom),
        // What is denied holds almost everywhere: it leaves little out for those that come after it.
        PositionExpr::Not(part) => cost(part).max(2),
        PositionExpr::And(parts) | PositionExpr::Or(parts) => {
            parts.iter().map(cost).max().unwrap_or(0)
        }
        PositionExpr::Turned(_, part) => cost(part).saturating_add(1),
        PositionExpr::Each { question, .. } => cost(question).saturating_add(1),
    }
}

fn of_atom(atom: &PositionAtom) -> u32 {
    match atom {
        PositionAtom::Turn(_)
        | PositionAtom::Promotion { .. }
        | PositionAtom::EnPassant
        | PositionAtom::Castling(_)
        | PositionAtom::Moved(_)
        | PositionAtom::Check
        | PositionAtom::Castled { .. }
        | PositionAtom::OppositeCastling
        | PositionAtom::Number(
            PositionNumber::Ply | PositionNumber::Move | PositionNumber::QuietPlies,
            _,
        ) => 0,
        PositionAtom::Placement(_)
        | PositionAtom::Structure { .. }
        | PositionAtom::Material(_)
        | PositionAtom::DoubleCheck
        | PositionAtom::DiscoveredCheck
        | PositionAtom::Number(PositionNumber::Repetition, _) => 1,
        PositionAtom::Mate
        | PositionAtom::Files(_)
        | PositionAtom::Pattern(_)
        | PositionAtom::Similar(_) => 2,
        PositionAtom::Relation(_) => 3,
        PositionAtom::Stalemate => 10,
        PositionAtom::Number(PositionNumber::LegalMoves, _) => 20,
        PositionAtom::Annotation(_) => 30,
    }
}

/// Puts the cheap questions before the dear ones; those that cost the same stay as they are written. What is asked for
/// the squares of a set is asked for as few of them as can be.
pub(crate) fn sort(expr: &mut PositionExpr) {
    match expr {
        PositionExpr::Atom(_) => {}
        PositionExpr::Not(part)
        | PositionExpr::Turned(_, part)
        | PositionExpr::Each { question: part, .. } => sort(part),
        PositionExpr::And(parts) | PositionExpr::Or(parts) => parts.iter_mut().for_each(sort),
    }
    narrow(expr);
    if let PositionExpr::And(parts) | PositionExpr::Or(parts) = expr {
        parts.sort_by_cached_key(cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query::{Query, QueryContext, QueryTerm, WalkQuestion};

    #[test]
    fn cheap_questions_come_first() {
        let text = "same:(legal-moves:1 passed (stalemate or check) turn:white)";
        let query = Query::parse(text, QueryContext::default()).expect("a query");
        let Some(QueryTerm::Walk(walk)) = query.terms.first() else {
            panic!("it walks");
        };
        let WalkQuestion::Somewhere {
            expr: PositionExpr::And(parts),
            ..
        } = &walk.ask
        else {
            panic!("all of them");
        };
        let costs: Vec<u32> = parts.iter().map(cost).collect();
        assert_eq!(costs, [0, 3, 10, 20]);
        assert!(matches!(
            &parts[2],
            PositionExpr::Or(any) if matches!(any[0], PositionExpr::Atom(PositionAtom::Check))
        ));
    }
}
