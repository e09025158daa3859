//! After which moves a question has to be asked: those of all others are passed over without a look at the position.

use tabiya_model::positions::Delta;

use crate::depends::changes;
use crate::position::{PositionAtom, PositionExpr};
use crate::turned::Turn;

/// The most kinds of moves that are kept apart.
const MAX_WAKES: usize = 8;
/// All men and nothing, by their numbers in deltas, in a set of them.
const ALL: u16 = u16::MAX;
/// No man.
const NOTHING: u16 = 1;
const PAWNS: u16 = 1 << 1 | 1 << 9;
const KINGS: u16 = 1 << 6 | 1 << 14;
const LAST_RANKS: u64 = 0xff | 0xff << 56;

/// A kind of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wake {
    /// The men that move and those that are captured, a bit for each number of deltas. The null move moves nothing.
    pub(crate) men: u16,
    pub(crate) captured: u16,
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Whether only castling counts.
    pub(crate) castles: bool,
    /// Whether the move after one that counts does too: the other side moves then.
    pub(crate) echoes: bool,
}

/// The moves after which something has to be asked; none where it is after all of them.
pub(crate) type Wakes = Option<Vec<Wake>>;

impl Wake {
    /// Any move.
    pub(crate) const ANY: Wake = Wake {
        men: ALL,
        captured: ALL,
        from: u64::MAX,
        to: u64::MAX,
        castles: false,
        echoes: false,
    };
    /// No move.
    pub(crate) const NONE: Wake = Wake {
        men: 0,
        ..Wake::ANY
    };

    /// Whether a move is of this kind.
    #[inline(always)]
    pub(crate) fn fits(&self, delta: Delta) -> bool {
        let has = |set: u16, man: u8| set >> (man & 15) & 1 != 0;
        let on = |set: u64, square: u8| set >> (square & 63) & 1 != 0;
        on(self.to, delta.to())
            & has(self.men, delta.mover())
            & has(self.captured, delta.captured())
            & on(self.from, delta.from())
            & (!self.castles | delta.is_castle())
    }

    fn and(&self, other: &Wake) -> Wake {
        Wake {
            men: self.men & other.men,
            captured: self.captured & other.captured,
            from: self.from & other.from,
            to: self.to & other.to,
            castles: self.castles | other.castles,
            echoes: self.echoes | other.echoes,
        }
    }

    fn turned(&self, way: Turn) -> Wake {
        let men = |set: u16| match way.flip {
            // Men of Black have the numbers of White's and 8 more; nothing stays what it is.
            true => set & NOTHING | (set & !NOTHING) >> 8 | (set & !NOTHING) << 8,
            false => set,
        };
        Wake {
            men: men(self.men),
            captured: men(self.captured),
            from: way.set(self.from),
            to: way.set(self.to),
            castles: self.castles,
            echoes: self.echoes,
        }
    }

    /// The men of a set of roles, one bit each from pawns on, of these sides.
    pub(crate) fn men_of(roles: u8, white: bool, black: bool) -> u16 {
        let one = u16::from(roles & 0x3f) << 1;
        (if white { one } else { 0 }) | if black { one << 8 } else { 0 }
    }

    /// Captures, and promotions: what changes the material.
    pub(crate) fn changes_of_material() -> Vec<Wake> {
        let captures = Wake {
            captured: !NOTHING,
            ..Wake::ANY
        };
        vec![captures, Wake::promotion()]
    }

    pub(crate) fn castling() -> Wake {
        Wake {
            men: KINGS,
            castles: true,
            ..Wake::ANY
        }
    }

    pub(crate) fn promotion() -> Wake {
        Wake {
            men: PAWNS,
            to: LAST_RANKS,
            ..Wake::ANY
        }
    }
}

/// After which moves any of two has to be asked.
fn either(one: Wakes, other: Wakes) -> Wakes {
    let mut all = one?;
    all.extend(other?);
    (all.len() <= MAX_WAKES).then_some(all)
}

/// What a whole query has to be asked after, as far as it is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attention {
    all: bool,
    wakes: Vec<Wake>,
    /// Whether the move after one that counts does too, and whether one has just come.
    echoes: bool,
    resounds: bool,
}

impl Attention {
    pub(crate) fn clear(&mut self) {
        self.all = false;
        self.wakes.clear();
        self.echoes = false;
        // What came before is not known.
        self.resounds = true;
    }

    pub(crate) fn add(&mut self, wakes: &Wakes) {
        match wakes {
            Some(wakes) if self.wakes.len() + wakes.len() <= 2 * MAX_WAKES => {
                self.echoes |= wakes.iter().any(|wake| wake.echoes);
                self.wakes.extend(wakes);
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
    pub(crate) fn fits(&mut self, delta: impl FnOnce() -> Delta) -> bool {
        if self.all || self.wakes.is_empty() {
            return self.all;
        }
        let delta = delta();
        let counts = self.wakes.iter().any(|wake| wake.fits(delta));
        let resounds = std::mem::replace(&mut self.resounds, counts);
        counts | (self.echoes & resounds)
    }
}

/// The moves that lead to positions that may be like this.
pub(crate) fn wakes(expr: &PositionExpr) -> Wakes {
    match expr {
        PositionExpr::Atom(atom) => of_atom(atom),
        PositionExpr::Not(_) => None,
        PositionExpr::Each { question, .. } => wakes(question),
        PositionExpr::And(parts) => {
            let each = parts.iter().filter_map(wakes);
            each.reduce(|one, other| both(&one, &other).unwrap_or(one))
        }
        PositionExpr::Or(parts) => parts.iter().map(wakes).reduce(either)?,
        PositionExpr::Turned(ways, part) => {
            let all = wakes(part)?;
            let turned = ways
                .iter()
                .flat_map(|way| all.iter().map(|wake| wake.turned(*way)));
            (ways.len() * all.len() <= MAX_WAKES).then(|| turned.collect())
        }
    }
}

fn both(one: &[Wake], other: &[Wake]) -> Option<Vec<Wake>> {
    let pairs = one.iter().flat_map(|a| other.iter().map(|b| a.and(b)));
    (one.len() * other.len() <= MAX_WAKES).then(|| pairs.collect())
}

/// The moves that lead to the first position that is like this, where the start is none.
pub(crate) fn first_wakes(expr: &PositionExpr) -> Wakes {
    match (wakes(expr), changes(expr)) {
        // Of what echoes, the move that counts may be the one before.
        (Some(one), Some(other)) if !other.iter().any(|wake| wake.echoes) => {
            both(&one, &other).or(Some(one))
        }
        (one, other) => one.or(other),
    }
}

fn of_atom(atom: &PositionAtom) -> Wakes {
    match atom {
        PositionAtom::Promotion { .. } => Some(vec![Wake::promotion()]),
        PositionAtom::EnPassant => Some(vec![Wake {
            men: PAWNS,
            captured: PAWNS,
            ..Wake::ANY
        }]),
        PositionAtom::Castling(_) => Some(vec![Wake::castling()]),
        PositionAtom::Moved(patterns) => {
            let all: Vec<Wake> = patterns.iter().map(|pattern| pattern.wake()).collect();
            (all.len() <= MAX_WAKES).then_some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Ask, Context, Query, Term};

    fn woken(text: &str, delta: Delta) -> Option<bool> {
        let query = Query::parse(text, Context::default()).expect("a query");
        let Some(Term::Walk(walk)) = query.terms.first() else {
            return None;
        };
        match &walk.ask {
            Ask::Somewhere { expr, .. } => {
                wakes(expr).map(|all| all.iter().any(|wake| wake.fits(delta)))
            }
            _ => None,
        }
    }

    #[test]
    fn questions_wake_for_their_moves() {
        // A white pawn from e4 takes a black knight on d5; a black bishop goes from a8 to h1.
        let (takes, goes) = (Delta::new(28, 35, 1, 1, 10), Delta::new(56, 7, 11, 11, 0));
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
            assert_eq!(woken(text, Delta::NULL), Some(false), "{text}");
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
