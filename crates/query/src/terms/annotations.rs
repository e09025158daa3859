//! What stands at a position: comments, NAGs, evaluations, clocks, arrows and coloured squares.

use shakmaty::Color;
use tabiya_model::command::{BoardMark, ClockKind, CommentCommand, MarkColour, commands};
use tabiya_model::judgement::evaluation;
use tabiya_model::nag::Nag;
use tabiya_model::{Tape, TapeOp};

use crate::terms::engine_scores::match_score;
use crate::terms::fields::worth;
use crate::terms::position::PositionView;
use crate::terms::text::TextTest;

/// More than ten pawns count as ten where evaluations are compared.
pub(crate) const CEILING: i64 = 1_000;

/// Where the remarks about a position stand in a tape.
#[derive(Clone, Copy, Debug)]
pub struct PositionAnnotations<'a> {
    tape: &'a Tape,
    /// Behind the move that led to it.
    after: usize,
    /// At the beginning of the variation that this move begins.
    before: Option<usize>,
}

impl<'a> PositionAnnotations<'a> {
    /// Remarks behind a place of the tape, and where the variation begins whose first move led here.
    pub(crate) fn new(
        tape: &'a Tape,
        after: usize,
        before: Option<usize>,
    ) -> PositionAnnotations<'a> {
        PositionAnnotations {
            tape,
            after,
            before,
        }
    }

    /// The operations that are remarks, variations between them left out.
    fn ops(self) -> impl Iterator<Item = TapeOp> + 'a {
        let tape = self.tape;
        let run = move |mut at: usize| {
            std::iter::from_fn(move || {
                loop {
                    let op = tape.get(at)?;
                    match op {
                        TapeOp::Begin(_) => at = tape.skip(at),
                        TapeOp::Move(_) | TapeOp::End => return None,
                        op => {
                            at += 1;
                            return Some(op);
                        }
                    }
                }
            })
        };
        self.before.into_iter().chain([self.after]).flat_map(run)
    }

    /// Steps for a look at them.
    fn weight(self) -> u32 {
        const ONE_TEXT: usize = 64;
        let texts: usize = self.comments().map(|text| 4 + text.len() / ONE_TEXT).sum();
        u32::try_from(texts).unwrap_or(u32::MAX)
    }

    fn comments(self) -> impl Iterator<Item = &'a str> {
        let tape = self.tape;
        self.ops().filter_map(move |op| match op {
            TapeOp::Comment(id) => Some(tape.text(id)).filter(|text| !text.is_empty()),
            _ => None,
        })
    }

    /// The last evaluation, seen from White, in hundredths of a pawn; who moved decides how engines mean theirs.
    pub(crate) fn evaluation(self, mover: Option<Color>) -> Option<i64> {
        let read = |text| match (evaluation(text), mover) {
            (Some(score), _) => Some(worth(score)),
            (None, Some(mover)) => match_score(text, mover),
            (None, None) => None,
        };
        self.comments().filter_map(read).last()
    }

    /// The clocks that are shown, in milliseconds.
    pub(crate) fn clocks(self) -> impl Iterator<Item = i64> + 'a {
        let with = self.comments().filter(|text| text.contains("[%"));
        with.flat_map(commands).filter_map(|command| match command {
            CommentCommand::Clock(ClockKind::Remaining, time) => {
                let amount = i64::try_from(time.amount.as_millis()).unwrap_or(i64::MAX);
                Some(if time.negative { -amount } else { amount })
            }
            _ => None,
        })
    }
}

/// A question about what stands at a position.
#[derive(Clone, Debug)]
pub enum AnnotationTest {
    /// A comment fits.
    Comment(TextTest),
    /// This NAG.
    Nag(Nag),
    /// The evaluation, in hundredths of a pawn.
    Eval(i64, i64),
    /// The step from the evaluation before, in hundredths of a pawn.
    Swing((i64, i64)),
    /// A clock, in milliseconds.
    Clock(i64, i64),
    /// The clock that the moves of a side showed last.
    SideClock(Color, i64, i64),
    /// An arrow from one of these squares to one of those, perhaps of a colour.
    Arrow(u64, u64, Option<MarkColour>),
    /// A coloured square among these.
    Highlight(u64, Option<MarkColour>),
}

fn is_in(low: i64, high: i64) -> impl Fn(i64) -> bool {
    move |value| low <= value && value <= high
}

impl AnnotationTest {
    /// Whether what stands at a position is as asked; nothing is where it was not read.
    #[inline(never)]
    pub(crate) fn matches(&self, scene: &PositionView<'_>) -> bool {
        if let AnnotationTest::SideClock(color, low, high) = self {
            return scene.trail.clock(*color).is_some_and(is_in(*low, *high));
        }
        let Some(remarks) = scene.annotations else {
            return false;
        };
        scene.spend(remarks.weight());
        let has = |square: shakmaty::Square, set: u64| set >> u32::from(square) & 1 != 0;
        let any_mark = |test: &dyn Fn(&BoardMark) -> bool| {
            let with = remarks.comments().filter(|text| text.contains("[%"));
            with.flat_map(commands)
                .any(|command| command.marks().iter().any(test))
        };
        match self {
            AnnotationTest::Comment(test) => remarks.comments().any(|text| test.matches(text)),
            AnnotationTest::Nag(nag) => remarks.ops().any(|op| op == TapeOp::Nag(*nag)),
            AnnotationTest::Eval(low, high) => remarks
                .evaluation(scene.mover())
                .is_some_and(is_in(*low, *high)),
            AnnotationTest::Swing((low, high)) => {
                let before = scene.trail.evaluation();
                before
                    .zip(remarks.evaluation(scene.mover()))
                    .map(|(before, now)| (before - now.clamp(-CEILING, CEILING)).abs())
                    .is_some_and(is_in(*low, *high))
            }
            AnnotationTest::Clock(low, high) => remarks.clocks().any(is_in(*low, *high)),
            AnnotationTest::SideClock(..) => false,
            AnnotationTest::Arrow(start, end, wanted) => any_mark(&|mark| match mark {
                BoardMark::Arrow { from, to, colour } => {
                    has(*from, *start)
                        && has(*to, *end)
                        && wanted.is_none_or(|wanted| wanted == *colour)
                }
                BoardMark::Square { .. } => false,
            }),
            AnnotationTest::Highlight(set, wanted) => any_mark(&|mark| match mark {
                BoardMark::Square { square, colour, .. } => {
                    has(*square, *set) && wanted.is_none_or(|wanted| wanted == *colour)
                }
                BoardMark::Arrow { .. } => false,
            }),
        }
    }
}
