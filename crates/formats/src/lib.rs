//! The codecs of Tabiya: one folder a format, behind one registry.

pub mod annotations;
pub mod cbf;
pub mod chess_assistant;
pub mod csv;
pub mod edit;
pub mod format;
pub mod io;
pub mod jose;
pub mod ndjson;
pub mod pgn;
pub mod registry;
pub mod scid;
