//! Search: one query language over every format.
//!
//! A [`Query`] is read from text, with errors that point at their place. An [`Evaluator`] asks it of a game that has
//! been read: that is the plain way, and the truth.
//!
//! ```
//! use tabiya_query::{Context, Query};
//!
//! let query = Query::parse("player:Kasparov and result:1-0 and not check", Context::default());
//! assert_eq!(query.map(|query| query.terms.len()).ok(), Some(3));
//! ```

mod asks;
mod balances;
mod compact;
mod costs;
mod depends;
pub mod engine;
pub mod error;
pub mod evaluate;
pub mod evaluations;
mod field;
pub mod fields;
pub mod fold;
mod foresight;
mod hints;
mod history;
mod judge;
mod listing;
mod match_scores;
pub mod material;
mod meter;
pub mod move_pattern;
pub mod moves;
pub mod names;
mod narrowing;
pub mod nearness;
pub mod openings;
mod order;
pub(crate) mod parser;
pub mod pattern;
pub mod position;
pub mod query;
pub mod remarks;
mod rows;
pub mod saved;
mod scan;
pub mod similar;
pub mod spelling;
pub mod squares;
pub mod text;
mod trail;
mod turned;
mod values;
mod wake;
pub mod walk;
pub mod ways;

pub use engine::{Found, Options, Report, search, search_source};
pub use error::QueryError;
pub use evaluate::{Evaluator, Hit};
pub use names::{Aliases, NameTest};
pub use nearness::Nearness;
pub use parser::words::KEYS;
pub use query::{Context, Expr, Query, Term};
pub use saved::SavedQueries;
