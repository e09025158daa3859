//! Asks a query of one game that has been read: the plain way, which every fast path has to agree with.

use shakmaty::Color;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use tabiya_model::tags::TagSet;
use tabiya_model::{Board, Game, Op, Want};

use crate::fields::Needs;
use crate::position::{Moved, Scene};
use crate::query::{Query, Term};
use crate::remarks::{CEILING, Remarks};
use crate::trail::Trail;
use crate::walk::{Answers, Course};

/// A game that a query holds for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    /// The number of the game in its database, from 1.
    pub number: u64,
    /// The half-moves before the position in which the query first holds; none where it is about no position.
    pub ply: Option<u32>,
}

impl Needs {
    /// What has to be read.
    pub fn want(self) -> Want {
        Want {
            moves: self >= Needs::MainLine,
            variations: self >= Needs::Variations,
            annotations: self >= Needs::All,
            verify: false,
            tags: TagSet::ALL,
        }
    }
}

/// Asks one query of many games and keeps its memory.
#[derive(Clone, Debug)]
pub struct Evaluator<'q> {
    query: &'q Query,
    course: Course<'q>,
    answers: Answers,
    /// Whether hits need their ply.
    plies: bool,
    stack: Vec<Outer>,
    /// The positions of the line so far, where it is asked how often one has stood.
    history: Option<Vec<u64>>,
    /// Whether it is asked what stands at a position.
    remarks: bool,
    /// Whether clocks and evaluations are asked for that stand before a position.
    clocks: bool,
}

impl<'q> Evaluator<'q> {
    /// Asks `query`; `plies` wants the place of each hit.
    pub fn new(query: &'q Query, plies: bool) -> Evaluator<'q> {
        Evaluator {
            query,
            course: Course::new(query),
            answers: Answers::default(),
            plies,
            stack: Vec::new(),
            history: query.asks_for_repetition().then(Vec::new),
            remarks: query.asks_for_remarks(),
            clocks: query.asks_for_clocks(),
        }
    }

    /// Whether the query holds for a game that was read as far as its terms need.
    pub fn hit(&mut self, game: &Game, number: u64) -> Option<Hit> {
        self.begin();
        self.resume(game, number)
    }

    /// Forgets the answers of the last game.
    pub fn begin(&mut self) {
        self.answers.reset(self.query.terms.len());
    }

    /// The answers so far, for those who know some already.
    pub fn answers(&mut self) -> &mut Answers {
        &mut self.answers
    }

    /// Whether the query still needs a look at the moves.
    pub fn verdict(&self) -> Option<bool> {
        self.query.verdict(&self.answers.known)
    }

    /// Answers the terms about tags, as far as they are open.
    pub fn ask_tags(&mut self, game: &Game, number: u64) {
        self.ask_fields(game, number, Needs::Tags);
    }

    /// How much of a game the open terms need.
    pub fn needs(&self) -> Needs {
        self.query.needs(&self.answers.known)
    }

    fn ask_fields(&mut self, game: &Game, number: u64, up_to: Needs) {
        for (term, known) in self.query.terms.iter().zip(&mut self.answers.known) {
            if let (Term::Field(field), None) = (term, &known)
                && field.needs() <= up_to
            {
                *known = Some(field.matches(game, number));
            }
        }
    }

    /// Answers the terms that are open.
    pub fn resume(&mut self, game: &Game, number: u64) -> Option<Hit> {
        self.ask_fields(game, number, Needs::Tags);
        if self.verdict() == Some(false) {
            return None;
        }
        if self.verdict().is_none() || self.plies {
            self.walk(game);
        }
        if self.verdict().is_none() {
            self.ask_fields(game, number, Needs::All);
        }
        self.outcome(number)
    }

    /// The hit, where the answers make it one.
    pub fn outcome(&self, number: u64) -> Option<Hit> {
        (self.verdict() == Some(true)).then(|| Hit {
            number,
            ply: self
                .plies
                .then(|| self.query.ply(&self.answers.known, &self.answers.plies))
                .flatten(),
        })
    }

    /// Whether nothing more can change the answer.
    fn is_done(&self) -> bool {
        match self.verdict() {
            None => !self.course.is_open(&self.answers),
            Some(false) => true,
            Some(true) => !self.plies || !self.course.is_open(&self.answers),
        }
    }

    fn visit(&mut self, place: &mut Place, moved: Option<Moved>, remarks: Remarks<'_>) -> bool {
        if self.clocks
            && let Some(moved) = &moved
            && let Some(clock) = remarks.clocks().last()
        {
            place
                .trail
                .show_clock(Color::from_white(moved.man < 6), clock);
        }
        let mut scene = Scene::new(&place.board, place.ply, moved);
        scene.remarks = self.remarks.then_some(remarks);
        scene.repeats = self.repeats(place);
        scene.trail = place.trail;
        if self.clocks {
            place.trail.leave(
                remarks
                    .evaluation(scene.mover())
                    .map(|value| value.clamp(-CEILING, CEILING)),
            );
        }
        self.course
            .visit(&scene, self.stack.is_empty(), &mut self.answers)
            && self.is_done()
    }

    /// How often a position has stood on the line that leads to it.
    fn repeats(&mut self, place: &Place) -> u32 {
        let Some(history) = &mut self.history else {
            return 1;
        };
        let board = &place.board;
        history.truncate(usize::try_from(place.ply).unwrap_or(usize::MAX));
        let mut key = board.zobrist();
        if let Some(square) = board.pseudo_legal_ep_square()
            && board.legal_ep_square().is_none()
        {
            key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
        }
        // Nothing from before the last capture or move of a pawn comes back.
        let quiet = usize::try_from(board.halfmoves()).unwrap_or(usize::MAX);
        let recent = history.len().saturating_sub(quiet);
        let recent = history.get(recent..).unwrap_or_default();
        let before = recent.iter().filter(|other| **other == key).count();
        history.push(key);
        u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
    }

    fn walk(&mut self, game: &Game) {
        if !self.course.is_open(&self.answers) {
            return;
        }
        self.course.start();
        self.stack.clear();
        let tape = &game.tape;
        let mut now = Place {
            board: game.start_board(),
            ply: 0,
            trail: Trail::default(),
        };
        let mut before = now.clone();
        let mut last = None;
        let mut last_at = 0;
        let mut last_evaluation = None;
        let mut begun = None;
        if self.visit(&mut now, None, Remarks::new(tape, 0, None)) {
            return;
        }
        let variations = self.course.wants_variations(&self.answers);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                Op::Move(m) => {
                    before.clone_from(&now);
                    let moved = Moved::new(&before.board, m);
                    if self.stack.is_empty() {
                        last_evaluation = now.trail.evaluation();
                    }
                    now.board.play(m);
                    now.ply = now.ply.saturating_add(1);
                    now.trail.castle(moved.man < 6, moved.castle);
                    if self.stack.is_empty() {
                        last = Some(moved);
                        last_at = at;
                    }
                    let remarks = Remarks::new(tape, at, begun.take());
                    if self.visit(&mut now, Some(moved), remarks) {
                        return;
                    }
                }
                Op::Begin(_) if !variations => at = tape.skip(at - 1),
                Op::Begin(_) => {
                    let key = self.history.as_mut().and_then(Vec::pop);
                    self.stack.push(Outer {
                        now: now.clone(),
                        before: before.clone(),
                        key,
                    });
                    self.course.begin();
                    now.clone_from(&before);
                    begun = Some(at);
                }
                Op::End => {
                    begun = None;
                    if let Some(outer) = self.stack.pop() {
                        (now, before) = (outer.now, outer.before);
                        if let (Some(history), Some(key)) = (&mut self.history, outer.key) {
                            history.truncate(usize::try_from(now.ply).unwrap_or(usize::MAX));
                            history.push(key);
                        }
                        self.course.end(&mut self.answers);
                    }
                }
                _ => {}
            }
        }
        let mut scene = Scene::new(&now.board, now.ply, last);
        scene.remarks = Some(Remarks::new(tape, last_at, None));
        scene.trail = now.trail;
        scene.trail.leave(last_evaluation);
        scene.repeats = self.repeats(&now);
        self.course.finish(&scene, &mut self.answers);
    }
}

/// A place on the way through a game.
#[derive(Clone, Debug)]
struct Place {
    board: Board,
    ply: u32,
    trail: Trail,
}

/// The line that a variation has left.
#[derive(Clone, Debug)]
struct Outer {
    now: Place,
    before: Place,
    /// The position that its last move led to, where positions are counted.
    key: Option<u64>,
}
