//! Answers terms about moves on the way through a game.

use tabiya_model::positions::MoveDelta;

use crate::plan::trigger::{TriggerSet, first_triggers, triggers};
use crate::run::balance_history::BalanceHistory;
use crate::run::event_order;
use crate::run::event_order::{EventTriggers, happens, order_width, waits_for_line_end};
use crate::terms::move_trigger::{MoveTrigger, MoveTriggers};
use crate::terms::position_view::PositionView;
use crate::terms::query::{Query, QueryTerm, TermVerdict, WalkQuestion, WalkTerm};

/// The answers of a query's terms for one game.
#[derive(Clone, Debug, Default)]
pub struct TermAnswers {
    /// What is known about each term.
    pub known: Vec<TermVerdict>,
    /// The plies before the position in which a term first holds.
    pub plies: Vec<Option<u32>>,
}

impl TermAnswers {
    /// Nothing is known about this number of terms.
    #[inline]
    pub fn reset(&mut self, terms: usize) {
        if self.known.len() == terms && self.plies.len() == terms {
            self.known.fill(None);
            self.plies.fill(None);
        } else {
            self.known = vec![None; terms];
            self.plies = vec![None; terms];
        }
    }

    fn yes(&mut self, term: usize, ply: u32) {
        self.known[term] = Some(true);
        self.plies[term] = Some(ply);
    }
}

/// A line that has been left, or that did not begin at the normal start.
const LEFT: u32 = u32::MAX;

/// Numbers that are kept of the lines that have been left.
const MOST_KEPT: usize = 1 << 24;

/// How far each question has come on the current line.
#[derive(Clone, Debug)]
pub(crate) struct WalkState<'q> {
    terms: Vec<(usize, &'q WalkTerm)>,
    /// Where the progress of each question begins.
    places: Vec<usize>,
    /// Positions that count, for each question that counts them; variations do not take them back.
    counts: Vec<i64>,
    /// Positions in a row, or moves of a line or sequence, or the last place of each event of an order.
    progress: Vec<u32>,
    /// The same before the last move.
    before: Vec<u32>,
    outer: Vec<u32>,
    /// The plies before the position that was seen last, and those of the lines that have been left.
    ply: u32,
    outer_plies: Vec<u32>,
    /// The material of the line so far, where it is asked who gave some.
    balances: Option<BalanceHistory>,
    /// The moves that each question is asked after, and those that any open one is.
    triggers: Vec<QuestionTriggers>,
    trigger_set: TriggerSet,
    /// Steps that the look at one position takes.
    weight: u32,
}

/// The moves that a question is asked after.
#[derive(Clone, Debug)]
enum QuestionTriggers {
    /// These.
    Always(MoveTriggers),
    /// Those of the move that is next.
    Sequence(Vec<MoveTriggers>),
    /// Those of the events that can be next.
    Order(Vec<EventTriggers>),
}

impl QuestionTriggers {
    fn new(ask: &WalkQuestion) -> QuestionTriggers {
        match ask {
            WalkQuestion::Somewhere {
                expr,
                lasting: (1, u32::MAX),
                plies: (0, u32::MAX),
                numbers: (0, u32::MAX),
            } => QuestionTriggers::Always(first_triggers(expr)),
            WalkQuestion::Somewhere {
                expr,
                lasting: (1, u32::MAX),
                ..
            }
            | WalkQuestion::Count { expr, .. } => QuestionTriggers::Always(triggers(expr)),
            WalkQuestion::Somewhere { .. } | WalkQuestion::Line(_) => {
                QuestionTriggers::Always(None)
            }
            WalkQuestion::End(_) => QuestionTriggers::Always(Some(Vec::new())),
            WalkQuestion::Sequence(tests) => {
                let each = tests.iter().map(|test| Some(vec![test.trigger()]));
                QuestionTriggers::Sequence(each.collect())
            }
            WalkQuestion::Order(steps) => QuestionTriggers::Order(EventTriggers::all(steps)),
            WalkQuestion::Sacrifice(_) => {
                QuestionTriggers::Always(Some(MoveTrigger::changes_of_material()))
            }
        }
    }
}

impl<'q> WalkState<'q> {
    pub(crate) fn new(query: &'q Query) -> WalkState<'q> {
        let terms: Vec<_> = query
            .terms
            .iter()
            .enumerate()
            .filter_map(|(index, term)| match term {
                QueryTerm::Walk(walk) => Some((index, walk)),
                QueryTerm::Field(_) => None,
            })
            .collect();
        let mut places = Vec::with_capacity(terms.len());
        let mut width = 0;
        for (_, term) in &terms {
            places.push(width);
            width += match &term.ask {
                WalkQuestion::Order(steps) => order_width(steps),
                _ => 1,
            };
        }
        let balances = terms
            .iter()
            .any(|(_, term)| matches!(term.ask, WalkQuestion::Sacrifice(_)));
        WalkState {
            progress: vec![0; width],
            before: vec![0; width],
            counts: vec![0; terms.len()],
            places,
            balances: balances.then(BalanceHistory::default),
            triggers: terms
                .iter()
                .map(|(_, term)| QuestionTriggers::new(&term.ask))
                .collect(),
            trigger_set: TriggerSet::default(),
            weight: terms.iter().flat_map(|(_, term)| term.exprs()).fold(
                terms.len().try_into().unwrap_or(u32::MAX),
                |all: u32, expr| all.saturating_add(expr.size()),
            ),
            terms,
            outer: Vec::new(),
            ply: 0,
            outer_plies: Vec::new(),
        }
    }

    /// Stands before the start of a game.
    pub(crate) fn start(&mut self, answers: &TermAnswers) {
        self.progress.fill(0);
        self.counts.fill(0);
        self.before.fill(0);
        self.outer.clear();
        self.outer_plies.clear();
        if let Some(balances) = &mut self.balances {
            balances.clear();
        }
        self.update_triggers(answers);
    }

    /// Whether anything is asked of the position that a move leads to. Where variations are looked into, each position has
    /// to be seen.
    #[inline(always)]
    pub(crate) fn is_triggered_by(&mut self, delta: impl FnOnce() -> MoveDelta) -> bool {
        self.trigger_set.fits(delta)
    }

    /// Whether something is asked of every position.
    pub(crate) fn is_always_triggered(&self) -> bool {
        self.trigger_set.is_always()
    }

    /// Attends to what is open.
    #[inline(never)]
    pub(crate) fn update_triggers(&mut self, answers: &TermAnswers) {
        self.trigger_set.clear();
        for ((calls, place), (index, _)) in self.triggers.iter().zip(&self.places).zip(&self.terms)
        {
            if answers.known[*index].is_some() {
                continue;
            }
            let progress = &self.progress[*place..];
            match calls {
                QuestionTriggers::Always(wakes) => self.trigger_set.add(wakes),
                QuestionTriggers::Sequence(tests) => {
                    if let Some(wakes) = tests.get(progress[0] as usize) {
                        self.trigger_set.add(wakes);
                    }
                }
                QuestionTriggers::Order(steps) => {
                    event_order::add_triggers(steps, progress, &mut self.trigger_set)
                }
            }
        }
    }

    /// Whether the final position matters to an open question.
    pub(crate) fn asks_for_the_end(&self, answers: &TermAnswers) -> bool {
        self.terms.iter().any(|(index, term)| {
            answers.known[*index].is_none() && matches!(term.ask, WalkQuestion::End(_))
        })
    }

    /// Whether any open question looks into variations.
    pub(crate) fn wants_variations(&self, answers: &TermAnswers) -> bool {
        self.terms
            .iter()
            .any(|(index, term)| term.variations && answers.known[*index].is_none())
    }

    /// Whether any question is open.
    pub(crate) fn is_open(&self, answers: &TermAnswers) -> bool {
        self.terms
            .iter()
            .any(|(index, _)| answers.known[*index].is_none())
    }

    /// Sees the position after a move, or the start; says whether an answer has become known.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        scene: &PositionView<'_>,
        main: bool,
        answers: &mut TermAnswers,
    ) -> bool {
        let mut found = false;
        let mut has_turned = false;
        self.ply = scene.ply;
        scene.spend(self.weight);
        if let Some(balances) = &mut self.balances {
            balances.visit(scene);
        }
        for (slot, (index, term)) in self.terms.iter().enumerate() {
            let place = self.places[slot];
            if answers.known[*index].is_some() || !(main || term.variations) {
                continue;
            }
            let here = self.progress[place];
            // Only variations come back to what was before.
            if term.variations {
                self.before[place] = here;
                if let WalkQuestion::Order(steps) = &term.ask {
                    let range = place..place + order_width(steps);
                    self.before[range.clone()].copy_from_slice(&self.progress[range]);
                }
            }
            match &term.ask {
                WalkQuestion::Somewhere {
                    expr,
                    lasting,
                    plies,
                    numbers,
                } => {
                    let counts = (plies.0..=plies.1).contains(&scene.ply)
                        && (numbers.0..=numbers.1).contains(&scene.number)
                        && expr.matches(scene);
                    let run = if counts { here + 1 } else { 0 };
                    self.progress[place] = run;
                    let is_over =
                        || !term.variations && (scene.ply >= plies.1 || scene.number > numbers.1);
                    if lasting.1 == u32::MAX {
                        if run >= lasting.0 {
                            answers.yes(*index, scene.ply + 1 - lasting.0);
                            found = true;
                            continue;
                        }
                    } else if let Some(ply) = row(*lasting, (here, run), scene.ply, is_over()) {
                        answers.yes(*index, ply);
                        found = true;
                        continue;
                    }
                    if is_over() {
                        answers.known[*index] = Some(false);
                        found = true;
                    }
                }
                WalkQuestion::End(_) => {}
                WalkQuestion::Order(steps) => {
                    let progress = &mut self.progress[place..place + order_width(steps)];
                    let happened = happens(steps, scene, progress);
                    has_turned |= happened.has_turned;
                    if happened.is_over {
                        answers.yes(*index, scene.ply);
                        found = true;
                    }
                }
                WalkQuestion::Count { expr, low, high } => {
                    if expr.matches(scene) {
                        let count = &mut self.counts[slot];
                        *count += 1;
                        if *count == *low || *count == 1 && *low <= 0 {
                            answers.plies[*index] = Some(scene.ply);
                        }
                        if *count > *high || *count >= *low && *high == i64::MAX {
                            answers.known[*index] = Some(*count <= *high);
                            found = true;
                        }
                    }
                }
                WalkQuestion::Line(line) => {
                    let moves = &line.moves;
                    let next = match &scene.moved {
                        None if *scene.pieces == line.pieces && scene.turn == line.turn => 0,
                        Some(moved)
                            if here.wrapping_add(1) == scene.ply
                                && moves.get(here as usize).is_some_and(|m| m.matches(moved)) =>
                        {
                            here + 1
                        }
                        _ => LEFT,
                    };
                    self.progress[place] = next;
                    if next as usize == moves.len() {
                        answers.yes(*index, scene.ply);
                        found = true;
                    } else if next == LEFT && !term.variations {
                        answers.known[*index] = Some(false);
                        found = true;
                    }
                }
                WalkQuestion::Sacrifice(wanted) => {
                    let asked = &mut self.progress[place];
                    if let Some(balances) = &self.balances
                        && let Some(ply) = balances.given(wanted, Some(scene.ply), asked)
                    {
                        answers.yes(*index, ply);
                        found = true;
                    }
                }
                WalkQuestion::Sequence(tests) => {
                    if let Some(moved) = &scene.moved
                        && tests
                            .get(here as usize)
                            .is_some_and(|test| test.matches(moved))
                    {
                        self.progress[place] = here + 1;
                        has_turned = true;
                        if here as usize + 1 == tests.len() {
                            answers.yes(*index, scene.ply);
                            found = true;
                        }
                    }
                }
            }
        }
        if found | has_turned {
            self.update_triggers(answers);
        }
        found
    }

    /// Enters a variation that replaces the last move; says whether there is room for what has to be kept meanwhile.
    #[must_use]
    pub(crate) fn begin(&mut self) -> bool {
        if self.outer.len() > MOST_KEPT {
            return false;
        }
        self.outer.extend_from_slice(&self.progress);
        self.outer.extend_from_slice(&self.before);
        self.progress.copy_from_slice(&self.before);
        if let Some(balances) = &mut self.balances {
            balances.begin(self.ply);
        }
        self.outer_plies.push(self.ply);
        true
    }

    /// Leaves a variation: the line ends here.
    pub(crate) fn end(&mut self, answers: &mut TermAnswers) {
        self.end_line(answers, true);
        let count = self.progress.len();
        if let Some(kept) = self.outer.len().checked_sub(2 * count) {
            self.progress
                .copy_from_slice(&self.outer[kept..kept + count]);
            self.before.copy_from_slice(&self.outer[kept + count..]);
            self.outer.truncate(kept);
        }
        if let Some(balances) = &mut self.balances {
            balances.end();
        }
        self.ply = self.outer_plies.pop().unwrap_or_default();
    }

    /// Answers what only the end of a line says.
    fn end_line(&self, answers: &mut TermAnswers, variation: bool) {
        for ((index, term), place) in self.terms.iter().zip(&self.places) {
            if answers.known[*index].is_some() || variation && !term.variations {
                continue;
            }
            let ply = match &term.ask {
                WalkQuestion::Somewhere { lasting, .. } if lasting.1 != u32::MAX => {
                    let run = self.progress[*place];
                    let fits = (lasting.0..=lasting.1).contains(&run);
                    fits.then(|| (self.ply + 1).saturating_sub(run))
                }
                WalkQuestion::Order(steps) if waits_for_line_end(steps) => {
                    let end = self.progress[*place + steps.len() - 1];
                    end.checked_sub(1)
                }
                WalkQuestion::Sacrifice(wanted) => {
                    let balances = self.balances.as_ref();
                    let asked = &mut self.progress[*place].clone();
                    balances.and_then(|line| line.given(wanted, None, asked))
                }
                _ => None,
            };
            if let Some(ply) = ply {
                answers.yes(*index, ply);
            }
        }
    }

    /// Sees the final position of the main line, where it matters: what is not answered now is answered with no.
    pub(crate) fn finish(&mut self, scene: Option<&PositionView<'_>>, answers: &mut TermAnswers) {
        self.end_line(answers, false);
        for ((index, term), count) in self.terms.iter().zip(&self.counts) {
            if answers.known[*index].is_some() {
                continue;
            }
            match &term.ask {
                WalkQuestion::Count { low, high, .. } => {
                    answers.known[*index] = Some(low <= count && count <= high);
                }
                WalkQuestion::End(expr) => match scene.filter(|scene| expr.matches(scene)) {
                    Some(scene) => answers.yes(*index, scene.ply),
                    None => answers.known[*index] = Some(false),
                },
                _ => answers.known[*index] = Some(false),
            }
        }
    }
}

/// Where a row began that is neither too short nor too long: only its end says so. It has ended where no more
/// positions count, or where the last one that did is followed by one that does not.
#[inline(never)]
fn row(lasting: (u32, u32), (before, now): (u32, u32), ply: u32, is_over: bool) -> Option<u32> {
    let (long, end) = match now {
        0 => (before, ply),
        now if is_over => (now, ply + 1),
        _ => return None,
    };
    (lasting.0..=lasting.1)
        .contains(&long)
        .then(|| end.saturating_sub(long))
}

/// The pieces of the normal start.
pub(crate) const START_PIECES: [u64; 12] = [
    0xff00,
    0x42,
    0x24,
    0x81,
    0x08,
    0x10,
    0x00ff_0000_0000_0000,
    0x4200_0000_0000_0000,
    0x2400_0000_0000_0000,
    0x8100_0000_0000_0000,
    0x0800_0000_0000_0000,
    0x1000_0000_0000_0000,
];
