//! The commands in the comments of a move: clocks and evaluations, typed.

use tabiya_model::command::{ClockKind, ClockTime, CommentCommand, Evaluation, commands};
use tabiya_model::digits::push_number;
use tabiya_model::{Tape, TapeOp};

/// Clocks and evaluation of one move. If there are several of a kind, the first one counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct ClocksAndEvaluation {
    /// `[%clk]`: the time left on the mover's clock.
    pub clk: Option<ClockTime>,
    /// `[%emt]`: the time used for the move.
    pub emt: Option<ClockTime>,
    /// `[%egt]`: the time used for the game so far.
    pub egt: Option<ClockTime>,
    /// `[%mct]`: the time shown by a mechanical clock.
    pub mct: Option<ClockTime>,
    /// `[%eval]`, with the depth of the search.
    pub eval: Option<(Evaluation, Option<u32>)>,
}

impl ClocksAndEvaluation {
    /// Adds the commands of a comment.
    pub fn add(&mut self, comment: &str) {
        if memchr::memmem::find(comment.as_bytes(), b"[%").is_none() {
            return;
        }
        for command in commands(comment) {
            match command {
                CommentCommand::Clock(kind, time) => {
                    let slot = match kind {
                        ClockKind::Remaining => &mut self.clk,
                        ClockKind::MoveTime => &mut self.emt,
                        ClockKind::GameTime => &mut self.egt,
                        ClockKind::Mechanical => &mut self.mct,
                    };
                    slot.get_or_insert(time);
                }
                CommentCommand::Eval(score, depth) => {
                    self.eval.get_or_insert((score, depth));
                }
                _ => {}
            }
        }
    }

    /// The commands in the comments that follow the operation at an index, up to the next move of the same line.
    pub fn after(tape: &Tape, index: usize) -> ClocksAndEvaluation {
        let mut said = ClocksAndEvaluation::default();
        let mut at = index.saturating_add(1);
        loop {
            match tape.get(at) {
                Some(TapeOp::Comment(id)) => said.add(tape.text(id)),
                Some(TapeOp::Begin(_)) => {
                    at = tape.skip(at);
                    continue;
                }
                None | Some(TapeOp::Move(_) | TapeOp::End) => return said,
                Some(_) => {}
            }
            at = at.saturating_add(1);
        }
    }
}

/// Appends a time in seconds, with the decimals that it has.
pub fn push_seconds(time: ClockTime, out: &mut Vec<u8>) {
    if time.negative {
        out.push(b'-');
    }
    push_number(time.amount.as_secs(), out);
    let nanos = time.amount.subsec_nanos();
    if nanos > 0 {
        let decimals = format!("{nanos:09}");
        out.push(b'.');
        out.extend_from_slice(decimals.trim_end_matches('0').as_bytes());
    }
}
