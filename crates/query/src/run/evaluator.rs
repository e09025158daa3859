//! Evaluates a query for one game that has been read: the simple way, which every faster one must agree with.

use shakmaty::Color;
use tabiya_model::board::Move;
use tabiya_model::positions::MoveDelta;
use tabiya_model::tags::TagSet;
use tabiya_model::{Board, Control, Game, GameNeeds, Tape, TapeOp};

use crate::plan::position_needs::PositionNeeds;
use crate::run::position_history::PositionHistory;
use crate::run::walk::{TermAnswers, WalkState};
use crate::terms::annotations::CEILING;
use crate::terms::fields::{FieldTerm, ReadDepth};
use crate::terms::line_state::LineState;
use crate::terms::position_annotations::PositionAnnotations;
use crate::terms::position_view::{MoveEffect, PieceArrangement, PositionView};
use crate::terms::query::{Query, QueryTerm};
use crate::terms::step_meter::{StepMeter, TOO_DEEP};

/// A game for which a query holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryMatch {
    /// The number of the game in its database, from 1.
    pub number: u64,
    /// The number of plies before the position in which the query first holds; none if it is not about positions.
    pub ply: Option<u32>,
}

impl ReadDepth {
    /// What has to be read.
    pub fn want(self) -> GameNeeds {
        GameNeeds {
            moves: self >= ReadDepth::MainLine,
            variations: self >= ReadDepth::Variations,
            annotations: self >= ReadDepth::All,
            verify: false,
            notation: false,
            tags: TagSet::ALL,
        }
    }
}

/// Evaluates one query for many games and reuses its memory.
#[derive(Clone, Debug)]
pub struct QueryEvaluator<'q> {
    query: &'q Query,
    course: WalkState<'q>,
    answers: TermAnswers,
    /// Whether hits need their ply.
    plies: bool,
    /// The lines that have been left: each one's last place, and the one before.
    stack: Vec<(LinePosition, LinePosition)>,
    asks: PositionNeeds,
    /// The positions of the line so far, where it is asked how often one has stood.
    history: Option<PositionHistory>,
    meter: StepMeter,
}

/// Steps for a move that is played on a board.
const ONE_MOVE: u32 = 8;

impl<'q> QueryEvaluator<'q> {
    /// Evaluates `query`; `plies` requests the place of each hit.
    pub fn new(query: &'q Query, plies: bool) -> QueryEvaluator<'q> {
        let asks = PositionNeeds::new(query);
        QueryEvaluator {
            query,
            course: WalkState::new(query),
            answers: TermAnswers::default(),
            plies,
            stack: Vec::new(),
            asks,
            history: asks.repeats.then(PositionHistory::default),
            meter: StepMeter::new(Control::default()),
        }
    }

    /// The same as a part of a job: it ends within a game when the job is stopped, and stops the job if a game would cost
    /// more than the control allows. Then there is no answer for the game.
    #[must_use]
    pub fn under(mut self, control: &Control) -> QueryEvaluator<'q> {
        self.meter = StepMeter::new(control.clone());
        self
    }

    /// Whether the query holds for a game whose parts that the terms need were read.
    pub fn hit(&mut self, game: &Game, number: u64) -> Option<QueryMatch> {
        self.begin();
        self.resume(game, number)
    }

    /// Forgets the answers of the last game.
    pub fn begin(&mut self) {
        self.answers.reset(self.query.terms.len());
    }

    /// The answers so far, for callers that know some already.
    pub fn answers(&mut self) -> &mut TermAnswers {
        &mut self.answers
    }

    /// Whether the query still needs the moves.
    pub fn verdict(&self) -> Option<bool> {
        self.query.verdict(&self.answers.known)
    }

    /// Answers the open terms about tags.
    pub fn ask_tags(&mut self, game: &Game, number: u64) {
        self.ask_fields(game, number, ReadDepth::Tags);
    }

    /// How much of a game the open terms need.
    pub fn needs(&self) -> ReadDepth {
        self.query.needs(&self.answers.known)
    }

    fn ask_fields(&mut self, game: &Game, number: u64, up_to: ReadDepth) {
        let all = match up_to {
            ReadDepth::All => u32::try_from(game.tape.len()).unwrap_or(u32::MAX),
            _ => 0,
        };
        let answers = self.answers.known.iter_mut().zip(&mut self.answers.plies);
        for (term, (known, ply)) in self.query.terms.iter().zip(answers) {
            if let (QueryTerm::Field(field), None) = (term, &known)
                && field.needs() <= up_to
            {
                self.meter.spend(all);
                if self.meter.is_over() {
                    break;
                }
                *known = Some(match field {
                    FieldTerm::Repertoire(test) => {
                        let (holds, place) = test.answer_for(game);
                        *ply = place.filter(|_| holds);
                        holds
                    }
                    _ => field.matches(game, number),
                });
            }
        }
    }

    /// Answers the open terms.
    pub fn resume(&mut self, game: &Game, number: u64) -> Option<QueryMatch> {
        self.meter.begin(number);
        self.ask_fields(game, number, ReadDepth::Tags);
        if self.verdict() == Some(false) {
            return None;
        }
        if self.verdict().is_none() || self.plies {
            self.walk(game);
        }
        if self.verdict().is_none() {
            self.ask_fields(game, number, ReadDepth::All);
        }
        if self.meter.is_over() {
            return None;
        }
        self.outcome(number)
    }

    /// The hit, if the answers make it one.
    pub fn outcome(&self, number: u64) -> Option<QueryMatch> {
        (self.verdict() == Some(true)).then(|| QueryMatch {
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

    /// Asks what is open of a place; says whether nothing more has to be asked.
    fn visit(
        &mut self,
        place: &mut LinePosition,
        moved: Option<MoveEffect>,
        remarks: PositionAnnotations<'_>,
    ) -> bool {
        let repeats = self.repeats(place);
        if self.asks.clocks
            && let Some(moved) = &moved
            && let Some(clock) = remarks.clocks().last()
        {
            place
                .trail
                .show_clock(Color::from_white(moved.piece < 6), clock);
        }
        let standing = PieceArrangement::of(&place.board, self.asks.counts);
        let mut scene = PositionView::new(&place.board, &standing, place.ply, moved);
        scene.annotations = self.asks.remarks.then_some(remarks);
        scene.repeats = repeats;
        scene.trail = place.trail;
        scene.meter = Some(&self.meter);
        if self.asks.clocks {
            place.trail.leave(
                remarks
                    .evaluation(scene.mover())
                    .map(|value| value.clamp(-CEILING, CEILING)),
            );
        }
        self.course
            .visit(&scene, self.stack.is_empty(), &mut self.answers)
            && self.is_done()
            || self.meter.is_over()
    }

    /// How often a position has stood on the line that leads to it, where that is asked.
    fn repeats(&mut self, place: &LinePosition) -> u32 {
        let history = self.history.as_mut();
        history.map_or(1, |history| {
            let repeats = history.come(&place.board, place.ply);
            self.meter.spend(history.take_compared());
            repeats
        })
    }

    fn walk(&mut self, game: &Game) {
        if !self.course.is_open(&self.answers) {
            return;
        }
        self.course.start(&self.answers);
        self.stack.clear();
        if let Some(history) = &mut self.history {
            history.clear();
        }
        let tape = &game.tape;
        let mut start = LinePosition {
            board: game.start_board(),
            ply: 0,
            trail: LineState::default(),
        };
        if self.visit(&mut start, None, PositionAnnotations::new(tape, 0, None)) {
            return;
        }
        let end = match self.course.wants_variations(&self.answers) {
            true => self.walk_lines(tape, start),
            false => self.walk_main(tape, start),
        };
        let Some(LineEnd { place, last }) = end else {
            return;
        };
        if !self.course.asks_for_the_end(&self.answers) {
            return self.course.finish(None, &mut self.answers);
        }
        let standing = PieceArrangement::of(&place.board, self.asks.counts);
        let mut scene = PositionView::new(&place.board, &standing, place.ply, last.moved);
        scene.annotations = Some(PositionAnnotations::new(tape, last.at, None));
        scene.trail = place.trail;
        scene.trail.leave(last.evaluation);
        scene.repeats = self.repeats(&place);
        scene.meter = Some(&self.meter);
        self.course.finish(Some(&scene), &mut self.answers);
    }

    /// Walks through the main line to its end, unless nothing is open before. Positions of which nothing is asked are
    /// passed over.
    fn walk_main(&mut self, tape: &Tape, mut now: LinePosition) -> Option<LineEnd> {
        // Some things have to be looked at in each position.
        let all = self.history.is_some() || self.asks.clocks;
        let moves = self.asks.moved && self.course.asks_for_the_end(&self.answers);
        let mut last = LastMove::default();
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    let is_called = all
                        || self
                            .course
                            .is_triggered_by(|| MoveDelta::of_move(&now.board, m));
                    let moved = (moves || is_called && self.asks.moved)
                        .then(|| MoveEffect::new(&now.board, m));
                    last = LastMove {
                        moved,
                        at,
                        evaluation: now.trail.evaluation(),
                    };
                    self.meter.spend(ONE_MOVE);
                    if self.meter.is_over() {
                        return None;
                    }
                    now.play(m, self.asks);
                    if is_called
                        && self.visit(&mut now, moved, PositionAnnotations::new(tape, at, None))
                    {
                        return None;
                    }
                }
                TapeOp::Begin(_) => at = tape.skip(at - 1),
                _ => {}
            }
        }
        Some(LineEnd { place: now, last })
    }

    /// Walks through all lines in the order in which they are written.
    fn walk_lines(&mut self, tape: &Tape, mut now: LinePosition) -> Option<LineEnd> {
        let mut before = now.clone();
        let mut last = LastMove::default();
        let mut begun = None;
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    before.clone_from(&now);
                    let moved = self.asks.moved.then(|| MoveEffect::new(&now.board, m));
                    if self.stack.is_empty() {
                        last = LastMove {
                            moved,
                            at,
                            evaluation: now.trail.evaluation(),
                        };
                    }
                    self.meter.spend(ONE_MOVE);
                    now.play(m, self.asks);
                    let remarks = PositionAnnotations::new(tape, at, begun.take());
                    if self.visit(&mut now, moved, remarks) {
                        return None;
                    }
                }
                TapeOp::Begin(_) => {
                    if let Some(history) = &mut self.history {
                        history.begin();
                    }
                    self.stack.push((now.clone(), before.clone()));
                    if !self.course.begin() {
                        self.meter.exhaust(TOO_DEEP);
                        return None;
                    }
                    now.clone_from(&before);
                    begun = Some(at);
                }
                TapeOp::End => {
                    begun = None;
                    if let Some(outer) = self.stack.pop() {
                        (now, before) = outer;
                        if let Some(history) = &mut self.history {
                            history.end(now.ply);
                        }
                        self.course.end(&mut self.answers);
                    }
                }
                _ => {}
            }
        }
        Some(LineEnd { place: now, last })
    }
}

/// A place on the way through a game.
#[derive(Clone, Debug)]
struct LinePosition {
    board: Board,
    ply: u32,
    trail: LineState,
}

impl LinePosition {
    #[inline]
    fn play(&mut self, m: Move, asks: PositionNeeds) {
        if asks.castled {
            self.trail
                .castle(self.board.turn() == Color::White, m.castling_side());
        }
        self.board.play(m);
        self.ply = self.ply.saturating_add(1);
    }
}

/// What is known of the last move of the main line.
#[derive(Clone, Copy, Debug, Default)]
struct LastMove {
    moved: Option<MoveEffect>,
    /// The place in the tape behind it.
    at: usize,
    /// The evaluation of the position before.
    evaluation: Option<i64>,
}

/// The end of the main line.
struct LineEnd {
    place: LinePosition,
    last: LastMove,
}
