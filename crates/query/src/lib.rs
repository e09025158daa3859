//! Search: one query language over every format.
//!
//! A [`Query`] is parsed from text, with errors that show their place. A [`QueryEvaluator`] tests a game that has been read
//! completely: that is the simple way, and the reference for all others.
//!
//! ```
//! use tabiya_query::{QueryContext, Query};
//!
//! let query = Query::parse("player:Kasparov and result:1-0 and not check", QueryContext::default());
//! assert_eq!(query.map(|query| query.terms.len()).ok(), Some(3));
//! ```

pub(crate) mod parser;

mod language;
mod plan;
mod run;
mod terms;

pub use language::error::QueryError;
pub use language::keywords::KEYS;
pub use language::names::{Aliases, NameTest};
pub use language::saved_queries::SavedQueries;
pub use language::{error, fold, names, saved_queries, spelling};
pub use run::engine::{
    MatchedGame, QueryOptions, QueryReport, SearchShortcuts, search, search_source,
};
pub use run::evaluator::{QueryEvaluator, QueryMatch};
pub use run::similarity_measure::SimilarityMeasure;
pub use run::{engine, evaluator, profile, similarity_measure, walk};
pub use terms::query::{Query, QueryContext, QueryExpr, QueryTerm};
pub use terms::repertoires::RepertoireSource;
pub use terms::{
    annotations, board_pattern, evaluations, fields, material, move_pattern, move_tests, openings,
    position, query, repertoires, similarity, squares, text,
};
