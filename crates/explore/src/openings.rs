//! The names of openings by position, so that transpositions get the name of what stands on the board.
//!
//! The table is that of Lichess (public domain), as the package `esca` carries it; the build script turns it into keys.

use tabiya_model::board::Board;
use tabiya_model::eco::Eco;
use tabiya_model::positions::Delta;

use crate::key::Key;

/// Sorted by key.
static TABLE: &[(u64, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/openings.rs"));

/// The name of an opening.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Its code, such as `B90`.
    pub eco: &'static str,
    /// Its name: family, then variations.
    pub name: &'static str,
}

impl Opening {
    /// The code in the model's form.
    #[must_use]
    pub fn code(&self) -> Option<Eco> {
        Eco::parse(self.eco)
    }
}

/// The opening whose position has a key.
#[must_use]
pub fn at(key: Key) -> Option<Opening> {
    let index = TABLE.binary_search_by_key(&key.0, |entry| entry.0).ok()?;
    TABLE.get(index).map(|(_, eco, name)| Opening { eco, name })
}

/// The opening of a line from the normal starting position: the last position that has a name. Brackets of
/// variations must not be among the moves.
#[must_use]
pub fn of_line(moves: impl IntoIterator<Item = Delta>) -> Option<Opening> {
    let mut key = Key::standard();
    let mut last = None;
    for delta in moves {
        key = key.after(delta);
        last = at(key).or(last);
    }
    last
}

/// The opening on the way to a board: its own name, or that of the last named position before it.
#[must_use]
pub fn on_the_way(boards: &[Board]) -> Option<Opening> {
    boards
        .iter()
        .rev()
        .find_map(|board| at(Key::of_board(board)))
}

/// How many positions have a name.
#[must_use]
pub fn count() -> usize {
    TABLE.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &str) -> Option<Opening> {
        let mut board = Board::standard();
        let mut deltas = Vec::new();
        for san in moves.split(' ') {
            let (m, _) = board.read_san(san.as_bytes()).expect("a move");
            let m = m.expect("legal");
            deltas.push(Delta::of_move(&board, m));
            board.play(m);
        }
        of_line(deltas)
    }

    #[test]
    fn names_follow_the_position_and_not_the_way() {
        assert!(count() > 3000);
        let najdorf = line("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6").expect("named");
        assert_eq!(najdorf.eco, "B90");
        assert!(najdorf.name.contains("Najdorf"));
        let other = line("e4 c5 Nc3 a6 Nf3 d6 d4 cxd4 Nxd4 Nf6").expect("named");
        assert_eq!(najdorf, other);
        assert_eq!(line("h3 a6 Rh2 Ra7 Rh1 Ra8").map(|o| o.eco), Some("A00"));
    }

    #[test]
    fn every_code_is_one() {
        assert!(
            TABLE
                .iter()
                .all(|(_, eco, name)| Eco::parse(eco).is_some() && !name.is_empty())
        );
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
    }
}
