//! Move bytes: a piece by its index among the pieces of its kind, and its step.

use shakmaty::{CastlingSide, File, Rank, Role, Square};
use tabiya_model::{Board, Move};

use super::position_key::CtgTurn;

/// The byte of castling to the king's side, and to the queen's side.
const CASTLES: [u8; 2] = [0x6b, 0xf6];

/// A direction of several steps: a piece, its index among those of its kind, the files and ranks of one step, and a byte for
/// each number of steps; 0 means none.
type CtgWays = (Role, usize, i32, i32, [u8; 7]);

#[rustfmt::skip]
const LONG: [CtgWays; 16] = [
    (Role::Queen, 0, 0, 1, [0x05, 0x9d, 0x94, 0x37, 0xb7, 0x9a, 0xfd]),
    (Role::Queen, 0, 1, 0, [0x2f, 0x74, 0x31, 0xe5, 0x39, 0x29, 0x8f]),
    (Role::Queen, 0, 1, 1, [0xf1, 0xa2, 0x45, 0xe7, 0x28, 0x61, 0xed]),
    (Role::Queen, 0, 1, -1, [0x42, 0x80, 0x4b, 0xe7, 0x7e, 0xd9, 0xd7]),
    (Role::Queen, 1, 0, 1, [0x4d, 0xbd, 0xa0, 0xb0, 0xc6, 0x1a, 0xc9]),
    (Role::Queen, 1, 1, 0, [0xf8, 0x03, 0xfa, 0x08, 0xbc, 0xf9, 0xf0]),
    (Role::Queen, 1, 1, 1, [0x92, 0xfb, 0xae, 0x38, 0x41, 0x23, 0x6f]),
    (Role::Queen, 1, 1, -1, [0x63, 0xab, 0x3b, 0x38, 0xfe, 0x8e, 0xee]),
    (Role::Rook, 0, 0, 1, [0x81, 0xe8, 0x7a, 0x99, 0x87, 0x50, 0xe1]),
    (Role::Rook, 0, 1, 0, [0x7f, 0xcd, 0x98, 0xef, 0x6e, 0x52, 0x86]),
    (Role::Rook, 1, 0, 1, [0x7d, 0xf4, 0xe3, 0xc5, 0xa5, 0x7b, 0x69]),
    (Role::Rook, 1, 1, 0, [0xc4, 0xa9, 0x0e, 0xad, 0xb5, 0xd8, 0x21]),
    (Role::Bishop, 0, 1, 1, [0x2e, 0xc1, 0x0d, 0x6a, 0x15, 0x3a, 0x12]),
    (Role::Bishop, 0, 1, -1, [0x26, 0xb2, 0x3c, 0x6a, 0x66, 0xc3, 0x1b]),
    (Role::Bishop, 1, 1, 1, [0xf5, 0xc2, 0xb9, 0x9f, 0x32, 0x09, 0x1d]),
    (Role::Bishop, 1, 1, -1, [0x72, 0x79, 0xcc, 0x9f, 0xca, 0x22, 0x54]),
];

/// Moves of one step, in the order of their bytes.
const KNIGHT: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const KING: [(i32, i32); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
const PAWN: [(i32, i32); 4] = [(0, 1), (0, 2), (-1, 1), (1, 1)];

const KNIGHTS: [[u8; 8]; 2] = [
    [0x34, 0x36, 0xe9, 0x8a, 0xda, 0x0f, 0xf7, 0x85],
    [0x4c, 0xd2, 0xe0, 0x2a, 0x30, 0x01, 0xd3, 0xf3],
];
const KINGS: [u8; 8] = [0x13, 0x67, 0xbe, 0x44, 0x0a, 0x8c, 0x97, 0xdf];
const PAWNS: [[u8; 4]; 8] = [
    [0xec, 0xdb, 0x0c, 0x8b],
    [0x04, 0x62, 0xd1, 0x96],
    [0x55, 0x9b, 0x27, 0x7c],
    [0xcf, 0xe6, 0x06, 0xeb],
    [0xbb, 0x5f, 0xde, 0x00],
    [0xcb, 0xb1, 0x82, 0x2d],
    [0x18, 0xc8, 0xc7, 0x5c],
    [0xa3, 0x4a, 0x24, 0x14],
];

/// The possible meanings of a byte. In the published tables, two bytes of the second queen have the same meaning, and one of
/// its moves has no byte: for each of these bytes both meanings are tried, the likelier one first.
fn meanings(byte: u8) -> Vec<(Role, usize, i32, i32)> {
    let mut found = Vec::new();
    let place = |list: &[u8]| list.iter().position(|own| *own == byte);
    for (role, number, files, ranks, bytes) in LONG {
        let steps = place(&bytes).and_then(|at| i32::try_from(at + 1).ok());
        found.extend(steps.map(|steps| (role, number, files * steps, ranks * steps)));
    }
    match byte {
        0x1a => found.push((Role::Queen, 1, 6, 0)),
        0xf9 => found.push((Role::Queen, 1, 0, 6)),
        _ => {}
    }
    let mut short = |role, number, bytes: &[u8], ways: &[(i32, i32)]| {
        let way = place(bytes).and_then(|at| ways.get(at));
        found.extend(way.map(|(files, ranks)| (role, number, *files, *ranks)));
    };
    for (number, bytes) in KNIGHTS.iter().enumerate() {
        short(Role::Knight, number, bytes, &KNIGHT);
    }
    short(Role::King, 0, &KINGS, &KING);
    for (number, bytes) in PAWNS.iter().enumerate() {
        short(Role::Pawn, number, bytes, &PAWN);
    }
    found
}

/// A file or a rank as a number from which steps are counted.
fn coordinate(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(0)
}

/// The legal move of a byte in a position, and whether another one is possible.
pub fn read(board: &Board, byte: u8) -> Option<(Move, bool)> {
    if let Some(at) = CASTLES.iter().position(|own| *own == byte) {
        let side = CastlingSide::from_king_side(at == 0);
        let m = board.find_castle(side).filter(|m| board.is_legal(*m))?;
        return Some((m, false));
    }
    let turn = CtgTurn::of(board);
    let mut legal = meanings(byte)
        .into_iter()
        .filter_map(|(role, number, files, ranks)| {
            // Pieces are counted by files of the stored position.
            let mut own = File::ALL
                .into_iter()
                .flat_map(|file| Rank::ALL.map(|rank| Square::from_coords(file, rank)))
                .filter(|square| {
                    let piece = board.piece_at(turn.square(*square));
                    piece.is_some_and(|piece| piece.color == board.turn() && piece.role == role)
                });
            let from = own.nth(number)?;
            let file = (coordinate(from.file().into()) + files).rem_euclid(8);
            let rank = (coordinate(from.rank().into()) + ranks).rem_euclid(8);
            let to = Square::new(u32::try_from(rank * 8 + file).ok()?);
            let (from, to) = (turn.square(from), turn.square(to));
            let is_last = matches!(to.rank(), Rank::First | Rank::Eighth);
            // A pawn is always promoted to a queen.
            let promotion = (role == Role::Pawn && is_last).then_some(Role::Queen);
            let m = board.find_move(from, to, promotion)?;
            (board.is_legal(m) && !m.is_castle()).then_some(m)
        });
    let first = legal.next()?;
    let other = legal.find(|m| *m != first);
    Some((first, other.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_means_one_thing_but_for_those_that_are_known() {
        for byte in 0..=255_u8 {
            let found = meanings(byte);
            let is_double = match byte {
                // Four to the right and up is the same as four to the right and down.
                0xe7 | 0x38 | 0x6a | 0x9f => true,
                0x1a | 0xf9 => true,
                // The second rook seven to the right, and nothing else.
                _ => false,
            };
            assert!(
                found.len() <= 1 + usize::from(is_double),
                "{byte:02x}: {found:?}"
            );
            assert!(found.is_empty() || !CASTLES.contains(&byte), "{byte:02x}");
        }
    }

    fn uci(fen: &str, byte: u8) -> Option<String> {
        let (board, _) = Board::from_fen(fen).expect("a position");
        let (m, _) = read(&board, byte)?;
        Some(format!("{}{}", m.from(), m.to()))
    }

    #[test]
    fn moves_of_both_sides() {
        let start = Board::standard().to_fen();
        assert_eq!(uci(&start, 0x5f).as_deref(), Some("e2e4"));
        assert_eq!(uci(&start, 0xd3).as_deref(), None);
        assert_eq!(uci(&start, 0x4c).as_deref(), Some("g1h3"));
        assert_eq!(uci(&start, 0xf3).as_deref(), Some("g1f3"));
        let black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert_eq!(uci(black, 0x5f).as_deref(), Some("e7e5"));
        // Five to the right is the same as three to the left.
        let rook = "4k3/8/8/8/7R/8/8/4K3 w - - 0 1";
        assert_eq!(uci(rook, 0x6e).as_deref(), Some("h4e4"));
        // If the king is on the queen's side, everything is mirrored.
        let mirrored = "4k3/8/8/8/R7/8/8/2K5 w - - 0 1";
        assert_eq!(uci(mirrored, 0x6e).as_deref(), Some("a4d4"));
    }
}
