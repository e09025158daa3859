//! Answers questions about moves on the way through a game.

use crate::position::{Moved, Scene};
use crate::query::{Ask, Query, Term, Verdict, WalkTerm};

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
    /// Positions in a row, or moves of a line or sequence.
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
        Course {
            progress: vec![0; terms.len()],
            before: vec![0; terms.len()],
            terms,
            outer: Vec::new(),
        }
    }

    /// Stands at the start of a game.
    pub(crate) fn start(&mut self) {
        self.progress.fill(0);
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
            let here = self.progress[slot];
            self.before[slot] = here;
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
                    self.progress[slot] = run;
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
                    self.progress[slot] = next;
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
                        self.progress[slot] = here + 1;
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
        let count = self.terms.len();
        if let Some(kept) = self.outer.len().checked_sub(2 * count) {
            self.progress
                .copy_from_slice(&self.outer[kept..kept + count]);
            self.before.copy_from_slice(&self.outer[kept + count..]);
            self.outer.truncate(kept);
        }
    }

    /// Sees the final position of the main line: what is not answered now is answered with no.
    pub(crate) fn finish(&mut self, scene: &Scene<'_>, answers: &mut Answers) {
        for (index, term) in &self.terms {
            if answers.known[*index].is_some() {
                continue;
            }
            match &term.ask {
                Ask::End(expr) if expr.matches(scene) => answers.yes(*index, scene.ply),
                _ => answers.known[*index] = Some(false),
            }
        }
    }
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
