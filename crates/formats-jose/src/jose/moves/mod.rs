//! The move encoding: one byte a ply, two for promotions and promoted pieces.
//!
//! | byte | meaning |
//! |---|---|
//! | 00-1F | pawn 0 to 7 (bits 2-4), direction (bits 0-1) |
//! | 20-2F | knight 0, 1 (bit 3), direction (bits 0-2) |
//! | 30-4F | bishop 0, 1: 16 values each, by diagonal and target rank |
//! | 50-6F | rook 0, 1: 16 values each, by target rank or file |
//! | 70-8F | queen: 16 values as a bishop, 16 as a rook |
//! | 90-97 | king, direction |
//! | 98, 99, 9A | O-O, O-O-O, null move |
//! | A0-A7 xx | promotion of pawn 0 to 7: xx holds direction (bits 2-3) and piece (bits 0-1: N B R Q) |
//! | A8-AF xx | move of the piece that pawn 0 to 7 became: xx holds its value (bits 0-4) |
//! | B0 nn, B1-CF | NAG nn; NAG 1 to 31 |
//! | D0-D3 | result 0-1, 1/2-1/2, 1-0, * |
//! | E0 | comment, whose text is in another column |
//! | E1-E5 | text that jose could not read: unreadable, illegal, ambiguous, unrecognized, empty |
//! | F0, F1 | begin and end of a variation, which replaces the move before it |
//! | FF | end |
//!
//! A number stays with its piece for the whole game. At the normal start pawns are numbered by file,
//! the others from the queen's side; in a custom starting position each kind is numbered in FEN order.

mod decode;
mod encode;
mod pieces;

pub use decode::{EXTENSION, JoseMoveColumns, JoseMoveDecoder};
pub use encode::{JoseEncodedMoves, JoseMoveEncoder};
pub use pieces::JosePieces;

/// Steps of a knight by direction number: files to the right, ranks up.
const KNIGHT: [(i8, i8); 8] = [
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
    (1, 2),
];

/// Steps of a king by direction number.
const KING: [(i8, i8); 8] = [
    (1, 1),
    (1, -1),
    (-1, -1),
    (-1, 1),
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
];

/// Steps of a white pawn by direction number; a black one goes the other way in both.
const PAWN: [(i8, i8); 4] = [(0, 1), (1, 1), (-1, 1), (0, 2)];

const CASTLE_SHORT: u8 = 0x98;
const CASTLE_LONG: u8 = 0x99;
const NULL_MOVE: u8 = 0x9A;
const PROMOTION: u8 = 0xA0;
const PROMOTED: u8 = 0xA8;
const NAG_LONG: u8 = 0xB0;
const RESULT_FIRST: u8 = 0xD0;
const COMMENT: u8 = 0xE0;
const BEGIN: u8 = 0xF0;
const END_LINE: u8 = 0xF1;
const END: u8 = 0xFF;

/// The prefix of the text of an error code, E1 to E5, when it is shown as a comment.
pub const ERROR_WORDS: [&str; 5] = [
    "unreadable input: ",
    "illegal move: ",
    "ambiguous move: ",
    "unrecognized input: ",
    "empty input: ",
];

#[cfg(test)]
mod tests;
