//! The opening explorer: what was played in a position and how it scored, and the index that makes it quick.
//!
//! * [`tally`]: the statistics of one position. [`explorer`]: walks games, or asks an index, for tallies.
//! * [`index`]: the index of positions, one file beside any database.
//! * [`indexed`]: a database that brings its index along.
//!
//! This crate opens no file and prints nothing: bytes come from the caller and go to the caller.
//!
//! ```
//! use tabiya_explore::key::Key;
//! use tabiya_explore::openings;
//! use tabiya_model::Board;
//!
//! let fen = "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3";
//! let (board, _) = Board::from_fen(fen)?;
//! let opening = openings::at(Key::of_board(&board)).expect("it has a name");
//! assert_eq!((opening.eco, opening.name), ("C41", "Philidor Defense"));
//! # Ok::<(), tabiya_model::board::FenError>(())
//! ```

mod as_it_is;
pub mod brief;
pub mod explorer;
pub mod index;
pub mod indexed;
mod look;
pub mod step;
pub mod tally;

pub use indexed::Indexed;
