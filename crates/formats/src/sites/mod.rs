//! Games in the download formats of the sites where they were played: JSON lines of Lichess, and monthly archives of
//! chess.com.
//!
//! Both are read and not written. Fields with a PGN tag become that tag, others a tag with a documented name, and an unknown
//! field is kept unchanged in the tag [`FIELDS_TAG`].

pub mod chesscom;
mod codes;
mod date_time;
mod fields;
pub mod lichess;
mod movetext;
mod object_source;

pub use fields::FIELDS_TAG;

/// The tape extension with the rest of a game whose JSON is broken.
pub const REST: &str = "site.rest";

/// The tape extension with, as a JSON object, annotations of moves that have no place on the tape.
pub const FIELDS: &str = "site.fields";
