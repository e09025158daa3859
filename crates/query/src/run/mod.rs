//! The search: games are selected by indexes, walked move by move, and evaluated.

pub(crate) mod balance_history;
pub(crate) mod delta_walk;
pub mod engine;
pub mod evaluator;
pub(crate) mod event_order;
pub(crate) mod fact_filter;
pub(crate) mod index_answers;
pub(crate) mod options;
pub(crate) mod pieces;
pub(crate) mod position_history;
pub mod profile;
pub(crate) mod scan;
pub mod similarity_measure;
pub mod walk;
