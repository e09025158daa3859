//! A filter that shows for most positions at once that no game returns from there: pawns that have left their home squares
//! do not return, and neither do captured pieces.

use shakmaty::{Color, Role};
use tabiya_model::board::Board;
use tabiya_model::positions::MoveDelta;

/// Sets of pawns at home: White's from bit 0, Black's from bit 8.
const SETS: usize = 1 << 16;
/// More pieces than any board has.
const NEVER: u8 = u8::MAX;

/// The pawns at home, and how many pieces there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HomePawns {
    pawns: u16,
    pieces: u8,
}

/// The bit of a square where a pawn can be at home.
fn bit(square: u8) -> u16 {
    match square {
        8..16 => 1 << (square - 8),
        48..56 => 1 << (square - 40),
        _ => 0,
    }
}

impl HomePawns {
    /// Of a board; nothing where pawns may come home, because some are behind it.
    pub(crate) fn of(board: &Board) -> Option<HomePawns> {
        let mut pawns = 0;
        for square in board.by_role(Role::Pawn) {
            let number = square as u8;
            if !(8..56).contains(&number) {
                return None;
            }
            let home = match board.color_at(square) {
                Some(Color::White) => 8..16,
                _ => 48..56,
            };
            if home.contains(&number) {
                pawns |= bit(number);
            }
        }
        let pieces = board.occupied().count();
        Some(HomePawns {
            pawns,
            pieces: u8::try_from(pieces).unwrap_or(NEVER - 1),
        })
    }

    /// After a move.
    #[inline]
    pub(crate) fn play(&mut self, delta: MoveDelta) {
        if delta.is_null() {
            return;
        }
        self.pawns &= !(bit(delta.from()) | bit(delta.to()));
        self.pieces = self.pieces.saturating_sub(u8::from(delta.captured() != 0));
    }
}

/// For each set of pawns at home, the fewest pieces of a position that can still come.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReturnFilter {
    fewest: Vec<u8>,
}

impl ReturnFilter {
    /// For some positions.
    pub(crate) fn new<'b>(boards: impl Iterator<Item = &'b Board>) -> ReturnFilter {
        let mut fewest = vec![NEVER; SETS];
        for board in boards {
            // What cannot be told apart may always come.
            let home = HomePawns::of(board).unwrap_or(HomePawns {
                pawns: 0,
                pieces: 0,
            });
            if let Some(slot) = fewest.get_mut(usize::from(home.pawns)) {
                *slot = home.pieces.min(*slot);
            }
        }
        // What can come with fewer pawns at home can come with more.
        for pawn in 0..16 {
            for set in 0..SETS {
                if set >> pawn & 1 != 0 {
                    let without = fewest.get(set & !(1 << pawn)).copied();
                    if let (Some(slot), Some(without)) = (fewest.get_mut(set), without) {
                        *slot = without.min(*slot);
                    }
                }
            }
        }
        ReturnFilter { fewest }
    }

    /// Whether a game can come to one of the positions.
    #[inline]
    pub(crate) fn may_return(&self, home: HomePawns) -> bool {
        let fewest = self.fewest.get(usize::from(home.pawns));
        fewest.is_none_or(|fewest| home.pieces >= *fewest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a position").0
    }

    #[test]
    fn pawns_and_pieces_do_not_come_back() {
        let start = Board::standard();
        let after = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        let filter = ReturnFilter::new([&start, &after].into_iter());
        let may = |fen: &str| filter.may_return(HomePawns::of(&board(fen)).expect("pawns"));
        assert!(may(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        ));
        assert!(may(
            "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1"
        ));
        assert!(!may(
            "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"
        ));
        assert!(!may(
            "rnbqkbnr/pppp1ppp/8/4N3/4P3/8/PPPP1PPP/RNBQKB1R b KQkq - 0 3"
        ));
        assert!(HomePawns::of(&board("4k3/8/8/8/8/8/8/P3K3 w - - 0 1")).is_none());
        assert_eq!((0..64).filter(|square| bit(*square) != 0).count(), 16);
    }

    #[test]
    fn moves_change_what_is_at_home_as_boards_do() {
        let mut board = Board::standard();
        let mut home = HomePawns::of(&board).expect("pawns");
        for uci in [
            "e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a2", "a1a2", "e7e5", "a2a7", "e5e4", "d2d4",
            "e4d3",
        ] {
            let m = board.parse_uci(uci.as_bytes()).expect("legal");
            home.play(MoveDelta::of_move(&board, m));
            board.play(m);
            assert_eq!(Some(home), HomePawns::of(&board), "{uci}");
        }
    }
}
