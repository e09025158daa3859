//! Positions as the book stores them: bits for the pieces on the squares, always with White to move.

use shakmaty::{CastlingSide, Color, File, Role, Square};
use tabiya_model::Board;

/// How a position is transformed before it is stored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CtgTurn {
    /// Whether colours and ranks are swapped.
    pub is_flipped: bool,
    /// Whether files are mirrored.
    pub is_mirrored: bool,
}

impl CtgTurn {
    /// The transformation of a position: White is to move, and without castling rights the king is on the king's side.
    pub fn of(board: &Board) -> CtgTurn {
        let can_castle = !board.castling_rooks().is_empty();
        let king = board.king_of(board.turn());
        CtgTurn {
            is_flipped: board.turn() == Color::Black,
            is_mirrored: !can_castle && king.is_some_and(|king| king.file() < File::E),
        }
    }

    /// The stored square for a square of the position, and vice versa.
    pub fn square(self, square: Square) -> Square {
        let square = match self.is_flipped {
            true => square.flip_vertical(),
            false => square,
        };
        match self.is_mirrored {
            true => square.flip_horizontal(),
            false => square,
        }
    }
}

/// Bits, from the highest of each byte on.
#[derive(Default)]
struct CtgBits {
    bytes: Vec<u8>,
    count: usize,
}

impl CtgBits {
    fn push(&mut self, value: u8, length: u32) {
        for bit in (0..length).rev() {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if value >> bit & 1 != 0
                && let Some(last) = self.bytes.last_mut()
            {
                *last |= 0x80 >> (self.count % 8);
            }
            self.count += 1;
        }
    }
}

/// The key of a position; `passes` is whether an en passant square is stored. `None` if the position is too large.
pub fn key(board: &Board, passes: bool) -> Option<Vec<u8>> {
    let turn = CtgTurn::of(board);
    let mut bits = CtgBits::default();
    for square in File::ALL
        .into_iter()
        .flat_map(|file| shakmaty::Rank::ALL.map(|rank| Square::from_coords(file, rank)))
    {
        let Some(piece) = board.piece_at(turn.square(square)) else {
            bits.push(0, 1);
            continue;
        };
        let (value, length) = match piece.role {
            Role::Pawn => (0b110, 3),
            Role::Knight => (0b10010, 5),
            Role::Bishop => (0b10100, 5),
            Role::Rook => (0b10110, 5),
            Role::Queen => (0b10_0010, 6),
            Role::King => (0b10_0000, 6),
        };
        let is_other = piece.color != board.turn();
        bits.push(value | u8::from(is_other), length);
    }
    let passing = board.ep_square().filter(|_| passes);
    let rights = [
        (!board.turn(), CastlingSide::KingSide),
        (!board.turn(), CastlingSide::QueenSide),
        (board.turn(), CastlingSide::KingSide),
        (board.turn(), CastlingSide::QueenSide),
    ];
    let castling = rights.into_iter().fold(0, |bits, (color, side)| {
        bits << 1 | u8::from(board.castling_rook(color, side).is_some())
    });
    let flags = 3 * usize::from(passing.is_some()) + 4 * usize::from(castling != 0);
    // Without flags, at least one bit is left.
    let wanted = match flags {
        0 => bits.count + 1,
        flags => bits.count + flags,
    };
    let zeros = wanted.next_multiple_of(8) - wanted + usize::from(flags == 0);
    for _ in 0..zeros {
        bits.push(0, 1);
    }
    let mut first = 0;
    if let Some(square) = passing {
        bits.push(u32::from(turn.square(square).file()).to_le_bytes()[0], 3);
        first |= 0x20;
    }
    if castling != 0 {
        bits.push(castling, 4);
        first |= 0x40;
    }
    let length = bits.bytes.len() + 1;
    let length = u8::try_from(length).ok().filter(|length| *length < 32)?;
    Some([&[first | length][..], &bits.bytes].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(moves: &str) -> String {
        let mut board = Board::standard();
        for text in moves.split_whitespace() {
            let m = board.parse_uci(text.as_bytes()).expect("a move");
            board.play(m);
        }
        let key = key(&board, false).expect("a key");
        let bytes: Vec<String> = key.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(" ")
    }

    #[test]
    fn keys_that_are_known() {
        let start = "56 b6 0f 79 60 f3 a6 0f 58 b0 78 e0 c1 e1 a6 0f 59 60 f3 b6 0f 7f";
        assert_eq!(hex(""), start);
        // From the ninth byte on, and the rest is the same.
        for (moves, other) in [
            ("e2e4", "b0 78 e0 c7 21"),
            ("d2d4", "b1 c8 e0 c1 e1"),
            ("d2d4 d7d5", "8d c8 e0 c1 e1"),
        ] {
            assert_eq!(
                hex(moves),
                start.replace("b0 78 e0 c1 e1", other),
                "{moves}"
            );
        }
    }

    #[test]
    fn a_king_on_the_other_side_is_mirrored_where_nobody_may_castle() {
        let key_of = |fen: &str| key(&Board::from_fen(fen).expect("a position").0, true);
        let left = key_of("4k3/8/8/8/8/8/P7/2K5 w - - 0 1");
        assert_eq!(left, key_of("3k4/8/8/8/8/8/7P/5K2 w - - 0 1"));
        // With swapped colours it is the same position.
        assert_eq!(left, key_of("2k5/p7/8/8/8/8/8/4K3 b - - 0 1"));
        assert_ne!(left, key_of("2k5/p7/8/8/8/8/8/4K3 w - - 0 1"));
    }
}
