//! The opening explorer: what was played in a position and how it scored, and the index that makes it quick.
//!
//! * [`key`]: positions as 64-bit keys.
//! * [`tally`]: the statistics of one position. [`explorer`]: walks games, or asks an index, for tallies.
//! * [`index`]: the index of positions, one file beside any database.
//! * [`indexed`]: a database that brings its index along.
//! * [`openings`]: the names of openings by position.
//!
//! This crate opens no file and prints nothing: bytes come from the caller and go to the caller.

pub mod brief;
pub mod explorer;
pub mod index;
pub mod indexed;
pub mod key;
mod look;
pub mod openings;
pub mod step;
pub mod tally;
mod zobrist;

pub use indexed::Indexed;
