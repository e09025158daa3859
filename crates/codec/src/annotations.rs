//! The commands in the comments of a move: clocks and evaluations, typed.

use std::time::Duration;

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
        if !self.add_plain(comment.as_bytes())
            && memchr::memmem::find(comment.as_bytes(), b"[%").is_some()
        {
            self.add_all(comment);
        }
    }

    /// Adds the commands of a comment that has nothing but clocks and evaluations in their usual form, as nearly all comments
    /// of game servers do; false where there may be more. What was added until then is what reading them all adds first.
    fn add_plain(&mut self, comment: &[u8]) -> bool {
        let mut rest = PlainBytes(comment);
        loop {
            rest.skip_spaces();
            if rest.0.is_empty() {
                return true;
            }
            if rest.take(b"[%clk ") {
                let Some(time) = rest.clock() else {
                    return false;
                };
                self.clk.get_or_insert(time);
            } else if rest.take(b"[%eval ") {
                let Some(score) = rest.evaluation() else {
                    return false;
                };
                self.eval.get_or_insert((score, None));
            } else {
                return false;
            }
        }
    }

    /// Adds the commands of any comment.
    fn add_all(&mut self, comment: &str) {
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

/// The rest of a comment.
struct PlainBytes<'c>(&'c [u8]);

impl PlainBytes<'_> {
    #[inline]
    fn skip_spaces(&mut self) {
        while let [b' ', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// Takes a text, if it is next.
    #[inline]
    fn take(&mut self, text: &[u8]) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes one to four digits.
    #[inline]
    fn number(&mut self) -> Option<u32> {
        let (mut number, mut digits) = (0, 0);
        while let [digit @ b'0'..=b'9', rest @ ..] = self.0 {
            number = number * 10 + u32::from(digit & 15);
            digits += 1;
            if digits > 4 {
                return None;
            }
            self.0 = rest;
        }
        (digits > 0).then_some(number)
    }

    /// Takes `H:MM:SS]`, `MM:SS]` or seconds.
    #[inline]
    fn clock(&mut self) -> Option<ClockTime> {
        let mut seconds = self.number()?;
        for _ in 0..2 {
            if self.take(b":") {
                seconds = seconds * 60 + self.number()?;
            }
        }
        self.take(b"]").then(|| ClockTime {
            negative: false,
            amount: Duration::from_secs(u64::from(seconds)),
        })
    }

    /// Takes `0.35]`, `-1.2]` or `#-3]`.
    #[inline]
    fn evaluation(&mut self) -> Option<Evaluation> {
        let is_mate = self.take(b"#");
        let is_negative = self.take(b"-");
        let whole = i32::try_from(self.number()?).ok()?;
        let amount = match !is_mate && self.take(b".") {
            false if is_mate => whole,
            false => whole * 100,
            true => {
                let before = self.0.len();
                let fraction = i32::try_from(self.number()?).ok()?;
                match before - self.0.len() {
                    1 => whole * 100 + fraction * 10,
                    2 => whole * 100 + fraction,
                    _ => return None,
                }
            }
        };
        let value = if is_negative { -amount } else { amount };
        self.take(b"]").then_some(match is_mate {
            true => Evaluation::Mate(value),
            false => Evaluation::Centipawns(value),
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments made of pieces of commands, ordinary and odd ones, in all orders.
    #[test]
    fn plain_comments_say_what_all_readings_say() {
        let pieces: Vec<&str> = "\
            [%clk |[%eval |[%emt |]|0:01:02|12:34|7|0.35|-1.2|#-3|#4|1.234|99999|0:1:2:3|1:2.5|,18|a word|-0:01:00|+0.4|\"|\
            [%clk 0:00:09]|[%eval -0.07]|[%eval #-2] [%clk 1:00:00]|%|\t|#|-|.|:|é|0.5 | [%clk 0:15:00] | "
            .split('|')
            .collect();
        let mut state = 7_u64;
        let mut plain = 0;
        for _ in 0..200_000 {
            let mut comment = String::new();
            for _ in 0..1 + (state >> 60) % 6 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                comment.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let (mut quick, mut whole) = (
                ClocksAndEvaluation::default(),
                ClocksAndEvaluation::default(),
            );
            plain += u32::from(ClocksAndEvaluation::default().add_plain(comment.as_bytes()));
            quick.add(&comment);
            whole.add_all(&comment);
            assert_eq!(quick, whole, "{comment:?}");
        }
        assert!(plain > 3_000, "{plain}");
    }
}
