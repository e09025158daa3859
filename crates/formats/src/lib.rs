//! The codecs of Tabiya: one folder a format, behind one registry.

pub mod annotations;
pub mod book;
pub mod cbf;
pub mod cbh;
pub mod chess_assistant;
pub mod claims;
pub mod csv;
mod cut;
pub mod edit;
pub mod epd;
pub mod fbk;
pub mod format;
pub mod jose;
pub mod lake;
pub mod ndjson;
mod numbered;
pub mod options;
pub mod parquet;
pub mod pgn;
pub mod places;
pub mod polyglot;
pub mod registry;
pub mod scid;
pub mod target;
