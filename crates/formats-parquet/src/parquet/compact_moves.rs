//! The compact column: a byte for most plies, which is the index of the move among the legal ones.
//!
//! 0 to 253 are indices in the order of `ranks.rs`. 254 is the null move. After 255 come two bytes, as in the other column:
//! for illegal moves that can be played, for those that no rule explains, and for indices beyond 253.

use shakmaty::Square;
use tabiya_model::{Board, Move};

use super::move_ranks::MoveRanker;

const NULL: u8 = 254;
const ESCAPE: u8 = 255;

/// A move as stored in a column.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum ParquetMove {
    /// Its squares, as read by `moves.rs`.
    Code(u16),
    /// Its index among the legal moves.
    Rank(u8),
}

/// The first ply of bytes of the compact column, and the rest; `None` if it is truncated.
pub(super) fn split(bytes: &[u8]) -> Option<(ParquetMove, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    match *first {
        NULL => Some((ParquetMove::Code(0), rest)),
        ESCAPE => {
            let (code, rest) = rest.split_first_chunk::<2>()?;
            Some((ParquetMove::Code(u16::from_le_bytes(*code)), rest))
        }
        rank => Some((ParquetMove::Rank(rank), rest)),
    }
}

/// The number of whole plies, and whether some bytes are left after them.
pub(super) fn count(mut bytes: &[u8]) -> (usize, bool) {
    let mut plies = 0;
    while let Some((_, rest)) = split(bytes) {
        plies += 1;
        bytes = rest;
    }
    (plies, !bytes.is_empty())
}

/// Follows the main line of a game.
#[derive(Debug, Default)]
pub(super) struct CompactMoveTracker {
    ranking: MoveRanker,
    /// The target square of the previous move.
    last: Option<Square>,
}

impl CompactMoveTracker {
    /// Begins a game.
    pub(super) fn begin(&mut self) {
        self.last = None;
    }

    /// Records the move that is played.
    pub(super) fn play(&mut self, m: Move) {
        self.last = (!m.is_null()).then(|| m.to());
    }

    /// Appends a move as one byte; false if it needs more.
    pub(super) fn push(&mut self, board: &Board, m: Move, out: &mut Vec<u8>) -> bool {
        if m.is_null() {
            out.push(NULL);
            return true;
        }
        let rank = self.ranking.rank(board, m, self.last);
        let byte = rank.and_then(|rank| u8::try_from(rank).ok());
        let byte = byte.filter(|byte| *byte < NULL);
        out.extend(byte);
        byte.is_some()
    }

    /// The legal move with an index.
    pub(super) fn find(&mut self, board: &Board, rank: u8) -> Option<Move> {
        self.ranking.at(board, usize::from(rank), self.last)
    }
}

/// Appends a move by its squares.
pub(super) fn push_code(code: u16, out: &mut Vec<u8>) {
    out.push(ESCAPE);
    out.extend_from_slice(&code.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_has_a_place_of_its_own() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 1",
            "r3k2r/1P6/8/8/4P3/8/8/R3K2R b KQkq - 0 1",
            "2r1k3/8/8/8/8/8/8/1RK4R w BH - 0 1",
            "4k3/8/8/8/8/5n2/4q3/4K3 w - - 0 1",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "QQQQQQQQ/QQQQQQQQ/8/8/QQQQQQQQ/8/8/k6K w - - 0 1",
        ] {
            let (board, _) = Board::from_fen(fen).expect("a position");
            let mut legal = Vec::new();
            board.legal_moves(&mut legal);
            let mut follower = CompactMoveTracker::default();
            let mut places = Vec::new();
            for m in &legal {
                let mut bytes = Vec::new();
                if !follower.push(&board, *m, &mut bytes) {
                    assert!(legal.len() > usize::from(NULL), "{fen}");
                    continue;
                }
                let Some((ParquetMove::Rank(rank), [])) = split(&bytes) else {
                    panic!("{fen}: {m:?} is {bytes:?}");
                };
                assert_eq!(follower.find(&board, rank), Some(*m), "{fen}");
                places.push(rank);
            }
            places.sort_unstable();
            let all: Vec<u8> = (0..NULL).take(legal.len()).collect();
            assert_eq!(places, all, "{fen}");
            let beyond = u8::try_from(legal.len()).unwrap_or(NULL);
            if beyond < NULL {
                assert_eq!(follower.find(&board, beyond), None);
            }
        }
    }

    #[test]
    fn cut_bytes_are_seen() {
        assert_eq!(count(&[0, 254, 255, 1, 2, 17]), (4, false));
        assert_eq!(count(&[0, 255, 1]), (1, true));
        assert_eq!(count(&[]), (0, false));
    }
}
