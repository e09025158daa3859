//! The formats of Tabiya: one folder per format, with one list ([`registry`]).
//!
//! The folders are in the crates `tabiya-formats-*`, so that a change in one does not recompile the others, and their common
//! part is in `tabiya-codec`; their public modules are re-exported here. JSON lines ([`ndjson`]) store findings of every format
//! by name, which are looked up in the list, so they are in this crate; so are opening books ([`book`]) and the JSON of sites
//! ([`sites`]), which are too small for their own crates.
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

pub mod abk;
pub mod book;
pub mod ctg;
pub mod fbk;
pub mod ndjson;
pub mod polyglot;
pub mod registry;
pub mod sites;

pub use sites::{chesscom, lichess};
pub use tabiya_codec::{
    annotations, edit, fact_losses, format, game_places, missing_parts, options, target_file,
};
pub use tabiya_formats_chess_assistant::chess_assistant;
pub use tabiya_formats_chessbase::{cbf, cbh, cbh2, window_list};
pub use tabiya_formats_jose::jose;
#[cfg(feature = "parquet")]
pub use tabiya_formats_parquet::{lake, parquet};
pub use tabiya_formats_pgn::{csv, epd, pgn};
pub use tabiya_formats_scid::scid;
