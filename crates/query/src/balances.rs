//! Who has more on the board along a line, and who gave something for nothing that can be counted.

use shakmaty::Color;

use crate::material::Counts;
use crate::position::Scene;

/// What a man is worth, in pawns.
const VALUES: [i64; 6] = [1, 3, 3, 5, 9, 0];

/// White's men less Black's, in pawns.
fn balance(counts: &Counts) -> i64 {
    let (white, black) = counts.split_at(6);
    let worth = |side: &[u8]| {
        let each = side.iter().zip(VALUES);
        each.map(|(count, value)| i64::from(*count) * value)
            .sum::<i64>()
    };
    worth(white) - worth(black)
}

/// One position of a line.
#[derive(Clone, Copy, Debug)]
struct Weighed {
    balance: i64,
    /// Who captured on the way to it.
    taker: Option<Color>,
}

/// The positions of the line so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balances {
    line: Vec<Weighed>,
    /// For each line that has been left, how long it was, and the last position.
    outer: Vec<(usize, Option<Weighed>)>,
}

impl Balances {
    pub(crate) fn clear(&mut self) {
        self.line.clear();
        self.outer.clear();
    }

    pub(crate) fn visit(&mut self, scene: &Scene<'_>) {
        let captured = scene.moved.filter(|moved| moved.captured.is_some());
        self.line.push(Weighed {
            balance: balance(&scene.counts),
            taker: captured.map(|moved| Color::from_white(moved.man < 6)),
        });
    }

    pub(crate) fn begin(&mut self) {
        let length = self.line.len();
        self.outer.push((length, self.line.pop()));
    }

    pub(crate) fn end(&mut self) {
        if let Some((length, last)) = self.outer.pop() {
            self.line.truncate(length.saturating_sub(1));
            self.line.extend(last);
        }
    }

    /// The half-moves before the first capture after which one of the sides is short of so much for so long, which has
    /// just become known; at the end of a line that of a capture that was too late to wait so long.
    pub(crate) fn given(
        &self,
        sides: [bool; 2],
        loss: (i64, i64),
        plies: u32,
        ended: bool,
    ) -> Option<u32> {
        let plies = usize::try_from(plies).unwrap_or(usize::MAX);
        let last = self.line.len().checked_sub(1)?;
        let first = match last.checked_sub(plies) {
            Some(first) => first,
            None if ended => 0,
            None => return None,
        };
        let end = if ended { last } else { first };
        (first..=end)
            .find(|at| self.is_given(*at, sides, loss, plies))
            .and_then(|at| u32::try_from(at).ok())
    }

    fn is_given(&self, at: usize, sides: [bool; 2], loss: (i64, i64), plies: usize) -> bool {
        let Some(before) = at.checked_sub(2).and_then(|before| self.line.get(before)) else {
            return false;
        };
        let Some(taker) = self.line.get(at).and_then(|weighed| weighed.taker) else {
            return false;
        };
        let side = !taker;
        if !sides[usize::from(side == Color::Black)] {
            return false;
        }
        let sign = if side == Color::White { 1 } else { -1 };
        let rest = self.line.get(at..).unwrap_or_default();
        rest.iter().take(plies.saturating_add(1)).all(|weighed| {
            let lost = sign * (before.balance - weighed.balance);
            loss.0 <= lost && lost <= loss.1
        })
    }
}
