//! The two bytes of a move.

use shakmaty::{Role, Square};
use tabiya_model::{Board, Move};

/// One stored move of a book.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FbkMove {
    /// The starting square.
    pub from: Square,
    /// The target square; castling is the move of the king.
    pub to: Square,
    /// Bit 6 of the first byte.
    pub continues: bool,
    /// Bit 7 of the first byte: the line ends here.
    pub ends: bool,
    /// Bit 7 of the second byte: the program must not play it.
    pub is_weak: bool,
}

impl FbkMove {
    /// Reads a step; bit 6 of the second byte has no meaning.
    pub fn read([first, second]: [u8; 2]) -> FbkMove {
        FbkMove {
            from: Square::new(u32::from(first & 63)),
            to: Square::new(u32::from(second & 63)),
            continues: first & 0x40 != 0,
            ends: first & 0x80 != 0,
            is_weak: second & 0x80 != 0,
        }
    }

    /// The stored bytes of the step.
    pub fn to_bytes(self) -> [u8; 2] {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        [
            u8::from(self.from) | flag(self.continues, 0x40) | flag(self.ends, 0x80),
            u8::from(self.to) | flag(self.is_weak, 0x80),
        ]
    }

    /// The legal move of a step; pawns are promoted to queens.
    pub fn resolve(self, board: &Board) -> Option<Move> {
        let m = board
            .find_move(self.from, self.to, None)
            .or_else(|| board.find_move(self.from, self.to, Some(Role::Queen)))?;
        board.is_legal(m).then_some(m)
    }
}

/// The squares of a move; `None` if the format cannot store it.
pub fn squares(board: &Board, m: Move) -> Option<(Square, Square)> {
    let to = m.king_target();
    let step = FbkMove {
        from: m.from(),
        to,
        continues: false,
        ends: false,
        is_weak: false,
    };
    (!m.is_null() && step.resolve(board) == Some(m)).then_some((m.from(), to))
}
