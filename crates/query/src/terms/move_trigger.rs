//! Kinds of moves by their deltas: which pieces move, from where to where, and what they capture.

use tabiya_model::positions::MoveDelta;

use crate::terms::board_transform::BoardTransform;

/// All pieces and nothing, by their numbers in deltas, in a set of them.
const ALL: u16 = u16::MAX;
/// No piece.
const NOTHING: u16 = 1;
/// The pawns.
pub(crate) const PAWNS: u16 = 1 << 1 | 1 << 9;
const KINGS: u16 = 1 << 6 | 1 << 14;
const LAST_RANKS: u64 = 0xff | 0xff << 56;

/// A kind of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MoveTrigger {
    /// The pieces that move and those that are captured, a bit for each number of deltas. The null move moves nothing.
    pub(crate) pieces: u16,
    pub(crate) captured: u16,
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Whether only castling counts.
    pub(crate) castles: bool,
    /// Whether the move after one that counts does too: the other side moves then.
    pub(crate) includes_reply: bool,
}

/// The moves after which something has to be asked; none where it is after all of them.
pub(crate) type MoveTriggers = Option<Vec<MoveTrigger>>;

impl MoveTrigger {
    /// Any move.
    pub(crate) const ANY: MoveTrigger = MoveTrigger {
        pieces: ALL,
        captured: ALL,
        from: u64::MAX,
        to: u64::MAX,
        castles: false,
        includes_reply: false,
    };
    /// No move.
    pub(crate) const NONE: MoveTrigger = MoveTrigger {
        pieces: 0,
        ..MoveTrigger::ANY
    };

    /// Whether a move is of this kind.
    #[inline(always)]
    pub(crate) fn fits(&self, delta: MoveDelta) -> bool {
        let has = |set: u16, piece: u8| set >> (piece & 15) & 1 != 0;
        let on = |set: u64, square: u8| set >> (square & 63) & 1 != 0;
        on(self.to, delta.to())
            & has(self.pieces, delta.mover())
            & has(self.captured, delta.captured())
            & on(self.from, delta.from())
            & (!self.castles | delta.is_castle())
    }

    /// The moves that are of both kinds.
    pub(crate) fn and(&self, other: &MoveTrigger) -> MoveTrigger {
        MoveTrigger {
            pieces: self.pieces & other.pieces,
            captured: self.captured & other.captured,
            from: self.from & other.from,
            to: self.to & other.to,
            castles: self.castles | other.castles,
            includes_reply: self.includes_reply | other.includes_reply,
        }
    }

    /// The same for a board that is turned.
    pub(crate) fn turned(&self, way: BoardTransform) -> MoveTrigger {
        let pieces = |set: u16| match way.flip {
            // Pieces of Black have the numbers of White's and 8 more; nothing stays what it is.
            true => set & NOTHING | (set & !NOTHING) >> 8 | (set & !NOTHING) << 8,
            false => set,
        };
        MoveTrigger {
            pieces: pieces(self.pieces),
            captured: pieces(self.captured),
            from: way.set(self.from),
            to: way.set(self.to),
            castles: self.castles,
            includes_reply: self.includes_reply,
        }
    }

    /// The pieces of a set of roles, one bit each from pawns on, of these sides.
    pub(crate) fn pieces_of(roles: u8, white: bool, black: bool) -> u16 {
        let one = u16::from(roles & 0x3f) << 1;
        (if white { one } else { 0 }) | if black { one << 8 } else { 0 }
    }

    /// Captures, and promotions: what changes the material.
    pub(crate) fn changes_of_material() -> Vec<MoveTrigger> {
        let captures = MoveTrigger {
            captured: !NOTHING,
            ..MoveTrigger::ANY
        };
        vec![captures, MoveTrigger::promotion()]
    }

    pub(crate) fn castling() -> MoveTrigger {
        MoveTrigger {
            pieces: KINGS,
            castles: true,
            ..MoveTrigger::ANY
        }
    }

    pub(crate) fn promotion() -> MoveTrigger {
        MoveTrigger {
            pieces: PAWNS,
            to: LAST_RANKS,
            ..MoveTrigger::ANY
        }
    }
}
