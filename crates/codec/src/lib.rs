//! Formats, for code that reads, writes and changes databases: the description of a format ([`mod@format`]), its options,
//! changes in place ([`edit`]), and the common parts of all readers and writers. The formats themselves are in
//! `crates/formats-*`, and their list in `crates/formats`.

pub mod annotations;
pub mod edit;
pub mod fact_losses;
pub mod format;
pub mod game_places;
pub mod missing_parts;
pub mod numbered_database;
pub mod options;
pub mod target_file;
pub mod text_file;
pub mod unpack_failure;
