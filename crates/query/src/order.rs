//! The order of events: how far it has come on a line, and what a position adds.

use crate::position::Scene;
use crate::query::{Pick, Step};
use crate::wake::{Attention, Wakes, first_wakes, wakes};

/// How many numbers say how far an order has come: the last place of each event, whether what must not come before
/// the first one has come, and for each event whether anything like it has.
pub(crate) fn order_width(steps: &[Step]) -> usize {
    let picks = steps.iter().any(|step| step.pick == Pick::First);
    steps.len() + 1 + if picks { steps.len() } else { 0 }
}

/// Whether only the end of a line says whether an order holds.
pub(crate) fn waits(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.pick == Pick::Last)
}

/// What a position is for an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Happened {
    /// Whether the last event has happened.
    pub(crate) is_over: bool,
    /// Whether other questions than before have to be asked from now on.
    pub(crate) has_turned: bool,
}

/// Attends to what an order asks as far as it has come.
pub(crate) fn attend(steps: &[StepWakes], progress: &[u32], attention: &mut Attention) {
    let (ends, over) = progress.split_at(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let is_near = match at.checked_sub(1) {
            Some(before) => ends[before] != 0,
            None => over.first() == Some(&0),
        };
        let is_done = step.once && ends.get(at).is_some_and(|end| *end != 0);
        if is_near && !is_done || step.picks {
            attention.add(&step.expr);
        }
        if is_near && let Some(unless) = &step.unless {
            attention.add(unless);
        }
    }
}

/// The moves that one event of an order is asked after.
#[derive(Clone, Debug)]
pub(crate) struct StepWakes {
    expr: Wakes,
    unless: Option<Wakes>,
    /// Whether it is asked from the start on.
    picks: bool,
    /// Whether it is asked no more once it has happened.
    once: bool,
}

impl StepWakes {
    pub(crate) fn all(steps: &[Step]) -> Vec<StepWakes> {
        let each = steps.iter().enumerate();
        each.map(|(at, step)| {
            let is_any = step.pick == Pick::Any;
            // Where what follows may come at any time, a later place says nothing that the first one does not.
            let once = is_any
                && steps.get(at + 1).is_some_and(|next| {
                    next.pick == Pick::Any && next.within == u32::MAX && next.unless.is_none()
                });
            StepWakes {
                expr: match once && at == 0 && step.unless.is_none() {
                    true => first_wakes(&step.expr),
                    false => wakes(&step.expr),
                },
                unless: step.unless.as_ref().map(wakes),
                picks: !is_any,
                once,
            }
        })
        .collect()
    }
}

/// Sees whether the last event of an order happens. Of each event but those that are too old the last place is kept,
/// plus one, 0 for none: whatever holds from an earlier place on holds from a later one too. Of the last event the first
/// place is kept where the end of the line has to be waited for.
pub(crate) fn happens(steps: &[Step], scene: &Scene<'_>, progress: &mut [u32]) -> Happened {
    let now = scene.ply.saturating_add(1);
    let (ends, rest) = progress.split_at_mut(steps.len());
    let Some((over, met)) = rest.split_first_mut() else {
        return Happened::default();
    };
    let mut has_turned = false;
    let waits = waits(steps);
    // Backwards, so that no position is two events.
    for (at, step) in steps.iter().enumerate().rev() {
        let before = match at.checked_sub(1) {
            Some(before) => ends[before],
            None => u32::from(*over == 0),
        };
        if before == 0 && step.pick == Pick::Any {
            continue;
        }
        let is_near = before != 0 && (at == 0 || now.saturating_sub(before) <= step.within);
        let is_alike = (is_near || step.pick != Pick::Any) && step.expr.matches(scene);
        let happens = match step.pick {
            Pick::Any => is_near && is_alike,
            Pick::First => {
                let is_first = met.get(at) == Some(&0);
                if is_alike && let Some(met) = met.get_mut(at) {
                    *met = 1;
                }
                is_near && is_alike && is_first
            }
            Pick::Last => {
                if is_alike {
                    // What came before was not the last one, and what came after that came after no last one.
                    has_turned |= ends[at..].iter().any(|end| *end != 0);
                    ends[at..].fill(0);
                }
                is_near && is_alike
            }
        };
        if before != 0 && step.unless.as_ref().is_some_and(|expr| expr.matches(scene)) {
            has_turned = true;
            match at.checked_sub(1) {
                Some(before) => ends[before] = 0,
                None => *over = 1,
            }
        }
        if happens {
            let is_end = at + 1 == steps.len();
            if is_end && !waits {
                return Happened {
                    is_over: true,
                    has_turned: true,
                };
            }
            if !is_end || ends[at] == 0 {
                has_turned |= ends[at] == 0;
                ends[at] = now;
            }
        }
    }
    Happened {
        is_over: false,
        has_turned,
    }
}
