//! Answers questions about moves on the way through a game.

use crate::balances::Balances;
use crate::position::Scene;
use crate::query::{Ask, Pick, Query, Step, Term, Verdict, WalkTerm};

/// The answers of a query's terms for one game.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// What is known about each term.
    pub known: Vec<Verdict>,
    /// The half-moves before the position in which a term first holds.
    pub plies: Vec<Option<u32>>,
}

impl Answers {
    /// Nothing is known about so many terms.
    pub fn reset(&mut self, terms: usize) {
        self.known.clear();
        self.known.resize(terms, None);
        self.plies.clear();
        self.plies.resize(terms, None);
    }

    fn yes(&mut self, term: usize, ply: u32) {
        self.known[term] = Some(true);
        self.plies[term] = Some(ply);
    }
}

/// A line that has been left, or that did not begin at the normal start.
const LEFT: u32 = u32::MAX;

/// How far each question has come on the current line.
#[derive(Clone, Debug)]
pub(crate) struct Course<'q> {
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
    /// The half-moves before the position that was seen last, and those of the lines that have been left.
    ply: u32,
    outer_plies: Vec<u32>,
    /// The material of the line so far, where it is asked who gave some.
    balances: Option<Balances>,
}

impl<'q> Course<'q> {
    pub(crate) fn new(query: &'q Query) -> Course<'q> {
        let terms: Vec<_> = query
            .terms
            .iter()
            .enumerate()
            .filter_map(|(index, term)| match term {
                Term::Walk(walk) => Some((index, walk)),
                Term::Field(_) => None,
            })
            .collect();
        let mut places = Vec::with_capacity(terms.len());
        let mut width = 0;
        for (_, term) in &terms {
            places.push(width);
            width += match &term.ask {
                Ask::Order(steps) => order_width(steps),
                _ => 1,
            };
        }
        let balances = terms
            .iter()
            .any(|(_, term)| matches!(term.ask, Ask::Sacrifice { .. }));
        Course {
            progress: vec![0; width],
            before: vec![0; width],
            counts: vec![0; terms.len()],
            places,
            balances: balances.then(Balances::default),
            terms,
            outer: Vec::new(),
            ply: 0,
            outer_plies: Vec::new(),
        }
    }

    /// Stands at the start of a game.
    pub(crate) fn start(&mut self) {
        self.progress.fill(0);
        self.counts.fill(0);
        self.before.fill(0);
        self.outer.clear();
        self.outer_plies.clear();
        if let Some(balances) = &mut self.balances {
            balances.clear();
        }
    }

    /// Whether any open question looks into variations.
    pub(crate) fn wants_variations(&self, answers: &Answers) -> bool {
        self.terms
            .iter()
            .any(|(index, term)| term.variations && answers.known[*index].is_none())
    }

    /// Whether any question is open.
    pub(crate) fn is_open(&self, answers: &Answers) -> bool {
        self.terms
            .iter()
            .any(|(index, _)| answers.known[*index].is_none())
    }

    /// Sees the position after a move, or the start; says whether an answer has become known.
    #[inline]
    pub(crate) fn visit(&mut self, scene: &Scene<'_>, main: bool, answers: &mut Answers) -> bool {
        let mut found = false;
        self.ply = scene.ply;
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
                if let Ask::Order(steps) = &term.ask {
                    let range = place..place + order_width(steps);
                    self.before[range.clone()].copy_from_slice(&self.progress[range]);
                }
            }
            match &term.ask {
                Ask::Somewhere {
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
                Ask::End(_) => {}
                Ask::Order(steps) => {
                    let progress = &mut self.progress[place..place + order_width(steps)];
                    if happens(steps, scene, progress) {
                        answers.yes(*index, scene.ply);
                        found = true;
                    }
                }
                Ask::Count { expr, low, high } => {
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
                Ask::Line(line) => {
                    let moves = &line.moves;
                    let next = match &scene.moved {
                        None if scene.men == line.men && scene.turn == line.turn => 0,
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
                Ask::Sacrifice { sides, loss, plies } => {
                    if let Some(balances) = &self.balances
                        && let Some(ply) = balances.given(*sides, *loss, *plies, false)
                    {
                        answers.yes(*index, ply);
                        found = true;
                    }
                }
                Ask::Sequence(tests) => {
                    if let Some(moved) = &scene.moved
                        && tests
                            .get(here as usize)
                            .is_some_and(|test| test.matches(moved))
                    {
                        self.progress[place] = here + 1;
                        if here as usize + 1 == tests.len() {
                            answers.yes(*index, scene.ply);
                            found = true;
                        }
                    }
                }
            }
        }
        found
    }

    /// Enters a variation that replaces the last move.
    pub(crate) fn begin(&mut self) {
        self.outer.extend_from_slice(&self.progress);
        self.outer.extend_from_slice(&self.before);
        self.progress.copy_from_slice(&self.before);
        if let Some(balances) = &mut self.balances {
            balances.begin();
        }
        self.outer_plies.push(self.ply);
    }

    /// Leaves a variation: the line ends here.
    pub(crate) fn end(&mut self, answers: &mut Answers) {
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
    fn end_line(&self, answers: &mut Answers, variation: bool) {
        for ((index, term), place) in self.terms.iter().zip(&self.places) {
            if answers.known[*index].is_some() || variation && !term.variations {
                continue;
            }
            let ply = match &term.ask {
                Ask::Somewhere { lasting, .. } if lasting.1 != u32::MAX => {
                    let run = self.progress[*place];
                    let fits = (lasting.0..=lasting.1).contains(&run);
                    fits.then(|| (self.ply + 1).saturating_sub(run))
                }
                Ask::Order(steps) if waits(steps) => {
                    let end = self.progress[*place + steps.len() - 1];
                    end.checked_sub(1)
                }
                Ask::Sacrifice { sides, loss, plies } => {
                    let balances = self.balances.as_ref();
                    balances.and_then(|line| line.given(*sides, *loss, *plies, true))
                }
                _ => None,
            };
            if let Some(ply) = ply {
                answers.yes(*index, ply);
            }
        }
    }

    /// Sees the final position of the main line: what is not answered now is answered with no.
    pub(crate) fn finish(&mut self, scene: &Scene<'_>, answers: &mut Answers) {
        self.end_line(answers, false);
        for ((index, term), count) in self.terms.iter().zip(&self.counts) {
            if answers.known[*index].is_some() {
                continue;
            }
            match &term.ask {
                Ask::Count { low, high, .. } => {
                    answers.known[*index] = Some(low <= count && count <= high);
                }
                Ask::End(expr) if expr.matches(scene) => answers.yes(*index, scene.ply),
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

/// How many numbers say how far an order has come: the last place of each event, whether what must not come before
/// the first one has come, and for each event whether anything like it has.
fn order_width(steps: &[Step]) -> usize {
    let picks = steps.iter().any(|step| step.pick == Pick::First);
    steps.len() + 1 + if picks { steps.len() } else { 0 }
}

/// Whether only the end of a line says whether an order holds.
fn waits(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.pick == Pick::Last)
}

/// Sees whether the last event of an order happens. Of each event but those that are too old the last place is kept,
/// plus one, 0 for none: whatever holds from an earlier place on holds from a later one too. Of the last event the first
/// place is kept where the end of the line has to be waited for.
fn happens(steps: &[Step], scene: &Scene<'_>, progress: &mut [u32]) -> bool {
    let now = scene.ply.saturating_add(1);
    let (ends, rest) = progress.split_at_mut(steps.len());
    let Some((over, met)) = rest.split_first_mut() else {
        return false;
    };
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
                    ends[at..].fill(0);
                }
                is_near && is_alike
            }
        };
        if before != 0 && step.unless.as_ref().is_some_and(|expr| expr.matches(scene)) {
            match at.checked_sub(1) {
                Some(before) => ends[before] = 0,
                None => *over = 1,
            }
        }
        if happens {
            let is_end = at + 1 == steps.len();
            if is_end && !waits {
                return true;
            }
            if !is_end || ends[at] == 0 {
                ends[at] = now;
            }
        }
    }
    false
}

/// The men of the normal start.
pub(crate) const START_MEN: [u64; 12] = [
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
