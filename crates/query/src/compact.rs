//! Walks through games by their deltas: no board, no legality, no text.

use std::cell::Cell;

use shakmaty::{CastlingSide, Color};
use tabiya_model::positions::{Delta, From, Positions, Walker, piece};
use tabiya_model::{Board, Result};

use crate::hints::{RANK_2, RANK_7, Stop};
use crate::material::counts_of;
use crate::position::{Men, Moved, PositionAtom, Scene, men_of};
use crate::query::{Ask, Query, Term, WalkTerm};
use crate::scan::{Scan, Sums, pack};
use crate::trail::Trail;
use crate::turned::Turn;
use crate::walk::{Answers, Course, START_MEN};

/// Steps that are decoded at first; each time twice as many, up to the second number.
const RUN: (usize, usize) = (24, 96);

/// The place in [`Men`] of each of a delta's men.
const KIND: [u8; 16] = [12, 0, 1, 2, 3, 4, 5, 12, 12, 6, 7, 8, 9, 10, 11, 12];

/// The men in the order of deltas.
fn sixteen(men: &Men) -> [u64; 16] {
    KIND.map(|kind| men.get(usize::from(kind)).copied().unwrap_or(0))
}

/// Whether a term can be answered from deltas alone.
pub(crate) fn is_compact(walk: &WalkTerm) -> bool {
    !walk.any(&PositionAtom::needs_board)
}

fn wants_moved(walk: &WalkTerm) -> bool {
    matches!(
        walk.ask,
        Ask::Line(_) | Ask::Sequence(_) | Ask::Sacrifice { .. }
    ) || walk.any(&|atom| {
        matches!(
            atom,
            PositionAtom::Promotion { .. }
                | PositionAtom::EnPassant
                | PositionAtom::Castling(_)
                | PositionAtom::Moved(_)
        )
    })
}

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Walked {
    /// All that was asked is answered.
    Answered,
    /// The game is damaged; what was read of it is answered.
    Damaged,
    /// The game cannot be decoded this way.
    Unreadable,
}

/// Walks one thread's games.
pub(crate) struct Runner<'q, 'd> {
    query: &'q Query,
    walker: Box<dyn Walker + 'd>,
    steps: Vec<Delta>,
    course: Course<'q>,
    stops: Vec<(usize, Stop)>,
    /// What is looked for, where that is all that is asked of the moves.
    scan: Option<Scan>,
    /// The last ply that counts for the only question.
    last_ply: u32,
    wants_moved: bool,
    /// Whether hits need their ply.
    plies: bool,
    outer: Vec<(Field, Field)>,
    standard: Field,
    standard_sums: Sums,
    /// Positions that were seen.
    pub(crate) positions: u64,
}

/// Where a walk begins.
struct At<'s> {
    field: Field,
    scene: Scene<'s>,
    first_number: u32,
    /// Whether the main line may have promotions.
    promotions: bool,
}

/// The men by the numbers of deltas, so that nothing has to be looked up.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The squares of each kind of men.
    pub(crate) sets: [u64; 16],
    /// How many there are: a byte for each of White's kinds, then of Black's. The first byte of all counts nothing.
    pub(crate) counts: [u64; 2],
    /// The side to move: 0 for White, 1 for Black.
    pub(crate) side: usize,
    ply: u32,
    /// What the line has left behind.
    trail: Trail,
}

/// One man of a kind in [`Field::counts`].
#[inline(always)]
pub(crate) fn one(man: u8) -> u64 {
    1 << (8 * u32::from(man & 7))
}

impl Field {
    /// The normal start, or another one.
    fn new(start: Option<&Board>) -> Field {
        Field {
            side: start.map_or(0, |board| usize::from(board.turn() == Color::Black)),
            ..Field::of_men(&start.map_or(START_MEN, men_of))
        }
    }

    /// These men, White to move.
    pub(crate) fn of_men(men: &Men) -> Field {
        Field {
            sets: sixteen(men),
            counts: pack(&counts_of(men)),
            side: 0,
            ply: 0,
            trail: Trail::default(),
        }
    }

    /// Plays a move.
    #[inline(always)]
    fn play(&mut self, delta: Delta) {
        let (mover, becomes, captured) = (delta.mover(), delta.becomes(), delta.captured());
        self.side ^= 1;
        self.ply = self.ply.wrapping_add(1);
        if delta.is_null() {
            return;
        }
        self.sets[usize::from(captured & 15)] &= !(1 << delta.captured_on());
        self.counts[usize::from(captured >> 3 & 1)] =
            self.counts[usize::from(captured >> 3 & 1)].wrapping_sub(one(captured) & !0xff);
        self.sets[usize::from(mover & 15)] &= !(1 << delta.from());
        self.sets[usize::from(becomes & 15)] |= 1 << delta.to();
        if becomes != mover {
            let counts = &mut self.counts[usize::from(mover >> 3 & 1)];
            *counts = counts.wrapping_sub(one(mover)).wrapping_add(one(becomes));
        }
        if let Some((from, to)) = delta.rook() {
            let rook = usize::from(mover & 8 | 4);
            self.sets[rook] = self.sets[rook] & !(1 << from) | 1 << to;
            let side = CastlingSide::from_king_side(delta.to() & 7 == 6);
            self.trail.castle(mover & 8 == 0, Some(side));
        }
    }

    /// The pawns that stand where they stood at the start.
    #[inline(always)]
    pub(crate) fn home(&self) -> u64 {
        self.sets[1] & RANK_2 | self.sets[9] & RANK_7
    }

    /// Whether no later position can fit.
    #[inline(always)]
    fn is_lost(&self, stop: &Stop, promotions: bool) -> bool {
        stop.is_lost(
            self.side,
            self.counts[self.side & 1],
            self.home(),
            promotions,
        )
    }

    /// The field as questions see it.
    #[inline]
    fn show(&self, scene: &mut Scene<'_>) {
        let [_, a, b, c, d, e, f, _, _, g, h, i, j, k, l, _] = self.sets;
        scene.men = [a, b, c, d, e, f, g, h, i, j, k, l];
        let [white, black] = self.counts.map(u64::to_le_bytes);
        let ([_, a, b, c, d, e, f, _], [_, g, h, i, j, k, l, _]) = (white, black);
        scene.counts = [a, b, c, d, e, f, g, h, i, j, k, l];
        scene.turn = Color::from_white(self.side == 0);
        scene.ply = self.ply;
        scene.trail = self.trail;
    }
}

impl<'q, 'd> Runner<'q, 'd> {
    pub(crate) fn new(
        query: &'q Query,
        positions: &'d dyn Positions,
        plies: bool,
    ) -> Runner<'q, 'd> {
        let walks: Vec<(usize, &WalkTerm)> = query
            .terms
            .iter()
            .enumerate()
            .filter_map(|(index, term)| match term {
                Term::Walk(walk) => Some((index, walk)),
                Term::Field(_) => None,
            })
            .collect();
        let (scan, last_ply) = match walks.as_slice() {
            [(_, walk)] => match &walk.ask {
                Ask::Somewhere { plies, .. } if !walk.variations => (Scan::new(walk), plies.1),
                _ => (None, u32::MAX),
            },
            _ => (None, u32::MAX),
        };
        Runner {
            query,
            walker: positions.walker(),
            steps: Vec::new(),
            course: Course::new(query),
            stops: walks
                .iter()
                .filter_map(|(index, walk)| Some((*index, Stop::new(walk)?)))
                .collect(),
            scan,
            last_ply,
            wants_moved: walks.iter().any(|(_, walk)| wants_moved(walk)),
            plies,
            outer: Vec::new(),
            standard_sums: Sums::new(&Field::new(None)),
            standard: Field::new(None),
            positions: 0,
        }
    }

    fn is_done(&self, answers: &Answers) -> bool {
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
        answers: &mut Answers,
    ) -> Result<Walked> {
        let start = match self.walker.open(number)? {
            From::Standard => None,
            From::Setup(board) => Some(board),
            From::Unreadable => return Ok(Walked::Unreadable),
        };
        let mut field = match &start {
            None => self.standard.clone(),
            Some(board) => Field::new(Some(board)),
        };
        let first_number = start.as_ref().map_or(0, |board| board.ply_number());
        let mut scene = Scene {
            men: START_MEN,
            counts: [0; 12],
            turn: Color::White,
            ply: 0,
            number: first_number / 2 + 1,
            repeats: 1,
            moved: None,
            board: None,
            turned: Turn::default(),
            trail: Trail::default(),
            remarks: None,
            named: Cell::default(),
        };
        field.show(&mut scene);
        self.course.start();
        self.outer.clear();
        let variations = self.course.wants_variations(answers);
        if self.course.visit(&scene, true, answers) && self.is_done(answers) {
            return Ok(Walked::Answered);
        }
        if let Some(scan) = self.scan {
            let sums = match &start {
                None => self.standard_sums.clone(),
                Some(_) => Sums::new(&field),
            };
            let at = At {
                field,
                scene,
                first_number,
                promotions,
            };
            return match scan {
                Scan::Placement(key) => self.scan(sums, at, answers, |sums, _| sums.is(key)),
                Scan::Material { lower, upper } => self.scan(sums, at, answers, |sums, delta| {
                    sums.is_within(lower, upper)
                        && (delta.captured() != 0 || delta.becomes() != delta.mover())
                }),
            };
        }
        let mut before = field.clone();
        let mut last_main = None;
        let mut run = RUN.0;
        let mut steps = std::mem::take(&mut self.steps);
        let mut more = true;
        while more {
            steps.clear();
            more = self.walker.steps(variations, run, &mut steps)?;
            run = (run * 2).min(RUN.1);
            for delta in &steps {
                if variations {
                    if !delta.is_move() {
                        if *delta == Delta::BEGIN {
                            self.outer.push((field, before.clone()));
                            self.course.begin();
                            field = before.clone();
                        } else if let Some((now, outer)) = self.outer.pop() {
                            (field, before) = (now, outer);
                            self.course.end(answers);
                        }
                        continue;
                    }
                    before.clone_from(&field);
                }
                self.positions += 1;
                field.play(*delta);
                if self.wants_moved {
                    scene.moved = Some(moved(*delta));
                    if self.outer.is_empty() {
                        last_main = scene.moved;
                    }
                }
                field.show(&mut scene);
                scene.number = first_number.wrapping_add(field.ply) / 2 + 1;
                if self.course.visit(&scene, self.outer.is_empty(), answers)
                    && self.is_done(answers)
                {
                    self.steps = steps;
                    return Ok(Walked::Answered);
                }
                if self.lost(&field, promotions, answers)
                    || (field.ply >= self.last_ply && self.outer.is_empty())
                {
                    self.course.finish(&scene, answers);
                    self.steps = steps;
                    return Ok(Walked::Answered);
                }
            }
        }
        self.steps = steps;
        field.show(&mut scene);
        scene.moved = last_main;
        self.course.finish(&scene, answers);
        Ok(if self.walker.is_damaged() {
            Walked::Damaged
        } else {
            Walked::Answered
        })
    }

    /// Answers the only question about moves. The field is led after the sums where these make a position worth a look.
    #[inline(always)]
    fn scan(
        &mut self,
        mut sums: Sums,
        at: At<'_>,
        answers: &mut Answers,
        is_worth_a_look: impl Fn(&Sums, Delta) -> bool,
    ) -> Result<Walked> {
        let At {
            mut field,
            mut scene,
            first_number,
            promotions,
        } = at;
        let last = usize::try_from(self.last_ply).unwrap_or(usize::MAX);
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let (mut seen, mut shown) = (0, 0);
        let mut run = RUN.0;
        let mut more = true;
        let mut over = false;
        while more && !over {
            more = self.walker.steps(false, run, &mut steps)?;
            run = (run * 2).min(RUN.1);
            for delta in steps.get(seen..).unwrap_or_default() {
                seen += 1;
                sums.play(*delta);
                if is_worth_a_look(&sums, *delta) {
                    for delta in steps.get(shown..seen).unwrap_or_default() {
                        field.play(*delta);
                    }
                    shown = seen;
                    field.show(&mut scene);
                    scene.number = first_number.wrapping_add(field.ply) / 2 + 1;
                    over |= self.course.visit(&scene, true, answers) && self.is_done(answers);
                }
                let lost = |(_, stop): &(usize, Stop)| sums.is_lost(stop, promotions);
                over |= seen >= last || self.stops.first().is_some_and(lost);
                if over {
                    break;
                }
            }
        }
        self.positions += seen as u64;
        self.steps = steps;
        self.course.finish(&scene, answers);
        Ok(if !over && self.walker.is_damaged() {
            Walked::Damaged
        } else {
            Walked::Answered
        })
    }

    /// Whether what is open has no hope left.
    #[inline(always)]
    fn lost(&self, field: &Field, promotions: bool, answers: &mut Answers) -> bool {
        self.stops
            .iter()
            .any(|(_, stop)| field.is_lost(stop, promotions))
            && self.outer.is_empty()
            && self.give_up(field, promotions, answers)
    }

    #[inline(never)]
    fn give_up(&self, field: &Field, promotions: bool, answers: &mut Answers) -> bool {
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

/// What a delta says about its move.
fn moved(delta: Delta) -> Moved {
    Moved {
        man: KIND[usize::from(delta.mover() & 15)] % 12,
        from: delta.from(),
        to: delta.to(),
        captured: piece(delta.captured()).map(|piece| piece.role),
        en_passant: delta.is_en_passant(),
        promotion: (delta.becomes() != delta.mover())
            .then(|| piece(delta.becomes()).map(|p| p.role))
            .flatten(),
        castle: delta
            .is_castle()
            .then(|| CastlingSide::from_king_side(delta.to() & 7 == 6)),
        null: delta.is_null(),
    }
}
