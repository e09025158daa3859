//! Everything that writes databases: targets and their reports, conversion, opening books, edits in place with their history, the index, lakes.

pub mod book;
pub mod bulk;
pub mod convert;
pub mod edit;
pub mod history;
pub mod index;
#[cfg(feature = "parquet")]
pub mod lake;
pub mod made_games;
pub mod report;
pub(crate) mod search_copy;
pub mod target;
pub(crate) mod verify;
