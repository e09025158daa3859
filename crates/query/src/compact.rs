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
    Men(Box<Men>),
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
    outer: Vec<(State, State)>,
    /// Positions that were seen.
    pub(crate) positions: u64,
}

#[derive(Clone, Debug)]
struct State {
    men: Men,
    counts: [u8; 12],
    turn: Color,
    ply: u32,
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
                        Quick::Men(Box::new(placement.men))
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
        let mut scene = self.scene(start.as_deref());
        let first_number = start.as_ref().map_or(0, |board| board.ply_number());
        self.course.start();
        self.outer.clear();
        let variations = self.course.wants_variations(answers);
        if self.course.visit(&scene, true, answers) && self.is_done(answers) {
            return Ok(Walked::Answered);
        }
        let mut before = self.outer_state(&scene);
        let mut last_main = None;
        let mut run = RUN.0;
        loop {
            self.steps.clear();
            let more = self.walker.steps(variations, run, &mut self.steps)?;
            run = (run * 2).min(RUN.1);
            let steps = std::mem::take(&mut self.steps);
            for delta in &steps {
                if !delta.is_move() {
                    if *delta == Delta::BEGIN {
                        let now = self.outer_state(&scene);
                        self.outer.push((now, before.clone()));
                        self.course.begin();
                        restore(&mut scene, &before);
                    } else if let Some((now, outer)) = self.outer.pop() {
                        restore(&mut scene, &now);
                        before = outer;
                        self.course.end();
                    }
                    continue;
                }
                if variations {
                    before = self.outer_state(&scene);
                }
                if self.wants_moved {
                    scene.moved = Some(moved(*delta));
                    if self.outer.is_empty() {
                        last_main = scene.moved;
                    }
                }
                self.positions += 1;
                let (changed, decided) = self.step(*delta, first_number, &mut scene, answers);
                if decided || (changed && self.lost(&scene, promotions, answers)) {
                    self.steps = steps;
                    return Ok(Walked::Answered);
                }
                if scene.ply >= self.last_ply && self.outer.is_empty() {
                    self.course.finish(&scene, answers);
                    self.steps = steps;
                    return Ok(Walked::Answered);
                }
            }
            self.steps = steps;
            if !more {
                break;
            }
        }
        scene.moved = last_main;
        self.course.finish(&scene, answers);
        Ok(if self.walker.is_damaged() {
            Walked::Damaged
        } else {
            Walked::Answered
        })
    }

    /// Plays a move and looks at the position, unless that is needless.
    #[inline(always)]
    fn step(
        &mut self,
        delta: Delta,
        first_number: u32,
        scene: &mut Scene<'_>,
        answers: &mut Answers,
    ) -> (bool, bool) {
        let changed = play(scene, delta);
        let look = match &self.quick {
            Quick::None => true,
            // The pawns and the kings differ nearly always.
            Quick::Men(men) => {
                men[0] == scene.men[0] && men[6] == scene.men[6] && **men == scene.men
            }
            Quick::Material => {
                changed && (delta.captured() != 0 || delta.becomes() != delta.mover())
            }
        };
        if !look {
            return (changed, false);
        }
        scene.number = first_number.wrapping_add(scene.ply) / 2 + 1;
        let main = self.outer.is_empty();
        (
            changed,
            self.course.visit(scene, main, answers) && self.is_done(answers),
        )
    }

    /// Whether what is open has no hope left; called after captures and moves of pawns.
    #[inline]
    fn lost(&self, scene: &Scene<'_>, promotions: bool, answers: &mut Answers) -> bool {
        if !self.outer.is_empty() {
            return false;
        }
        let mut any = false;
        for (index, stop) in &self.stops {
            if answers.known[*index].is_none()
                && stop.is_lost(&scene.men, &scene.counts, promotions)
            {
                answers.known[*index] = Some(false);
                any = true;
            }
        }
        any && self.is_done(answers)
    }

    fn scene(&self, start: Option<&Board>) -> Scene<'static> {
        let men = start.map_or(START_MEN, men_of);
        Scene {
            counts: counts_of(&men),
            men,
            turn: start.map_or(Color::White, Board::turn),
            ply: 0,
            number: start.map_or(1, Board::fullmoves),
            moved: None,
            board: None,
        }
    }

    fn outer_state(&self, scene: &Scene<'_>) -> State {
        State {
            men: scene.men,
            counts: scene.counts,
            turn: scene.turn,
            ply: scene.ply,
        }
    }
}

fn restore(scene: &mut Scene<'_>, state: &State) {
    scene.men = state.men;
    scene.counts = state.counts;
    scene.turn = state.turn;
    scene.ply = state.ply;
}

#[inline(always)]
fn kind(man: u8) -> usize {
    usize::from(KIND[usize::from(man & 15)])
}

/// Plays a move; says whether men were taken or a pawn was moved.
#[inline(always)]
fn play(scene: &mut Scene<'_>, delta: Delta) -> bool {
    scene.turn = !scene.turn;
    scene.ply = scene.ply.wrapping_add(1);
    if delta.is_null() {
        return false;
    }
    let (mover, becomes, captured) = (
        kind(delta.mover()),
        kind(delta.becomes()),
        kind(delta.captured()),
    );
    if let Some(set) = scene.men.get_mut(captured) {
        *set &= !(1 << delta.captured_on());
        scene.counts[captured] = scene.counts[captured].wrapping_sub(1);
    }
    if let Some(set) = scene.men.get_mut(mover) {
        *set &= !(1 << delta.from());
    }
    if let Some(set) = scene.men.get_mut(becomes) {
        *set |= 1 << delta.to();
    }
    if mover != becomes
        && let (Some(_), Some(_)) = (scene.counts.get(mover), scene.counts.get(becomes))
    {
        scene.counts[mover] = scene.counts[mover].wrapping_sub(1);
        scene.counts[becomes] = scene.counts[becomes].wrapping_add(1);
    }
    if let Some((from, to)) = delta.rook() {
        let rook = if delta.mover() & 8 == 0 { 3 } else { 9 };
        scene.men[rook] = scene.men[rook] & !(1 << from) | 1 << to;
    }
    captured < 12 || mover % 6 == 0
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
