//! Rewrites questions about each square of a set, so that fewer squares are tried, or none.

use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::squares::{SquareRelation, SquareSet};

/// One square at least.
const ANY: (i64, i64) = (1, i64::MAX);

/// Puts a question in another way, if it is asked for each square of a set: what says nothing of the square is asked once,
/// and what says of it alone that it is in another set becomes a part of the first.
pub(crate) fn narrow(expr: &mut PositionExpr) {
    let PositionExpr::Each {
        all,
        name,
        set,
        question,
    } = expr
    else {
        return;
    };
    let mut parts = vec![std::mem::replace(
        &mut **question,
        PositionExpr::And(Vec::new()),
    )];
    let (mut asked, mut rest) = (Vec::new(), Vec::new());
    // Whether somewhere in the set there is a square has to be asked where nothing else does.
    let mut is_there = false;
    while let Some(part) = parts.pop() {
        if let PositionExpr::And(within) = part {
            parts.extend(within.into_iter().rev());
            continue;
        }
        if !mentions(&part, *name) {
            asked.push(part);
            continue;
        }
        match membership(part, *name) {
            Err(part) => rest.push(part),
            Ok(more) if *all => {
                let others = SquareSet::and(vec![(**set).clone(), SquareSet::Not(Box::new(more))]);
                asked.push(count(others, (0, 0)));
            }
            Ok(more) => **set = SquareSet::and(vec![(**set).clone(), more]),
        }
    }
    if rest.is_empty() {
        is_there = true;
    } else {
        let question = match <[PositionExpr; 1]>::try_from(rest) {
            Ok([only]) => only,
            Err(rest) => PositionExpr::And(rest),
        };
        let each = PositionExpr::Each {
            all: *all,
            name: *name,
            set: set.clone(),
            question: Box::new(question),
        };
        asked.push(each);
    }
    if is_there {
        asked.push(count((**set).clone(), ANY));
    }
    *expr = match <[PositionExpr; 1]>::try_from(asked) {
        Ok([only]) => only,
        Err(asked) => PositionExpr::And(asked),
    };
}

fn count(set: SquareSet, range: (i64, i64)) -> PositionExpr {
    let relation = SquareRelation::Count(set, vec![range]);
    PositionExpr::Atom(PositionAtom::Relation(Box::new(relation)))
}

/// The set in which a question wants the square of a name to be, where that is all that it asks; else the question.
fn membership(part: PositionExpr, name: usize) -> Result<SquareSet, PositionExpr> {
    let PositionExpr::Atom(PositionAtom::Relation(relation)) = &part else {
        return Err(part);
    };
    let SquareRelation::Count(SquareSet::And(sets), ranges) = &**relation else {
        return Err(part);
    };
    let holds = |number: i64| {
        let mut ranges = ranges.iter();
        ranges.any(|(low, high)| (*low..=*high).contains(&number))
    };
    let (named, others): (Vec<_>, Vec<_>) =
        sets.iter().partition(|set| **set == SquareSet::Named(name));
    let is_alone = !named.is_empty() && others.iter().all(|set| !set.mentions(name));
    if is_alone && holds(1) && !holds(0) {
        Ok(SquareSet::and(others.into_iter().cloned().collect()))
    } else {
        Err(part)
    }
}

/// Whether a question says anything of the square of a name.
fn mentions(expr: &PositionExpr, name: usize) -> bool {
    match expr {
        PositionExpr::Atom(PositionAtom::Relation(relation)) => match &**relation {
            SquareRelation::Count(set, _) => set.mentions(name),
            SquareRelation::Distance(from, to, _) => from.mentions(name) || to.mentions(name),
            SquareRelation::Ray(_, sets) => sets.iter().any(|set| set.mentions(name)),
            SquareRelation::BishopPair(_)
            | SquareRelation::OpenFiles(_)
            | SquareRelation::HalfOpenFiles(..) => false,
        },
        PositionExpr::Atom(_) => false,
        PositionExpr::And(parts) | PositionExpr::Or(parts) => {
            parts.iter().any(|part| mentions(part, name))
        }
        PositionExpr::Not(part) | PositionExpr::Turned(_, part) => mentions(part, name),
        PositionExpr::Each { set, question, .. } => set.mentions(name) || mentions(question, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query::{Query, QueryContext, QueryTerm};

    /// How many questions are asked for each square of a set.
    fn each(text: &str) -> usize {
        let query = Query::parse(text, QueryContext::default()).expect("a query");
        let mut found = 0;
        for term in &query.terms {
            if let QueryTerm::Walk(walk) = term {
                let mut open = walk.exprs();
                while let Some(expr) = open.pop() {
                    match expr {
                        PositionExpr::And(parts) => open.extend(parts),
                        PositionExpr::Each { question, .. } => {
                            found += 1;
                            open.push(question);
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }

    #[test]
    fn what_says_nothing_of_a_square_is_asked_once() {
        assert_eq!(each("some[x]:\"N\" check"), 0);
        assert_eq!(each("all[x]:\"N\" check"), 0);
        assert_eq!(each("some[x]:\"N\" men:\"k attacks $x\""), 1);
        assert_eq!(each("some[x]:\"N\" all[y]:\"* attacks $x\" check"), 1);
        assert_eq!(each("some[x]:\"N\" some[y]:\"R\" men:\"k attacks $y\""), 1);
        assert_eq!(each("some[x]:\"N\" some[y]:\"R\" men:\"$x attacks $y\""), 2);
    }

    #[test]
    fn what_a_square_has_to_be_narrows_the_set() {
        assert_eq!(
            each("some[r]:\"R\" (men:\"$r attacks k\" men:\"$r attacked-by q\")"),
            0
        );
        assert_eq!(each("all[r]:\"R\" men:\"$r attacks k\""), 0);
        assert_eq!(
            each("some[r]:\"R\" (men:\"$r attacks k\" distance:\"$r, k\"<=2)"),
            1
        );
        // How many of one square there are is 0 or 1: where 0 will do too, it says nothing.
        assert_eq!(each("some[r]:\"R\" men:\"$r attacks k\"<=1"), 1);
        assert_eq!(each("some[r]:\"R\" not men:\"$r attacks k\""), 1);
    }
}
