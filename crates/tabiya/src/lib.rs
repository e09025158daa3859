//! Tabiya, the universal chess database: opens every chess database people own and loses nothing on the way.
//!
//! Open any database and walk its games:
//!
//! ```
//! # fn main() -> tabiya::model::Result<()> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
//! let mut inputs = tabiya::open(path)?;
//! for input in &mut inputs {
//!     input.for_each(|game| {
//!         println!("{} - {}: {} plies", game.tags.value("White"), game.tags.value("Black"), game.tape.plies());
//!         Ok(())
//!     })?;
//! }
//! # Ok(())
//! # }
//! ```

pub mod archive;
pub mod input;
pub mod server;
pub mod sidecar;

pub use input::{Input, Inputs, create, open};
pub use tabiya_explore as explore;
pub use tabiya_formats as formats;
pub use tabiya_model as model;
pub use tabiya_query as query;
