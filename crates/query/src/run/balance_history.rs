//! The balance of material along a line, and who gave material without countable compensation.

use shakmaty::{Color, Role};

use crate::terms::piece_counts::{PackedCounts, unpack};
use crate::terms::position_view::PositionView;
use crate::terms::query::SacrificeTest;

/// What a piece is worth, in pawns.
const VALUES: [i64; 6] = [1, 3, 3, 5, 9, 0];

/// White's pieces less Black's, in pawns.
fn balance(counts: PackedCounts) -> i64 {
    let counts = unpack(counts);
    let (white, black) = counts.split_at(6);
    let worth = |side: &[u8]| {
        let each = side.iter().zip(VALUES);
        each.map(|(count, value)| i64::from(*count) * value)
            .sum::<i64>()
    };
    worth(white) - worth(black)
}

/// A position of a line in which the balance is another than before, or after a capture.
#[derive(Clone, Copy, Debug)]
struct BalanceChange {
    ply: u32,
    /// The number of the next move.
    number: u32,
    balance: i64,
    /// Who captured on the way to it.
    taker: Option<Color>,
}

fn within((low, high): (u32, u32), value: u32) -> bool {
    (low..=high).contains(&value)
}

/// The line so far, as far as it changes the balance.
#[derive(Clone, Debug, Default)]
pub(crate) struct BalanceHistory {
    line: Vec<BalanceChange>,
    /// For each line that has been left, how long it was, and its last position.
    outer: Vec<(usize, Option<BalanceChange>)>,
}

impl BalanceHistory {
    pub(crate) fn clear(&mut self) {
        self.line.clear();
        self.outer.clear();
    }

    pub(crate) fn visit(&mut self, scene: &PositionView<'_>) {
        let (Some(last), Some(moved)) = (self.line.last(), &scene.moved) else {
            self.line.push(BalanceChange {
                ply: scene.ply,
                number: scene.number,
                balance: balance(*scene.counts),
                taker: None,
            });
            return;
        };
        let worth = |role: Role| VALUES[role as usize % 7 - 1];
        let captured = moved.captured.map_or(0, worth);
        let gained = captured + moved.promotion.map_or(0, |role| worth(role) - VALUES[0]);
        let white = moved.piece < 6;
        let balance = last.balance + if white { gained } else { -gained };
        if moved.captured.is_some() || gained != 0 {
            self.line.push(BalanceChange {
                ply: scene.ply,
                number: scene.number,
                balance,
                taker: moved.captured.map(|_| Color::from_white(white)),
            });
        }
    }

    /// Takes back the move that led to a position.
    pub(crate) fn begin(&mut self, ply: u32) {
        let last = self.line.pop_if(|last| last.ply == ply);
        self.outer.push((self.line.len(), last));
    }

    pub(crate) fn end(&mut self) {
        if let Some((length, last)) = self.outer.pop() {
            self.line.truncate(length);
            self.line.extend(last);
        }
    }

    /// The plies before the first capture after which one of the sides is short of so much for so long, as far as
    /// that is known at a ply, or at the end of the line where there is none. `asked` counts the positions that have been
    /// decided before.
    pub(crate) fn given(
        &self,
        wanted: &SacrificeTest,
        now: Option<u32>,
        asked: &mut u32,
    ) -> Option<u32> {
        while let Some(weighed) = self.line.get(*asked as usize) {
            let last = weighed.ply.saturating_add(wanted.lasts);
            if now.is_some_and(|now| now < last) {
                return None;
            }
            let at = *asked as usize;
            *asked += 1;
            let is_there =
                within(wanted.plies, weighed.ply) && within(wanted.numbers, weighed.number);
            if is_there && self.is_given(at, wanted.sides, wanted.loss, last) {
                return Some(weighed.ply);
            }
        }
        None
    }

    fn is_given(&self, at: usize, sides: [bool; 2], loss: (i64, i64), last: u32) -> bool {
        let (line, rest) = self.line.split_at(at.min(self.line.len()));
        let Some((taken, side)) = rest.first().and_then(|taken| Some((taken, !taken.taker?)))
        else {
            return false;
        };
        let before = line
            .iter()
            .rev()
            .find(|before| before.ply.saturating_add(2) <= taken.ply);
        let Some(before) = before.filter(|_| sides[usize::from(side == Color::Black)]) else {
            return false;
        };
        let sign = if side == Color::White { 1 } else { -1 };
        let window = rest.iter().take_while(|weighed| weighed.ply <= last);
        window
            .map(|weighed| sign * (before.balance - weighed.balance))
            .all(|lost| loss.0 <= lost && lost <= loss.1)
    }
}
