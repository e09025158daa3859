//! Opening books: Polyglot's and Fritz's, and what they have in common ([`book`]).

pub mod book;
pub mod fbk;
pub mod polyglot;
