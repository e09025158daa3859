//! The annotations at a position of a tape.

use shakmaty::Color;
use tabiya_model::command::{ClockKind, CommentCommand, commands};
use tabiya_model::judgement::evaluation;
use tabiya_model::{Tape, TapeOp};

use crate::terms::engine_scores::match_score;
use crate::terms::fields::worth;

/// The places of the annotations of a position in a tape.
#[derive(Clone, Copy, Debug)]
pub struct PositionAnnotations<'a> {
    tape: &'a Tape,
    /// After the move that led to it.
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
    pub(crate) fn ops(self) -> impl Iterator<Item = TapeOp> + 'a {
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
    pub(crate) fn weight(self) -> u32 {
        const ONE_TEXT: usize = 64;
        let texts: usize = self.comments().map(|text| 4 + text.len() / ONE_TEXT).sum();
        u32::try_from(texts).unwrap_or(u32::MAX)
    }

    /// The comments that say something.
    pub(crate) fn comments(self) -> impl Iterator<Item = &'a str> {
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
