//! The answers for programs, as types: everything that `--json` prints and the server sends.
//!
//! A field is described only here: `docs/json.md`, the schemas in the server's `openapi.json` and the app's TypeScript types are made from
//! these types and their comments (`cargo xtask answers`). The crate knows nothing about chess or jobs: the code that has an answer fills it in.
//!
//! ```
//! use tabiya_answers::Answer;
//! use tabiya_answers::server::ClosedAnswer;
//!
//! let answer = ClosedAnswer { closed: "b1".to_owned() };
//! assert_eq!(answer.json().to_string(), r#"{"closed":"b1"}"#);
//! ```

mod analysis;
mod book;
mod completion;
mod conversion;
mod diff;
mod duplicates;
mod events;
mod explorer;
mod fetch;
mod findings;
mod formats;
mod games;
mod info;
mod macros;
mod mcp;
mod mistakes;
mod names;
mod novelties;
mod player;
mod puzzles;
mod repertoire;
#[cfg(feature = "schema")]
pub mod schema;
pub mod server;
mod statistics;

use serde::Serialize;
use serde_json::Value;

pub use analysis::*;
pub use book::*;
pub use completion::PartialAnswer;
pub use conversion::*;
pub use diff::*;
pub use duplicates::*;
pub use events::*;
pub use explorer::*;
pub use fetch::*;
pub use findings::*;
pub use formats::*;
pub use games::*;
pub use info::*;
pub use mcp::*;
pub use mistakes::*;
pub use names::*;
pub use novelties::*;
pub use player::*;
pub use puzzles::*;
pub use repertoire::*;
pub use statistics::*;

/// A value that can be written as JSON.
pub trait Answer: Serialize {
    /// The answer as a value, its fields in the order of their names.
    fn json(&self) -> Value {
        // Only a map whose keys are no texts could not be told, and no answer has one.
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl<T: Serialize> Answer for T {}
