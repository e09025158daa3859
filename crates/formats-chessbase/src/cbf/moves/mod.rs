//! Move numbers: the format stores the place of a move in its own list of pseudo-legal moves.
//!
//! The list is never built. The moves of all pieces are counted into eight sums, one a file, as bytes of one word; a
//! multiplication adds them up, so that the file of a number is known at once. Of the few pieces on that file the one that
//! holds the number is found by counting, and only that one is expanded.

mod counter;
mod pawns;
pub(super) mod rotated_board;
mod sums;
mod tables;

use shakmaty::{Role, Square};
use tabiya_model::{Board, Move};

use counter::CbfMoveCounter;
use tables::{LANE_MAX, ONES};

/// The meaning of a number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CbfMoveMeaning {
    /// A move; the king's safety and castling rights were not asked.
    Move(Move),
    /// An en passant entry that is counted and can never be played.
    Phantom,
    /// There are fewer moves: only this number.
    Beyond(u32),
}

/// The variable of en passant: 0, or the file from 1 of the last double step. Castling does not clear it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbfEnPassant(u8);

impl CbfEnPassant {
    /// The variable at the start of a game; files that do not exist count as none.
    pub fn new(file: u8) -> CbfEnPassant {
        CbfEnPassant(if file <= 8 { file } else { 0 })
    }

    /// The variable.
    #[inline]
    pub(super) fn file(self) -> u8 {
        self.0
    }

    /// The variable after a move.
    #[inline]
    pub fn after(self, m: Move) -> CbfEnPassant {
        let (from, to) = (u32::from(m.from()), u32::from(m.to()));
        if m.is_castle() {
            self
        } else if m.role() == Role::Pawn && from ^ to == 16 {
            // Only double steps stay in their file two ranks away, and bit 4 differs between ranks 2 and 4, 7 and 5.
            CbfEnPassant(u8::try_from(from & 7).unwrap_or(0) + 1)
        } else {
            CbfEnPassant(0)
        }
    }
}

/// The move of a number, from 1.
pub fn move_of(board: &Board, en_passant: CbfEnPassant, number: u32) -> CbfMoveMeaning {
    move_among(board, en_passant, number, false)
}

/// The same, where moves that take the other king may count: one program lists them, others do not.
pub(super) fn move_among(
    board: &Board,
    en_passant: CbfEnPassant,
    number: u32,
    takes_kings: bool,
) -> CbfMoveMeaning {
    let counter = CbfMoveCounter::new(board, en_passant, takes_kings);
    let wanted = u64::from(number);
    let Some(sums) = counter.sums().filter(|_| (1..=LANE_MAX).contains(&wanted)) else {
        return counter.search_all(number);
    };
    // Each byte holds the moves of its file and of all files before; a byte in which the number is reached keeps its
    // highest bit.
    let files = sums.files.wrapping_mul(ONES);
    let high = ONES << 7;
    let reached = ((files | high) - wanted * ONES) & high;
    if reached == 0 {
        return CbfMoveMeaning::Beyond(u32::try_from(files >> 56).unwrap_or(0));
    }
    let file = reached.trailing_zeros() / 8;
    counter.search_counted(&sums, file, number - sums.before(file))
}

/// The number of a move, from 1; `None` if the list does not have it.
pub fn number_of(board: &Board, en_passant: CbfEnPassant, m: Move) -> Option<u32> {
    let counter = CbfMoveCounter::new(board, en_passant, false);
    let from = m.from();
    if m.is_null()
        || counter.us & 1 << u32::from(from) == 0
        || board.role_at(from) != Some(m.role())
    {
        return None;
    }
    let place = counter.place(m)?;
    let file = u32::from(from.file());
    let (other_files, same_file) = match counter.sums() {
        Some(sums) => (
            sums.before(file),
            counter.count_file(file, u32::from(from), |square| {
                counter.count_with(&sums, square)
            }),
        ),
        None => {
            let count = |square| counter.count(Square::new(square & 63));
            (
                (0..file)
                    .map(|file| counter.count_file(file, 64, count))
                    .sum(),
                counter.count_file(file, u32::from(from), count),
            )
        }
    };
    Some(other_files + same_file + place)
}

#[cfg(test)]
mod tests {
    use super::tables::rook_reach;
    use super::*;
    use shakmaty::Bitboard;

    #[test]
    fn rooks_reach_what_they_attack() {
        let mut pieces = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..200_u32 {
            // Crowded boards and empty ones.
            pieces = pieces
                .rotate_left(round % 61)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9)
                ^ pieces >> 29;
            for occupied in [pieces, pieces & pieces >> 17, pieces | pieces << 9, 0, !0] {
                for from in Square::ALL {
                    let expected = shakmaty::attacks::rook_attacks(from, Bitboard(occupied));
                    let here = occupied | 1 << u32::from(from);
                    assert_eq!(
                        Bitboard(rook_reach(from, here)),
                        expected,
                        "{from} {here:x}"
                    );
                }
            }
        }
    }

    fn all(fen: &str, file: u8) -> Vec<String> {
        let (board, _) = Board::from_fen(fen).expect("a position");
        let en_passant = CbfEnPassant::new(file);
        let mut list = Vec::new();
        for number in 1.. {
            match move_of(&board, en_passant, number) {
                CbfMoveMeaning::Move(m) => {
                    assert_eq!(number_of(&board, en_passant, m), Some(number), "{m:?}");
                    let mut text = Vec::new();
                    board.write_uci(
                        m,
                        tabiya_model::board::CastlingStyle::KingTakesRook,
                        &mut text,
                    );
                    list.push(String::from_utf8(text).expect("ASCII"));
                }
                CbfMoveMeaning::Phantom => list.push("-".to_owned()),
                CbfMoveMeaning::Beyond(count) => {
                    assert_eq!(count as usize, list.len());
                    break;
                }
            }
        }
        list
    }

    #[test]
    fn the_normal_start() {
        let list = all(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            0,
        );
        assert_eq!(
            list.join(" "),
            "a2a4 a2a3 b1a3 b1c3 b2b4 b2b3 c2c4 c2c3 d2d4 d2d3 e2e4 e2e3 f2f4 f2f3 g1f3 g1h3 g2g4 g2g3 h2h4 h2h3"
        );
    }

    #[test]
    fn both_ways_of_counting_agree() {
        // Random games from positions of all kinds, with every value of the variable.
        let mut state = 7_u64;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut compared = 0;
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
            "qqqqkqqq/8/8/8/8/8/8/QQQQKQQQ w - - 0 1",
            "P6k/8/8/8/8/8/8/K6p w - - 0 1",
        ] {
            for _ in 0..20 {
                let (mut board, _) = Board::from_fen(fen).expect("a position");
                for _ in 0..60 {
                    let en_passant = CbfEnPassant::new(u8::try_from(random(9)).unwrap_or(0));
                    let counter = CbfMoveCounter::new(&board, en_passant, false);
                    let mut moves = Vec::new();
                    for number in 1..260 {
                        let slow = counter.search_all(number);
                        assert_eq!(move_of(&board, en_passant, number), slow, "{board:?}");
                        compared += 1;
                        match slow {
                            CbfMoveMeaning::Move(m) => {
                                assert_eq!(number_of(&board, en_passant, m), Some(number));
                                moves.push(m);
                            }
                            CbfMoveMeaning::Phantom => {}
                            CbfMoveMeaning::Beyond(_) => break,
                        }
                    }
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves.swap_remove(random(moves.len()));
                    board.play(m);
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    #[test]
    fn castling_needs_no_right_and_kings_are_not_taken() {
        let list = all("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 0);
        assert!(list.ends_with(&["h1h8".to_owned()]));
        let king: Vec<_> = list.iter().filter(|m| m.starts_with("e1")).collect();
        assert_eq!(
            king,
            ["e1d1", "e1d2", "e1e2", "e1f1", "e1f2", "e1h1", "e1a1"]
        );
        let list = all("k7/8/8/8/8/8/8/R3K3 w - - 0 1", 0);
        assert_eq!(list.iter().filter(|m| m.starts_with("a1")).count(), 9);
    }

    #[test]
    fn promotions_and_both_sides_of_a_pawn() {
        let list = all("n1n4k/1P6/8/8/8/8/8/K7 w - - 0 1", 0);
        assert_eq!(
            list.join(" "),
            "a1a2 a1b1 a1b2 b7b8q b7b8r b7b8b b7b8n b7a8q b7a8r b7a8b b7a8n b7c8q b7c8r b7c8b b7c8n"
        );
        let list = all("k7/8/8/8/8/8/1p6/N1N4K b - - 0 1", 0);
        assert_eq!(
            list.join(" "),
            "a8a7 a8b7 a8b8 b2b1q b2b1r b2b1b b2b1n b2a1q b2a1r b2a1b b2a1n b2c1q b2c1r b2c1b b2c1n"
        );
    }

    #[test]
    fn phantoms_of_en_passant() {
        // The a-pawn has one whenever there was no double step.
        assert_eq!(
            all("7k/8/8/P7/8/8/8/7K w - - 0 1", 0).join(" "),
            "a5a6 - h1g1 h1g2 h1h2"
        );
        assert_eq!(
            all("7k/8/8/P7/8/8/8/7K w - - 0 1", 4).join(" "),
            "a5a6 h1g1 h1g2 h1h2"
        );
        // A true one, and beside the same file on the other side.
        assert_eq!(
            all("7k/8/8/2PpP3/8/8/8/7K w - d6 0 1", 4).join(" "),
            "c5c6 c5d6 e5e6 e5d6 h1g1 h1g2 h1h2"
        );
        // The same with nothing to take.
        assert_eq!(
            all("7k/8/8/2P1P3/8/8/8/7K w - - 0 1", 4).join(" "),
            "c5c6 - e5e6 - h1g1 h1g2 h1h2"
        );
        assert_eq!(
            all("7k/8/8/8/p1pPp2p/8/8/7K b - d3 0 1", 4).join(" "),
            "a4a3 c4c3 c4d3 e4e3 e4d3 h4h3 h8g7 h8g8 h8h7"
        );
    }
}
