//! Positions as keys, and the names of openings by position, so that transpositions get the name of the position on the
//! board.
//!
//! The table is that of Lichess (public domain, `data/openings.tsv`); the build script turns its positions into keys.
//!
//! ```
//! use tabiya_model::Board;
//! use tabiya_openings::position_key::PositionKey;
//!
//! let fen = "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3";
//! let (board, _) = Board::from_fen(fen)?;
//! let opening = tabiya_openings::at(PositionKey::of_board(&board)).expect("it has a name");
//! assert_eq!((opening.eco, opening.name), ("C41", "Philidor Defense"));
//! # Ok::<(), tabiya_model::board::FenError>(())
//! ```

pub mod key_hasher;
pub mod position_key;
mod zobrist;

use tabiya_model::Game;
use tabiya_model::board::Board;
use tabiya_model::eco::EcoCode;
use tabiya_model::positions::MoveDelta;

use position_key::PositionKey;

/// The named positions.
struct OpeningTable {
    /// Keys, rising, and where the texts of each end.
    entries: &'static [(u64, u32)],
    /// The code, and the name behind it.
    texts: &'static str,
    /// How many keys begin with fewer than each number of the first [`FIRST_BITS`] bits.
    begins: [u16; (1 << FIRST_BITS) + 1],
    /// How many pieces such a position has at least.
    fewest_pieces: u32,
}

static TABLE: OpeningTable = include!(concat!(env!("OUT_DIR"), "/openings.rs"));

/// There are about as many keys as numbers of so many bits: most positions have no name, and are told so at once.
const FIRST_BITS: u32 = 12;

/// Bytes of a code.
const CODE: usize = 3;

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
    pub fn code(&self) -> Option<EcoCode> {
        EcoCode::parse(self.eco)
    }
}

/// The opening whose position has a key.
#[must_use]
pub fn at(key: PositionKey) -> Option<Opening> {
    let first = usize::try_from(key.0 >> (u64::BITS - FIRST_BITS)).ok()?;
    let (from, to) = (*TABLE.begins.get(first)?, *TABLE.begins.get(first + 1)?);
    let alike = TABLE.entries.get(usize::from(from)..usize::from(to))?;
    let at = alike.iter().position(|entry| entry.0 == key.0)?;
    opening(usize::from(from) + at)
}

/// The opening of the position on a board.
#[must_use]
pub fn of_board(board: &Board) -> Option<Opening> {
    let key = PositionKey::of_board(board);
    let passing = board.ep_square().map(|square| file_of(square as u8));
    with_passing(key, passing)
}

/// The opening of the position after a move, from a position given by its key.
#[must_use]
pub fn after(key: PositionKey, delta: MoveDelta) -> Option<Opening> {
    with_passing(key.after(delta), passed_on(delta))
}

/// The opening of a position. Where the same pieces have two names, one of them is that of the position in which a pawn may be
/// taken in passing.
fn with_passing(key: PositionKey, file: Option<u8>) -> Option<Opening> {
    let passing = file.and_then(|file| at(key.with_en_passant(file)));
    passing.or_else(|| at(key))
}

fn file_of(square: u8) -> u8 {
    square & 7
}

/// The file of a pawn that has made two steps.
fn passed_on(delta: MoveDelta) -> Option<u8> {
    let is_pawn = delta.mover() & 7 == shakmaty::Role::Pawn as u8;
    (is_pawn && delta.from().abs_diff(delta.to()) == 16).then(|| file_of(delta.to()))
}

/// All openings, in no particular order; several positions may have the same name.
pub fn all() -> impl Iterator<Item = Opening> {
    (0..count()).filter_map(opening)
}

fn opening(index: usize) -> Option<Opening> {
    let end = |index: usize| Some(TABLE.entries.get(index)?.1 as usize);
    let start = index.checked_sub(1).map_or(Some(0), end)?;
    let (eco, name) = TABLE
        .texts
        .get(start..end(index)?)?
        .split_at_checked(CODE)?;
    Some(Opening { eco, name })
}

/// Follows a line to the name of its opening, which is that of its last named position.
#[derive(Copy, Clone, Debug)]
pub struct OpeningFollower {
    key: PositionKey,
    pieces: u32,
    last: Option<Opening>,
}

impl OpeningFollower {
    /// Begins at a position.
    #[must_use]
    pub fn new(start: &Board) -> OpeningFollower {
        let key = PositionKey::of_board(start);
        OpeningFollower {
            key,
            pieces: start.occupied().0.count_ones(),
            last: of_board(start),
        }
    }

    /// Whether named positions may still follow: no position with few pieces has a name, and pieces do not return.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.pieces >= TABLE.fewest_pieces
    }

    /// Follows a move.
    pub fn play(&mut self, delta: MoveDelta) {
        let before = self.key;
        self.key = before.after(delta);
        if delta.captured() != 0 {
            self.pieces = self.pieces.saturating_sub(1);
        }
        if self.goes_on() {
            self.last = after(before, delta).or(self.last);
        }
    }

    /// The opening so far.
    #[must_use]
    pub fn opening(&self) -> Option<Opening> {
        self.last
    }
}

/// The opening of a line: the last position that has a name. Brackets of variations must not be among the moves.
#[must_use]
pub fn of_line(start: &Board, moves: impl IntoIterator<Item = MoveDelta>) -> Option<Opening> {
    let mut follower = OpeningFollower::new(start);
    for delta in moves {
        follower.play(delta);
        if !follower.goes_on() {
            break;
        }
    }
    follower.opening()
}

/// The opening of the main line of a game whose moves were read.
#[must_use]
pub fn of_game(game: &Game) -> Option<Opening> {
    let mut board = game.start_board();
    let mut follower = OpeningFollower::new(&board);
    for m in game.tape.main_line() {
        if !follower.goes_on() {
            break;
        }
        follower.play(MoveDelta::of_move(&board, m));
        board.play(m);
    }
    follower.opening()
}

/// Whether an ECO tag has a value, and not only `?`.
#[must_use]
pub fn is_told(tag: &str) -> bool {
    !matches!(tag.trim(), "" | "?")
}

/// The ECO code shown for a game: its tag, or if that is empty, the code of its opening by position, if its moves were read.
#[must_use]
pub fn shown_code(game: &Game) -> &str {
    let tag = game.tags.value("ECO");
    match is_told(tag) || game.tape.is_empty() {
        true => tag,
        false => of_game(game).map_or(tag, |opening| opening.eco),
    }
}

/// The opening on the way to a board: its own name, or that of the last named position before it.
#[must_use]
pub fn on_the_way(boards: &[Board]) -> Option<Opening> {
    boards.iter().rev().find_map(of_board)
}

/// The number of named positions.
#[must_use]
pub fn count() -> usize {
    TABLE.entries.len()
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
            deltas.push(MoveDelta::of_move(&board, m));
            board.play(m);
        }
        of_line(&Board::standard(), deltas)
    }

    #[test]
    fn the_lines_of_the_table_lead_to_its_positions() {
        let mut count = 0;
        for row in include_str!("../data/openings.tsv").lines().skip(1) {
            let fields: Vec<&str> = row.split('\t').collect();
            let mut board = Board::standard();
            for word in fields[2].split(' ').filter(|word| !word.ends_with('.')) {
                let (m, _) = board.read_san(word.as_bytes()).expect("a move");
                board.play(m.expect("legal"));
            }
            let (expected, _) = Board::from_fen(&format!("{} 0 1", fields[3])).expect("a position");
            assert_eq!(
                PositionKey::of_board(&board),
                PositionKey::of_board(&expected),
                "{row}"
            );
            // Of several lines to a position the first has the name.
            assert!(of_board(&board).is_some(), "{row}");
            count += 1;
        }
        assert_eq!(count, 3810);
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
    fn the_same_pieces_have_two_names_where_a_pawn_may_be_taken_in_passing() {
        let gambit = line("e4 e5 f4 exf4 Nc3").expect("named");
        assert_eq!(gambit.eco, "C33");
        assert!(gambit.name.starts_with("King's Gambit"), "{}", gambit.name);
        let van_geet = line("Nc3 e5 f4 exf4 e4").expect("named");
        assert_eq!(van_geet.eco, "A00");
        let pieces = "rnbqkbnr/pppp1ppp/8/8/4Pp2/2N5/PPPP2PP/R1BQKBNR b KQkq";
        for (passing, expected) in [("-", gambit), ("e3", van_geet)] {
            let (board, _) = Board::from_fen(&format!("{pieces} {passing} 0 3")).expect("valid");
            assert_eq!(of_board(&board), Some(expected), "{passing}");
            assert_eq!(on_the_way(&[Board::standard(), board]), Some(expected));
        }
    }

    #[test]
    fn every_position_keeps_its_own_name() {
        // Told apart by what the moves of its line lead to: nothing of the table hides behind another entry.
        let mut keys: Vec<u64> = TABLE.entries.iter().map(|entry| entry.0).collect();
        keys.dedup();
        assert_eq!(keys.len(), count());
        assert_eq!(all().count(), count());
        // The table has so many lines; two of them lead to the same pieces.
        assert_eq!(count(), 3810);
    }

    #[test]
    fn every_code_is_one() {
        for index in 0..count() {
            let opening = opening(index).expect("a code and a name");
            assert!(opening.code().is_some() && !opening.name.is_empty());
        }
        assert!(TABLE.entries.is_sorted_by(|a, b| a.0 < b.0));
    }
}
