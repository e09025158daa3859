//! The opening explorer: what was played in a position and how it scored, and the index that makes it fast.
//!
//! * [`tally`]: the statistics of one position. [`explorer`]: walks games, or uses an index, for tallies.
//! * [`index`]: the index of positions, one file beside any database.
//! * [`indexed_database`]: a database together with its index.
//!
//! This crate opens no file and prints nothing: it reads and writes bytes of the caller.
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
