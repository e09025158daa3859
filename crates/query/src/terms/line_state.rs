//! The state of a line at a position.

use shakmaty::{CastlingSide, Color};

use crate::terms::board_transform::BoardTransform;

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineState {
    /// Who has castled where: a bit for White to the king's side, to the queen's side, then Black.
    castled: u8,
    /// The last clocks of White and Black, in milliseconds.
    clocks: [SmallNumber; 2],
    /// The evaluation of the position before, in hundredths of a pawn and at most ten pawns.
    evaluation: SmallNumber,
}

/// A number that is small and may be missing, in few bytes: a trail is copied at every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SmallNumber(i32);

impl Default for SmallNumber {
    fn default() -> SmallNumber {
        SmallNumber(i32::MIN)
    }
}

impl SmallNumber {
    fn new(number: i64) -> SmallNumber {
        let low = i64::from(i32::MIN) + 1;
        let number = number.clamp(low, i64::from(i32::MAX));
        SmallNumber(i32::try_from(number).unwrap_or_default())
    }

    fn get(self) -> Option<i64> {
        (self != SmallNumber::default()).then(|| i64::from(self.0))
    }
}

fn castle_bit(white: bool, side: CastlingSide) -> u8 {
    let king = match side {
        CastlingSide::KingSide => 1,
        CastlingSide::QueenSide => 2,
    };
    if white { king } else { king << 2 }
}

impl LineState {
    /// Notes a move that castles.
    #[inline]
    pub(crate) fn castle(&mut self, white: bool, side: Option<CastlingSide>) {
        if let Some(side) = side {
            self.castled |= castle_bit(white, side);
        }
    }

    /// The clock that a side's moves showed last.
    pub(crate) fn clock(self, color: Color) -> Option<i64> {
        self.clocks[usize::from(color == Color::Black)].get()
    }

    /// Notes the clock that a side's move shows.
    pub(crate) fn show_clock(&mut self, color: Color, clock: i64) {
        self.clocks[usize::from(color == Color::Black)] = SmallNumber::new(clock);
    }

    /// The evaluation of the position before.
    pub(crate) fn evaluation(self) -> Option<i64> {
        self.evaluation.get()
    }

    /// Notes the evaluation that the next position comes after.
    pub(crate) fn leave(&mut self, evaluation: Option<i64>) {
        self.evaluation = evaluation.map_or_else(SmallNumber::default, SmallNumber::new);
    }

    /// Whether one of these sides, White's and Black's, has castled, perhaps to one side.
    pub(crate) fn has_castled(self, colors: [bool; 2], side: Option<CastlingSide>) -> bool {
        let sides = [CastlingSide::KingSide, CastlingSide::QueenSide];
        let wanted = sides
            .into_iter()
            .filter(|one| side.is_none_or(|side| side == *one));
        let mut bits = 0;
        for side in wanted {
            for (white, asked) in [(true, colors[0]), (false, colors[1])] {
                if asked {
                    bits |= castle_bit(white, side);
                }
            }
        }
        self.castled & bits != 0
    }

    /// Whether both have castled, to different sides.
    pub(crate) fn castled_oppositely(self) -> bool {
        let of = |white, side| self.castled & castle_bit(white, side) != 0;
        let (king, queen) = (CastlingSide::KingSide, CastlingSide::QueenSide);
        of(true, king) && of(false, queen) || of(true, queen) && of(false, king)
    }

    /// The same for a board that is turned.
    pub(crate) fn turned(mut self, turn: BoardTransform) -> LineState {
        let bits = self.castled;
        if turn.flip {
            self.castled = bits >> 2 | (bits & 3) << 2;
        }
        if turn.mirror {
            let bits = self.castled;
            self.castled = (bits & 0b0101) << 1 | (bits & 0b1010) >> 1;
        }
        self
    }
}
