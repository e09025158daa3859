//! The words and values of queries: what terms and the parser both need, and nothing of games.

pub mod error;
pub mod fold;
pub(crate) mod keywords;
pub mod names;
pub(crate) mod opening_phrases;
pub mod saved_queries;
pub mod spelling;
pub(crate) mod synonyms;
pub(crate) mod values;
