//! Walks through games by their deltas: no board, no legality, no text.

use shakmaty::{CastlingSide, Color};
use tabiya_model::positions::{Delta, From, Positions, Walker, piece};
use tabiya_model::{Board, Result};

use crate::hints::Stop;
use crate::material::counts_of;
use crate::position::{Men, Moved, PositionAtom, PositionExpr, Scene, men_of};
use crate::query::{Ask, Query, Term, WalkTerm};
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
    match &walk.ask {
        Ask::Somewhere { expr, .. } | Ask::End(expr) => !expr.needs_board(),
        Ask::Line(_) | Ask::Sequence(_) => true,
    }
}

fn wants_moved(walk: &WalkTerm) -> bool {
    match &walk.ask {
        Ask::Somewhere { expr, .. } | Ask::End(expr) => expr.any(&|atom| {
            matches!(
                atom,
                PositionAtom::Promotion { .. }
                    | PositionAtom::EnPassant
                    | PositionAtom::Castling(_)
            )
        }),
        Ask::Line(_) | Ask::Sequence(_) => true,
    }
}

/// A test that rejects most positions at once, where only one question is asked.
#[derive(Clone, Debug)]
enum Quick {
    /// Every position has to be looked at.
    None,
    /// These men.
    Men(Box<[u64; 16]>),
    /// Only positions after a capture or a promotion, and the first.
    Material,
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
    quick: Quick,
    /// The last ply that counts for the only question.
    last_ply: u32,
    wants_moved: bool,
    /// Whether hits need their ply.
    plies: bool,
    outer: Vec<(Field, Field)>,
    standard: Field,
    /// Positions that were seen.
    pub(crate) positions: u64,
}

/// The men by the numbers of deltas, so that nothing has to be looked up: 0 takes what stands for no man.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The squares of each kind of men.
    pub(crate) sets: [u64; 16],
    /// How many there are.
    pub(crate) counts: [u8; 16],
    turn: Color,
    ply: u32,
}

/// What a move did to a field.
#[derive(Clone, Copy)]
struct Effect {
    /// Men were taken or promoted.
    material: bool,
    /// Men were taken or promoted, or a pawn moved.
    lasting: bool,
}

impl Field {
    fn new(start: Option<&Board>) -> Field {
        let men = start.map_or(START_MEN, men_of);
        let mut field = Field {
            sets: [0; 16],
            counts: [0; 16],
            turn: start.map_or(Color::White, Board::turn),
            ply: 0,
        };
        let counts = counts_of(&men);
        for (number, kind) in KIND.iter().enumerate() {
            if let (Some(set), Some(count)) =
                (men.get(usize::from(*kind)), counts.get(usize::from(*kind)))
            {
                field.sets[number] = *set;
                field.counts[number] = *count;
            }
        }
        field
    }

    /// Plays a move.
    #[inline(always)]
    fn play(&mut self, delta: Delta) -> Effect {
        let index = |man: u8| usize::from(man & 15);
        let (mover, becomes, captured) = (
            index(delta.mover()),
            index(delta.becomes()),
            index(delta.captured()),
        );
        self.turn = !self.turn;
        self.ply = self.ply.wrapping_add(1);
        self.sets[captured] &= !(1 << delta.captured_on());
        self.sets[mover] &= !(1 << delta.from());
        self.sets[becomes] |= 1 << delta.to();
        let material = captured != 0 || becomes != mover;
        if material {
            self.counts[captured] = self.counts[captured].wrapping_sub(1);
            self.counts[mover] = self.counts[mover].wrapping_sub(1);
            self.counts[becomes] = self.counts[becomes].wrapping_add(1);
        }
        if let Some((from, to)) = delta.rook() {
            let rook = mover & 8 | 4;
            self.sets[rook] = self.sets[rook] & !(1 << from) | 1 << to;
        }
        Effect {
            material,
            lasting: material || mover & 7 == 1,
        }
    }

    /// The field as questions see it.
    #[inline]
    fn show(&self, scene: &mut Scene<'_>) {
        let [_, a, b, c, d, e, f, _, _, g, h, i, j, k, l, _] = self.sets;
        scene.men = [a, b, c, d, e, f, g, h, i, j, k, l];
        let [_, a, b, c, d, e, f, _, _, g, h, i, j, k, l, _] = self.counts;
        scene.counts = [a, b, c, d, e, f, g, h, i, j, k, l];
        scene.turn = self.turn;
        scene.ply = self.ply;
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
        let (quick, last_ply) = match walks.as_slice() {
            [
                (
                    _,
                    WalkTerm {
                        ask:
                            Ask::Somewhere {
                                expr,
                                lasting: 1,
                                plies,
                                ..
                            },
                        variations: false,
                    },
                ),
            ] => {
                let quick = match expr {
                    PositionExpr::Atom(PositionAtom::Placement(placement)) => {
                        Quick::Men(Box::new(sixteen(&placement.men)))
                    }
                    PositionExpr::Atom(PositionAtom::Material(_)) if plies.0 == 0 => {
                        Quick::Material
                    }
                    _ => Quick::None,
                };
                (quick, plies.1)
            }
            _ => (Quick::None, u32::MAX),
        };
        // Between captures, material stays as it is; but its range of moves may begin there.
        let quick = match (quick, walks.as_slice()) {
            (
                Quick::Material,
                [
                    (
                        _,
                        WalkTerm {
                            ask:
                                Ask::Somewhere {
                                    numbers: (low, _), ..
                                },
                            ..
                        },
                    ),
                ],
            ) if *low > 0 => Quick::None,
            (quick, _) => quick,
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
            quick,
            last_ply,
            wants_moved: walks.iter().any(|(_, walk)| wants_moved(walk)),
            plies,
            outer: Vec::new(),
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
            moved: None,
            board: None,
        };
        field.show(&mut scene);
        self.course.start();
        self.outer.clear();
        let variations = self.course.wants_variations(answers);
        if self.course.visit(&scene, true, answers) && self.is_done(answers) {
            return Ok(Walked::Answered);
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
                            self.course.end();
                        }
                        continue;
                    }
                    before.clone_from(&field);
                }
                self.positions += 1;
                let effect = field.play(*delta);
                if self.wants_moved {
                    scene.moved = Some(moved(*delta));
                    if self.outer.is_empty() {
                        last_main = scene.moved;
                    }
                }
                let look = match &self.quick {
                    Quick::None => true,
                    // The pawns differ nearly always.
                    Quick::Men(men) => **men == field.sets,
                    Quick::Material => effect.material,
                };
                if look {
                    field.show(&mut scene);
                    scene.number = first_number.wrapping_add(field.ply) / 2 + 1;
                    if self.course.visit(&scene, self.outer.is_empty(), answers)
                        && self.is_done(answers)
                    {
                        self.steps = steps;
                        return Ok(Walked::Answered);
                    }
                }
                let stop = (effect.lasting && self.lost(&field, promotions, answers))
                    || (field.ply >= self.last_ply && self.outer.is_empty());
                if stop {
                    field.show(&mut scene);
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

    /// Whether what is open has no hope left; called after captures and moves of pawns.
    #[inline]
    fn lost(&self, field: &Field, promotions: bool, answers: &mut Answers) -> bool {
        if !self.outer.is_empty() {
            return false;
        }
        let mut any = false;
        for (index, stop) in &self.stops {
            if answers.known[*index].is_none() && stop.is_lost(field, promotions) {
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
        capture: delta.captured() != 0,
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
