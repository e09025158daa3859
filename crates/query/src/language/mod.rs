//! The words and values of queries: what both terms and the parser need, independent of games.

pub mod error;
pub mod fold;
pub(crate) mod keywords;
pub mod names;
pub(crate) mod opening_phrases;
pub mod saved_queries;
pub mod spelling;
pub(crate) mod synonyms;
pub(crate) mod values;
