//! The terms of queries: one file per kind of term, with its parser and how it tests a game or a position.

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
pub(crate) mod move_trigger;
pub mod openings;
pub(crate) mod piece_counts;
pub(crate) mod piece_squares;
pub mod position;
pub(crate) mod position_annotations;
pub(crate) mod position_view;
pub mod query;
pub mod repertoires;
pub mod similarity;
pub mod squares;
pub(crate) mod step_meter;
pub mod text;
