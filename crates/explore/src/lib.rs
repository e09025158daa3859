//! The opening explorer: what was played in a position and how it scored, and the index that makes it quick.
//!
//! * [`tally`]: the statistics of one position. [`explorer`]: walks games, or asks an index, for tallies.
//! * [`index`]: the index of positions, one file beside any database.
//! * [`indexed`]: a database that brings its index along.
//!
//! This crate opens no file and prints nothing: bytes come from the caller and go to the caller.
//!
//! ```
//! use tabiya_explore::brief::Brief;
//! use tabiya_explore::step::Step;
//! use tabiya_explore::tally::Tally;
//!
//! // A game that ends in the position: nothing was played there.
//! let mut tally = Tally::default();
//! tally.add(17, Step::END, Brief::from_bits(0));
//! assert_eq!(tally.total().games, 1);
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
