//! The codecs of Tabiya: one folder a format, behind one registry.
//!
//! ```
//! # fn main() -> tabiya_model::Result<()> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
//! use std::path::Path;
//! use tabiya_formats::format::OpenOptions;
//! use tabiya_formats::registry;
//! use tabiya_model::{Game, GameNeeds};
//!
//! let format = registry::by_name("si5").expect("it is in the registry");
//! let open = format.open.expect("it is read");
//! let database = open(Path::new(path), &OpenOptions::default())?;
//! assert_eq!(database.len()?, 5);
//!
//! let mut game = Game::default();
//! database.read(1, GameNeeds::ALL, &mut game)?;
//! assert_eq!(game.tags.value("White"), "Grünwald, Jörg");
//! # Ok(())
//! # }
//! ```

pub mod annotations;
pub mod book;
pub mod cbf;
pub mod cbh;
pub mod chess_assistant;
pub mod csv;
pub mod edit;
pub mod epd;
pub mod fact_losses;
pub mod fbk;
pub mod format;
pub mod game_places;
pub mod jose;
pub mod lake;
pub mod missing_parts;
pub mod ndjson;
mod numbered_database;
pub mod options;
pub mod parquet;
pub mod pgn;
pub mod polyglot;
pub mod registry;
pub mod scid;
pub mod target_file;
mod unpack_failure;
