//! Games as the sites where they were played give them out: Lichess's lines of JSON, and chess.com's months.
//!
//! Both are read and not written. What PGN has a tag for becomes that tag, what it has none for a tag with a documented name, and a
//! field that nobody knows stays, as it stands there, in the tag [`FIELDS_TAG`].

pub mod chesscom;
mod codes;
mod date_time;
mod fields;
pub mod lichess;
mod movetext;
mod object_source;

pub use fields::FIELDS_TAG;

/// The extension of a tape that keeps the rest of a game whose JSON is broken.
pub const REST: &str = "site.rest";

/// The extension of a tape that keeps, as a JSON object, what was said of moves and has no place there.
pub const FIELDS: &str = "site.fields";
