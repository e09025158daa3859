//! Answers questions about moves on the way through a game.

use crate::position::{Moved, Scene};
use crate::query::{Ask, Query, Step, Term, Verdict, WalkTerm};

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
}

fn same_move(a: &Moved, b: &Moved) -> bool {
    a.castle == b.castle
        && a.null == b.null
        && (a.castle.is_some() || (a.from == b.from && a.to == b.to))
        && a.promotion == b.promotion
        && a.man == b.man
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
                Ask::Order(steps) => steps.len() + 1,
                _ => 1,
            };
        }
        Course {
            progress: vec![0; width],
            before: vec![0; width],
            counts: vec![0; terms.len()],
            places,
            terms,
            outer: Vec::new(),
        }
    }

    /// Stands at the start of a game.
    pub(crate) fn start(&mut self) {
        self.progress.fill(0);
        self.counts.fill(0);
        self.before.fill(0);
        self.outer.clear();
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
        for (slot, (index, term)) in self.terms.iter().enumerate() {
            let place = self.places[slot];
            let here = self.progress[place];
            self.before[place] = here;
            if let Ask::Order(steps) = &term.ask {
                let range = place..=place + steps.len();
                self.before[range.clone()].copy_from_slice(&self.progress[range]);
            }
            if answers.known[*index].is_some() || !(main || term.variations) {
                continue;
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
                    if run >= *lasting {
                        answers.yes(*index, scene.ply + 1 - lasting);
                        found = true;
                    } else if !term.variations && (scene.ply >= plies.1 || scene.number > numbers.1)
                    {
                        answers.known[*index] = Some(false);
                        found = true;
                    }
                }
                Ask::End(_) => {}
                Ask::Order(steps) => {
                    let (ends, rest) = self.progress[place..].split_at_mut(steps.len());
                    if happens(steps, scene, ends, &mut rest[0]) {
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
                    let next = match &scene.moved {
                        None if starts_normally(scene) => 0,
                        Some(moved)
                            if here + 1 == scene.ply
                                && line.get(here as usize).is_some_and(|m| same_move(m, moved)) =>
                        {
                            here + 1
                        }
                        _ => LEFT,
                    };
                    self.progress[place] = next;
                    if next as usize == line.len() {
                        answers.yes(*index, scene.ply);
                        found = true;
                    } else if next == LEFT && !term.variations {
                        answers.known[*index] = Some(false);
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
    }

    /// Leaves a variation.
    pub(crate) fn end(&mut self) {
        let count = self.progress.len();
        if let Some(kept) = self.outer.len().checked_sub(2 * count) {
            self.progress
                .copy_from_slice(&self.outer[kept..kept + count]);
            self.before.copy_from_slice(&self.outer[kept + count..]);
            self.outer.truncate(kept);
        }
    }

    /// Sees the final position of the main line: what is not answered now is answered with no.
    pub(crate) fn finish(&mut self, scene: &Scene<'_>, answers: &mut Answers) {
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

/// Sees whether the last event of an order happens. Of each event but those that are too old the last place is kept,
/// plus one, 0 for none: whatever holds from an earlier place on holds from a later one too. `over` says that what must
/// not come before the first event has come.
fn happens(steps: &[Step], scene: &Scene<'_>, ends: &mut [u32], over: &mut u32) -> bool {
    let now = scene.ply.saturating_add(1);
    // Backwards, so that no position is two events.
    for (at, step) in steps.iter().enumerate().rev() {
        let before = match at.checked_sub(1) {
            Some(before) => ends[before],
            None => u32::from(*over == 0),
        };
        if before == 0 {
            continue;
        }
        let is_near = at == 0 || now.saturating_sub(before) <= step.within;
        let happens = is_near && step.expr.matches(scene);
        if step.unless.as_ref().is_some_and(|expr| expr.matches(scene)) {
            match at.checked_sub(1) {
                Some(before) => ends[before] = 0,
                None => *over = 1,
            }
        }
        if happens {
            ends[at] = now;
            if at + 1 == steps.len() {
                return true;
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

fn starts_normally(scene: &Scene<'_>) -> bool {
    scene.men == START_MEN && scene.turn == shakmaty::Color::White
}
