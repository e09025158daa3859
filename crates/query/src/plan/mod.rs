//! The plan of a query: bounds, costs, triggers, and what an index can answer for it.

pub(crate) mod bounds;
pub(crate) mod costs;
pub(crate) mod dependencies;
pub(crate) mod fact_terms;
pub(crate) mod lookback;
pub(crate) mod position_needs;
pub(crate) mod square_narrowing;
pub(crate) mod term_games;
pub(crate) mod trigger;
