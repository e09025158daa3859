//! Sequences in which every event is near the last one, and the last one can follow few kinds of moves only: then only a
//! few positions before each of these moves are evaluated.

use tabiya_model::positions::MoveDelta;

use crate::plan::trigger::triggers;
use crate::terms::move_trigger::MoveTrigger;
use crate::terms::query::{Occurrence, OrderEvent, WalkQuestion, WalkTerm};

/// The most plies before the last event.
const MAX_PLIES: u32 = 24;

/// Which moves the last event may come after, and how far before it all others are at most.
#[derive(Clone, Debug)]
pub(crate) struct OrderLookback {
    wakes: Vec<MoveTrigger>,
    plies: usize,
}

impl OrderLookback {
    /// None where it helps nothing: an order whose first event comes after few moves too is led by that.
    pub(crate) fn new(walk: &WalkTerm) -> Option<OrderLookback> {
        let WalkQuestion::Order(steps) = &walk.ask else {
            return None;
        };
        let is_plain = |step: &OrderEvent| step.pick == Occurrence::Any && step.unless.is_none();
        let [first, rest @ ..] = steps.as_slice() else {
            return None;
        };
        let last = rest.last()?;
        let plies = rest
            .iter()
            .fold(0, |sum: u32, step| sum.saturating_add(step.within));
        if walk.variations
            || !steps.iter().all(is_plain)
            || plies > MAX_PLIES
            || triggers(&first.expr).is_some()
        {
            return None;
        }
        let wakes = triggers(&last.expr)?;
        let echoes = wakes.iter().any(|wake| wake.includes_reply);
        (!echoes).then_some(OrderLookback {
            wakes,
            plies: usize::try_from(plies).ok()?,
        })
    }

    /// Whether the last event may come after a move.
    #[inline(always)]
    pub(crate) fn fits(&self, delta: MoveDelta) -> bool {
        self.wakes.iter().any(|wake| wake.fits(delta))
    }

    /// The first move whose position counts where the last event may come after so many moves; the start is not among them.
    pub(crate) fn first(&self, moves: usize) -> usize {
        moves.saturating_sub(self.plies + 1)
    }
}
