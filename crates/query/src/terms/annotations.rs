//! The annotations at a position: comments, NAGs, evaluations, clocks, arrows and coloured squares.

use shakmaty::Color;
use tabiya_model::TapeOp;
use tabiya_model::command::{BoardMark, MarkColour, commands};
use tabiya_model::nag::Nag;

pub use crate::terms::position_annotations::PositionAnnotations;
use crate::terms::position_view::PositionView;
use crate::terms::text::TextTest;

/// More than ten pawns count as ten where evaluations are compared.
pub(crate) const CEILING: i64 = 1_000;

/// A question about the annotations at a position.
#[derive(Clone, Debug)]
pub enum AnnotationTest {
    /// A comment matches.
    Comment(TextTest),
    /// This NAG.
    Nag(Nag),
    /// The evaluation, in hundredths of a pawn.
    Eval(i64, i64),
    /// The change from the evaluation before, in hundredths of a pawn.
    Swing((i64, i64)),
    /// A clock, in milliseconds.
    Clock(i64, i64),
    /// The last clock of a side.
    SideClock(Color, i64, i64),
    /// An arrow from one of these squares to one of those, in a colour if given.
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
