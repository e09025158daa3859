//! What a format is, for those who read, write and change databases of one: its description ([`mod@format`]), its options, changes in place
//! ([`edit`]), and what readers and writers of all formats share. The formats themselves are in `crates/formats-*`, and their list in
//! `crates/formats`.

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
