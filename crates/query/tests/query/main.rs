//! The language of queries and its search, through the public face of the crate.

mod bombs;
mod differential;
mod free_text;
mod language;
mod terms;
mod typed_queries;
