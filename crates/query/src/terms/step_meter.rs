//! The cost limit of a query: steps are counted as they are taken, the control is checked every so often, and a query that
//! takes more of them in one game than allowed ends the search.

use std::cell::Cell;

use tabiya_model::Control;

/// Steps between two looks at the control: a step takes some nanoseconds.
const LOOK: u32 = 1 << 13;

/// What is said of a game whose variations lie too deep within each other for a query.
pub(crate) const TOO_DEEP: &str = "has to keep too much of the variations within variations";

/// Counts the steps of one thread. The answers for a game in which it was over are none.
#[derive(Clone, Debug)]
pub(crate) struct StepMeter {
    control: Control,
    /// Steps until the control is looked at.
    near: Cell<u32>,
    /// Steps that are left for this game, those before the next look counted as taken.
    left: Cell<u64>,
    over: Cell<bool>,
    number: Cell<u64>,
}

impl StepMeter {
    pub(crate) fn new(control: Control) -> StepMeter {
        StepMeter {
            left: Cell::new(control.steps()),
            control,
            near: Cell::new(LOOK),
            over: Cell::new(false),
            number: Cell::new(0),
        }
    }

    /// Begins with a game.
    #[inline]
    pub(crate) fn begin(&self, number: u64) {
        self.number.set(number);
        self.near.set(LOOK);
        self.left.set(self.control.steps());
    }

    /// Takes so many steps more.
    #[inline(always)]
    pub(crate) fn spend(&self, steps: u32) {
        match self.near.get().checked_sub(steps) {
            Some(near) => self.near.set(near),
            None => self.look(steps),
        }
    }

    /// Whether nothing more is to be asked.
    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.over.get()
    }

    #[cold]
    #[inline(never)]
    fn look(&self, steps: u32) {
        let taken = u64::from(LOOK.max(steps));
        match self.left.get().checked_sub(taken) {
            Some(left) => self.left.set(left),
            None => self.exhaust("takes too many steps"),
        }
        if self.control.is_stopped() {
            self.over.set(true);
        }
        self.near.set(if self.over.get() { 0 } else { LOOK });
    }

    /// Ends the search, because a game and the query together are too much.
    #[cold]
    pub(crate) fn exhaust(&self, why: &str) {
        self.over.set(true);
        let game = match self.number.get() {
            0 => "a game".to_owned(),
            number => format!("game {number}"),
        };
        self.control.exhaust(format!(
            "the query {why} in {game}: the search ended there, and later games were not searched; simplify the terms \
             about positions, or leave this game out"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_has_its_own_budget() {
        let control = Control::default().with_steps(10 * u64::from(LOOK));
        let meter = StepMeter::new(control.clone());
        for game in 1..4 {
            meter.begin(game);
            (0..9 * LOOK).for_each(|_| meter.spend(1));
            assert!(!meter.is_over());
        }
        meter.begin(4);
        (0..12 * LOOK).for_each(|_| meter.spend(1));
        assert!(meter.is_over());
        assert!(control.reason().is_some_and(|why| why.contains("game 4")));
    }

    #[test]
    fn the_control_is_looked_at_between_steps() {
        let control = Control::default();
        let meter = StepMeter::new(control.clone());
        meter.begin(1);
        control.stop();
        meter.spend(1);
        assert!(!meter.is_over());
        meter.spend(LOOK);
        assert!(meter.is_over());
        assert_eq!(control.reason(), None);
    }
}
