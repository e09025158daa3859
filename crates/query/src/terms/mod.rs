//! What a query can ask: one file a kind of term, with how it is read from words and how it judges a game or a position.

pub mod annotations;
pub mod board_pattern;
pub(crate) mod board_transform;
pub(crate) mod engine_scores;
pub mod evaluations;
pub mod fields;
pub(crate) mod line_state;
pub mod material;
pub mod move_pattern;
pub mod move_tests;
pub mod openings;
pub mod position;
pub mod query;
pub mod similarity;
pub mod squares;
pub(crate) mod step_meter;
pub mod text;
