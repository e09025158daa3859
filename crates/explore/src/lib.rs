//! The opening explorer: which moves were played in a position and how they scored, and the index that makes it fast.
//!
//! * [`tally`]: the statistics of one position. [`explorer`]: computes tallies from games, or from an index.
//! * [`index`]: the index of positions, one file beside any database.
//! * [`indexed_database`]: a database together with its index.
//!
//! This crate opens no file and prints nothing: bytes come from the caller and go to the caller.
//!
//! ```
//! use tabiya_explore::game_brief::GameBrief;
//! use tabiya_explore::move_code::MoveCode;
//! use tabiya_explore::tally::PositionTally;
//!
//! // A game that ends in the position: nothing was played there.
//! let mut tally = PositionTally::default();
//! tally.add(17, MoveCode::END, GameBrief::from_bits(0));
//! assert_eq!(tally.total().games, 1);
//! ```

pub mod explorer;
pub mod game_brief;
mod identity_hasher;
pub mod index;
pub mod indexed_database;
pub mod move_code;
mod read_mode;
pub mod tally;

pub use indexed_database::IndexedDatabase;
