//! Walks through games by their deltas: no legality, no text, and a board only where a question needs one.

use tabiya_model::positions::{GameWalker, MoveDelta, PositionSource, WalkStart};
use tabiya_model::{Control, Result};

use crate::plan::bounds::CutoffRule;
use crate::plan::lookback::OrderLookback;
use crate::plan::position_needs::PositionNeeds;
use crate::run::pieces::{DeltaPieces, DeltaPosition, moved};
use crate::run::position_history::PositionHistory;
use crate::run::scan::{PositionSums, ScanTarget};
use crate::run::walk::{TermAnswers, WalkState};
use crate::terms::position::PositionAtom;
use crate::terms::query::{Query, QueryTerm, WalkQuestion, WalkTerm};
use crate::terms::step_meter::{StepMeter, TOO_DEEP};

/// Steps that are decoded at first; each time twice as many, up to the second number.
const RUN: (usize, usize) = (24, 96);

/// Whether a term can be answered from deltas alone.
pub(crate) fn needs_only_deltas(walk: &WalkTerm) -> bool {
    !walk.any(&PositionAtom::is_annotation)
}

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WalkOutcome {
    /// All terms are answered.
    Answered,
    /// The game is damaged; the readable part is answered.
    Damaged,
    /// The game cannot be decoded in this way.
    Unreadable,
    /// The search was stopped, or was too expensive: nothing is answered.
    Cut,
}

/// Walks one thread's games.
pub(crate) struct DeltaRunner<'q, 'd> {
    query: &'q Query,
    walker: Box<dyn GameWalker + 'd>,
    steps: Vec<MoveDelta>,
    course: WalkState<'q>,
    asks: PositionNeeds,
    history: Option<PositionHistory>,
    stops: Vec<(usize, CutoffRule)>,
    /// What is looked for, where that is all that is asked of the moves.
    scan: Option<ScanTarget>,
    /// Where events are looked for before the last one, if an order is all that is asked of the moves.
    lookback: Option<OrderLookback>,
    /// The last ply that counts for the only question.
    last_ply: u32,
    /// Whether hits need their ply.
    plies: bool,
    outer: Vec<(DeltaPosition, DeltaPosition)>,
    standard: DeltaPieces,
    standard_sums: PositionSums,
    meter: StepMeter,
    /// Positions that were seen.
    pub(crate) positions: u64,
}

impl<'q, 'd> DeltaRunner<'q, 'd> {
    pub(crate) fn new(
        query: &'q Query,
        positions: &'d dyn PositionSource,
        plies: bool,
        control: &Control,
    ) -> DeltaRunner<'q, 'd> {
        let walks: Vec<(usize, &WalkTerm)> = query
            .terms
            .iter()
            .enumerate()
            .filter_map(|(index, term)| match term {
                QueryTerm::Walk(walk) => Some((index, walk)),
                QueryTerm::Field(_) => None,
            })
            .collect();
        let (scan, last_ply) = match walks.as_slice() {
            [(_, walk)] => match &walk.ask {
                WalkQuestion::Somewhere { plies, .. } if !walk.variations => {
                    (ScanTarget::new(walk), plies.1)
                }
                _ => (None, u32::MAX),
            },
            _ => (None, u32::MAX),
        };
        let foresight = match walks.as_slice() {
            [(_, walk)] if CutoffRule::new(walk).is_none() => OrderLookback::new(walk),
            _ => None,
        };
        let asks = PositionNeeds::new(query);
        DeltaRunner {
            query,
            walker: positions.walker(),
            steps: Vec::new(),
            course: WalkState::new(query),
            asks,
            history: asks.repeats.then(PositionHistory::default),
            stops: walks
                .iter()
                .filter_map(|(index, walk)| Some((*index, CutoffRule::new(walk)?)))
                .collect(),
            scan,
            lookback: foresight,
            last_ply,
            plies,
            outer: Vec::new(),
            standard_sums: PositionSums::new(&DeltaPieces::new(None)),
            standard: DeltaPieces::new(None),
            meter: StepMeter::new(control.clone()),
            positions: 0,
        }
    }

    fn is_done(&self, answers: &TermAnswers) -> bool {
        match self.query.verdict(&answers.known) {
            Some(false) => true,
            Some(true) if !self.plies => true,
            _ => !self.course.is_open(answers),
        }
    }

    /// Answers what is open. `promotions` is false where the main line is known to have none.
    pub(crate) fn run(
        &mut self,
        number: u64,
        promotions: bool,
        answers: &mut TermAnswers,
    ) -> Result<WalkOutcome> {
        self.meter.begin(number);
        let walked = self.walk(number, promotions, answers)?;
        // What was asked last may have been answered in haste.
        Ok(if self.meter.is_over() {
            WalkOutcome::Cut
        } else {
            walked
        })
    }

    fn walk(
        &mut self,
        number: u64,
        promotions: bool,
        answers: &mut TermAnswers,
    ) -> Result<WalkOutcome> {
        let start = match self.walker.open(number)? {
            WalkStart::Standard => None,
            WalkStart::Setup(board) => Some(board),
            WalkStart::Unreadable => return Ok(WalkOutcome::Unreadable),
        };
        let start = start.as_deref();
        let field = match start {
            None => self.standard.clone(),
            Some(board) => DeltaPieces::new(Some(board)),
        };
        let mut led = DeltaPosition::new(field, start, self.asks);
        self.course.start(answers);
        self.outer.clear();
        if let Some(history) = &mut self.history {
            history.clear();
        }
        led.come(&mut self.history);
        if self.visit(&led, None, answers) {
            return Ok(WalkOutcome::Answered);
        }
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let walked = if self.course.wants_variations(answers) {
            self.run_lines(led, &mut steps, promotions, answers)
        } else {
            let sums = || match start {
                None => self.standard_sums.clone(),
                Some(_) => PositionSums::new(&led.field),
            };
            match self.scan {
                None if self.lookback.is_some() => self.run_with_lookback(led, &mut steps, answers),
                None if self.course.is_always_triggered() => {
                    self.run_each(led, &mut steps, promotions, answers)
                }
                None => self.run_main(led, &mut steps, promotions, answers),
                Some(ScanTarget::Placement(key)) => {
                    let sums = sums();
                    self.scan(sums, led, &mut steps, promotions, answers, |sums, _| {
                        sums.is(key)
                    })
                }
                Some(ScanTarget::Material { lower, upper }) => {
                    let sums = sums();
                    self.scan(sums, led, &mut steps, promotions, answers, |sums, delta| {
                        sums.is_within(lower, upper)
                            && (delta.captured() != 0 || delta.becomes() != delta.mover())
                    })
                }
            }
        };
        self.steps = steps;
        walked
    }

    /// Asks what is open of a position; says whether nothing more has to be asked.
    #[inline(always)]
    fn visit(
        &mut self,
        led: &DeltaPosition,
        delta: Option<MoveDelta>,
        answers: &mut TermAnswers,
    ) -> bool {
        let moved = delta.filter(|_| self.asks.moved).map(moved);
        let main = self.outer.is_empty();
        let mut scene = led.scene(moved);
        scene.meter = Some(&self.meter);
        self.course.visit(&scene, main, answers) && self.is_done(answers) || self.meter.is_over()
    }

    /// Counts steps that were decoded; says whether the walk goes on.
    fn goes_on(&mut self, steps: usize) -> bool {
        let compared = self
            .history
            .as_mut()
            .map_or(0, PositionHistory::take_compared);
        self.meter.spend(u32::try_from(steps).unwrap_or(u32::MAX));
        self.meter.spend(compared);
        !self.meter.is_over()
    }

    /// Walks through the main line and looks at each position.
    fn run_each(
        &mut self,
        mut led: DeltaPosition,
        steps: &mut Vec<MoveDelta>,
        promotions: bool,
        answers: &mut TermAnswers,
    ) -> Result<WalkOutcome> {
        let mut last = None;
        let mut run = RUN.0;
        let mut more = true;
        let mut over = false;
        while more && !over {
            steps.clear();
            more = self.walker.steps(false, run, steps)?;
            run = (run * 2).min(RUN.1);
            for delta in steps.iter().copied() {
                self.positions += 1;
                led.step(delta, &mut self.history);
                if self.visit(&led, Some(delta), answers) {
                    return Ok(WalkOutcome::Answered);
                }
                if led.field.ply >= self.last_ply || self.lost(&led.field, promotions, answers) {
                    over = true;
                    break;
                }
            }
            last = steps.last().copied().or(last);
            more &= self.goes_on(steps.len());
        }
        self.finish(led, &[], last.as_slice().into(), answers);
        Ok(self.ended(over))
    }

    /// Walks through the main line. Positions of which nothing is asked are passed over, and the pieces are led after the
    /// deltas where one of them comes that is.
    fn run_main(
        &mut self,
        mut led: DeltaPosition,
        steps: &mut Vec<MoveDelta>,
        promotions: bool,
        answers: &mut TermAnswers,
    ) -> Result<WalkOutcome> {
        let last = usize::try_from(self.last_ply).unwrap_or(usize::MAX);
        // Some things have to be looked at in each position.
        let all = !self.stops.is_empty() || self.history.is_some();
        let (mut seen, mut shown) = (0, 0);
        let mut run = RUN.0;
        let mut more = true;
        let mut over = false;
        while more && !over {
            more = self.walker.steps(false, run, steps)?;
            run = (run * 2).min(RUN.1);
            while let Some(delta) = steps.get(seen).copied() {
                seen += 1;
                let is_called = self.course.is_triggered_by(|| delta);
                if is_called || all {
                    match self.asks.pieces || all {
                        true => led.play(
                            steps.get(shown..seen).unwrap_or_default(),
                            &mut self.history,
                        ),
                        false => led.pass(seen - shown),
                    }
                    shown = seen;
                }
                if is_called && self.visit(&led, Some(delta), answers) {
                    self.positions += seen as u64;
                    return Ok(WalkOutcome::Answered);
                }
                if seen >= last || self.lost(&led.field, promotions, answers) {
                    over = true;
                    break;
                }
            }
            more &= self.goes_on(run);
        }
        self.positions += seen as u64;
        let rest = steps.get(shown..seen).unwrap_or_default();
        self.finish(led, rest, steps.get(..seen), answers);
        Ok(self.ended(over))
    }

    /// Walks through the main line, and looks back from each move after which an order may be over.
    fn run_with_lookback(
        &mut self,
        mut led: DeltaPosition,
        steps: &mut Vec<MoveDelta>,
        answers: &mut TermAnswers,
    ) -> Result<WalkOutcome> {
        let Some(foresight) = self.lookback.take() else {
            return Ok(WalkOutcome::Unreadable);
        };
        let walked = self.look_back(&foresight, &mut led, steps, answers);
        self.lookback = Some(foresight);
        if walked? {
            return Ok(WalkOutcome::Answered);
        }
        self.course.finish(None, answers);
        Ok(self.ended(false))
    }

    /// Says whether all is answered.
    fn look_back(
        &mut self,
        foresight: &OrderLookback,
        led: &mut DeltaPosition,
        steps: &mut Vec<MoveDelta>,
        answers: &mut TermAnswers,
    ) -> Result<bool> {
        let (mut seen, mut shown) = (0, 0);
        let mut run = RUN.0;
        let mut more = true;
        while more {
            more = self.walker.steps(false, run, steps)?;
            run = (run * 2).min(RUN.1);
            while let Some(delta) = steps.get(seen).copied() {
                seen += 1;
                self.positions += 1;
                if !foresight.fits(delta) {
                    continue;
                }
                let from = foresight.first(seen).max(shown);
                led.play(
                    steps.get(shown..from).unwrap_or_default(),
                    &mut self.history,
                );
                for delta in steps.get(from..seen).unwrap_or_default() {
                    led.step(*delta, &mut self.history);
                    if self.visit(led, Some(*delta), answers) {
                        return Ok(true);
                    }
                }
                shown = seen;
            }
            more &= self.goes_on(run);
        }
        Ok(false)
    }

    /// Answers what the end of the main line says. `rest` has not been played yet.
    fn finish(
        &mut self,
        mut led: DeltaPosition,
        rest: &[MoveDelta],
        steps: Option<&[MoveDelta]>,
        answers: &mut TermAnswers,
    ) {
        if !self.course.asks_for_the_end(answers) {
            return self.course.finish(None, answers);
        }
        led.play(rest, &mut self.history);
        let moved = steps.and_then(<[MoveDelta]>::last).copied().map(moved);
        let mut scene = led.scene(moved);
        scene.meter = Some(&self.meter);
        self.course.finish(Some(&scene), answers);
    }

    fn ended(&self, over: bool) -> WalkOutcome {
        if !over && self.walker.is_damaged() {
            WalkOutcome::Damaged
        } else {
            WalkOutcome::Answered
        }
    }

    /// Walks through all lines.
    fn run_lines(
        &mut self,
        mut led: DeltaPosition,
        steps: &mut Vec<MoveDelta>,
        promotions: bool,
        answers: &mut TermAnswers,
    ) -> Result<WalkOutcome> {
        let mut before = led.clone();
        let mut last_main = None;
        let mut run = RUN.0;
        let mut more = true;
        while more {
            steps.clear();
            more = self.walker.steps(true, run, steps)?;
            run = (run * 2).min(RUN.1);
            for delta in steps.iter().copied() {
                if !delta.is_move() {
                    if delta == MoveDelta::BEGIN {
                        if let Some(history) = &mut self.history {
                            history.begin();
                        }
                        self.outer.push((led, before.clone()));
                        if !self.course.begin() {
                            self.meter.exhaust(TOO_DEEP);
                            return Ok(WalkOutcome::Cut);
                        }
                        led = before.clone();
                    } else if let Some((now, outer)) = self.outer.pop() {
                        (led, before) = (now, outer);
                        if let Some(history) = &mut self.history {
                            history.end(led.field.ply);
                        }
                        self.course.end(answers);
                    }
                    continue;
                }
                before.clone_from(&led);
                self.positions += 1;
                led.step(delta, &mut self.history);
                if self.outer.is_empty() {
                    last_main = Some(delta);
                }
                if self.visit(&led, Some(delta), answers) {
                    return Ok(WalkOutcome::Answered);
                }
                if self.lost(&led.field, promotions, answers)
                    || (led.field.ply >= self.last_ply && self.outer.is_empty())
                {
                    self.course.finish(None, answers);
                    return Ok(WalkOutcome::Answered);
                }
            }
            more &= self.goes_on(steps.len());
        }
        self.finish(led, &[], last_main.as_slice().into(), answers);
        Ok(self.ended(false))
    }

    /// Answers the only question about moves. The field is led after the sums where these make a position worth a look.
    #[inline(always)]
    fn scan(
        &mut self,
        mut sums: PositionSums,
        mut led: DeltaPosition,
        steps: &mut Vec<MoveDelta>,
        promotions: bool,
        answers: &mut TermAnswers,
        is_worth_a_look: impl Fn(&PositionSums, MoveDelta) -> bool,
    ) -> Result<WalkOutcome> {
        let last = usize::try_from(self.last_ply).unwrap_or(usize::MAX);
        let (mut seen, mut shown) = (0, 0);
        let mut run = RUN.0;
        let mut more = true;
        let mut over = false;
        while more && !over {
            more = self.walker.steps(false, run, steps)?;
            run = (run * 2).min(RUN.1);
            for delta in steps.get(seen..).unwrap_or_default() {
                seen += 1;
                sums.play(*delta);
                if is_worth_a_look(&sums, *delta) {
                    led.play(
                        steps.get(shown..seen).unwrap_or_default(),
                        &mut self.history,
                    );
                    shown = seen;
                    over |= self.visit(&led, Some(*delta), answers);
                }
                let lost = |(_, stop): &(usize, CutoffRule)| sums.is_lost(stop, promotions);
                over |= seen >= last || self.stops.first().is_some_and(lost);
                if over {
                    break;
                }
            }
            more &= self.goes_on(run);
        }
        self.positions += seen as u64;
        self.course.finish(None, answers);
        Ok(self.ended(over))
    }

    /// Whether what is open has no hope left.
    #[inline(always)]
    fn lost(&self, field: &DeltaPieces, promotions: bool, answers: &mut TermAnswers) -> bool {
        self.stops
            .iter()
            .any(|(_, stop)| field.is_lost(stop, promotions))
            && self.outer.is_empty()
            && self.give_up(field, promotions, answers)
    }

    #[inline(never)]
    fn give_up(&self, field: &DeltaPieces, promotions: bool, answers: &mut TermAnswers) -> bool {
        let mut any = false;
        for (index, stop) in &self.stops {
            if answers.known[*index].is_none() && field.is_lost(stop, promotions) {
                answers.known[*index] = Some(false);
                any = true;
            }
        }
        any && self.is_done(answers)
    }
}
