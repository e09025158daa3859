//! The moves after which a question has to be evaluated: all others are skipped without looking at the position.

use tabiya_model::positions::MoveDelta;

use crate::plan::dependencies::changes;
use crate::terms::move_trigger::{MoveTrigger, MoveTriggers, PAWNS};
use crate::terms::position::{PositionAtom, PositionExpr};

/// The most kinds of moves that are kept apart.
const MAX_WAKES: usize = 8;

/// After which moves any of two has to be asked.
fn either(one: MoveTriggers, other: MoveTriggers) -> MoveTriggers {
    let mut all = one?;
    all.extend(other?);
    (all.len() <= MAX_WAKES).then_some(all)
}

/// What a whole query has to be asked after, as far as it is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct TriggerSet {
    all: bool,
    triggers: Vec<MoveTrigger>,
    /// Whether the move after one that counts does too, and whether one has just come.
    includes_reply: bool,
    is_reply_due: bool,
}

impl TriggerSet {
    pub(crate) fn clear(&mut self) {
        self.all = false;
        self.triggers.clear();
        self.includes_reply = false;
        // What came before is not known.
        self.is_reply_due = true;
    }

    pub(crate) fn add(&mut self, wakes: &MoveTriggers) {
        match wakes {
            Some(wakes) if self.triggers.len() + wakes.len() <= 2 * MAX_WAKES => {
                self.includes_reply |= wakes.iter().any(|wake| wake.includes_reply);
                self.triggers.extend(wakes);
            }
            _ => self.all = true,
        }
    }

    /// Whether something has to be asked after each move.
    pub(crate) fn is_always(&self) -> bool {
        self.all
    }

    /// Whether something has to be asked after a move.
    #[inline(always)]
    pub(crate) fn fits(&mut self, delta: impl FnOnce() -> MoveDelta) -> bool {
        if self.all || self.triggers.is_empty() {
            return self.all;
        }
        let delta = delta();
        let counts = self.triggers.iter().any(|wake| wake.fits(delta));
        let resounds = std::mem::replace(&mut self.is_reply_due, counts);
        counts | (self.includes_reply & resounds)
    }
}

/// The moves that lead to positions that may be like this.
pub(crate) fn triggers(expr: &PositionExpr) -> MoveTriggers {
    match expr {
        PositionExpr::Atom(atom) => of_atom(atom),
        PositionExpr::Not(_) => None,
        PositionExpr::Each { question, .. } => triggers(question),
        PositionExpr::And(parts) => {
            let each = parts.iter().filter_map(triggers);
            each.reduce(|one, other| both(&one, &other).unwrap_or(one))
        }
        PositionExpr::Or(parts) => parts.iter().map(triggers).reduce(either)?,
        PositionExpr::Turned(ways, part) => {
            let all = triggers(part)?;
            let turned = ways
                .iter()
                .flat_map(|way| all.iter().map(|wake| wake.turned(*way)));
            (ways.len() * all.len() <= MAX_WAKES).then(|| turned.collect())
        }
    }
}

fn both(one: &[MoveTrigger], other: &[MoveTrigger]) -> Option<Vec<MoveTrigger>> {
    let pairs = one.iter().flat_map(|a| other.iter().map(|b| a.and(b)));
    (one.len() * other.len() <= MAX_WAKES).then(|| pairs.collect())
}

/// The moves that lead to the first position that is like this, where the start is none.
pub(crate) fn first_triggers(expr: &PositionExpr) -> MoveTriggers {
    match (triggers(expr), changes(expr)) {
        // Of what echoes, the move that counts may be the one before.
        (Some(one), Some(other)) if !other.iter().any(|wake| wake.includes_reply) => {
            both(&one, &other).or(Some(one))
        }
        (one, other) => one.or(other),
    }
}

fn of_atom(atom: &PositionAtom) -> MoveTriggers {
    match atom {
        PositionAtom::Promotion { .. } => Some(vec![MoveTrigger::promotion()]),
        PositionAtom::EnPassant => Some(vec![MoveTrigger {
            pieces: PAWNS,
            captured: PAWNS,
            ..MoveTrigger::ANY
        }]),
        PositionAtom::Castling(_) => Some(vec![MoveTrigger::castling()]),
        PositionAtom::Moved(patterns) => {
            let all: Vec<MoveTrigger> = patterns.iter().map(|pattern| pattern.trigger()).collect();
            (all.len() <= MAX_WAKES).then_some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query::{Query, QueryContext, QueryTerm, WalkQuestion};

    fn woken(text: &str, delta: MoveDelta) -> Option<bool> {
        let query = Query::parse(text, QueryContext::default()).expect("a query");
        let Some(QueryTerm::Walk(walk)) = query.terms.first() else {
            return None;
        };
        match &walk.ask {
            WalkQuestion::Somewhere { expr, .. } => {
                triggers(expr).map(|all| all.iter().any(|wake| wake.fits(delta)))
            }
            _ => None,
        }
    }

    #[test]
    fn questions_wake_for_their_moves() {
        // A white pawn from e4 takes a black knight on d5; a black bishop goes from a8 to h1.
        let (takes, goes) = (
            MoveDelta::new(28, 35, 1, 1, 10),
            MoveDelta::new(56, 7, 11, 11, 0),
        );
        for (text, taking, going) in [
            ("move:\"exd5\"", true, false),
            ("move[black]:\"exd5\"", false, false),
            ("captured:N", true, false),
            ("captured:N by:B", false, false),
            ("captured:any", true, false),
            ("moved:B", false, true),
            ("move:\"Bh1+\"", false, true),
            ("same[flip]:(move[white]:\"Bh8\")", false, true),
            ("same[flip, mirror]:(move[white]:\"Ba8\")", false, true),
            ("same:(check captured:N)", true, false),
            ("same:(moved:B captured:any)", false, false),
            ("same:(moved:B or captured:any)", true, true),
            ("promotion", false, false),
            ("castling", false, false),
        ] {
            assert_eq!(woken(text, takes), Some(taking), "{text}");
            assert_eq!(woken(text, goes), Some(going), "{text}");
            assert_eq!(woken(text, MoveDelta::NULL), Some(false), "{text}");
        }
        for text in [
            "check",
            "same:(not captured:N)",
            "same:(check or captured:N)",
        ] {
            assert_eq!(woken(text, takes), None, "{text}");
        }
    }
}
