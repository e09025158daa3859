//! Sequences of events: the progress along a line, and what a position adds.

use crate::plan::trigger::{TriggerSet, first_triggers, triggers};
use crate::terms::move_trigger::MoveTriggers;
use crate::terms::position_view::PositionView;
use crate::terms::query::{Occurrence, OrderEvent};

/// How many numbers say how far an order has come: the last place of each event, whether what must not come before
/// the first one has come, and for each event whether anything like it has.
pub(crate) fn order_width(steps: &[OrderEvent]) -> usize {
    let picks = steps.iter().any(|step| step.pick == Occurrence::First);
    steps.len() + 1 + if picks { steps.len() } else { 0 }
}

/// Whether only the end of a line says whether an order holds.
pub(crate) fn waits_for_line_end(steps: &[OrderEvent]) -> bool {
    steps.iter().any(|step| step.pick == Occurrence::Last)
}

/// What a position is for an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct OrderProgress {
    /// Whether the last event has happened.
    pub(crate) is_over: bool,
    /// Whether other questions than before have to be asked from now on.
    pub(crate) has_turned: bool,
}

/// Attends to what an order asks as far as it has come.
pub(crate) fn add_triggers(steps: &[EventTriggers], progress: &[u32], attention: &mut TriggerSet) {
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
pub(crate) struct EventTriggers {
    expr: MoveTriggers,
    unless: Option<MoveTriggers>,
    /// Whether it is asked from the start on.
    picks: bool,
    /// Whether it is asked no more once it has happened.
    once: bool,
}

impl EventTriggers {
    pub(crate) fn all(steps: &[OrderEvent]) -> Vec<EventTriggers> {
        let each = steps.iter().enumerate();
        each.map(|(at, step)| {
            let is_any = step.pick == Occurrence::Any;
            // Where what follows may come at any time, a later place says nothing that the first one does not.
            let once = is_any
                && steps.get(at + 1).is_some_and(|next| {
                    next.pick == Occurrence::Any && next.within == u32::MAX && next.unless.is_none()
                });
            EventTriggers {
                expr: match once && at == 0 && step.unless.is_none() {
                    true => first_triggers(&step.expr),
                    false => triggers(&step.expr),
                },
                unless: step.unless.as_ref().map(triggers),
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
pub(crate) fn happens(
    steps: &[OrderEvent],
    scene: &PositionView<'_>,
    progress: &mut [u32],
) -> OrderProgress {
    let now = scene.ply.saturating_add(1);
    let (ends, rest) = progress.split_at_mut(steps.len());
    let Some((over, met)) = rest.split_first_mut() else {
        return OrderProgress::default();
    };
    let mut has_turned = false;
    let waits = waits_for_line_end(steps);
    // Backwards, so that no position is two events.
    for (at, step) in steps.iter().enumerate().rev() {
        let before = match at.checked_sub(1) {
            Some(before) => ends[before],
            None => u32::from(*over == 0),
        };
        if before == 0 && step.pick == Occurrence::Any {
            continue;
        }
        let is_near = before != 0 && (at == 0 || now.saturating_sub(before) <= step.within);
        let is_alike = (is_near || step.pick != Occurrence::Any) && step.expr.matches(scene);
        let happens = match step.pick {
            Occurrence::Any => is_near && is_alike,
            Occurrence::First => {
                let is_first = met.get(at) == Some(&0);
                if is_alike && let Some(met) = met.get_mut(at) {
                    *met = 1;
                }
                is_near && is_alike && is_first
            }
            Occurrence::Last => {
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
                return OrderProgress {
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
    OrderProgress {
        is_over: false,
        has_turned,
    }
}
